"""The console in a real browser: rounds by keyboard and by touch, a fault, an approval."""

import asyncio
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from croupier.round.state import is_walk_in
from croupier.server import bots, script
from croupier.server.practice import Practice
from croupier.table.life import sign_code
from tests.pages.browser import PHONE, resize
from tests.pages.markup import faults_of
from tests.rules.books import FLORIDA, MARYLAND
from tests.table_page.conftest import NewPage, violations
from tests.table_page.house import House, opened
from tests.table_page.trainee import act, next_of, wait

PASSWORD = "correct horse battery"
TABLET, UPRIGHT = (1180, 820), (820, 1180)
TABLES = """
[[table]]
id = "pit-1"
rulebook = "maryland-three-card-poker"
things = ["dealer"]
practice = true
bots = 3
[table.selections]
progressive    = "A"
six_card_bonus = "A"

[[table]]
id = "pit-2"
rulebook = "california-three-card-poker"
things = ["dealer"]
practice = true
bots = 3
[table.selections]

[[table]]
id = "pit-3"
rulebook = "maryland-three-card-poker"
things = ["dealer", "cards", "chips"]
[table.selections]
"""


CROWDED = """() => {
  const all = [...document.querySelectorAll('.left :is(button, input, select, h1, label, p b)')]
    .filter((one) => one.checkVisibility());
  const box = (one) => one.getBoundingClientRect();
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
  const off = all.filter((one) => box(one).right > innerWidth || box(one).left < 0);
  const over = all.flatMap((one, at) => all.slice(at + 1).filter((other) =>
    !one.contains(other) && meet(box(one), box(other))).map((other) => [one, other])).flat();
  return [...off, ...over].map((one) => `${one.tagName} ${one.id} ${one.textContent}`);
}"""
"""What can be read or pressed, but lies off the page or over something else."""


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[House]:
    monkeypatch.setattr(bots, "THINKS_S", 0.02)
    with opened(tmp_path, more=TABLES) as one:
        yield one


def come(page: Page, house: House, name: str, role: str, table: str) -> None:
    """Sign in with a role, and open the console of a table."""
    sent: dict[str, Any] = {
        "data": {"name": name, "password": PASSWORD},
        "headers": {"X-Croupier": "1"},
    }
    person = page.request.post(f"{house.url}/api/sign-up", **sent).json()["person"]["id"]
    roles = house.people.set_roles(person, [role])
    asyncio.run_coroutine_threadsafe(roles, house.loop).result()
    assert page.request.post(f"{house.url}/api/sign-in", **sent).ok
    answer = page.goto(f"{house.url}/tables/{table}/console")
    assert answer is not None and faults_of(answer.text()) == []
    expect(page.locator("#about")).not_to_have_text("Connecting.")


def phase(page: Page) -> str:
    return str(page.get_attribute("#desk", "data-phase"))


def picture(page: Page, name: str) -> None:
    if folder := os.environ.get("CROUPIER_PICTURES"):
        page.screenshot(path=Path(folder) / f"{name}.png")


def seen(page: Page, name: str, *sizes: tuple[int, int]) -> None:
    """Nothing to stumble over and nothing cut off, at these sizes; pictures if asked for."""
    before = page.viewport_size
    assert violations(page) == []
    for width, height in sizes:
        resize(page, (width, height))
        assert page.evaluate("document.documentElement.scrollWidth") <= width, (name, width)
        small = page.evaluate(
            "[...document.querySelectorAll('.console button')].filter(b => b.offsetParent"
            " && (b.offsetHeight < 44 || b.offsetWidth < 44)).map(b => b.textContent)"
        )
        assert small == [], (name, width)
        assert page.evaluate(CROWDED) == [], (name, width)
        if folder := os.environ.get("CROUPIER_PICTURES"):
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme)
                page.screenshot(path=Path(folder) / f"{name}-{width}-{scheme}.png")
    page.emulate_media(color_scheme="light")
    if before:
        resize(page, (before["width"], before["height"]))


def go_on(page: Page, until: str, press: Any) -> list[str]:
    """Do the next step whenever there is one, until the phase; return the steps."""
    steps: list[str] = []
    for _ in range(60):
        page.wait_for_function(
            "until => document.querySelector('#desk').dataset.phase === until"
            " || !document.querySelector('#do').disabled",
            arg=until,
        )
        if phase(page) == until:
            return steps
        steps.append(page.inner_text("#step"))
        tape = page.inner_text("#tape")
        press()
        page.wait_for_function("was => document.querySelector('#tape').innerText !== was", arg=tape)
    raise AssertionError(steps)


