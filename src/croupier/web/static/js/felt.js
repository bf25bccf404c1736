// @ts-check
/**
 * `<felt-table>`: a casino's layout, printed from the rules. The bank's place and the meters at the
 * top, the game's name, one message line, your own place below and the others at the sides. It is
 * drawn from a state and a gate; replay and table use the same one.
 *
 * @typedef {import("./types").State} State
 * @typedef {import("./types").Said} Said
 * @typedef {import("./types").PlaceView} PlaceView
 * @typedef {import("./places.js").Gate} GateLike
 */

import { cite, dressed, fill, h, write } from "./dom.js";
import { sentence } from "./hands.js";
import { cents, money } from "./money.js";
import { countUp } from "./motion.js";
import { OPEN, placesOf } from "./places.js";
import { PlayerSeat, light, oddsOf, showCalled, showCards } from "./seat.js";
import { SharedHand } from "./shared.js";
import { boxOf, mySeats } from "./state.js";
import {
  accountOf,
  announcement,
  costsOf,
  groupsOf,
  limitsSay,
  openings,
  seatOf,
  seatsOf,
  spotName,
} from "./view.js";
import { SVG } from "./elements.js";

const ROWS = 60;
/** With so many seats at a side they are as high as the felt. */
const MANY = 4;
/** How much smaller things become, step by step, where they do not fit. */
const SCALES = [1.4, 1.3, 1.2, 1.15, 1.1, 1.05, 1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7, 0.65, 0.6, 0.5];
/** Those with the paytables on the felt. */
const PRINTED = SCALES.slice(2, 13);
/** How much larger cards become where there is room left. */
const CARDS = [1.35, 1.3, 1.25, 1.2, 1.15, 1.1, 1.05, 1];

export class FeltTable extends HTMLElement {
  constructor() {
    super();
    this.shoe = h("div", { class: "shoe", "aria-hidden": "true" });
    this.meters = h("dl", { class: "meters" });
    this.places = h("div", { class: "places" });
    this.placard = h("dl", { class: "plate placard" });
    /** What the bank keeps, where no meter needs the room. */
    this.edges = h("dl", { class: "plate edges", "aria-label": "Edges" });
    this.name = h("div", { class: "name" });
    this.says = h("p", { class: "says" });
    /** Who is asked for the edges, on a page of a table.
     * @type {typeof import("./api.js").edges | null} */
    this.asks = null;
    this.seats = h("div", { class: "seats" });
    this.own = h("div", { class: "own" });
    this.shared = h("div", { class: "shared" });
    /** Which shared hand a seat of one's own is to bet on, while bets are open.
     * @type {((seat: number) => number | null) | null} */
    this.betsOn = null;
    /** The paytables once more, in a row of their own where the spots are too narrow for them. */
    this.rail = h("div", { class: "rail" });
    /** @type {HTMLElement[]} */
    this.posted = [];
    this.cloth = h(
      "div",
      { class: "cloth" },
      this.seats,
      h(
        "div",
        { class: "middle" },
        this.shoe,
        h("div", { class: "top" }, this.meters, this.edges, this.places, this.placard),
        this.name,
        h("div", { class: "line" }, this.says),
        this.shared,
        this.own,
        this.rail,
      ),
    );
    /** @type {Map<number, PlayerSeat>} */
    this.known = new Map();
    /** @type {Element | null} */
    this.tray = null;
    this.flipped = false;
    this.printed = "";
    this.fitted = "";
    this.told = "";
    /** Whether an account was drawn; what it needs comes late. */
    this.banked = false;
  }

  connectedCallback() {
    if (this.firstChild) return;
    this.append(this.cloth);
    new ResizeObserver(() => this.fit()).observe(this);
  }

  /**
   * @param {State} state
   * @param {GateLike} gate
   * @param {Said | null} [said] what the line says; without it, what the dealer announces
   */
  show(state, gate = OPEN, said = null) {
    const { felt, scene } = state;
    if (!felt) return;
    this.dataset.phase = scene.phase;
    this.dataset.round = scene.round ?? "";
    this.print(state);
    const announced = { text: announcement(state), more: "", tone: "", clause: null, href: "" };
    this.say(said ?? announced, state);
    this.showMeters(state);
    const places = placesOf(state, gate);
    this.showPlaces(state, places.filter((place) => !place.hand));
    this.showShared(state, places.filter((place) => place.hand));
    this.showSeats(state, gate);
    this.fit();
  }

