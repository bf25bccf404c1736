// @ts-check
/**
 * Every command by its name: the one registry again, to be searched.
 *
 * @typedef {import("./types").Command} Command
 */

import { dialog, h } from "./dom.js";
import { open } from "./drawers.js";

/** @param {Command[]} commands those that can be given now */
export function palette(commands) {
  const rows = commands.map((one) => {
    const key = one.key ? h("kbd", {}, one.key) : null;
    const close = () => dialog("#drawer").close();
    const named = h("span", {}, one.label, h("small", {}, one.group));
    return h("button", { type: "button", "data-command": one.id, click: close }, named, key);
  });
  const none = h("p", { role: "status" });
  const listed = () => rows.filter((one) => !one.hidden);
  const sift = (/** @type {Event} */ event) => {
    const asked = /** @type {HTMLInputElement} */ (event.target).value.trim().toLowerCase();
    for (const one of rows) one.hidden = !one.textContent?.toLowerCase().includes(asked);
    none.textContent = listed().length ? "" : "No command matches right now.";
  };
  const give = (/** @type {Event} */ event) => {
    event.preventDefault();
    listed()[0]?.click();
  };
  const field = h("input", {
    type: "search",
    "aria-label": "Command",
    autocomplete: "off",
    input: sift,
  });
  open(
    "Find a command",
    h("form", { submit: give }, field),
    h("div", { class: "menu-list palette" }, ...rows),
    none,
  );
  field.focus();
}
