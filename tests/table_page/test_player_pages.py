"""A player's own pages in a real browser: statistics, round by round, the strategy card."""

import re

from playwright.sync_api import expect

from tests.pages.browser import NARROW, PHONE, resize
from tests.pages.markup import faults_of
from tests.table_page.conftest import NewPage, violations
from tests.table_page.house import IDS, House
from tests.table_page.test_pages import play

NAMED_HAND = re.compile(
    "[A-Z][a-z]+ high|Pair of|Two pair|Three |Straight|Flush|Full|Four |Mini|Royal"
)


def test_statistics_and_history_show_the_rounds_played(house: House, new_page: NewPage) -> None:
    page = new_page()
    for path in ("/statistics", "/history"):
        page.goto(house.url + path)
        expect(page.locator("h1")).to_have_text("You are not signed in")
        assert page.request.get(f"{house.url}{path}.json").status == 401
    rounds = [play(page, house, table) for table in ("maryland", "ride")]
    said = page.request.get(f"{house.url}/statistics.json").json()
    page.goto(f"{house.url}/statistics")
    assert said["rounds"] == 2 and said["decisions"]["made"] == 3
    result = page.inner_text(".tally .chief dd").replace("$", "").lstrip("+")
    assert result.replace("\u2212", "-") == said["net"]
    expect(page.locator(".chart svg:visible")).to_have_count(1)
    assert len(said["wagers"]) == page.locator("tbody tr").count()
    assert violations(page) == [] == faults_of(page.content())
    page.get_by_role("link", name="Round by round").click()
    shown = page.locator(".rounds h2 a")
    assert [one.get_attribute("href") for one in shown.all()] == [
        f"/rounds/{id}" for id in reversed(rounds)
    ]
    # Whose cards they were and what a hand is called, as the felt says it.
    for one, table in zip(page.locator(".rounds > li").all(), ("ride", "maryland"), strict=True):
        [place, *_] = house.galleries[table].felt["places"].values()
        expect(one.locator(".with").first).to_contain_text(place["label"])
        expect(one.locator(".with").last).to_contain_text(NAMED_HAND)
    assert violations(page) == []
    for size in (PHONE, NARROW):
        resize(page, size)
        for path in ("/statistics", "/history"):
            page.goto(house.url + path)
            assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    # What others ask for is theirs.
    other = new_page()
    play(other, house, "florida")
    mine = other.request.get(f"{house.url}/history.json").json()["rounds"]
    assert not {one["round"] for one in mine} & {*rounds}


CUT = """
() => [...document.querySelectorAll(".stacks :is(th, td), .chart > svg text")].flatMap((one) => {
  const { left, right, width } = one.getBoundingClientRect();
  const seen = width > 1 && getComputedStyle(one.closest("thead") ?? one).position !== "absolute";
  return seen && (left < 0 || right > innerWidth + 1) ? [one.textContent] : [];
})
"""
NAMED = """
() => [...document.querySelectorAll(".stacks tbody td")].filter((one) => one.textContent.trim()
  && !one.dataset.is && !one.matches(".broad")).map((one) => one.outerHTML)
"""


def test_no_figure_of_a_table_is_a_swipe_away_on_a_phone(house: House, new_page: NewPage) -> None:
    """Where a row is a block, each figure has its name beside it."""
    page = new_page(PHONE)
    round = play(page, house, "maryland")
    play(page, house, "maryland")
    book = house.table("maryland").config.rules.rulebook
    compared = f"/odds/compare?a.book={book}&b.book={book}&b.select.pair_plus=C"
    for path in (
        f"/rounds/{round}",
        "/statistics",
        "/tables/maryland/strategy",
        f"/odds?book={book}",
        compared,
        f"/rulebooks/{book}/prices",
    ):
        page.goto(house.url + path)
        assert page.locator(".stacks tbody td").count() >= 4, path
        for size in (PHONE, NARROW):
            resize(page, size)
            assert page.evaluate(CUT) == [], (path, size)
            assert page.evaluate(NAMED) == [], path
            words = page.locator(".stacks tbody td[data-is]").first
            assert words.evaluate("one => getComputedStyle(one, '::before').content").strip('"')
        if path == "/statistics":
            sizes = "all => all.map(one => one.getBoundingClientRect().height).filter(Boolean)"
            assert min(page.locator(".chart text").evaluate_all(sizes)) >= 10
    assert violations(page) == []


def test_a_strategy_card_is_of_the_very_table(house: House, new_page: NewPage) -> None:
    page = new_page()
    for id in IDS:
        answer = page.request.get(f"{house.url}/tables/{id}/strategy.json")
        card = answer.json()
        # It says the same to everybody; what a stranger adds to its address is not measured.
        assert answer.headers["content-encoding"] == "gzip"
        other = page.request.get(f"{house.url}/tables/{id}/strategy.json?stranger")
        assert "content-encoding" not in other.headers
        page.goto(f"{house.url}/tables/{id}/strategy")
        rules = house.table(id).config.rules
        assert card["digest"] == rules.digest
        text = " ".join(page.inner_text("main").split())
        for habit in card["habits"]:
            assert habit["says"] in text and habit["cost"] in text
        for wager in card["wagers"]:
            assert wager["returns"] in text
        offered = [w.label for w in rules.wagers.values() if w.placed == "before the deal"]
        assert sorted(offered) == sorted(wager["label"] for wager in card["wagers"])
        edge = "House edge" if rules.banked_by == "house" else "Banker\u2019s edge"
        assert edge in text
        assert violations(page) == [] == faults_of(page.content())
    resize(page, NARROW)
    assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
    page.emulate_media(media="print")
    expect(page.locator(".masthead")).to_be_hidden()
    expect(page.locator("#play-title")).to_be_visible()
    assert page.request.get(f"{house.url}/tables/nowhere/strategy").status == 404
