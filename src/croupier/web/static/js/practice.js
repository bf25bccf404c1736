// @ts-check
/** The form that begins a practice. */

import { post } from "./api.js";
import { must } from "./dom.js";

must("#practice").addEventListener("submit", async (event) => {
  event.preventDefault();
  const form = new FormData(/** @type {HTMLFormElement} */ (event.target));
  try {
    const { practice } = await post("/api/practice", {
      rulebook: String(form.get("rulebook")),
      seed: Number(form.get("seed")),
      rounds: Number(form.get("rounds")),
      hints: form.has("hints"),
    });
    location.assign(practice);
  } catch (error) {
    must("#fault").textContent = /** @type {Error} */ (error).message;
  }
});
