// @ts-check
/**
 * The page of a table: a socket to the server, one state, and everything drawn from it.
 *
 * @typedef {import("./felt.js").FeltTable} FeltTable
 * @typedef {import("./types").Message} Message
 * @typedef {import("./types").Command} Command
 * @typedef {import("./types").SpotView} SpotView
 */

import { edges, get, post } from "./api.js";
import { Bets } from "./bets.js";
import { Care } from "./care.js";
import { Commands } from "./commands.js";
import { citesOpen, clauseSays, dialog, dressed, h, must, near, write } from "./dom.js";
import { chips } from "./elements.js";
import { extras } from "./extras.js";
import "./felt.js";
import { sentence } from "./hands.js";
import { LOST, TableSocket } from "./socket.js";
import { bankOffer, bankWords, clockChose, ordinary, outcome, said } from "./messages.js";
import { NO_SUM, cents, money, signed, typed } from "./money.js";
import { Gate, countUp } from "./motion.js";
import { Ring } from "./ring.js";
import { settings } from "./settings.js";
import { Shown, inCompany, inPlay } from "./shown.js";
import { handWords, newsWords } from "./speech.js";
import { START, mySeats, reduce } from "./state.js";
import { openings, seatOf } from "./view.js";

const NOTE_MS = 8000;
const root = must("#table");
const { table = "", me = "", rulebook = "", practice = "", odds = "" } = root.dataset;
const brought = { tag: root.dataset.tag ?? "", felt: root.dataset.felt ?? "" };
const felt = /** @type {FeltTable} */ (must("felt-table"));
const spoken = must("#spoken");
const dock = must("#dock");
const decisions = must("#decisions");
const funds = /** @type {HTMLInputElement} */ (must("#funds"));
const ring = new Ring(must("#ring"));
/** @type {import("./coach.js").Coach | null} */
let coach = null;

let state = START;
let care = new Care(me);
let person = me;
let cut = "";
let sitting = /play|code/.test(location.search);
let drawn = "";
/** The round that you play in, until its result is known. */
let playing = "";

/** @type {() => void} */
let greeted = () => {};
/** When the table is there, so that every press is understood. @type {Promise<void>} */
export const ready = new Promise((done) => {
  greeted = done;
});

felt.asks = edges;
const shown = new Shown();
const gate = new Gate(() => soon());
const socket = new TableSocket(table, {
  hear,
  changed: (how) => socketIs(how),
  last: () => state.v,
  urgent: () => deciding(),
  brought,
});
const bets = new Bets(socket, () => state, (words) => note(said(words, { tone: "note" })));

// ------------------------------------------------------------ what is heard

/** @param {Message} message */
function hear(message) {
  const before = state.scene;
  const known = { ...state.own, ...before.faces };
  state = reduce(state, message);
  if (message.type === "welcome") welcomed();
  if (message.type === "news") {
    gate.take(message.events, before.round === state.scene.round ? known : {});
    if (state.scene.round !== before.round) note(null);
    if (state.scene.phase !== before.phase) answered();
    told();
  }
  if (message.type === "news" || message.type === "welcome") {
    const looked = shown.kept;
    shown.take(state);
    if (looked && !shown.kept && inPlay(state) && !playsNow())
      note(said("This hand was dealt without you.", { tone: "note" }));
    ring.run(state.clock);
    bets.follow();
    socket.cut(state);
    follow();
  }
  if (message.type === "done") answered();
  if (message.type === "refused") refuse();
  soon();
}

/** Say what is new, and what the clock did. */
function told() {
  // What comes after a result is said when its player goes on.
  const unseen = shown.kept && shown.kept.scene.round !== state.scene.round;
  if (!unseen) speak(newsWords(state));
  const chose = clockChose(state);
  if (!chose) return;
  clocked = { round: state.scene.round ?? "", said: chose };
  note(chose);
}

/** What the clock did in a round, so that its result says so. */
let clocked = { round: "", said: said("") };

/** What waits until the cards have been shown. */
let unsaid = "";

/**
 * Speak to players who can't see the felt, at its pace.
 * @param {string} words
 */
function speak(words) {
  unsaid = [unsaid, words].filter(Boolean).join(" ");
  if (!gate.open || !unsaid) return;
  spoken.textContent = unsaid;
  unsaid = "";
}

