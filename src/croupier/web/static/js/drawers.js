// @ts-check
/**
 * What is one press away: the lines of a round, the rules, the visit, the menu. Each is drawn
 * when it is opened, into the one drawer of the page.
 *
 * @typedef {import("./types").Felt} Felt
 * @typedef {import("./types").Command} Command
 */

import { get } from "./api.js";
import { fetchDocument } from "./documents.js";
import { cite, dialog, dressed, h, must } from "./dom.js";
import { SVG } from "./elements.js";
import { cardWords, sentence } from "./hands.js";
import { cents, money, signed } from "./money.js";

await dressed();

/**
 * @param {string} title
 * @param {...Node} inside
 */
export function open(title, ...inside) {
  must("#drawer-title").textContent = title;
  must("#drawn").replaceChildren(...inside);
  if (!dialog("#drawer").open) dialog("#drawer").showModal();
}

/**
 * Every line with its clause: your own first, and the other seats collapsed, in the order in which
 * they are settled.
 * @param {import("./types").State} state
 * @param {string} book
 */
export function lines({ scene, you }, book) {
  const all = scene.order.length ? scene.order : Object.keys(scene.boxes).map(Number);
  const order = all.filter((seat) => scene.boxes[seat]?.lines.length);
  const isMine = (/** @type {number} */ seat) => scene.boxes[seat].player === you?.player;
  const mine = order.filter(isMine);
  const sections = [...mine, ...order.filter((seat) => !mine.includes(seat))].map((seat) => {
    const box = scene.boxes[seat];
    const name = isMine(seat) ? "You" : (scene.seats[seat]?.name ?? box.player);
    const net = cents(box.net ?? "0.00");
    const came = net ? signed(net) : "even";
    const rows = box.lines.map((one) => lineRow(one, book));
    const fee = cents(box.fee);
    const taken = [h("span", {}, "Fee"), h("b", {}, signed(-fee))];
    if (fee) rows.push(h("li", { class: "fee", "data-sign": -1 }, ...taken));
    const result = { class: "result", "data-sign": Math.sign(net) };
    rows.push(h("li", result, h("b", {}, "Result"), h("b", {}, came)));
    return h(
      "details",
      { "data-seat": seat, open: isMine(seat) || !mine.length },
      h("summary", {}, h("h3", {}, `${name}, seat ${seat}: ${came}`)),
      h("ul", { class: "lines" }, ...rows),
    );
  });
  const proof = scene.deck ? "This round on its own page" : "Recheck this deal";
  const more = h("p", {}, h("a", { class: "button", href: `/rounds/${scene.round}` }, proof));
  open(
    "How it was settled",
    ...(sections.length ? [...sections, more] : [h("p", {}, "Nothing is settled yet.")]),
  );
}

/**
 * What lies before somebody else, in words: a small tile has no room for it.
 * @param {import("./types").SeatView} view
 */
export function seat({ seat, name, says, called, cards, folded, spots }) {
  const up = cards.flatMap(({ code }) => (code ? [cardWords(code)] : []));
  const fact = (/** @type {string} */ what, /** @type {string} */ words) =>
    words ? [h("div", {}, h("dt", {}, what), h("dd", {}, words))] : [];
  const bets = spots.filter((spot) => spot.cents);
  const came = (/** @type {typeof spots[number]} */ { got, fate }) =>
    fate === "take back" ? ", taken back" : got === null ? "" : got ? `, ${signed(got)}` : ", push";
  open(
    `${name}, seat ${seat}`,
    h(
      "dl",
      { class: "posted" },
      ...fact("Now", says),
      ...fact("Hand", [folded ? "folded" : "", called].filter(Boolean).join(": ")),
      ...fact("Cards", up.join(", ") || (cards.length ? "face down" : "none yet")),
      ...bets.flatMap((spot) => fact(spot.label, `${money(spot.cents)}${came(spot)}`)),
    ),
  );
}

/**
 * What is posted, every paytable, and the way to the book and its odds.
 * @param {Felt} felt
 * @param {string} odds the address of the odds of this very table
 */
