// @ts-check
/** The player's settings, kept in this browser. */

import { must } from "./dom.js";

const KEPT = "croupier.settings";
const NAMES = /** @type {const} */ (["keys", "four", "still", "coach", "quiet"]);

/**
 * @param {{care: () => import("./care.js").Care, changed: () => void}} around
 */
export function settings({ care, changed }) {
  const form = /** @type {HTMLFormElement} */ (must("#settings form"));
  const options = { keys: true, four: false, still: false, coach: false, quiet: false };
  try {
    Object.assign(options, JSON.parse(localStorage.getItem(KEPT) ?? "{}"));
  } catch {
    // Settings that can't be read have their defaults.
  }

  /** @param {string} name */
  const field = (name) => /** @type {HTMLInputElement | null} */ (form.elements.namedItem(name));

  function apply() {
    document.documentElement.dataset.deck = options.four ? "four" : "two";
    document.documentElement.dataset.motion = options.still || options.quiet ? "none" : "";
    document.documentElement.dataset.sound = options.quiet ? "none" : "";
  }

  for (const name of NAMES) {
    const box = field(name);
    if (box) box.checked = options[name];
  }
  for (const name of /** @type {const} */ (["loss", "minutes", "reminder"])) {
    const box = field(name);
    if (box) box.value = String(care().limits[name] || "");
  }
  apply();
  // At once, and not when the dialog is closed: that event comes after the next key.
  form.addEventListener("change", () => {
    for (const name of NAMES) {
      options[name] = Boolean(field(name)?.checked);
    }
    localStorage.setItem(KEPT, JSON.stringify(options));
    const number = (/** @type {string} */ name) => Math.max(Number(field(name)?.value) || 0, 0);
    care().limit({
      loss: number("loss"),
      minutes: number("minutes"),
      reminder: number("reminder"),
    });
    apply();
    changed();
  });
  return options;
}
