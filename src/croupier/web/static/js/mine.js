// @ts-check
/**
 * What a player may use besides playing: bets kept under a name, other tables, a name,
 * and the way to the visit, the guide and the sounds. Kept bets stay in this browser.
 *
 * @typedef {import("./types").Message} Message
 * @typedef {import("./types").State} State
 * @typedef {{table: string, state: () => State, socket: import("./socket.js").TableSocket,
 *   bets: import("./bets.js").Bets, care: () => import("./care.js").Care}} Around
 * @typedef {{name: string, bets: {wager: string, cents: number}[]}} Slot
 */

import { get, post } from "./api.js";
import { dialog, dressed, h, must } from "./dom.js";
import { open as draw, visit } from "./drawers.js";
import { sentence } from "./hands.js";
import { cents, money } from "./money.js";
import { mySeats } from "./state.js";
import { limitsSay, openings, seatOf } from "./view.js";

const GUIDE = "croupier.guide";
const SOUND = "croupier.sound";
const SLOTS_MAX = 8;
const NAME_MAX = 24;
const LEAVE_MS = 1500;

/** @type {import("./sound.js").Sound | null} */
let sound = null;
/** @type {import("./guide.js").Guide | null} */
let guide = null;
let hears = false;

/**
 * Open what was asked for; without a name, only what is switched on.
 * @param {string} id
 * @param {Around} around
 */
export function open(id, around) {
  if (id) dress();
  switch (id) {
    case "you":
      return visit(around.care());
    case "saved":
      return saved(around);
    case "switch":
      return tables(around);
    case "guide":
      return show(around);
    case "name":
      return name();
    case "sound":
      return import("./sound.js").then(({ choose }) => choose(() => listen(around)));
    default:
      return listen(around);
  }
}

/** The looks of drawers and hints, fetched with the first of them. */
function dress() {
  dressed();
  const href = "/static/player.css";
  if (document.querySelector(`link[href="${href}"]`)) return;
  const link = document.createElement("link");
  Object.assign(link, { rel: "stylesheet", href });
  document.head.append(link);
}

/**
 * Play sounds at the chosen volume, or none.
 * @param {Around} around
 */
async function listen({ socket, state }) {
  const { Sound } = await import("./sound.js");
  sound?.close();
  sound = localStorage.getItem(SOUND) ? new Sound() : null;
  if (hears) return;
  hears = true;
  const { hear } = socket.ends;
  socket.ends.hear = (message) => {
    hear(message);
    sound?.hear(message, state());
  };
  must("#table").addEventListener("happened", (event) =>
    sound?.play(/** @type {CustomEvent<string>} */ (event).detail),
  );
}

/** @param {Around} around */
async function show(around) {
  const { Guide } = await import("./guide.js");
  guide?.stop();
  guide = new Guide(around, () => {
    localStorage.setItem(GUIDE, "1");
    for (const one of document.querySelectorAll("[data-newcomer]")) {
      one.toggleAttribute("hidden", true);
    }
  });
}

// ------------------------------------------------------------ bets kept under a name

/** @param {Around} around */
const place = ({ table }) => `croupier.saved.${table}`;

/**
 * @param {Around} around
 * @returns {Slot[]}
 */
function slots(around) {
  try {
    const kept = JSON.parse(localStorage.getItem(place(around)) ?? "[]");
    return Array.isArray(kept) ? kept.slice(0, SLOTS_MAX) : [];
  } catch {
    return [];
  }
}

/**
 * Why a table does not take these bets, or nothing.
 * @param {Around} around
 * @param {Slot} slot
 */
function unfit({ state }, slot) {
  const { felt, scene, you } = state();
  const offered = felt ? openings(felt) : [];
  for (const { wager, cents: sum } of slot.bets) {
    const found = offered.find((one) => one.wager === wager);
    if (!found) return "This table has another layout.";
    if (scene.closed_wagers[wager]) return `${found.label} is closed.`;
    const sizes = found.sizes?.map(cents);
    const [low, high] = found.limits?.map(cents) ?? [0, Infinity];
    if (sizes ? !sizes.includes(sum) : sum < low || sum > high)
      return `${found.label} takes ${limitsSay(found)}.`;
  }
  return you && you.cents < total(felt, slot) ? "You don't have enough chips for it." : "";
}

