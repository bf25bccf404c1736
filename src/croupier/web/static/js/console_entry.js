// @ts-check
/**
 * What was typed into a field of a command: sums are typed in dollars and sent in cents.
 * @param {import("./types").Takes} takes
 * @param {string} text
 */
export function entered({ field, kind }, text) {
  const typed = text.trim();
  if (kind === "money") return { [field]: Math.round(Number(typed.replace("$", "")) * 100) };
  return { [field]: kind === "number" ? Number(typed) : typed };
}
