// @ts-check
/** A keypad for cards: rank, then suit. It types into the read field, as a scanner does. */

import { SIGNS } from "./elements.js";
import { h } from "./dom.js";

const RANKS = "AKQJT98765432";
/** @type {Record<string, string>} */
const NAMES = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };

/**
 * @param {HTMLElement} place
 * @param {HTMLInputElement} field
 */
export function keypad(place, field) {
  const ranks = [...RANKS].map((rank) => h("button", { type: "button", class: "key",
    "data-rank": rank, "aria-pressed": "false", click: () => {
      field.value = rank;
      follow();
    } }, rank === "T" ? "10" : rank));
  const suits = Object.keys(NAMES).map((suit) => h("button", { type: "button", class: "key suit",
    "data-suit": suit, "aria-label": NAMES[suit], click: () => {
      field.value += suit;
      follow();
      field.form?.requestSubmit();
    } }, SIGNS[suit]));
  const follow = () => {
    const typed = field.value.trim().toUpperCase();
    for (const one of ranks)
      one.setAttribute("aria-pressed", String(one.dataset.rank === typed));
    for (const one of suits)
      /** @type {HTMLButtonElement} */ (one).disabled = !(typed && RANKS.includes(typed));
  };
  field.addEventListener("input", follow);
  place.replaceChildren(...ranks, ...suits);
  follow();
  return follow;
}
