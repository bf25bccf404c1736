// @ts-check
/** Answers as one types: the form's own address is asked for what changes. */

import { fetchDocument } from "./documents.js";

const PAUSE_MS = 120;

/** @type {HTMLFormElement | null} */
const form = document.querySelector("form[data-live]");
let waiting = 0;
let asking = new AbortController();

/**
 * The query that asks what the form says; what is empty or stands at its default is left out.
 * @param {HTMLFormElement} form
 */
function queryOf(form) {
  const words = new URLSearchParams();
  for (const control of form.elements) {
    if (!(control instanceof HTMLInputElement || control instanceof HTMLSelectElement)) continue;
    const value = control.value.trim();
    if (value && value !== control.dataset.default) words.append(control.name, value);
  }
  return words.toString();
}

/** @param {Element} part */
const namesOf = (part) => Array.from(part.querySelectorAll("[name]"), (one) => one.id).join();

/**
 * Shows which fields are at fault, or takes other fields over where there are others now.
 * @param {Element} old
 * @param {Element} fresh
 */
function takeOver(old, fresh) {
  if (namesOf(old) !== namesOf(fresh)) {
    const focused = document.activeElement?.id;
    for (const one of fresh.querySelectorAll("details")) {
      one.open ||= old.querySelector("details")?.open ?? false;
    }
    old.replaceChildren(...fresh.childNodes);
    if (focused) document.getElementById(focused)?.focus();
    return;
  }
  for (const field of fresh.querySelectorAll(".field")) {
    const control = field.querySelector("[name]");
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

/** @param {HTMLFormElement} form */
async function ask(form) {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const { pathname } = new URL(form.action);
  const query = queryOf(form);
  const url = `${pathname}?${query}`;
  const answer = document.getElementById(form.dataset.live ?? "");
  answer?.setAttribute("aria-busy", "true");
  try {
    const fresh = await fetchDocument(url, { signal, fragment: true });
    if (signal.aborted) return;
    const changed = fresh.getElementById("answer");
    if (answer && changed) answer.replaceChildren(...changed.childNodes);
    const fields = fresh.getElementById("ask");
    if (fields) takeOver(form, fields);
    history.replaceState(null, "", url);
    for (const twin of document.querySelectorAll("[data-twin]")) {
      twin.setAttribute("href", `${pathname}.json?${query}`);
    }
  } catch (error) {
    if (!signal.aborted) form.submit();
  } finally {
    if (!signal.aborted) answer?.removeAttribute("aria-busy");
  }
}

form?.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = window.setTimeout(() => ask(form), PAUSE_MS);
});
form?.addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(waiting);
  ask(form).then(() => document.getElementById("answer")?.scrollIntoView({ block: "nearest" }));
});
