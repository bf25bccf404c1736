"""Everything needed is in view, at every size and in every state, and nothing covers anything.

test_play.py looks at a round of each of the package's books.
"""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from croupier.odds.analysis import analyze
from croupier.rules.words import edge_says
from tests.pages.browser import PHONE, resize
from tests.table_page.acts import (
    bet_everywhere,
    choices_are_live,
    come_in,
    decide,
    hold,
    settled,
    until_bets,
)
from tests.table_page.conftest import NewPage, violations
from tests.table_page.house import IDS, House, opened
from tests.table_page.in_view import BETS, DECIDE, RESULT, SIZES, out_of_view
from tests.table_page.test_result import Wire, won


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


METERS = """
[[table]]
id = "meters"
rulebook = "maryland-three-card-poker"

[table.selections]
progressive = "C"
progressive_rate = 0.25
five_card_progressive = "C"
five_card_progressive_rate = 0.25
"""
INSIDE = """
divs => divs.map(div => {
  const [out, sum] = [div, div.querySelector("dd")].map(one => one.getBoundingClientRect());
  const whole = sum.left >= out.left && sum.right <= out.right && out.right <= innerWidth;
  return whole ? div.querySelector("dd").textContent : "cut";
})
"""


@pytest.mark.parametrize("size", [PHONE, (844, 390), (1440, 900)])
def test_each_of_five_meters_shows_its_whole_sum(
    size: tuple[int, int], tmp_path: Path, new_page: NewPage
) -> None:
    with opened(tmp_path, more=METERS) as house:
        page = new_page(size)
        page.goto(f"{house.url}/tables/meters")
        page.wait_for_selector(".meters dd")
        sums = page.locator(".meters > div").evaluate_all(INSIDE)
        page.close()
    assert sums == ["$1,000.00", "$1,000.00", "$10,000.00", "$1,000.00", "$250.00"]


TOUCHING = """
() => [...document.querySelectorAll(".own player-seat")].flatMap((seat) => {
  const of = (one) => one.getBoundingClientRect();
  const [hand, called] = [".hand", ".called"].map((one) => seat.querySelector(one));
  const words = document.createRange();
  words.selectNodeContents(called);
  // Beside the cards or below them.
  const named = of(words).left >= of(hand).right || of(words).top >= of(hand).bottom;
  const covered = [...seat.querySelectorAll(".circle")].filter((one) =>
    of(one).left < of(hand).right && of(one).top < of(hand).bottom);
  return [...(named ? [] : [called.textContent]), ...covered].map(String);
})
"""


@pytest.mark.parametrize("table", ["maryland", "ride"])
def test_two_boxes_are_in_view(table: str, house: House, new_page: NewPage) -> None:
    """Both hands, all spots, the choices and large sums; no card covers a name or a circle."""
    page = new_page()
    Wire(page).change = partial(won, net="1000.14", row=0)
    come_in(page, house, table)
    until_bets(page)
    page.locator(".seats .sit:enabled").first.click()
    page.wait_for_selector('.own[data-boxes="2"] bet-spot[open]')
    bet_everywhere(page)
    wrong = out_of_view(page, "bets", BETS)
    page.keyboard.press("d")
    choices_are_live(page)
    wrong += out_of_view(page, "decide", DECIDE)
    for size in SIZES:
        resize(page, size)
        assert page.evaluate(TOUCHING) == [], size
    decide(page)
    settled(page)
    wrong += out_of_view(page, "result", RESULT)
    assert wrong == []


LATE = """
() => {
  const says = { text: "You win $20", more: "The clock chose \u201cPlay\u201d for you", tone: "win",
    clause: "round-of-play/3", href: "", net: 2000 };
  const felt = document.querySelector("felt-table");
  felt.say(says, { felt: { rulebook: "some" } });
  const [line, saying, link] = [".line", ".saying", ".saying a"].map(
    (one) => felt.querySelector(one).getBoundingClientRect());
  const inside = saying.top >= line.top - 1 && saying.bottom <= line.bottom + 1;
  return inside && link.height >= 24 && link.left >= saying.left && link.right <= saying.right;
}
"""


