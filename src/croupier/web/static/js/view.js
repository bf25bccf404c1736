// @ts-check
/**
 * What a page shows of a state: pure, and the same for felt, text and replay. What a game is
 * called, what it offers and how it pays comes from the felt and the scene.
 *
 * @typedef {import("./types").State} State
 * @typedef {import("./types").Felt} Felt
 * @typedef {import("./types").Wager} Wager
 * @typedef {import("./types").CardView} CardView
 * @typedef {import("./types").SeatView} SeatView
 * @typedef {import("./types").SpotView} SpotView
 * @typedef {import("./types").GroupView} GroupView
 * @typedef {import("./types").Line} Line
 * @typedef {import("./types").AccountView} AccountView
 * @typedef {import("./places.js").Gate} Gate
 */

import { handName, sentence } from "./hands.js";
import { cents, money, signed } from "./money.js";
import { OPEN, cardsOf, heldBy, upOf } from "./places.js";
import { boxOf, mySeats } from "./state.js";

const BEFORE = "before the deal";
/** When a hand is in play, and its player stays. */
const LATER = ["dealing", "decide", "reveal", "settle"];

/** @param {Felt} felt */
export const openings = (felt) => felt.wagers.filter((wager) => wager.placed === BEFORE);

/**
 * What the hand of a seat is called, together with the cards that it shares; with fewer cards than
 * a whole hand, only what they make already.
 * @param {State} state
 * @param {CardView[]} cards
 * @param {Gate} gate
 */
function called(state, cards, gate) {
  const felt = /** @type {Felt} */ (state.felt);
  const shared = felt.hand.of.flatMap((place) => state.scene.places[place] ?? []);
  const own = upOf(cards);
  if (!cards.length || own.length < cards.length) return "";
  const up = [...own, ...upOf(cardsOf(state, shared, gate))];
  return sentence(handName(up, { size: felt.hand.cards, wheel: felt.wheel }));
}

/**
 * All seats, from your own on, in the order of play.
 * @param {State} state
 * @param {Gate} gate
 * @returns {SeatView[]}
 */
export function seatsOf(state, gate = OPEN) {
  const { felt } = state;
  if (!felt) return [];
  const mine = mySeats(state);
  const seats = Array.from({ length: felt.seats }, (_, index) => index + 1);
  const first = mine.at(-1) ?? 0;
  const turned = [...seats.slice(first), ...seats.slice(0, first)];
  return turned.map((seat) => seatOf(state, seat, gate));
}

/**
 * @param {State} state
 * @param {number} seat
 * @param {Gate} gate
 * @returns {SeatView}
 */
export function seatOf(state, seat, gate = OPEN) {
  const { scene, you } = state;
  const felt = /** @type {Felt} */ (state.felt);
  const who = scene.seats[seat];
  const mine = Boolean(you && who?.player === you.player);
  const box = boxOf(state, seat);
  const banks = scene.banker?.seat === seat;
  const over = gate.seat(seat);
  const net = over ? netOf(state, seat) : null;
  const name = who?.name ?? (box ? box.player : "");
  const lines = over ? (box?.lines ?? []) : [];
  const spots = felt.wagers.flatMap((wager) => spotsOf(state, wager, { seat, mine, lines }));
  const live = spots.filter((spot) => spot.fate === "live");
  const cards = cardsOf(state, heldBy(state, seat), gate);
  return {
    seat,
    name,
    mine,
    empty: !who && !box,
    away: Boolean(who) && !who.present,
    ready: Boolean(who?.ready) && scene.phase === "bets",
    // What is over, in a replay, has no number of a last event.
    canSit: !who && Boolean(you) && state.v > 0 && maySit(state, seat),
    canLeave: mine && state.v > 0 && !(box && LATER.includes(scene.phase)),
    banks,
    asked: scene.asked === seat,
    folded: Boolean(box?.folded || box?.abandoned),
    hand: box?.hand ?? null,
    cards,
    called: called(state, cards, gate),
    spots,
    // What is settled is taken, paid or left.
    staked: lines.length ? 0 : live.reduce((sum, spot) => sum + spot.cents, 0),
    net,
    lines,
    fee: box && over ? cents(box.fee) : 0,
    says: saysOf(state, seat, net),
  };
}

/**
 * What a seat, or its bank, came out with; null while it is not settled.
 * @param {State} state
 * @param {number} seat
 */
export function netOf(state, seat) {
  const { scene } = state;
  const box = boxOf(state, seat);
  if (box) return box.net === null ? null : cents(box.net);
  const banked = scene.banker?.seat === seat ? scene.banker : null;
  const mine = state.you && scene.seats[seat]?.player === state.you.player;
  if (!banked || (mine && banked.player !== state.you?.player)) return null;
  return banked.net === null ? null : cents(banked.net);
}

/**
 * What your own bank put up, took and paid, seat by seat in the order in which they are settled;
 * null if you don't bank.
 * @param {State} state
 * @param {Gate} gate
 * @returns {AccountView | null}
 */
