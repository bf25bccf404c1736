// @ts-check
/** Coming in and going out: forms that post JSON. They are inert until their script is there. */

import { post } from "./api.js";

for (const form of document.querySelectorAll("form[data-post]")) {
  if (!(form instanceof HTMLFormElement)) continue;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
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
  form.inert = false;
}
