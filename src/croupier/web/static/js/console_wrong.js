// @ts-check
/**
 * Something went wrong: what can be declared now, its facts, and what would follow.
 *
 * @typedef {import("./types").Desk} Desk
 * @typedef {import("./types").Irregularity} Irregularity
 * @typedef {import("./types").Preview} Preview
 */

import { cite, h, must, write } from "./dom.js";
import { sentence } from "./hands.js";
import { money } from "./money.js";

const DEALER = "dealer";

export class Wrong {
  /**
   * @param {{ask: (message: any) => Promise<any>, socket: import("./socket.js").TableSocket,
   *   book: string, me: string, close: () => void}} around
   */
  constructor({ ask, socket, book, me, close }) {
    this.ask = ask;
    this.socket = socket;
    this.book = book;
    this.close = close;
    /** @type {Irregularity | null} */
    this.chosen = null;
    /** @type {Record<string, unknown>} */
    this.facts = {};
    this.known = "";
    this.me = me;
    /** Whom the book calls the person at work here. */
    this.person = DEALER;
    must("#wrong-back").addEventListener("click", () => close());
    must("#wrong-do").addEventListener("click", () => this.declare());
    /** @type {Preview | null} */
    this.preview = null;
  }

  /**
   * @param {Desk} desk
   * @param {{open: boolean}} how
   */
  draw(desk, { open }) {
    must("#wrong").hidden = !open;
    for (const id of ["#wrong-back", "#wrong-do"]) must(id).hidden = !open;
    if (!open) {
      this.known = "";
      return;
    }
    const now = JSON.stringify(desk.irregularities);
    if (now === this.known) return;
    this.known = now;
    this.person = desk.crew.floor === this.me ? "floorperson" : DEALER;
    this.choose(null, desk.irregularities);
  }

  /** Go to the first thing that can be pressed. */
  focus() {
    /** @type {HTMLElement | null} */ (must("#wrong").querySelector("button"))?.focus();
  }

  /**
   * @param {Irregularity | null} one
   * @param {Irregularity[]} all
   */
  choose(one, all) {
    this.chosen = one;
    this.facts = {};
    must("#wrong-kinds").replaceChildren(...all.map((kind) => h("button", {
      class: "option", type: "button", "aria-pressed": String(kind === one),
      click: () => this.choose(kind, all),
    }, h("span", {}, kind.says, kind.by.includes(this.person) ? ""
        : h("small", {}, `Declared by the ${kind.by.join(" or ")}`)),
      h("span", { class: "cite" }, kind.clauses.join(", ")))));
    must("#wrong-asks").replaceChildren(...(one ? one.asks.map((ask) => this.question(ask)) : []));
    const first = must("#wrong-asks").querySelector("button, input");
    const pressed = must("#wrong-kinds").querySelector("[aria-pressed=true]");
    /** @type {HTMLElement | null} */ (first ?? pressed)?.focus();
    this.look();
  }

  /** @param {import("./types").Ask} ask */
  question(ask) {
    const title = h("legend", {}, ask.says);
    if (!ask.answers) {
      const input = /** @type {HTMLInputElement} */ (
        h("input", { type: "number", min: "0", inputmode: "numeric", "aria-label": ask.says }));
      input.addEventListener("input", () => {
        if (input.value === "") delete this.facts[ask.fact];
        else this.facts[ask.fact] = Number(input.value);
        this.look();
      });
      return h("fieldset", {}, title, input);
    }
    const buttons = ask.answers.map((answer) => h("button", {
      class: "answer", type: "button", "aria-pressed": "false",
      click: (/** @type {Event} */ event) => {
        this.facts[ask.fact] = answer.value;
        for (const one of buttons)
          one.setAttribute("aria-pressed", String(one === event.currentTarget));
        this.look();
      },
    }, answer.says));
    return h("fieldset", {}, title, h("div", { class: "answers" }, ...buttons));
  }

  get command() {
    return { type: "Declare", kind: this.chosen?.kind ?? "", facts: this.facts };
  }

  /** Ask what would follow, as soon as every question has an answer. */
  async look() {
    const { chosen } = this;
    this.preview = null;
    const done = chosen?.asks.every((ask) => ask.fact in this.facts);
    const place = must("#wrong-follows");
    const go = /** @type {HTMLButtonElement} */ (must("#wrong-do"));
    go.disabled = true;
    write(must("#wrong-do b"), chosen ? "Answer first" : "Choose what happened");
    if (!chosen || !done) {
      place.replaceChildren();
      return;
    }
    const asked = JSON.stringify(this.command);
    const told = await this.socket.ask(
      { type: "preview", of: "round", command: this.command }, { quiet: true });
    if (asked !== JSON.stringify(this.command)) return;
    if (told.type === "refused") {
      place.replaceChildren(h("p", { class: "notice alarm" }, `${sentence(told.message)}. `,
        ...(told.clause ? [cite(this.book, told.clause)] : [])));
      write(must("#wrong-do b"), "This can't be declared");
      return;
    }
    if (told.type !== "previewed") return;
    this.preview = told.preview;
    place.replaceChildren(...this.follows(told.preview));
    go.disabled = false;
    const two = told.preview.approve.length > 0;
    write(must("#wrong-do b"), two ? `Ask the ${told.preview.approve.join(" or ")}` : "Declare");
    go.classList.toggle("stop", two);
  }

  /** @param {Preview} preview */
  follows(preview) {
    return [
      h("h2", {}, "What follows"),
      h("p", {}, preview.says || sentence(this.chosen?.says ?? ""), " ",
        ...(preview.clause || preview.ruling
          ? [cite(this.book, preview.clause || null, preview.ruling)] : [])),
      effects(preview),
    ];
  }

  async declare() {
    const { chosen, preview } = this;
    if (!chosen || !preview) return;
    const message = { of: "round", command: this.command };
    const answer = await this.ask(preview.approve.length
      ? { type: "propose", why: chosen.says, ...message }
      : { type: "act", ...message });
    if (answer.type === "done") this.close();
  }
}

const FATES = {
  stays: "The deck stays",
  reshuffled: "The deck is reshuffled",
  removed: "The deck is removed",
  "all removed": "All decks are removed",
};

/**
 * Money by seat, the cards' fate and who has to agree.
 * @param {Preview} preview
 */
export function effects({ returns, undoes = {}, deck, approve, voids }) {
  const seats = Object.entries(returns);
  const all = seats.reduce((sum, [, back]) => sum + back, 0);
  const [rows, taken] = [seats, Object.entries(undoes)].map((sums) => h("ul", {},
    ...sums.map(([seat, cents]) => h("li", {}, `Seat ${seat} `, h("b", {}, money(cents))))));
  // T13: what settled seats were given comes back before stakes are returned.
  const first = taken.childElementCount ? [h("span", {}, "Take back first:"), taken] : [];
  const moves = seats.length ? `${money(all)} goes back` : "No stake moves";
  const cards = FATES[deck];
  return h("div", { class: "effects" },
    h("div", {}, h("small", {}, "Money"), h("b", {}, moves), rows, ...first),
    h("div", {}, h("small", {}, "Cards"), h("b", {}, cards),
      voids ? h("span", {}, "The round is void.") : ""),
    h("div", {}, h("small", {}, "Who"), h("b", {}, approve.length ? "Two people" : "You alone"),
      approve.length ? h("span", {}, `To be approved by: ${approve.join(" or ")}.`) : ""));
}
