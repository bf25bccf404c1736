// @ts-check
/** The countdown: two half rings that turn away, and the seconds left. Only transforms move. */

import { h, write } from "./dom.js";
import { calm } from "./motion.js";

/** @typedef {import("./types").Clock} Clock */

/** @type {Record<string, string>} What the seconds are for. */
const FOR = { bets: "to bet", decide: "turn", pause: "next", bank: "bank" };

export class Ring {
  /** @param {HTMLElement} place */
  constructor(place) {
    this.place = place;
    this.right = h("i");
    this.left = h("i");
    this.text = h("b");
    this.label = h("small");
    this.end = 0;
    this.timer = 0;
    place.replaceChildren(
      h("span", { class: "half right" }, this.right),
      h("span", { class: "half left" }, this.left),
      this.text,
      this.label,
    );
  }

  /** @param {Clock | null} clock */
  run(clock) {
    clearInterval(this.timer);
    this.place.hidden = !clock;
    for (const half of [this.right, this.left]) {
      for (const moved of half.getAnimations()) moved.cancel();
    }
    if (!clock) return;
    this.end = performance.now() + clock.left_ms;
    this.place.dataset.for = clock.for;
    write(this.label, FOR[clock.for] ?? "");
    // The dealer's own time isn't counted down.
    this.place.hidden = !FOR[clock.for];
    this.tick();
    this.timer = window.setInterval(() => this.tick(), 250);
    if (calm()) return;
    const half = clock.of_ms / 2;
    const gone = clock.of_ms - clock.left_ms;
    const away = [{ transform: "rotate(0)" }, { transform: "rotate(180deg)" }];
    const how = { duration: half, fill: /** @type {FillMode} */ ("both") };
    this.right.animate(away, how).currentTime = gone;
    this.left.animate(away, { ...how, delay: half }).currentTime = gone;
  }

  tick() {
    const left = Math.max(Math.ceil((this.end - performance.now()) / 1000), 0);
    write(this.text, String(left));
    this.place.toggleAttribute("soon", left <= 5);
  }
}