export function rules(felt, odds) {
  const book = felt.rulebook;
  const posted = felt.notices.map(({ title, says, clause, ruling }) =>
    h(
      "div",
      {},
      h("dt", {}, title),
      h("dd", {}, `${sentence(says)}. `, clause || ruling ? cite(book, clause, ruling) : ""),
    ),
  );
  const tables = felt.paytables.filter((table) => table.rows.length);
  open(
    "Rules of this table",
    h("dl", { class: "posted" }, ...posted),
    ...tables.map((table) => paytable(table, book)),
    ...felt.posted.filter((text) => text !== felt.printed).map((text) => h("p", {}, text)),
    h("p", {}, felt.default),
    returns(felt.table),
    h(
      "p",
      { class: "actions" },
      wayTo(`/tables/${felt.table}/strategy`, "Strategy card"),
      wayTo(`/rulebooks/${book}`, "The whole book"),
      wayTo(odds, "Odds of every wager"),
      wayTo(`/tables/${felt.table}/voids`, "Void rounds"),
      wayTo(`/tables/${felt.table}/text`, "This table as text"),
    ),
    h("p", { class: "hint" }, "Play chips have no value: you can't buy them or cash them in."),
  );
}

/**
 * A link at the foot of a drawer.
 * @param {string} href
 * @param {string} words
 */
const wayTo = (href, words) => h("a", { href, class: "button" }, words);

/**
 * What each wager returns on average, once it is known.
 * @param {string} table
 */
function returns(table) {
  const place = h("div", { class: "returns" });
  get(`/tables/${table}/strategy.json`)
    .then(({ wagers, banked_by }) => {
      if (!wagers.length) return;
      const edge = banked_by === "house" ? "House edge" : "Banker's edge";
      const head = ["Wager", "Returns", edge].map((one) => h("th", { scope: "col" }, one));
      const rows = wagers.map((/** @type {any} */ one) =>
        h(
          "tr",
          {},
          h("th", { scope: "row" }, one.label, " ", h("small", {}, one.note)),
          h("td", {}, one.returns),
          h("td", {}, one.house_edge),
        ),
      );
      place.append(
        h(
          "table",
          { class: "numbers" },
          h("caption", {}, "What each wager returns on average, by the best strategy"),
          h("thead", {}, h("tr", {}, ...head)),
          h("tbody", {}, ...rows),
        ),
      );
    })
    .catch(() => {});
  return place;
}

/**
 * @param {Felt["paytables"][number]} table
 * @param {string} book
 */
function paytable(table, book) {
  const rows = table.rows.map((row) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, sentence(row.hand)),
      h("td", {}, row.pays + (row.stake ? ` on $${row.stake}` : "")),
      h("td", {}, cite(book, row.clause)),
    ),
  );
  return h("table", { class: "pays" }, h("caption", {}, table.label), h("tbody", {}, ...rows));
}

/**
 * The commitment, the players' cut, and the player's own words for it.
 * @param {import("./types").State} state
 */
export async function deal(state) {
  const { deal } = await import("./deal.js");
  open("The deal and the cut", ...deal(state));
}

/**
 * The player's visit: its result so far, beside the expected one, and its last rounds.
 * @param {import("./care.js").Care} care
 */
export function visit(care) {
  const { rounds } = care.visit;
  const played = rounds.filter((one) => one.net !== null);
  const fact = (/** @type {string} */ name, /** @type {string} */ says) =>
    h("div", {}, h("dt", {}, name), h("dd", {}, says));
  const rows = rounds.map(({ round, net }) => {
    const says = net === null ? "watched" : net ? signed(net) : "even";
    const link = h("a", { href: `/rounds/${round}` }, round);
    return h("li", {}, link, " ", h("span", { "data-sign": Math.sign(net ?? 0) }, says));
  });
  open(
    "Your visit",
    h(
      "dl",
      { class: "facts" },
      fact("Time", care.time),
      fact("Net", care.net),
    ),
    ...(played.length ? [statistics(care.visit.since)] : []),
    h("h3", {}, "Last rounds"),
    rows.length ? h("ol", { class: "last" }, ...rows) : h("p", {}, "None yet."),
    h(
      "p",
      { class: "actions" },
      wayTo("/history", "All rounds"),
      wayTo("/statistics", "All statistics"),
    ),
  );
}

/**
 * The statistics of this visit, as their page shows them.
 * @param {number} since in milliseconds
 */
function statistics(since) {
  const place = h("div", { class: "statistics" }, h("p", { class: "hint" }, "One moment …"));
  fetchDocument(`/statistics?since=${since}`)
    .then((page) => place.replaceChildren(...(page.querySelector("#statistics")?.childNodes ?? [])))
    .catch(() => place.replaceChildren());
  return place;
}

