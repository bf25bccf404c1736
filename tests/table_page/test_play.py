"""People play at real tables in a real browser, and what they see is what the ledger says."""

import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import APIResponse, Page, WebSocket, expect

from croupier.ledger.journal import decode
from croupier.money import parse_money
from croupier.rules.words import clause_says, dollars
from tests.pages.browser import NARROW, PHONE
from tests.table_page.acts import (
    CHOICES,
    OVER,
    OWN,
    bet_everywhere,
    come_in,
    decide,
    hold,
    is_seen,
    record,
    settled,
    until_bets,
)
from tests.table_page.conftest import NewPage, violations
from tests.table_page.house import IDS, House, opened
from tests.table_page.in_view import BETS, DECIDE, RESULT, out_of_view


def shown_cents(text: str) -> int:
    """Read a sum as the page writes it: +$1,234.50, −$5, $0."""
    sign = -1 if text.startswith("\u2212") else 1
    return sign * parse_money(text.lstrip("+\u2212$").replace(",", ""), "page")


def banner_cents(page: Page) -> int:
    """Read the net from the banner."""
    text = page.inner_text(".says .text")
    if "even" in text:
        return 0
    sum_ = shown_cents(text.split()[-1])
    return sum_ if "win" in text else -sum_


def check_result(page: Page, house: House, player: str) -> None:
    """Hold banner, balance, net and every line on the screen against the ledger."""
    round = house.last(page.url.split("/")[-1].split("?")[0], player)
    found = record(page, house, round.id)
    seat = next(s for s in found["settlement"]["seats"] if s["player"] == player)
    assert banner_cents(page) == parse_money_signed(seat["net"])
    expect(page.locator("#balance")).to_have_text(dollars(parse_money(house.purse(player), "")))
    expect(page.locator("#net")).to_have_text(signed(parse_money_signed(seat["net"])))
    page.keyboard.press("l")
    page.wait_for_selector("#drawer[open] .lines")
    own = page.locator("#drawer details").first
    assert own.get_attribute("data-seat") == str(seat["seat"]) and own.get_attribute("open") == ""
    result = signed(parse_money_signed(seat["net"]))
    assert own.locator(".result b").last.inner_text() == (result if result != "$0" else "even")
    expect(page.get_by_role("link", name="Recheck this deal")).to_be_visible()
    rows = own.locator("li:not(.result, .fee)")
    assert rows.count() == len(seat["lines"])
    for row, line in zip(rows.all(), seat["lines"], strict=True):
        parts = [parse_money(line[key], key) for key in ("paid", "returned")]
        net = sum(parts) - parse_money(line["stake"], "stake")
        text = row.locator("b").inner_text()
        assert shown_cents(text) == net if net else text == line["outcome"]
        assert row.locator("a").inner_text() == clause_says(line["clause"])
        assert len(row.locator("small").inner_text()) > len(line["clause"])
    assert violations(page) == []
    page.keyboard.press("Escape")
    moved = [e for e in found["entries"] if f"player:{player}" in (e["debit"], e["credit"])]
    signs = [(1 if e["credit"] == f"player:{player}" else -1, e["micros"]) for e in moved]
    assert sum(s * round_cents(m) for s, m in signs) == parse_money_signed(seat["net"])


def signed(cents: int) -> str:
    """Write a sum as the page does: +$5, −$2.50, $0."""
    sign = "+" if cents > 0 else "\u2212" if cents < 0 else ""
    return f"{sign}{dollars(abs(cents))}"


def parse_money_signed(text: str) -> int:
    return -parse_money(text[1:], "net") if text.startswith("-") else parse_money(text, "net")


def round_cents(micros: str) -> int:
    return parse_money(micros[:-4], "micros")