  /**
   * What never changes: the game, who qualifies, limits, fees and where payoffs end.
   * @param {State} state
   */
  print(state) {
    const { felt } = state;
    if (!felt || this.printed === felt.table) return;
    this.printed = felt.table;
    const tables = groupsOf(state, [], []).filter((group) => group.tables.length);
    this.posted = tables.map((group) => h("div", { class: "printed" }, ...oddsOf(group, true)));
    this.rail.replaceChildren(...inColumns(this.posted));
    this.name.replaceChildren(
      arc(felt.book, felt.printed),
      h(
        "p",
        {},
        h("b", {}, felt.book),
        h("span", {}, felt.printed),
        // Where they don't fit they are a press away.
        h("button", { class: "paytables", type: "button", "data-command": "rules" }, "Paytables"),
      ),
    );
    const apart = Boolean(this.asks) && !Object.keys(felt.meters).length;
    const named = (/** @type {Parameters<typeof spotName>[0]} */ wager) =>
      h("dt", {}, spotName(wager));
    const edge = (/** @type {string} */ wager) =>
      h("dd", { class: "edge", "data-wager": wager });
    const limits = openings(felt).map((wager) => {
      const sums = limitsSay(wager).replace(" to ", "\u2013") || "any sum";
      const kept = apart ? null : edge(wager.wager);
      return h("div", {}, named(wager), h("dd", {}, sums), kept);
    });
    const more = costsOf(felt).map(({ title, says }) =>
      h("div", { class: "cost" }, h("dt", {}, title), h("dd", {}, sentence(says))),
    );
    const head = h("dd", { class: "edge" });
    const where = h("div", { class: "where" }, h("dt", {}, sentence(felt.place)), h("dd"));
    this.placard.replaceChildren(where, ...limits, ...more);
    this.placard.setAttribute("aria-label", "Limits, edges and fees");
    if (apart) {
      const kept = openings(felt).map((wager) => h("div", {}, named(wager), edge(wager.wager)));
      const how = h("div", { class: "cost" }, h("dt", {}, "If you play your best"));
      this.edges.replaceChildren(h("div", { class: "where" }, head), ...kept, how);
    } else where.append(head);
    this.asks?.(felt.table).then((found) => this.post(found));
  }

  /**
   * Print what the bank keeps of each wager on average, once that is known; its place is kept.
   * @param {{edge: string, wagers: {wager: string, house_edge: string}[]}} found
   */
  post({ edge, wagers }) {
    /** @type {NodeListOf<HTMLElement>} */
    const [head, ...places] = this.querySelectorAll(".plate .edge");
    if (!wagers.length) return;
    write(head, edge);
    for (const place of places) {
      const found = wagers.find((one) => one.wager === place.dataset.wager);
      const what = h("span", { class: "unseen" }, `${edge} `);
      if (found) place.replaceChildren(what, found.house_edge);
    }
  }

  /**
   * The one message line.
   * @param {Said} said
   * @param {State} state
   */
  say(said, state) {
    const key = JSON.stringify(said);
    if (key === this.told) return;
    this.told = key;
    const { text, more, tone, clause, href, net = 0 } = said;
    const words = h("span", { class: "text" });
    countUp(words, 0, net, (sum) => text.replace(money(net), money(sum)));
    const cited = clause ? cite(state.felt?.rulebook ?? "", clause) : "";
    // A number by itself says nothing.
    if (cited && Number(clause)) cited.prepend("Clause ");
    this.says.dataset.tone = tone;
    // Each message is an element of its own, so that none moves where another stood.
    this.says.replaceChildren(
      h(
        "span",
        { class: "saying" },
        words,
        more ? h("small", {}, more) : "",
        cited,
        href ? h("a", { href }, "See the round") : "",
      ),
    );
  }

  /** @param {State} state */
  showMeters({ felt, scene }) {
    const shown = Object.entries(felt?.meters ?? {}).map(([id, label]) => {
      const sum = scene.meters[id];
      const shows = Number(sum).toLocaleString("en-US", { minimumFractionDigits: 2 });
      return { label, text: sum ? `$${shows}` : "out of reach" };
    });
    const key = JSON.stringify(shown);
    if (this.meters.dataset.seen === key) return;
    this.meters.dataset.seen = key;
    this.meters.replaceChildren(
      ...shown.map(({ label, text }) => h("div", {}, h("dt", {}, label), h("dd", {}, text))),
    );
    // What takes it stands below it, where there is one.
    const rows = felt?.paytables.flatMap((table) => table.rows) ?? [];
    const takes = rows.filter(({ print }) => print === "meter");
    if (shown.length !== 1 || takes.length !== 1) return;
    const words = `${sentence(takes[0].short)} takes it`;
    this.meters.firstElementChild?.append(h("dd", { class: "takes" }, words));
  }

