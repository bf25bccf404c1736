// @ts-check
/**
 * The proof of the deal at a table, fetched on request.
 *
 * @typedef {import("./types").State} State
 */

import { WORDS, WORDS_MAX, words } from "./cut.js";
import { h } from "./dom.js";

/**
 * @param {string} name
 * @param {string} says
 */
const fact = (name, says) =>
  h("div", {}, h("dt", {}, name), h("dd", { class: "hash" }, says || "–"));

/**
 * The commitment, the cut, and a field for the player's words; or the history of a real deck.
 * @param {State} state
 * @returns {Node[]}
 */
export function deal({ scene, you }) {
  const { round, commitment, cut, deck } = scene;
  const known = Object.entries(cut.hashes);
  if (deck) return history(deck);
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
        " closed. All the texts together cut the deck, so no one knew the deal before.",
    ),
    known.length
      ? h(
          "dl",
          { class: "posted" },
          ...known.map(([player, hash]) => fact(name(player), shown(player, hash))),
        )
      : h("p", {}, "There are no contributions to this round yet."),
    h(
      "p",
      {},
      `Contributions at this table so far: ${cut.contributed}. Withheld: ${cut.withheld}.`,
    ),
    h("label", { for: "cut-words" }, "Your own words for the next cut (random ones are added) "),
    field,
    h("p", { class: "hint" }, "Each round's page checks that the cut includes your contribution."),
  ];
}

/**
 * @param {NonNullable<State["scene"]["deck"]>} deck
 * @returns {Node[]}
 */
function history(deck) {
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
}
