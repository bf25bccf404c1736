// @ts-check
/**
 * Chips of walk-ins on the felt: a chip in hand, and a press on a spot puts it there.
 *
 * @typedef {import("./types").State} State
 * @typedef {import("./types").Desk} Desk
 */

import { nameOf } from "./console_walkins.js";
import { h } from "./dom.js";
import { chips } from "./elements.js";
import { money } from "./money.js";
import { raised, seatOf } from "./view.js";

/**
 * Let go of what a finger or a mouse pressed, so that Space is the next step again and doesn't put
 * another chip down. The focus of the keyboard stays where it is.
 * @param {MouseEvent} event
 */
function letGo(event) {
  if (event.detail) /** @type {HTMLElement} */ (event.currentTarget).blur();
}

/** What is in hand to take chips back. */
const BACK = 0;

export class ConsoleBets {
  /**
   * @param {{perform: (what: {of: string, command: Record<string, unknown>}, why: string) =>
   *   Promise<any>, redraw: () => void}} how
   */
  constructor({ perform, redraw }) {
    this.perform = perform;
    this.redraw = redraw;
    /** @type {number | null} */
    this.picked = null;
  }

  /** The chip in hand, in cents: the second smallest until another one is taken. */
  get chip() {
    return this.picked ?? chips.cents[1];
  }

  /**
   * @param {State} state
   * @param {Desk["spots"]} spots
   */
  draw(state, spots) {
    const rail = [...chips.cents, BACK].map((chip) => h("button", {
      type: "button", class: "in-hand", "data-key": `chip ${chip}`,
      "aria-pressed": String(chip === this.chip),
      click: (/** @type {MouseEvent} */ event) => {
        letGo(event);
        this.picked = chip;
        this.redraw();
      },
    }, chip === BACK ? "Take back" : money(chip)));
    const seats = [...new Set(spots.map((spot) => spot.seat))];
    const rows = seats.map((seat) => h("li", {},
      h("span", { class: "who" }, h("b", {}, String(seat)), " ",
        nameOf(seatOf(state, seat).name)),
      ...spots.filter((spot) => spot.seat === seat).map((spot) => this.spot(state, spot))));
    return [
      h("div", { class: "rail", role: "group", "aria-label": "Chip in hand" }, ...rail),
      h("ol", { class: "spots-of" }, ...rows)];
  }

  /**
   * @param {State} state
   * @param {Desk["spots"][number]} spot
   */
  spot(state, spot) {
    const { seat, wager, label, cents } = spot;
    const lies = cents ? money(cents) : "no chips";
    return h("button", { type: "button", class: "spot-of", "data-key": `${seat} ${wager}`,
      "data-cents": cents ? String(cents) : null, "aria-label": `Seat ${seat}, ${label}: ${lies}`,
      click: (/** @type {MouseEvent} */ event) => {
        letGo(event);
        this.press(state, spot);
      } },
    h("small", {}, label), h("b", {}, cents ? money(cents) : "–"));
  }

  /**
   * @param {State} state
   * @param {Desk["spots"][number]} spot
   */
  press(state, { seat, wager, label, cents, put, take }) {
    const why = `Seat ${seat}, ${label}`;
    if (this.chip === BACK) return take && this.perform({ of: "round", command: take }, why);
    const rules = state.felt?.wagers.find((one) => one.wager === wager);
    if (!rules) return null;
    const sum = raised(rules, cents, this.chip);
    return this.perform({ of: "round", command: { ...put, cents: sum } }, why);
  }
}
