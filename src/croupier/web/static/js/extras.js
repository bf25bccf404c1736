// @ts-check
/**
 * What a player may use besides playing; each is fetched when it is asked for.
 *
 * @typedef {import("./types").Command} Command
 */

const COMMANDS = [
  ["you", "Your visit", "Y"],
  ["saved", "Saved bets", "V"],
  ["switch", "Other tables", "O"],
  ["guide", "Show me a first hand", ""],
  ["name", "Choose a name", ""],
  ["sound", "Sound", ""],
];

/** @param {import("./mine.js").Around} around */
export function extras(around) {
  const open = async (id = "") => (await import("./mine.js")).open(id, around);
  for (const one of document.querySelectorAll("[data-newcomer]"))
    one.toggleAttribute("hidden", Boolean(localStorage.getItem("croupier.guide")));
  if (localStorage.getItem("croupier.sound")) open();
  return COMMANDS.map(([id, label, key]) => ({
    id,
    label,
    key,
    group: "Table",
    enabled: () => true,
    run: () => open(id),
  }));
}
