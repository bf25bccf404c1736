// @ts-check
/**
 * The page of a table: a line to the server, one state, and everything drawn from it.
 *
 * @typedef {import("./felt.js").FeltTable} FeltTable
 * @typedef {import("./types").Message} Message
 * @typedef {import("./types").Command} Command
 * @typedef {import("./types").SpotView} SpotView
 */

import { post } from "./api.js";
import { Bets } from "./bets.js";
import { Care } from "./care.js";
import { Commands } from "./commands.js";
import { cite, citesOpen, dialog, h, must, near, write } from "./dom.js";
import { chips } from "./elements.js";
import "./felt.js";
import { Line } from "./line.js";
import { cents, money } from "./money.js";
import { Gate } from "./motion.js";
import { drawLast, drawSettled } from "./panels.js";
import { Ring } from "./ring.js";
import { settings } from "./settings.js";
import { handWords, newsWords } from "./speech.js";
import { START, mySeats, reduce } from "./state.js";
import { netOf, openings } from "./view.js";

const root = must("#table");
const { table = "", me = "", rulebook = "", practice = "" } = root.dataset;
const felt = /** @type {FeltTable} */ (must("felt-table"));
const status = must("#status");
const spoken = must("#spoken");
const dock = must("#dock");
const decisions = must("#decisions");
const funds = /** @type {HTMLInputElement} */ (must("#funds"));
const ring = new Ring(must("#ring"));
/** @type {import("./coach.js").Coach | null} */
let coach = null;

let state = START;
let care = new Care(me);
let person = me;
let cut = "";
let sitting = new URLSearchParams(location.search).has("play");
let drawn = "";

const gate = new Gate(() => soon());
const line = new Line(table, { hear, changed: (how) => lineIs(how), last: () => state.v });
const bets = new Bets(line, () => state);
const shared = document.querySelector("#hand");
if (shared instanceof HTMLSelectElement) bets.hand = () => Number(shared.value);

// ------------------------------------------------------------ what is heard

/** @param {Message} message */
function hear(message) {
  const before = state.scene;
  state = reduce(state, message);
  if (message.type === "welcome") welcomed();
  if (message.type === "news") {
    gate.take(message.events);
    const words = newsWords(state);
    if (words) spoken.textContent = words;
    if (state.scene.round !== before.round) say("");
  }
  if (message.type === "news" || message.type === "welcome") {
    ring.run(state.clock);
    bets.follow();
    note();
  }
  if (message.type === "refused") refuse();
  soon();
}

function welcomed() {
  if (!state.felt) return;
  gate.flush();
  chips.cents = state.felt.chips_cents;
  const least = cents(openings(state.felt)[0]?.limits?.[0] ?? "1.00");
  const kept = Number(localStorage.getItem("croupier.chip") ?? -1);
  bets.chip =
    kept >= 0
      ? kept
      : Math.max(
          chips.cents.findIndex((one) => one >= least),
          0,
        );
  if (sitting && state.you) sit();
}

/** Take the first free seat, if one has none yet. */
function sit() {
  sitting = false;
  if (mySeats(state).length || !state.felt) return;
  const seats = Array.from({ length: state.felt.seats }, (_, index) => index + 1);
  const middle = Math.ceil(state.felt.seats / 2);
  seats.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
  const seat = seats.find((one) => !state.scene.seats[one]);
  if (seat) line.ask({ type: "sit", seat });
  else say("All seats are taken. You can watch until one is free.");
}

/** @param {string} how */
function lineIs(how) {
  cut = how === "open" ? "" : how;
  if (how === "cut") say("The line is cut. Trying again …");
  if (how === "gone") say("This table is no longer there.");
  if (how === "elsewhere") say("You play at this table in another window.");
  if (how === "open" && status.dataset.cut) say("");
  status.dataset.cut = cut;
  soon();
}

function refuse() {
  const { refusal } = state;
  if (!refusal) return;
  say(
    `${refusal.message[0].toUpperCase()}${refusal.message.slice(1)}.`,
    refusal.clause ? cite(rulebook, refusal.clause) : "",
  );
}

/**
 * @param {string} words
 * @param {Node | string} more
 */
function say(words, more = "") {
  status.replaceChildren(words, words && more ? " " : "", more);
}

// ------------------------------------------------------------ what can be done

const inBets = () =>
  state.scene.phase === "bets" && mySeats(state).length > 0 && !cut && !care.stop;
const canBank = () =>
  state.scene.bank_turn !== null && mySeats(state).includes(state.scene.bank_turn);
const deciding = () => state.scene.asked !== null && mySeats(state).includes(state.scene.asked);

