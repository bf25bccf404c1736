// @ts-check
/**
 * What the page shows of what it knows: the result of your own round stays until you go on, and the
 * balance gives nothing away before the cards do.
 *
 * @typedef {import("./types").State} State
 */

import { mySeats } from "./state.js";
import { netOf } from "./view.js";

const IN_PLAY = ["dealing", "decide", "reveal", "settle"];

/** @param {State} state */
export const inPlay = (state) => IN_PLAY.includes(state.scene.phase);

/**
 * Whether your own round is over and its result is still to be seen.
 * @param {State} state
 */
export const isResult = (state) =>
  state.scene.phase === "over" && mySeats(state).some((seat) => netOf(state, seat) !== null);

/**
 * Whether others play here, so that a hand may be dealt while you still look at a result.
 * @param {State} state
 */
export const inCompany = ({ scene, you }) =>
  Object.values(scene.seats).some((who) => who.present && who.player !== you?.player);

export class Shown {
  constructor() {
    /** @type {State | null} */
    this.kept = null;
    /** The round whose result was seen. */
    this.seen = "";
    this.held = false;
    this.balance = /** @type {number | null} */ (null);
  }

  /**
   * Take what is new, and keep a result until you go on. With others at the table it gives way
   * when they are dealt a hand without you, unless it is held.
   * @param {State} state
   */
  take(state) {
    const { round, boxes } = state.scene;
    if (isResult(state) ? round !== this.seen : round === this.kept?.scene.round) this.kept = state;
    const mine = mySeats(state);
    const plays = mine.some((seat) => boxes[seat]?.player === state.you?.player);
    if (!mine.length || (inPlay(state) && (plays || !this.held))) this.next();
  }

  next() {
    this.seen = this.kept?.scene.round ?? this.seen;
    this.kept = null;
    this.held = false;
  }

  hold() {
    this.held = !this.held;
  }

  /**
   * What is drawn now.
   * @param {State} state
   */
  of(state) {
    return this.kept ?? state;
  }

  /**
   * The balance to show: chips that are bet go at once, and what is won comes when it is seen.
   * @param {State} state
   * @param {boolean} open whether everything is let through
   */
  balanceOf(state, open) {
    const now = state.you?.cents ?? null;
    if (this.balance === null || now === null || now < this.balance) this.balance = now;
    else if (open && !inPlay(state)) this.balance = now;
    return this.balance;
  }
}