def paid(frame: dict[str, Any]) -> dict[str, Any]:
    """Change a settlement: every wager wins $25."""
    for box in (frame.get("scene") or {}).get("boxes", {}).values():
        if box and box["net"] is not None:
            for line in box["lines"]:
                line.update(outcome="win", paid="25.00", returned=line["stake"])
    return frame


def test_a_winner_is_paid_beside_the_stake(house: House, new_page: NewPage) -> None:
    """Neither pile lies on the other's sum, in two boxes on a phone either.

    There what was paid is only written below, where it can be read.
    """
    page = new_page()
    Wire(page).change = paid
    come_in(page, house, "maryland")
    until_bets(page)
    page.locator(".seats .sit:enabled").first.click()
    page.wait_for_selector('.own[data-boxes="2"] bet-spot[open]')
    bet_everywhere(page)
    page.keyboard.press("d")
    choices_are_live(page)
    decide(page)
    settled(page)
    piles = page.locator(".own .circle > chip-stack:has(.sum)").count()
    assert piles == 2 * page.locator(".own bet-spot").count()
    assert out_of_view(page, "paid", (".own .paid .chip", *RESULT)) == []
    assert page.locator(".own .paid .sum:visible").count() == piles // 2


COACHED = """
() => {
  const [felt, coach, dock] = ["felt-table", "#coach", "#dock"].map((one) =>
    document.querySelector(one).getBoundingClientRect());
  const words = document.createRange();
  words.selectNodeContents(document.querySelector("#coach"));
  const said = words.getBoundingClientRect();
  const inside = said.top >= coach.top - 1 && said.bottom <= coach.bottom + 1;
  return { felt: felt.height, apart: felt.bottom <= coach.top + 1 && coach.bottom <= dock.top + 1,
    inside: inside && said.left >= 0 && said.right <= innerWidth };
}
"""


@pytest.mark.parametrize("table", ["maryland", "ride"])
def test_the_coach_takes_a_place_of_its_own(table: str, house: House, new_page: NewPage) -> None:
    """All that it says is read at every size, and the felt stays as high as it is."""
    page = new_page()
    page.add_init_script("localStorage['croupier.settings'] = JSON.stringify({coach: true})")
    come_in(page, house, table)
    until_bets(page)
    bet_everywhere(page)
    heights = seen_with_coach(page)
    page.keyboard.press("d")
    choices_are_live(page)
    page.wait_for_selector("#coach .reason")
    wrong = out_of_view(page, "coached", DECIDE)
    assert seen_with_coach(page) == heights
    decide(page)
    settled(page)
    assert seen_with_coach(page) == heights
    assert wrong + out_of_view(page, "judged", RESULT) == []


def seen_with_coach(page: Page) -> list[float]:
    """How high the felt is at every size, where the coach lies on nothing."""
    heights = []
    for size in SIZES:
        resize(page, size)
        found = page.evaluate(COACHED)
        assert found["apart"] and found["inside"], (size, found)
        heights.append(found["felt"])
    return heights


LOST = """
() => {
  const more = "queen high Q-10-9-8-7 does not pay; it takes a pair of tens or better";
  const says = { text: "You lose $20", more, tone: "loss", clause: "", href: "", net: -2000 };
  const felt = document.querySelector("felt-table");
  felt.say(says, { felt: { rulebook: "some" } });
  const [line, saying, small] = [".line", ".saying", ".saying small"].map(
    (one) => felt.querySelector(one).getBoundingClientRect());
  const style = getComputedStyle(felt.querySelector(".saying"));
  const room = saying.width - parseFloat(style.paddingLeft) - parseFloat(style.paddingRight);
  return { inside: saying.top >= line.top - 1 && saying.bottom <= line.bottom + 1,
    spare: small.height < 20 ? room - small.width : Infinity };
}
"""


def test_the_longest_words_of_a_lost_hand_stay_in_their_line(
    house: House, new_page: NewPage
) -> None:
    """With the coach, which leaves the felt least; letters may be a little wider elsewhere."""
    page = new_page()
    page.add_init_script("localStorage['croupier.settings'] = JSON.stringify({coach: true})")
    page.goto(f"{house.url}/tables/ride")
    page.wait_for_selector(".saying")
    for size in SIZES:
        resize(page, size)
        page.wait_for_timeout(100)
        found = page.evaluate(LOST)
        assert found["inside"] and found["spare"] > 10, (size, found)


