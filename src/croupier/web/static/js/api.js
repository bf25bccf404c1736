// @ts-check
/** The JSON routes: one way to ask, and what was wrong in words. */

/**
 * @param {string} path
 * @param {unknown} [body]
 * @returns {Promise<any>}
 */
export const post = (path, body = {}) =>
  asked(path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Croupier": "1" },
    body: JSON.stringify(body),
  });

/**
 * @param {string} path
 * @returns {Promise<any>}
 */
export const get = (path) => asked(path, { headers: { Accept: "application/json" } });

/**
 * @param {string} path
 * @param {RequestInit} how
 */
async function asked(path, how) {
  const response = await fetch(path, how);
  const answer = await response.json().catch(() => null);
  if (response.ok) return answer;
  const error = answer?.error ?? answer;
  throw Object.assign(new Error(error?.message ?? "The server doesn't answer."), error);
}

/**
 * What the bank keeps of each wager of a table on average, by the exact odds of its rules.
 * @param {string} table
 * @returns {Promise<{edge: string, wagers: {wager: string, house_edge: string}[]}>}
 */
export async function edges(table) {
  const none = { wagers: [], banked_by: "house" };
  const { wagers, banked_by } = await get(`/tables/${table}/strategy.json`).catch(() => none);
  return { edge: banked_by === "house" ? "House edge" : "Banker\u2019s edge", wagers };
}
