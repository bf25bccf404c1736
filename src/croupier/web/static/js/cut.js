// @ts-check
/**
 * The players' cut, for one player: contribute to each round while its bets are open, note the roll
 * of all contributions when they are closed, and only then reveal their own. Fetched with the first
 * seat; docs/fairness.md has the derivation.
 *
 * @typedef {import("./types").State} State
 * @typedef {{commitment: string, value: string, roll: string}} Noted
 */

import { contributionHash, rollOf } from "./proof.js";
import { mySeats } from "./state.js";

const NOTED = "croupier.cuts";
export const WORDS = "croupier.cut-words";
const NOTED_MAX = 50;
const RANDOM_BYTES = 16;
export const WORDS_MAX = 90;

/**
 * What this browser noted of the rounds that it contributed to.
 * @returns {Record<string, Noted>}
 */
export function notes() {
  try {
    return JSON.parse(localStorage.getItem(NOTED) ?? "{}");
  } catch {
    return {};
  }
}

/**
 * @param {string} round
 * @param {Noted} noted
 */
function note(round, noted) {
  const last = Object.entries({ ...notes(), [round]: noted }).slice(-NOTED_MAX);
  localStorage.setItem(NOTED, JSON.stringify(Object.fromEntries(last)));
}

/** The player's own words, as far as they are printable ASCII. */
export const words = () =>
  (localStorage.getItem(WORDS) ?? "").replace(/[^ -~]/g, "").slice(0, WORDS_MAX);

/** A new contribution: the player's words, if there are any, and random bytes. */
function contribution() {
  const random = Array.from(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)), (one) =>
    one.toString(16).padStart(2, "0"),
  ).join("");
  return words() ? `${words()} ${random}` : random;
}

export class Cut {
  /** @param {import("./socket.js").TableSocket} socket */
  constructor(socket) {
    this.socket = socket;
    /** The rounds that were contributed to and revealed here. @type {Set<string>} */
    this.sent = new Set();
  }

  /**
   * Do what the cut needs next, as the table stands now.
   * @param {State} state
   */
  async follow(state) {
    const { round, phase, cut, commitment } = state.scene;
    const me = state.you?.player;
    // Browsers hash only on pages that came safely: from this machine, or over TLS.
    if (!round || !me || !commitment || !cut || !crypto.subtle) return;
    if (phase === "bets" && mySeats(state).length && !cut.hashes[me]) {
      if (this.once(`contribute ${round}`)) await this.contribute(round, me, commitment);
    } else if (phase === "dealing" && cut.hashes[me] && !cut.values[me] && !cut.made) {
      const noted = notes()[round];
      if (!noted || !this.once(`reveal ${round}`)) return;
      note(round, { ...noted, roll: await rollOf(Object.values(cut.hashes)) });
      await this.socket.ask({ type: "reveal", round, value: noted.value }, { quiet: true });
    }
  }

  /**
   * @param {string} round
   * @param {string} me
   * @param {string} commitment
   */
  async contribute(round, me, commitment) {
    const value = contribution();
    note(round, { commitment, value, roll: "" });
    const hash = await contributionHash(round, me, value);
    await this.socket.ask({ type: "contribute", round, hash }, { quiet: true });
  }

  /** @param {string} what */
  once(what) {
    if (this.sent.has(what)) return false;
    this.sent.add(what);
    return true;
  }
}
