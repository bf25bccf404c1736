// @ts-check
/**
 * Sounds, made of tones and noise. They are off until switched on, and nothing is
 * told by them alone.
 *
 * @typedef {import("./types").Message} Message
 * @typedef {import("./types").State} State
 */

import { h } from "./dom.js";
import { open } from "./drawers.js";

const KEPT = "croupier.sound";
const LOUD = 0.4;

/** How loud it is, from 0 to 1; 0 where it is off. */
const volume = () => Math.min(Math.max(Number(localStorage.getItem(KEPT)) || 0, 0), 1);

/** Whether sounds are off, whatever the volume. */
const quiet = () => document.documentElement.dataset.sound === "none";

export class Sound {
  constructor() {
    this.audio = new AudioContext();
    this.gain = this.audio.createGain();
    this.gain.gain.value = volume();
    this.gain.connect(this.audio.destination);
  }

  close() {
    this.audio.close();
  }

  /**
   * A tone that fades away.
   * @param {number} hertz
   * @param {{at?: number, lasts?: number, loud?: number}} [how] in seconds
   */
  tone(hertz, { at = 0, lasts = 0.15, loud = 0.3 } = {}) {
    const start = this.audio.currentTime + at;
    const wave = this.audio.createOscillator();
    const fade = this.audio.createGain();
    wave.type = "triangle";
    wave.frequency.value = hertz;
    fade.gain.setValueAtTime(loud, start);
    fade.gain.exponentialRampToValueAtTime(0.001, start + lasts);
    wave.connect(fade).connect(this.gain);
    wave.start(start);
    wave.stop(start + lasts);
  }

  /**
   * A card on the felt: a breath of noise.
   * @param {number} at in seconds
   */
  card(at = 0) {
    const length = Math.floor(this.audio.sampleRate * 0.05);
    const buffer = this.audio.createBuffer(1, length, this.audio.sampleRate);
    const samples = buffer.getChannelData(0);
    for (let n = 0; n < length; n++) samples[n] = (Math.random() * 2 - 1) * (1 - n / length) * 0.25;
    const noise = this.audio.createBufferSource();
    noise.buffer = buffer;
    noise.connect(this.gain);
    noise.start(this.audio.currentTime + at);
  }

  /** @type {Record<string, () => void>} */
  kinds = {
    cards: () => [0, 0.09, 0.18].forEach((at) => this.card(at)),
    chip: () => [1900, 2500].forEach((hertz, n) => this.tone(hertz, { at: n * 0.03, lasts: 0.05 })),
    turn: () => this.tone(660, { lasts: 0.25 }),
    win: () => {
      [523, 659, 784].forEach((hertz, n) => this.tone(hertz, { at: n * 0.11, lasts: 0.3 }));
    },
  };

  /** @param {string} kind */
  play(kind) {
    if (quiet()) return;
    this.audio.resume();
    this.kinds[kind]();
  }

  /**
   * The table's own noises; what a player is asked or wins sounds when it is seen.
   * @param {Message} message
   * @param {State} state
   */
  hear(message, state) {
    if (message.type !== "news") return;
    const types = new Set(state.told.map(({ event }) => event?.type));
    if (types.has("BetMade")) this.play("chip");
    if (types.has("Dealt") || types.has("Shown")) this.play("cards");
  }
}

/**
 * Switch sounds on and off.
 * @param {() => void} changed
 */
export function choose(changed) {
  const on = h("input", { type: "checkbox", id: "sound-on", checked: volume() > 0 });
  const loud = h("input", {
    type: "range",
    id: "volume",
    min: 0.05,
    max: 1,
    step: 0.05,
    value: volume() || LOUD,
  });
  const keep = () => {
    const { checked } = /** @type {HTMLInputElement} */ (on);
    const { value } = /** @type {HTMLInputElement} */ (loud);
    if (checked) localStorage.setItem(KEPT, value);
    else localStorage.removeItem(KEPT);
    changed();
    if (checked) new Sound().play("chip");
  };
  on.addEventListener("change", keep);
  loud.addEventListener("change", keep);
  open(
    "Sound",
    h("p", {}, h("label", { class: "check" }, on, " Cards, chips, your turn and wins")),
    h("p", {}, h("label", { for: "volume" }, "Volume "), loud),
    quiet() ? h("p", {}, "Quiet is on, so you hear nothing until you switch it off.") : h("span"),
    h("p", { class: "hint" }, "Everything you hear is also shown and announced."),
  );
}
