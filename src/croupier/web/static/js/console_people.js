// @ts-check
/**
 * The people of a table: who has which post, and what waits for a second person.
 *
 * @typedef {import("./types").Desk} Desk
 * @typedef {import("./types").Proposal} Proposal
 */

import { post } from "./api.js";
import { effects } from "./console_wrong.js";
import { cite, fill, h, must } from "./dom.js";

export class People {
  /**
   * @param {{ask: (message: any) => Promise<any>, say: (words: string, bad?: boolean) => void,
   *   book: string, me: string, roles: string[]}} around
   */
  constructor({ ask, say, book, me, roles }) {
    this.ask = ask;
    this.say = say;
    this.book = book;
    this.me = me;
    this.roles = roles;
    /** @type {Map<string, HTMLElement>} What is typed into a request stays there. */
    this.requests = new Map();
    for (const one of must("#crew").querySelectorAll("[data-post]"))
      one.addEventListener("click", () =>
        ask({ type: "tap_in", post: one.getAttribute("data-post") }));
    must("#out").addEventListener("click", () => ask({ type: "tap_out" }));
  }

  /**
   * @param {Desk} desk
   * @param {{crew: boolean}} how
   */
  draw(desk, { crew }) {
    const here = Object.values(desk.crew).includes(this.me);
    must("#crew").hidden = here && !crew;
    must("#crew-list").replaceChildren(...Object.entries(desk.crew).map(([post, person]) =>
      h("div", {}, h("dt", {}, post), h("dd", {},
        person === this.me ? "you" : desk.names[person] ?? "nobody"))));
    for (const one of must("#crew").querySelectorAll("[data-post]")) {
      const taken = desk.crew[one.getAttribute("data-post") ?? ""];
      one.toggleAttribute("hidden", here);
      const name = one.getAttribute("data-post");
      one.textContent = taken
        ? `Take over as ${name} from ${desk.names[taken]}` : `Tap in as ${name}`;
    }
    must("#out").hidden = !here;
    for (const id of this.requests.keys())
      if (!desk.proposals.some((one) => one.id === id)) this.requests.delete(id);
    for (const one of desk.proposals)
      if (!this.requests.has(one.id)) this.requests.set(one.id, this.request(one, desk));
    must("#requests").hidden = !desk.proposals.length;
    fill(must("#requests"), [...this.requests.values()]);
  }

  /** Focus the first way to tap in; never tapping out, which a scanner's Enter would press. */
  focus() {
    const posts = [...must("#crew").querySelectorAll("[data-post]")];
    const first = posts.find((one) => !one.hasAttribute("hidden"));
    /** @type {HTMLElement} */ (first ?? must("#crew-title")).focus();
  }

  /**
   * @param {Proposal} one
   * @param {Desk} desk
   */
  request(one, desk) {
    const { preview, id } = one;
    const mine = one.by === this.me;
    const can = !mine && preview.approve.some((role) => this.roles.includes(role));
    const cited = preview.clause || preview.ruling
      ? [" ", cite(this.book, preview.clause || null, preview.ruling)] : [];
    const said = [
      h("h2", {}, `${desk.names[one.by] ?? one.by} asks: ${one.says}.`),
      preview.says ? h("p", {}, preview.says, ...cited) : "",
      effects(preview),
    ];
    if (mine) {
      const back = h("button", { class: "button", type: "button",
        click: () => this.ask({ type: "withdraw", proposal: id }) }, "Withdraw");
      return h("section", { class: "panel request" }, ...said, h("p", { class: "actions" }, back));
    }
    if (!can) return h("section", { class: "panel request" }, ...said);
    const password = /** @type {HTMLInputElement} */ (h("input", { id: `password-${id}`,
      type: "password", autocomplete: "current-password", required: "" }));
    const decline = h("button", { class: "button", type: "button",
      click: () => this.ask({ type: "decline", proposal: id, why: "" }) }, "Decline");
    const form = h("form", { submit: (/** @type {Event} */ event) => {
      event.preventDefault();
      this.approve(id, password);
    } },
      h("div", { class: "field" }, h("label", { for: `password-${id}` }, "Your password, again"),
        password),
      h("p", { class: "actions" }, h("button", { class: "button main" }, "Approve"), decline));
    return h("section", { class: "panel request" }, ...said, form);
  }

  /**
   * @param {string} id
   * @param {HTMLInputElement} password
   */
  async approve(id, password) {
    try {
      const { again } = await post("/api/again", { password: password.value });
      password.value = "";
      await this.ask({ type: "approve", proposal: id, again });
    } catch (error) {
      this.say(`${error instanceof Error ? error.message : error}.`, true);
    }
  }
}
