// @ts-check
/**
 * The same table without a picture: how it stands, what is said, and a box for typed commands of
 * one letter.
 *
 * @typedef {import("./types").Message} Message
 */

import { post } from "./api.js";
import { Bets } from "./bets.js";
import { Care } from "./care.js";
import { h, must } from "./dom.js";
import { NO_SUM, typed } from "./money.js";
import { LOST, TableSocket } from "./socket.js";
import { turnWords } from "./messages.js";
import { handWords } from "./speech.js";
import { START, mySeats, reduce } from "./state.js";
import { openings } from "./view.js";
import { cited, offers, standing } from "./words.js";

const SAID_MAX = 40;
const root = must("#table");
const { table = "", me = "" } = root.dataset;
const said = must("#said");
const box = /** @type {HTMLInputElement} */ (must("#command"));

let state = START;
let care = new Care(me);
let person = me;
/** What a guest typed to sit down, until they have come in. @type {string[] | null} */
let sitting = null;
/** A decision that was asked for and is yet to be said. */
let due = false;

const socket = new TableSocket(table, {
  hear,
  changed: (how) => how !== "open" && say(LOST[how]),
  last: () => state.v,
});
const bets = new Bets(socket, () => state);

/** @param {Message} message */
function hear(message) {
  const before = state.scene.asked;
  const lacked = bets.lacks?.says;
  state = reduce(state, message);
  bets.follow();
  socket.cut(state);
  const lacks = bets.lacks;
  if (lacks && lacks.says !== lacked) say(`Not complete yet: ${lacks.says}${cited(lacks.clause)}.`);
  if (message.type === "news") {
    for (const { says } of message.events) if (says) say(says);
    const { asked } = state.scene;
    due = asked !== null && (due || asked !== before) && mySeats(state).includes(asked);
  }
  // Your own cards come right after the news that asks; real ones you look at yourself.
  if (due && (state.scene.deck || turnWords(state).codes.every(Boolean))) {
    due = false;
    say(`Your decision. ${handWords(state)}`);
  }
  if (message.type === "welcome" && sitting) sit(sitting);
  if (message.type === "refused")
    say(`Refused: ${message.message}${cited(message.clause)}.`);
  must("#standing").replaceChildren(...standing(state).map((one) => h("li", {}, one)));
  must("#offers").replaceChildren(...offers(state).map((one) => h("li", {}, one)));
}

/** @param {string} words */
function say(words) {
  said.append(h("p", {}, words));
  while (said.children.length > SAID_MAX) said.firstElementChild?.remove();
  said.scrollTop = said.scrollHeight;
}

/** @param {string[]} words a seat, and the code on the felt where the cards are real */
async function sit(words) {
  if (!person) {
    person = (await post("/api/guest")).person.id;
    care = new Care(person);
    sitting = words;
    socket.fresh = true;
    await socket.open(true);
    return;
  }
  sitting = null;
  const free = Array.from({ length: state.felt?.seats ?? 0 }, (_, index) => index + 1).find(
    (seat) => !state.scene.seats[seat],
  );
  const [seat, ...code] = words;
  const coded = code.length > 0 && { code: code.join("") };
  socket.ask({ type: "sit", seat: Number(seat) || free || 1, ...coded });
}

/** @param {string[]} words */
function bet([number, sum, hand]) {
  const wager = state.felt ? openings(state.felt)[Number(number) - 1] : undefined;
  const seat = mySeats(state)[0];
  if (care.stop) say(care.stop);
  else if (!wager || !seat) say("Take a seat, then type b, a wager's number and dollars.");
  else {
    if (hand) bets.hands.set(seat, Number(hand));
    bets.put(
      seat,
      wager,
      Math.round(Number(sum ?? wager.sizes?.[0] ?? wager.limits?.[0] ?? 0) * 100),
    );
  }
}

/** @type {Record<string, (words: string[]) => unknown>} */
const commands = {
  S: sit,
  B: bet,
  C: () => bets.clear(),
  R: () => (care.stop ? say(care.stop) : bets.again()),
  D: () => bets.deal(),
  W: () => standing(state).forEach(say),
  T: () => socket.ask({ type: "more_time" }),
  K: ([sum]) => {
    const funds = typed(sum);
    if (funds === null) say(NO_SUM);
    else socket.ask({ type: "bank", seat: state.scene.bank_turn, funds });
  },
  X: () => socket.ask({ type: "pass", seat: state.scene.bank_turn }),
  Q: () => mySeats(state).forEach((seat) => socket.ask({ type: "leave", seat })),
};

must("#typed").addEventListener("submit", (event) => {
  event.preventDefault();
  const [word = "", ...rest] = box.value.trim().split(/\s+/);
  box.value = "";
  const letter = word.toUpperCase();
  const mine = state.scene.asked !== null && mySeats(state).includes(state.scene.asked);
  const choice = mine
    ? state.scene.choices.find((one) => one.key.toUpperCase() === letter)
    : undefined;
  if (choice) socket.ask({ type: "choose", seat: state.scene.asked, option: choice.option });
  else if (commands[letter]) commands[letter](rest);
  else say(`${word || "Nothing"} isn't a command here.`);
});

socket.open(Boolean(person));
