// @ts-check
/**
 * The account of your own bank as it lies before you. It is loaded when you bank.
 *
 * @typedef {import("./types").AccountView} AccountView
 */

import { cite, h } from "./dom.js";
import { money, signed } from "./money.js";

/**
 * The account of your own bank: its result, and how it came about, seat by seat.
 * @param {AccountView} account
 * @param {string} book
 */
export function accountRows({ funds, took, paid, fee, now, rows, turn, cover }, book) {
  const none = "\u2013";
  /** @type {(name: string, text: string, sign: number) => HTMLElement} */
  const sum = (name, text, sign) =>
    h("div", { "data-sign": sign }, h("dt", {}, name), h("dd", {}, text));
  const cell = (/** @type {number | null} */ at) => h("td", {}, at ? money(at) : none);
  const head = ["Seat", "Hand", "Bets", "Took", "Paid", "Left"];
  return [
    h("p", { class: "turn" }, h("b", {}, "You are the bank"), turn && `, ${turn}`),
    h(
      "dl",
      { class: "sums" },
      sum("You put up", money(funds), 0),
      sum("Took", took ? signed(took) : none, took ? 1 : 0),
      sum("Paid", paid ? signed(-paid) : none, paid ? -1 : 0),
      sum("Fee", fee ? signed(-fee) : none, fee ? -1 : 0),
      sum("Bank now", money(now), 0),
    ),
    h(
      "table",
      {},
      h("thead", {}, h("tr", {}, ...head.map((name) => h("th", { scope: "col" }, name)))),
      h(
        "tbody",
        {},
        ...rows.map((row) =>
          h(
            "tr",
            {},
            h("th", { scope: "row" }, `${row.seat}`, h("span", {}, ` ${row.name}`)),
            h("td", {}, row.called),
            h("td", {}, row.bets),
            cell(row.took),
            cell(row.paid),
            h("td", {}, row.left === null ? none : money(row.left)),
          ),
        ),
      ),
    ),
    cover && h("p", { class: "cover" }, `${cover.says} `, cite(book, cover.clause)),
  ].filter((one) => one !== null);
}