@pytest.mark.parametrize("table", IDS)
def test_a_guest_plays_a_round_of_every_book(table: str, house: House, new_page: NewPage) -> None:
    """Each state of it is looked at, at every size."""
    page = new_page()
    player = come_in(page, house, table)
    until_bets(page)
    expect(page.locator(".says")).to_contain_text("Place your bets.")
    assert bet_everywhere(page) >= 1
    is_seen(page, f"{OWN} chip-stack .chip")
    is_seen(page, ".tray .chip")
    assert violations(page) == []
    wrong = out_of_view(page, "bets", BETS)
    page.keyboard.press("d")
    page.wait_for_selector(CHOICES)
    page.wait_for_selector(f"{OWN} play-card[data-suit]:not([data-suit=''])")
    is_seen(page, "play-card")
    is_seen(page, "play-card svg")
    assert violations(page) == []
    wrong += out_of_view(page, "decide", DECIDE)
    assert decide(page) >= 1
    settled(page)
    hold(page)
    expect(page.locator("#spoken")).to_contain_text("You ")
    check_result(page, house, player)
    assert violations(page) == []
    wrong += out_of_view(page, "result", RESULT)
    assert wrong == []


ELECTRONIC = """
[[table]]
id = "shared"
rulebook = "maryland-three-card-poker"
practice = true
[table.selections]
format = "electronic"
"""


def test_a_shared_hand_is_chosen(tmp_path: Path, new_page: NewPage) -> None:
    with opened(tmp_path, more=ELECTRONIC) as house:
        page = new_page()
        player = come_in(page, house, "shared")
        until_bets(page)
        page.get_by_role("button", name="Bet on hand 2").click()
        page.locator(f"{OWN} bet-spot[open] button").first.click()
        expect(page.locator(f"{OWN} chip-stack .sum")).to_have_count(1)
        assert violations(page) == []
        page.keyboard.press("d")
        assert decide(page) == 1
        settled(page)
        assert [box.hand for box in house.last("shared", player).boxes.values()] == [2]
        is_seen(page, "play-card")


def test_both_bets_are_pulled(house: House, new_page: NewPage) -> None:
    page = new_page()
    player = come_in(page, house, "ride")
    until_bets(page)
    page.locator(f"{OWN} bet-spot[open] button").first.click()
    # One wager lies on three equal spots, and chips on all of them.
    expect(page.locator(f"{OWN} chip-stack .sum")).to_have_count(3)
    page.keyboard.press("d")
    assert decide(page, which=1) == 2
    settled(page)
    expect(page.locator(f"{OWN} bet-spot[data-fate='take back']")).to_have_count(2)
    check_result(page, house, player)


def test_a_player_banks(tmp_path: Path, new_page: NewPage) -> None:
    with opened(tmp_path, pause=8) as house:
        bank_a_round(house, new_page())
        assert house.table("california").place.standing.round


def bank_a_round(house: House, page: Page) -> None:
    player = come_in(page, house, "california")
    page.wait_for_selector('#dock[data-mode="bank"]', timeout=60_000)
    page.fill("#funds", "150")
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.locator('[data-command="bank"]').click()
    expect(page.locator(".places figcaption")).to_contain_text("$150")
    expect(page.locator(f"{OWN}[banks]")).to_have_count(1)
    page.wait_for_selector(OVER, timeout=60_000)
    settled(page)
    round = house.table("california").place.standing.round
    assert round and round.bank_result
    assert "Your bank" in page.inner_text(".says")
    assert banner_cents(page) == round.bank_result.net
    expect(page.locator("#balance")).to_have_text(dollars(parse_money(house.purse(player), "")))
    assert violations(page) == []


class Frames:
    """What a page is told over its sockets."""

    def __init__(self, page: Page) -> None:
        self.heard: list[dict[str, Any]] = []
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda text: self.heard.append(json.loads(text)))

    def text(self) -> str:
        return json.dumps(self.heard)


