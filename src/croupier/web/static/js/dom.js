// @ts-check
/** Elements in one expression. Text goes in as text: nothing that is shown can become markup. */

/**
 * @param {string} tag
 * @param {Record<string, unknown>} [with_]
 * @param {...(Node | string | null | false)} inside
 * @returns {HTMLElement}
 */
export function h(tag, with_ = {}, ...inside) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(with_)) {
    if (value === false || value === null || value === undefined) continue;
    if (typeof value === "function")
      made.addEventListener(name, /** @type {EventListener} */ (value));
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...inside.filter((one) => one !== null && one !== false));
  return made;
}

/**
 * @param {string} selector
 * @returns {HTMLElement}
 */
export function must(selector) {
  const found = document.querySelector(selector);
  if (!(found instanceof HTMLElement)) throw new Error(`the page has no ${selector}`);
  return found;
}

/** @type {Promise<unknown> | undefined} */
let styles;

/** Fetch the style of what opens over a table, once. */
export const dressed = () =>
  (styles ??= new Promise((done) => {
    const href = "/static/over.css";
    document.head.append(h("link", { rel: "stylesheet", href, load: done, error: done }));
  }));

/** @param {string} selector */
export const dialog = (selector) => /** @type {HTMLDialogElement} */ (must(selector));

/**
 * The element around whatever an event is about.
 * @param {Event} event
 * @param {string} selector
 * @returns {HTMLElement | null}
 */
export const near = (event, selector) =>
  event.target instanceof Element ? event.target.closest(selector) : null;

/**
 * Put just these elements into a place; what is there already is not touched.
 * @param {Element} place
 * @param {Element[]} wanted
 */
export function fill(place, wanted) {
  const same =
    wanted.length === place.children.length && wanted.every((one, n) => place.children[n] === one);
  if (!same) place.replaceChildren(...wanted);
}

/**
 * @param {Element} place
 * @param {string} text
 */
export function write(place, text) {
  if (place.textContent !== text) place.textContent = text;
}

/** Where a clause stands on its book's page; as the server writes it.
 * @param {string} book
 * @param {string} clause
 */
export const clauseHref = (book, clause) =>
  `/rulebooks/${book}#clause-${clause.replace(/[^A-Za-z0-9./()_-]/g, "-")}`;

/** A clause as people read it; as the server writes it.
 * @param {string} clause
 */
export function clauseSays(clause) {
  const [section, number] = clause.split("/");
  if (!/^[a-z]{2}/i.test(section)) return clause;
  const words = [section, number ?? ""].map((part) => part.replaceAll("-", " ")).join(" ");
  return words[0].toUpperCase() + words.slice(1).trimEnd();
}

/**
 * A citation that opens the clause where one is; a ruling may stand alone.
 * @param {string} book
 * @param {string | null} clause
 * @param {string | null} [ruling]
 */
export const cite = (book, clause, ruling = null) =>
  clause
    ? h(
        "a",
        {
          class: "cite",
          href: clauseHref(book, clause),
          "data-clause": clause,
          "data-ruling": ruling,
        },
        clauseSays(clause),
      )
    : h("span", { class: "cite" }, `ruling ${ruling}`);

/**
 * Let a click on any citation show the clause here.
 * @param {string} book
 */
export const citesOpen = (book) =>
  document.addEventListener("click", async (event) => {
    const at = near(event, 'a[href*="#clause-"]');
    if (!at || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const { show } = await import("./clauses.js");
    show(book, at.dataset.clause ?? at.textContent ?? "", at.dataset.ruling ?? "");
  });
