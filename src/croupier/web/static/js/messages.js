// @ts-check
/**
 * The one message line of the felt: what is said, in which tone. Pure: the table page draws it and
 * the screen reader is told it.
 *
 * @typedef {import("./types").State} State
 * @typedef {import("./types").Said} Said
 * @typedef {import("./types").Line} Line
 */

import { handName, sentence } from "./hands.js";
import { cents, money, signed } from "./money.js";
import { inCompany } from "./shown.js";
import { heldBy } from "./places.js";
import { boxOf, faceOf, mySeats } from "./state.js";
import { accountOf, announcement, costsOf, limitsSay, netOf, openings } from "./view.js";

const BIG = 10;
const NUMBERS = ["no", "one", "two", "three", "four", "five"];

/** @param {string} text @param {Partial<Said>} [rest] @returns {Said} */
export const said = (text, rest = {}) => ({
  text,
  more: "",
  tone: "",
  clause: null,
  href: "",
  ...rest,
});

/**
 * What your round came to: the net of all your seats, and why. Null if you had no part in it.
 * @param {State} state
 * @returns {Said & {net: number, staked: number} | null}
 */
export function outcome(state) {
  const mine = mySeats(state);
  const nets = mine.flatMap((seat) => netOf(state, seat) ?? []);
  if (!nets.length) return null;
  const net = nets.reduce((sum, one) => sum + one, 0);
  const boxes = mine.map((seat) => boxOf(state, seat)?.lines ?? []);
  const lines = boxes.flat();
  const banked = mine.includes(state.scene.banker?.seat ?? 0);
  // A banker's stake is what the bank can lose.
  const funds = banked ? cents(state.scene.banker?.funds ?? "0.00") : 0;
  const staked = lines.reduce((sum, line) => sum + cents(line.stake), funds);
  const meter = lines.some(({ row }) => {
    const table = state.felt?.paytables.find((one) => one.id === row?.[0]);
    return table?.rows[row?.[1] ?? -1]?.print.includes("meter");
  });
  const verb = net > 0 ? "win" : "lose";
  const text = !net
    ? banked
      ? "Your bank breaks even"
      : "You break even"
    : banked
      ? `Your bank ${verb}s ${money(Math.abs(net))}`
      : `You ${verb} ${money(Math.abs(net))}`;
  // A win is a win above the stake, and nothing else is celebrated.
  const tone =
    net <= 0 ? (net ? "loss" : "even") : meter ? "jackpot" : net >= BIG * staked ? "big" : "win";
  const why = state.scene.void
    ? "the round is void"
    : banked
      ? accountWords(accountOf(state))
      : reason(state, boxes, net);
  const words = tone === "jackpot" ? `Jackpot! ${text}` : text;
  return { ...said(words, { tone, more: why }), net, staked };
}

/**
 * Why the box that won or lost most came out so: the nets of its lines where some won and some
 * lost, else the largest one's reason.
 * @param {State} state
 * @param {Line[][]} boxes
 * @param {number} net
 */
function reason(state, boxes, net) {
  const came = (/** @type {Line[]} */ ...lines) =>
    lines.map(({ paid, returned, stake }) => cents(paid) + cents(returned) - cents(stake))
      .reduce((sum, one) => sum + one, 0);
  const way = Math.sign(net);
  const [most = []] = boxes.sort((a, b) => way * (came(...b) - came(...a)));
  const lines = most.filter((line) => came(line)).sort((a, b) => way * (came(b) - came(a)));
  const mixed = lines.some((line) => came(line) > 0) && lines.some((line) => came(line) < 0);
  if (mixed) {
    /** @type {Map<{ label: string }, number>} */
    const nets = new Map();
    for (const line of lines) {
      const one = offered(state, line);
      nets.set(one, (nets.get(one) ?? 0) + came(line));
    }
    // Of many, those that made it what it is; a dollar lost elsewhere explains no win.
    const telling = [...nets].filter(([, sum]) => nets.size <= 3 || sum * way >= 0);
    const few = telling.slice(0, nets.size > 3 ? 2 : 3);
    const left = came(...lines) - few.reduce((sum, [, sums]) => sum + sums, 0);
    const words = few.map(([{ label }, sums]) => `${label} ${signed(sums)}`);
    return [...words, ...(left ? [`the rest ${signed(left)}`] : [])].join(", ");
  }
  return (lines[0] ?? most[0])?.because.split(":")[0] ?? "";
}

/**
 * What a line belongs to: equal bets are one wager, and what is paid on a spot belongs to it.
 * @param {State} state
 * @param {Line} line
 */
function offered({ felt }, line) {
  const spot = felt?.sides[line.wager] ?? line.wager;
  return felt?.wagers.find(({ spots }) => spots.includes(spot)) ?? line;
}

/** @param {import("./types").AccountView | null} account */
function accountWords(account) {
  if (!account) return "";
  const { took, paid, fee } = account;
  return `took ${money(took)}, paid ${money(paid)}${fee ? `, fee ${money(fee)}` : ""}`;
}

/**
 * What the line says when nothing else has to be said.
 * @param {State} state
 */
