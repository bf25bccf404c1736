// @ts-check
/**
 * Beside the step: countdowns and meters, the seats with their stakes, and the tape.
 *
 * @typedef {import("./types").State} State
 * @typedef {import("./types").Desk} Desk
 * @typedef {import("./types").SeatView} SeatView
 */

import { isWalkIn, nameOf } from "./console_walkins.js";
import { cite, h, must, write } from "./dom.js";
import { cents, money, signed } from "./money.js";
import { seatsOf } from "./view.js";

const TICK_MS = 1000;
const MINUTE_S = 60;
const LOW = 0.2;
const AWAY = "away";
const IDLE = "waiting";
const OPEN = "open";

export class Side {
  /** @param {{book: string}} around */
  constructor({ book }) {
    this.book = book;
    this.heard = Date.now();
    /** @type {Desk["countdowns"]} */
    this.countdowns = [];
    this.tape = 0;
    // What happened last stays in sight when the list above grows, or a tablet is turned.
    new ResizeObserver(follow).observe(must("#taped"));
    setInterval(() => this.tick(), TICK_MS);
  }

  /**
   * @param {State} state
   * @param {Desk} desk
   */
  draw(state, desk) {
    const { scene, felt } = state;
    write(must("#round"), scene.round ?? "–");
    write(must("#dealer"), desk.names[desk.crew.dealer] ?? "nobody");
    const phase = scene.phase === IDLE ? desk.life : scene.phase;
    write(must("#phase"), desk.stopped ? "stopped" : desk.life === OPEN ? phase : desk.life);
    if (desk.countdowns !== this.countdowns) {
      this.countdowns = desk.countdowns;
      this.heard = Date.now();
    }
    const meters = Object.entries(felt?.meters ?? {}).map(([id, label]) =>
      h("div", {}, h("dt", {}, label), h("dd", {}, shown(scene.meters[id]))));
    const clocks = desk.countdowns.map((one) =>
      h("div", {}, h("dt", {}, `${one.says} `, cite(this.book, one.clause)),
        h("dd", { class: "remains" }), h("dd", { class: "gauge" }, h("i"))));
    must("#clocks").hidden = !clocks.length && !meters.length;
    must("#clocks").replaceChildren(...clocks, ...meters);
    this.tick();
    const seats = seatsOf(state);
    const staked = seats.reduce((sum, seat) => sum + seat.staked, 0);
    const done = desk.settling ? scene.order.length : 0;
    const boxes = Object.keys(scene.boxes).length;
    write(must("#staked"), done ? `${done} of ${boxes} settled` : `${money(staked)} staked`);
    must("#seats").replaceChildren(
      ...ordered(seats, desk.order).map((seat) => row(seat, state, desk)),
      ...unused(seats, desk.order));
    must("#disputed").hidden = !desk.disputes.length;
    must("#disputes").replaceChildren(...desk.disputes.map(dispute));
    this.say(desk);
  }

  /** Count down what was left when the desk came. */
  tick() {
    const rows = must("#clocks").children;
    const gone = (Date.now() - this.heard) / 1000;
    this.countdowns.forEach((one, number) => {
      const left = one.unit === "seconds" ? Math.max(one.left - gone, 0) : one.left;
      const [words, gauge] = rows[number].querySelectorAll("dd");
      write(words, one.unit === "seconds" ? clock(left) : `${left} ${one.unit}`);
      gauge.toggleAttribute("data-low", left <= one.of * LOW);
      const bar = /** @type {HTMLElement} */ (gauge.firstElementChild);
      bar.style.width = `${one.of ? (100 * left) / one.of : 0}%`;
    });
  }

  /** @param {Desk} desk */
  say({ tape, names }) {
    const last = tape.at(-1)?.n ?? 0;
    if (last === this.tape) return;
    this.tape = last;
    const place = must("#tape");
    place.replaceChildren(...tape.map((one) => {
      const time = new Date(one.time_s * 1000).toLocaleTimeString([], { hour12: false });
      const who = one.who.map((person) => names[person] ?? person).join(" and ");
      const by = who ? h("b", {}, who) : "";
      const clause = one.clause ? [" ", cite(this.book, one.clause)] : [];
      const says = [by, who ? ": " : "", one.says, ...clause];
      return h("li", {}, h("time", {}, time), h("span", {}, ...says));
    }));
    follow();
  }
}

