// @ts-check
/** A click on a clause shows what it says, and any ruling on it, without leaving the table. */

import { get } from "./api.js";
import { clauseHref, clauseSays, dressed, h } from "./dom.js";

await dressed();

/** @type {Map<string, Promise<any>>} */
const books = new Map();

/**
 * @param {string} book
 * @param {string} clause
 * @param {string} ruling
 */
export async function show(book, clause, ruling) {
  const inside = h("div", { class: "said" }, "…");
  const dialog = /** @type {HTMLDialogElement} */ (
    h(
      "dialog",
      { class: "card-dialog", "aria-labelledby": "clause-title", close: () => dialog.remove() },
      h("h2", { id: "clause-title" }, `Clause ${clauseSays(clause)}`),
      inside,
      h(
        "form",
        { method: "dialog", class: "actions" },
        h("a", { class: "button", href: clauseHref(book, clause) }, "Open the book"),
        h("button", { class: "button main" }, "Close"),
      ),
    )
  );
  document.body.append(dialog);
  dialog.showModal();
  try {
    if (!books.has(book)) books.set(book, get(`/rulebooks/${book}.json`));
    const read = await books.get(book);
    const found = read.clauses.find((/** @type {any} */ one) => one.id === clause);
    const rulings = read.rulings.filter((/** @type {any} */ one) =>
      ruling ? one.id === ruling : one.clauses.includes(clause),
    );
    inside.replaceChildren(
      h("p", {}, found ? found.says : "The book has no text for this clause."),
      ...rulings.map(rulingSays),
    );
  } catch {
    books.delete(book);
    inside.replaceChildren(h("p", {}, "We can't load the book right now."));
  }
}

/** @param {any} one */
function rulingSays(one) {
  return h(
    "div",
    { class: "notice" },
    h("p", {}, h("strong", {}, `Ruling ${one.id}. `), one.problem),
    one.choice ? h("p", {}, one.choice) : null,
  );
}