export function ordinary(state) {
  const { scene, felt } = state;
  const mine = mySeats(state);
  const banks = mine.includes(scene.banker?.seat ?? 0);
  if (scene.phase === "bets" && mine.length && !banks) {
    const lacks = mine.flatMap((seat) => boxOf(state, seat)?.lacks ?? [])[0];
    if (lacks) return said(`${sentence(lacks.says)}.`, { tone: "note", clause: lacks.clause });
    const staked = mine.some((seat) => Object.keys(boxOf(state, seat)?.stakes ?? {}).length);
    if (staked && mine.every((seat) => scene.seats[seat]?.ready)) {
      if (scene.attended) return said("You are ready.", { more: sentence(scene.attended.line) });
      const waits = inCompany(state) ? "Waiting for the others …" : "The cards are coming.";
      return said(waits);
    }
    const first = felt && openings(felt)[0];
    const range = first && limitsSay(first) ? `${first.label} ${limitsSay(first)}` : "";
    // The placard doesn't fit on a phone.
    const costs = felt && costsOf(felt).length ? "Fees and limits: see Rules" : "";
    const posted = [range, costs].filter(Boolean).join(". ");
    const then = scene.attended ? "The dealer closes betting." : "Then press Deal.";
    return said(announcement(state), { more: staked ? then : posted });
  }
  if (scene.bank_turn !== null && felt?.banking) {
    const offered = mine.includes(scene.bank_turn);
    const { clause } = felt.banking;
    const more = "You pay wins and collect losses.";
    if (offered) return said("Will you bank?", { more, clause });
    return said(announcement(state), { more: turnOf(state) });
  }
  if (banks && scene.phase !== "over") {
    const funds = money(cents(scene.banker?.funds ?? "0.00"));
    return said(announcement(state), { more: `You bank with ${funds}.` });
  }
  const more = mine.includes(scene.asked ?? 0) ? toCome(state) : "";
  return said(announcement(state), { more: more || (scene.attended?.line ?? "") });
}

/**
 * How many cards of everybody's hand are still to be turned up.
 * @param {State} state
 */
function toCome({ scene, felt }) {
  const shared = felt?.hand.of.flatMap((id) => scene.places[id] ?? []) ?? [];
  const down = shared.filter((at) => !scene.faces[at]).length;
  return down ? `${NUMBERS[down] ?? down} card${down === 1 ? "" : "s"} to come` : "";
}

/**
 * How long a turn at the bank lasts, and who may bank after it.
 * @param {State} state
 */
export function turnOf({ felt, scene, you }) {
  const most = felt?.banking?.rounds_max;
  const next = scene.bank_order[1];
  const who = scene.seats[next];
  const name = who?.player === you?.player ? "you" : `${who?.name}, seat ${next}`;
  const turns = most ? `at most ${most} round${most === 1 ? "" : "s"} running` : "";
  return [turns, who ? `then ${name}` : ""].filter(Boolean).join(", ");
}

/**
 * Which round of a turn the offered one is, where it is not the first, and who banks instead.
 * @param {State} state
 */
export function bankOffer({ felt, scene, you }) {
  const { banker, bank_order } = scene;
  const most = felt?.banking?.rounds_max;
  const running = banker && banker.player === you?.player ? banker.running : 0;
  const next = bank_order[1];
  return {
    again: running && most ? `round ${running + 1} of ${most}` : "",
    next: next ? `to seat ${next}` : "",
  };
}

/**
 * What a player who may bank can put up and risks, and how the turn goes on.
 * @param {State} state
 */
export function bankWords(state) {
  const { felt, you } = state;
  const charge = cents(felt?.banking?.charge ?? "0.00");
  const most = (you?.cents ?? 0) - charge;
  const fee = charge ? ` ${sentence(money(charge))} a round goes to the house.` : "";
  const turn = turnOf(state);
  return (
    `Put up any sum to ${money(most)}: you can lose that and no more.${fee}` +
    (turn ? ` ${sentence(turn)}.` : "")
  );
}

/**
 * What was chosen for a player who did not choose in time, in words, from the latest news.
 * @param {State} state
 * @returns {Said | null}
 */
export function clockChose({ told, scene, you, felt }) {
  for (const { event } of told) {
    if (event?.type !== "Chose" || event.by === "player") continue;
    if (scene.boxes[event.seat]?.player !== you?.player) continue;
    const [label, clause] = felt?.options[event.step]?.[event.option] ?? ["", null];
    const did = scene.boxes[event.seat].folded ? "folded" : `chose \u201c${label}\u201d`;
    const who = event.by === "posted" ? "You were gone, so the dealer" : "The clock";
    return said(`${who} ${did} for you`, { tone: "fault", clause });
  }
  return null;
}

/**
 * Your cards, those on the table that belong to every hand, what they are called together,
 * and the choices with what they cost.
 * @param {State} state
 */
export function turnWords(state) {
  const { asked, choices, places } = state.scene;
  const faces = (/** @type {number[]} */ at) => at.map((one) => faceOf(state, one));
  const codes = faces(heldBy(state, asked ?? 0));
  const { cards: size, of: all } = state.felt?.hand ?? { cards: codes.length, of: [] };
  const shared = faces(all.flatMap((id) => places[id] ?? [])).filter(Boolean);
  const name = handName([...codes, ...shared], { size });
  const ways = choices.map(({ label, key, says }) => `${label} (${key})${says && `: ${says}`}`);
  return { codes, shared, name, ways };
}
