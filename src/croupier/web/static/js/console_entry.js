// @ts-check
/**
 * Forms of the console, drawn from the fields that a command takes.
 *
 * @typedef {import("./types").Field} Field
 */

import { h, must } from "./dom.js";

/** @type {Record<string, string>} The house's own barcodes of cards. */
const CODES = JSON.parse(must("#desk").dataset.codes || "{}");
/** A card as people type it: rank and suit, in capitals or not. */
const CARD = /^(?:10|[2-9tjqka])[shdc]$/i;
const COMMAS = /,(?=\d{3}(?:\D|$))/g;

/** The keys that a phone offers for a field. */
const KEYS = { money: "decimal", number: "numeric" };

/**
 * The name of a card that was typed or scanned; anything else is left as it is, to be refused.
 * @param {string} text
 */
function card(text) {
  if (text in CODES) return CODES[text];
  if (!CARD.test(text)) return text;
  return text.slice(0, -1).replace("10", "T").toUpperCase() + text.slice(-1).toLowerCase();
}

/**
 * A number, with or without commas between thousands; anything else stays text, to be refused.
 * @param {string} text
 */
function number(text) {
  const found = Number(text.replace(COMMAS, ""));
  return Number.isNaN(found) ? text : found;
}

/** @param {string} text */
function cents(text) {
  const dollars = number(text.replace("$", ""));
  return typeof dollars === "number" ? Math.round(dollars * 100) : text;
}

/**
 * What was typed into a field, as parts of a command: sums are typed in dollars and sent in cents.
 * @param {Field} field
 * @param {string} text
 */
export function entered({ field, kind, answers = [], optional }, text) {
  const typed = text.trim();
  if (optional && !typed) return {};
  switch (kind) {
    case "choice": return answers[Number(typed)]?.gives ?? {};
    case "money": return { [field]: cents(typed) };
    case "number": return { [field]: number(typed) };
    case "card": return { [field]: card(typed) };
    case "cards": return { [field]: typed.split(/[\s,]+/).filter(Boolean).map(card) };
    default: return { [field]: typed };
  }
}

/**
 * Parts of a command, those with a dot in their names inside of others: `cards.1`.
 * @param {Record<string, unknown>[]} parts
 */
export function nested(parts) {
  /** @type {Record<string, any>} */
  const made = {};
  for (const [path, value] of parts.flatMap((one) => Object.entries(one))) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    names.reduce((within, name) => (within[name] ??= {}), made)[last] = value;
  }
  return made;
}

/**
 * A field that can be typed into or chosen from; `about` says what it belongs to.
 * @param {Field} field
 * @param {string} about
 */
function control({ kind, says, answers, optional, value = "" }, about) {
  const label = `${about}: ${says.toLowerCase()}`;
  if (answers)
    return /** @type {HTMLSelectElement} */ (h("select", { "aria-label": label },
      ...answers.map((one, number) => h("option", { value: number }, one.says))));
  return /** @type {HTMLInputElement} */ (h("input", { "aria-label": label, placeholder: says,
    value, required: optional ? null : "", autocomplete: "off", autocapitalize: "none",
    spellcheck: "false", inputmode: KEYS[/** @type {keyof typeof KEYS} */ (kind)] ?? "text" }));
}

/**
 * A form with these fields; `send` gets the parts of the command and what was typed, in words.
 * @param {Field[]} fields
 * @param {{about: string, button: (Node | string)[],
 *   send: (parts: Record<string, unknown>, words: string) => Promise<boolean>}} how
 */
export function form(fields, { about, button, send }) {
  const controls = fields.map((field) => control(field, about));
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const parts = fields.map((field, at) => entered(field, controls[at].value));
    const words = controls.map((one) => "selectedOptions" in one
      ? one.selectedOptions[0]?.text ?? "" : one.value);
    if (!(await send(nested(parts), words.filter(Boolean).join(", ")))) return;
    fields.forEach((field, at) => {
      if (!field.answers) controls[at].value = field.value ?? "";
    });
  };
  const made = controls.flatMap((one, at) => [one, ...link(fields[at], one)]);
  return h("form", { class: "act-form", submit }, ...made,
    h("button", { class: "button" }, ...button));
}

/**
 * A link to what a field names, such as a round's page.
 * @param {Field} field
 * @param {HTMLInputElement | HTMLSelectElement} one
 */
function link({ link: to, says }, one) {
  if (!to) return [];
  const words = `Look at the ${says.toLowerCase()}`;
  const made = h("a", { class: "button", target: "_blank", rel: "noopener" }, words);
  const point = () => made.setAttribute("href", to.replace("{}", encodeURIComponent(one.value)));
  one.addEventListener("input", point);
  point();
  return [made];
}