def test_what_the_clock_chose_stays_in_its_line(house: House, new_page: NewPage) -> None:
    """With the longest words and a clause, at every size."""
    page = new_page()
    page.goto(f"{house.url}/tables/california")
    page.wait_for_selector(".saying")
    for size in SIZES:
        resize(page, size)
        page.wait_for_timeout(100)
        assert page.evaluate(LATE), size


LINKED = """
(tone) => {
  const [says, saying] = [document.querySelector(".says"), document.querySelector(".saying")];
  says.dataset.tone = tone;
  const [small, link] = ["small", "a"].map((tag) => document.createElement(tag));
  saying.append(small, link);
  return [small, link].map((one) => getComputedStyle(one).color);
}
"""


@pytest.mark.parametrize("tone", ["win", "big", "jackpot"])
def test_a_clause_on_a_golden_banner_can_be_read(
    tone: str, house: House, new_page: NewPage
) -> None:
    """Axe knows no contrast with a gradient: a link has the ink of the words beside it."""
    page = new_page()
    page.goto(f"{house.url}/tables/maryland")
    page.wait_for_selector(".saying")
    words, link = page.evaluate(LINKED, tone)
    assert link == words == "rgb(70, 50, 0)"


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


def out_of_view_in_a_round(page: Page) -> list[str]:
    """Play a round, and return what is out of view at its bets, its decision and its result."""
    until_bets(page)
    bet_everywhere(page)
    wrong = out_of_view(page, "bets", BETS)
    page.keyboard.press("d")
    choices_are_live(page)
    wrong += out_of_view(page, "decide", DECIDE)
    decide(page)
    settled(page)
    hold(page)
    return wrong + out_of_view(page, "result", RESULT)


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
        first, *others = house.galleries["unseen"].felt["wagers"]
        early = [one for one in others if one["placed"] == first["placed"]]
        beside = [one for one in early if one["paytable"]]
        expect(page.locator(".own .group[data-bonus]")).to_have_count(len(beside))
        # Without limits the placard says so, beside what the bank keeps.
        expect(page.locator(".placard > :not(.where)")).to_have_count(1 + len(early))
        expect(page.locator(".placard")).to_contain_text("any sum")
        assert out_of_view_in_a_round(page) == []


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


def test_the_game_keeps_its_name(house: House, new_page: NewPage) -> None:
    """Also beside what a newcomer is offered; phones have no room for it."""
    page = new_page()
    come_in(page, house, "florida")
    until_bets(page)
    expect(page.locator("[data-newcomer]")).to_be_visible()
    name = page.locator(".strip h1")
    for size in ((1440, 900), (1280, 720), (1180, 820), (1024, 768), (844, 390), (768, 1024)):
        resize(page, size)
        assert name.evaluate(
            "one => [one.clientWidth > 100, one.scrollWidth - one.clientWidth]"
        ) == [
            True,
            0,
        ], size


BIG_INDICES = """
() => [...document.querySelectorAll(":is(.seats, .own) .hand")].flatMap((hand) =>
  [...hand.querySelectorAll("play-card")].flatMap((card, number, cards) => {
    card.setAttribute("code", ["Qs", "Th", "Kd"][number % 3]);
    const index = card.querySelector(".index");
    if (!index?.checkVisibility()) return [];
    const text = document.createRange();
    text.selectNodeContents(index.firstElementChild);
    const [{ left, right }, box] = [text.getBoundingClientRect(), card.getBoundingClientRect()];
    const next = cards[number + 1]?.getBoundingClientRect().left ?? Infinity;
    return [[(left - box.left) / box.width, Math.min(next, box.right) - right]];
  }))
"""


@pytest.mark.parametrize("size", [(1180, 820), (844, 390)])
def test_big_indices_keep_clear_of_borders(
    size: tuple[int, int], house: House, new_page: NewPage
) -> None:
    """Of the card's own, and of the card that covers it."""
    page = new_page(size)
    come_in(page, house, "california")
    until_bets(page)
    bet_everywhere(page)
    page.keyboard.press("d")
    choices_are_live(page)
    indices = page.evaluate(BIG_INDICES)
    assert indices
    assert all(before >= 0.07 and after > 0 for before, after in indices), indices


