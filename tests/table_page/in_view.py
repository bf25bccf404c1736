"""What must be in view at a table, at every size, and what covers what."""

from typing import Any

from playwright.sync_api import Page

from tests.pages.browser import resize
from tests.table_page.acts import OWN

SIZES = (
    (1440, 900),
    (1280, 720),
    (1180, 820),
    (844, 390),
    (390, 844),
    (320, 568),
    (720, 450),
    (640, 360),
)
"""Desktop, laptop, tablet, phones; the last two are the first two at 200 % zoom."""

BETS = (f"{OWN} bet-spot .circle", ".tray .chip", '[data-command="deal"]', ".says .text")
DECIDE = (
    f"{OWN} play-card",
    ".places play-card",
    "#decisions .choice",
    ".says .text",
    f"{OWN} .called",
)
RESULT = (
    f"{OWN} play-card",
    ".places play-card",
    ".says .text",
    f"{OWN} .called",
    f"{OWN} bet-spot .circle",
    f"{OWN} bet-spot .got",
    '[data-command="next"]',
    "#balance",
    "#net",
)

OUT_OF_VIEW = """
(selectors) => {
  const wrong = [];
  const width = innerWidth, height = innerHeight;
  const felt = document.querySelector("felt-table").getBoundingClientRect();
  for (const selector of selectors) {
    const found = [...document.querySelectorAll(selector)].filter((one) => one.textContent
      || one.matches("play-card, .circle, .chip, input"));
    if (!found.length) wrong.push(`${selector} is not there`);
    for (const one of found) {
      const box = one.getBoundingClientRect();
      const small = box.width < 6 || box.height < 6;
      const out = box.left < -1 || box.top < -1 || box.right > width + 1 || box.bottom > height + 1;
      const cut = one.closest("felt-table") && box.bottom > felt.bottom;
      if (small || out || cut) {
        wrong.push(`${selector}: ${[box.left, box.top, box.right, box.bottom].map(Math.round)}`);
        continue;
      }
      // What lies on top in its middle belongs to it, or to what it belongs to.
      const top = document.elementFromPoint((box.left + box.right) / 2, (box.top + box.bottom) / 2);
      const near = one.closest("button, bet-spot, .hand, .line, .holds, div") ?? one;
      if (!top || !(near.contains(top) || top.contains(one))) {
        wrong.push(`${selector} is covered by ${top?.tagName}.${top?.className}`);
      }
    }
  }
  const dock = document.querySelector("#dock").getBoundingClientRect();
  if (felt.bottom > dock.top + 1) wrong.push("the dock covers the felt");
  if (document.documentElement.scrollHeight > height + 1) wrong.push("the page scrolls down");
  if (document.documentElement.scrollWidth > width + 1) wrong.push("the page scrolls sideways");
  return wrong;
}
"""


COVERED = """
() => {
  const shown = (one) => {
    const box = one.getBoundingClientRect();
    const style = getComputedStyle(one);
    return box.width > 2 && box.height > 2 && style.visibility === "visible" && one.textContent
      || one.matches("play-card, .circle");
  };
  const parts = ["play-card", ".places .hand", ".circle", ".got", ".wager", ".called",
    "figcaption", ".saying", ".meters > div", ".placard", ".edges", ".arc", ".name p > *",
    ".printed p", ".odds tr", ".seats player-seat", ".account .sums", ".account tr",
    "#dock button", "#dock .clock", "#dock .hint", "#dock input", ".strip h1",
    ".visit > div", ".tools > *", ".sit", ".free", ".mark", ".own .sum"];
  const found = parts.flatMap((part) => [...document.querySelectorAll(part)].filter(shown));
  const boxes = found.map((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    // What words take, where a box is wider or narrower than they are.
    const words = one.matches("figcaption, .got, .wager, .called, .arc, .name p > *, .visit > div, "
      + ".free, .mark");
    return (words ? range : one).getBoundingClientRect();
  });
  const wrong = [];
  const name = (one) => `${one.tagName}.${one.className?.baseVal ?? one.className} `
    + `\u201c${one.textContent.slice(0, 24)}\u201d`;
  found.forEach((one, i) => {
    const { left, right } = boxes[i];
    if (left < -1 || right > innerWidth + 1) wrong.push(`${name(one)} leaves the page`);
    if (one.matches("button") && one.scrollWidth > one.clientWidth + 1) {
      wrong.push(`${name(one)} is too narrow`);
    }
    const seat = one.closest(".seats player-seat")?.getBoundingClientRect();
    const { left: west, right: east, top: north } = seat ?? { left, right, top: boxes[i].top };
    if (right > left && (left < west - 1 || right > east + 1 || boxes[i].top < north - 1)) {
      wrong.push(`${name(one)} leaves its seat`);
    }
    if (one.matches(".free") && boxes[i].height > 24) wrong.push(`${name(one)} breaks`);
  });
  found.forEach((a, i) => found.slice(i + 1).forEach((b, n) => {
    const [p, q] = [boxes[i], boxes[i + 1 + n]];
    const across = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const down = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (across <= 2 || down <= 2 || a.contains(b) || b.contains(a)) return;
    // The cards of a small hand lie on each other, as on a table.
    const small = ".seats, .own:not([data-boxes='1']), shared-hand";
    const hand = a.matches("play-card") && b.parentNode === a.parentNode && a.closest(small);
    if (!hand) {
      wrong.push(`${name(a)} and ${name(b)} by ${Math.round(across)} x ${Math.round(down)}`);
    }
  }));
  return wrong;
}
"""


def out_of_view(page: Page, state: str, selectors: tuple[str, ...]) -> list[str]:
    """Look at one state at every size, and return what is wrong there."""
    assert page.viewport_size
    before = page.viewport_size
    wrong = []
    for width, height in SIZES:
        resize(page, (width, height))
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))")
        found: list[Any] = page.evaluate(OUT_OF_VIEW, list(selectors))
        found += page.evaluate(COVERED)
        wrong += [f"{width}x{height} {state}: {one}" for one in found]
    resize(page, (before["width"], before["height"]))
    return wrong