function welcomed() {
  if (!state.felt) return;
  greeted();
  gate.flush();
  chips.cents = state.felt.chips_cents;
  const least = cents(openings(state.felt)[0]?.limits?.[0] ?? "1.00");
  const kept = Number(localStorage.getItem("croupier.chip") ?? -1);
  bets.chip =
    kept >= 0
      ? kept
      : Math.max(
          chips.cents.findIndex((one) => one >= least),
          0,
        );
  if (sitting && state.you) sit();
  if (playing && state.scene.round !== playing) missed(playing);
}

/**
 * Tell what came of a round that ended while the connection was lost.
 * @param {string} round
 */
async function missed(round) {
  playing = "";
  const found = await get(`/rounds/${round}.json`).catch(() => null);
  /** @type {{player: string, net: string}[]} */
  const seats = found?.settlement?.seats ?? [];
  const mine = seats.filter((one) => one.player === person);
  if (!mine.length) return;
  const net = mine.reduce((sum, one) => sum + cents(one.net), 0);
  care.count(round, net);
  const came = net ? signed(net) : "even";
  const words = `While you were away, your hand ended ${came}.`;
  note(said(words, { tone: "fault", href: `/rounds/${round}` }), Infinity);
}

/** Take the first free seat, if you have none yet. */
function sit() {
  sitting = false;
  if (mySeats(state).length || !state.felt) return;
  const seats = Array.from({ length: state.felt.seats }, (_, index) => index + 1);
  const middle = Math.ceil(state.felt.seats / 2);
  seats.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
  const seat = seats.find((one) => !state.scene.seats[one]);
  if (seat) socket.ask({ type: "sit", seat });
  else {
    const more = "you can watch until one is free";
    note(said("All seats are taken.", { tone: "fault", more }));
  }
}

/** @param {string} how */
function socketIs(how) {
  cut = how === "open" ? "" : how;
  felt.dataset.cut = cut;
  if (LOST[cut]) spoken.textContent = LOST[cut];
  soon();
}

function refuse() {
  const { refusal } = state;
  if (!refusal) return;
  if (refusal.code === "seat_code") {
    const asked = socket.asked.get(refusal.id ?? "");
    return import("./seat_code.js").then(({ ask }) => ask(socket, state, asked?.text));
  }
  const text = `${sentence(refusal.message).replace(/\.$/, "")}.`;
  refused = said(text, { tone: "fault", clause: refusal.clause });
  note(refused);
}

/** What was refused last. @type {import("./types").Said | null} */
let refused = null;

/** A refusal has been read when something else was done, or when the table goes on. */
function answered() {
  if (noted === refused) note(null);
}

/** What has to be said just now, and until when. @type {import("./types").Said | null} */
let noted = null;
let notedUntil = 0;

/**
 * @param {import("./types").Said | null} words
 * @param {number} [ms] how long they stay, or until the next round
 */
function note(words, ms = NOTE_MS) {
  if (words === noted) return;
  noted = words;
  notedUntil = performance.now() + ms;
  if (words) {
    const cited = words.clause && clauseSays(words.clause);
    spoken.textContent = [words.text, words.more, cited].filter(Boolean).join(" ");
    if (ms < Infinity) setTimeout(soon, ms + 50);
  }
  soon();
}

/** The message line: the connection first, then what was just said, then the table. */
function lineSays() {
  if (LOST[cut]) return said(LOST[cut], { tone: "fault" });
  if (care.stop) return said(care.stop, { tone: "note" });
  const now = shown.of(state);
  const result = shown.kept && gate.open ? outcome(now) : null;
  const late = clocked.round === now.scene.round ? clocked.said : null;
  const fresh = noted && performance.now() < notedUntil;
  if (noted && fresh) return noted;
  if (result && late) return { ...result, more: late.text, clause: late.clause };
  if (result) return result;
  return shown.kept ? said("The bets are settled.") : ordinary(now);
}

// ------------------------------------------------------------ what can be done

const inBets = () =>
  state.scene.phase === "bets" && mySeats(state).length > 0 && !cut && !care.stop && !shown.kept;
const canBank = () =>
  state.scene.bank_turn !== null && mySeats(state).includes(state.scene.bank_turn);
/** Whether you have a hand, or the bank, in the round in play. */
const playsNow = () =>
  state.scene.banker?.player === state.you?.player ||
  Object.values(state.scene.boxes).some((box) => box.player === state.you?.player);
