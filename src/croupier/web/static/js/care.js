// @ts-check
/**
 * Play that stays play: time and net result of the visit, limits that players set for themselves,
 * a break, a reminder. All of it stays in this browser.
 */

import { h } from "./dom.js";
import { money, signed } from "./money.js";

const VISIT = "croupier.visit";
const LIMITS = "croupier.limits";
const BREAK = "croupier.break";
const REMINDER_MIN = 30;
/** How many of the last rounds are listed. */
const ROUNDS = 50;

/**
 * @template T
 * @param {Storage} store
 * @param {string} key
 * @param {T} fallback
 * @returns {T}
 */
function kept(store, key, fallback) {
  try {
    return { ...fallback, ...JSON.parse(store.getItem(key) ?? "{}") };
  } catch {
    return fallback;
  }
}

export class Care {
  /** @param {string} player */
  constructor(player) {
    this.player = player;
    const now = Date.now();
    this.visit = kept(sessionStorage, VISIT, {
      player,
      since: now,
      net: 0,
      hands: 0,
      reminded: now,
      rounds: /** @type {{round: string, net: number | null}[]} */ ([]),
    });
    if (this.visit.player !== player) {
      this.visit = { player, since: now, net: 0, hands: 0, reminded: now, rounds: [] };
    }
    this.limits = kept(localStorage, LIMITS, { loss: 0, minutes: 0, reminder: REMINDER_MIN });
    this.keep();
  }

  keep() {
    sessionStorage.setItem(VISIT, JSON.stringify(this.visit));
  }

  /**
   * Count a round once it is over.
   * @param {string} round
   * @param {number | null} net in cents, null for a round without the player
   */
  count(round, net) {
    if (this.visit.rounds.some((one) => one.round === round)) return;
    this.visit.rounds = [{ round, net }, ...this.visit.rounds].slice(0, ROUNDS);
    this.visit.net += net ?? 0;
    this.visit.hands += net === null ? 0 : 1;
    this.keep();
  }

  get minutes() {
    return Math.floor((Date.now() - this.visit.since) / 60000);
  }

  get time() {
    const all = this.minutes;
    return all < 60 ? `${all} min` : `${Math.floor(all / 60)} h ${all % 60} min`;
  }

  get net() {
    return this.visit.net ? signed(this.visit.net) : "$0";
  }

  /** Why the player's own limits or break forbid a bet now; nothing if they don't. */
  get stop() {
    const until = Number(localStorage.getItem(BREAK) ?? 0);
    if (until > Date.now()) {
      return `You're on a break for another ${Math.ceil((until - Date.now()) / 60000)} min.`;
    }
    const { loss, minutes } = this.limits;
    if (loss && -this.visit.net >= loss * 100) {
      return `You have reached your limit: ${money(loss * 100)} lost on this visit.`;
    }
    if (minutes && this.minutes >= minutes) {
      return `You have reached your limit: ${minutes} minutes.`;
    }
    return "";
  }

  /** @param {number} minutes */
  rest(minutes) {
    localStorage.setItem(BREAK, String(Date.now() + minutes * 60000));
  }

  /** @param {{loss: number, minutes: number, reminder: number}} limits */
  limit(limits) {
    this.limits = limits;
    localStorage.setItem(LIMITS, JSON.stringify(limits));
  }

  /** Return the reminder of the time played; null if it isn't due. */
  reminder() {
    const every = this.limits.reminder;
    if (!every || Date.now() - this.visit.reminded < every * 60000) return null;
    this.visit.reminded = Date.now();
    this.keep();
    return h("p", {}, `You have been here for ${this.time}. Your net result is ${this.net}.`);
  }
}
