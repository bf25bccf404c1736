// @ts-check
/**
 * The check of a deal, in this browser: the commitment is worked out again from round, rules and
 * root, and the way of every card up the tree of hashes. Nothing is taken from the server but the
 * document that it gave.
 */

const DEPTH = 6;

/** @param {string} hex */
const bytes = (hex) => Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));

/** @param {ArrayBuffer | Uint8Array} all */
const hex = (all) =>
  Array.from(new Uint8Array(all), (one) => one.toString(16).padStart(2, "0")).join("");

/**
 * SHA-256 of what kind of thing this is and of its parts, each after its length in two bytes.
 * @param {string} kind
 * @param {...Uint8Array} parts
 */
async function hashed(kind, ...parts) {
  const every = [new TextEncoder().encode(`croupier ${kind} 1`), ...parts];
  const framed = every.flatMap((part) => [part.length >> 8, part.length & 255, ...part]);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", Uint8Array.from(framed)));
}

/**
 * @param {any} document
 * @param {string} noted the commitment that was shown before the bets
 * @returns {Promise<{position: number, card: string, proven: boolean}[]>}
 */
export async function check(document, noted) {
  const text = new TextEncoder();
  const root = bytes(document.root);
  const whole = await hashed("round", text.encode(document.round), bytes(document.rules), root);
  if (
    document.format !== "croupier-deal-1" ||
    hex(whole) !== noted ||
    document.commitment !== noted
  ) {
    throw new Error("The commitment is not that of this round, its rules and its deck.");
  }
  /** @param {{position: number, card: string, salt: string, path: string[]}} opened */
  const one = async ({ position, card, salt, path }) => {
    let node = await hashed("card", Uint8Array.of(position), text.encode(card), bytes(salt));
    for (const [level, beside] of path.entries()) {
      const other = bytes(beside);
      const pair = (position >> level) & 1 ? [other, node] : [node, other];
      node = await hashed("node", ...pair);
    }
    return { position, card, proven: path.length === DEPTH && hex(node) === document.root };
  };
  return Promise.all(document.opened.map(one));
}
