// @ts-check
/**
 * The work in hand: the felt from the dealer's side, or the seat that is settled now.
 *
 * @typedef {import("./types").State} State
 * @typedef {import("./types").Desk} Desk
 * @typedef {import("./types").Settling} Settling
 * @typedef {import("./types").Award} Award
 * @typedef {import("./types").SeatView} SeatView
 */

import { ConsoleBets } from "./console_bets.js";
import { form } from "./console_entry.js";
import { isAbout } from "./console_side.js";
import { nameOf } from "./console_walkins.js";
import { cite, clauseSays, h, must } from "./dom.js";
import { chips } from "./elements.js";
import { money } from "./money.js";
import { placesOf } from "./places.js";
import { seatOf, seatsOf } from "./view.js";

const VERBS = {
  take: "Take", collected: "Collected", pay: "Pay", leave: "Leave", wait: "Pending",
};
const CHIPS_MAX = 4;
const WHY_MAX = 200;

export class Work {
  /**
   * @param {{ask: (message: any) => Promise<any>, book: string, me: string,
   *   redraw: () => void}} around
   */
  constructor({ ask, book, me, redraw }) {
    this.bets = new ConsoleBets({ redraw, perform: (what, why) => this.perform(what, why) });
    this.ask = ask;
    this.book = book;
    this.me = me;
    this.acts = this.resting = "";
    /** How many acts there are besides those of this moment. */
    this.others = 0;
  }

  /**
   * @param {State} state
   * @param {Desk} desk
   * @param {{hidden: boolean, more: boolean}} how
   */
  draw(state, desk, { hidden, more }) {
    const place = must("#work");
    place.hidden = hidden;
    const { settling, awards, spots } = desk;
    place.className = settling || awards.length ? "panel settling"
      : spots.length ? "betting" : "layout";
    const held = document.activeElement?.getAttribute("data-key");
    place.replaceChildren(...this.inside(state, desk));
    const again = held && place.querySelector(`[data-key="${held}"]`);
    if (again) /** @type {HTMLElement} */ (again).focus();
    const step = JSON.stringify(desk.next.command);
    const posts = Object.keys(desk.crew).filter((post) => desk.crew[post] === this.me);
    // Somebody who has a post here is shown what is done from it.
    const now = desk.acts.filter((one) => !one.topic && JSON.stringify(one.command) !== step
      && (!posts.length || !one.posts || one.posts.includes(posts[0])));
    const others = desk.acts.filter((one) =>
      one.topic && one.posts?.some((post) => desk.crew[post] === this.me));
    this.others = others.length;
    this.rest(desk, { hidden });
    const { shortcuts } = desk;
    must("#acts").hidden = hidden || !(now.length + shortcuts.length);
    must("#more").hidden = !more;
    const known = JSON.stringify([shortcuts, now, others]);
    if (known === this.acts) return; // Keep what is being typed.
    this.acts = known;
    must("#acts").replaceChildren(
      ...now.map((one) => this.act(one)), ...shortcuts.flatMap((one) => this.shortcut(one)));
    const topics = [...new Set(others.map(({ topic }) => topic ?? ""))];
    must("#more-acts").replaceChildren(...topics.map((about) => h("section", {},
      h("h3", {}, about),
      ...others.filter(({ topic }) => topic === about).map((one) => this.act(one)))));
  }

  /**
   * @param {State} state
   * @param {Desk} desk
   */
  inside(state, desk) {
    if (desk.awards[0]) return this.won(state, desk.awards[0]);
    if (desk.spots.length) return this.bets.draw(state, desk.spots);
    return desk.settling ? this.settlement(state, desk.settling) : layout(state, desk);
  }

  /**
   * What is done with the resting deck, beside the next step.
   * @param {Desk} desk
   * @param {{hidden: boolean}} how
   */
  rest({ meanwhile, crew }, { hidden }) {
    const mine = meanwhile.filter((one) => one.posts?.some((post) => crew[post] === this.me));
    must("#meanwhile").hidden = hidden || !mine.length;
    const known = JSON.stringify(mine);
    if (known === this.resting) return; // Keep what is being typed.
    this.resting = known;
    must("#meanwhile-acts").replaceChildren(...mine.map((one) => this.act(one)));
  }

  /** Go to the first thing that can be typed or pressed. */
  focus() {
    const first = must("#more-acts").querySelector("select, input, button");
    /** @type {HTMLElement | null} */ (first)?.focus();
  }

  /** @param {import("./types").Shortcut} one */
  shortcut({ says, key, clause, short, commands, without }) {
    const cited = clause && !short ? [" ", h("small", {}, clauseSays(clause))] : [];
    const does = h("button", { class: "button", type: "button", title: short && says,
      "aria-label": short && says,
      click: () => this.ask({ type: "acts", commands }) }, short || says, ...cited, ...hint(key));
    const left = without.map((why) => h("p", { class: "hint" }, `Left out: ${why}.`));
    return [does, ...left];
  }

  /** @param {import("./types").DeskAct} one */
  act({ says, of, command, fields = [], clause, key = "" }) {
    const words = says.replace(/\.$/, "");
    const cited = clause ? [" ", h("small", {}, clauseSays(clause))] : [];
    if (!fields.length)
      return h("button", { class: key ? "button choice" : "button", type: "button",
        click: () => this.perform({ of, command }, words) }, words, ...cited,
        ...hint(key));
    return form(fields, { about: words, button: [words, ...cited, ...hint(key)],
      send: async (parts, typed) => {
        const sent = { of, command: { ...command, ...parts } };
        return (await this.perform(sent, `${words}, ${typed}`)).type === "done";
      } });
  }

