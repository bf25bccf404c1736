// @ts-check
/**
 * What the page shows of what it knows: the result of one's own round stays until its player goes
 * on, and the balance tells nothing before the cards have told it.
 *
 * @typedef {import("./types").State} State
 */

import { mySeats } from "./state.js";
import { netOf } from "./view.js";

/** How long a result stays in company, unless it is held. */
export const STAY_MS = 6000;
const IN_PLAY = ["dealing", "decide", "reveal", "settle"];

/** @param {State} state */
export const inPlay = (state) => IN_PLAY.includes(state.scene.phase);

/**
 * Whether one's own round is over and its result has to be seen.
 * @param {State} state
 */
export const isResult = (state) =>
  state.scene.phase === "over" && mySeats(state).some((seat) => netOf(state, seat) !== null);

/**
 * Whether others wait for the next round, so that a result does not stay for ever.
 * @param {State} state
 */
export const inCompany = ({ scene, you }) =>
  Object.values(scene.seats).some((who) => who.present && who.player !== you?.player);

export class Shown {
  constructor() {
    /** @type {State | null} */
    this.kept = null;
    this.until = Infinity;
    this.held = false;
    this.balance = /** @type {number | null} */ (null);
  }

  /**
   * Take what is new, and keep a result that is not yet seen.
   * @param {State} state
   */
  take(state) {
    if (isResult(state) && this.kept?.scene.round !== state.scene.round) {
      this.kept = state;
      this.held = false;
      this.until = inCompany(state) ? performance.now() + STAY_MS : Infinity;
    } else if (this.kept?.scene.round === state.scene.round) {
      this.kept = state;
    }
    // Whoever has left the table, or plays again, looks at that.
    const playing = inPlay(state) && mySeats(state).some((seat) => state.scene.boxes[seat]);
    if (!mySeats(state).length || playing) this.next();
  }

  next() {
    this.kept = null;
    this.held = false;
    this.until = Infinity;
  }

  hold() {
    this.held = !this.held;
    this.until = this.held ? Infinity : performance.now() + STAY_MS;
  }

  /** Seconds until the result goes, null where it stays. */
  get left() {
    if (!this.kept || this.until === Infinity) return null;
    return Math.max(Math.ceil((this.until - performance.now()) / 1000), 0);
  }

  /**
   * What is drawn now.
   * @param {State} state
   */
  of(state) {
    if (this.kept && performance.now() >= this.until) this.next();
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