def test_everybody_sees_what_they_may(house: House, new_page: NewPage) -> None:
    pages = [new_page() for _ in range(3)]
    frames = [Frames(page) for page in pages]
    first, second, watcher = pages
    players = [come_in(page, house, "maryland") for page in (first, second)]
    watcher.goto(f"{house.url}/tables/maryland")
    watcher.wait_for_selector(".seats player-seat .who")
    for page in (first, second):
        until_bets(page)
        page.locator(f"{OWN} bet-spot[open] button").first.click()
        expect(page.locator(f"{OWN} chip-stack .sum")).to_have_count(1)
    for page in (first, second):
        page.keyboard.press("d")
    watcher.wait_for_selector(".seats play-card")
    first.wait_for_selector(f"{CHOICES}, player-seat[asked]")
    table = house.table("maryland")
    deck, standing = table.deck, table.place.standing
    round, at = standing.round, standing.cut.at
    assert deck and round and not round.faces
    assert standing.cut.values  # The pages have cut the deck.
    hands = {box.player: box.cards for box in round.boxes.values()}
    for page in (first, second):
        expect(page.locator(f'{OWN} play-card:not([code=""])')).to_have_count(3)
    for page, player in zip((first, second), players, strict=True):
        mine = [str(deck.deck[at(position)]) for position in hands[player]]
        cards = page.locator(f"{OWN} play-card").all()
        assert [card.get_attribute("code") for card in cards] == mine
    assert watcher.locator('play-card:not([code=""])').count() == 0
    # What is hidden is not in what was sent, wherever one looks for it.
    for told, who in zip(frames, (*players, None), strict=True):
        owned = [frame for frame in told.heard if frame["type"] == "own"]
        positions = {int(p) for frame in owned for p in frame["own"]}
        assert positions == set(hands.get(who or "", ()))
        hidden = [str(deck.deck[at(p)]) for p in range(52) if p not in positions]
        assert not [card for card in hidden if f'"{card}"' in told.text()]
    assert violations(watcher) == []


AT_THE_LAST_SECOND = """
(key) => new Promise((pressed) => {
  const said = document.querySelector("#ring b");
  new MutationObserver((_, watch) => {
    if (said.textContent !== "1") return;
    watch.disconnect();
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    pressed();
  }).observe(said, { childList: true, characterData: true, subtree: true });
})
"""


def test_a_decision_at_the_last_second(tmp_path: Path, new_page: NewPage) -> None:
    with opened(tmp_path, decide=8) as house:
        page = new_page()
        come_in(page, house, "maryland")
        until_bets(page)
        page.locator(f"{OWN} bet-spot[open] button").first.click()
        page.wait_for_selector('[data-command="deal"]:enabled')
        page.keyboard.press("d")
        page.wait_for_selector(CHOICES)
        # The page itself presses when it says 1: no driver is quick enough on a busy machine.
        page.evaluate(AT_THE_LAST_SECOND, page.locator(f"{CHOICES} kbd").first.inner_text())
        assert page.locator("#ring[soon]").count()
        settled(page)
        table = house.table("maryland")
        stored = table.books.looked(lambda view: list(view.stream(table.id)))
        events = [decode(row.data).event for row in stored]
        assert [event["by"] for event in events if event["type"] == "Chose"] == ["player"]


def test_a_cut_line_loses_nothing(house: House, new_page: NewPage) -> None:
    page = new_page()
    player = come_in(page, house, "ride")
    until_bets(page)
    page.locator(f"{OWN} bet-spot[open] button").first.click()
    page.wait_for_selector('[data-command="deal"]:enabled')
    page.keyboard.press("d")
    page.wait_for_selector(CHOICES)
    cards = [card.get_attribute("data-at") for card in page.locator(f"{OWN} play-card").all()]
    house.cut("ride")
    page.wait_for_selector('felt-table[data-cut="cut"]')
    page.wait_for_selector('felt-table[data-cut=""]')
    again = [card.get_attribute("data-at") for card in page.locator(f"{OWN} play-card").all()]
    assert cards == again
    assert page.locator(f'{OWN} play-card:not([code=""])').count() == 3
    assert decide(page) == 2
    settled(page)
    check_result(page, house, player)


def test_by_keyboard_alone(tmp_path: Path, new_page: NewPage) -> None:
    with opened(tmp_path, pause=3) as house:
        play_by_keys(house, new_page())
        assert house.table("maryland").rounds == 2


