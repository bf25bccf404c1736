// @ts-check
/**
 * The name of a hand, for those who may see its cards. The server never sends a name for cards
 * that only one player sees, so the length of a frame gives nothing away.
 */

const RANKS = "23456789TJQKA";
const NAMES = (
  "two three four five six seven eight nine ten jack queen king ace"
).split(" ");
/** @type {Record<string, string>} */
const SUITS = { s: "spades", h: "hearts", d: "diamonds", c: "clubs" };
const ROYAL = { 3: "mini royal", 5: "royal flush" };

/** @param {string} code */
export const cardWords = (code) =>
  code ? `${NAMES[RANKS.indexOf(code[0])]} of ${SUITS[code[1]]}` : "a card face down";

/** @param {number} rank */
const face = (rank) => (rank < 0 ? "A" : RANKS[rank].replace("T", "10"));
/** @param {number} rank */
const plural = (rank) => `${NAMES[rank]}${NAMES[rank] === "six" ? "es" : "s"}`;

/**
 * Name a hand as a dealer calls it: "pair of tens", "straight A-K-Q". Fewer cards than a hand
 * needs are named as far as they make something: straights and flushes take all of them.
 * @param {string[]} codes
 * @param {{size?: number, wheel?: boolean}} [how] how many cards a whole hand has
 */
export function handName(codes, { size = codes.length, wheel = true } = {}) {
  if (!codes.length || codes.some((code) => !code)) return "";
  const values = codes.map((code) => RANKS.indexOf(code[0])).sort((a, b) => b - a);
  const count = (/** @type {number} */ rank) => values.filter((one) => one === rank).length;
  const ranks = [...new Set(values)].sort((a, b) => count(b) - count(a) || b - a);
  const [first, second] = ranks;
  const most = count(first);
  if (most === 4) return `four ${plural(first)}`;
  if (most === 3 && ranks.length === 2 && codes.length === 5)
    return `full house, ${plural(first)} over ${plural(second)}`;
  if (most === 3) return `three ${plural(first)}`;
  if (most === 2 && count(second ?? -1) === 2)
    return `two pair, ${plural(first)} and ${plural(second)}`;
  if (most === 2) return `pair of ${plural(first)}`;
  const short = values.map(face).join("-");
  if (codes.length < size) return `${NAMES[first]} high`;
  const low = values[0] === 12 && values[1] === codes.length - 2 && (size === 3 || wheel);
  const run = low ? [...values.slice(1), -1] : values;
  const straight = run[0] - run[run.length - 1] === codes.length - 1;
  const suited = codes.every((code) => code[1] === codes[0][1]);
  if (straight && suited && run[0] === 12)
    return `${ROYAL[/** @type {3 | 5} */ (size)]} in ${SUITS[codes[0][1]]}`;
  if (straight) return `straight${suited ? " flush" : ""} ${run.map(face).join("-")}`;
  return suited ? `flush ${short}` : `${NAMES[first]} high ${short}`;
}

/** @param {string} words */
export const sentence = (words) => words && words[0].toUpperCase() + words.slice(1);
