// @ts-check
/**
 * The read field: what a step takes, typed, pressed on a keypad, or scanned. A scanner is a
 * keyboard that types a code and Enter, so letters aren't commands here.
 *
 * @typedef {import("./types").Desk} Desk
 * @typedef {{takes: import("./types").Field, command: Record<string, unknown>, of: string}} Entry
 */

import { entered } from "./console_entry.js";
import { keypad } from "./console_pad.js";
import { h, must, write } from "./dom.js";

/** Keys that come faster than this don't come from fingers. */
const SCANS_MS = 30;
/** How long a key outside the field waits for a second one, which would make it a scan. */
const HOLD_MS = 80;
/** What keeps the focus when the table moves on, because somebody uses it. */
const USED = "a, button, input, select, textarea, [tabindex='0']";
const ELSEWHERE = "input, select, textarea, dialog";
/** Where fingers press, the keypad is there instead of a keyboard on the screen. */
const touched = matchMedia("(pointer: coarse)");

/** @param {Event} event */
const at = (event) => (event.target instanceof Element ? event.target : document.body);

export class Reading {
  /**
   * @param {{goOn: () => Promise<any>, redraw: () => void,
   *   perform: (what: {of: string, command: any}, why: string) => Promise<any>,
   *   command: (event: KeyboardEvent) => void}} how
   */
  constructor({ goOn, redraw, perform, command }) {
    this.command = command;
    /** @type {KeyboardEvent | null} A key outside the field that may be the start of a scan. */
    this.held = null;
    this.goOn = goOn;
    this.redraw = redraw;
    this.perform = perform;
    this.field = /** @type {HTMLInputElement} */ (must("#read"));
    /** @type {Desk | null} */
    this.desk = null;
    /** Whether the card that was read last is read again. */
    this.again = false;
    this.last = "";
    /** @type {number[]} */
    this.strokes = [];
    this.follow = keypad(must("#pad"), this.field);
    this.field.addEventListener("keydown", (event) => this.typed(event));
    must("#reading").addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
    document.addEventListener("keydown", (event) => this.hold(event), true);
    // Whatever was pressed, the next scan belongs in the field. Where focus would bring up a
    // keyboard on the screen, only `hold` sees to that.
    document.addEventListener("click", (event) => {
      const asks = touched.matches && this.field.inputMode !== "none";
      if (this.waits && !asks && !at(event).closest(`${ELSEWHERE}, a`)) this.focus();
    });
  }

  /** Whether the field is there and waits for an entry. */
  get waits() {
    return !must("#reading").hidden && !document.querySelector("dialog[open]");
  }

  /**
   * A key outside the field is a command, unless the next one follows as fast as from a scanner:
   * then both belong in the field, wherever the focus was.
   * @param {KeyboardEvent} event
   */
  hold(event) {
    const { held } = this;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.repeat;
    const here = plain && this.waits && !at(event).closest(ELSEWHERE);
    if (held && here && event.timeStamp - held.timeStamp < SCANS_MS) {
      this.held = null;
      event.stopPropagation(); // It isn't a command, and reaches the field by itself.
      this.focus();
      this.field.value = held.key;
      this.strokes = [held.timeStamp, event.timeStamp];
      this.follow();
      return;
    }
    this.release();
    if (!here || !event.isTrusted || !/^[a-z0-9]$/i.test(event.key)) return;
    event.stopPropagation();
    this.held = event;
    setTimeout(() => this.held === event && this.release(), HOLD_MS);
  }

  /** Let the key that was held be a command after all. */
  release() {
    const { held } = this;
    this.held = null;
    if (held) this.command(held);
  }

  /**
   * What is read now: a correction, what the next step takes, or a card that does the step as well.
   * @returns {Entry | null}
   */
  get entry() {
    if (!this.desk) return null;
    const { next, read, last_read: last } = this.desk;
    if (this.again && last) return { ...last, of: "round" };
    if (next.takes && next.command)
      return { takes: next.takes, command: next.command, of: next.of };
    return read ? { ...read, of: "round" } : null;
  }