def play_by_keys(house: House, page: Page) -> None:
    page.goto(f"{house.url}/tables/maryland")
    page.wait_for_selector('#dock[data-mode="guest"]')
    page.keyboard.press("g")
    page.wait_for_selector(OWN)
    until_bets(page)
    page.keyboard.press("3")
    expect(page.locator('.tray [aria-checked="true"]')).to_have_attribute("aria-label", "$25")
    assert page.evaluate("document.activeElement.closest('.own bet-spot[open]') !== null")
    ring = "document.activeElement.querySelector('.circle')"
    assert page.evaluate(f"getComputedStyle({ring}, '::before').outlineStyle") == "solid"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator(f"{OWN} .sum")).to_have_text("$25")
    page.keyboard.press("Enter")
    expect(page.locator(f"{OWN} .sum")).to_have_text("$50")
    page.keyboard.press("z")
    expect(page.locator(f"{OWN} .sum")).to_have_text("$25")
    page.keyboard.press("c")
    expect(page.locator(f"{OWN} .sum")).to_have_count(0)
    page.keyboard.press("z")
    expect(page.locator(f"{OWN} .sum")).to_have_text("$25")
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()
    expect(page.locator("#keys")).to_contain_text("Rebet")
    assert violations(page) == []
    page.keyboard.press("Escape")
    page.keyboard.press("d")
    page.wait_for_selector(CHOICES)
    page.keyboard.press(page.locator(f"{CHOICES} kbd").first.inner_text())
    settled(page)
    page.keyboard.press("n")
    page.wait_for_selector('[data-command="rebet"]:enabled')
    page.keyboard.press("r")
    expect(page.locator(f"{OWN} .sum")).to_have_text("$25")


def test_a_hand_takes_at_most_eight_presses(house: House, new_page: NewPage) -> None:
    """U13: a bet, a deal and a decision from a fresh page, without a pointer."""
    page = new_page()
    page.goto(f"{house.url}/tables/maryland")
    page.wait_for_selector('#dock[data-mode="guest"]')
    presses = 0

    def press(key: str) -> None:
        nonlocal presses
        page.keyboard.press(key)
        presses += 1

    press("g")
    until_bets(page)
    press("Enter")
    page.wait_for_selector('[data-command="deal"]:enabled')
    press("d")
    page.wait_for_selector(CHOICES)
    expect(page.locator("#spoken")).to_contain_text("You have ")
    said = page.inner_text("#spoken")
    assert "Play (P): bet $5 more or Fold (F): lose $5?" in said
    assert page.evaluate("document.activeElement !== document.body")
    press("p")
    settled(page)
    assert presses <= 8


