// @ts-check
/** Coming in, going out, and one's own history: forms that post JSON. */

import { get, post } from "./api.js";
import { h } from "./dom.js";

for (const form of document.querySelectorAll("form[data-post]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!(form instanceof HTMLFormElement)) return;
    const says = form.querySelector("[role=status]");
    const given = Object.fromEntries(new FormData(form));
    try {
      await post(form.dataset.post ?? "", given);
      location.assign(form.dataset.then ?? "/");
    } catch (error) {
      const words = /** @type {Error} */ (error).message;
      if (says) says.textContent = `${words[0].toUpperCase()}${words.slice(1)}.`;
    }
  });
}

/**
 * The other side of an entry, in words.
 * @param {string} account
 */
const named = (account) => account.replace(":", " ").replaceAll("_", " ");

async function history() {
  const place = document.querySelector("#history");
  if (!place) return;
  const { account, entries } = await get("/api/history?limit=100");
  place.replaceChildren(
    ...entries.map((/** @type {any} */ one) => {
      const comes = one.credit === account;
      const sum = Number(one.dollars).toFixed(2);
      const round = /^([a-z0-9-]+-\d+)[/#:]/.exec(one.id)?.[1];
      return h(
        "tr",
        {},
        h("td", {}, round ? h("a", { href: `/rounds/${round}` }, round) : "–"),
        h("td", {}, one.code),
        h("td", {}, named(comes ? one.debit : one.credit)),
        h("td", {}, `${comes ? "+" : "\u2212"}$${sum}`),
      );
    }),
  );
}

history();