export function accountOf(state, gate = OPEN) {
  const { scene, you } = state;
  const { banker } = scene;
  if (!banker || banker.player !== you?.player) return null;
  const order = scene.order.length ? scene.order : Object.keys(scene.boxes).map(Number);
  const rows = order
    .filter((seat) => scene.boxes[seat])
    .map((seat) => {
      const view = seatOf(state, seat, gate);
      const over = view.lines.length > 0;
      const sum = (/** @type {(line: Line) => number} */ of) =>
        view.lines.reduce((all, line) => all + Math.max(of(line), 0), 0);
      const bets = view.spots.filter((spot) => spot.cents && spot.fate !== "take back");
      return {
        seat,
        name: view.name,
        called: view.folded ? "folded" : view.called,
        bets: bets.map((spot) => `${spot.short} ${money(spot.cents)}`).join(" \u00b7 "),
        took: over ? sum((line) => cents(line.stake) - cents(line.returned)) : null,
        paid: over ? sum((line) => cents(line.paid)) : null,
      };
    });
  const all = (/** @type {"took" | "paid"} */ what) =>
    rows.reduce((sum, row) => sum + (row[what] ?? 0), 0);
  const [funds, took, paid] = [cents(banker.funds), all("took"), all("paid")];
  const done = banker.net !== null && rows.every((row) => row.took !== null);
  const fee = done ? took - paid - cents(banker.net ?? "0.00") : 0;
  const cover = state.felt?.banking?.cover ?? null;
  const left = leftOf(rows, funds, cover);
  return {
    funds,
    took,
    paid,
    fee,
    now: funds + took - paid - fee,
    rows: rows.map((row, n) => ({ ...row, left: left[n] })),
    done,
    cover,
    turn: bankTurn(state),
  };
}

/**
 * What there is left to pay from when each seat is settled; nothing is known before.
 * @param {{took: number | null, paid: number | null}[]} rows
 * @param {number} funds
 * @param {AccountView["cover"]} cover
 */
function leftOf(rows, funds, cover) {
  const all = rows.reduce((sum, row) => sum + (row.took ?? 0), 0);
  let left = funds + (cover?.adds && cover.first ? all : 0);
  return rows.map(({ took, paid }) => {
    if (took === null) return null;
    left += (cover?.adds && !cover.first ? took : 0) - (paid ?? 0);
    return left;
  });
}

/**
 * Which round of a turn at the bank it is.
 * @param {State} state
 */
function bankTurn({ felt, scene }) {
  const [running, most] = [scene.banker?.running, felt?.banking?.rounds_max];
  return running && most ? `round ${running} of at most ${most}` : "";
}

/**
 * @param {State} state
 * @param {number} seat
 */
function maySit(state, seat) {
  const mine = mySeats(state);
  if (!mine.length) return true;
  const beside = seat === mine[0] - 1 || seat === /** @type {number} */ (mine.at(-1)) + 1;
  return mine.length < (state.felt?.boxes_max ?? 1) && beside;
}

/**
 * @param {State} state
 * @param {Wager} wager
 * @param {{seat: number, mine: boolean, lines: Line[]}} at
 * @returns {SpotView[]}
 */
function spotsOf(state, wager, { seat, mine, lines }) {
  const { scene } = state;
  const felt = /** @type {Felt} */ (state.felt);
  const box = boxOf(state, seat);
  const closed = scene.closed_wagers[wager.wager] ?? "";
  const banks = scene.banker?.seat === seat;
  const open = mine && scene.phase === "bets" && wager.placed === BEFORE && !closed && !banks;
  return wager.spots.map((spot, number) => {
    const [sum, fate] = box?.stakes[spot] ?? ["0.00", ""];
    const settled = lines.filter((line) => line.wager === spot || felt.sides[line.wager] === spot);
    const paid = settled.reduce((all, line) => all + cents(line.paid), 0);
    const back = settled.reduce((all, line) => all + cents(line.returned), 0);
    const staked = settled.reduce((all, line) => all + cents(line.stake), 0);
    return {
      spot,
      wager: wager.wager,
      label: felt.spots[spot] ?? wager.label,
      short: wager.prints[number],
      asked: scene.asks === spot && scene.asked === seat,
      paid,
      got: settled.length ? paid + back - staked : null,
      swept: settled.length > 0 && !paid && !back,
      cents: cents(sum),
      fate,
      open,
      closed,
      limits: limitsSay(wager),
    };
  });
}

/**
 * The spots of your own place by wager, each with what is printed there: paytables, and the rows
 * that paid.
 * @param {State} state
 * @param {SpotView[]} spots
 * @param {Line[]} lines
 * @returns {GroupView[]}
 */
export function groupsOf({ felt }, spots, lines) {
  if (!felt) return [];
  const hits = new Set(lines.map((line) => line.row?.join(" ")));
  return felt.wagers.map((wager, number) => ({
    wager: wager.wager,
    bonus: number > 0 && wager.paytable !== null && wager.placed === BEFORE,
    label: wager.label,
    name: spotName(wager),
    note: wager.note,
    limits: limitsSay(wager),
    spots: spots.filter((spot) => spot.wager === wager.wager),
    tables: wager.tables.flatMap((id) => {
      const table = felt.paytables.find((one) => one.id === id);
      if (!table) return [];
      const title = table.label === wager.label ? "" : table.label;
      const rows = table.rows.map(({ short, print, stake }, number) => ({
        hand: sentence(short) + (stake ? ` on ${money(cents(stake))}` : ""),
        pays: print,
        hit: hits.has(`${id} ${number}`),
      }));
      return [{ id, title, unit: table.unit, rows }];
    }),
  }));
}

