"""Lobby, text table, round record, account: in a real browser."""

import asyncio
import json
import re
import subprocess
import sys
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import httpx
from playwright.sync_api import Page, expect
from websockets.sync.client import connect

from croupier.fairness import checker
from croupier.house import dealer
from tests.pages.browser import NARROW, PHONE, resize
from tests.pages.markup import Markup
from tests.table_page.acts import (
    OWN,
    bet_and_deal,
    choices_are_live,
    come_in,
    decide,
    record,
    settled,
    until_bets,
)
from tests.table_page.conftest import NewPage, violations
from tests.table_page.house import House
from tests.table_page.in_view import COVERED


def play(page: Page, house: House, table: str) -> str:
    """Play a round, and return its id."""
    player = come_in(page, house, table)
    until_bets(page)
    bet_and_deal(page)
    decide(page)
    settled(page)
    return house.last(table, player).id


def order_of(document: dict[str, Any]) -> dict[int, int]:
    """The committed position of each dealt one, as the program that players keep works it out."""
    name, commitment = document["round"].encode(), bytes.fromhex(document["commitment"])
    return checker.cut(document.get("cut", []), name, commitment, {})


def test_a_page_brings_its_felt_so_the_welcome_leaves_it_out(house: House) -> None:
    elements = Markup(httpx.get(f"{house.url}/tables/maryland").text).elements
    brought = next(found for _, found in elements if "data-felt" in found)
    felt = house.galleries["maryland"].felt
    assert json.loads(brought["data-felt"]) == felt
    assert list(json.loads(brought["data-felt"])["places"]) == list(felt["places"])

    def welcome(tag: str) -> Any:
        socket = house.url.replace("http", "ws") + f"/api/tables/maryland/socket?felt={tag}"
        with connect(socket) as line:
            return json.loads(line.recv())

    known, other, new = welcome(brought["data-tag"]), welcome("0123456789abcdef"), welcome("")
    assert "felt" not in known and known["scene"]["phase"]
    assert other["felt"] == new["felt"] == felt


def test_the_lobby_lists_every_table(house: House, new_page: NewPage) -> None:
    page = new_page()
    page.goto(house.url)
    rows = page.request.get(f"{house.url}/lobby.json").json()["tables"]
    assert len(rows) == page.locator(".tables > li").count() == len(house.galleries.pit.tables)
    for row, shown in zip(rows, page.locator(".tables > li").all(), strict=True):
        text = shown.inner_text()
        assert row["place"].lower() in text.lower()
        assert f"{row['taken']} of {row['seats']}" in text
        assert f"{row['edge'] * 100:.2f} %" in text
        whose = "House edge" if row["banked_by"] == "house" else "Banker's edge"
        assert whose in text
        for meter in row["meters"]:
            assert meter["label"] in text
            assert f"${float(meter['shows']):,.2f}" in text
        assert ", ".join(row["players"]) in text
        link = shown.locator("dd a[href^='/odds']").get_attribute("href")
        assert link == row["odds"]
        assert page.request.get(house.url + str(link)).ok
    assert violations(page) == []
    for size in (PHONE, NARROW):
        resize(page, size)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]


JACKPOT = ".jackpots li"


def test_the_lobby_celebrates_its_jackpots(house: House, new_page: NewPage) -> None:
    page = new_page((1280, 720))
    page.goto(house.url)
    rows = page.request.get(f"{house.url}/lobby.json").json()["tables"]
    meters = [meter for row in rows for meter in row["meters"] if meter["shows"]]
    assert meters and page.locator(JACKPOT).count() == len(meters)
    first = page.locator(JACKPOT).first
    expect(first).to_be_in_viewport(ratio=1)
    expect(first).to_contain_text("wins all of it")
    size = first.locator(".led").evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    assert size >= 30  # Worth looking at.
    # Without a reload the meter rises before one's eyes, in the band and at its table.
    table = next(row["table"] for row in rows if row["meters"])
    for meter in meters:
        meter["shows"] = "123456.78"
    page.route("**/lobby.json", lambda route: route.fulfill(json={"tables": rows}))
    expect(page.locator(f'[data-meter="{table}"]').first).to_have_text("$123,456.78")
    expect(page.locator(f'[data-row="{table}"] [data-meter]').first).to_have_text("$123,456.78")
    first.get_by_role("link").click()
    page.wait_for_url("**/tables/*?play")


