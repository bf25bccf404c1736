// @ts-check
/**
 * A table in sentences: what is read out where nothing is drawn.
 *
 * @typedef {import("./types").State} State
 */

import { clauseSays } from "./dom.js";
import { cents, money, signed } from "./money.js";
import { mySeats } from "./state.js";
import { cardWords } from "./hands.js";
import { placesOf } from "./places.js";
import { announcement, limitsSay, openings, seatsOf } from "./view.js";

/** @param {string | null} clause */
export const cited = (clause) => (clause ? ` (${clauseSays(clause)})` : "");

/**
 * How the table stands, one sentence a line.
 * @param {State} state
 * @returns {string[]}
 */
export function standing(state) {
  const { felt, scene, you, clock } = state;
  if (!felt) return ["The table is loading."];
  const lines = [announcement(state)];
  if (clock) lines.push(`${Math.ceil(clock.left_ms / 1000)} seconds left.`);
  for (const place of placesOf(state)) {
    if (place.cards.length)
      lines.push(`${place.label}: ${place.cards.map((one) => cardWords(one.code)).join(", ")}.`);
  }
  const { banker } = scene;
  if (banker) lines.push(`Seat ${banker.seat} banks with ${money(cents(banker.funds))}.`);
  for (const [id, label] of Object.entries(felt.meters)) {
    lines.push(
      `${label} meter: ${scene.meters[id] ? money(cents(scene.meters[id])) : "out of reach"}.`,
    );
  }
  for (const seat of seatsOf(state)) lines.push(...seatSays(seat));
  for (const seat of mySeats(state)) {
    const lacks = scene.boxes[seat]?.lacks;
    if (lacks) lines.push(`Your bets aren't complete yet: ${lacks.says}${cited(lacks.clause)}.`);
  }
  if (you) lines.push(`You have ${money(you.cents)}.`);
  return lines;
}

/** @param {import("./types").SeatView} seat */
function seatSays(seat) {
  if (seat.empty) return [];
  const who = seat.mine ? `Your seat ${seat.seat}` : `Seat ${seat.seat}, ${seat.name}`;
  const fate = (/** @type {string} */ now) => (now && now !== "live" ? ` (${now})` : "");
  const staked = seat.spots.filter((spot) => spot.cents);
  const bets = staked.map((spot) => `${money(spot.cents)} on ${spot.label}${fate(spot.fate)}`);
  // The cards of a shared hand are read out with its place.
  const cards = seat.cards.map((one) => cardWords(one.code)).join(", ");
  const held = seat.hand ? `hand ${seat.hand}` : cards;
  const parts = [seat.says, bets.join(", "), held].filter(Boolean);
  const lines = seat.lines.map((line) => {
    const net = signed(cents(line.paid) + cents(line.returned) - cents(line.stake));
    return `${who}, ${line.label}: ${line.outcome} ${net}, ${line.because}${cited(line.clause)}.`;
  });
  return [`${who}: ${parts.join("; ") || "waits"}.`, ...lines];
}

/**
 * What can be bet, numbered as it is typed.
 * @param {State} state
 */
export const offers = ({ felt }) =>
  felt
    ? openings(felt).map((wager, number) => `${number + 1}: ${wager.label}, ${limitsSay(wager)}`)
    : [];
