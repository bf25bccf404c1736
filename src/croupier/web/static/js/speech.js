// @ts-check
/**
 * Speech for players who can't see the felt, at the pace of the table.
 *
 * @typedef {import("./types").State} State
 */

import { money } from "./money.js";
import { heldBy } from "./places.js";
import { boxOf, mySeats } from "./state.js";
import { cardWords } from "./hands.js";
import { turnWords } from "./messages.js";
import { netOf } from "./view.js";

const ALWAYS = ["Opened", "Banked", "BetsClosed", "Declared"];

/**
 * What matters of the latest news.
 * @param {State} state
 */
export function newsWords(state) {
  const { scene, told } = state;
  const mine = mySeats(state);
  const own = mine.flatMap((seat) => heldBy(state, seat));
  const heard = told.filter(({ says, event }) => {
    if (!says || !event) return false;
    if (event.type === "Shown") return !own.includes(event.position);
    if (event.type === "Chose") return event.by !== "player" && mine.includes(event.seat);
    return ALWAYS.includes(event.type);
  });
  const words = heard.map((one) => one.says);
  if (scene.phase === "over") words.push(...mine.flatMap((seat) => resultWords(state, seat)));
  return words.join(" ");
}

/**
 * @param {State} state
 * @param {number} seat
 */
function resultWords(state, seat) {
  const net = netOf(state, seat);
  if (net === null) return [];
  const lines = boxOf(state, seat)?.lines ?? [];
  const why = (/** @type {string} */ because) => (because ? `, ${because}` : "");
  const told = lines.map((one) => `${one.label}: ${one.outcome}${why(one.because)}.`);
  const won = net > 0 ? `You win ${money(net)}.` : `You lose ${money(-net)}.`;
  return [net ? won : "You break even.", ...told];
}

/**
 * Your cards, what they make, and the choices with what they cost, when it is your turn.
 * @param {State} state
 */
export function handWords(state) {
  const { codes, shared, name, ways } = turnWords(state);
  const cards = [codes, shared].map((all) => all.map(cardWords).join(", "));
  const held = cards.filter(Boolean).join(", and on the table ");
  return `You have ${held}${name && `: ${name}`}. ${ways.join(" or ")}?`;
}
