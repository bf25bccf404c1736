// @ts-check
/**
 * `<bet-spot>` and `<player-seat>`: a place to bet, and all that lies before one player. They are
 * given views of view.js and send `spot`, `sit` and `leave` events; nothing here decides anything.
 *
 * @typedef {import("./types").CardView} CardView
 * @typedef {import("./types").SpotView} SpotView
 * @typedef {import("./types").SeatView} SeatView
 * @typedef {import("./types").GroupView} GroupView
 * @typedef {import("./types").AccountView} AccountView
 * @typedef {{shoe: Element | null, tray: Element | null, book: string, room: number,
 *   hands: number, betsOn: ((seat: number) => number | null) | null,
 *   account: AccountView | null, groups: (view: SeatView) => GroupView[]}} Around where seats bet
 *   on shared hands, how many there are
 */

import { fill, h, write } from "./dom.js";
import { brief, money, signed } from "./money.js";
import { slideFrom, slideTo } from "./motion.js";

/** How many rows of a paytable stand below each other where there is room beside them. */
const TALL = 6;
/** With this few wagers there is room; this few rows of an account fit a low window. */
const FEW = 3;
/** The most spots whose names fit the smallest phone. */
const MOST = 5;
/** The most cards of a hand that leave room beside them. */
const WIDE = 3;

export class BetSpot extends HTMLElement {
  constructor() {
    super();
    this.seen = "";
    this.stack = h("chip-stack");
    this.paid = h("chip-stack", { class: "paid" });
    this.label = h("span", { class: "label" });
    this.ring = h("span", { class: "circle" }, this.stack, this.paid);
    this.got = h("b", { class: "got" });
    this.button = h("button", { class: "ring", type: "button", click: () => this.chosen() });
    /** @type {SpotView | null} */
    this.view = null;
  }

  chosen() {
    const detail = this.view;
    this.dispatchEvent(new CustomEvent("spot", { bubbles: true, detail }));
  }

  /**
   * @param {SpotView} view
   * @param {{tray: Element | null, shoe: Element | null}} around where chips come from and go to
   */
  show(view, { tray, shoe }) {
    const key = JSON.stringify(view);
    if (key === this.seen) return;
    const before = this.view;
    this.seen = key;
    this.view = view;
    if (!this.firstChild) {
      this.append(this.button);
      this.button.append(this.label, this.ring, this.got);
    }
    const gone = view.fate && view.fate !== "live" ? `, ${view.fate}` : "";
    const sum = view.cents ? money(view.cents) : "nothing";
    const came = view.got === null ? "" : `, ${view.got ? signed(view.got) : "returned"}`;
    const more = view.open && view.limits ? `, ${view.limits}` : "";
    this.button.toggleAttribute("disabled", !view.open);
    this.button.setAttribute("aria-label", `${view.label}: ${sum}${gone}${came}${more}`);
    this.button.title = view.closed || view.limits;
    write(this.label, view.short);
    this.dataset.fate = view.fate;
    this.toggleAttribute("open", view.open);
    this.toggleAttribute("asked", view.asked);
    this.toggleAttribute("swept", view.swept || view.fate === "take back");
    this.toggleAttribute("won", view.paid > 0);
    write(this.got, gotWords(view));
    this.got.dataset.sign = String(Math.sign(view.got ?? 0));
    this.stack.setAttribute("cents", String(view.cents));
    this.paid.setAttribute("cents", String(view.paid));
    if (!this.isConnected || !before) return;
    if (view.cents > before.cents) slideFrom(this.stack, tray);
    if (view.paid > before.paid) slideFrom(this.paid, shoe);
    if (view.swept && !before.swept) slideTo(this.stack, shoe);
    if (view.fate === "take back" && before.fate === "live") slideTo(this.stack, tray);
  }
}

/** @param {SpotView} view */
function gotWords({ got, fate }) {
  if (fate === "take back") return "back";
  if (got === null) return "";
  return got ? signed(got) : "push";
}

export class PlayerSeat extends HTMLElement {
  constructor() {
    super();
    this.seen = "";
    this.hand = h("div", { class: "hand" });
    this.name = h("p", { class: "called" });
    this.holds = h("div", { class: "holds" });
    /** The shared hand that a seat bets on. */
    this.on = h("p", { class: "on" });
    this.choice = h("select", { class: "on", change: () => this.choose() });
    this.who = h("p", { class: "who" });
    this.mark = h("span", { class: "mark" });
    this.spots = h("div", { class: "spots" });
    this.wagers = h("ul", { class: "wagers" });
    this.account = h("div", { class: "account" });
    this.sit = h("button", { class: "sit", type: "button", click: () => this.ask("sit") });
    /** @type {Map<string, BetSpot>} */
    this.circles = new Map();
    /** @type {Map<string, HTMLElement>} */
    this.groups = new Map();
    this.number = 0;
  }