  /**
   * @param {State} state
   * @param {PlaceView[]} shown
   */
  showPlaces(state, shown) {
    const { banker, seats } = state.scene;
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
          h("figcaption"),
        );
      const [hand, caption] = /** @type {HTMLElement[]} */ (Array.from(made.children));
      made.toggleAttribute("data-named", place.named);
      hand.style.setProperty("--room", String(place.room));
      showCards(hand, place.cards, this.shoe, place.room);
      // Each caption is made of elements of its own, so that none moves where another stood.
      if (caption.dataset.called !== place.called)
        caption.replaceChildren(h("span"), h("b"), h("i"));
      caption.dataset.called = place.called;
      const [label, called, plays] = Array.from(caption.children);
      const bank = place.first && banker ? banker : null;
      const name = bank ? (seats[bank.seat]?.name ?? `seat ${bank.seat}`) : "";
      const banked = bank ? `: ${name}, ${money(cents(bank.funds))}` : "";
      if (label.textContent !== `${sentence(place.label)}${banked}`)
        label.replaceChildren(sentence(place.label), h("span", {}, banked));
      showCalled(called, place.called);
      write(plays, place.plays === null ? "" : place.plays ? "plays" : "does not play");
      return made;
    });
    fill(this.places, wanted);
  }

  /**
   * The hands that seats bet on, where the rules have such; one's own lie among them.
   * @param {State} state
   * @param {PlaceView[]} hands
   */
  showShared(state, hands) {
    const mine = mySeats(state);
    const on = (/** @type {number} */ seat) =>
      boxOf(state, seat)?.hand ?? this.betsOn?.(seat) ?? null;
    const open = mine.length === 1 && Boolean(this.betsOn?.(mine[0]));
    const before = /** @type {SharedHand[]} */ (Array.from(this.shared.children));
    const wanted = hands.map((_, n) => before[n] ?? new SharedHand());
    fill(this.shared, wanted);
    this.cloth.style.setProperty("--shared", String(hands.reduce((n, { room }) => n + room, 0)));
    hands.forEach((place, n) => {
      const seats = mine.filter((seat) => on(seat) === place.hand);
      wanted[n].show(place, { mine: seats, seats: mine.length, open, shoe: this.shoe });
    });
  }

  /**
   * @param {State} state
   * @param {GateLike} gate
   */
  showSeats(state, gate) {
    const views = seatsOf(state, gate);
    const felt = /** @type {import("./types").Felt} */ (state.felt);
    const shared = felt.hand.of.reduce((sum, id) => sum + (felt.places[id]?.cards ?? 0), 0);
    const around = {
      shoe: this.shoe,
      tray: this.tray,
      book: felt.rulebook,
      room: felt.hand.cards - shared,
      hands: felt.shared_hands ?? 0,
      betsOn: this.betsOn,
      account: accountOf(state, gate),
      groups: (/** @type {import("./types").SeatView} */ { spots, lines }) =>
        groupsOf(state, spots, lines),
    };
    if (around.account && !this.banked) {
      this.banked = true;
      Promise.all([dressed(), import("./account.js")]).then(() =>
        requestAnimationFrame(() => this.fit(true)),
      );
    }
    const replay = this.hasAttribute("replay");
    const others = views.filter((view) => !view.mine && !(replay && view.empty && !view.banks));
    if (this.flipped) others.reverse();
    const seated = views.filter((view) => view.mine).sort((a, b) => a.seat - b.seat);
    // Spectators see an empty printed place, so that nothing moves later.
    const nobody = { ...seatOf(state, 0), empty: false, mine: true };
    const mine = seated.length || replay ? seated : [nobody];
    this.own.dataset.boxes = String(mine.length);
    this.own.toggleAttribute("printed", !seated.length);
    const place = (/** @type {HTMLElement} */ into, /** @type {typeof views} */ list) => {
      const wanted = list.map((view) => {
        const seat = this.known.get(view.seat) ?? new PlayerSeat();
        this.known.set(view.seat, seat);
        return seat;
      });
      fill(into, wanted);
      list.forEach((view, n) => {
        around_(wanted[n], n, list.length);
        wanted[n].show(view, around);
      });
    };
    place(this.seats, others);
    place(this.own, mine);
    const lines = mine.flatMap((view) => view.lines);
    groupsOf(state, [], lines)
      .filter((group) => group.tables.length)
      .forEach((group, number) => light(this.posted[number], group));
    this.seats.dataset.many = String(others.length);
  }

  /**
   * Make everything fit: first with all that is printed, then smaller, at last without the
   * paytables, which are a press away. What is measured does not change in a round.
   * @param {boolean} [again] even if nothing else has changed
   */
  fit(again = false) {
    const { width, height } = this.getBoundingClientRect();
    const boxes = `${this.own.dataset.boxes} ${this.own.querySelectorAll(".account").length}`;
    const key = [width, height, this.printed, boxes, this.places.children.length].join(" ");
    if (!this.printed || !height || (key === this.fitted && !again)) return;
    this.fitted = key;
    this.cloth.style.setProperty("--c", "1");
    // Two boxes leave no room for what is printed below each spot.
    for (const pays of this.own.dataset.boxes === "1" ? ["full", "none"] : ["none"]) {
      this.dataset.pays = pays;
      const scales = pays === "full" ? PRINTED : SCALES;
      if (!this.largest("--k", scales)) continue;
      this.largest("--c", CARDS);
      return;
    }
  }

  /**
   * Find the largest scale with which everything fits; what fits, fits smaller too.
   * @param {string} name
   * @param {number[]} scales from the largest down
   */
  largest(name, scales) {
    const middle = /** @type {Element} */ (this.cloth.lastElementChild);
    const fits = (at = 0) => {
      this.cloth.style.setProperty(name, String(scales[at]));
      const { scrollHeight, scrollWidth, clientHeight, clientWidth } = middle;
      return scrollHeight <= clientHeight && scrollWidth <= clientWidth;
    };
    let [from, to] = [0, scales.length - 1];
    while (from < to) {
      const half = (from + to) >> 1;
      if (fits(half)) to = half;
      else from = half + 1;
    }
    return fits(from);
  }
}

