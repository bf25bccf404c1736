"""Everything needed is in view, at every size and in every state, and nothing covers anything."""

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.table_page.acts import (
    OWN,
    bet_everywhere,
    choices_are_live,
    come_in,
    decide,
    settled,
    until_bets,
)
from tests.table_page.conftest import NewPage
from tests.table_page.house import IDS, House

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
  for (const selector of selectors) {
    const found = [...document.querySelectorAll(selector)].filter((one) => one.textContent
      || one.matches("play-card, .circle, .chip"));
    if (!found.length) wrong.push(`${selector} is not there`);
    for (const one of found) {
      const box = one.getBoundingClientRect();
      const small = box.width < 6 || box.height < 6;
      const out = box.left < -1 || box.top < -1 || box.right > width + 1 || box.bottom > height + 1;
      if (small || out) {
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
  const felt = document.querySelector("felt-table").getBoundingClientRect();
  const dock = document.querySelector("#dock").getBoundingClientRect();
  if (felt.bottom > dock.top + 1) wrong.push("the dock covers the felt");
  if (document.documentElement.scrollHeight > height + 1) wrong.push("the page scrolls down");
  if (document.documentElement.scrollWidth > width + 1) wrong.push("the page scrolls sideways");
  return wrong;
}
"""


def out_of_view(page: Page, state: str, selectors: tuple[str, ...]) -> list[str]:
    """Look at one state at every size, and return what is wrong there."""
    wrong = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))")
        found: list[Any] = page.evaluate(OUT_OF_VIEW, list(selectors))
        wrong += [f"{width}x{height} {state}: {one}" for one in found]
    return wrong


@pytest.mark.parametrize("table", IDS)
def test_everything_needed_is_in_view(table: str, house: House, new_page: NewPage) -> None:
    page = new_page(reduced_motion="reduce")
    come_in(page, house, table)
    until_bets(page)
    bet_everywhere(page)
    wrong = out_of_view(page, "bets", BETS)
    page.keyboard.press("d")
    choices_are_live(page)
    wrong += out_of_view(page, "decide", DECIDE)
    decide(page)
    settled(page)
    if page.locator('[data-command="hold"]:enabled').count():
        page.keyboard.press("h")
    wrong += out_of_view(page, "result", RESULT)
    assert wrong == []


SHIFTS = """
() => {
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const one of list.getEntries()) {
      const who = one.sources.map(({ node }) => `${node?.nodeName}.${node?.className ?? ""}`);
      window.shifts.push([one.value, who.join(" ")]);
    }
  }).observe({ type: "layout-shift", buffered: true });
}
"""


CHANGES = {"P.says", "DL.visit", "DIV.", "DIV.clock", "DIV.ring-clock"}
"""The message line, the sums of the strip, and the clock."""


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_nothing_jumps(size: tuple[int, int], house: House, new_page: NewPage) -> None:
    """On load and through a whole round only cards, chips and numbers move."""
    page = new_page(size)
    page.add_init_script(f"({SHIFTS})()")
    come_in(page, house, "maryland")
    until_bets(page)
    loaded = page.evaluate("window.shifts")
    assert sum(value for value, _ in loaded) <= 0.02, loaded
    bet_everywhere(page)
    page.keyboard.press("d")
    choices_are_live(page)
    decide(page)
    settled(page)
    page.keyboard.press("n")
    until_bets(page)
    shifts = page.evaluate("window.shifts")[len(loaded) :]
    # Words and numbers change where they stand; whatever else moves is counted.
    moved = [(value, who) for value, who in shifts if {*who.split()} - CHANGES]
    assert sum(value for value, _ in moved) <= 0.02, moved
