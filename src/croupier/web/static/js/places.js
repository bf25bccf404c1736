// @ts-check
/**
 * What lies at each place of a table: the bank's cards, those that all hands share, and hands that
 * seats bet on. Pure; the felt of a table says which places it has.
 *
 * @typedef {import("./types").State} State
 * @typedef {import("./types").CardView} CardView
 * @typedef {import("./types").PlaceView} PlaceView
 * @typedef {{card: (position: number) => boolean, face: (position: number) => boolean,
 *   turned: (position: number) => boolean, seat: (seat: number) => boolean}} Gate what is let
 *   through already
 */

import { handName, sentence } from "./hands.js";
import { boxOf, faceOf } from "./state.js";

/** @type {Gate} */
export const OPEN = { card: () => true, face: () => true, turned: () => true, seat: () => true };

/**
 * @param {State} state
 * @param {number[]} positions
 * @param {Gate} gate
 * @returns {CardView[]}
 */
export const cardsOf = (state, positions, gate) =>
  positions.map((position) => ({
    position,
    code: gate.card(position) && gate.face(position) ? faceOf(state, position) : "",
    dealt: gate.card(position),
    turned: gate.turned(position),
  }));

/**
 * The faces of those cards that have turned over.
 * @param {CardView[]} cards
 */
export const upOf = (cards) => cards.flatMap(({ code, turned }) => (code && turned ? [code] : []));

/**
 * The places of the table besides its seats, with cards or still without.
 * @param {State} state
 * @param {Gate} gate
 * @returns {PlaceView[]}
 */
export function placesOf(state, gate = OPEN) {
  const { felt, scene } = state;
  if (!felt) return [];
  return Object.entries(felt.places).flatMap(([id, { label, cards, hands }], number) => {
    if (hands) return sharedHands(state, gate);
    const shown = cardsOf(state, scene.places[id] ?? [], gate);
    const bank = !felt.hand.of.includes(id) && label === felt.bank;
    const called = bank ? nameOf(shown) : "";
    return [
      {
        id,
        label,
        cards: shown,
        room: Math.max(cards, shown.length),
        called,
        plays: called ? scene.plays : null,
        first: number === 0,
        named: bank,
        hand: null,
        bettors: [],
      },
    ];
  });
}

/**
 * What a hand is called when all of its cards are up.
 * @param {CardView[]} cards
 */
function nameOf(cards) {
  const codes = upOf(cards);
  return codes.length && codes.length === cards.length ? sentence(handName(codes)) : "";
}

/**
 * The hands that lie at one place, and that seats bet on.
 * @param {State} state
 * @param {Gate} gate
 * @returns {PlaceView[]}
 */
function sharedHands(state, gate) {
  const { scene } = state;
  return positionsOfShared(state).map(({ id, size, positions }, number) => {
    const hand = number + 1;
    const cards = cardsOf(state, positions, gate);
    const seats = Object.keys(scene.boxes).map(Number);
    return {
      id: `${id}-${hand}`,
      label: `Hand ${hand}`,
      cards,
      room: size,
      called: nameOf(cards),
      plays: null,
      first: false,
      named: false,
      hand,
      bettors: seats.filter((seat) => boxOf(state, seat)?.hand === hand),
    };
  });
}

/**
 * Where the cards of each shared hand lie; before the deal, nowhere.
 * @param {State} state
 */
function positionsOfShared({ felt, scene }) {
  return Object.entries(felt?.places ?? {}).flatMap(([id, { cards, hands }]) => {
    if (!hands) return [];
    const size = cards / hands;
    const all = scene.places[id] ?? [];
    return Array.from({ length: hands }, (_, n) => ({
      id,
      size,
      positions: all.slice(n * size, (n + 1) * size),
    }));
  });
}

/**
 * Where the cards of a seat lie: its own, or those of the shared hand that it bets on.
 * @param {State} state
 * @param {number} seat
 */
export function heldBy(state, seat) {
  const box = boxOf(state, seat);
  if (!box?.hand) return box?.cards ?? [];
  return positionsOfShared(state)[box.hand - 1]?.positions ?? [];
}