const deciding = () => state.scene.asked !== null && mySeats(state).includes(state.scene.asked);

/** @param {number} seat */
felt.betsOn = (seat) => (inBets() ? bets.handAt(seat) : null);

/** @type {Command[]} */
const fixed = [
  ...[1, 2, 3, 4, 5].map((number) => ({
    id: `chip-${number}`,
    label: `Chip ${number}`,
    key: String(number),
    group: "Bets",
    enabled: () => number <= chips.cents.length,
    run: () => pick(number - 1),
  })),
  {
    id: "undo",
    label: "Undo",
    key: "Z",
    group: "Bets",
    enabled: () => inBets() && bets.undone.length > 0,
    run: () => bets.undo(),
  },
  {
    id: "clear",
    label: "Clear",
    key: "C",
    group: "Bets",
    enabled: () => inBets() && bets.now().length > 0,
    run: () => bets.clear(),
  },
  {
    id: "rebet",
    label: "Rebet",
    key: "R",
    group: "Bets",
    enabled: () => inBets() && !bets.now().length && bets.last().length > 0,
    run: () => bets.again(),
  },
  {
    id: "double",
    label: "Double all bets",
    key: "+",
    group: "Bets",
    enabled: () => inBets() && bets.now().length > 0,
    run: () => bets.double(),
  },
  {
    id: "deal",
    label: "Deal",
    key: "D",
    group: "Bets",
    enabled: () => inBets() && bets.now().length > 0 && !bets.lacks && !allReady(),
    run: () => bets.deal(),
  },
  {
    id: "time",
    label: "More time",
    key: "T",
    group: "Decisions",
    enabled: () => Boolean(practice) && deciding() && !cut,
    run: () => socket.ask({ type: "more_time" }),
  },
  { id: "bank", label: "Bank", key: "B", group: "Bank", enabled: canBank, run: bank },
  {
    id: "pass",
    label: "Pass the bank",
    key: "X",
    group: "Bank",
    enabled: () => canBank() && state.scene.passes,
    run: () => {
      socket.ask({ type: "pass", seat: state.scene.bank_turn });
      shown.next();
    },
  },
  {
    id: "next",
    label: "Next hand",
    key: "N",
    group: "Result",
    enabled: () => Boolean(shown.kept),
    run: next,
  },
  {
    id: "hold",
    label: "Hold the result",
    key: "H",
    group: "Result",
    enabled: () => Boolean(shown.kept) && inCompany(state),
    run: () => {
      shown.hold();
      soon();
    },
  },
  {
    id: "lines",
    label: "All lines of the round",
    key: "L",
    group: "Result",
    // The cards tell a result first.
    enabled: () => gate.open && Object.values(shown.of(state).scene.boxes).some(hasLines),
    run: async () => (await drawers()).lines(shown.of(state), rulebook),
  },
  {
    id: "rules",
    label: "Rules and paytables",
    key: "I",
    group: "Table",
    enabled: () => true,
    run: async () => state.felt && (await drawers()).rules(state.felt, odds),
  },
  {
    id: "fair",
    label: "The deal and the cut",
    key: "",
    group: "Table",
    enabled: () => true,
    run: async () => (await drawers()).deal(state),
  },
  {
    id: "menu",
    label: "Menu",
    key: "M",
    group: "Table",
    enabled: () => true,
    run: async () => {
      (await drawers()).menu(fixed, table);
      commands.refresh();
    },
  },
  {
    id: "leave",
    label: "Leave your seat",
    key: "",
    group: "Table",
    enabled: () => mySeats(state).some((seat) => seatOf(state, seat).canLeave),
    run: leave,
  },
  {
    id: "guest",
    label: "Play as guest",
    key: "G",
    group: "Table",
    enabled: () => !person,
    run: () => guest(),
  },
  {
    id: "sit",
    label: "Take a seat",
    key: "S",
    group: "Table",
    enabled: () => Boolean(state.you) && !mySeats(state).length,
    run: () => sit(),
  },
  {
    id: "here",
    label: "Play here",
    key: "",
    group: "Table",
    enabled: () => cut === "elsewhere",
    run: () => socket.open(Boolean(person)),
  },
  {
    id: "chips",
    label: "Get more play chips",
    key: "",
    group: "Table",
    enabled: () => Boolean(state.you),
    run: () => refill(),
  },
  {
    id: "break",
    label: "Take a break",
    key: "",
    group: "Table",
    enabled: () => true,
    run: () => turnTo("#rest"),
  },
  {
    id: "settings",
    label: "Settings",
    key: "",
    group: "Table",
    enabled: () => true,
    run: () => turnTo("#settings"),
  },
  {
    id: "quiet",
    label: "Quiet",
    says: "no animation, no sound",
    key: "Q",
    group: "Table",
    enabled: () => true,
    on: () => options.quiet,
    run: () => /** @type {HTMLElement} */ (must('#settings [name="quiet"]')).click(),
  },
  ...extras({ table, state: () => state, socket, bets, care: () => care }),
  {
    id: "palette",
    label: "Find a command",
    key: "Ctrl+Shift+C",
    group: "Table",
    enabled: () => true,
    run: async () => {
      const { palette } = await import("./palette.js");
      palette(commands.all().filter((one) => one.id !== "palette" && one.enabled()));
    },
  },
  { id: "help", label: "Keys", key: "?", group: "Table", enabled: () => true, run: help },
];

