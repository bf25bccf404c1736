// @ts-check
/**
 * Walk-ins, who play at the felt without a screen: seat them, put their wagers down, free the seat.
 *
 * @typedef {import("./types").State} State
 * @typedef {import("./types").Desk} Desk
 */

import { entered } from "./console_entry.js";
import { h } from "./dom.js";
import { openings, seatsOf } from "./view.js";

const WALK_IN = /^w-(\d+)$/;
/** @type {import("./types").Takes} */
const SUM = { field: "cents", kind: "money", says: "The sum in dollars" };

/** @param {string} player */
export const isWalkIn = (player) => WALK_IN.test(player);

/**
 * The name of somebody at a seat; a walk-in has a number.
 * @param {string} name
 */
export const nameOf = (name) => name.replace(WALK_IN, "Walk-in $1");

/**
 * What can be entered for walk-ins now; null where a table has no chips on the felt.
 * @param {State} state
 * @param {Desk} desk
 */
export function walkInsOf(state, desk) {
  if (!desk.tray || desk.life !== "open" || !state.felt) return null;
  const { scene, felt } = state;
  const seats = seatsOf(state).map((one) => one.seat).sort((a, b) => a - b);
  const wagers = openings(felt).filter((one) => !scene.closed_wagers[one.wager]);
  return {
    free: seats.filter((seat) => !scene.seats[seat]),
    taken: seats.filter((seat) => isWalkIn(scene.seats[seat]?.player ?? "")),
    wagers: scene.phase === "bets" ? wagers.map(({ wager, label }) => ({ wager, label })) : [],
  };
}

/**
 * @param {NonNullable<ReturnType<typeof walkInsOf>>} now
 * @param {(message: any) => Promise<any>} ask
 */
export function walkIns({ free, taken, wagers }, ask) {
  const rows = [];
  if (taken.length && wagers.length) {
    const seat = seatOf(taken, "Who bets");
    const wager = choice("Wager", wagers.map((one) => [one.wager, one.label]));
    const sum = /** @type {HTMLInputElement} */ (h("input", { "aria-label": SUM.says,
      placeholder: SUM.says, required: "", autocomplete: "off", inputmode: "decimal" }));
    const bet = async (/** @type {Event} */ event) => {
      event.preventDefault();
      const bet = { type: "Bet", seat: Number(seat.value), player: "", wager: wager.value };
      await ask({ type: "act", of: "round", command: { ...bet, ...entered(SUM, sum.value) } });
    };
    rows.push(h("form", { class: "act-form bet", submit: bet }, seat, wager, sum,
      h("button", { class: "button" }, "Put it down")));
  }
  const moves = h("div", { class: "actions" },
    ...(free.length ? [move(free, "SeatWalkIn", "Seat a walk-in", ask)] : []),
    ...(taken.length ? [move(taken, "Leave", "Leaves the table", ask)] : []));
  return h("section", {}, h("h3", {}, "Walk-ins"), ...rows, moves);
}

/**
 * @param {number[]} seats
 * @param {string} type
 * @param {string} words
 * @param {(message: any) => Promise<any>} ask
 */
function move(seats, type, words, ask) {
  const seat = seatOf(seats, words);
  return h("form", { class: "act-form", submit: (/** @type {Event} */ event) => {
    event.preventDefault();
    ask({ type: "act", of: "table", command: { type, seat: Number(seat.value) } });
  } }, seat, h("button", { class: "button" }, words));
}

/**
 * @param {number[]} seats
 * @param {string} label
 */
const seatOf = (seats, label) =>
  choice(`${label}: seat`, seats.map((one) => [String(one), `Seat ${one}`]));

/**
 * @param {string} label
 * @param {string[][]} options
 */
const choice = (label, options) => /** @type {HTMLSelectElement} */ (
  h("select", { "aria-label": label },
    ...options.map(([value, says]) => h("option", { value }, says))));