  /**
   * Do something, or propose it where it takes two people.
   * @param {{of: string, command: Record<string, unknown>}} what
   * @param {string} why
   */
  async perform({ of, command }, why) {
    const answer = await this.ask({ type: "act", of, command });
    if (answer.type !== "refused" || answer.code !== "needs_approval") return answer;
    return this.ask({ type: "propose", why: why.slice(0, WHY_MAX), of, command });
  }

  /**
   * A win that stops its seat: its sum, its hand, and the checks that come before it is paid.
   * @param {State} state
   * @param {Award} award
   */
  won(state, award) {
    const seat = seatOf(state, award.seat);
    const checks = award.checks.map(({ says, clause, by, done }, at) => {
      const next = !done && award.checks.slice(0, at).every((one) => one.done);
      return h("li", { "data-done": done ? "" : null, "aria-current": next ? "step" : null },
        h("i", { "aria-hidden": "true" }, done ? "✓" : String(at + 1)),
        h("span", {}, says, h("small", {}, done ? "done" : `by the ${by.join(" and ")}`)),
        clause ? cite(this.book, clause) : "");
    });
    const sum = award.cents ? h("output", {}, money(award.cents)) : "";
    return [
      h("div", { class: "won" }, sum,
        h("p", {}, h("b", {}, award.label),
          h("small", {}, `Seat ${seat.seat}, ${nameOf(seat.name)}: ${award.hand}`)),
        run(seat.cards)),
      h("ol", { class: "checks", "aria-label": "Before it is paid" }, ...checks)];
  }

  /**
   * @param {State} state
   * @param {Settling} settling
   */
  settlement(state, settling) {
    const seat = seatOf(state, settling.seat);
    const others = placesOf(state).filter((place) => place.cards.length && !place.hand);
    const on = seat.hand ? `, hand ${seat.hand}` : "";
    const hands = h("div", { class: "faces" },
      hand(`Seat ${seat.seat}, ${nameOf(seat.name)}${on}`, seat.cards,
        seat.folded ? "folded" : seat.called),
      ...others.map((place) => hand(place.label, place.cards, place.called)));
    const rows = settling.lines.map((line) => {
      const to = line.seat === settling.seat ? "" : `Seat ${line.seat}, `;
      return h("li", { "data-does": line.does },
        h("b", { class: "verb" }, VERBS[line.does]),
        h("span", { class: "spot" }, `${to}${line.label}`, h("small", {}, line.because)),
        h("span", { class: "pile", "aria-hidden": "true" }, ...pile(line.chips)),
        h("span", { class: "sum-of" }, h("b", {}, money(line[line.does])), " ",
          line.clause || line.ruling ? cite(this.book, line.clause, line.ruling) : ""));
    });
    const fee = settling.fee ? [sum("Fee", settling.fee, "")] : [];
    const sums = h("p", { class: "sums" }, sum("Take", settling.take, "down"),
      sum("Pay", settling.pay, "up"), sum("Leave", settling.leave, ""), ...fee);
    return [hands, h("ol", { class: "lines" }, ...rows), sums];
  }
}

/** @param {string} key */
const hint = (key) => (key ? [" ", h("kbd", {}, key)] : []);

/**
 * @param {string} says
 * @param {number} amount
 * @param {string} tone
 */
const sum = (says, amount, tone) =>
  h("span", {}, `${says} `, h("b", { class: amount ? tone : "" }, money(amount)));

/** @param {[number, number][]} broken */
function pile(broken) {
  const all = broken.flatMap(([chip, many]) => Array.from({ length: many }, () => chip));
  if (all.length > CHIPS_MAX) return broken.flatMap(([chip, many]) => [
    disc(chip), h("small", {}, `×${many}`)]);
  return all.map(disc);
}

/** @param {number} chip */
function disc(chip) {
  const place = chips.cents.indexOf(chip);
  const words = chip % 100 ? `${chip}¢` : String(chip / 100);
  return h("i", { class: `chip chip-${Math.max(place, 0)}` }, words);
}

/** @param {SeatView["cards"]} cards */
const run = (cards) =>
  h("span", { class: "run" }, ...cards.map((one) => h("play-card", { code: one.code || null })));

/**
 * @param {string} label
 * @param {SeatView["cards"]} cards
 * @param {string} called
 */
const hand = (label, cards, called) =>
  h("div", { class: "held" }, h("small", {}, label),
    run(cards),
    h("b", {}, called || "\u00a0"));

/**
 * @param {State} state
 * @param {Desk} desk
 */
function layout(state, { next }) {
  const laid = (/** @type {import("./types").PlaceView} */ place) => {
    const ghosts = Array.from({ length: Math.max(place.room - place.cards.length, 0) }, () =>
      h("span", { class: "ghost" }));
    const made = hand(place.label, place.cards, place.called);
    made.querySelector(".run")?.append(...ghosts);
    return made;
  };
  const places = placesOf(state);
  const shared = places.filter((place) => place.hand);
  const seats = [...seatsOf(state)].sort((a, b) => a.seat - b.seat);
  const boxes = seats.map((seat) => h("li", {
    "data-now": isAbout(next.about, seat.seat) ? "1" : null,
    "data-empty": seat.empty ? "1" : null,
    folded: seat.folded ? "" : null },
    // The cards of a shared hand lie where it lies.
    shared.length ? h("small", {}, seat.hand ? `Hand ${seat.hand}` : "\u00a0") : run(seat.cards),
    h("chip-stack", { cents: seat.staked || null }),
    h("b", {}, String(seat.seat)),
    h("small", {}, seat.empty ? "empty" : nameOf(seat.name))));
  return [
    h("div", { class: "laid" }, ...places.filter((place) => !place.hand).map(laid)),
    shared.length ? h("div", { class: "laid hands" }, ...shared.map(laid)) : "",
    h("ol", { class: "boxes-of" }, ...boxes)];
}