const commands = new Commands(fixed, { more: choices, keys: () => options.keys });
const options = settings({ care: () => care, changed });

/** Do what was set, and call the coach or let it go. */
async function changed() {
  if (options.coach && practice && !coach) {
    const { Coach } = await import("./coach.js");
    coach = new Coach(table, must("#coach"));
  }
  coach?.switch(options.coach);
  soon();
}

/** @returns {Command[]} */
function choices() {
  if (!deciding()) return [];
  const seat = state.scene.asked;
  return state.scene.choices.map((choice) => ({
    id: `option-${choice.option}`,
    label: choice.label,
    key: choice.key.toUpperCase(),
    group: "Decisions",
    enabled: () => !cut && !waiting() && gate.open,
    run: () => choose(seat, choice.option),
  }));
}

let chosen = "";
const decision = () => `${state.scene.round} ${state.scene.step} ${state.scene.asked}`;
const waiting = () => chosen === decision();

/**
 * @param {number | null} seat
 * @param {string} option
 */
async function choose(seat, option) {
  chosen = decision();
  coach?.judge(option);
  soon();
  const answer = await socket.ask({ type: "choose", seat, option });
  if (answer.type === "refused") chosen = "";
}

const hasLines = (/** @type {import("./types").Box} */ box) => box.lines.length > 0;
const allReady = () => mySeats(state).every((seat) => state.scene.seats[seat]?.ready);

/** @param {number} place */
function pick(place) {
  bets.chip = place;
  localStorage.setItem("croupier.chip", String(place));
  soon();
}

async function guest() {
  try {
    const { person: who } = await post("/api/guest");
    person = who.id;
    care = new Care(person);
    sitting = true;
    socket.fresh = true;
    await socket.open(true);
  } catch (error) {
    note(said(/** @type {Error} */ (error).message, { tone: "fault" }));
  }
}

async function refill() {
  try {
    await post("/api/chips");
    note(said("You have new play chips.", { tone: "note" }));
  } catch (error) {
    note(said(`${sentence(/** @type {Error} */ (error).message)}.`, { tone: "fault" }));
  }
  dialog("#drawer").close();
}

/** The first press ends the show of a result, the next one the result. */
function next() {
  if (!gate.open) gate.flush();
  else {
    shown.next();
    spoken.textContent = ordinary(state).text;
  }
  const at = document.activeElement;
  if (at === document.body || dock.contains(at)) felt.focus();
  soon();
}

/** What is seldom opened is fetched when it is. */
const drawers = () => import("./drawers.js");

function leave() {
  for (const seat of mySeats(state)) socket.ask({ type: "leave", seat });
  for (const open of document.querySelectorAll("dialog[open]"))
    /** @type {HTMLDialogElement} */ (open).close();
}

/**
 * Open a panel, and close the menu that it was chosen from.
 * @param {string} panel
 */
async function turnTo(panel) {
  dialog("#drawer").close();
  await dressed();
  dialog(panel).showModal();
}

function bank() {
  const sum = typed(funds.value);
  if (sum === null) {
    note(said(`“${funds.value}” isn't a sum.`, { more: NO_SUM, tone: "fault" }));
    funds.focus();
    return;
  }
  socket.ask({ type: "bank", seat: state.scene.bank_turn, funds: sum });
  shown.next();
}

