// @ts-check
/**
 * The console of a table with a dealer: one next step, and what lies around it. Everything on it
 * comes from the desk and the scene that the server sends; no procedure is known here.
 *
 * @typedef {import("./types").Desk} Desk
 * @typedef {import("./types").Message} Message
 */

import "./elements.js";
import { Commands } from "./commands.js";
import { People } from "./console_people.js";
import { Reading } from "./console_reading.js";
import { Side } from "./console_side.js";
import { Work } from "./console_work.js";
import { Wrong } from "./console_wrong.js";
import { cite, citesOpen, dialog, h, must, write } from "./dom.js";
import { chips } from "./elements.js";
import { sentence } from "./hands.js";
import { LOST, TableSocket } from "./socket.js";
import { START, reduce } from "./state.js";

const KEPT = "croupier.settings";
/** A longer step is written smaller, so that the table stays in sight. */
const STEP_MAX = 60;

const root = must("#desk");
const { table = "", book = "", me = "", roles = "", practice = "" } = root.dataset;
const button = /** @type {HTMLButtonElement} */ (must("#do"));

let state = START;
/** @type {Desk | null} */
let desk = null;
/** @type {"" | "wrong" | "crew" | "more"} */
let open = "";
let busy = false;

const socket = new TableSocket(table, {
  hear,
  changed: (how) => {
    say(LOST[how] ?? "", how !== "open");
  },
  last: () => state.v,
}, practice && `${practice}/socket`);
const around = { ask, say, book, me, roles: roles.split(" ").filter(Boolean), socket };
const side = new Side(around);
const work = new Work({ ...around, redraw: draw });
const wrong = new Wrong({ ...around, close: () => show("") });
const people = new People(around);
const reading = new Reading(
  { goOn, redraw: draw, perform: (what, why) => work.perform(what, why),
    command: (event) => commands.pressed(event) });

/** The step at which the last command was refused; after it the refusal means nothing. */
let refusedAt = "";

/** @param {Message} message */
function hear(message) {
  if (message.type === "desk") {
    desk = message.desk;
    if (refusedAt && refusedAt !== desk.next.says) say("");
  } else state = reduce(state, message);
  if (message.type === "refused") {
    say(`${message.message}${message.clause ? ` (${message.clause})` : ""}.`, true);
    refusedAt = desk?.next.says ?? "";
  }
  draw();
}

/**
 * @param {string} words
 * @param {boolean} [bad]
 */
function say(words, bad = false) {
  const place = must("#message");
  refusedAt = "";
  const said = sentence(words);
  write(place, said.endsWith("..") ? said.slice(0, -1) : said);
  place.toggleAttribute("data-bad", bad);
}

/**
 * Send a request, one at a time.
 * @param {Record<string, unknown> & {type: string}} message
 */
async function ask(message) {
  busy = true;
  draw();
  const answer = await socket.ask(message);
  busy = false;
  if (answer.type === "done") say("");
  draw();
  return answer;
}

/** Whether the next step is to be done in this session. */
function mine() {
  if (!desk?.next.command) return false;
  return desk.next.posts.some((post) => desk?.crew[post] === me);
}