  /** @param {string} what */
  ask(what) {
    this.dispatchEvent(new CustomEvent(what, { bubbles: true, detail: this.number }));
  }

  choose() {
    const { value } = /** @type {HTMLSelectElement} */ (this.choice);
    const detail = { seat: this.number, hand: Number(value) };
    this.dispatchEvent(new CustomEvent("hand", { bubbles: true, detail }));
  }

  /**
   * @param {SeatView} view
   * @param {Around} around
   */
  show(view, around) {
    const account = view.mine && view.banks ? around.account : null;
    const betsOn = view.mine ? (around.betsOn?.(view.seat) ?? null) : null;
    const key = JSON.stringify([view, account, betsOn]);
    if (key === this.seen) return;
    this.seen = key;
    this.number = view.seat;
    this.id = `seat-${view.seat}`;
    for (const name of ["mine", "empty", "away", "asked", "folded", "banks", "ready"]) {
      this.toggleAttribute(name, Boolean(view[/** @type {keyof SeatView} */ (name)]));
    }
    // Beside more than three cards there is no room for what they are called.
    this.toggleAttribute("wide", around.room > WIDE);
    this.setAttribute("role", "group");
    this.setAttribute("aria-label", `Seat ${view.seat}${view.mine ? ", yours" : ""}`);
    if (view.empty) {
      this.showEmpty(view);
      return;
    }
    const theirs = view.mine ? this.spots : this.wagers;
    fill(this, account ? [this.who, this.account] : [this.who, this.holds, theirs]);
    this.who.replaceChildren(
      h("b", {}, view.name),
      h("small", {}, view.mine ? h("span", {}, " you,") : null, ` seat ${view.seat}`),
      this.mark,
    );
    write(this.mark, view.says);
    this.mark.dataset.sign = view.net === null ? "" : String(Math.sign(view.net));
    const short = view.net === null || view.banks ? "" : signed(view.net, brief);
    this.mark.dataset.brief = view.says.endsWith(short) ? "" : short;
    if (around.hands) {
      // A shared hand has its name where it lies.
      showCalled(this.name, view.folded ? "Folded" : "");
      this.showOn(view.hand ?? betsOn, around.hands, Boolean(betsOn));
    } else {
      const folded = view.called ? `Folded: ${view.called}` : "Folded";
      showCalled(this.name, view.folded ? folded : view.called);
      fill(this.holds, [this.hand, this.name]);
      this.hand.style.setProperty("--room", String(Math.max(around.room, view.cards.length)));
      showCards(this.hand, view.cards, around.shoe, around.room);
    }
    this.account.toggleAttribute("data-many", (account?.rows.length ?? 0) > FEW);
    if (account) {
      import("./account.js").then(({ accountRows }) =>
        this.account.replaceChildren(...accountRows(account, around.book)));
    } else if (view.mine) this.showSpots(around.groups(view), around);
    else this.showWagers(view);
  }

  /**
   * Which shared hand a seat bets on; its cards lie on the table. Until bets are closed its player
   * chooses another.
   * @param {number | null} hand
   * @param {number} hands how many there are
   * @param {boolean} open
   */
  showOn(hand, hands, open) {
    if (!open) write(this.on, hand ? `Hand ${hand}` : "");
    else if (this.choice.children.length !== hands) {
      const all = Array.from({ length: hands }, (_, n) => n + 1);
      this.choice.replaceChildren(...all.map((one) => h("option", { value: one }, `Hand ${one}`)));
    }
    this.choice.setAttribute("aria-label", `Hand that seat ${this.number} bets on`);
    /** @type {HTMLSelectElement} */ (this.choice).value = String(hand);
    fill(this.holds, [open ? this.choice : this.on, this.name]);
  }

  /** @param {SeatView} view */
  showEmpty(view) {
    this.circles.clear();
    this.groups.clear();
    this.spots.replaceChildren();
    const initials = view.spots.slice(0, 3).map(({ short }) => h("i", {}, initialsOf(short)));
    this.sit.replaceChildren(
      h("span", { class: "ghosts", "aria-hidden": "true" }, ...initials),
      h(
        "span",
        { class: "free" },
        h("span", {}, view.canSit ? "Sit " : ""),
        h("span", { class: "long" }, view.canSit ? "at seat " : "Seat "),
        String(view.seat),
      ),
    );
    this.sit.setAttribute(
      "aria-label",
      view.canSit ? `Sit at seat ${view.seat}` : `Seat ${view.seat} is free`,
    );
    this.sit.toggleAttribute("disabled", !view.canSit);
    fill(this, [this.sit]);
  }