funds.addEventListener("keydown", (event) => {
  if (event.key === "Enter") commands.run("bank");
});

function help() {
  must("#keys").replaceChildren(...commands.help());
  turnTo("#help");
}

// ------------------------------------------------------------ what is drawn

let due = 0;

/** Draw with the next frame, however much is heard before. */
function soon() {
  if (!due) due = requestAnimationFrame(draw);
}

function draw() {
  due = 0;
  const now = shown.of(state);
  const mine = mySeats(now);
  felt.tray = document.querySelector(".tray [aria-checked=true]");
  const won = over && gate.open && counted(over);
  const says = lineSays();
  felt.show(now, gate, says);
  felt.toggleAttribute("stopped", Boolean(care.stop));
  if (won) happened("win");
  felt.dataset.win = ["big", "jackpot"].includes(says.tone) ? says.tone : "";
  drawSum("balance", shown.balanceOf(state, gate.open), money);
  drawSum("net", care.visit.net, signed);
  const bet = mine
    .flatMap((seat) => seatOf(now, seat).spots)
    .reduce((sum, spot) => sum + (spot.fate === "take back" ? 0 : spot.cents), 0);
  const facts = [
    ["bet", bet ? money(bet) : "\u2013"],
    ["time", care.time],
  ];
  for (const [id, text] of facts) write(must(`#${id}`), text);
  must("#net").dataset.sign = String(Math.sign(care.visit.net));
  drawDock(mySeats(state));
  const asked = deciding() && gate.open && !waiting() ? decision() : "";
  if (asked) coach?.look(asked);
  if (asked && asked !== asking) happened("turn");
  asking = asked || asking;
  // Your cards may come after the question: then it is said again, with them.
  const words = asked && handWords(state);
  const turn = asked && asked + words;
  if (turn && turn !== question) speak(words);
  question = turn || question;
  speak("");
  commands.refresh();
  keepFocus();
}

/** The decision that was asked for last. */
let asking = "";
/** The same, with the words. */
let question = "";
/** The sums of the strip as they were drawn last. @type {Map<string, number | null>} */
const sums = new Map();

/**
 * Draw a sum of the strip; what has risen runs up.
 * @param {string} id
 * @param {number | null} now
 * @param {(sum: number) => string} says
 */
function drawSum(id, now, says) {
  const before = sums.get(id);
  if (now === before) return;
  sums.set(id, now);
  if (now === null) write(must(`#${id}`), "\u2013");
  else countUp(must(`#${id}`), before ?? now, now, says);
}

/** @param {number[]} mine */
function modeOf(mine) {
  const { scene } = state;
  if (!person) return "guest";
  if (cut === "elsewhere") return "here";
  if (!mine.length) return "sit";
  if (deciding()) return "decide";
  // The offer to bank does not wait, and the result stays above it.
  if (canBank() && gate.open) return "bank";
  if (shown.kept) return "result";
  return scene.phase === "bets" && !mine.includes(scene.banker?.seat ?? 0) ? "bets" : "wait";
}

/** @param {string} mode */
function hintOf(mode) {
  const { phase } = state.scene;
  if (mode === "bank") return bankWords(state);
  if (mode === "result" && phase === "bets") return "The next bets are open.";
  if (mode !== "wait") return "";
  if (phase === "over" || phase === "waiting") return "The next bets open soon.";
  return playsNow() ? "" : "You're back in when the next bets open.";
}

/** @param {number[]} mine */
function drawDock(mine) {
  const mode = modeOf(mine);
  dock.dataset.mode = mode;
  must("[data-command=hold]").setAttribute("aria-pressed", String(shown.held));
  write(must("#hint"), hintOf(mode));
  write(must("#deals"), state.scene.attended ? "Ready" : "Deal");
  const offered = bankOffer(state);
  write(must("#banks"), offered.again ? "Bank again" : "Bank");
  write(must("#again"), offered.again);
  write(must("#to"), offered.next);
  for (const chip of document.querySelectorAll(".tray button")) {
    const place = Number(/** @type {HTMLElement} */ (chip).dataset.chip);
    chip.setAttribute("aria-checked", String(place === bets.chip));
  }
  const wanted = mode === "decide" ? `${decision()} ${waiting()}` : "";
  if (wanted === drawn) return;
  const focused = decisions.contains(document.activeElement);
  drawn = wanted;
  decisions.replaceChildren(
    ...(mode === "decide" ? state.scene.choices : []).map((choice) =>
      h(
        "button",
        { class: "choice", type: "button", "data-command": `option-${choice.option}` },
        h("span", {}, choice.label),
        choice.says ? h("small", {}, choice.says) : null,
        h("kbd", {}, choice.key.toUpperCase()),
      ),
    ),
  );
  if (focused && mode === "decide")
    /** @type {HTMLElement | null} */ (decisions.firstChild)?.focus();
  else if (focused) felt.focus();
}

