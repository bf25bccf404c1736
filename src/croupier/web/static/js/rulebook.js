// @ts-check
/** A rulebook: results as you type, closed parts that open for a link, prices beside rulings. */

import { fetchDocument } from "./documents.js";
import { must, near } from "./dom.js";

const PAUSE_MS = 150;
const book = must("#book");
const typed = /** @type {HTMLInputElement} */ (must("#q"));
let waiting = 0;
let asking = new AbortController();

/** Shows what is searched for, or the whole book where nothing is. */
async function search() {
  asking.abort();
  asking = new AbortController();
  const { signal } = asking;
  const words = typed.value.trim();
  const url = location.pathname + (words ? `?q=${encodeURIComponent(words)}` : location.hash);
  try {
    const fresh = await fetchDocument(url, { signal, fragment: true });
    const found = fresh.querySelector("#found");
    if (signal.aborted || !found) return;
    must("#found").replaceWith(found);
    book.hidden = Boolean(words);
    if (words && found.getBoundingClientRect().top < 0) found.scrollIntoView();
    history.replaceState(null, "", url);
  } catch {
    if (!signal.aborted) location.assign(url);
  }
}

/** Opens whatever a link of this page leads into, and goes there. */
function reveal() {
  const place = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!place || !book.contains(place)) return;
  for (let at = place.closest("details"); at; at = at.parentElement?.closest("details") ?? null) {
    at.open = true;
  }
  place.scrollIntoView();
}

typed.addEventListener("input", () => {
  clearTimeout(waiting);
  waiting = window.setTimeout(search, PAUSE_MS);
});
must("#search").addEventListener("submit", (event) => {
  event.preventDefault();
  clearTimeout(waiting);
  search();
});

document.addEventListener("click", (event) => {
  const at = /** @type {HTMLAnchorElement | null} */ (near(event, "a[href*='#'], a[data-clear]"));
  if (!at || at.pathname !== location.pathname || event.ctrlKey || event.metaKey) return;
  if (!book.hidden) return;
  event.preventDefault();
  typed.value = "";
  must("#found").replaceChildren();
  book.hidden = false;
  history.pushState(null, "", at.pathname);
  if (at.hash) location.replace(at.hash); // Unlike a state, it makes the place the target.
});
addEventListener("hashchange", reveal);
addEventListener("popstate", () => {
  const asked = new URLSearchParams(location.search).get("q") ?? "";
  if (asked === typed.value.trim()) return;
  typed.value = asked;
  search();
});
reveal();

for (const one of document.querySelectorAll("[name=kept]")) {
  one.addEventListener("change", () => {
    for (const chapter of document.querySelectorAll("details.chapter")) {
      const { id } = one;
      /** @type {HTMLDetailsElement} */ (chapter).open = id !== "kept-all";
    }
  });
}

/** Puts the prices of rulings beside them; without script they are on a page of their own. */
async function price() {
  const link = /** @type {HTMLAnchorElement} */ (must("a[data-prices]"));
  const priced = await fetchDocument(link.href);
  const found = priced.querySelectorAll("[data-price]");
  for (const one of found) {
    const id = CSS.escape(one.getAttribute("data-price") ?? "");
    document.querySelector(`[data-price="${id}"]`)?.replaceWith(one);
  }
  must("#prices-status").textContent = `${found.length} rulings are priced.`;
}

price();