function draw() {
  if (!desk || !state.felt) return;
  chips.cents = state.felt.chips_cents;
  const { next, stopped, settling } = desk;
  const now = !busy && mine();
  root.dataset.phase = state.scene.phase;
  root.dataset.open = open;
  must("#next").dataset.tone = stopped ? "stopped" : next.command ? "act" : "wait";
  const says = settling && mine() ? settling.says : next.says;
  const step = stopped ? sentence(stopped.says) : says;
  write(must("#step"), step);
  must("#step").toggleAttribute("data-long", step.length > STEP_MAX);
  about(desk);
  must("#manners").replaceChildren(...desk.manners.map(manner));
  label(desk, now);
  const several = now && next.run > 1;
  must("#all").hidden = !several;
  write(must("#all b"), `All ${next.run} of ${next.group ?? ""}`);
  reading.draw(desk, { hidden: !mine(), quiet: open !== "" || Boolean(stopped) });
  if (desk.practice) practise(desk.practice);
  side.draw(state, desk);
  people.draw(desk, { crew: open === "crew" });
  wrong.draw(desk, { open: open === "wrong" });
  work.draw(state, desk, { hidden: open !== "" || Boolean(stopped), more: open === "more" });
  must("[data-command=more]").setAttribute("aria-pressed", String(open === "more"));
  must("[data-command=crew]").setAttribute("aria-pressed", String(open === "crew"));
  must("[data-command=call] b").textContent = desk.called ? "The floor is here" : "Call the floor";
  must("[data-command=call]").setAttribute("aria-pressed", String(Boolean(desk.called)));
  commands.refresh();
}

/** @param {Desk} desk */
function about({ next, stopped, names, called }) {
  const clause = stopped ? stopped.clause : next.clause;
  const who = stopped ? stopped.awaits : next.by;
  const parts = [
    sentence(next.about),
    stopped ? "Stopped" : "",
    next.command && !stopped
      ? `By the ${who.join(" and ")}`
      : `Waiting for the ${who.join(" or ")}`,
    called ? `${names[called] ?? called} has called the floor` : "",
  ];
  const cited = clause ? [cite(book, clause)] : [];
  must("#about").replaceChildren(parts.filter(Boolean).join(" · "), " ", ...cited);
}

/** @param {NonNullable<Desk["practice"]>} now */
function practise({ sees, wrong, card, says, round, of, deviations }) {
  const known = JSON.stringify([sees, wrong, card]);
  if (known !== must("#sees").dataset.known) {
    must("#sees").dataset.known = known;
    must("#sees").toggleAttribute("data-wrong", wrong);
    must("#sees").replaceChildren(
      ...(card ? [h("play-card", { code: card })] : []),
      h("ul", {}, ...sees.map((one) => h("li", {}, sentence(one)))));
  }
  write(must("#verdict"), says);
  must("#practice").hidden = !sees.length && !says;
  write(must("#progress"), `Round ${round} of ${of} · deviations: ${deviations}`);
}

/** @param {Desk["manners"][number]} one */
function manner({ says, clause, force }) {
  return h("li", { "data-force": force }, `${says} `, cite(book, clause));
}

/**
 * @param {Desk} desk
 * @param {boolean} now
 */
function label({ next, stopped }, now) {
  const who = (stopped?.awaits ?? next.by).join(" or ");
  const asked = !next.command && next.about;
  const waits = next.takes && mine() ? "Waits for your entry"
    : `Waits for ${asked || `the ${who}`}`;
  write(must("#do b"), mine() && !stopped && !next.takes ? next.does : waits);
  button.disabled = !now || Boolean(stopped) || open !== "" || Boolean(next.takes);
  button.hidden = open === "wrong";
}

/** Do the next step. */
async function goOn() {
  if (!desk?.next.command || !mine() || busy) return null;
  const { of, command, says } = desk.next;
  return work.perform({ of, command }, says);
}

/** Do every step of one parent clause that comes in a row. */
async function goOnAll() {
  const group = desk?.next.group;
  for (let left = desk?.next.run ?? 0; left > 0; left -= 1) {
    if (!group || desk?.next.group !== group) return;
    if ((await goOn())?.type !== "done") return;
  }
}

