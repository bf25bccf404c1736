// @ts-check
/**
 * The players' cut, for one player: contribute to each round while its bets are open, note the roll
 * of all contributions when they are closed, and only then reveal the own one. Fetched with the
 * first seat; docs/fairness.md has the derivation.
 *
 * @typedef {import("./types").State} State
 * @typedef {{commitment: string, value: string, roll: string}} Noted
 */

import { h } from "./dom.js";
import { contributionHash, rollOf } from "./proof.js";
import { mySeats } from "./state.js";

const NOTED = "croupier.cuts";
const WORDS = "croupier.cut-words";
const NOTED_MAX = 50;
const RANDOM_BYTES = 16;
const WORDS_MAX = 90;

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

/** A new contribution: the player's words, if there are any, and what nobody can guess. */
function contribution() {
  const random = Array.from(crypto.getRandomValues(new Uint8Array(RANDOM_BYTES)), (one) =>
    one.toString(16).padStart(2, "0"),
  ).join("");
  return words() ? `${words()} ${random}` : random;
}

export class Cut {
  /** @param {import("./line.js").Line} line */
  constructor(line) {
    this.line = line;
    /** The rounds that were contributed to and revealed here. @type {Set<string>} */
    this.sent = new Set();
  }

  /**
   * Do what is to be done of the cut as the table stands now.
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
      await this.line.ask({ type: "reveal", round, value: noted.value }, { quiet: true });
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
    await this.line.ask({ type: "contribute", round, hash }, { quiet: true });
  }

  /** @param {string} what */
  once(what) {
    if (this.sent.has(what)) return false;
    this.sent.add(what);
    return true;
  }
}

/**
 * What there is to see of the deal at a table: the commitment, the cut, and a field for own words.
 * @param {State} state
 * @returns {Node[]}
 */
export function deal({ scene, you }) {
  const { round, commitment, cut, deck } = scene;
  const known = Object.entries(cut.hashes);
  const fact = (/** @type {string} */ name, /** @type {string} */ says) =>
    h("div", {}, h("dt", {}, name), h("dd", { class: "hash" }, says || "–"));
  if (deck)
    return [
      h("p", {}, "The cards are real, so their order can't be proved. This is the deck's history."),
      h(
        "dl",
        { class: "posted" },
        fact("Deck", `${deck.number}`),
        fact("Received", new Date(deck.received_s * 1000).toLocaleString()),
        fact("Inspected by", deck.inspected.join(", ")),
        fact("Shuffled by", deck.shuffled),
        fact("Cut by", deck.cut),
        fact("Last counted", deck.counted),
        fact("Rounds since", `${deck.uncounted}`),
        fact("Dealer", deck.dealer),
      ),
    ];
  const name = (/** @type {string} */ player) =>
    player === you?.player
      ? "You"
      : (Object.values(scene.seats).find((one) => one.player === player)?.name ?? player);
  const shown = (/** @type {string} */ player, /** @type {string} */ hash) =>
    `${cut.values[player] ?? (cut.made ? "withheld" : "not revealed yet")}, with the hash ${hash}`;
  const field = h("input", { id: "cut-words", maxlength: WORDS_MAX, autocomplete: "off" });
  /** @type {HTMLInputElement} */ (field).value = words();
  field.addEventListener("input", () =>
    localStorage.setItem(WORDS, /** @type {HTMLInputElement} */ (field).value),
  );
  return [
    h(
      "dl",
      { class: "posted" },
      fact("Round", round ?? "–"),
      fact("Commitment", commitment ?? "–"),
    ),
    h("h3", {}, "The players' cut"),
    h(
      "p",
      {},
      "Your page sends the hash of a secret text while bets are open, and the text once they are" +
        " closed. All the texts together cut the deck, so nobody knew the deal before.",
    ),
    known.length
      ? h(
          "dl",
          { class: "posted" },
          ...known.map(([player, hash]) => fact(name(player), shown(player, hash))),
        )
      : h("p", {}, "Nobody has contributed to this round yet."),
    h(
      "p",
      {},
      `Contributions at this table so far: ${cut.contributed}. Withheld: ${cut.withheld}.`,
    ),
    h("label", { for: "cut-words" }, "Your own words for the next cut (random ones are added) "),
    field,
    h("p", { class: "hint" }, "The page of each round checks that your contribution was in."),
  ];
}