/**
 * The seats where somebody sits, in the order of the book once they are settled.
 * @param {SeatView[]} seats
 * @param {number[]} order
 */
function ordered(seats, order) {
  const taken = seats.filter((seat) => !seat.empty);
  const at = (/** @type {SeatView} */ { seat }) => order.indexOf(seat);
  return order.length ? taken.sort((a, b) => at(a) - at(b)) : taken;
}

/**
 * One line for all seats where nobody sits.
 * @param {SeatView[]} seats
 * @param {number[]} order
 */
function unused(seats, order) {
  const free = seats.filter((seat) => seat.empty).map(({ seat }) => seat).join(", ");
  return free && !order.length
    ? [h("li", { "data-empty": "1" }, h("span", {}, `Empty: ${free}`))] : [];
}

/** Show the end of the tape. */
function follow() {
  const taped = must("#taped");
  taped.scrollTop = taped.scrollHeight;
}

/** @param {Desk["disputes"][number]} one */
function dispute({ seat, round, about }) {
  const href = `/rounds/${encodeURIComponent(round)}`;
  const link = h("a", { href, target: "_blank", rel: "noopener" }, round);
  return h("li", {}, h("b", {}, `Seat ${seat}`), " ", link, `: ${about}`);
}

/** @param {string | undefined} dollars */
const shown = (dollars) => (dollars ? money(cents(dollars)) : "out of reach");

/** @param {number} seconds */
function clock(seconds) {
  const minutes = Math.ceil(seconds / MINUTE_S);
  return `${Math.floor(minutes / 60)}:${String(minutes % 60).padStart(2, "0")} left`;
}

/**
 * Whether a step is about a seat, or about a wager of it.
 * @param {string} about
 * @param {number} seat
 */
export const isAbout = (about, seat) => `${about} `.startsWith(`seat ${seat} `);

/**
 * @param {SeatView} seat
 * @param {State} state
 * @param {Desk} desk
 */
function row(seat, state, { settling, next }) {
  const { seat: number, spots, cards } = seat;
  const bets = spots.filter((spot) => spot.cents && spot.fate !== "take back");
  const said = bets.map((spot) => `${spot.label}: ${money(spot.cents)}`).join(", ");
  const box = state.scene.boxes[number];
  const options = Object.entries(box?.chose ?? {});
  const [step, option] = options.at(-1) ?? ["", ""];
  const chose = state.felt?.options[step]?.[option]?.[0] ?? "";
  const lines = box?.lines ?? [];
  const net = lines.length
    ? lines.reduce((sum, one) => sum + cents(one.paid) + cents(one.returned) - cents(one.stake), 0)
    : null;
  // Nobody decides before what comes first is done.
  const asked = seat.asked && !next.command;
  const now = settling?.seat === number || asked || isAbout(next.about, number);
  const tone = net === null ? "" : net > 0 ? "up" : net < 0 ? "down" : "";
  // A walk-in has no screen to be away from.
  const quiet = (isWalkIn(seat.name) && seat.says === AWAY) || (seat.asked && !asked);
  const says = quiet ? "" : seat.says;
  const fate = net !== null ? signed(net) || "even" : settling?.seat === number ? "now"
    : says || chose;
  const name = seat.empty ? "empty" : nameOf(seat.name);
  const on = seat.hand ? `Hand ${seat.hand}` : "";
  const both = [on, seat.called, said].filter(Boolean).join(" · ");
  const more = both || (seat.empty || seat.banks ? "" : "no wager");
  return h("li", { "data-now": now ? "1" : null, "data-empty": seat.empty ? "1" : null },
    h("b", { class: "number" }, String(number)),
    h("span", { class: "who" }, name, h("small", {}, more)),
    h("span", { class: "mini" },
      ...(on ? [] : cards).map((one) => h("play-card", { code: one.code || null }))),
    h("span", { class: `fate ${tone}` }, fate));
}
