// @ts-check
/** The pages of the staff: forms that post JSON, with the password again where an act needs it. */

import { get, post } from "./api.js";

const AWAKE_MS = 60_000;

/**
 * What a form sends: its fields, its ticked boxes as a list, and what is fixed.
 * @param {HTMLFormElement} form
 * @returns {Record<string, unknown>}
 */
function given(form) {
  /** @type {Record<string, unknown>} */
  const body = JSON.parse(form.dataset.set ?? "{}");
  const boxes = [...form.querySelectorAll("input[type=checkbox]")];
  const lists = new Set(boxes.map((one) => one.getAttribute("name") ?? ""));
  for (const name of lists) body[name] = new FormData(form).getAll(name);
  for (const [name, value] of new FormData(form))
    if (!lists.has(name)) body[name] = value;
  return body;
}

/**
 * @param {HTMLFormElement} form
 * @param {string} text
 */
function says(form, text) {
  const place = form.querySelector("[role=status]");
  if (place) place.textContent = text;
}

/**
 * @param {HTMLFormElement} form
 * @param {Record<string, unknown>} body
 */
async function send(form, body) {
  const answer = await post(form.dataset.post ?? "", body);
  if (answer?.link) {
    form.reset();
    says(form, `Give this person the link, which works once: ${location.origin}${answer.link}`);
  } else if (form.dataset.then) location.assign(form.dataset.then);
  else location.reload();
}

document.addEventListener("submit", async (event) => {
  const form = event.target;
  if (!(form instanceof HTMLFormElement) || !form.dataset.post) return;
  event.preventDefault();
  try {
    const body = given(form);
    if ("password" in body && !("plain" in form.dataset)) {
      const { password, ...rest } = body;
      await send(form, { ...rest, again: (await post("/api/again", { password })).again });
    } else await send(form, body);
  } catch (error) {
    const words = /** @type {Error} */ (error).message;
    says(form, `${words[0].toUpperCase()}${words.slice(1)}.`);
  }
});

/**
 * Let forms be used: until their script is there, a press would send their fields in an address.
 * @param {Document} page
 */
function wake(page) {
  for (const form of page.querySelectorAll("form"))
    form.inert = false;
}
wake(document);

// Reading and typing keep the session from locking; the page alone doesn't.
let last = Date.now();
for (const kind of ["keydown", "pointerdown"])
  document.addEventListener(kind, () => {
    if (Date.now() - last < AWAKE_MS) return;
    last = Date.now();
    get("/api/me").catch(() => null);
  });

const note = document.getElementById("note-says");

/** Whether keys of one letter are on; the help of the console and of the tables switches them. */
function keysOn() {
  try {
    return JSON.parse(localStorage.getItem("croupier.settings") ?? "{}").keys !== false;
  } catch {
    return true;
  }
}

addEventListener("keydown", (event) => {
  const types = event.target instanceof Element && event.target.closest("input, select, textarea");
  const alone = !event.ctrlKey && !event.altKey && !event.metaKey;
  if (!note || types || !alone || event.key.toLowerCase() !== "m" || !keysOn()) return;
  event.preventDefault();
  note.focus();
});

const REFRESH_MS = 5_000;

/** @param {Element} part */
const typing = (part) =>
  part.contains(document.activeElement) ||
  [...part.querySelectorAll("input")].some((one) => one.value !== one.defaultValue);

const UNREACHED = "The server can't be reached: this page isn't up to date.";
/** @type {Record<number, string>} */
const OLD = {
  401: "Your session has ended: this page isn't up to date. Sign in again.",
  403: "Your roles have changed: this page isn't yours any more.",
};

/**
 * Say that what is shown is old, or take that back.
 * @param {string} text
 */
function stale(text) {
  const bar = /** @type {HTMLElement} */ (document.getElementById("stale"));
  if (bar.textContent !== text) bar.textContent = text;
}

/** Update the parts of a page that change, except one that is being edited. */
async function refresh() {
  const parts = [...document.querySelectorAll("[data-refresh]")];
  if (document.hidden || !parts.length) return;
  const answer = await fetch(location.href, { headers: { "X-Croupier-Refresh": "1" } });
  stale(OLD[answer.status] ?? (answer.ok ? "" : UNREACHED));
  if (!answer.ok) return;
  const next = new DOMParser().parseFromString(await answer.text(), "text/html");
  wake(next);
  const others = [...next.querySelectorAll("[data-refresh]")];
  parts.forEach((part, at) => {
    const other = others[at];
    if (other && !typing(part) && part.innerHTML !== other.innerHTML)
      part.replaceChildren(...document.importNode(other, true).childNodes);
  });
}

setInterval(() => refresh().catch(() => stale(UNREACHED)), REFRESH_MS);
