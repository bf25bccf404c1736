// @ts-check
/**
 * What is known of a table, as a pure function of the messages of its socket. Table, text table
 * and replay all run it; `patched` is what the server's scene.py does.
 *
 * @typedef {import("./types").State} State
 * @typedef {import("./types").Scene} Scene
 * @typedef {import("./types").Patch} Patch
 * @typedef {import("./types").Message} Message
 */

const BY_SEAT = ["seats", "boxes"];

/** @type {Scene} */
const NO_SCENE = {
  phase: "waiting",
  seats: {},
  round: null,
  commitment: null,
  cut: { hashes: {}, values: {}, made: false, contributed: 0, withheld: 0 },
  step: null,
  asked: null,
  asks: null,
  choices: [],
  boxes: {},
  places: {},
  faces: {},
  plays: null,
  banker: null,
  bank_turn: null,
  bank_order: [],
  passes: false,
  meters: {},
  order: [],
  void: null,
  closed_wagers: {},
};

/** @type {State} */
export const START = {
  felt: null,
  scene: NO_SCENE,
  own: {},
  ownV: 0,
  you: null,
  v: 0,
  clock: null,
  refusal: null,
  told: [],
};

/**
 * Lay a patch on a scene: seats and boxes are merged by seat, null is gone, all else is replaced.
 * @param {Scene} scene
 * @param {Patch} patch
 * @returns {Scene}
 */
export function patched(scene, patch) {
  /** @type {Record<string, any>} */
  const after = { ...scene };
  for (const [key, now] of Object.entries(patch)) {
    if (!BY_SEAT.includes(key) || !after[key]) {
      after[key] = now;
      continue;
    }
    const merged = Object.entries({ ...after[key], ...now });
    after[key] = Object.fromEntries(merged.filter(([, value]) => value !== null));
  }
  return /** @type {Scene} */ (after);
}

/**
 * @param {State} state
 * @param {Message} message
 * @returns {State}
 */
export function reduce(state, message) {
  switch (message.type) {
    case "welcome": {
      const { you, own, clock, v } = message;
      // Without a scene, what was missed comes next, one by one.
      if (!message.scene) return { ...state, you, own, ownV: v, clock };
      const felt = message.felt ?? state.felt;
      return { ...START, felt, scene: message.scene, you, own, ownV: v, clock, v };
    }
    case "news": {
      const scene = patched(state.scene, message.scene);
      const { v, events: told, clock } = message;
      // Positions of another deck say nothing about your cards in this one.
      const same = scene.round === state.scene.round || v <= state.ownV;
      const own = same ? state.own : {};
      return { ...state, scene, own, told, clock, v: Math.max(v, state.v) };
    }
    case "own":
      return { ...state, own: message.own, ownV: message.v };
    case "purse":
      return state.you ? { ...state, you: { ...state.you, cents: message.cents } } : state;
    case "done":
      return { ...state, refusal: null };
    case "refused": {
      const { id, code, message: says, clause } = message;
      return { ...state, refusal: { id, code, message: says, clause } };
    }
    case "desk":
    case "previewed":
      return state;
  }
}

/**
 * The face of a card, or nothing if it may not be seen.
 * @param {State} state
 * @param {number} position
 */
export const faceOf = (state, position) => state.scene.faces[position] ?? state.own[position] ?? "";

/**
 * Your own seats.
 * @param {State} state
 */
export function mySeats(state) {
  const me = state.you?.player;
  const seats = Object.entries(state.scene.seats).filter(([, who]) => me && who.player === me);
  return seats.map(([seat]) => Number(seat)).sort((a, b) => a - b);
}

/**
 * What lies before a seat; what its last player left there is not the next one's.
 * @param {State} state
 * @param {number} seat
 * @returns {import("./types").Box | undefined}
 */
export function boxOf({ scene, you }, seat) {
  const box = scene.boxes[seat];
  const mine = you && scene.seats[seat]?.player === you.player;
  return mine && box?.player !== you.player ? undefined : box;
}
