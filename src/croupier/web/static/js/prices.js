// @ts-check
/** Puts the prices of rulings beside them; without it they are on a page of their own. */

import { fetchDocument } from "./documents.js";

/** @type {HTMLAnchorElement | null} */
const link = document.querySelector("a[data-prices]");
const status = document.querySelector("#prices-status");

if (link && status) {
  const priced = await fetchDocument(link.href);
  const found = priced.querySelectorAll("[data-price]");
  for (const one of found) {
    const id = CSS.escape(one.getAttribute("data-price") ?? "");
    document.querySelector(`[data-price="${id}"]`)?.replaceWith(one);
  }
  status.textContent = `${found.length} rulings are priced.`;
}