  /**
   * Your own spots, each with its paytables below.
   * @param {GroupView[]} groups
   * @param {Around} around
   */
  showSpots(groups, around) {
    const wanted = groups.map((group) => {
      const made = this.groups.get(group.wager) ?? newGroup(group);
      this.groups.set(group.wager, made);
      return made;
    });
    fill(this.spots, wanted);
    groups.forEach((group, number) => {
      const [, row, printed] = /** @type {HTMLElement[]} */ (Array.from(wanted[number].children));
      const circles = group.spots.map((spot) => {
        const circle = this.circles.get(spot.spot) ?? new BetSpot();
        this.circles.set(spot.spot, circle);
        return circle;
      });
      fill(row, circles);
      group.spots.forEach((spot, place) => circles[place].show(spot, around));
      light(printed, group);
    });
    const all = groups.reduce((sum, group) => sum + group.spots.length, 0);
    this.spots.style.setProperty("--all", String(all));
    const columns = groups.map(({ spots }) => `minmax(min-content, ${spots.length}fr)`);
    this.spots.style.setProperty("--columns", columns.join(" "));
    this.spots.toggleAttribute("data-few", groups.length <= FEW);
    this.spots.toggleAttribute("data-crowded", all > MOST);
  }

  /**
   * Another player's bets, each by its name.
   * @param {SeatView} view
   */
  showWagers(view) {
    const bets = view.spots.filter((spot) => spot.cents);
    this.wagers.replaceChildren(
      ...bets.map((spot) => {
        const sum = spot.got === null ? money(spot.cents) : spot.got ? signed(spot.got) : "push";
        const sign = String(Math.sign(spot.got ?? 0));
        const back = spot.fate === "take back" ? "back" : sum;
        return h("li", { "data-sign": sign }, `${spot.short} `, h("b", {}, back));
      }),
    );
    const shown = view.staked && view.net === null;
    this.dataset.sum = shown ? money(view.staked) : "";
    this.dataset.brief = shown ? brief(view.staked) : "";
  }
}

/** @param {string} label */
const initialsOf = (label) =>
  label
    .split(/[ -]/)
    .map((word) => word[0])
    .join("")
    .slice(0, 2);

/**
 * A wager's part of your own place: its name, a row for its spots, and what is printed there.
 * @param {GroupView} group
 */
function newGroup(group) {
  const many = group.spots.length > 1;
  const unit = group.tables.find((table) => !table.title)?.unit;
  const rows = group.tables.reduce((sum, table) => sum + table.rows.length, 0);
  const made = h(
    "div",
    { class: "group", "data-many": many, "data-long": rows > TALL, "data-bonus": group.bonus },
    h(
      "span",
      { class: "wager", "aria-hidden": "true", "data-initials": initialsOf(group.name) },
      group.name,
      unit ? h("small", {}, ` ${unit}`) : null,
    ),
    h("div", { class: "circles" }),
    h(
      "div",
      { class: "printed" },
      group.note ? h("p", { class: "note" }, group.note) : null,
      ...oddsOf(group),
    ),
  );
  made.style.setProperty("--spots", String(group.spots.length));
  return made;
}

/**
 * The paytables of a wager, as they are printed.
 * @param {GroupView} group
 * @param {boolean} [named] whether each says whose it is
 */
export const oddsOf = (group, named = false) =>
  group.tables.map((table) =>
    h(
      "table",
      { class: "odds" },
      // Under its own spot a table needs no name of its own.
      h(
        "caption",
        { class: !named && !table.title && "unseen" },
        captionOf(table, named ? group.name : "") || group.label,
      ),
      h(
        "tbody",
        {},
        ...table.rows.map((row) =>
          h("tr", {}, h("th", { scope: "row" }, row.hand), h("td", {}, row.pays)),
        ),
      ),
    ),
  );

/**
 * @param {GroupView["tables"][number]} table
 * @param {string} label
 */
const captionOf = (table, label) => [table.title || label, table.unit].filter(Boolean).join(", ");

/**
 * Light the rows that paid.
 * @param {Element} printed
 * @param {GroupView} group
 */
export function light(printed, group) {
  const rows = printed.querySelectorAll("tr");
  group.tables
    .flatMap((table) => table.rows)
    .forEach((one, place) => rows[place]?.toggleAttribute("hit", one.hit));
}

/**
 * The name of a hand; no line breaks within its ranks.
 * @param {Element} place
 * @param {string} called
 */
export function showCalled(place, called) {
  if (place.textContent === called) return;
  const [, name, ranks] = called.match(/^(.*) (\S+-\S+)$/) ?? ["", called, ""];
  place.replaceChildren(name, ...(ranks ? [" ", h("span", { class: "ranks" }, ranks)] : []));
}

/**
 * @param {HTMLElement} hand
 * @param {CardView[]} cards
 * @param {Element | null} shoe
 * @param {number} [room] how many cards are printed where none lie
 */
export function showCards(hand, cards, shoe, room = 0) {
  if (!cards.length) {
    const printed = hand.querySelectorAll(".ghost").length;
    if (printed === room && printed === hand.children.length) return;
    hand.replaceChildren(...Array.from({ length: room }, () => h("span", { class: "ghost" })));
    return;
  }
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
