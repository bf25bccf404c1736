// @ts-check
/** The lobby: one press makes a guest and leads to a seat; seats and meters stay up to date. */

import { get, post } from "./api.js";
import { must, near } from "./dom.js";

const EVERY_MS = 5000;

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

setInterval(async () => {
  if (document.hidden) return;
  const { tables } = await get("/lobby.json").catch(() => ({ tables: [] }));
  for (const table of tables) {
    const row = document.querySelector(`[data-row="${table.table}"]`);
    const seats = row?.querySelector("[data-seats]");
    if (seats) seats.textContent = `${table.taken} of ${table.seats}`;
    row?.querySelectorAll("[data-meter]").forEach((shown, number) => {
      const { shows } = table.meters[number];
      shown.textContent = shows ? `$${shows}` : "out of reach";
    });
  }
}, EVERY_MS);