/** @type {Command[]} */
const fixed = [
  ...[1, 2, 3, 4, 5].map((number) => ({
    id: `chip-${number}`,
    label: `Chip ${number}`,
    key: String(number),
    group: "Bets",
    enabled: () => number <= chips.cents.length,
    run: () => pick(number - 1),
  })),
  {
    id: "undo",
    label: "Undo",
    key: "Z",
    group: "Bets",
    enabled: () => inBets() && bets.undone.length > 0,
    run: () => bets.undo(),
  },
  {
    id: "clear",
    label: "Clear",
    key: "C",
    group: "Bets",
    enabled: () => inBets() && bets.now().length > 0,
    run: () => bets.clear(),
  },
  {
    id: "rebet",
    label: "Rebet",
    key: "R",
    group: "Bets",
    enabled: () => inBets() && !bets.now().length && bets.last().length > 0,
    run: () => bets.again(),
  },
  {
    id: "deal",
    label: "Deal",
    key: "D",
    group: "Bets",
    enabled: () => inBets() && bets.now().length > 0 && !bets.lacks && !allReady(),
    run: () => bets.deal(),
  },
  {
    id: "time",
    label: "More time",
    key: "T",
    group: "Decisions",
    enabled: () => Boolean(practice) && deciding(),
    run: () => line.ask({ type: "more_time" }),
  },
  { id: "bank", label: "Bank", key: "B", group: "Bank", enabled: canBank, run: bank },
  {
    id: "pass",
    label: "Pass the bank",
    key: "X",
    group: "Bank",
    enabled: () => canBank() && state.scene.passes,
    run: () => line.ask({ type: "pass", seat: state.scene.bank_turn }),
  },
  {
    id: "guest",
    label: "Play as guest",
    key: "G",
    group: "Table",
    enabled: () => !person,
    run: () => guest(),
  },
  {
    id: "sit",
    label: "Take a seat",
    key: "S",
    group: "Table",
    enabled: () => Boolean(state.you) && !mySeats(state).length,
    run: () => sit(),
  },
  {
    id: "here",
    label: "Play here",
    key: "",
    group: "Table",
    enabled: () => cut === "elsewhere",
    run: () => line.open(Boolean(person)),
  },
  {
    id: "chips",
    label: "Get play chips again",
    key: "",
    group: "Table",
    enabled: () => Boolean(state.you),
    run: () => refill(),
  },
  {
    id: "break",
    label: "Take a break",
    key: "",
    group: "Table",
    enabled: () => true,
    run: () => dialog("#rest").showModal(),
  },
  {
    id: "settings",
    label: "Settings",
    key: "",
    group: "Table",
    enabled: () => true,
    run: () => dialog("#settings").showModal(),
  },
  { id: "help", label: "Keys", key: "?", group: "Table", enabled: () => true, run: help },
];

const commands = new Commands(fixed, { more: choices, keys: () => options.keys });
const options = settings({ care: () => care, changed });

/** Do what was set, and call the coach or let it go. */
async function changed() {
  if (options.coach && practice && !coach) {
    const { Coach } = await import("./coach.js");
    coach = new Coach(table, must("#coach"));
  }
  coach?.switch(options.coach);
  soon();
}

/** @returns {Command[]} */
function choices() {
  if (!deciding()) return [];
  const seat = state.scene.asked;
  return state.scene.choices.map((choice) => ({
    id: `option-${choice.option}`,
    label: choice.label,
    key: choice.key.toUpperCase(),
    group: "Decisions",
    enabled: () => !cut && !waiting(),
    run: () => choose(seat, choice.option),
  }));
}

let chosen = "";
const decision = () => `${state.scene.round} ${state.scene.step} ${state.scene.asked}`;
const waiting = () => chosen === decision();

/**
 * @param {number | null} seat
 * @param {string} option
 */
async function choose(seat, option) {
  chosen = decision();
  coach?.judge(option);
  soon();
  const answer = await line.ask({ type: "choose", seat, option });
  if (answer.type === "refused") chosen = "";
}

const allReady = () => mySeats(state).every((seat) => state.scene.seats[seat]?.ready);

/** @param {number} place */
function pick(place) {
  bets.chip = place;
  localStorage.setItem("croupier.chip", String(place));
  soon();
}

async function guest() {
  try {
    const { person: who } = await post("/api/guest");
    person = who.id;
    care = new Care(person);
    sitting = true;
    line.fresh = true;
    await line.open(true);
  } catch (error) {
    say(/** @type {Error} */ (error).message);
  }
}

async function refill() {
  try {
    await post("/api/chips");
    say("Here are new play chips.");
  } catch (error) {
    say(/** @type {Error} */ (error).message);
  }
}

function bank() {
  const sum = Math.round(Number(funds.value) * 100);
  line.ask({ type: "bank", seat: state.scene.bank_turn, funds: sum });
}

function help() {
  must("#keys").replaceChildren(...commands.help());
  dialog("#help").showModal();
}

// ------------------------------------------------------------ what is drawn

let due = 0;

