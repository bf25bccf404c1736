// @ts-check
/** The form that begins a practice. */

import { post } from "./api.js";
import { must } from "./dom.js";

const book = /** @type {HTMLSelectElement} */ (must("#rulebook"));

/** @param {string} selector */
const all = (selector) =>
  /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(selector));

/** Show the equipment of the chosen book. */
function choose() {
  for (const one of all("[data-book]")) one.hidden = one.dataset.book !== book.value;
}

/** @returns {Record<string, string>} the selections that were changed, with their new values */
function selections() {
  const found = all(`[data-book="${book.value}"] select`);
  const fields = /** @type {HTMLSelectElement[]} */ ([...found]);
  const changed = fields.filter((one) => !one.selectedOptions[0]?.defaultSelected);
  return Object.fromEntries(changed.map((one) => [one.name.split(".select.")[1], one.value]));
}

book.addEventListener("change", choose);
choose();
must("#practice").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
  const cards = String(form.get("cards"));
  try {
    const { practice } = await post("/api/practice", {
      rulebook: String(form.get("rulebook")),
      seed: Number(form.get("seed")),
      rounds: Number(form.get("rounds")),
      faults: Number(form.get("faults")),
      hints: form.has("hints"),
      real: ["real", "beside"].includes(cards),
      screens: ["screens", "beside"].includes(cards),
      selections: selections(),
    });
    location.assign(practice);
  } catch (error) {
    must("#fault").textContent = /** @type {Error} */ (error).message;
  }
});
