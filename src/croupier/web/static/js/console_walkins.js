// @ts-check
/** Walk-ins, who play at the felt without an account or a screen. */

const WALK_IN = /^w-(\d+)$/;

/** @param {string} player */
export const isWalkIn = (player) => WALK_IN.test(player);

/**
 * The name of the player at a seat; a walk-in has a number.
 * @param {string} name
 */
export const nameOf = (name) => name.replace(WALK_IN, "Walk-in $1");
