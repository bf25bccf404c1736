// @ts-check
/**
 * Where the cards are real, a screen belongs to a seat by the code that lies on the felt there. A
 * printed link to the table has both; everybody else is asked.
 *
 * @typedef {import("./types").Refusal} Refusal
 */

import { cite, dressed, h } from "./dom.js";
import { sentence } from "./hands.js";

/** What the link says, for the first time that a seat is asked for. */
let link = new URLSearchParams(location.search);

/**
 * Sit down with the link's code, or ask for the one on the felt.
 * @param {import("./socket.js").TableSocket} socket
 * @param {import("./types").State} state how the table stood when a seat was refused
 * @param {string} [asked] the message that asked for it
 */
export async function ask(socket, { felt, refusal }, asked = "{}") {
  let { seat } = JSON.parse(asked);
  /** @type {Refusal | null} */
  let why = refusal;
  if (link.has("code")) {
    seat = Number(link.get("seat"));
    const code = link.get("code");
    link = new URLSearchParams();
    const answer = await socket.ask({ type: "sit", seat, code }, { quiet: true });
    why = answer.type === "refused" ? answer : null;
  }
  if (felt && why) show(socket, felt, seat, why);
}

/**
 * @param {import("./socket.js").TableSocket} socket
 * @param {import("./types").Felt} felt
 * @param {number} seat
 * @param {Refusal} refusal
 */
async function show(socket, { seats, rulebook: book }, seat, refusal) {
  await dressed();
  const fault = h("p", { role: "status", class: "fault" });
  const code = /** @type {HTMLInputElement} */ (
    h("input", {
      id: "seat-code",
      name: "code",
      required: true,
      autofocus: true,
      autocomplete: "off",
      autocapitalize: "characters",
      spellcheck: "false",
      enterkeyhint: "send",
      maxlength: 12,
      "aria-describedby": "seat-code-why",
    })
  );
  const numbers = Array.from({ length: seats }, (_, index) => index + 1);
  const at = h(
    "select",
    { id: "seat-number", name: "seat" },
    ...numbers.map((one) => h("option", { selected: one === seat }, String(one))),
  );
  /** @param {SubmitEvent} event */
  const submit = async (event) => {
    event.preventDefault();
    const filled = new FormData(/** @type {HTMLFormElement} */ (event.target));
    const asked = { type: "sit", seat: Number(filled.get("seat")), code: filled.get("code") };
    const answer = await socket.ask(asked, { quiet: true });
    if (answer.type !== "refused") return dialog.close();
    fault.replaceChildren(...says(answer, book));
    code.select();
  };
  const dialog = /** @type {HTMLDialogElement} */ (
    h(
      "dialog",
      { class: "card-dialog", "aria-labelledby": "seat-code-title", close: () => dialog.remove() },
      h("h2", { id: "seat-code-title" }, "Sit at the felt"),
      h("p", { id: "seat-code-why" }, ...says(refusal, book)),
      h(
        "form",
        { submit, class: "seat-code" },
        h("label", { for: "seat-number" }, "Seat"),
        at,
        h("label", { for: "seat-code" }, "Code on the felt"),
        code,
        fault,
        h(
          "p",
          { class: "actions" },
          h("button", { class: "button main" }, "Sit down"),
          h("button", { class: "button", type: "button", click: () => dialog.close() }, "Watch"),
        ),
      ),
    )
  );
  document.body.append(dialog);
  dialog.showModal();
}

/**
 * @param {Refusal} refusal
 * @param {string} book
 */
const says = ({ message, clause }, book) =>
  clause ? [`${sentence(message)} (`, cite(book, clause), ")."] : [`${sentence(message)}.`];
