// @ts-check
/**
 * `<shared-hand>`: a hand that lies on the table for all who bet on it. It is given a view of
 * places.js and sends a `hand` event; which bets it takes is decided elsewhere.
 *
 * @typedef {import("./types").PlaceView} PlaceView
 */

import { h, write } from "./dom.js";
import { showCalled, showCards } from "./seat.js";

export class SharedHand extends HTMLElement {
  constructor() {
    super();
    this.seen = "";
    this.number = 0;
    this.label = h("b");
    this.mine = h("i");
    this.others = h("span", { class: "bettors" });
    this.hand = h("div", { class: "hand" });
    this.called = h("p", { class: "called" });
    this.pick = h("button", { class: "pick", type: "button", click: () => this.chosen() });
  }

  chosen() {
    this.dispatchEvent(new CustomEvent("hand", { bubbles: true, detail: { hand: this.number } }));
  }

  /**
   * @param {PlaceView} place
   * @param {{mine: number[], seats: number, open: boolean, shoe: Element | null}} around one's own
   *   seats that bet on it, of how many; and whether a press takes one's bets there
   */
  show(place, { mine, seats, open, shoe }) {
    const key = JSON.stringify([place, mine, seats, open]);
    if (key === this.seen) return;
    this.seen = key;
    this.number = place.hand ?? 0;
    if (!this.firstChild) {
      this.append(h("p", { class: "head" }, this.label, this.mine, this.others), this.hand,
        this.called);
      this.setAttribute("role", "group");
    }
    const others = place.bettors.filter((seat) => !mine.includes(seat));
    const yours = seats > 1 ? mine.map((seat) => `seat ${seat}`).join(", ") : "yours";
    const words = [place.label, mine.length ? yours : ""].filter(Boolean).join(", ");
    this.toggleAttribute("mine", mine.length > 0);
    this.setAttribute("aria-label", words);
    write(this.label, place.label);
    write(this.mine, mine.length ? yours : "");
    this.others.replaceChildren(
      ...others.map((seat) => h("span", { title: `Seat ${seat} bets on it` }, String(seat))),
    );
    this.hand.style.setProperty("--room", String(place.room));
    showCards(this.hand, place.cards, shoe, place.room);
    showCalled(this.called, place.called);
    if (!open) return this.pick.remove();
    this.pick.setAttribute("aria-pressed", String(mine.length > 0));
    this.pick.setAttribute("aria-label", `Bet on ${place.label.toLowerCase()}`);
    if (!this.pick.isConnected) this.append(this.pick);
  }
}

customElements.define("shared-hand", SharedHand);