def test_a_round_by_keyboard_alone(house: House, new_page: NewPage) -> None:
    page = new_page(TABLET)
    come(page, house, "Dee Ash", "dealer", "pit-1")
    seen(page, "start", TABLET, UPRIGHT, PHONE)
    page.keyboard.press("h")  # It is open already: nobody works here yet.
    page.get_by_role("button", name="Tap in as dealer").press("Enter")
    page.keyboard.press("Escape")
    space = lambda: page.keyboard.press(" ")  # noqa: E731
    go_on(page, "bets", space)
    expect(page.locator("#seats")).to_contain_text("Ante: $10")
    seen(page, "bets", TABLET, UPRIGHT, PHONE)
    steps = go_on(page, "settle", space)
    assert "No more bets." in steps
    if page.inner_text("#do b").startswith("Turn the cards up"):  # Unless every player folded.
        page.keyboard.press(" ")
    expect(page.locator("#do b")).to_contain_text("done")
    paid = page.inner_text("#step")
    assert paid.startswith("Seat ") and page.locator(".lines li").count() >= 1
    assert page.locator(".lines .chip").count() >= 1
    seen(page, "settle", TABLET, UPRIGHT, PHONE)
    page.keyboard.press("x")
    expect(page.locator("#about")).to_contain_text("Dee Ash has called the floor")
    page.keyboard.press("x")
    expect(page.locator("#about")).not_to_contain_text("has called the floor")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_contain_text("Shift+Space")
    page.keyboard.press("Escape")
    # The focus leaves a closed dialog with the next frame; a key until then is the dialog's.
    page.wait_for_function("() => document.activeElement === document.body")
    go_on(page, "over", space)
    seen(page, "over", TABLET)
    tape = page.inner_text("#tape")
    assert "Dee Ash: No more bets." in tape and "Dee Ash: The round is over." in tape
    desk = page.request.get(f"{house.url}/api/tables/pit-1/desk").json()["desk"]
    assert desk["tape"][-1]["says"] == "The round is over."


def test_a_round_by_touch_on_a_tablet_held_upright(house: House, new_page: NewPage) -> None:
    page = new_page(UPRIGHT, has_touch=True)
    come(page, house, "Dee Ash", "dealer", "pit-1")
    page.get_by_role("button", name="Tap in as dealer").tap()
    tap = lambda: page.locator("#do").tap()  # noqa: E731
    go_on(page, "bets", tap)
    go_on(page, "over", tap)
    assert "Dee Ash: The round is over." in page.inner_text("#tape")


def test_a_void_is_previewed_proposed_and_approved_on_a_phone(
    house: House, new_page: NewPage
) -> None:
    dealer, floor = new_page(TABLET), new_page(PHONE, has_touch=True)
    come(dealer, house, "Dee Ash", "dealer", "pit-2")
    dealer.get_by_role("button", name="Tap in as dealer").press("Enter")
    come(floor, house, "Flo Ash", "floor", "pit-2")
    floor.get_by_role("button", name="Tap in as floor").tap()
    go_on(dealer, "settle", lambda: dealer.keyboard.press(" "))
    dealer.locator("body").press("i")
    dealer.keyboard.press("Tab")
    seen(dealer, "wrong", TABLET, UPRIGHT, PHONE)
    dealer.locator("#wrong-kinds button").filter(has_text="misdeal").press("Enter")
    follows = dealer.locator("#wrong-follows")
    expect(follows).to_contain_text("goes back")
    expect(follows).to_contain_text("Two people")
    seen(dealer, "preview", TABLET, UPRIGHT, PHONE)
    dealer.locator("#wrong-do").press("Enter")
    expect(dealer.locator("#phase")).to_have_text("stopped")
    expect(dealer.locator("#do")).to_be_disabled()
    expect(dealer.locator("#do b")).to_have_text("Waits for the floor")
    seen(dealer, "stopped", TABLET, UPRIGHT)
    expect(floor.locator("#requests")).to_contain_text("Dee Ash asks")
    seen(floor, "approve", PHONE)
    floor.get_by_label("Your password, again").fill("wrong horse battery")
    floor.get_by_role("button", name="Approve").tap()
    expect(floor.locator("#message")).to_contain_text("password")
    floor.get_by_label("Your password, again").fill(PASSWORD)
    floor.get_by_role("button", name="Approve").tap()
    expect(floor.locator("#requests")).to_be_hidden()
    expect(dealer.locator("#step")).to_contain_text("void")
    go_on(dealer, "over", lambda: dealer.keyboard.press(" "))
    expect(dealer.locator("#tape")).to_contain_text("Dee Ash and Flo Ash")


