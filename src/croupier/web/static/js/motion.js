// @ts-check
/**
 * Calm motion. The scene says at once how things stand; a gate lets it through piece by piece:
 * cards in the order in which they are dealt, faces as they are shown, seats as they are settled.
 *
 * @typedef {import("./types").Told} Told
 */

import { write } from "./dom.js";

const CARD_MS = 80;
const FACE_MS = 200;
/** A hand is named a moment after its last card has turned over. */
const TURN_MS = 120;
const SEAT_MS = 550;
const SLIDE_MS = 360;
const COUNT_MS = 600;
const MOST_MS = 2500;
const REDUCED = matchMedia("(prefers-reduced-motion: reduce)");

/** Whether nothing is to move. */
export const calm = () => REDUCED.matches || document.documentElement.dataset.motion === "none";

/** What animations of cards that turn over are called. */
export const FLIP = "flip";
const flipping = () => document.getAnimations().some(({ id }) => id === FLIP);

export class Gate {
  /** @param {() => void} changed */
  constructor(changed) {
    this.changed = changed;
    /** @type {Set<string>} */
    this.held = new Set();
    /** @type {{key: string, wait: number}[]} */
    this.queue = [];
    this.timer = 0;
  }

  /** @param {number} position */
  card = (position) => !this.held.has(`card ${position}`);
  /** @param {number} position */
  face = (position) => !this.held.has(`face ${position}`);
  /** Whether a card has turned over, so that its hand may be named. @param {number} position */
  turned = (position) => !this.held.has(`turned ${position}`);
  /** @param {number} seat */
  seat = (seat) => !this.held.has(`seat ${seat}`);

  /** Whether everything is let through. */
  get open() {
    return !this.queue.length;
  }

  /**
   * Hold back what has just happened, and let it go bit by bit.
   * @param {Told[]} told
   * @param {Record<string, string>} [known] faces that the viewer has seen before
   */
  take(told, known = {}) {
    /** @type {number[]} */
    const turning = [];
    for (const { event } of told) {
      // The next bets may be open before a result is shown; its cards are those of another deck.
      if (event?.type === "Dealt") this.flush();
      if (calm() || document.hidden) continue;
      if (event?.type === "Dealt") {
        // A hand is looked at when all of it lies there.
        for (const [position] of event.cards) this.hold(`card ${position}`, CARD_MS);
        for (const [position] of event.cards) turning.push(position);
        turning.forEach((position, n) => this.hold(`face ${position}`, n ? 0 : 6));
      }
      if (event?.type === "Shown" && !known[event.position]) {
        this.hold(`face ${event.position}`, FACE_MS);
        turning.push(event.position);
      }
      if (event?.type === "SeatSettled") {
        this.turn(turning);
        this.hold(`seat ${event.seat}`, SEAT_MS);
      }
    }
    this.turn(turning);
    // However much there is to show, the next round does not wait for it.
    const all = this.queue.reduce((sum, one) => sum + one.wait, 0);
    if (all > MOST_MS) for (const one of this.queue) one.wait *= MOST_MS / all;
  }

  /**
   * A hand is named, and its player asked, when the last of its cards has turned over.
   * @param {number[]} positions what is turning; taken out
   */
  turn(positions) {
    positions.splice(0).forEach((at, n) => this.hold(`turned ${at}`, n ? 0 : TURN_MS));
  }

  /**
   * @param {string} key
   * @param {number} wait
   */
  hold(key, wait) {
    this.held.add(key);
    this.queue.push({ key, wait });
    if (!this.timer) this.timer = window.setTimeout(() => this.release(), wait);
  }

  /** Let the next one through, with all that comes at the same time. */
  release() {
    do {
      const next = this.queue.shift();
      if (next) this.held.delete(next.key);
    } while (this.queue[0]?.wait === 0);
    this.changed();
    if (!this.queue.length) {
      this.timer = 0;
      return;
    }
    requestAnimationFrame(() => this.wait(this.timer));
  }

  /**
   * Count what comes next from when the last thing is drawn, and for a name from when the cards
   * have turned over, however busy the machine is.
   * @param {number} running
   */
  wait(running) {
    if (this.timer !== running) return;
    const [next] = this.queue;
    if (next?.key.startsWith("turned") && flipping())
      requestAnimationFrame(() => this.wait(running));
    else this.timer = window.setTimeout(() => this.release(), next?.wait ?? 0);
  }

  /** Let everything through. */
  flush() {
    clearTimeout(this.timer);
    this.timer = 0;
    this.queue = [];
    this.held.clear();
  }
}

/**
 * Let an element come from where another one is.
 * @param {HTMLElement} moved
 * @param {Element | null} from
 */
export function slideFrom(moved, from) {
  if (calm() || !from) return;
  const start = from.getBoundingClientRect();
  const end = moved.getBoundingClientRect();
  if (!end.width) return;
  const x = start.left + start.width / 2 - end.left - end.width / 2;
  const y = start.top + start.height / 2 - end.top - end.height / 2;
  moved.animate(
    [
      { transform: `translate(${x}px, ${y}px) rotate(-14deg)`, opacity: 0.2 },
      { transform: "none", opacity: 1 },
    ],
    { duration: SLIDE_MS, easing: "cubic-bezier(.2,.8,.3,1)" },
  );
}

/**
 * Let an element go where another one is; at the end it is hidden by its style.
 * @param {HTMLElement} moved
 * @param {Element | null} to
 */
export function slideTo(moved, to) {
  if (calm() || !to) return;
  const start = moved.getBoundingClientRect();
  const end = to.getBoundingClientRect();
  const x = end.left + end.width / 2 - start.left - start.width / 2;
  const y = end.top + end.height / 2 - start.top - start.height / 2;
  moved.animate(
    [
      { transform: "none", opacity: 1, visibility: "visible" },
      { transform: `translate(${x}px, ${y}px)`, opacity: 0, visibility: "visible" },
    ],
    { duration: SLIDE_MS, easing: "ease-in" },
  );
}

/** Which run is the last one of a place. @type {WeakMap<HTMLElement, number>} */
const runs = new WeakMap();

/**
 * Let a sum run up to what it has become. The text is the final one at once, which is what is read
 * aloud and what takes the place; the running one is only drawn over it.
 * @param {HTMLElement} place
 * @param {number} from
 * @param {number} to
 * @param {(sum: number) => string} says
 */
export function countUp(place, from, to, says) {
  write(place, says(to));
  const begun = performance.now();
  runs.set(place, begun);
  delete place.dataset.run;
  if (to <= from || calm() || document.hidden) return;
  const step = () => {
    if (runs.get(place) !== begun) return;
    const part = Math.min((performance.now() - begun) / COUNT_MS, 1);
    if (part === 1) {
      delete place.dataset.run;
      return;
    }
    // Dollar by dollar, as chips are counted.
    place.dataset.run = says(Math.floor((from + (to - from) * part) / 100) * 100);
    requestAnimationFrame(step);
  };
  step();
}
