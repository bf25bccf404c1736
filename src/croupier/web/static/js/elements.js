// @ts-check
/**
 * The leaves: cards and chips. They know nothing of games or sockets: attributes in, and out comes
 * what is drawn.
 */

import { h } from "./dom.js";
import { money } from "./money.js";
import { FLIP, calm } from "./motion.js";
import { cardWords } from "./hands.js";

export const SVG = "http://www.w3.org/2000/svg";
const FLIP_MS = 260;
/** @type {Record<string, string>} Each as text, never as a picture. */
export const SIGNS = { s: "\u2660\ufe0e", h: "\u2665\ufe0e", d: "\u2666\ufe0e", c: "\u2663\ufe0e" };

/** `<play-card code="As">`; without a code it lies face down. A small one has one big index. */
export class PlayCard extends HTMLElement {
  static observedAttributes = ["code"];

  constructor() {
    super();
    /** @type {SVGUseElement | null} */
    this.use = null;
    this.index = h("span", { class: "index", "aria-hidden": "true" });
    this.face = h("span", { class: "face" });
  }

  connectedCallback() {
    if (this.use) return;
    const svg = document.createElementNS(SVG, "svg");
    svg.setAttribute("viewBox", "0 0 250 350");
    svg.setAttribute("aria-hidden", "true");
    this.use = document.createElementNS(SVG, "use");
    svg.append(this.use);
    this.setAttribute("role", "img");
    this.face.append(svg, this.index);
    this.append(this.face);
    this.draw();
  }

  /**
   * @param {string} _
   * @param {string | null} before
   * @param {string | null} now
   */
  attributeChangedCallback(_, before, now) {
    if (!this.use || before === now) return;
    if (before === null || calm()) this.draw();
    else this.flip();
  }

  draw() {
    const code = this.getAttribute("code") ?? "";
    this.dataset.suit = code[1] ?? "";
    this.setAttribute("aria-label", cardWords(code));
    this.use?.setAttribute("href", `/cards.svg#${code || "back"}`);
    const index = code ? [code[0].replace("T", "10"), SIGNS[code[1]]] : [];
    this.index.replaceChildren(...index.map((text) => h("i", {}, text)));
    this.index.toggleAttribute("ten", code[0] === "T");
  }

  /** Turn over, narrow in the middle. */
  async flip() {
    const half = { id: FLIP, duration: FLIP_MS / 2, easing: "ease-in-out" };
    const { face } = this;
    await face.animate([{ transform: "scaleX(1)" }, { transform: "scaleX(0.02)" }], half).finished;
    this.draw();
    face.animate([{ transform: "scaleX(0.02)" }, { transform: "scaleX(1)" }], half);
  }
}

const STACK_MAX = 5;
/** The chips that there are, from the smallest up, as the felt lists them. */
export const chips = { cents: [100, 500, 2500, 10000, 50000] };

/**
 * The chips of a sum, large ones first, by their places in the tray.
 * @param {number} sum
 */
export function chipsOf(sum) {
  const found = [];
  let rest = sum;
  for (let place = chips.cents.length - 1; place >= 0; place -= 1) {
    for (; rest >= chips.cents[place]; rest -= chips.cents[place]) {
      found.push(place);
      if (found.length > 40) return found;
    }
  }
  return rest > 0 || !found.length ? [...found, 0] : found;
}

/** `<chip-stack cents="1500">`: a pile with the sum written on its top. */
export class ChipStack extends HTMLElement {
  static observedAttributes = ["cents"];

  connectedCallback() {
    this.draw();
  }

  attributeChangedCallback() {
    if (this.isConnected) this.draw();
  }

  draw() {
    const sum = Number(this.getAttribute("cents") ?? 0);
    if (!sum) {
      this.replaceChildren();
      return;
    }
    // The largest chip lies on top, so that its colour says how much it is about.
    const pile = chipsOf(sum).slice(0, STACK_MAX).reverse();
    this.replaceChildren(
      ...pile.map((place, number) => {
        const chip = h("i", { class: `chip chip-${place}`, "aria-hidden": "true" });
        chip.style.setProperty("--n", String(number));
        return chip;
      }),
      h("b", { class: "sum" }, money(sum)),
    );
    this.style.setProperty("--n", String(pile.length - 1));
    this.dataset.long = money(sum).length > 4 ? "1" : "";
  }
}

customElements.define("play-card", PlayCard);
customElements.define("chip-stack", ChipStack);