@pytest.mark.parametrize("table", ["maryland", "florida"])
def test_a_full_table_is_in_view(table: str, tmp_path: Path, new_page: NewPage) -> None:
    """Seven and eight seats, all of them taken."""
    with opened(tmp_path, bots=6 if table == "maryland" else 7) as house:
        page = new_page()
        come_in(page, house, table)
        until_bets(page)
        expect(page.locator(".seats [empty]")).to_have_count(0)
        assert out_of_view_in_a_round(page) == []


WIDER = """
() => [...document.querySelectorAll(".seats .who, .seats .who b")].flatMap((one) =>
  one.scrollWidth > one.clientWidth + 1 && one.clientWidth ? [one.textContent] : [])
"""


def test_large_sums_of_others_fit_their_seats(tmp_path: Path, new_page: NewPage) -> None:
    """On a phone they are told in brief, elsewhere in full beside the whole name."""
    with opened(tmp_path, bots=6) as house:
        page = new_page((1180, 820))
        Wire(page).change = partial(won, net="12345.14", row=0)
        come_in(page, house, "maryland")
        until_bets(page)
        bet_everywhere(page)
        page.keyboard.press("d")
        choices_are_live(page)
        decide(page)
        settled(page)
        for size in ((1180, 820), (1280, 720), PHONE, (320, 568)):
            resize(page, size)
            page.wait_for_timeout(100)
            assert page.evaluate(WIDER) == [], size
        # All of it is there for those who hear the page.
        expect(page.locator(".seats .mark").first).to_have_text("+$12,345.14")
        assert out_of_view(page, "result", RESULT) == []


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
def test_nothing_jumps(
    size: tuple[int, int], table: str, tmp_path: Path, new_page: NewPage
) -> None:
    """On load and through a whole round only cards, chips and numbers move."""
    page = new_page(size, moves=True)
    page.add_init_script(f"({SHIFTS})()")
    # With others at the table the next round begins after the pause.
    with opened(tmp_path, pause=5) as house:
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
        shadow = lit.locator(".circle").evaluate("e => getComputedStyle(e, '::before').boxShadow")
        assert shadow != "none"
        says = page.locator("#decisions small").all_inner_texts()
        assert says == [f"keep $5 on {name}", f"take $5 back from {name}"]
        page.locator("#decisions .choice").first.click()
        if name == "Bet 1":
            choices_are_live(page)
            expect(page.locator(".says small")).to_have_text("one card to come")


SHIFTED = """
window.shifted = 0;
new PerformanceObserver((list) => {
  for (const { value } of list.getEntries()) window.shifted += value;
}).observe({ type: "layout-shift", buffered: true });
"""


@pytest.mark.parametrize("size", [(1180, 820), (844, 390), (390, 844)])
def test_the_felt_is_printed_at_once(
    size: tuple[int, int], house: House, new_page: NewPage
) -> None:
    """What will be said has its place before it can be seen."""
    page = new_page(size)
    page.add_init_script(SHIFTED)
    for table in ("singapore", "florida"):
        page.goto(f"{house.url}/tables/{table}")
        page.wait_for_selector('#dock[data-mode="guest"]')
        expect(page.locator(".says .text")).to_be_visible()
        assert page.evaluate("shifted") <= 0.01, table