  /** Whether the next step can be done without typing anything. */
  get optional() {
    return !this.again && !this.desk?.next.takes;
  }

  /**
   * @param {Desk} desk
   * @param {{hidden: boolean, quiet: boolean}} how
   */
  draw(desk, { hidden, quiet }) {
    this.desk = desk;
    const { last_read: last } = desk;
    if (!last) this.again = false;
    const { entry } = this;
    const there = Boolean(entry) && !(hidden && !this.again) && !quiet;
    must("#reading").hidden = !there;
    if (!there || !entry) return;
    const cards = entry.takes.kind === "card";
    write(must("#reading label"), entry.takes.says);
    must("#pad").hidden = !cards || this.optional;
    must("#reading").toggleAttribute("data-pad", cards && !this.optional);
    this.show(last, { cards: cards && !this.optional });
    this.field.inputMode = cards && touched.matches && !this.optional ? "none"
      : { number: "numeric", money: "decimal" }[/** @type {string} */ (entry.takes.kind)] ?? "text";
    const on = document.activeElement;
    if (!on || on === must("#do") || !on.matches(USED)) this.focus();
  }

  focus() {
    this.field.focus({ preventScroll: true });
  }

  /**
   * The card that was read last, large: the next one confirms it.
   * @param {Desk["last_read"]} last
   * @param {{cards: boolean}} how
   */
  show(last, { cards }) {
    const known = JSON.stringify([last, cards, this.again]);
    if (known === this.last) return;
    this.last = known;
    must("#last-read").hidden = !last || !cards;
    if (!last || !cards) return;
    const words = this.again ? "Leave it" : "Take it back";
    must("#last-read").replaceChildren(
      h("play-card", { code: last.card }),
      h("p", {}, h("b", {}, last.says), h("small", {}, last.place)),
      h("button", { class: "button", type: "button", click: () => this.takeBack() },
        words, " ", h("kbd", {}, last.key)));
  }

  /** Read the last card again, or leave it as it was read. */
  takeBack() {
    if (!this.desk?.last_read) return;
    this.again = !this.again;
    this.clear();
    this.redraw();
    this.focus();
  }

  clear() {
    this.field.value = "";
    this.strokes = [];
    this.follow();
  }

  /** @param {KeyboardEvent} event */
  typed(event) {
    if (event.key === "Escape") {
      if (this.again) this.takeBack();
      this.field.blur(); // From here on letters are commands.
      return;
    }
    if (event.key !== "Enter") this.strokes.push(event.timeStamp);
    // Where reading a card is only one way to go on, Space in the empty field is the other.
    if (event.key !== " " || this.field.value || !this.optional) return;
    event.preventDefault();
    this.strokes = [];
    this.goOn();
  }

  async submit() {
    const text = this.field.value.trim();
    const { entry, strokes, desk } = this;
    if (!text && this.optional) await this.goOn(); // The card is not read yet: only the next step.
    if (!text || !entry) return;
    if (entry.takes.kind === "card" && text.toUpperCase() === desk?.last_read?.key) {
      this.takeBack();
      return;
    }
    const gaps = strokes.length - 1;
    const scanned = gaps > 0 && ((strokes.at(-1) ?? 0) - strokes[0]) / gaps < SCANS_MS;
    const source = "source" in entry.command ? { source: scanned ? "scanned" : "typed" } : {};
    const command = { ...entry.command, ...source, ...entered(entry.takes, text) };
    this.clear();
    const was = desk?.last_read;
    const why = this.again && was ? `${was.place}: ${text} instead of the ${was.says}` : "";
    const answer = await this.perform({ of: entry.of, command }, why);
    if (answer?.type === "done") this.again = false;
    this.focus();
  }
}
