// @ts-check
/** The coach: what each choice is worth, what a mistake costs, and a running score. */

import { get } from "./api.js";
import { h } from "./dom.js";

const SCORE = "croupier.coach";

/** @param {string} sum dollars with four decimals */
function worth(sum) {
  const value = Number(sum);
  const text = Math.abs(value).toFixed(Math.abs(value) < 1 ? 3 : 2);
  return `${value < 0 ? "\u2212" : "+"}$${text}`;
}

export class Coach {
  /**
   * @param {string} table
   * @param {HTMLElement} place
   */
  constructor(table, place) {
    this.table = table;
    this.place = place;
    this.on = false;
    /** @type {{key: string, best: string, reason: string, choices: any[]} | null} */
    this.advice = null;
    this.asking = "";
    this.score = { decisions: 0, best: 0, cost: 0 };
    try {
      this.score = { ...this.score, ...JSON.parse(sessionStorage.getItem(SCORE) ?? "{}") };
    } catch {
      // If the score can't be read, it starts over.
    }
  }

  /** @param {boolean} on */
  switch(on) {
    if (on === this.on) return;
    this.on = on;
    this.clear();
  }

  clear() {
    this.advice = null;
    this.asking = "";
    this.draw();
  }

  /**
   * Ask for advice once a decision.
   * @param {string} key what is decided
   */
  async look(key) {
    if (!this.on || this.asking === key) return;
    this.asking = key;
    this.advice = null;
    this.draw("The coach thinks …");
    try {
      const found = await get(`/api/coach?table=${this.table}`);
      if (this.asking !== key) return;
      this.advice = { key, best: found.best, reason: found.reason, choices: found.choices };
      this.draw();
    } catch (error) {
      if (this.asking === key) this.draw(/** @type {Error} */ (error).message);
    }
  }

  /**
   * Count a decision against the best one.
   * @param {string} option
   */
  judge(option) {
    const choice = this.advice?.choices.find((one) => one.option === option);
    if (!choice) return;
    this.score.decisions += 1;
    this.score.best += Number(choice.cost) === 0 ? 1 : 0;
    this.score.cost += Number(choice.cost);
    sessionStorage.setItem(SCORE, JSON.stringify(this.score));
    this.advice = null;
    const cost = Number(choice.cost);
    this.draw(
      cost
        ? `${choice.label} costs $${cost.toFixed(3)} on average.`
        : `${choice.label} is the best choice.`,
    );
  }

  draw(says = "") {
    this.place.hidden = !this.on;
    const { decisions, best, cost } = this.score;
    const score = decisions
      ? `${best} of ${decisions} decisions were the best; mistakes cost $${cost.toFixed(2)}.`
      : "No decisions yet.";
    this.place.replaceChildren(
      h("b", {}, "Coach"),
      says ? h("span", { role: "status" }, says) : "",
      this.advice ? h("span", { class: "reason", role: "status" }, this.advice.reason) : "",
      this.advice
        ? h(
            "ul",
            { class: "worth" },
            ...this.advice.choices.map((one) =>
              h(
                "li",
                { "data-best": one.option === this.advice?.best ? "1" : "" },
                h("b", {}, one.label),
                one.value === null ? "" : h("span", {}, `worth ${worth(one.value)}`),
                h(
                  "small",
                  {},
                  one.option === this.advice?.best
                    ? "best"
                    : `costs $${Number(one.cost).toFixed(3)}`,
                ),
              ),
            ),
          )
        : "",
      this.advice ? "" : h("span", { class: "score" }, score),
    );
  }
}