@pytest.mark.parametrize("table", ["maryland", "florida", "ride"])
def test_the_placard_says_what_the_bank_keeps(table: str, house: House, new_page: NewPage) -> None:
    """By the exact odds of the table's own rules; nothing moves if the figures come late.

    Where no meter hangs on the left, they have a plate of their own there.
    """
    page = new_page((1440, 900))
    page.add_init_script(SHIFTED)
    late: list[Any] = []
    page.route("**/strategy.json", lambda route: late.append(route))
    page.goto(f"{house.url}/tables/{table}")
    page.wait_for_selector("felt-table[data-phase]")
    while not late:
        page.wait_for_timeout(50)
    page.wait_for_timeout(500)
    apart = not house.table(table).place.standing.table.rules.meters
    plate = page.locator(".edges" if apart else ".placard")
    before, box = page.evaluate("shifted"), plate.bounding_box()
    late[0].continue_()
    rules = house.table(table).place.standing.table.rules
    edge = edge_says(rules.banked_by).replace("'", "\N{RIGHT SINGLE QUOTATION MARK}")
    [first, *others] = [
        one for one in rules.wagers if rules.wagers[one].placed == "before the deal"
    ]
    places = {one: plate.locator(f'[data-wager="{one}"]') for one in (first, *others)}
    kept = f"{float(analyze(rules).house_edge) * 100:.2f} %"
    expect(places[first]).to_have_text(f"{edge} {kept}")
    for one in others:
        expect(places[one]).to_contain_text(" %")
    head = plate.locator(".where .edge")
    expect(head).to_have_text(edge)
    outer = plate.bounding_box()
    assert outer == box and outer
    cards = page.locator(".places").bounding_box()
    assert cards and (outer["x"] + outer["width"] <= cards["x"]) == apart
    assert page.evaluate("shifted") == before
    for size in ((1440, 900), (1280, 720)):
        resize(page, size)
        page.wait_for_timeout(100)
        outer = plate.bounding_box()
        assert page.locator(".plate .edge").count() == plate.locator(".edge").count()
        for place in plate.locator(".edge").all():
            inner = place.bounding_box()
            assert inner and outer and inner["width"] > 20 and inner["x"] >= outer["x"], size
            assert inner["x"] + inner["width"] <= outer["x"] + outer["width"], size
            assert place.evaluate("one => one.scrollWidth <= one.clientWidth"), size
    assert violations(page) == []


LONGEST = """
() => {
  const caption = document.querySelector(".places figcaption");
  const [whose, name, plays] = caption.querySelectorAll("span, b, i");
  [whose.textContent, plays.textContent] = ["Dealer", "does not play"];
  name.innerHTML = "Seven high <span class='ranks'>7-5-3</span>";
  const edges = [...caption.children].map(one => one.getBoundingClientRect());
  const [placard] = document.querySelector(".placard").getClientRects();
  return edges.some(one => one.right > placard.left && one.top < placard.bottom + 4);
}
"""


@pytest.mark.parametrize("table", IDS)
def test_the_longest_name_of_the_banks_hand_meets_no_placard(
    table: str, house: House, new_page: NewPage
) -> None:
    """With room to spare, since other fonts are a little larger."""
    page = new_page()
    come_in(page, house, table)
    until_bets(page)
    bet_everywhere(page)
    page.keyboard.press("d")
    choices_are_live(page)
    decide(page)
    settled(page)
    hold(page)
    for width, height in ((1440, 900), (1280, 720), (1180, 820)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(300)
        assert not page.evaluate(LONGEST), width


EVERY = """
[[table]]
id = "every"
rulebook = "{book}"
practice = true
[table.selections]
progressive = "A"
progressive_rate = 0.2
six_card_bonus = "A"
{more}
"""
BOXES = """
() => Object.fromEntries([".own .hand", ".places", ".says", ".own .circle"].map((one) => {
  const { x, y, width, height } = document.querySelector(one).getBoundingClientRect();
  return [one, [x, y, width, height].map(Math.round)];
}))
"""


@pytest.mark.parametrize(
    ("book", "more"),
    [
        (
            "maryland-three-card-poker",
            'five_card_progressive = "A"\nfive_card_progressive_rate = 0.2',
        ),
        ("maryland-let-it-ride", 'three_card_bonus = "A"\nfive_card_bonus = "A"'),
    ],
)
def test_every_wager_of_a_book_at_once_is_in_view(
    book: str, more: str, tmp_path: Path, new_page: NewPage
) -> None:
    """Cards of a second place have room from the start, so that nothing moves when they come."""
    with opened(tmp_path, more=EVERY.format(book=book, more=more)) as house:
        page = new_page()
        come_in(page, house, "every")
        until_bets(page)
        expect(page.locator(".places figure")).to_have_count(2)
        before = page.evaluate(BOXES)
        assert out_of_view_in_a_round(page) == []
        for part, box in page.evaluate(BOXES).items():
            assert box == pytest.approx(before[part], abs=1), part
