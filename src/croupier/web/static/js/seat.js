// @ts-check
/**
 * `<bet-spot>` and `<player-seat>`: a place to bet, and all that lies before one player. They are
 * given views of view.js and send `spot` and `sit` events; nothing here decides anything.
 *
 * @typedef {import("./types").CardView} CardView
 * @typedef {import("./types").SpotView} SpotView
 * @typedef {import("./types").SeatView} SeatView
 */

import { cite, fill, h } from "./dom.js";
import { cents, money, signed } from "./money.js";
import { slideFrom } from "./motion.js";

export class BetSpot extends HTMLElement {
  constructor() {
    super();
    this.seen = "";
    this.button = h("button", { class: "ring", type: "button", click: () => this.chosen() });
    this.stack = h("chip-stack");
    this.label = h("span", { class: "label" });
    /** @type {SpotView | null} */
    this.view = null;
  }

  chosen() {
    const detail = this.view;
    this.dispatchEvent(new CustomEvent("spot", { bubbles: true, detail }));
  }

  /**
   * @param {SpotView} view
   * @param {Element | null} from where a new chip comes from
   */
  show(view, from) {
    const key = JSON.stringify(view);
    if (key === this.seen) return;
    const before = this.view?.cents ?? 0;
    this.seen = key;
    this.view = view;
    if (!this.firstChild) {
      this.append(this.button);
      this.button.append(this.label, this.stack);
    }
    const gone = view.fate && view.fate !== "live";
    const sum = view.cents ? money(view.cents) : "nothing";
    const more = view.open && view.limits ? `, ${view.limits}` : "";
    this.button.toggleAttribute("disabled", !view.open);
    this.button.setAttribute(
      "aria-label",
      `${view.label}: ${sum}${gone ? `, ${view.fate}` : ""}${more}`,
    );
    this.button.title = view.closed || view.limits;
    this.label.textContent = view.label;
    this.stack.setAttribute("cents", String(view.cents));
    this.dataset.fate = view.fate;
    this.toggleAttribute("open", view.open);
    if (view.cents > before && this.isConnected) slideFrom(this.stack, from);
  }
}

export class PlayerSeat extends HTMLElement {
  constructor() {
    super();
    this.seen = "";
    this.hand = h("div", { class: "hand" });
    this.who = h("p", { class: "who" });
    this.mark = h("span", { class: "mark" });
    this.spots = h("div", { class: "spots" });
    this.told = h("ul", { class: "lines" });
    this.sit = h("button", { class: "sit", type: "button", click: () => this.ask("sit") });
    this.leave = h(
      "button",
      { class: "leave", type: "button", click: () => this.ask("leave") },
      "Leave",
    );
    /** @type {Map<string, BetSpot>} */
    this.circles = new Map();
    this.number = 0;
  }

  /** @param {string} what */
  ask(what) {
    this.dispatchEvent(new CustomEvent(what, { bubbles: true, detail: this.number }));
  }

  /**
   * @param {SeatView} view
   * @param {{shoe: Element | null, tray: Element | null, book: string}} around
   */
  show(view, around) {
    const key = JSON.stringify(view);
    if (key === this.seen) return;
    this.seen = key;
    this.number = view.seat;
    this.id = `seat-${view.seat}`;
    for (const name of ["mine", "empty", "away", "asked", "folded", "banks", "ready"]) {
      this.toggleAttribute(name, Boolean(view[/** @type {keyof SeatView} */ (name)]));
    }
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", `Seat ${view.seat}${view.mine ? ", yours" : ""}`);
    if (view.empty) {
      this.showEmpty(view);
      return;
    }
    if (!this.who.isConnected) {
      this.replaceChildren(this.hand, this.spots, this.who, this.told);
    }
    this.who.replaceChildren(
      h("b", {}, view.mine ? `${view.name} (you)` : view.name),
      h("small", {}, ` seat ${view.seat}`),
      this.mark,
      view.canLeave ? this.leave : "",
    );
    this.mark.textContent = view.says;
    this.mark.dataset.sign = view.net === null ? "" : String(Math.sign(view.net));
    showCards(this.hand, view.cards, around.shoe);
    this.showSpots(view, around.tray);
    this.showLines(view, around.book);
  }

  /** @param {SeatView} view */
  showEmpty(view) {
    this.circles.clear();
    this.spots.replaceChildren();
    this.sit.replaceChildren(view.canSit ? "Sit " : "", h("span", {}, `${view.seat}`));
    this.sit.setAttribute(
      "aria-label",
      view.canSit ? `Sit at seat ${view.seat}` : `Seat ${view.seat} is free`,
    );
    this.sit.toggleAttribute("disabled", !view.canSit);
    this.replaceChildren(this.sit);
  }

  /**
   * @param {SeatView} view
   * @param {Element | null} tray
   */
  showSpots(view, tray) {
    const shown = view.mine ? view.spots : view.spots.filter((spot) => spot.cents);
    const wanted = shown.map((spot) => {
      const circle = this.circles.get(spot.spot) ?? new BetSpot();
      this.circles.set(spot.spot, circle);
      return circle;
    });
    fill(this.spots, wanted);
    shown.forEach((spot, number) => wanted[number].show(spot, view.mine ? tray : null));
  }

  /**
   * @param {SeatView} view
   * @param {string} book
   */
  showLines(view, book) {
    const fee = view.fee ? [h("li", {}, h("span", {}, "Fee"), h("b", {}, money(-view.fee)))] : [];
    this.told.replaceChildren(...view.lines.map((line) => lineRow(line, book)), ...fee);
  }
}

/**
 * A settled line: what it was on, what it came to, why, and by which clause.
 * @param {import("./types").Line} line
 * @param {string} book
 */
export function lineRow(line, book) {
  const net = cents(line.paid) + cents(line.returned) - cents(line.stake);
  return h(
    "li",
    { "data-sign": Math.sign(net) },
    h("span", {}, line.label),
    h("b", {}, net ? signed(net) : line.outcome),
    h("small", {}, line.because, line.because ? " " : "", cite(book, line.clause, line.ruling)),
  );
}

/**
 * @param {HTMLElement} hand
 * @param {CardView[]} cards
 * @param {Element | null} shoe
 */
export function showCards(hand, cards, shoe) {
  const known = new Map(Array.from(hand.children, (one) => [one.getAttribute("data-at"), one]));
  const wanted = cards.map((card) => {
    const at = String(card.position);
    const made = /** @type {HTMLElement} */ (
      known.get(at) ?? h("play-card", { "data-at": at, code: card.code })
    );
    made.setAttribute("code", card.code);
    const hidden = !card.dealt;
    const comes = made.dataset.waits === "1" && !hidden;
    made.dataset.waits = hidden ? "1" : "";
    return { made, comes };
  });
  fill(
    hand,
    wanted.map(({ made }) => made),
  );
  for (const { made, comes } of wanted) if (comes) slideFrom(made, shoe);
}

customElements.define("bet-spot", BetSpot);
customElements.define("player-seat", PlayerSeat);
