// @ts-check
/**
 * The page of a table for a new visitor: it shows what happens there, and fetches table.js, with
 * which you play, when a pointer comes near. The first press waits for it and is made again.
 *
 * @typedef {import("./felt.js").FeltTable} FeltTable
 * @typedef {import("./types").Message} Message
 */

import { edges } from "./api.js";
import { must, near } from "./dom.js";
import { chips } from "./elements.js";
import "./felt.js";
import { ordinary, said } from "./messages.js";
import { Gate } from "./motion.js";
import { LOST, TableSocket } from "./socket.js";
import { START, reduce } from "./state.js";

const PRESSED = '[data-command], .seats player-seat:not([empty]), a[href*="#clause-"]';
const { table = "", tag = "", felt: printed = "" } = must("#table").dataset;
const felt = /** @type {FeltTable} */ (must("felt-table"));
const spoken = must("#spoken");

let state = START;
let cut = "";
let unsaid = "";
let due = 0;
/** @type {Promise<import("./ring.js").Ring> | undefined} */
let ring;

felt.asks = edges;
const gate = new Gate(() => soon());
const socket = new TableSocket(table, {
  hear,
  changed: (how) => {
    cut = how === "open" ? "" : how;
    felt.dataset.cut = cut;
    if (cut) spoken.textContent = LOST[cut];
    soon();
  },
  last: () => state.v,
  brought: { tag, felt: printed },
});

/** @param {Message} message */
function hear(message) {
  const { round, faces } = state.scene;
  state = reduce(state, message);
  if (message.type === "welcome" && state.felt) {
    gate.flush();
    chips.cents = state.felt.chips_cents;
  }
  if (message.type === "news") {
    gate.take(message.events, round === state.scene.round ? faces : {});
    tell(state);
  }
  count(state.clock);
  soon();
}

/**
 * Speak to those who can't see the felt, at its pace.
 * @param {import("./types").State} news
 */
async function tell(news) {
  const { newsWords } = await import("./speech.js");
  unsaid = [unsaid, newsWords(news)].filter(Boolean).join(" ");
  soon();
}

/** @param {import("./types").Clock | null} clock */
async function count(clock) {
  if (!clock && !ring) return;
  ring ??= import("./ring.js").then(({ Ring }) => new Ring(must("#ring")));
  (await ring).run(clock);
}

/** Draw with the next frame, however much is heard before. */
function soon() {
  if (!due) due = requestAnimationFrame(draw);
}

function draw() {
  due = 0;
  must("#dock").dataset.mode = "guest";
  felt.show(state, gate, cut ? said(LOST[cut], { tone: "fault" }) : ordinary(state));
  if (!gate.open || !unsaid) return;
  spoken.textContent = unsaid;
  unsaid = "";
}

/** @type {Promise<void> | undefined} */
let playing;
const watching = new AbortController();

/** Fetch table.js, once; from then on it runs the page. */
const fetched = () =>
  (playing ??= import("./table.js").then(async ({ ready }) => {
    await ready;
    watching.abort();
    socket.close();
  }).catch((fault) => {
    // The next press tries again.
    playing = undefined;
    throw fault;
  }));

/**
 * Let an event wait, and make it again.
 * @param {Event} event
 * @param {() => void} again
 */
async function wait(event, again) {
  event.preventDefault();
  event.stopPropagation();
  await fetched();
  again();
}

const { signal } = watching;
for (const type of ["pointerover", "focusin"])
  addEventListener(type, (event) => near(event, PRESSED) && fetched(), { signal });
addEventListener("click", (event) => {
  const at = near(event, PRESSED);
  if (at && !event.ctrlKey && !event.metaKey && !event.shiftKey) wait(event, () => at.click());
}, { capture: true, signal });
addEventListener("keydown", (event) => {
  if (event.key.length > 1 || event.key === " " || event.ctrlKey || event.metaKey || event.altKey)
    return;
  const at = event.target ?? document.body;
  wait(event, () => at.dispatchEvent(new KeyboardEvent("keydown", event)));
}, { capture: true, signal });

for (const one of document.querySelectorAll("[data-newcomer]")) one.removeAttribute("hidden");
// A returning visitor may have settings, sounds and a break.
if (Object.keys(localStorage).some((key) => key.startsWith("croupier."))) fetched();
socket.open(false);
soon();
