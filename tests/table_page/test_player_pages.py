"""A player's own pages in a real browser: statistics, round by round, the strategy card."""

from playwright.sync_api import expect

from tests.pages.browser import NARROW, PHONE, resize
from tests.pages.markup import faults_of
from tests.table_page.conftest import NewPage, violations
from tests.table_page.house import IDS, House
from tests.table_page.test_pages import play


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
    expect(page.locator(".chart svg")).to_be_visible()
    assert len(said["wagers"]) == page.locator("tbody tr").count()
    assert violations(page) == [] == faults_of(page.content())
    page.get_by_role("link", name="Round by round").click()
    shown = page.locator(".rounds h2 a")
    assert [one.get_attribute("href") for one in shown.all()] == [
        f"/rounds/{id}" for id in reversed(rounds)
    ]
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


def test_a_strategy_card_is_of_the_very_table(house: House, new_page: NewPage) -> None:
    page = new_page()
    for id in IDS:
        card = page.request.get(f"{house.url}/tables/{id}/strategy.json").json()
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