let betting = "";

/** Where bets open, the first spot has the focus, unless another element has it. */
function keepFocus() {
  const at = document.activeElement;
  const idle = !at || at === document.body || at === felt || at === must("#main");
  const lost = at instanceof HTMLButtonElement && at.disabled;
  if (lost) felt.focus({ preventScroll: true });
  const opened = inBets() ? String(state.scene.round) : "";
  if (opened === betting || document.querySelector("dialog[open]")) return;
  betting = opened;
  const spot = felt.own.querySelector("bet-spot[open] button");
  if (opened && (idle || lost) && spot instanceof HTMLElement) spot.focus({ preventScroll: true });
}

/** @type {{round: string, net: number | null} | null} */
let over = null;
let lastCounted = "";

/**
 * Count a round when its last seat was shown to be settled, and tell whether it was won just now.
 * Nothing that was said before masks its result.
 * @param {{round: string, net: number | null}} round
 */
function counted({ round, net }) {
  over = null;
  care.count(round, net);
  if (round === lastCounted || net === null) return false;
  lastCounted = round;
  if (notedUntil < Infinity) note(null);
  return net > 0;
}

/**
 * Tell listeners what is seen just now, and no sooner.
 * @param {"turn" | "win"} what
 */
const happened = (what) => root.dispatchEvent(new CustomEvent("happened", { detail: what }));

/** Note which round you play in, and its result when it is over. */
function follow() {
  const { phase, round, boxes } = state.scene;
  if (!round) return;
  const mine = Object.values(boxes).some((box) => box.player === state.you?.player);
  if (mine && phase !== "bets") playing = phase === "over" ? "" : round;
  if (phase === "over") over = { round, net: outcome(state)?.net ?? null };
}

// ------------------------------------------------------------ wires

felt.addEventListener("spot", (event) => {
  const { wager } = /** @type {CustomEvent<SpotView>} */ (event).detail;
  const seat = near(event, "player-seat");
  if (seat && !care.stop) bets.add(Number(seat.id.replace("seat-", "")), wager);
});
felt.addEventListener("click", async (event) => {
  const at = near(event, ".seats player-seat:not([empty])");
  const number = Number(at?.id.replace("seat-", ""));
  if (number) (await drawers()).seat(seatOf(shown.of(state), number, gate));
});
felt.addEventListener("keydown", (event) => {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  const spots = Array.from(felt.own.querySelectorAll("bet-spot[open] button"));
  const at = spots.indexOf(/** @type {Element} */ (document.activeElement));
  if (!step || at < 0) return;
  event.preventDefault();
  /** @type {HTMLElement} */ (spots[(at + step + spots.length) % spots.length]).focus();
});
felt.addEventListener("hand", async (event) => {
  const [first] = mySeats(state);
  const { seat = first, hand } = /** @type {CustomEvent} */ (event).detail;
  if (inBets()) await bets.move(seat, hand);
  soon();
});
for (const type of ["sit", "leave"]) {
  felt.addEventListener(type, (event) => {
    socket.ask({ type, seat: /** @type {CustomEvent<number>} */ (event).detail });
  });
}
dialog("#rest").addEventListener("close", (event) => {
  const minutes = Number(/** @type {HTMLDialogElement} */ (event.target).returnValue);
  if (!minutes) return;
  care.rest(minutes);
  for (const seat of mySeats(state)) socket.ask({ type: "leave", seat });
  soon();
});
setInterval(() => {
  const says = person ? care.reminder() : null;
  if (says && !document.querySelector("dialog[open]")) {
    must("#reminded").replaceChildren(says);
    turnTo("#reminder");
  }
  soon();
}, 5000);

citesOpen(rulebook);
changed();
socket.open(Boolean(person));