def below(page: Page) -> list[str]:
    """The buttons that answer the next step but lie below what the console shows."""
    hidden: list[str] = page.evaluate(
        "() => { const end = document.querySelector('.left').getBoundingClientRect().bottom;"
        " return [...document.querySelectorAll('#acts button, #reading button')].filter(b =>"
        " b.offsetParent && b.getBoundingClientRect().bottom > end).map(b => b.textContent) }"
    )
    return hidden


def enter(page: Page, text: str) -> None:
    expect(page.locator("#reading")).to_be_visible()
    page.fill("#read", text)
    page.get_by_role("button", name="Enter").click()
    expect(page.locator("#read")).to_have_value("")


def test_a_walk_in_is_seated_bets_and_decides_on_the_page(house: House, new_page: NewPage) -> None:
    page, floor = new_page(TABLET), new_page(TABLET)
    come(page, house, "Dee Ash", "dealer", "pit-3")
    page.get_by_role("button", name="Tap in as dealer").click()
    come(floor, house, "Flo Ash", "floor", "pit-3")
    floor.get_by_role("button", name="Tap in as floor").click()
    enter(page, "9000")
    enter(floor, "9000")
    enter(page, sign_code(house.table("pit-3").config.rules))
    expect(page.locator("#reading")).to_be_hidden()
    page.keyboard.press("m")
    page.get_by_label("Seat a walk-in: seat").select_option("3")
    page.get_by_role("button", name="Seat a walk-in").press("Enter")
    expect(page.locator("#seats")).to_contain_text("Walk-in 1")
    floor.keyboard.press("m")
    floor.get_by_label("Ask for a fill: The sum in dollars").fill("100")
    floor.get_by_role("button", name="Ask for a fill").press("Enter")
    expect(page.locator("#requests")).to_contain_text("Flo Ash asks: Ask for a fill, 100.")
    floor.keyboard.press("Escape")
    seen(page, "more", TABLET, UPRIGHT, PHONE)
    page.get_by_label("Your password, again").fill(PASSWORD)
    page.get_by_role("button", name="Approve").press("Enter")
    expect(page.locator("#requests")).to_be_hidden()
    page.keyboard.press("Escape")
    for _ in range(60):
        ready = "#do:not([disabled]), #acts:not([hidden]), #desk[data-phase=bets]"
        page.wait_for_selector(f"{ready}, #step:has-text('floorperson')")
        if page.locator("#acts").is_visible():
            break
        tape = page.inner_text("#tape")
        if floor.locator("#do").is_enabled():
            floor.locator("#do").click()
        elif page.locator("#do").is_enabled():
            page.locator("#do").click()
        else:
            page.keyboard.press("m")
            page.get_by_label("Put it down: the sum in dollars").fill("25")
            page.get_by_role("button", name="Put it down").press("Enter")
            expect(page.locator("#seats")).to_contain_text("Ante: $25")
            page.keyboard.press("Escape")
        page.wait_for_function("was => document.querySelector('#tape').innerText !== was", arg=tape)
    # Both choices, and the first one for everybody who is left.
    assert page.locator("#acts button").count() == 3
    seen(page, "walk-in", TABLET, UPRIGHT, PHONE)
    for width, height in (TABLET, UPRIGHT):
        resize(page, (width, height))
        assert below(page) == []
    expect(page.locator("#seats")).not_to_contain_text("away")