def test_single_letters_can_be_switched_off(house: House, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{house.url}/tables/maryland")
    page.wait_for_selector('#dock[data-mode="guest"]')
    page.keyboard.press("m")
    page.locator('#drawer [data-command="settings"]').click()
    assert violations(page) == []
    page.locator('[name="keys"]').uncheck()
    page.locator("#settings button").click()
    page.keyboard.press("g")
    page.wait_for_timeout(300)
    assert page.locator(OWN).count() == 0
    page.keyboard.press("?")
    expect(page.locator("#help")).to_be_visible()


def test_settings_hold_before_their_dialog_has_closed(house: House, new_page: NewPage) -> None:
    page = new_page()
    page.goto(f"{house.url}/tables/maryland")
    page.wait_for_selector('#dock[data-mode="guest"]')
    page.keyboard.press("m")
    page.locator('#drawer [data-command="settings"]').click()
    page.locator('[name="keys"]').uncheck()
    page.evaluate(
        """() => {
          document.querySelector("#settings").close();
          const pressed = { key: "g", bubbles: true };
          document.body.dispatchEvent(new KeyboardEvent("keydown", pressed));
        }"""
    )
    page.wait_for_timeout(300)
    assert page.locator(OWN).count() == 0
    page.locator('.tool[data-command="menu"]').click()
    page.locator('#drawer [data-command="settings"]').click()
    page.locator('[name="loss"]').fill("40")
    page.keyboard.press("Escape")
    page.wait_for_selector("#settings", state="hidden")
    kept = page.evaluate("JSON.parse(localStorage.getItem('croupier.limits')).loss")
    assert kept == 40


@pytest.mark.parametrize("size", [NARROW, pytest.param(PHONE, marks=pytest.mark.long)])
def test_on_a_phone(size: tuple[int, int], house: House, new_page: NewPage) -> None:
    page = new_page(size, moves=True, has_touch=True)
    page.goto(house.url)
    assert violations(page) == []
    player = come_in(page, house, "maryland")
    until_bets(page)
    page.locator(f"{OWN} bet-spot[open] button").first.tap()
    expect(page.locator(f"{OWN} .sum")).to_have_count(1)
    is_seen(page, ".tray .chip")
    for button in page.locator("#dock button:visible, .own bet-spot button").all():
        box = button.bounding_box()
        assert box and min(box["width"], box["height"]) >= 44, button.inner_text()
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    page.locator('[data-command="deal"]').tap()
    page.wait_for_selector(CHOICES)
    page.wait_for_function("() => !document.querySelector('play-card[data-waits=\"1\"]')")
    is_seen(page, f"{OWN} play-card")
    assert violations(page) == []
    page.locator(CHOICES).first.tap()
    settled(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= size[0]
    check_result(page, house, player)


def test_nothing_moves_where_motion_is_unwelcome(house: House, new_page: NewPage) -> None:
    page = new_page(moves=False)
    come_in(page, house, "singapore")
    until_bets(page)
    bet_everywhere(page)
    page.evaluate(
        "() => { window.moved = 0; const animate = Element.prototype.animate;"
        "Element.prototype.animate ="
        "  function (...a) { window.moved += 1; return animate.apply(this, a) } }"
    )
    page.keyboard.press("d")
    page.wait_for_selector(CHOICES)
    assert page.locator('play-card[data-waits="1"]').count() == 0
    decide(page)
    settled(page)
    assert page.evaluate("window.moved") == 0


def test_chips_stay_within_limits_and_a_clause_is_read(house: House, new_page: NewPage) -> None:
    page = new_page()
    come_in(page, house, "maryland")
    until_bets(page)
    page.keyboard.press("5")
    spots = page.locator(f"{OWN} bet-spot[open] button")
    spots.nth(0).click()
    expect(page.locator(f"{OWN} .sum").first).to_have_text("$500")
    page.keyboard.press("4")
    spots.nth(1).click()
    spots.nth(1).click()
    spots.nth(1).click()
    expect(page.locator(f"{OWN} .sum").nth(1)).to_have_text("$200")
    page.keyboard.press("i")
    page.wait_for_selector("#drawer[open] .pays")
    assert violations(page) == []
    page.locator("#drawer .pays a").first.click()
    expect(page.locator(".card-dialog[open] h2")).to_contain_text("Clause")
    expect(page.locator(".card-dialog[open] .said p").first).not_to_be_empty()
    assert violations(page) == []


def test_the_coach_says_what_a_choice_is_worth(house: House, new_page: NewPage) -> None:
    page = new_page()
    come_in(page, house, "maryland")
    page.keyboard.press("m")
    page.locator('#drawer [data-command="settings"]').click()
    page.locator('[name="coach"]').check()
    page.locator("#settings button").click()
    until_bets(page)
    page.locator(f"{OWN} bet-spot[open] button").first.click()
    page.wait_for_selector('[data-command="deal"]:enabled')
    page.keyboard.press("d")
    page.wait_for_selector("#coach .worth li")
    assert page.locator("#coach .worth li").count() == page.locator(CHOICES).count()
    expect(page.locator('#coach [data-best="1"]')).to_have_count(1)
    expect(page.locator("#coach .worth")).to_contain_text("costs $")
    assert violations(page) == []
    best = page.locator('#coach [data-best="1"] b').inner_text()
    page.locator(CHOICES).filter(has_text=best).first.click()
    expect(page.locator("#coach .score")).to_contain_text("1 of 1 decisions")


def test_own_limits_stop_betting(house: House, new_page: NewPage) -> None:
    page = new_page()
    come_in(page, house, "maryland")
    until_bets(page)
    page.locator('.tool[data-command="break"]').click()
    assert violations(page) == []
    page.locator('#rest button[value="5"]').click()
    expect(page.locator(".says")).to_contain_text("You're on a break")
    page.wait_for_selector('#dock[data-mode="sit"]')
    page.locator('[data-command="sit"]').click()
    page.wait_for_selector(OWN)
    page.locator(f"{OWN} bet-spot button").first.dispatch_event("click")
    expect(page.locator(".says")).to_contain_text("You're on a break")
    assert page.locator(f"{OWN} .sum").count() == 0
    # A limit of zero minutes left: what players set for themselves holds after a reload, too.
    page.evaluate("localStorage.removeItem('croupier.break')")
    page.evaluate(
        "localStorage.setItem('croupier.limits', '{\"loss\": 1}');"
        "const v = JSON.parse(sessionStorage.getItem('croupier.visit')); v.net = -500;"
        "sessionStorage.setItem('croupier.visit', JSON.stringify(v))"
    )
    page.reload()
    expect(page.locator(".says")).to_contain_text("You have reached your limit")


def length(response: APIResponse) -> int:
    """How many bytes of a body were transferred."""
    return int(response.headers["content-length"])


@dataclass
class Transferred:
    """What a page has transferred, as Chromium counts it: headers, bodies and frames."""

    files: dict[str, float] = field(default_factory=dict)
    frames: int = 0

    @property
    def all(self) -> float:
        return sum(self.files.values()) + self.frames


def transferred(page: Page) -> Transferred:
    """Count what a page transfers from now on."""
    found, names = Transferred(), dict[str, str]()

    def asked(event: dict[str, Any]) -> None:
        names[event["requestId"]] = event["request"]["url"].split("/")[-1]

    def loaded(event: dict[str, Any]) -> None:
        found.files[names[event["requestId"]]] = event["encodedDataLength"]

    def framed(event: dict[str, Any]) -> None:
        found.frames += len(event["response"]["payloadData"].encode())

    session = page.context.new_cdp_session(page)
    session.send("Network.enable")
    session.on("Network.requestWillBeSent", asked)
    session.on("Network.loadingFinished", loaded)
    session.on("Network.webSocketFrameReceived", framed)
    return found


def newcomer(page: Page, house: House) -> None:
    """Somebody who has never been here."""


def guest(page: Page, house: House) -> None:
    """Somebody with a guest's cookie and an empty cache."""
    asked = page.request.post(f"{house.url}/api/guest", data={}, headers={"X-Croupier": "1"})
    assert asked.ok


def signed_in(page: Page, house: House) -> None:
    """Somebody with an account, a name and all settings that a browser keeps but sound."""
    mine = {"name": f"Ada {secrets.token_hex(3)}", "password": "a long password of mine"}
    asked = page.request.post(f"{house.url}/api/sign-up", data=mine, headers={"X-Croupier": "1"})
    assert asked.ok
    kept = {
        "settings": '{"keys": true, "four": true, "still": true, "coach": true}',
        "limits": '{"loss": 50000, "minutes": 60}',
        "chip": "2",
        "guide": "done",
    }
    page.add_init_script(
        f"for (const [name, value] of Object.entries({json.dumps(kept)}))"
        " localStorage.setItem(`croupier.${name}`, value)"
    )


def comes_back(page: Page, house: House, table: str) -> None:
    """Bet at a table, and leave for the lobby."""
    page.goto(f"{house.url}/tables/{table}?play")
    until_bets(page)
    page.locator(f"{OWN} bet-spot[open] button").first.click()
    page.wait_for_selector('[data-command="deal"]:enabled')
    page.goto(house.url)


VISITORS = (newcomer, guest, signed_in)
BOUND = 60_000
"""How much a table's page may transfer before the first press."""


def transferred_by(page: Page, address: str) -> Transferred:
    """Open a table with an empty cache, and count until nothing more comes."""
    found = transferred(page)
    page.goto(address)
    page.wait_for_selector("felt-table[data-phase]")
    page.wait_for_load_state("networkidle")
    return found


@pytest.mark.parametrize("visitor", VISITORS)
def test_the_table_page_is_small_for_everybody(
    visitor: Callable[[Page, House], None], house: House, new_page: NewPage
) -> None:
    page = new_page()
    visitor(page, house)
    plays = "watch.js" if visitor is newcomer else "table.js"
    for table in IDS:
        found = found_small(page, house, table)
        assert found.files.keys() >= {f"{table}?play", plays, "core.js", "layout.css"}


@pytest.mark.parametrize("table", IDS)
def test_the_table_page_is_small_for_players_who_come_back(
    table: str, house: House, new_page: NewPage
) -> None:
    """To a bet or a decision of theirs, with the coach: the most that a page brings by itself."""
    page = new_page()
    signed_in(page, house)
    comes_back(page, house, table)
    found = found_small(page, house, table)
    assert found.files.keys() >= {"table.js", "coach.js"}


def found_small(page: Page, house: House, table: str) -> Transferred:
    """Open a table with an empty cache, and return what came before the first press."""
    page.context.new_cdp_session(page).send("Network.clearBrowserCache")
    found = transferred_by(page, f"{house.url}/tables/{table}?play")
    page.wait_for_selector(".own player-seat")
    page.wait_for_load_state("networkidle")
    assert found.frames and found.all <= BOUND, (table, found)
    return found


def test_the_first_hand_brings_little_else(house: House, new_page: NewPage) -> None:
    page = new_page()
    heard: list[str] = []
    page.on("response", lambda one: heard.append(one.url))
    found = transferred(page)
    page.goto(f"{house.url}/tables/maryland?play")
    page.wait_for_selector('#dock[data-mode="guest"]')
    page.keyboard.press("g")
    until_bets(page)
    page.locator(f"{OWN} bet-spot[open] button").first.click()
    page.wait_for_selector('[data-command="deal"]:enabled')
    page.keyboard.press("d")
    page.wait_for_selector(f'{OWN} play-card:not([code=""])')
    # Browsers differ in whether what `<use>` fetches is a response of the page.
    found.files.setdefault("cards.svg", length(page.request.get(f"{house.url}/cards.svg")))
    assert found.all <= 71_000, found
    assert all(url.startswith(house.url) for url in heard)


PRESSES: dict[str, Callable[[Page], None]] = {
    "a key": lambda page: page.keyboard.press("i"),
    "a button": lambda page: page.locator('.tools [data-command="rules"]').click(),
    "a button by key": lambda page: page.locator('.tools [data-command="rules"]').press("Enter"),
}


@pytest.mark.parametrize("press", PRESSES.values(), ids=PRESSES)
def test_the_first_press_of_somebody_new_is_heard(
    press: Callable[[Page], None], house: House, new_page: NewPage
) -> None:
    """What it needs is fetched then; from there on one socket is left."""
    page = new_page()
    asked: list[str] = []
    sockets: list[WebSocket] = []
    page.on("websocket", lambda one: sockets.append(one))
    page.on("request", lambda request: asked.append(request.url.split("/")[-1]))
    page.goto(f"{house.url}/tables/maryland")
    page.wait_for_selector("felt-table[data-phase]")
    page.wait_for_load_state("networkidle")
    assert "table.js" not in asked
    press(page)
    page.wait_for_selector("#drawer[open] .posted")
    page.keyboard.press("Escape")
    page.wait_for_function("() => !document.querySelector('dialog[open]')")
    assert asked.count("table.js") == 1
    if not sockets[0].is_closed():
        sockets[0].wait_for_event("close")
    assert [one.is_closed() for one in sockets] == [True, False]
    page.keyboard.press("g")
    until_bets(page)


def test_somebody_new_sees_and_hears_a_hand(house: House, new_page: NewPage) -> None:
    """Watching needs none of the scripts for playing."""
    page, other = new_page(), new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.split("/")[-1]))
    page.goto(f"{house.url}/tables/maryland")
    page.wait_for_selector("felt-table[data-phase]")
    come_in(other, house, "maryland")
    until_bets(other)
    other.locator(f"{OWN} bet-spot[open] button").first.click()
    other.wait_for_selector('[data-command="deal"]:enabled')
    other.keyboard.press("d")
    page.wait_for_selector(".seats play-card")
    expect(page.locator(".says")).to_contain_text("decides.")
    expect(page.locator("#spoken")).not_to_be_empty()
    assert "speech.js" in asked and "table.js" not in asked
    page.context.set_offline(True)
    expect(page.locator(".says")).to_contain_text("The connection is lost.")
    page.context.set_offline(False)
    expect(page.locator(".says")).not_to_contain_text("The connection is lost.")
