// @ts-check
/** Coming in and going out: forms that post JSON. */

import { post } from "./api.js";

for (const form of document.querySelectorAll("form[data-post]")) {
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (!(form instanceof HTMLFormElement)) return;
    const says = form.querySelector("[role=status]");
    const given = Object.fromEntries(new FormData(form));
    try {
      await post(form.dataset.post ?? "", given);
      location.assign(form.dataset.then ?? "/");
    } catch (error) {
      const words = /** @type {Error} */ (error).message;
      if (says) says.textContent = `${words[0].toUpperCase()}${words.slice(1)}.`;
    }
  });
}
