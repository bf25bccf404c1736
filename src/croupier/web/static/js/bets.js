// @ts-check
/**
 * Chips in hand: what is bet, taken back, and bet again. Each press asks the table at once; what
 * stands is what the table says.
 *
 * @typedef {import("./types").State} State
 * @typedef {import("./types").Wager} Wager
 * @typedef {import("./socket.js").TableSocket} TableSocket
 */

import { money } from "./money.js";
import { mySeats } from "./state.js";
import { openings, raised, stakeOf } from "./view.js";

export class Bets {
  /**
   * @param {TableSocket} socket
   * @param {() => State} state
   * @param {(words: string) => void} [say] tells why a press did less than it should
   */
  constructor(socket, state, say = () => {}) {
    this.socket = socket;
    this.state = state;
    this.say = say;
    this.chip = 0;
    /** The shared hand that each seat is to bet on, where there are such.
     * @type {Map<number, number>} */
    this.hands = new Map();
    /** @type {{seat: number, wager: Wager, cents: number}[]} */
    this.undone = [];
    this.round = "";
  }

  get kept() {
    return `croupier.bets.${this.state().felt?.table}`;
  }

  /** What is bet before the deal, by seat and wager. */
  now() {
    const state = this.state();
    const wagers = state.felt ? openings(state.felt) : [];
    return mySeats(state)
      .flatMap((seat) =>
        wagers.map((wager) => ({ seat, wager, cents: stakeOf(state, seat, wager) })),
      )
      .filter((bet) => bet.cents);
  }

  get total() {
    return this.now().reduce((sum, bet) => sum + bet.cents * bet.wager.spots.length, 0);
  }

  /**
   * Add the chip in hand to a wager.
   * @param {number} seat
   * @param {string} name
   */
  async add(seat, name) {
    const state = this.state();
    const wager = state.felt?.wagers.find((one) => one.wager === name);
    if (!wager) return;
    const before = stakeOf(state, seat, wager);
    const chip = state.felt?.chips_cents[this.chip] ?? 0;
    const after = raised(wager, before, chip);
    if (after > before) {
      const answer = await this.put(seat, wager, after);
      if (answer.type !== "done") return;
      this.undone.push({ seat, wager, cents: before });
    }
    if (after < before + (wager.sizes ? 1 : chip)) this.full(wager, after);
  }

  /**
   * @param {Wager} wager
   * @param {number} cents the most that may lie there
   */
  full({ label }, cents) {
    this.say(`${label} takes at most ${money(cents)}.`);
  }

  /**
   * @param {number} seat
   * @param {Wager} wager
   * @param {number} cents
   */
  put(seat, wager, cents) {
    const name = wager.wager;
    if (!cents) return this.socket.ask({ type: "take_down", seat, wager: name });
    return this.socket.ask({ type: "bet", seat, wager: name, cents, hand: this.handAt(seat) });
  }

  /**
   * The shared hand that a seat bets on: as its bets say or was chosen, or else the first that no
   * other seat of one's own has.
   * @param {number} seat
   * @returns {number | null}
   */
  handAt(seat) {
    const state = this.state();
    const known = (/** @type {number} */ at) =>
      state.scene.boxes[at]?.hand ?? this.hands.get(at) ?? null;
    if (!state.felt?.shared_hands || known(seat)) return known(seat);
    const all = Array.from({ length: state.felt.shared_hands }, (_, n) => n + 1);
    const mine = mySeats(state);
    const others = mine.slice(0, mine.indexOf(seat)).map((at) => this.handAt(at));
    return all.find((hand) => !others.includes(hand)) ?? 1;
  }

  /**
   * Bet on another shared hand; what lies on this one is bet again there.
   * @param {number} seat
   * @param {number} hand
   */
  async move(seat, hand) {
    const lies = this.now().filter((bet) => bet.seat === seat);
    const before = this.handAt(seat);
    this.hands.set(seat, hand);
    if (before === hand || !lies.length) return;
    // What others build on is taken down last.
    for (const { wager } of [...lies].reverse()) await this.put(seat, wager, 0);
    const wagers = Object.fromEntries(lies.map((bet) => [bet.wager.wager, bet.cents]));
    await this.socket.ask({ type: "bet", seat, wagers, hand });
  }

  undo() {
    const last = this.undone.pop();
    if (last) this.put(last.seat, last.wager, last.cents);
  }

  clear() {
    // What others build on is taken down last, and comes back first.
    const bets = this.now().reverse();
    this.undone.push(...bets);
    for (const bet of bets) this.put(bet.seat, bet.wager, 0);
  }

  /** The bets of the round before, as they were kept. */
  last() {
    try {
      /** @type {{wager: string, cents: number}[]} */
      const kept = JSON.parse(localStorage.getItem(this.kept) ?? "[]");
      const wagers = this.state().felt?.wagers ?? [];
      return kept.flatMap((bet) => {
        const wager = wagers.find((one) => one.wager === bet.wager);
        return wager ? [{ wager, cents: bet.cents }] : [];
      });
    } catch {
      return [];
    }
  }

  /** All bets of a seat at once: some stand only together. */
  async again() {
    for (const seat of mySeats(this.state())) {
      const last = this.last();
      const wagers = Object.fromEntries(last.map(({ wager, cents }) => [wager.wager, cents]));
      const hand = this.handAt(seat);
      const answer = await this.socket.ask({ type: "bet", seat, wagers, hand });
      if (answer.type !== "done") return;
      this.undone.push(...last.map(({ wager }) => ({ seat, wager, cents: 0 })));
    }
  }

  /** Double all bets of a seat at once, as far as limits allow. */
  async double() {
    for (const seat of mySeats(this.state())) {
      const bets = this.now().filter((bet) => bet.seat === seat);
      const wagers = Object.fromEntries(
        bets.map(({ wager, cents }) => [wager.wager, raised(wager, cents, cents)]),
      );
      const answer = await this.socket.ask({ type: "bet", seat, wagers, hand: this.handAt(seat) });
      if (answer.type !== "done") return;
      this.undone.push(...bets);
      const least = bets.find((bet) => wagers[bet.wager.wager] < 2 * bet.cents);
      if (least) this.full(least.wager, wagers[least.wager.wager]);
    }
  }

  /** What your bets still need before they can stand, and by which clause. */
  get lacks() {
    const state = this.state();
    const found = mySeats(state).flatMap((seat) => state.scene.boxes[seat]?.lacks ?? []);
    return found[0] ?? null;
  }

  deal() {
    for (const seat of mySeats(this.state())) this.socket.ask({ type: "ready", seat });
  }

  /** Keep what stands when bets are closed, and forget what could be undone. */
  follow() {
    const { scene } = this.state();
    if (scene.round !== this.round) {
      this.round = scene.round ?? "";
      this.undone = [];
    }
    const bets = this.now();
    if (scene.phase === "bets" || !bets.length) return;
    const first = bets.filter((bet) => bet.seat === bets[0].seat);
    const kept = first.map(({ wager, cents }) => ({ wager: wager.wager, cents }));
    localStorage.setItem(this.kept, JSON.stringify(kept));
    this.undone = [];
  }
}
