// @ts-check
/** The lobby: one press makes a guest and leads to a seat; seats and meters stay up to date. */

import { get, post } from "./api.js";
import { must, near, write } from "./dom.js";

const EVERY_MS = 5000;
const SUM = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

document.addEventListener("click", async (event) => {
  const at = /** @type {HTMLAnchorElement | null} */ (near(event, "a[data-play]"));
  if (!at || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  try {
    await post("/api/guest");
    location.assign(at.href);
  } catch (error) {
    must("#status").textContent = /** @type {Error} */ (error).message;
  }
});

/**
 * Shows what a meter has come to; one that has risen lights up.
 * @param {Element} place
 * @param {string | null} shows
 */
function showMeter(place, shows) {
  const text = shows ? `$${SUM.format(Number(shows))}` : "out of order";
  if (place.textContent === text) return;
  place.textContent = text;
  place.classList.remove("risen");
  requestAnimationFrame(() => place.classList.add("risen"));
}

async function refresh() {
  if (document.hidden) return;
  const { tables } = await get("/lobby.json").catch(() => ({ tables: [] }));
  for (const table of tables) {
    const row = document.querySelector(`[data-row="${table.table}"]`);
    const seats = row?.querySelector("[data-seats]");
    const players = row?.querySelector("[data-players]");
    if (seats) write(seats, `${table.taken} of ${table.seats}`);
    if (players) write(players, table.players.join(", ") || "Nobody is here yet");
    for (const place of document.querySelectorAll(`[data-meter="${table.table}"]`)) {
      showMeter(place, table.meters[Number(place.getAttribute("data-number"))].shows);
    }
  }
}

setInterval(refresh, EVERY_MS);