/**
 * @param {import("./types").Felt | null} felt
 * @param {Slot} slot
 */
const total = (felt, slot) =>
  slot.bets.reduce((sum, bet) => {
    const wager = felt?.wagers.find((one) => one.wager === bet.wager);
    return sum + bet.cents * (wager?.spots.length ?? 1);
  }, 0);

/**
 * @param {Around} around
 * @param {Slot["bets"]} bets
 */
const betsSay = ({ state }, bets) =>
  bets
    .map(({ wager, cents: sum }) => {
      const found = state().felt?.wagers.find((one) => one.wager === wager);
      return `${found?.label ?? wager} ${money(sum)}`;
    })
    .join(", ");

/**
 * Lay these bets and no others, all of a seat at once: some stand only together.
 * @param {Around} around
 * @param {Slot} slot
 */
async function lay({ state, bets, socket }, slot) {
  const wagers = Object.fromEntries(slot.bets.map((one) => [one.wager, one.cents]));
  for (const seat of mySeats(state())) {
    // What others build on is taken down last.
    const before = bets.now().filter((bet) => bet.seat === seat);
    for (const { wager } of before.reverse())
      if (!wagers[wager.wager]) await bets.put(seat, wager, 0);
    const answer = await socket.ask({ type: "bet", seat, wagers, hand: bets.handAt(seat) });
    if (answer.type !== "done") return;
  }
}

/** @param {Around} around */
function saved(around) {
  const now = around.bets.now();
  const own = now.filter((bet) => bet.seat === now[0]?.seat);
  const bets = own.map(({ wager, cents: sum }) => ({ wager: wager.wager, cents: sum }));
  const kept = slots(around);
  const keep = (/** @type {Slot[]} */ all) => {
    localStorage.setItem(place(around), JSON.stringify(all));
    saved(around);
  };
  draw(
    "Saved bets",
    kept.length
      ? h("ul", { class: "slots" }, ...kept.map((slot) => slotRow(around, slot, kept, keep)))
      : h("p", {}, "You have saved no bets at this table yet."),
    bets.length ? saveForm(around, bets, kept, keep) : h("p", {}, "Place bets to save them here."),
  );
}

/**
 * @param {Around} around
 * @param {Slot} slot
 * @param {Slot[]} kept
 * @param {(all: Slot[]) => void} keep
 */
function slotRow(around, slot, kept, keep) {
  const isOpen = must("#dock").dataset.mode === "bets" && !around.care().stop;
  const why = isOpen ? unfit(around, slot) : "Betting is not open.";
  const bet = () => {
    dialog("#drawer").close();
    lay(around, slot);
  };
  const forget = () => keep(kept.filter((one) => one !== slot));
  const main = { class: "button main", disabled: Boolean(why) };
  const plain = { class: "button" };
  return h(
    "li",
    {},
    h("span", {}, h("b", {}, slot.name), " ", h("small", {}, betsSay(around, slot.bets))),
    why ? h("small", { class: "why" }, why) : null,
    h("span", { class: "actions" },
      h("button", { ...main, click: bet, "aria-label": `Bet ${slot.name}` }, "Bet"),
      h("button", { ...plain, click: forget, "aria-label": `Forget ${slot.name}` }, "Forget"),
    ),
  );
}

/**
 * @param {Around} around
 * @param {Slot["bets"]} bets
 * @param {Slot[]} kept
 * @param {(all: Slot[]) => void} keep
 */
function saveForm(around, bets, kept, keep) {
  const full = kept.length >= SLOTS_MAX;
  const save = (/** @type {Event} */ event) => {
    event.preventDefault();
    const form = /** @type {HTMLFormElement} */ (event.target);
    const name = String(new FormData(form).get("name") ?? "").trim() || betsSay(around, bets);
    keep([...kept.filter((one) => one.name !== name), { name: name.slice(0, NAME_MAX), bets }]);
  };
  return h(
    "form",
    { submit: save, class: "keep" },
    h("label", { for: "slot" }, `Save ${betsSay(around, bets)} as`),
    h("input", { id: "slot", name: "name", maxlength: NAME_MAX, autocomplete: "off" }),
    h("button", { class: "button", disabled: full }, "Save"),
    full ? h("small", {}, "Forget one first.") : null,
  );
}

