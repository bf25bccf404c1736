// @ts-check
/**
 * The page of a round: step through it like a chess game, and check its deal.
 *
 * @typedef {import("./felt.js").FeltTable} FeltTable
 */

import { get } from "./api.js";
import { Commands } from "./commands.js";
import { citesOpen, dialog, h, must, near } from "./dom.js";
import "./felt.js";
import { chips } from "./elements.js";
import { notes } from "./cut.js";
import { check, cutFault } from "./proof.js";
import { outcome } from "./messages.js";
import { START, patched } from "./state.js";
import { OPEN } from "./places.js";
import { cardWords } from "./hands.js";

const PLAY_MS = 1100;
const root = must("#round");
const { round = "", rulebook = "", commitment = "" } = root.dataset;
const felt = /** @type {FeltTable} */ (must("felt-table"));
const steps = Array.from(document.querySelectorAll("#steps > li"));
const slider = /** @type {HTMLInputElement} */ (must("#slider"));

/** @type {import("./types").State[]} */
let states = [];
let at = 0;
let timer = 0;

/** @param {number} step */
function go(step) {
  at = Math.min(Math.max(step, 0), steps.length - 1);
  steps.forEach((one, number) => {
    if (number === at) one.setAttribute("aria-current", "step");
    else one.removeAttribute("aria-current");
  });
  const now = steps[at];
  const list = must("#steps");
  list.scrollTo({ top: /** @type {HTMLElement} */ (now).offsetTop - list.clientHeight / 2 });
  slider.value = String(at);
  const says = now?.querySelector("a")?.textContent ?? "";
  slider.setAttribute("aria-valuetext", `Step ${at + 1} of ${steps.length}: ${says}`);
  must("#step-says").textContent = says;
  draw();
  history.replaceState(null, "", `#step-${at + 1}`);
  commands.refresh();
}

/** Show a step; the last one says what came of it, as the table did. */
function draw() {
  if (states[at]) felt.show(states[at], OPEN, outcome(states[at]));
}

function pause() {
  clearInterval(timer);
  timer = 0;
  must("[data-command=play]").firstChild?.replaceWith("Play ");
}

function play() {
  if (timer) {
    pause();
    return;
  }
  if (at >= steps.length - 1) go(0);
  must("[data-command=play]").firstChild?.replaceWith("Pause ");
  timer = window.setInterval(() => (at >= steps.length - 1 ? pause() : go(at + 1)), PLAY_MS);
}

/** @param {number} step */
function step(step) {
  pause();
  go(step);
}

const commands = new Commands([
  {
    id: "back",
    label: "Previous step",
    key: "ArrowLeft",
    group: "Steps",
    enabled: () => at > 0,
    run: () => step(at - 1),
  },
  {
    id: "on",
    label: "Next step",
    key: "ArrowRight",
    group: "Steps",
    enabled: () => at < steps.length - 1,
    run: () => step(at + 1),
  },
  {
    id: "first",
    label: "First step",
    key: "Home",
    group: "Steps",
    enabled: () => true,
    run: () => step(0),
  },
  {
    id: "end",
    label: "Last step",
    key: "End",
    group: "Steps",
    enabled: () => true,
    run: () => step(steps.length - 1),
  },
  { id: "play", label: "Play or pause", key: " ", group: "Steps", enabled: () => true, run: play },
  {
    id: "flip",
    label: "Flip the table",
    key: "F",
    group: "View",
    enabled: () => true,
    run: flip,
  },
  {
    id: "share",
    label: "Copy the link to this step",
    key: "",
    group: "View",
    enabled: () => true,
    run: share,
  },
  { id: "check", label: "Check the deal", key: "", group: "View", enabled: () => true, run: prove },
  { id: "help", label: "Keys", key: "?", group: "View", enabled: () => true, run: help },
]);

function flip() {
  felt.flipped = !felt.flipped;
  draw();
}

async function share() {
  const place = must("#shared");
  try {
    await navigator.clipboard.writeText(location.href);
    place.textContent = "Link copied.";
  } catch {
    place.textContent = location.href;
  }
}

function help() {
  /** @type {Record<string, string>} */
  const words = { ArrowLeft: "←", ArrowRight: "→", " ": "Space" };
  must("#keys").replaceChildren(...commands.help((key) => words[key] ?? key));
  dialog("#help").showModal();
}

async function prove() {
  const place = must("#proof");
  place.replaceChildren("Checking …");
  try {
    const document = await get(`/rounds/${round}/openings`);
    const found = await check(document, commitment);
    const proven = found.filter((one) => one.proven).length;
    const all = `Proven in your browser: all ${found.length} cards lay in the committed deck.`;
    const wrong = `${found.length - proven} of ${found.length} are not what was committed to.`;
    place.replaceChildren(
      h("p", {}, proven === found.length ? all : `Not proven: ${wrong}`),
      ...(await cutProof(document)),
      h(
        "ul",
        { class: "proven" },
        ...found.map((one) =>
          h(
            "li",
            {},
            h("play-card", { code: one.card }),
            ` position ${one.position + 1}: ${cardWords(one.card)} `,
            document.cut ? `dealt as card ${one.dealt + 1} ` : "",
            h("b", {}, one.proven ? "proven" : "NOT PROVEN"),
          ),
        ),
      ),
    );
  } catch (error) {
    place.replaceChildren(/** @type {Error} */ (error).message);
  }
}

/**
 * What the check of the players' cut comes to, in sentences.
 * @param {any} document
 */
async function cutProof(document) {
  if (!document.cut) return [];
  const mine = notes()[round];
  const fault = await cutFault(document, mine);
  /** @type {{value: string | null}[]} */
  const made = document.cut;
  const used = made.filter((one) => one.value !== null).length;
  const says = `The players' cut was worked out again; contributions in it: ${used}. `;
  if (fault) return [h("p", {}, says, `NOT PROVEN: ${fault}`)];
  const own = mine?.roll ? ["Yours is in it: ", h("code", {}, mine.value)] : [];
  return [h("p", { class: "hash" }, says, ...own)];
}

must("#steps").addEventListener("click", (event) => {
  const one = near(event, "[data-step]");
  if (!one) return;
  event.preventDefault();
  step(Number(one.dataset.step));
});
slider.addEventListener("input", () => step(Number(slider.value)));
addEventListener("hashchange", () => fromAddress());

function fromAddress() {
  const asked = /^#step-(\d+)$/.exec(location.hash);
  go(asked ? Number(asked[1]) - 1 : 0);
}

async function start() {
  citesOpen(rulebook);
  const told = await get(`/rounds/${round}/steps.json`);
  chips.cents = told.felt.chips_cents;
  const you = told.player ? { player: told.player, name: "", cents: 0 } : null;
  let scene = START.scene;
  states = told.steps.map((/** @type {any} */ patch) => {
    scene = patched(scene, patch);
    return { ...START, felt: told.felt, you, own: told.own, scene };
  });
  fromAddress();
}

start();