/** @param {"" | "wrong" | "crew" | "more"} what */
function show(what) {
  open = what;
  draw();
  if (what === "wrong") wrong.focus();
  else if (what === "crew") people.focus();
  else if (what === "more") work.focus();
  else if (reading.waits) reading.focus();
  else if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

function keysOn() {
  try {
    return JSON.parse(localStorage.getItem(KEPT) ?? "{}").keys !== false;
  } catch {
    return true;
  }
}

/** @type {import("./types").Command[]} */
const listed = [
  one("do", "Do the next step", " ", () => !button.disabled, goOn),
  one("all", "Do all of one clause", "Shift+Space", () => (desk?.next.run ?? 1) > 1, goOnAll),
  one("wrong", "Declare an irregularity", "I", () => Boolean(desk?.irregularities.length), () =>
    show(open === "wrong" ? "" : "wrong")),
  one("call", "Call the floor, or end the call", "X", () => Boolean(desk), () =>
    ask({ type: "call_floor", on: !desk?.called })),
  one("crew", "Crew, hand over", "H", () => Boolean(desk), () =>
    show(open === "crew" ? "" : "crew")),
  one("more", "Show what else you can do", "M", () => open === "more" || work.others > 0, () =>
    show(open === "more" ? "" : "more")),
  one("back", "Back to the round", "Escape", () => open !== "", () => show("")),
  one("help", "Keys", "?", () => true, () => {
    const named = (/** @type {string} */ key) => (key === " " ? "Space" : key);
    const here = (desk?.keys ?? []).map(({ key, says }) => (
      { ...one(key, says, key, () => true, () => {}), group: "This table" }));
    must("#keys-list").replaceChildren(...commands.help(named, [...listed, ...here]));
    dialog("#keys").showModal();
  }),
];
/** What the desk offers with a key of its own. */
function offered() {
  const works = desk && Object.values(desk.crew).includes(me);
  const { acts = [], shortcuts = [] } = works && !open && !desk?.stopped ? desk ?? {} : {};
  const alone = acts.filter((act) => act.key).map((act) => one(
    `act ${act.key}`, act.says, act.key ?? "", () => !busy, () => work.perform(act, act.says)));
  const resting = must("#meanwhile").hidden ? [] : [...must("#meanwhile-acts")
    .querySelectorAll("input, button")].slice(0, 1).map((first) => {
    const { key = "", says } = desk?.meanwhile[0] ?? { says: "" };
    const at = /** @type {HTMLElement} */ (first);
    return one(`rest ${key}`, says, key, () => !busy, () =>
      (at.matches("input") ? at.focus() : at.click()));
  });
  const several = shortcuts.filter((it) => it.key).map((it) => one(
    `acts ${it.key}`, it.says, it.key, () => !busy, () =>
      ask({ type: "acts", commands: it.commands })));
  const { next, last_read: last } = desk ?? {};
  const step = next?.key ? [one(`step ${next.key}`, next.says, next.key,
    () => !button.disabled, goOn)] : [];
  const back = works && !open && last ? [one(`back ${last.key}`, last.says, last.key,
    () => !busy, () => reading.takeBack())] : [];
  return [...alone, ...resting, ...several, ...step, ...back];
}

const commands = new Commands(listed, { more: offered, keys: keysOn });

/**
 * @param {string} id
 * @param {string} label
 * @param {string} key
 * @param {() => boolean} enabled
 * @param {() => unknown} run
 * @returns {import("./types").Command}
 */
function one(id, label, key, enabled, run) {
  return { id, label, key, group: "Console", enabled, run: () => void run() };
}

const letters = /** @type {HTMLInputElement} */ (must("#letters"));
letters.checked = keysOn();
letters.addEventListener("change", () => {
  const kept = JSON.parse(localStorage.getItem(KEPT) ?? "{}");
  localStorage.setItem(KEPT, JSON.stringify({ ...kept, keys: letters.checked }));
});
addEventListener("keydown", (event) => {
  if (event.key !== "Escape" || !open || document.querySelector("dialog[open]")) return;
  show("");
});
// A key that is held does one thing, once.
addEventListener("keydown", (event) => {
  const at = event.target instanceof Element ? event.target : document.body;
  if (event.repeat && !at.closest("input, textarea")) event.preventDefault();
}, true);
citesOpen(book);
socket.open(true);
