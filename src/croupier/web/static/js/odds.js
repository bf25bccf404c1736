// @ts-check
/** Answers as you type: the form's own address is asked for what changes. */

import { fetchDocument } from "./documents.js";

const PAUSE_MS = 120;

/** @type {HTMLFormElement | null} */
const form = document.querySelector("form[data-live]");
let waiting = 0;
let asking = new AbortController();
/** The field that was edited last: going back undoes one field, not one letter. */
let edited = "";
let shown = location.search;

/**
 * The query that asks what the form says. Empty fields and defaults are left out, and so is the
 * book that the form was made for, unless another one was chosen.
 * @param {HTMLFormElement} form
 */
function queryOf(form) {
  const words = new URLSearchParams();
  for (const control of form.elements) {
    if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) continue;
    const value = control.value.trim();
    const book = form.elements.namedItem(control.name.replace(/was$/, "book"));
    if (control.type === "hidden" && value === /** @type {any} */ (book)?.value) continue;
    if (value && value !== control.dataset.default) words.append(control.name, value);
  }
  return `?${words}`;
}

/** @param {Element} part */
const namesOf = (part) => Array.from(part.querySelectorAll("[name]"), (one) => one.id).join();

/**
 * Puts other fields into the form, and keeps the focus.
 * @param {Element} old
 * @param {Element} fresh
 */
function replaceFields(old, fresh) {
  const focused = document.activeElement?.id;
  for (const one of fresh.querySelectorAll("details")) {
    one.open ||= old.querySelector("details")?.open ?? false;
  }
  old.replaceChildren(...fresh.childNodes);
  if (focused) document.getElementById(focused)?.focus();
}

/**
 * Shows which fields are at fault.
 * @param {Element} fresh
 */
function showFaults(fresh) {
  for (const field of fresh.querySelectorAll(".field")) {
    const control = field.querySelector("[id][name]");
    const here = control && document.getElementById(control.id);
    if (!control || !here) continue;
    for (const name of ["aria-invalid", "aria-describedby"]) {
      const value = control.getAttribute(name);
      if (value === null) here.removeAttribute(name);
      else here.setAttribute(name, value);
    }
    const fault = here.parentElement?.querySelector(".fault");
    const now = field.querySelector(".fault");
    if (fault && now) fault.replaceWith(now);
    else if (now) here.parentElement?.append(now);
    else fault?.remove();
  }
}

/**
 * Asks a query and shows its answer. The address afterwards is that of what was answered, which
 * leaves out what another book has no use for.
 * @param {HTMLFormElement} form
 * @param {string} query
 * @param {(url: string) => void} [visit]
 */
async function ask(form, query, visit) {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const { pathname } = new URL(form.action);
  const answer = document.getElementById(form.dataset.live ?? "");
  answer?.setAttribute("aria-busy", "true");
  try {
    const fresh = await fetchDocument(pathname + query, { signal, fragment: true });
    if (signal.aborted) return;
    const changed = fresh.getElementById("answer");
    const fields = fresh.getElementById("ask");
    if (!answer || !changed || !fields) throw new Error("there is no answer");
    answer.replaceChildren(...changed.childNodes);
    const forgiven = query.includes("was=");
    const anew = !visit || forgiven || namesOf(form) !== namesOf(fields);
    if (anew) replaceFields(form, fields);
    else showFaults(fields);
    shown = forgiven ? (fields.dataset.asks ?? query) : query;
    visit?.(pathname + shown);
    for (const twin of document.querySelectorAll("[data-twin]")) {
      twin.setAttribute("href", `${pathname}.json${shown}`);
    }
  } catch (error) {
    if (!signal.aborted) location.assign(pathname + query);
  } finally {
    if (!signal.aborted) answer?.removeAttribute("aria-busy");
  }
}

if (form) {
  form.addEventListener("input", (event) => {
    const name = event.target instanceof Element ? event.target.id : "";
    clearTimeout(waiting);
    waiting = window.setTimeout(() => {
      const visit = name === edited ? "replaceState" : "pushState";
      edited = name;
      ask(form, queryOf(form), (url) => history[visit](null, "", url));
    }, PAUSE_MS);
  });
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    clearTimeout(waiting);
    await ask(form, queryOf(form), (url) => history.replaceState(null, "", url));
    document.getElementById("answer")?.scrollIntoView({ block: "nearest" });
  });
  addEventListener("popstate", () => {
    if (location.search === shown) return; // Only the place on the page has changed.
    edited = "";
    ask(form, location.search);
  });
}