/** What the menu has, in the order in which it is looked for. @type {[string, string[]][]} */
const MENU = [
  ["Play", ["here", "guest", "sit", "saved", "switch", "leave"]],
  ["The game", ["rules", "guide", "fair", "text"]],
  ["You", ["you", "name", "chips", "break", "account"]],
  ["This page", ["quiet", "sound", "settings", "palette", "help", "home"]],
];

/** One line each, on a square of 24. @type {Record<string, string>} */
const ICONS = {
  here: "M7 11V5h10v6M5 11h14v5H5zM7 16v4M17 16v4",
  saved: "M7 4h10v16l-5-4l-5 4z",
  switch: "M4 8h15l-3-3M20 16H5l3 3",
  leave: "M13 4H5v16h8M10 12h11M18 9l3 3l-3 3",
  rules: "M5 4h14v16H8a3 3 0 0 1-3-3zM5 17a3 3 0 0 1 3-3h11M9 8h6",
  guide: "M12 3a9 9 0 1 0 .1 0M9.5 9.5a2.5 2.5 0 1 1 3.6 2.2c-.8.4-1.1.9-1.1 1.8M12 17v.1",
  fair: "M12 3l7 3v5c0 5-3 8-7 10c-4-2-7-5-7-10V6zM9 12l2 2l4-4",
  text: "M5 6h14M5 10h14M5 14h9M5 18h9",
  you: "M5 20V4M5 20h15M8 15l4-5l3 3l5-7",
  name: "M4 20l1-4L16 5l3 3L8 19zM14 7l3 3",
  chips: "M12 4a8 8 0 1 0 .1 0M12 8a4 4 0 1 0 .1 0M12 4v4M12 16v4M4 12h4M16 12h4",
  break: "M9 6v12M15 6v12",
  account: "M12 4a4 4 0 1 0 .1 0M4 20c1-4 4-6 8-6s7 2 8 6",
  quiet: "M20 14A8 8 0 1 1 10 4a7 7 0 0 0 10 10",
  sound: "M4 10v4h4l5 4V6L8 10zM16 9a4 4 0 0 1 0 6M18.5 6.5a8 8 0 0 1 0 11",
  settings: "M4 7h10M18 7h2M16 5v4M4 17h2M10 17h10M8 15v4",
  palette: "M10 4a6 6 0 1 0 .1 0M14.5 14.5L20 20",
  help: "M3 7h18v10H3zM7 11h.1M11 11h.1M15 11h.1M8 14h8",
  home: "M4 11l8-7l8 7M6 10v10h12V10",
};

/** @param {string} id */
function icon(id) {
  const svg = document.createElementNS(SVG, "svg");
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("d", ICONS[id] ?? ICONS.here);
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.append(line);
  return svg;
}

/**
 * What can be done at the table besides playing: the commands of the one registry that can be
 * given now, and the ways to other pages.
 * @param {Command[]} commands
 * @param {string} table
 */
export function menu(commands, table) {
  /** @type {Record<string, [string, string]>} */
  const ways = {
    text: [`/tables/${table}/text`, "This table as text"],
    account: ["/account", "Account"],
    home: ["/", "All tables"],
  };
  const entry = (/** @type {string} */ id) => {
    if (ways[id]) return [h("a", { href: ways[id][0] }, icon(id), h("span", {}, ways[id][1]))];
    const one = commands.find((found) => found.id === id);
    if (!one?.enabled()) return [];
    const kept = one.on ? { role: "switch", "aria-checked": String(one.on()) } : {};
    const key = one.key ? h("kbd", {}, one.key) : null;
    const more = one.says ? h("small", {}, one.says) : null;
    const named = h("span", {}, one.label, more);
    return [h("button", { type: "button", "data-command": id, ...kept }, icon(id), named, key)];
  };
  const groups = MENU.flatMap(([title, ids]) => {
    const entries = ids.flatMap(entry);
    return entries.length ? [h("section", {}, h("h3", {}, title), ...entries)] : [];
  });
  open("Menu", h("div", { class: "menu-list" }, ...groups));
}

/**
 * A settled line: what it was on, what it came to, why, and by which clause.
 * @param {import("./types").Line} line
 * @param {string} book
 */
function lineRow(line, book) {
  const net = cents(line.paid) + cents(line.returned) - cents(line.stake);
  return h(
    "li",
    { "data-sign": Math.sign(net) },
    h("span", {}, line.label),
    h("b", {}, net ? signed(net) : line.outcome),
    h(
      "small",
      {},
      line.because ? `${sentence(line.because)} ` : "",
      cite(book, line.clause, line.ruling),
    ),
  );
}
