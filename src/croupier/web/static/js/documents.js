// @ts-check
/** Fetches pages of this server as documents, for modules that put parts of them into theirs. */

/**
 * @param {string} url
 * @param {{ signal?: AbortSignal, fragment?: boolean }} [options] `fragment` asks for what
 *   changes alone, without head and navigation.
 * @returns {Promise<Document>}
 */
export async function fetchDocument(url, { signal, fragment = false } = {}) {
  /** @type {Record<string, string>} */
  const headers = { Accept: "text/html", ...(fragment ? { "X-Fragment": "1" } : {}) };
  const response = await fetch(url, { signal, headers });
  return new DOMParser().parseFromString(await response.text(), "text/html");
}