/**
 * Two columns of about the same height: the longest table first, each where there is more room.
 * @param {HTMLElement[]} tables
 */
function inColumns(tables) {
  const length = (/** @type {HTMLElement} */ one) => one.querySelectorAll("tr, caption").length;
  const columns = [0, 0].map((rows) => ({ rows, made: h("div") }));
  for (const table of [...tables].sort((a, b) => length(b) - length(a))) {
    const least = columns[0].rows <= columns[1].rows ? columns[0] : columns[1];
    least.made.append(table);
    least.rows += length(table);
  }
  return columns.filter((column) => column.rows).map((column) => column.made);
}

/**
 * The game's name in an arc, with the sentence that is posted below.
 * @param {string} name
 * @param {string} printed
 */
function arc(name, printed) {
  const svg = document.createElementNS(SVG, "svg");
  svg.setAttribute("viewBox", "0 0 760 104");
  svg.setAttribute("aria-hidden", "true");
  svg.setAttribute("class", "arc");
  add(svg, "path", { class: "ribbon", d: "M-40 16Q380 122 800 16M-40 52Q380 158 800 52" });
  add(svg, "path", { id: "arc-name", class: "guide", d: "M20 8Q380 98 740 8" });
  add(svg, "path", { id: "arc-rule", class: "guide", d: "M30 45Q380 133 730 45" });
  const title = add(svg, "text", { class: "title", "font-size": sized(36, name, 21) });
  const above = add(title, "textPath", { href: "#arc-name", startOffset: "50%" });
  above.textContent = name.toUpperCase();
  const rule = add(svg, "text", { class: "rule", "font-size": sized(18, printed, 58) });
  add(rule, "textPath", { href: "#arc-rule", startOffset: "50%" }).textContent = printed;
  return svg;
}

/**
 * The size of letters with which a text fits into the arc.
 * @param {number} size
 * @param {string} text
 * @param {number} most how many letters of this size fit
 */
const sized = (size, text, most) => Math.min(size, (size * most) / text.length).toFixed(1);

/**
 * @param {Element} into
 * @param {string} tag
 * @param {Record<string, string>} with_
 */
function add(into, tag, with_) {
  const made = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(with_)) made.setAttribute(key, value);
  into.append(made);
  return made;
}

/**
 * Where a seat lies around the table: down the left side and up the right one.
 * @param {HTMLElement} seat
 * @param {number} number
 * @param {number} of
 */
function around_(seat, number, of) {
  const left = Math.ceil(of / 2);
  const onLeft = number < left;
  const count = onLeft ? left : of - left;
  // In the order of play the first seat after your own is at the bottom on the left.
  const down = onLeft ? left - 1 - number : number - left;
  const span = Math.floor(ROWS / count);
  // Where the last one of many would lie in the round corner, it keeps to the top of its part.
  seat.toggleAttribute("low", count >= MANY && down === count - 1);
  seat.style.setProperty("--side", onLeft ? "1" : "3");
  seat.style.setProperty("--row", `${1 + down * span} / span ${span}`);
}

customElements.define("felt-table", FeltTable);
