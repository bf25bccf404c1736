"""The pages of the staff in a real browser: appointed by two, by keyboard, at every width (U10)."""

import asyncio
import os
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Page, expect

from croupier.house import dealer, proposals
from croupier.house.proposals import Proposable
from croupier.house.standing import Act
from croupier.ledger.acts import TableOpened
from croupier.round.commands import Bet, Declare
from croupier.table.commands import Join, OpenTable, TakeBank, TapIn
from croupier.table.crew import APPROVERS, Who
from tests.pages.browser import PHONE, resize
from tests.pages.markup import faults_of
from tests.table_page.conftest import NewPage, violations
from tests.table_page.house import House

PASSWORD = "correct horse battery"
SIZES = ((1440, 900), (1180, 820), PHONE)
PAGES = {
    "/house": {"operator"},
    "/house.json": {"operator"},
    "/house/check?table=x": {"operator"},
    "/house/new?book=maryland-three-card-poker": {"operator"},
    "/pit": {"floor", "surveillance"},
    "/pit.json": {"floor", "surveillance"},
    "/watch": {"surveillance"},
    "/watch.json": {"surveillance"},
    "/pit/wins": {"operator", "floor", "surveillance", "auditor"},
    "/pit/wins.json": {"operator", "floor", "surveillance", "auditor"},
    "/audit": {"auditor"},
    "/audit.json": {"auditor"},
    "/audit/verify": {"auditor"},
}


ATTENDED = """
[[table]]
id = "attended"
rulebook = "california-three-card-poker"
things = ["dealer"]
"""


def ask(house: House) -> None:
    """Open a table with a dealer, and have one propose that its round is void."""
    pit = house.galleries.pit
    by = next(iter(pit.books.looked(lambda view: [*view.people()])))

    async def main() -> None:
        await pit.acts.do(TableOpened("attended", ATTENDED, by))
        await pit.take_new()
        table = pit.tables["attended"]
        await table.act(partial(Act.at_table, command=TapIn("d1", "dealer")))
        await table.act(partial(Act.at_table, command=OpenTable()))
        for seat in (1, 2):
            await pit.cage.fill(f"p{seat}", 1_000_00)
            await table.act(partial(Act.at_table, command=Join(seat, f"p{seat}")))
        await table.act(partial(Act.at_table, command=TakeBank(1, 500_00)))
        time = pit.books.clocks.time()
        opens: dict[str, Any] = {"time": time, "meters": {}, "chance": pit.books.chance}
        await table.act(lambda act: dealer.open_round(act, "attended-1", **opens))
        await table.act(partial(Act.in_round, command=Bet(2, "p2", "ante", 20_00)))
        deck = table.deck
        assert deck is not None
        await table.act(lambda act: dealer.close(act, deck, time=time))
        void, why = Proposable("round", Declare("misdeal")), "two cards to seat 2"
        who = Who("d1", "dealer")
        propose = partial(
            proposals.propose, what=void, why=why, by=who, time=time, approvers=APPROVERS
        )
        await table.act(propose)

    asyncio.run_coroutine_threadsafe(main(), house.loop).result(timeout=30)


def looks_right(page: Page, name: str) -> None:
    """Nothing to stumble over, and nothing beside the screen; pictures are kept if asked for."""
    assert violations(page) == [] == faults_of(page.content())
    for width, height in SIZES:
        resize(page, (width, height))
        assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        if folder := os.environ.get("CROUPIER_PICTURES"):
            page.screenshot(path=Path(folder) / f"{name}-{width}.png", full_page=True)
    resize(page, SIZES[0])


def enter(page: Page, url: str) -> None:
    """Set a password by the one-time link."""
    page.goto(url)
    page.fill("#set-password", PASSWORD)
    page.press("#set-password", "Enter")
    page.wait_for_url("**/account")


def sign_in(page: Page, house: House, name: str) -> None:
    page.goto(f"{house.url}/sign-in")
    page.fill("#in-name", name)
    page.fill("#in-password", PASSWORD)
    page.press("#in-password", "Enter")
    page.wait_for_url(f"{house.url}/")


def make(page: Page, name: str, role: str) -> str:
    """Add staff on the operator's page, by keyboard, and return their link."""
    page.reload()
    page.fill("#staff-name", name)
    form = page.locator("form[data-post='/api/staff']")
    form.get_by_label(role, exact=True).press("Space")
    page.get_by_role("button", name="Make a link").press("Enter")
    said = form.locator("[role=status]")
    expect(said).to_contain_text("/staff?link=")
    return said.inner_text().split()[-1]


