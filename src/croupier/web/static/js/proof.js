// @ts-check
/**
 * The check of a deal, in this browser: the commitment is worked out again from round, rules and
 * root, the way of every card up the tree of hashes, and the players' cut. Nothing is taken from
 * the server but the document that it gave.
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

const text = new TextEncoder();

/**
 * The hash that a player sends before a contribution to the cut is revealed.
 * @param {string} round
 * @param {string} player
 * @param {string} value
 */
export const contributionHash = async (round, player, value) =>
  hex(await hashed("contribution", ...[round, player, value].map((one) => text.encode(one))));

/**
 * One number for the hashes of all contributions.
 * @param {string[]} hashes
 */
export const rollOf = async (hashes) => hex(await hashed("roll", ...[...hashes].sort().map(bytes)));

/**
 * The committed position of each card that is dealt, as the revealed contributions permute them.
 * @param {any} document
 * @returns {Promise<number[]>}
 */
export async function orderOf(document) {
  const order = Array.from({ length: 52 }, (_, position) => position);
  /** @type {string[]} */
  const values = [];
  for (const { player, hash, value } of document.cut ?? []) {
    if (value === null) continue;
    if ((await contributionHash(document.round, player, value)) !== hash)
      throw new Error("A contribution is not the one whose hash was sent.");
    values.push(value);
  }
  if (!values.length) return order;
  // Texts are printable ASCII, so the order of their characters is that of their bytes.
  const sorted = values.sort((a, b) => (a < b ? -1 : Number(a > b)));
  const parts = [text.encode(document.round), bytes(document.commitment)];
  const key = await hashed("cut", ...parts, ...sorted.map((one) => text.encode(one)));
  /** @type {number[]} */
  let stream = [];
  for (let last = 51, block = 0; last > 0; ) {
    if (!stream.length) {
      const count = Uint8Array.of(block >> 24, block >> 16, block >> 8, block);
      stream = Array.from(await hashed("cut stream", key, count));
      block += 1;
    }
    const byte = /** @type {number} */ (stream.shift());
    if (byte >= 256 - (256 % (last + 1))) continue;
    const chosen = byte % (last + 1);
    [order[last], order[chosen]] = [order[chosen], order[last]];
    last -= 1;
  }
  return order;
}

/**
 * What is wrong with a cut, by what this browser noted before it revealed; '' if nothing is.
 * @param {any} document
 * @param {{value: string, roll: string} | undefined} noted
 */
export async function cutFault(document, noted) {
  if (!noted?.roll) return "";
  /** @type {{hash: string, value: string | null}[]} */
  const made = document.cut ?? [];
  if ((await rollOf(made.map((one) => one.hash))) !== noted.roll)
    return "The contributions are not those that your browser saw before it revealed yours.";
  if (!made.some((one) => one.value === noted.value))
    return "Your contribution was left out: it did not arrive in time, or was dropped.";
  return "";
}

const FORMATS = ["croupier-deal-1", "croupier-deal-2"];

/**
 * @param {any} document
 * @param {string} noted the commitment that was shown before the bets
 * @returns {Promise<{position: number, card: string, dealt: number, proven: boolean}[]>}
 */
export async function check(document, noted) {
  const root = bytes(document.root);
  const whole = await hashed("round", text.encode(document.round), bytes(document.rules), root);
  if (
    !FORMATS.includes(document.format) ||
    hex(whole) !== noted ||
    document.commitment !== noted
  ) {
    throw new Error("The commitment is not that of this round, its rules and its deck.");
  }
  const order = await orderOf(document);
  /** @param {{position: number, card: string, salt: string, path: string[]}} opened */
  const one = async ({ position, card, salt, path }) => {
    let node = await hashed("card", Uint8Array.of(position), text.encode(card), bytes(salt));
    for (const [level, beside] of path.entries()) {
      const other = bytes(beside);
      const pair = (position >> level) & 1 ? [other, node] : [node, other];
      node = await hashed("node", ...pair);
    }
    const proven = path.length === DEPTH && hex(node) === document.root;
    return { position, card, dealt: order.indexOf(position), proven };
  };
  return Promise.all(document.opened.map(one));
}
