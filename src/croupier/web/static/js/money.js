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

/**
 * A sum where there is hardly room: of hundreds no cents, of thousands tenths, then none. It is
 * never said to be more than it is.
 * @param {number} sum in cents
 */
export function brief(sum) {
  const dollars = Math.floor(Math.abs(sum) / 100);
  if (dollars < 100) return money(sum);
  const parts = dollars < 10_000 ? 10 : 1;
  const thousands = Math.floor((dollars / 1000) * parts) / parts;
  return `${sum < 0 ? "\u2212" : ""}${dollars < 1000 ? `$${dollars}` : `${thousands}k`}`;
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

/**
 * A sum with its sign.
 * @param {number} sum in cents
 * @param {(sum: number) => string} [says]
 */
export const signed = (sum, says = money) => (sum > 0 ? `+${says(sum)}` : says(sum));