def adjust(house: House, floor: Page, auditor: Page) -> None:
    """Propose to correct a player's chips at the pit, and approve it on the auditor's page."""
    pit = house.galleries.pit
    me = floor.request.get(f"{house.url}/api/me").json()["person"]["id"]
    tap = partial(Act.at_table, command=TapIn(me, "floor"))
    acting = pit.tables["attended"].act(tap)
    asyncio.run_coroutine_threadsafe(acting, house.loop).result(timeout=30)
    before = pit.books.purse_cents("p1")
    floor.goto(f"{house.url}/pit")
    floor.get_by_text("Propose an adjustment").press("Enter")
    floor.get_by_label("Account with the wrong balance").select_option("player:p1")
    floor.get_by_label("Correction").select_option("take")
    floor.get_by_label("Dollars").fill("2.50")
    floor.get_by_label("Why").last.fill("paid twice")
    looks_right(floor, "pit-adjust")
    floor.get_by_role("button", name="Propose").press("Enter")
    expect(floor.get_by_role("button", name="Withdraw")).to_be_visible()
    auditor.goto(f"{house.url}/audit")
    asked = auditor.locator(".asked")
    expect(asked).to_contain_text("to take $2.50 from the chips of p1: paid twice")
    looks_right(auditor, "audit-asked")
    asked.get_by_label("Your password, again").fill(PASSWORD)
    asked.get_by_role("button", name="Approve").press("Enter")
    expect(auditor.locator(".asked")).to_have_count(0)
    assert pit.books.purse_cents("p1") == before - 2_50


def test_two_people_appoint_staff_and_each_has_a_page(house: House, new_page: NewPage) -> None:
    boss = new_page(SIZES[0])
    boss.goto(f"{house.url}/operator?link={house.people.operator_link()}")
    expect(boss).to_have_url(f"{house.url}/house")
    boss.fill("#up-name", "Kim Brandt")
    boss.fill("#up-secret", PASSWORD)
    boss.press("#up-secret", "Enter")
    expect(boss.locator("#up-name")).to_have_count(0)
    # Nobody else could approve the first auditor.
    auditor = new_page(SIZES[0])
    enter(auditor, make(boss, "Ada Fekete", "auditor"))
    floor = new_page(SIZES[0])
    link = make(boss, "Flo Dvorak", "floor")
    enter(floor, link)
    boss.reload()
    looks_right(boss, "house")
    auditor.goto(f"{house.url}/audit")
    looks_right(auditor, "audit")
    auditor.get_by_label("Your password, again").fill(PASSWORD)
    auditor.get_by_role("button", name="Approve").press("Enter")
    expect(auditor.get_by_role("button", name="Approve")).to_have_count(0)
    auditor.goto(f"{house.url}/audit?act=RolesSet")
    expect(auditor.locator("tbody tr").first).to_contain_text("Kim Brandt, Ada Fekete")
    auditor.goto(f"{house.url}/audit?act=Nothing")
    expect(auditor.locator("tbody")).to_have_text("No acts match.")
    auditor.goto(f"{house.url}/audit/verify")
    expect(auditor.locator("h1")).to_contain_text("The ledger")
    sign_in(floor, house, "Flo Dvorak")
    floor.goto(f"{house.url}/pit")
    expect(floor.locator("main")).to_contain_text("No requests for the floor.")
    looks_right(floor, "pit")
    # What is asked comes up by itself, and is answered with the password.
    ask(house)
    request = floor.locator(".asked")
    expect(request).to_contain_text("proposes misdeal: two cards to seat 2", timeout=15_000)
    looks_right(floor, "pit-asked")
    request.get_by_label("Your password, again").fill(PASSWORD)
    request.get_by_role("button", name="Approve").press("Enter")
    expect(floor.locator("main")).to_contain_text("No requests for the floor.")
    expect(floor.locator("main")).to_contain_text("misdeal (C8)")
    adjust(house, floor, auditor)
    floor.goto(f"{house.url}/pit/wins?by=table")
    expect(floor.locator(".notice")).to_have_text("No priced round has been settled yet.")
    looks_right(floor, "wins")
    watcher = new_page(SIZES[0])
    make(boss, "Eva Sato", "surveillance")
    auditor.goto(f"{house.url}/audit")
    auditor.get_by_label("Your password, again").fill(PASSWORD)
    auditor.get_by_role("button", name="Approve").press("Enter")
    expect(auditor.get_by_role("button", name="Approve")).to_have_count(0)
    boss.reload()
    again = boss.request.post(
        f"{house.url}/api/staff/{_id(boss, house, 'Eva Sato')}/link",
        data={},
        headers={"X-Croupier": "1"},
    )
    enter(watcher, house.url + again.json()["link"])
    watcher.goto(f"{house.url}/watch")
    watcher.fill("#note-says", "Seat 3 looked at seat 4")
    watcher.press("#note-says", "Enter")
    expect(watcher.locator("tbody")).to_contain_text("Note taken: Seat 3 looked at seat 4")
    looks_right(watcher, "watch")
    pages = {"operator": boss, "auditor": auditor, "floor": floor, "surveillance": watcher}
    for path, roles in PAGES.items():
        for role, page in pages.items():
            status = page.request.get(house.url + path).status
            assert (status == 200) == (role in roles), (path, role, status)
        assert httpx.get(house.url + path).status_code == 401


