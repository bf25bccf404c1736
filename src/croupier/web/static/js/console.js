// @ts-check
/**
 * The plain desk of a table with a dealer: the next step, crew, requests, and what can go wrong.
 * Everything on it comes from the desk that the server sends; no procedure is known here.
 *
 * @typedef {import("./types").Desk} Desk
 * @typedef {import("./types").Message} Message
 */

import { post } from "./api.js";
import { cite, h, must } from "./dom.js";
import { Line } from "./line.js";
import { money } from "./money.js";
import { START, reduce } from "./state.js";
import { standing } from "./words.js";

const SAID_MAX = 60;
const root = must("#desk");
const { table = "", book = "", me = "" } = root.dataset;
const next = /** @type {HTMLButtonElement} */ (must("#do"));
const password = /** @type {HTMLInputElement} */ (must("#password"));

let state = START;
/** @type {Desk | null} */
let desk = null;

const line = new Line(table, {
  hear,
  changed: (how) => say(how === "open" ? "Connected." : "The connection is lost. Trying again."),
  last: () => state.v,
});

/** @param {Message} message */
function hear(message) {
  if (message.type === "desk") {
    desk = message.desk;
    draw(desk);
  } else {
    state = reduce(state, message);
  }
  if (message.type === "news") for (const { says } of message.events) if (says) tape(says);
  if (message.type === "refused")
    say(`Refused: ${message.message}${message.clause ? ` (${message.clause})` : ""}.`);
  const stands = state.felt ? standing(state) : [];
  must("#standing").replaceChildren(...stands.map((one) => h("li", {}, one)));
}

/** @param {string} words */
const say = (words) => (must("#message").textContent = words);

/** @param {string} words */
function tape(words) {
  const said = must("#said");
  said.append(h("p", {}, words));
  while (said.childElementCount > SAID_MAX) said.firstElementChild?.remove();
  said.scrollTop = said.scrollHeight;
}

/** @param {Record<string, unknown> & {type: string}} message */
async function ask(message) {
  const answer = await line.ask(message);
  if (answer.type === "done") say("Done.");
  return answer;
}

/** @param {Desk} desk */
function draw(desk) {
  const { says, by, clause, command } = desk.next;
  const who = by.join(" and ");
  must("#next").replaceChildren(says, " ", ...(clause ? [cite(book, clause)] : []), ` By: ${who}.`);
  next.disabled = !command;
  const posts = Object.entries(desk.crew);
  must("#crew").replaceChildren(
    ...posts.map(([post, person]) =>
      h("li", {}, `${post}: ${person === me ? "you" : desk.names[person] ?? "nobody"}`)),
  );
  must("#requests").replaceChildren(...desk.proposals.map(request));
  must("#irregularities").replaceChildren(...desk.irregularities.map(irregularity));
}

/** @param {Desk["proposals"][number]} one */
function request(one) {
  const { preview, id } = one;
  const back = Object.entries(preview.returns).map(([seat, sum]) => `seat ${seat} ${money(sum)}`);
  const words = [
    `${one.command.type} (${one.why || "no reason given"}).`,
    preview.says || preview.ruling || "",
    back.length ? `Comes back: ${back.join(", ")}.` : "",
    `To be approved by: ${preview.approve.join(" or ")}.`,
  ];
  const mine = one.by === me;
  const buttons = mine
    ? [button("Withdraw", () => ask({ type: "withdraw", proposal: id }))]
    : [
        button("Approve", () => approve(id)),
        button("Decline", () => ask({ type: "decline", proposal: id, why: "" })),
      ];
  return h("li", {}, words.filter(Boolean).join(" "), h("p", { class: "actions" }, ...buttons));
}

/** @param {string} id */
async function approve(id) {
  try {
    const { again } = await post("/api/again", { password: password.value });
    password.value = "";
    await ask({ type: "approve", proposal: id, again });
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
}

/** @param {Desk["irregularities"][number]} one */
function irregularity(one) {
  const fields = one.takes.map((fact) => {
    const field = /** @type {HTMLInputElement} */ (h("input", { name: fact, required: "" }));
    return { fact, field, label: h("label", {}, `${fact} `, field) };
  });
  const declare = async () => {
    const given = fields.map(({ fact, field }) => [fact, fact_of(field.value)]);
    const command = { type: "Declare", kind: one.kind, facts: Object.fromEntries(given) };
    const told = await line.ask({ type: "preview", of: "round", command });
    if (told.type !== "previewed") return;
    const two = told.preview.approve.length > 0;
    const message = { of: "round", command };
    await ask(two ? { type: "propose", why: one.says, ...message } : { type: "act", ...message });
  };
  const labels = fields.map(({ label }) => label);
  const cited = one.clause ? [" ", cite(book, one.clause)] : [];
  return h("li", {}, one.says, ...cited, " ", ...labels, " ", button("Declare", declare));
}

/** @param {string} text */
function fact_of(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * @param {string} label
 * @param {() => unknown} run
 */
function button(label, run) {
  const made = h("button", { class: "button" }, label);
  made.addEventListener("click", run);
  return made;
}

function go_on() {
  if (!desk?.next.command) return;
  next.disabled = true;
  ask({ type: "act", of: desk.next.of, command: desk.next.command }).then(() => desk && draw(desk));
}

next.addEventListener("click", go_on);
addEventListener("keydown", (event) => {
  const at = document.activeElement;
  if (event.key !== " " || (at && at !== document.body) || event.repeat) return;
  event.preventDefault();
  go_on();
});
for (const one of root.querySelectorAll("[data-post]"))
  one.addEventListener("click", () =>
    ask({ type: "tap_in", post: /** @type {HTMLElement} */ (one).dataset.post }));
must("#out").addEventListener("click", () => ask({ type: "tap_out" }));
line.open(true);
