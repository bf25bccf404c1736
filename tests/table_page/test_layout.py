"""Everything needed is in view, at every size and in every state, and nothing covers anything.

test_play.py looks at a round of each of the package's books.
"""

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.pages.browser import PHONE
from tests.table_page.acts import (
    bet_everywhere,
    choices_are_live,
    come_in,
    decide,
    hold,
    settled,
    until_bets,
)
from tests.table_page.conftest import NewPage
from tests.table_page.house import IDS, House, opened
from tests.table_page.in_view import BETS, DECIDE, RESULT, out_of_view


def test_paytables_that_do_not_fit_are_a_press_away(house: House, new_page: NewPage) -> None:
    page = new_page((320, 568))
    page.goto(f"{house.url}/tables/maryland")
    page.wait_for_selector('felt-table[data-pays="none"]')
    page.locator(".paytables").click()
    page.wait_for_selector("#drawer[open] .pays")
    rows = page.locator("#drawer[open] .pays tbody tr")
    assert rows.count() >= page.locator(".rail tr").count() > 0


@pytest.mark.parametrize(
    ("size", "high"),
    [((1440, 900), 130), ((1280, 720), 95), ((1180, 820), 110), (PHONE, 70), ((320, 568), 50)],
)
def test_cards_are_as_large_as_the_felt_lets_them(
    size: tuple[int, int], high: int, house: House, new_page: NewPage
) -> None:
    """With the most wagers that a book has; the paytables stay on all but the smallest felt."""
    page = new_page(size)
    page.goto(f"{house.url}/tables/maryland")
    pays = "none" if size == (320, 568) else "full"
    page.wait_for_selector(f'felt-table[data-pays="{pays}"]')
    box = page.locator(".own .ghost").first.bounding_box()
    assert box and box["height"] >= high


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
BANKED = (".sums", ".places play-card", ".says .text", "#net", "#hint")


def test_banking_is_explained_and_in_view(tmp_path: Path, new_page: NewPage) -> None:
    """U7: range, risk and turn at the offer, and lines on the felt that the next one leaves."""
    with opened(tmp_path, pause=3, bets=5, bots=7) as house:
        page = new_page()
        come_in(page, house, "california")
        page.wait_for_selector('#dock[data-mode="bank"]')
        words = page.inner_text("#hint")
        assert words.startswith("Put up any sum to $1,000: you can lose that and no more.")
        assert "At most 2 rounds running, then House" in words
        assert page.inner_text('[data-command="bank"]').split() == ["Bank", "B"]
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
        left = page.locator(".account tbody tr:last-child td:last-child").inner_text()
        assert left == f"${(found.funds + found.collected - found.paid) // 100}"
        assert page.inner_text(".account .turn") == "You are the bank, round 1 of at most 2"
        assert page.inner_text(".account .cover").endswith("Round of play 8")
        # Nothing is stretched to the height of the cards that would lie there otherwise.
        for part, most in ((".sums", 72), (".account tbody tr", 30)):
            box = page.locator(part).first.bounding_box()
            assert box and box["height"] <= most
        # The next offer stands below the result, and does not take its place.
        page.wait_for_selector('#dock[data-mode="bank"]')
        assert "Your bank" in page.inner_text(".says")
        again = page.inner_text('[data-command="bank"]').split()
        assert " ".join(again) == "Bank again round 2 of 2 B"
        assert "to seat" in page.inner_text('[data-command="pass"]')
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
    ("book", "seats"),
    [
        ("three-card-ride", 5),
        # These differ in the number of seats and of cards, as the package's books do.
        pytest.param("island-stud", 1, marks=pytest.mark.long),
        pytest.param("raise-to-three", 2, marks=pytest.mark.long),
    ],
)
def test_a_book_nobody_has_seen_is_in_view(
    book: str, seats: int, tmp_path: Path, new_page: NewPage
) -> None:
    with opened(tmp_path, more=UNSEEN.format(id="unseen", book=book, seats=seats)) as house:
        page = new_page()
        come_in(page, house, "unseen")
        until_bets(page)
        bet_everywhere(page)
        wrong = out_of_view(page, "bets", BETS)
        page.keyboard.press("d")
        choices_are_live(page)
        wrong += out_of_view(page, "decide", DECIDE)
        decide(page)
        settled(page)
        hold(page)
        wrong += out_of_view(page, "result", RESULT)
        assert wrong == []


def test_a_press_on_a_seat_tells_all_of_it(tmp_path: Path, new_page: NewPage) -> None:
    """Where a tile has no room for cards and wagers, it says its number and opens."""
    with opened(tmp_path, bots=6) as house:
        page = new_page((320, 568))
        come_in(page, house, "maryland")
        until_bets(page)
        seat = page.locator(".seats player-seat:not([empty])").first
        expect(seat).to_contain_text("$5")
        bet_everywhere(page)
        page.keyboard.press("d")
        choices_are_live(page)
        number = str(seat.get_attribute("id")).removeprefix("seat-")
        assert seat.locator(".who").inner_text().strip() == f"seat {number}"
        seat.click()
        drawn = page.locator("#drawer[open]")
        expect(drawn).to_contain_text(f"seat {number}")
        expect(drawn).to_contain_text("face down")
        expect(drawn).to_contain_text("$5")


@pytest.mark.parametrize("table", ["maryland", "florida"])
def test_a_full_table_is_in_view(table: str, tmp_path: Path, new_page: NewPage) -> None:
    """Seven and eight seats, all of them taken."""
    with opened(tmp_path, bots=6 if table == "maryland" else 7) as house:
        page = new_page()
        come_in(page, house, table)
        until_bets(page)
        bet_everywhere(page)
        expect(page.locator(".seats [empty]")).to_have_count(0)
        wrong = out_of_view(page, "bets", BETS)
        page.keyboard.press("d")
        choices_are_live(page)
        wrong += out_of_view(page, "decide", DECIDE)
        decide(page)
        settled(page)
        hold(page)
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


@pytest.mark.parametrize(
    ("size", "table"),
    [
        ((1280, 720), "maryland"),
        ((390, 844), "maryland"),
        *(((1280, 720), table) for table in IDS if table != "maryland"),
    ],
)
def test_nothing_jumps(size: tuple[int, int], table: str, house: House, new_page: NewPage) -> None:
    """On load and through a whole round only cards, chips and numbers move."""
    page = new_page(size, moves=True)
    page.add_init_script(f"({SHIFTS})()")
    come_in(page, house, table)
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


def test_the_bet_that_is_asked_for_is_lit(house: House, new_page: NewPage) -> None:
    page = new_page()
    come_in(page, house, "ride")
    until_bets(page)
    bet_everywhere(page)
    page.keyboard.press("d")
    choices_are_live(page)
    for name in ("Bet 1", "Bet 2"):
        expect(page.locator(".says .text")).to_have_text(f"{name}: let it ride or pull?")
        lit = page.locator("bet-spot[asked]")
        expect(lit).to_have_count(1)
        expect(lit.locator(".label")).to_have_text(name)
        shadow = lit.locator(".circle").evaluate("one => getComputedStyle(one).boxShadow")
        assert shadow != "none"
        says = page.locator("#decisions small").all_inner_texts()
        assert says == [f"keep $5 on {name}", f"take $5 back from {name}"]
        page.locator("#decisions .choice").first.click()
        if name == "Bet 1":
            choices_are_live(page)
            expect(page.locator(".says small")).to_have_text("one card to come")
