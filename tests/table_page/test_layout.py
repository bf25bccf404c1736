"""Everything needed is in view, at every size and in every state, and nothing covers anything."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from tests.pages.browser import PHONE
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
from tests.table_page.house import IDS, House, opened

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
      || one.matches("play-card, .circle, .chip, input"));
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


COVERED = """
() => {
  const shown = (one) => {
    const box = one.getBoundingClientRect();
    const style = getComputedStyle(one);
    return box.width > 2 && box.height > 2 && style.visibility === "visible" && one.textContent
      || one.matches("play-card, .circle");
  };
  const parts = ["play-card", ".circle", ".got", ".wager", ".called", "figcaption", ".saying",
    ".meters > div", ".placard", ".arc", ".name p > *", ".printed p", ".odds tr",
    ".seats player-seat", ".account .sums", ".account tr", "#dock button", "#dock .clock",
    "#dock .hint", "#dock input", ".strip h1", ".visit > div", ".tools > *"];
  const found = parts.flatMap((part) => [...document.querySelectorAll(part)].filter(shown));
  const boxes = found.map((one) => {
    const range = document.createRange();
    range.selectNodeContents(one);
    // What words take, where a box is wider or narrower than they are.
    const words = one.matches("figcaption, .got, .wager, .called, .arc, .name p > *, .visit > div");
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
  });
  found.forEach((a, i) => found.slice(i + 1).forEach((b, n) => {
    const [p, q] = [boxes[i], boxes[i + 1 + n]];
    const across = Math.min(p.right, q.right) - Math.max(p.left, q.left);
    const down = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
    if (across <= 2 || down <= 2 || a.contains(b) || b.contains(a)) return;
    // The cards of a small hand lie on each other, as on a table.
    const small = ".seats, .own:not([data-boxes='1'])";
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
    wrong = []
    for width, height in SIZES:
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))")
        found: list[Any] = page.evaluate(OUT_OF_VIEW, list(selectors))
        found += page.evaluate(COVERED)
        wrong += [f"{width}x{height} {state}: {one}" for one in found]
    return wrong


@pytest.mark.parametrize("table", IDS)
def test_everything_needed_is_in_view(table: str, house: House, new_page: NewPage) -> None:
    check_a_round(new_page(), house, table)


def test_paytables_that_do_not_fit_are_a_press_away(house: House, new_page: NewPage) -> None:
    page = new_page(PHONE)
    page.goto(f"{house.url}/tables/maryland")
    page.wait_for_selector('felt-table[data-pays="none"]')
    page.locator(".paytables").click()
    page.wait_for_selector("#drawer[open] .pays")
    rows = page.locator("#drawer[open] .pays tbody tr")
    assert rows.count() >= page.locator(".rail tr").count() > 0


def test_two_boxes_are_in_view(house: House, new_page: NewPage) -> None:
    """Both hands, all spots and the choices, with the most wagers that a book has."""
    page = new_page()
    come_in(page, house, "maryland")
    until_bets(page)
    page.locator(".seats .sit:enabled").first.click()
    page.wait_for_selector('.own[data-boxes="2"] bet-spot[open]')
    bet_everywhere(page)
    wrong = out_of_view(page, "bets", BETS)
    page.keyboard.press("d")
    choices_are_live(page)
    wrong += out_of_view(page, "decide", DECIDE)
    assert wrong == []


OFFER = ("#funds", '[data-command="bank"]', '[data-command="pass"]', "#hint", ".says .text")
BANKED = (".sums", ".account tbody tr", ".places play-card", ".says .text", "#net", "#hint")


def test_banking_is_explained_and_in_view(tmp_path: Path, new_page: NewPage) -> None:
    """U7: range, risk and turn at the offer, and lines on the felt that the next one leaves."""
    with opened(tmp_path, pause=3, bets=5) as house:
        page = new_page()
        come_in(page, house, "california")
        page.wait_for_selector('#dock[data-mode="bank"]')
        words = page.inner_text("#hint")
        assert words.startswith("Put up any sum to $1,000: you can lose that and no more.")
        assert "At most 2 rounds running, then House" in words
        assert page.get_attribute("#funds", "aria-describedby") == "hint"
        wrong = out_of_view(page, "offer", OFFER)
        page.locator('[data-command="bank"]').click()
        settled(page)
        bank = house.table("california").place.standing.round
        assert bank and bank.bank_result
        found = bank.bank_result
        sums = page.locator(".sums dd").all_inner_texts()
        dealt = {"+": found.collected, "\u2212": found.paid}
        for text, (sign, cents) in zip(sums[1:3], dealt.items(), strict=True):
            assert text == (f"{sign}${cents // 100}" if cents else "\u2013")
        assert page.locator(".account tbody tr").count() == len(bank.boxes)
        # The next offer stands below the result, and does not take its place.
        page.wait_for_selector('#dock[data-mode="bank"]')
        assert "Your bank" in page.inner_text(".says")
        wrong += out_of_view(page, "banked", BANKED)
        assert wrong == []


UNSEEN = """
[[table]]
id = "{id}"
rulebook = "{book}"
seats = {seats}
practice = true
[table.selections]
"""


@pytest.mark.parametrize(
    ("book", "seats"), [("island-stud", 1), ("raise-to-three", 2), ("three-card-ride", 5)]
)
def test_a_book_nobody_has_seen_is_in_view(
    book: str, seats: int, tmp_path: Path, new_page: NewPage
) -> None:
    with opened(tmp_path, more=UNSEEN.format(id="unseen", book=book, seats=seats)) as house:
        check_a_round(new_page(), house, "unseen")


def check_a_round(page: Page, house: House, table: str) -> None:
    """Play a round, and look at each of its states at every size."""
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


PIECES = {
    "PLAY-CARD.",
    "SPAN.face",
    "SPAN.index",
    "I.",
    "svg.",
    "CHIP-STACK.",
    "CHIP-STACK.paid",
    "B.sum",
    "#text.",
}
"""Cards, chips and numbers: what may move in a round."""


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
def test_nothing_jumps(size: tuple[int, int], house: House, new_page: NewPage) -> None:
    """On load and through a whole round only cards, chips and numbers move."""
    page = new_page(size, moves=True)
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
    moved = [(value, who) for value, who in shifts if {*who.split()} - PIECES]
    assert moved == []
