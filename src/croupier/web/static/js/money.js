// @ts-check
/** Sums: the wire has dollars as text and cents as numbers; here everything is cents. */

/** @param {string} dollars as the server writes them: 10.00, -3.50 */
export function cents(dollars) {
  const sum = Math.round(Math.abs(Number(dollars)) * 100);
  return dollars.startsWith("-") ? -sum : sum;
}

/** @param {number} sum in cents */
export function money(sum) {
  const all = Math.abs(sum);
  const whole = Math.floor(all / 100).toLocaleString("en-US");
  const rest = all % 100 ? `.${String(all % 100).padStart(2, "0")}` : "";
  return `${sum < 0 ? "\u2212" : ""}$${whole}${rest}`;
}

export const NO_SUM = "Type a sum in dollars, such as 200.";

/**
 * Read a sum as somebody types it; null if it is none.
 * @param {string} [text]
 */
export function typed(text = "") {
  const sum = Math.round(Number(text.replace(/[$,\s]/g, "") || NaN) * 100);
  return Number.isFinite(sum) ? sum : null;
}

/** @param {number} sum in cents, with its sign */
export const signed = (sum) => (sum > 0 ? `+${money(sum)}` : money(sum));
