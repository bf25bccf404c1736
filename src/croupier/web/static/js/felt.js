// @ts-check
/**
 * `<felt-table>`: the bank's place and other places at the top, the seats around, one's own boxes
 * large below. It is drawn from a state and a gate; replay and table use the same one.
 *
 * @typedef {import("./types").State} State
 * @typedef {import("./view.js").Gate} GateLike
 */

import { fill, h, write } from "./dom.js";
import { cents, money } from "./money.js";
import { PlayerSeat, showCards } from "./seat.js";
import { OPEN, announcement, placesOf, seatsOf } from "./view.js";
import "./elements.js";

export class FeltTable extends HTMLElement {
  constructor() {
    super();
    this.shoe = h("div", { class: "shoe", "aria-hidden": "true" });
    this.says = h("p", { class: "says" });
    this.bank = h("p", { class: "banker" });
    this.meters = h("dl", { class: "meters" });
    this.places = h("div", { class: "places" });
    this.seats = h("div", { class: "seats" });
    this.own = h("div", { class: "own" });
    /** @type {Map<number, PlayerSeat>} */
    this.known = new Map();
    /** @type {Element | null} */
    this.tray = null;
    this.flipped = false;
  }

  connectedCallback() {
    if (this.firstChild) return;
    this.append(
      h(
        "div",
        { class: "rail" },
        h(
          "div",
          { class: "cloth" },
          h("div", { class: "top" }, this.shoe, this.says, this.places, this.bank, this.meters),
          this.seats,
          this.own,
        ),
      ),
    );
  }

  /**
   * @param {State} state
   * @param {GateLike} gate
   */
  show(state, gate = OPEN) {
    const { felt, scene } = state;
    if (!felt) return;
    write(this.says, announcement(state));
    this.dataset.phase = scene.phase;
    const banker = scene.banker;
    const bank = banker
      ? `Seat ${banker.seat} banks with ${money(cents(banker.funds))}.`
      : felt.banked_by === "player"
        ? "Nobody banks yet."
        : "";
    write(this.bank, bank);
    this.showMeters(state);
    this.showPlaces(state, gate);
    this.showSeats(state, gate);
  }

  /** @param {State} state */
  showMeters({ felt, scene }) {
    const shown = Object.entries(felt?.meters ?? {}).map(([id, label]) =>
      h(
        "div",
        {},
        h("dt", {}, label),
        h("dd", {}, scene.meters[id] ? money(cents(scene.meters[id])) : "out of reach"),
      ),
    );
    this.meters.replaceChildren(...shown);
    this.meters.hidden = !shown.length;
  }

  /**
   * @param {State} state
   * @param {GateLike} gate
   */
  showPlaces(state, gate) {
    const shown = placesOf(state, gate);
    const known = new Map(
      Array.from(this.places.children, (one) => [one.getAttribute("data-place"), one]),
    );
    const wanted = shown.map((place) => {
      const made =
        known.get(place.id) ??
        h(
          "figure",
          { "data-place": place.id },
          h("div", { class: "hand" }),
          h("figcaption", {}, place.label),
        );
      const hand = /** @type {HTMLElement} */ (made.firstElementChild);
      hand.style.setProperty("--cards", String(place.cards.length || place.groups));
      showCards(hand, place.cards, this.shoe);
      return made;
    });
    fill(this.places, wanted);
  }

  /**
   * @param {State} state
   * @param {GateLike} gate
   */
  showSeats(state, gate) {
    const views = seatsOf(state, gate);
    const around = { shoe: this.shoe, tray: this.tray, book: state.felt?.rulebook ?? "" };
    const replay = this.hasAttribute("replay");
    const others = views.filter((view) => !view.mine && !(replay && view.empty && !view.banks));
    if (this.flipped) others.reverse();
    const mine = views.filter((view) => view.mine).sort((a, b) => a.seat - b.seat);
    const place = (/** @type {HTMLElement} */ into, /** @type {typeof views} */ list) => {
      const wanted = list.map((view) => {
        const seat = this.known.get(view.seat) ?? new PlayerSeat();
        this.known.set(view.seat, seat);
        return seat;
      });
      fill(into, wanted);
      list.forEach((view, n) => {
        arc(wanted[n], n, list.length);
        wanted[n].show(view, around);
      });
    };
    place(this.seats, others);
    place(this.own, mine);
  }
}

/**
 * Put a seat on the arc: down the left side and up the right one, with the middle left free.
 * @param {HTMLElement} seat
 * @param {number} number
 * @param {number} of
 */
function arc(seat, number, of) {
  const left = Math.ceil(of / 2);
  const onLeft = number < left;
  const count = onLeft ? left : of - left;
  const up = onLeft ? number : of - 1 - number;
  const part = count > 1 ? up / (count - 1) : 0.5;
  const angle = (4 + 42 * (1 - part)) * (Math.PI / 180);
  // From the bottom, nearest to one's own place, up to the dealer's side.
  const x = 41 * Math.cos(angle) ** 0.8;
  seat.style.setProperty("--x", `${50 + (onLeft ? -x : x)}%`);
  seat.style.setProperty("--y", `${13 + 80 * Math.sin(angle)}%`);
}

customElements.define("felt-table", FeltTable);