/** What a wager's place is called on the layout. @param {Wager} wager */
export const spotName = ({ spots, label, prints }) => (spots.length > 1 ? label : prints[0]);

/** @param {Wager} wager */
export function limitsSay({ sizes, limits }) {
  if (sizes) return sizes.map((size) => money(cents(size))).join(" or ");
  if (limits) return `${money(cents(limits[0]))} to ${money(cents(limits[1]))}`;
  return "";
}

/**
 * What a table charges, and where its payouts end.
 * @param {Felt} felt
 */
export function costsOf(felt) {
  return felt.notices.filter(
    ({ about, says }) => ["fee", "rake", "payout_limit"].includes(about) && says !== "none",
  );
}

/**
 * What is bet on a wager at a seat; of several equal bets, one.
 * @param {State} state
 * @param {number} seat
 * @param {Wager} wager
 */
export function stakeOf(state, seat, wager) {
  const [sum] = boxOf(state, seat)?.stakes[wager.spots[0]] ?? ["0.00"];
  return cents(sum);
}

/**
 * The next sum on a wager when a chip is added: one of its sizes, or within its limits.
 * @param {Wager} wager
 * @param {number} now
 * @param {number} chip
 */
export function raised(wager, now, chip) {
  if (wager.sizes) {
    const sizes = wager.sizes.map(cents).sort((a, b) => a - b);
    return sizes.find((size) => size > now) ?? sizes[sizes.length - 1];
  }
  const [least, most] = (wager.limits ?? ["0.00", "999999.00"]).map(cents);
  return Math.min(Math.max(now + chip, least), most);
}

/**
 * @param {State} state
 * @param {number} seat
 * @param {number | null} net
 */
function saysOf(state, seat, net) {
  const { scene, felt } = state;
  const who = scene.seats[seat];
  const box = boxOf(state, seat);
  const banker = scene.banker?.seat === seat ? scene.banker : null;
  if (net !== null) return `${banker ? "banked " : ""}${net ? signed(net) : "even"}`;
  if (banker) return `banks ${money(cents(banker.funds))}`;
  if (scene.bank_turn === seat && felt?.banked_by === "player") return "may bank";
  if (scene.asked === seat) return "decides";
  if (box?.abandoned) return "gave up";
  if (box?.folded) return "folded";
  if (who && !who.present) return "away";
  return who?.ready && scene.phase === "bets" ? "ready" : "";
}

/** The people without whom no round goes on; others are asked only about something unusual. */
const AT_PLAY = ["dealer", "player"];

/**
 * What the dealer says now to everyone at the table.
 * @param {State} state
 */
export function announcement(state) {
  const { scene, felt } = state;
  const mine = mySeats(state);
  const named = (/** @type {number | null} */ seat) =>
    scene.seats[seat ?? 0]?.name ?? `Seat ${seat}`;
  switch (scene.phase) {
    case "closed":
      return "The table is closed.";
    case "waiting":
    case "over":
      if (scene.bank_turn !== null && felt?.banked_by === "player") {
        const mine_turn = mine.includes(scene.bank_turn);
        return mine_turn ? "Will you bank the next round?" : `${named(scene.bank_turn)} may bank.`;
      }
      if (scene.void) return `The round is void: ${scene.void.says}.`;
      if (scene.phase === "over") return "The round is over.";
      return mine.length ? "The next round opens soon." : "Take a seat to play.";
    case "bets":
      if (mine.includes(scene.banker?.seat ?? 0)) return "You bank: the others bet.";
      if (!mine.length) return "Bets are open.";
      return felt?.shared_hands ? "Choose a hand, and bet on it." : "Place your bets.";
    case "decide": {
      if (scene.void) return `The round is void: ${scene.void.says}.`;
      if (scene.asked === null) {
        const awaited = (scene.attended?.awaits ?? []).filter((one) => !AT_PLAY.includes(one));
        return awaited.length ? "The round is stopped." : "The cards are turned up.";
      }
      if (!mine.includes(scene.asked ?? 0)) return `${named(scene.asked)} decides.`;
      const ways = scene.choices.map(({ label }, n) => (n ? label.toLowerCase() : label));
      const asks = `${[ways.slice(0, -1).join(", "), ways.at(-1)].join(" or ")}?`;
      const about = felt?.spots[scene.asks ?? ""];
      return about ? `${about}: ${asks[0].toLowerCase()}${asks.slice(1)}` : asks;
    }
    case "reveal":
      return "The cards are turned up.";
    case "settle":
      return scene.attended ? "The bets are being settled." : "The bets are settled.";
    default:
      return "No more bets.";
  }
}