// ------------------------------------------------------------ other tables

/** @param {Around} around */
async function tables(around) {
  draw("Other tables", h("p", {}, "One moment …"));
  const found = await get("/lobby.json").catch(() => null);
  if (must("#drawer-title").textContent !== "Other tables") return;
  /** @type {any[]} */
  const tables = found?.tables ?? [];
  const others = tables.filter((one) => one.table !== around.table);
  const state = around.state();
  const seats = mySeats(state);
  const stuck = seats.some((seat) => !seatOf(state, seat).canLeave);
  const left = stuck
    ? "If you go now, the posted rule finishes your hand here."
    : seats.length
      ? "You leave your seat here when you go."
      : "";
  draw(
    "Other tables",
    h("ul", { class: "slots" }, ...others.map((one) => tableRow(around, one))),
    others.length ? h("p", { class: "hint" }, left) : h("p", {}, "There are no other tables."),
  );
}

/**
 * @param {Around} around
 * @param {any} one
 */
function tableRow(around, one) {
  const free = one.seats - one.taken;
  const { label, limits } = one.main;
  const from = limits ? `${label} from ${money(cents(limits[0]))}` : label;
  const meters = one.meters
    .filter((/** @type {any} */ meter) => meter.shows)
    .map((/** @type {any} */ meter) => `${meter.label} ${money(cents(meter.shows))}`);
  const href = `/tables/${one.table}`;
  const go = async (/** @type {Event} */ event) => {
    const state = around.state();
    const seats = mySeats(state).filter((seat) => seatOf(state, seat).canLeave);
    if (!seats.length) return;
    event.preventDefault();
    const asked = seats.map((seat) => around.socket.ask({ type: "leave", seat }));
    const wait = new Promise((done) => setTimeout(done, LEAVE_MS));
    await Promise.race([Promise.all(asked), wait]);
    location.assign(`${href}?play`);
  };
  const play = { class: "button main", click: go };
  return h(
    "li",
    {},
    h("span", {}, h("b", {}, one.book), " ", h("small", {}, one.place)),
    h("small", {}, [`${free} of ${one.seats} seats free`, from, ...meters].join(" · ")),
    h(
      "span",
      { class: "actions" },
      free
        ? h("a", { ...play, href: `${href}?play`, "aria-label": `Play ${one.title}` }, "Play")
        : h("a", { class: "button", href, "aria-label": `Watch ${one.title}` }, "Watch"),
    ),
  );
}

// ------------------------------------------------------------ a name

async function name() {
  const { person } = await get("/api/me");
  const says = h("p", { role: "status", class: "fault" });
  const rename = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const wanted = new FormData(/** @type {HTMLFormElement} */ (event.target)).get("name");
    try {
      const { person: now } = await post("/api/name", { name: wanted });
      draw("Your name", h("p", { role: "status" }, `Others see you as ${now.name}.`));
    } catch (error) {
      says.textContent = `${sentence(/** @type {Error} */ (error).message)}.`;
    }
  };
  if (!person?.guest) {
    draw("Your name", h("p", {}, `You play as ${person?.name}, the name of your account.`));
    return;
  }
  const field = { required: true, autocomplete: "off" };
  draw(
    "Choose a name",
    h("p", {}, `You play as ${person.name}. Others see the name that you choose here.`),
    h(
      "form",
      { submit: rename, class: "keep" },
      h("label", { for: "called" }, "Name"),
      h("input", { ...field, id: "called", name: "name", maxlength: 20 }),
      h("button", { class: "button main" }, "Use this name"),
      says,
    ),
    h("p", {}, h("a", { href: "/account", class: "button" }, "Keep them with a password")),
  );
}
