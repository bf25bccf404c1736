// @ts-check
/** What lies below the felt: the settlement of all seats, and the last rounds of the visit. */

import { h, must } from "./dom.js";
import { cents, signed } from "./money.js";
import { lineRow } from "./seat.js";

let settled = "";
let listed = "";

/**
 * All seats in the order in which they are settled, once they are shown to be.
 * @param {import("./types").Scene} scene
 * @param {(seat: number) => boolean} isShown
 * @param {string} book
 */
export function drawSettled(scene, isShown, book) {
  const all = scene.order.length ? scene.order : Object.keys(scene.boxes).map(Number);
  const order = all.filter((seat) => isShown(seat) && scene.boxes[seat]?.lines.length);
  const key = `${scene.round} ${order}`;
  if (key === settled || (!order.length && scene.phase !== "decide")) return;
  settled = key;
  const sections = order.map((seat) => {
    const box = scene.boxes[seat];
    const name = scene.seats[seat]?.name ?? box.player;
    const title = h("h3", {}, `${name}, seat ${seat}: ${signed(cents(box.net ?? "0.00"))}`);
    const rows = box.lines.map((one) => lineRow(one, book));
    return h("section", {}, title, h("ul", { class: "lines" }, ...rows));
  });
  must("#settled").replaceChildren(...sections);
}

/** @param {{round: string, net: number | null}[]} rounds */
export function drawLast(rounds) {
  const key = JSON.stringify(rounds);
  if (key === listed) return;
  listed = key;
  const rows = rounds.map(({ round, net }) => {
    const says = net === null ? "watched" : net ? signed(net) : "even";
    const link = h("a", { href: `/rounds/${round}` }, round);
    return h("li", {}, link, " ", h("span", { "data-sign": Math.sign(net ?? 0) }, says));
  });
  must("#last").replaceChildren(...rows);
}