/** Draw with the next frame, however much is heard before. */
function soon() {
  if (!due) due = requestAnimationFrame(draw);
}

function draw() {
  due = 0;
  const { scene, you } = state;
  const mine = mySeats(state);
  felt.tray = document.querySelector(".tray [aria-checked=true]");
  felt.show(state, gate);
  felt.toggleAttribute("stopped", Boolean(care.stop));
  // A round is counted when its last seat was shown to be settled.
  if (over && (gate.open || scene.round !== over.round)) {
    care.count(over.round, over.net);
    over = null;
  }
  const bet = bets.total;
  const facts = [
    ["balance", you ? money(you.cents) : "–"],
    ["bet", bet ? money(bet) : "–"],
    ["time", care.time],
    ["net", care.net],
  ];
  for (const [id, text] of facts) write(must(`#${id}`), text);
  must("#net").dataset.sign = String(Math.sign(care.visit.net));
  drawDock(mine);
  drawSettled(scene, gate.seat, rulebook);
  drawLast(care.visit.rounds);
  const asked = deciding() && gate.open ? decision() : "";
  if (asked && !waiting()) coach?.look(asked);
  commands.refresh();
}

let seated = false;

/** @param {number[]} mine */
function drawDock(mine) {
  // On a phone the felt is what one wants to see.
  if (mine.length && !seated && innerWidth < 640) felt.scrollIntoView();
  seated = mine.length > 0;
  const mode = !person
    ? "guest"
    : cut === "elsewhere"
      ? "here"
      : !mine.length
        ? "sit"
        : deciding()
          ? "decide"
          : canBank()
            ? "bank"
            : state.scene.phase === "bets" && !mine.includes(state.scene.banker?.seat ?? 0)
              ? "bets"
              : "wait";
  dock.dataset.mode = mode;
  const says =
    care.stop ||
    (mode === "bets" && !bets.now().length ? "Choose a chip, then a spot to bet on." : "") ||
    (mode === "bets" && bets.lacks ? `${bets.lacks.says} (${bets.lacks.clause}).` : "") ||
    (mode === "bets" && allReady() ? "Waiting for the others …" : "");
  write(must("#hint"), says);
  for (const chip of document.querySelectorAll(".tray button")) {
    const place = Number(/** @type {HTMLElement} */ (chip).dataset.chip);
    chip.setAttribute("aria-checked", String(place === bets.chip));
  }
  const wanted = mode === "decide" ? `${decision()} ${waiting()}` : "";
  if (wanted === drawn) return;
  const focused = decisions.contains(document.activeElement);
  drawn = wanted;
  decisions.replaceChildren(
    ...(mode === "decide" ? state.scene.choices : []).map((choice) =>
      h(
        "button",
        { class: "choice", type: "button", "data-command": `option-${choice.option}` },
        `${choice.label} `,
        h("kbd", {}, choice.key.toUpperCase()),
      ),
    ),
  );
  if (focused && mode === "decide")
    /** @type {HTMLElement | null} */ (decisions.firstChild)?.focus();
  else if (focused) felt.focus();
  if (mode === "decide" && !waiting()) spoken.textContent = handWords(state);
}

/** @type {{round: string, net: number | null} | null} */
let over = null;

/** Note what came out of a round when it is over. */
function note() {
  const { phase, round } = state.scene;
  if (phase !== "over" || !round) return;
  const nets = mySeats(state).flatMap((seat) => netOf(state, seat) ?? []);
  over = { round, net: nets.length ? nets.reduce((sum, net) => sum + net, 0) : null };
}

// ------------------------------------------------------------ wires

felt.addEventListener("spot", (event) => {
  const { wager } = /** @type {CustomEvent<SpotView>} */ (event).detail;
  const seat = near(event, "player-seat");
  if (care.stop) say(care.stop);
  else if (seat) bets.add(Number(seat.id.replace("seat-", "")), wager);
});
for (const type of ["sit", "leave"]) {
  felt.addEventListener(type, (event) => {
    line.ask({ type, seat: /** @type {CustomEvent<number>} */ (event).detail });
  });
}
dialog("#rest").addEventListener("close", (event) => {
  const minutes = Number(/** @type {HTMLDialogElement} */ (event.target).returnValue);
  if (!minutes) return;
  care.rest(minutes);
  for (const seat of mySeats(state)) line.ask({ type: "leave", seat });
  soon();
});
setInterval(() => {
  const says = person ? care.reminder() : null;
  if (says && !document.querySelector("dialog[open]")) {
    must("#reminded").replaceChildren(says);
    dialog("#reminder").showModal();
  }
  soon();
}, 5000);

for (const cell of document.querySelectorAll(".pays td:last-child")) {
  cell.replaceChildren(cite(rulebook, cell.textContent ?? ""));
}
citesOpen(rulebook);
changed();
line.open(Boolean(person));