def test_practice_with_real_cards_shows_what_to_read_and_enter(
    house: House, new_page: NewPage
) -> None:
    house.practices.script = script.Script(floor_s=0.02)
    page = new_page(TABLET)
    page.goto(f"{house.url}/practice")
    page.select_option("#rulebook", "singapore-three-card-poker")
    page.get_by_label("Real cards and chips").check()
    page.fill("#faults", "0")
    page.fill("#rounds", "1")
    page.press("#rounds", "Enter")
    page.wait_for_url("**/practice/*")
    practice = house.practices.get(page.url.rsplit("/", 1)[1])
    expect(page.locator("#dealer")).to_have_text("You")
    shown: set[str] = set()
    for _ in range(200):
        wait(page)
        now = next_of(page, practice)
        if now.kind == "over":
            break
        if now.kind == "wait":
            page.wait_for_timeout(50)
            continue
        if now.kind not in shown:
            shown.add(now.kind)
            seen(page, f"real-{now.kind}", TABLET, UPRIGHT, PHONE)
        number = practice.table.number
        act(page, practice, now)
        until(page, lambda was=number: practice.table.number != was)
    assert {"bets", "card", "choice", "quiz", "count", "step"} <= shown
    assert practice.report()["deviations"] == [] and practice.report()["settled"] == 3
    page.get_by_role("link", name="Report").click()
    expect(page.locator(".lead")).to_contain_text("kept to the book")
    picture(page, "report-real")


def test_practice_of_another_version_and_beside_players_at_screens(
    house: House, new_page: NewPage
) -> None:
    house.practices.script = script.Script(floor_s=0.02)
    page = new_page(TABLET)

    def begin(book: str) -> Practice:
        page.fill("#faults", "0")
        page.get_by_role("button", name="Begin").click()
        page.wait_for_url("**/practice/*")
        found = house.practices.get(page.url.rsplit("/", 1)[1])
        assert found.table.config.rules.rulebook == book
        return found

    page.goto(f"{house.url}/practice")
    page.select_option("#rulebook", MARYLAND)
    page.get_by_text("Equipment and rules").click()
    assert page.locator("fieldset:visible").count() == 1 and violations(page) == []
    picture(page, "practice-other")
    page.locator("fieldset:visible select[name$='.format']").select_option("electronic")
    rules = begin(MARYLAND).table.config.rules
    assert rules.deal.attended and rules.things == ("dealer",)
    page.goto(f"{house.url}/practice")
    page.select_option("#rulebook", FLORIDA)
    page.get_by_label("Walk-ins with chips").check()
    practice = begin(FLORIDA)
    while not (round := practice.table.place.standing.in_play) or not round.banker:
        wait(page)
        number = practice.table.number
        if (now := next_of(page, practice)).kind != "wait":
            act(page, practice, now)
        until(page, lambda was=number: practice.table.number != was)
    expect(page.locator("#seats")).to_contain_text("banks $1,000")
    assert {is_walk_in(who) for who in practice.table.place.standing.table.seats.values()} == {
        True,
        False,
    }


def until(page: Page, is_so: Any) -> None:
    """Wait until something is so at the table, and its page has heard of it."""
    for _ in range(300):
        if is_so():
            page.wait_for_timeout(30)
            return
        page.wait_for_timeout(20)
    raise AssertionError(page.inner_text("#step"))


def test_practice_without_an_account(house: House, new_page: NewPage) -> None:
    house.practices.script = script.Script(faulty=1.0, floor_s=0.02)
    page = new_page(TABLET)
    page.goto(f"{house.url}/practice")
    assert violations(page) == []
    picture(page, "practice")
    page.select_option("#rulebook", "maryland-three-card-poker")
    page.fill("#rounds", "1")
    page.press("#rounds", "Enter")
    page.wait_for_url("**/practice/*")
    expect(page.locator("#dealer")).to_have_text("You")
    ready = (
        "() => document.querySelector('#step').textContent.includes('over')"
        " || !document.querySelector('#do').disabled || !document.querySelector('#reading').hidden"
    )
    typed = 0
    for _ in range(60):
        page.wait_for_function(ready)
        if "over" in page.inner_text("#step"):
            break
        tape = page.inner_text("#tape")
        if page.locator("#reading").is_visible():
            expect(page.locator("#read")).to_be_focused()
            if not typed:
                seen(page, "quiz", TABLET, UPRIGHT, PHONE)
                page.locator("#read").focus()
            page.keyboard.type("1 1", delay=5)  # As a scanner does; no letter is a command here.
            page.keyboard.press("Enter")
            typed += 1
        else:
            page.keyboard.press(" ")
        page.wait_for_function("was => document.querySelector('#tape').innerText !== was", arg=tape)
    assert typed > 0
    expect(page.locator("#verdict")).to_contain_text("costs")
    page.get_by_role("link", name="Report").click()
    expect(page.locator("h1")).to_have_text("Practice report")
    assert page.locator("tbody tr").count() >= typed and violations(page) == []
    picture(page, "report")
    assert house.galleries.pit.tables.keys().isdisjoint({script.ID})
