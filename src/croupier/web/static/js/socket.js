// @ts-check
/**
 * The socket to a table, which reconnects by itself. A request keeps its id until it is answered,
 * so that sending it again after a cut changes nothing twice.
 *
 * @typedef {import("./types").Message} Message
 */

import { post } from "./api.js";
import { mySeats } from "./state.js";

const LEAST_MS = 250;
const LATEST_MS = 8000;
/** While somebody waits, tries follow each other quickly. */
const URGENT_MS = 1000;
/** How long a welcome takes at most on a connection that isn't slow. */
const WELCOME_MS = 2000;
const LISTEN_MS = 1000;
const PING_MS = 3500;
const SILENCE_MS = 7000;
const ELSEWHERE = 4409;
const NO_TABLE = 4404;
/** What people are told of a socket that isn't open. @type {Record<string, string>} */
export const LOST = {
  cut: "The connection is lost. Trying again \u2026",
  out: "Your session has ended. Sign in again, in another tab if you like.",
  gone: "This table is no longer there.",
  elsewhere: "You play at this table in another window.",
};

export class TableSocket {
  /**
   * @param {string} table
   * @param {{hear: (message: Message) => void, changed: (how: string) => void,
   *   last: () => number, urgent?: () => boolean, brought?: {tag: string, felt: string}}} ends
   *   `brought` is the felt that the page has from the start
   * @param {string} [socket] where its socket is, if it needs no ticket
   */
  constructor(table, ends, socket = "") {
    this.table = table;
    this.ends = ends;
    this.address = socket;
    this.playing = false;
    /** @type {WebSocket | null} */
    this.socket = null;
    /** @type {Map<string, {text: string, quiet: boolean, answered: (message: Message) => void}>} */
    this.asked = new Map();
    this.tries = 0;
    this.greeted = false;
    this.heard = 0;
    this.pinged = false;
    this.wanted = 0;
    this.prefix = Math.random().toString(36).slice(2, 8) + Date.now().toString(36);
    this.count = 0;
    this.fresh = true;
    /** @type {Promise<import("./cut.js").Cut> | null} */
    this.cutter = null;
    setInterval(() => this.listen(), LISTEN_MS);
    addEventListener("offline", () => this.lose());
  }

  /**
   * Connect to the table, to play or to watch.
   * @param {boolean} playing
   */
  async open(playing) {
    this.playing = playing;
    const wanted = ++this.wanted;
    this.socket?.close();
    let ticket = "";
    try {
      if (playing && !this.address)
        ticket = (await post("/api/ticket", { table: this.table })).ticket;
    } catch (error) {
      const { code } = /** @type {{code?: string}} */ (error);
      if (wanted === this.wanted) this.again(code === "not_signed_in" ? "out" : "cut");
      return;
    }
    if (wanted !== this.wanted) return;
    const has = this.fresh ? `&felt=${this.ends.brought?.tag ?? ""}` : `&last=${this.ends.last()}`;
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    const own = `/api/tables/${this.table}/socket?ticket=${encodeURIComponent(ticket)}${has}`;
    const path = this.address || own;
    const socket = new WebSocket(`${scheme}://${location.host}${path}`);
    this.socket = socket;
    this.greeted = false;
    this.heard = Date.now();
    socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (wanted !== this.wanted) return;
      this.socket = null;
      if (event.code === ELSEWHERE) this.ends.changed("elsewhere");
      else if (event.code === NO_TABLE) this.ends.changed("gone");
      else this.again();
    };
  }

  /**
   * Try once more, each time after a longer while.
   * @param {string} why
   */
  again(why = "cut") {
    this.ends.changed(why);
    const most = this.ends.urgent?.() ? URGENT_MS : LATEST_MS;
    const wait = Math.min(LEAST_MS * 2 ** this.tries++, most) * (0.7 + Math.random() * 0.6);
    const wanted = this.wanted;
    setTimeout(() => wanted === this.wanted && this.open(this.playing), wait);
  }

  /** Notice when the server stops answering: a hanging connection is never reported as closed. */
  listen() {
    if (!this.socket) return;
    const silent = Date.now() - this.heard;
    // A new one that hangs from the start is given up sooner, the first times.
    const welcome = Math.min(WELCOME_MS * (1 + this.tries / 4), SILENCE_MS);
    const most = this.greeted ? SILENCE_MS : welcome;
    if (silent > most) this.lose();
    else if (silent > PING_MS && this.socket.readyState === WebSocket.OPEN && !this.pinged) {
      this.pinged = true;
      this.socket.send(JSON.stringify({ type: "ping", id: this.id() }));
    }
  }

  /** Give a connection up without waiting for its end, and try again. */
  lose() {
    if (!this.socket) return;
    this.close();
    this.again();
  }

  /** Leave the table. */
  close() {
    this.wanted += 1;
    this.socket?.close();
    this.socket = null;
  }

  id() {
    return `${this.prefix}-${++this.count}`;
  }

  /** @param {Message} message */
  hear(message) {
    this.heard = Date.now();
    this.pinged = false;
    if (message.type === "welcome") {
      this.tries = 0;
      this.greeted = true;
      this.fresh = false;
      if (message.scene && this.ends.brought) message.felt ??= JSON.parse(this.ends.brought.felt);
      for (const { text } of this.asked.values()) this.socket?.send(text);
      this.ends.hear(message);
      this.ends.changed("open");
      return;
    }
    const answers = "id" in message ? message.id : null;
    const asked = this.asked.get(answers ?? "");
    if (!asked?.quiet) this.ends.hear(message);
    asked?.answered(message);
    this.asked.delete(answers ?? "");
  }

  /**
   * Take part in the players' cut, from the first seat on.
   * @param {import("./types").State} state
   */
  async cut(state) {
    if (!this.cutter && !mySeats(state).length) return;
    this.cutter ??= import("./cut.js").then(({ Cut }) => new Cut(this));
    await (await this.cutter).follow(state);
  }

  /**
   * Ask for something; what comes back says whether it was done.
   * @param {Record<string, unknown> & {type: string}} message
   * @param {{quiet?: boolean}} [how] quiet, if the answer is nothing to show
   * @returns {Promise<Message>}
   */
  ask(message, { quiet = false } = {}) {
    const id = this.id();
    const text = JSON.stringify({ ...message, id });
    return new Promise((answered) => {
      this.asked.set(id, { text, quiet, answered });
      if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(text);
    });
  }
}
