// @ts-check
/**
 * One registry of commands: it feeds the buttons, the keys, the palette and the help. A button is
 * any element with `data-command`; a key is one letter, and all of them can be switched off.
 *
 * @typedef {import("./types").Command} Command
 */

import { h, near } from "./dom.js";

export class Commands {
  /**
   * @param {Command[]} fixed
   * @param {{more?: () => Command[], keys?: () => boolean}} how
   */
  constructor(fixed, { more = () => [], keys = () => true } = {}) {
    this.fixed = fixed;
    this.more = more;
    this.keys = keys;
    document.addEventListener("keydown", (event) => this.pressed(event));
    document.addEventListener("click", (event) => this.clicked(event));
  }

  /** The commands of the scene come first: their keys win. */
  all() {
    return [...this.more(), ...this.fixed];
  }

  /** @param {string} id */
  run(id) {
    const command = this.all().find((one) => one.id === id);
    if (command?.enabled()) command.run();
  }

  /** Enable what can be done now. */
  refresh() {
    for (const one of this.all()) {
      const found = document.querySelectorAll(`[data-command="${one.id}"]`);
      for (const button of found) {
        /** @type {HTMLButtonElement} */ (button).disabled = !one.enabled();
        if (one.on) button.setAttribute("aria-checked", String(one.on()));
      }
    }
  }

  /** @param {KeyboardEvent} event */
  pressed(event) {
    const at = event.target instanceof Element ? event.target : document.body;
    const letter = event.key.length === 1 && event.key !== "?";
    const control = event.ctrlKey || event.metaKey;
    const chord = control && event.shiftKey && letter;
    const busy = (control && !chord) || event.altKey || event.defaultPrevented;
    if (busy || at.closest("input, select, textarea") || document.querySelector("dialog[open]"))
      return;
    const on = this.keys();
    const shifted = event.key === " " && event.shiftKey;
    const key = letter ? event.key.toUpperCase() : event.key;
    const held = shifted ? "Shift+Space" : chord ? `Ctrl+Shift+${key}` : key;
    if (event.key === " " && at.closest("button, a, summary")) return;
    // The key of a choice means nothing else, not even while the answer is on its way.
    const asked = this.more().find((one) => one.key === held);
    const found = asked ?? this.fixed.find((one) => one.key === held && one.enabled());
    if (!found?.enabled() || (!on && held.length === 1 && held !== "?")) return;
    event.preventDefault();
    found.run();
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const button = near(event, "[data-command]");
    if (button) this.run(button.dataset.command ?? "");
  }

  /**
   * The keys, as rows of a list.
   * @param {(key: string) => string} [words]
   * @param {Command[]} [of]
   */
  help(words = (key) => key, of = this.all()) {
    const listed = of.filter((one) => one.key);
    const groups = [...new Set(listed.map((one) => one.group))];
    return groups.map((group) =>
      h(
        "section",
        {},
        h("h3", {}, group),
        h(
          "dl",
          { class: "keys" },
          ...listed
            .filter((one) => one.group === group)
            .map((one) =>
              h("div", {}, h("dt", {}, h("kbd", {}, words(one.key))), h("dd", {}, one.label)),
            ),
        ),
      ),
    );
  }
}