def test_the_lobby_works_before_any_script(house: House, new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(house.url)
    expect(page.locator(JACKPOT).first.locator(".led")).to_have_text("$1,000.00")
    page.get_by_text("Limits and rules of the house").first.click()
    expect(page.locator(".notices dd").first).to_be_visible()
    page.locator(".tables").get_by_role("link", name="Watch").first.click()
    page.wait_for_url("**/tables/*")


def test_a_page_that_is_not_there(house: House, new_page: NewPage) -> None:
    page = new_page()
    for path, says in (
        ("/tables/nowhere", "There is no table with this name"),
        ("/tables/nowhere/text", "There is no table with this name"),
        ("/rounds/nowhere-1", "There is no round with this name"),
        ("/operator/nowhere", "It may have closed"),
    ):
        opened = page.goto(house.url + path)
        assert opened and opened.status == 404
        expect(page.locator("h1")).to_have_text("There is no such page")
        expect(page.locator("main")).to_contain_text(says)
    assert violations(page) == []
    opened = page.goto(f"{house.url}/operator?link=used")
    assert opened and opened.status == 403
    expect(page.locator("main")).to_contain_text("This link has been used or has expired")
    opened = page.goto(f"{house.url}/operator")
    assert opened and opened.status == 403
    expect(page.locator("main")).to_contain_text("Open the whole link that the server printed")
    for path in ("/tables/nowhere.json", "/rounds/nowhere-1.json", "/rounds/nowhere-1/openings"):
        answer = page.request.get(house.url + path)
        assert answer.status == 404
        assert answer.json()["error"]["code"] == "not_found"


def test_a_round_is_played_in_text(house: House, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{house.url}/tables/maryland/text")
    said, standing = page.locator("#said"), page.locator("#standing")

    def type_in(words: str) -> None:
        page.fill("#command", words)
        page.keyboard.press("Enter")

    expect(standing).to_contain_text("Take a seat")
    type_in("s")
    expect(standing).to_contain_text("Your seat 1")
    expect(standing).to_contain_text("Place your bets.")
    type_in("b 1 10")
    expect(said).to_contain_text("Seat 1 bets $10")
    type_in("b 1 3")
    expect(said).to_contain_text("Refused:")
    type_in("d")
    expect(said).to_contain_text(re.compile(r"Your decision. You have \w+ of \w+, \w+ of"))
    expect(standing).to_contain_text("a card face down, a card face down, a card face down")
    assert violations(page) == []
    type_in(house.galleries.scene("maryland")["choices"][0]["key"])
    expect(said).to_contain_text("The round is over.")
    type_in("w")
    expect(said).to_contain_text("You have $")
    expect(said.locator("p").last).to_be_in_viewport()
    type_in("y")
    expect(said).to_contain_text("isn't a command")
    assert violations(page) == []


OPENED = "document.querySelectorAll('details').forEach(one => one.open = true)"
IDS = re.compile(r"p-[a-z2-7]{10}|player:|layout:|inventory:|bank:|round-of-play/|is shown:")


def test_a_round_is_stepped_through(house: House, new_page: NewPage) -> None:
    page = new_page()
    id = play(page, house, "maryland")
    page.goto(f"{house.url}/rounds/{id}")
    page.wait_for_selector("felt-table .says:not(:empty)")
    page.evaluate(OPENED)
    assert IDS.findall(page.locator("main").inner_text()) == []
    steps = page.locator("#steps > li")
    current = page.locator("#steps > li[aria-current]")
    expect(current).to_contain_text("Place your bets.")
    page.keyboard.press("ArrowRight")
    expect(current).to_contain_text("bets $")
    assert page.url.endswith("#step-2")
    page.keyboard.press("End")
    expect(current).to_contain_text("The round is over.")
    last = [card.get_attribute("code") for card in page.locator(f"{OWN} play-card").all()]
    assert all(last) and len(last) == 3
    page.keyboard.press("ArrowLeft")
    assert page.url.endswith(f"#step-{steps.count() - 1}")
    page.keyboard.press("Home")
    assert page.locator("play-card").count() == 0
    page.keyboard.press(" ")
    expect(page.locator('[data-command="play"]')).to_contain_text("Pause")
    expect(current).to_contain_text("bets $")
    page.keyboard.press(" ")
    page.keyboard.press("f")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_contain_text("Previous step")
    page.keyboard.press("Escape")
    assert violations(page) == []
    for size in (PHONE, NARROW):
        resize(page, size)
        assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    page.goto(f"{house.url}/rounds/{id}#step-4")
    page.reload()
    expect(page.locator("#steps > li").nth(3)).to_have_attribute("aria-current", "step")


WHOLE = """
() => {
  const felt = document.querySelector("felt-table");
  const middle = felt.querySelector(".middle");
  const steps = document.querySelector(".player .acts").getBoundingClientRect();
  const { top } = felt.getBoundingClientRect();
  return {
    cut: middle.scrollHeight - middle.clientHeight,
    away: Math.max(steps.bottom - top - innerHeight, 0),
    small: felt.querySelector(".own play-card").getBoundingClientRect().height < 40,
  };
}
"""


def test_a_replay_shows_the_whole_felt_and_what_came_of_it(house: House, new_page: NewPage) -> None:
    page = new_page()
    id = play(page, house, "maryland")
    page.goto(f"{house.url}/rounds/{id}")
    page.wait_for_selector("felt-table .says:not(:empty)")
    page.keyboard.press("End")
    expect(page.locator(".says .text")).to_have_text(re.compile("^You (win|lose|break even)"))
    for size in ((1280, 720), PHONE, (320, 568)):
        resize(page, size)
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))")
        assert page.evaluate(WHOLE) == {"cut": 0, "away": 0, "small": False}, size
        assert page.evaluate(COVERED) == [], size
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".says")).to_have_attribute("data-tone", "")


