// @ts-check
/**
 * A first hand, shown over the real table: one hint at a time beside what it is about. It follows
 * what its player does, and goes away when it is not wanted.
 *
 * @typedef {import("./mine.js").Around} Around
 * @typedef {{says: string, at: string}} Step
 */

import { h, must } from "./dom.js";
import { limitsSay, openings } from "./view.js";

const EDGE = 8;

/**
 * The hint for where the table stands.
 * @param {Around} around
 * @returns {Step & {key: string}}
 */
export function stepOf({ state, bets, table }) {
  const mode = must("#dock").dataset.mode ?? "";
  const { felt, scene } = state();
  const first = felt && openings(felt)[0];
  const of = (/** @type {string} */ key, /** @type {string} */ says, /** @type {string} */ at) => ({
    key,
    says,
    at,
  });
  const dock = `#dock .when.${mode}`;
  switch (mode) {
    case "guest":
      return of("come", "Come in as a guest. You get play chips, and need no account.", dock);
    case "sit":
      return of("sit", "Take a free seat.", "#dock .when.take");
    case "bank":
      return of("bank", "Here players bank: pay and collect from the others, or pass.", dock);
    case "bets": {
      if (bets.now().length && !bets.lacks)
        return of(
          "deal",
          scene.attended
            ? "Your bet lies there. Add others if you like. The dealer closes betting."
            : "Your bet lies there. Add others if you like, then press Deal.",
          "[data-command=deal]",
        );
      const from = first ? `${first.label}, ${limitsSay(first)}, opens the game.` : "";
      return of(
        "bet",
        `Choose a chip below, then press a spot. ${from}`,
        ".own bet-spot[open] .circle",
      );
    }
    case "decide":
      return of(
        "decide",
        "These are your cards. Each choice says what it costs; the strategy card shows the best.",
        "#decisions",
      );
    case "result":
      return of(
        "result",
        "Each spot shows its result. Press Lines for every clause, or Next hand to go on.",
        dock,
      );
    default:
      return of(`wait ${table}`, "The cards are dealt. One moment …", "felt-table .says");
  }
}

export class Guide {
  /**
   * @param {Around} around
   * @param {() => void} done
   */
  constructor(around, done) {
    this.around = around;
    this.done = done;
    this.key = "";
    this.seen = new Set();
    this.says = h("p", { id: "guide-says", "aria-live": "polite" });
    const card = `/tables/${around.table}/strategy`;
    this.more = h("a", { hidden: true, href: card }, "Strategy card");
    this.box = h(
      "aside",
      { class: "first-hand", role: "region", "aria-label": "First hand" },
      this.says,
      h(
        "button",
        { class: "button", "aria-label": "Close the guide", click: () => this.stop(true) },
        "Close",
      ),
      this.more,
    );
    must("#table").append(this.box);
    this.watch = new MutationObserver(() => this.draw());
    this.watch.observe(must("#dock"), { attributes: true, subtree: true, childList: true });
    this.again = () => this.place();
    addEventListener("resize", this.again);
    this.box.addEventListener("keydown", (event) => {
      if (event.key === "Escape") this.stop(true);
    });
    for (const one of document.querySelectorAll("dialog[open]"))
      /** @type {HTMLDialogElement} */ (one).close();
    this.draw();
  }

  draw() {
    const step = stepOf(this.around);
    // A whole hand was played when the next bets open.
    if (step.key === "bet" && this.seen.has("result")) {
      this.stop(true);
      return;
    }
    this.seen.add(step.key);
    if (step.key !== this.key) {
      this.key = step.key;
      this.says.textContent = step.says;
      this.more.hidden = step.key !== "decide";
    }
    this.at = step.at;
    requestAnimationFrame(() => this.place());
  }

  /** Stand above what the hint is about and cover nothing of it, nor what the table says. */
  place() {
    for (const one of document.querySelectorAll(".guided")) one.classList.remove("guided");
    const target = [...document.querySelectorAll(this.at ?? "")].find(
      (one) => one.getBoundingClientRect().width > 0,
    );
    if (!this.box.isConnected || !target) return;
    target.classList.add("guided");
    const there = target.getBoundingClientRect();
    const own = this.box.getBoundingClientRect();
    const middle = there.left + there.width / 2 - own.width / 2;
    const left = Math.max(EDGE, Math.min(middle, innerWidth - own.width - EDGE));
    // A spot has its name above it, in one row with those of the others.
    const head = (target.closest(".spots") ?? target).getBoundingClientRect().top;
    const said = must("felt-table .saying").getBoundingClientRect();
    const below = Math.min(there.bottom + EDGE, innerHeight - own.height - EDGE);
    const clear = (/** @type {number} */ top) =>
      top >= 0 && (top >= said.bottom || top + own.height <= said.top);
    const tops = [head - own.height - EDGE, said.top - own.height - EDGE, below];
    this.box.style.left = `${left}px`;
    this.box.style.top = `${Math.max(tops.find(clear) ?? tops[0], 0)}px`;
  }

  /** @param {boolean} [remember] */
  stop(remember = false) {
    this.watch.disconnect();
    removeEventListener("resize", this.again);
    for (const one of document.querySelectorAll(".guided")) one.classList.remove("guided");
    const focused = this.box.contains(document.activeElement);
    this.box.remove();
    if (focused) /** @type {HTMLElement} */ (document.querySelector("felt-table"))?.focus();
    if (remember) this.done();
  }
}