def _id(page: Page, house: House, name: str) -> str:
    staff = page.request.get(f"{house.url}/house.json").json()["staff"]
    return str(next(one["id"] for one in staff if one["name"] == name))


def test_a_new_table_is_checked_against_its_book(house: House, new_page: NewPage) -> None:
    boss = new_page()
    boss.goto(f"{house.url}/operator?link={house.people.operator_link()}")
    for pair_plus, says in (("A", "This table would open"), ("Z", "This table can't open")):
        boss.goto(f"{house.url}/house")
        boss.get_by_text("Write it as text").press("Enter")
        boss.fill(
            "#new-table",
            '[[table]]\nid = "new"\nrulebook = "maryland-three-card-poker"\n'
            f'[table.selections]\npair_plus = "{pair_plus}"\n',
        )
        boss.get_by_role("button", name="Check it").press("Enter")
        expect(boss.locator("h1")).to_have_text(says)
    assert "pair_plus" in boss.inner_text("main ul") and violations(boss) == []
    boss.go_back()
    boss.go_back()
    boss.get_by_role("button", name="Open it now").press("Enter")
    boss.wait_for_url(f"{house.url}/house")
    expect(boss.locator("main")).to_contain_text("Three Card Poker")
    assert "new" in house.galleries.pit.tables


def test_a_new_table_is_filled_in_by_the_fields_of_its_book(
    house: House, new_page: NewPage
) -> None:
    boss = new_page(SIZES[0])
    boss.goto(f"{house.url}/operator?link={house.people.operator_link()}")
    boss.select_option("#new-book", "maryland-let-it-ride")
    boss.get_by_role("button", name="Fill in the form").press("Enter")
    boss.get_by_label("Name in addresses").fill("Ride")
    boss.get_by_label("Let It Ride, smallest").fill("50")
    boss.get_by_label("Let It Ride, largest").fill("5")
    boss.get_by_role("button", name="Check it").press("Enter")
    expect(boss.get_by_role("alert")).to_contain_text("This table can't open")
    wrong = boss.get_by_label("Let It Ride, smallest")
    expect(wrong).to_have_accessible_description("$50 to $5 leaves nothing to bet (T7)")
    expect(boss.get_by_label("Name in addresses")).to_have_attribute("aria-invalid", "true")
    looks_right(boss, "new-wrong")
    boss.get_by_label("Name in addresses").fill("low-ride")
    boss.get_by_label("Let It Ride, largest").fill("500")
    boss.get_by_role("button", name="Check it").press("Enter")
    expect(boss.get_by_role("heading", name="This table would open")).to_be_visible()
    looks_right(boss, "new")
    boss.get_by_role("button", name="Open it now").press("Enter")
    boss.wait_for_url(f"{house.url}/house")
    assert house.galleries.pit.tables["low-ride"].config.rules.limits["let_it_ride"].max == 500_00


def test_a_table_is_stopped_and_opened_again(house: House, new_page: NewPage) -> None:
    boss = new_page()
    boss.goto(f"{house.url}/operator?link={house.people.operator_link()}")
    row = boss.locator(".rows li").first
    expect(boss.locator("#stale")).to_be_hidden()
    # The page refreshes itself too: press again only once it was loaded anew.
    with boss.expect_event("load"):
        row.get_by_role("button", name="Stop after the round").press("Enter")
    expect(row.locator(".state")).to_have_text("stopped")
    with boss.expect_event("load"):
        row.get_by_role("button", name="Open").press("Enter")
    expect(row.locator(".state")).to_have_text("open")
    boss.context.clear_cookies()
    expect(boss.locator("#stale")).to_contain_text("Your session has ended")


def test_an_operator_changes_roles_and_accounts(house: House, new_page: NewPage) -> None:
    boss = new_page(SIZES[0])
    boss.goto(f"{house.url}/operator?link={house.people.operator_link()}")
    auditor = new_page()
    enter(auditor, make(boss, "Ada Fekete", "auditor"))
    make(boss, "Flo Dvorak", "floor")
    boss.reload()
    row = boss.locator("tbody tr").filter(has_text="Flo Dvorak")
    expect(row).to_contain_text("waits for approval")
    row.locator("summary").press("Enter")
    row.get_by_role("button", name="Make a new link").press("Enter")
    expect(row).to_contain_text("/staff?link=")
    looks_right(boss, "house-people")
    row = boss.locator("tbody tr").filter(has_text="Ada Fekete")
    row.locator("summary").press("Enter")
    with boss.expect_event("load"):
        row.get_by_role("button", name="Disable the account").press("Enter")
    expect(row).to_contain_text("disabled")
    expect(auditor.locator("h1")).to_have_text("Ada Fekete")
    auditor.reload()
    expect(auditor.locator("h1")).to_have_text("You are not signed in")