def test_a_round_is_told_in_names_and_words(house: House, new_page: NewPage) -> None:
    page = new_page()
    id = play(page, house, "california")
    name = page.evaluate("fetch('/api/me').then(r => r.json())")["person"]["name"]
    events = record(page, house, id)["events"]
    page.goto(f"{house.url}/rounds/{id}")
    page.evaluate(OPENED)
    text = page.locator("main").inner_text()
    assert IDS.findall(text) == []
    assert f"{name}: " in page.locator(".after").inner_text()
    cut = "cells => cells.filter((one) => one.scrollWidth > one.clientWidth + 1).length"
    assert page.locator(".settled :is(th, td)").evaluate_all(cut) == 0
    expect(page.locator(".entries")).to_contain_text(name)
    expect(page.locator("#steps")).to_contain_text(re.compile(r"shows the \w+ of \w+\."))
    # Both when it was opened and when it was settled.
    times = [
        datetime.fromisoformat(str(one.get_attribute("datetime"))).timestamp() * 1000
        for one in page.locator("h1 ~ .dates time").all()
    ]
    assert times == [events[0]["time_ms"] // 1000 * 1000, events[-1]["time_ms"] // 1000 * 1000]
    assert violations(page) == []


def test_a_deal_is_checked_in_the_browser(house: House, new_page: NewPage, tmp_path: Path) -> None:
    page = new_page()
    id = play(page, house, "ride")
    page.goto(f"{house.url}/rounds/{id}#step-99")
    page.locator('[data-command="check"]').click()
    expect(page.locator("#proof")).to_contain_text("Proven in your browser: all 5 cards")
    assert page.locator("#proof b").all_inner_texts() == ["proven"] * 5
    assert violations(page) == []
    for line in record(page, house, id)["settlement"]["seats"][0]["lines"]:
        assert page.locator(".settled a").filter(has_text=line["clause"]).count()
    # The same document convinces the program that players keep.
    document = page.request.get(f"{house.url}/rounds/{id}/openings?record=true").text()
    file = tmp_path / "deal.json"
    file.write_text(document)
    run = subprocess.run([sys.executable, checker.__file__, str(file)], capture_output=True)
    assert run.returncode == 0, run.stdout
    # A card that was changed is found out.
    changed = json.loads(document)
    first = changed["opened"][0]
    first["card"] = "2c" if first["card"] != "2c" else "3c"
    page.route("**/openings", lambda route: route.fulfill(body=json.dumps(changed)))
    page.locator('[data-command="check"]').click()
    expect(page.locator("#proof")).to_contain_text("Not proven: 1 of 5")


def test_the_page_cuts_the_deck_and_the_round_shows_that_it_did(
    house: House, new_page: NewPage
) -> None:
    page, other = new_page(), new_page()
    player = come_in(page, house, "maryland")
    page.keyboard.press("m")
    page.locator('#drawer [data-command="fair"]').click()
    page.fill("#cut-words", "three dice: 4 6 1")
    assert violations(page) == []
    page.keyboard.press("Escape")
    for number in range(2):  # The words are of the next round's contribution.
        until_bets(page)
        page.wait_for_function("!document.querySelector('dialog[open]')")
        bet_and_deal(page)
        decide(page)
        settled(page)
        if number == 0:
            page.keyboard.press("n")
    over = house.last("maryland", player)
    document = page.request.get(f"{house.url}/rounds/{over.id}/openings").json()
    [made] = document["cut"]
    assert made["player"] == player
    assert made["value"].startswith("three dice: 4 6 1 ")
    assert order_of(document) != dict(enumerate(range(52)))
    for who in (page, other):
        who.goto(f"{house.url}/rounds/{over.id}")
        expect(who.locator("#cut li")).to_contain_text(made["value"])
        who.locator('[data-command="check"]').click()
        expect(who.locator("#proof")).to_contain_text("Proven in your browser")
        expect(who.locator("#proof")).to_contain_text("worked out again; contributions in it: 1.")
        assert violations(who) == []
    expect(page.locator("#proof")).to_contain_text(f"Yours is in it: {made['value']}")
    expect(other.locator("#proof")).not_to_contain_text("Yours")
    # A house that leaves a contribution out, or adds one, is found out.
    made["value"] = None
    page.route("**/openings", lambda route: route.fulfill(body=json.dumps(document)))
    page.locator('[data-command="check"]').click()
    expect(page.locator("#proof")).to_contain_text("NOT PROVEN: Your contribution was left out")


def test_a_folded_hand_is_its_players_alone(house: House, new_page: NewPage) -> None:
    page, other = new_page(), new_page()
    player = come_in(page, house, "maryland")
    until_bets(page)
    bet_and_deal(page)
    choices_are_live(page)
    round = house.table("maryland").place.standing.round
    assert round
    openings = f"{house.url}/rounds/{round.id}/openings"
    # While a round is played nothing is opened, and its page shows no face.
    assert page.request.get(openings).status == 409
    steps = page.request.get(f"{house.url}/rounds/{round.id}/steps.json").json()
    assert steps["own"] == {}
    decide(page, which=1)
    page.wait_for_selector('felt-table[data-phase="over"]')
    document = page.request.get(openings).json()
    mine, at = document["opened"], order_of(document)
    theirs = other.request.get(openings).json()["opened"]
    over = house.last("maryland", player)
    cards = {p for box in over.boxes.values() if box.player == player for p in box.cards}
    assert {one["position"] for one in theirs} == {at[p] for p in over.faces}
    assert {one["position"] for one in mine} == {at[p] for p in {*over.faces} | cards}
    assert other.request.get(f"{house.url}/rounds/{over.id}/steps.json").json()["own"] == {}


def test_the_bank_of_a_round_that_was_called_off_is_opened(house: House, new_page: NewPage) -> None:
    """F6: nobody can call a round off and keep to himself what it would have come to."""
    page, other = new_page(), new_page()
    player = come_in(page, house, "maryland")
    until_bets(page)
    bet_and_deal(page)
    choices_are_live(page)
    table = house.table("maryland")
    asyncio.run_coroutine_threadsafe(
        table.act(partial(dealer.call_off, cause="interrupted", because="a test asked for it")),
        house.loop,
    ).result()
    page.wait_for_selector('felt-table[data-phase="over"]')
    over = house.last("maryland", player)
    assert over.void
    document = other.request.get(f"{house.url}/rounds/{over.id}/openings").json()
    [bank], at = over.places.values(), order_of(document)
    assert {one["position"] for one in document["opened"]} == {at[p] for p in bank}
    assert len(checker.check(document)) == len(bank) == 3


def test_a_guest_becomes_an_account(house: House, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{house.url}/account")
    expect(page.locator("h1")).to_have_text("You are not signed in")
    assert violations(page) == []
    player = come_in(page, house, "maryland")
    page.goto(f"{house.url}/account")
    assert page.locator(".chief dd").inner_text() == "$1,000"
    twin = page.request.get(house.url + "/account.json").json()
    assert (twin["person"]["id"], twin["purse"]) == (player, house.purse(player))
    assert violations(page) == []
    page.fill("#up-name", "Ada")
    page.fill("#up-password", "a long enough sentence")
    page.get_by_role("button", name="Create an account").click()
    expect(page.locator("h1")).to_have_text("Ada")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url(f"{house.url}/")
    page.goto(f"{house.url}/sign-in")
    assert violations(page) == []
    page.fill("#in-name", "Ada")
    page.fill("#in-password", "not this one at all")
    page.get_by_role("button", name="Sign in").click()
    expect(page.locator("form[data-post='/api/sign-in'] [role=status]")).not_to_be_empty()
    page.fill("#in-password", "a long enough sentence")
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{house.url}/")
    me = page.evaluate("fetch('/api/me').then(r => r.json())")["person"]
    assert (me["id"], me["name"]) == (player, "Ada")


def test_no_form_puts_a_password_into_an_address(house: House, new_page: NewPage) -> None:
    page = new_page(java_script_enabled=False)
    page.goto(f"{house.url}/sign-in")
    assert "Signing in needs JavaScript" in page.content()
    assert page.locator("form #in-password").count() == 1
    assert page.locator("form:not([inert])").count() == 0
    assert page.request.get(f"{house.url}/sign-in.json").json()["person"] is None
