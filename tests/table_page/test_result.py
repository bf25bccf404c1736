"""A result is told by the cards, waits for its player, and says who did what."""

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

from tests.table_page.acts import (
    BANNER,
    CHOICES,
    OVER,
    OWN,
    come_in,
    decide,
    settled,
    until_bets,
)
from tests.table_page.conftest import NewPage, violations
from tests.table_page.house import House, opened


def bet_and_deal(page: Page) -> None:
    """Bet on the first spot, and ask for the cards."""
    until_bets(page)
    page.locator(f"{OWN} bet-spot[open] button").first.click()
    page.wait_for_selector('[data-command="deal"]:enabled')
    page.keyboard.press("d")


def everybody_chooses(pages: Sequence[Page], which: int = 0) -> None:
    """Let every page choose once, in whatever order they are asked."""
    waiting = list(pages)
    while waiting:
        for page in list(waiting):
            if page.locator(CHOICES).count():
                page.locator(CHOICES).nth(which).click()
                waiting.remove(page)
        pages[0].wait_for_timeout(100)


NAMED = """
() => {
  window.named = [];
  const caption = document.querySelector(".places figcaption");
  new MutationObserver(() => {
    const [, name, plays] = Array.from(caption.children, (one) => one.textContent);
    if (!name && !plays) return;
    const cards = Array.from(document.querySelectorAll(".places play-card"));
    const moving = cards.flatMap((one) => one.getAnimations({ subtree: true })).length;
    const down = cards.filter((one) => /#back$/.test(one.querySelector("use").href.baseVal)).length;
    window.named.push({ name, plays, moving, down });
  }).observe(caption, { childList: true, subtree: true, characterData: true });
}
"""


OWN_CODES = """
() => {
  window.codes = [];
  for (const card of document.querySelectorAll(".own play-card")) {
    new MutationObserver(() => window.codes.push(card.getAttribute("code")))
      .observe(card, { attributeFilter: ["code"] });
  }
}
"""


def test_the_bank_is_named_when_its_last_card_has_turned(house: House, new_page: NewPage) -> None:
    """The player's own cards are turned up for the others, too, and stay as they are."""
    page = new_page(moves=True)
    come_in(page, house, "maryland")
    bet_and_deal(page)
    page.wait_for_selector(CHOICES)
    page.evaluate(NAMED)
    page.evaluate(OWN_CODES)
    before = [card.get_attribute("code") for card in page.locator(f"{OWN} play-card").all()]
    decide(page)
    settled(page)
    [label, *_] = [one["label"] for one in house.galleries["maryland"].felt["places"].values()]
    whose = page.locator(".places figcaption > span")
    expect(whose).to_be_visible()
    expect(whose).to_have_text(label)
    named = page.evaluate("window.named")
    assert named and named[-1]["name"] and named[-1]["plays"] in ("plays", "does not play")
    assert [(one["moving"], one["down"]) for one in named] == [(0, 0)] * len(named)
    assert {*page.evaluate("window.codes")} <= {*before}
    assert "" not in before


def test_a_result_waits_for_its_player(tmp_path: Path, new_page: NewPage) -> None:
    """With others at the table it gives way at their next deal, and not at all where it is held."""
    with opened(tmp_path, pause=0.2, bets=4) as house:
        quick, reader, keeper = [new_page() for _ in range(3)]
        pages = (quick, reader, keeper)
        for page in pages:
            come_in(page, house, "maryland")
        for page in pages:
            until_bets(page)
            page.locator(f"{OWN} bet-spot[open] button").first.click()
        everybody_chooses(pages)
        said = {}
        for page in pages:
            settled(page)
            said[page] = page.inner_text(".says .text")
        keeper.keyboard.press("h")
        expect(keeper.locator('[data-command="hold"]')).to_have_attribute("aria-pressed", "true")
        quick.keyboard.press("n")
        until_bets(quick)
        for page in (reader, keeper):
            expect(page.locator("#hint")).to_have_text("The next bets are open.")
            assert page.inner_text(".says .text") == said[page]
            assert page.locator(f"{OWN} play-card").count() == 3
        quick.locator(f"{OWN} bet-spot[open] button").first.click()
        quick.wait_for_selector(CHOICES)
        expect(reader.locator(".says")).to_contain_text("This hand was dealt without you.")
        assert reader.locator(f"{OWN} play-card").count() == 0
        assert keeper.inner_text(".says .text") == said[keeper]
        assert keeper.locator(f"{OWN} play-card").count() == 3
        keeper.keyboard.press("n")
        expect(keeper.locator(".says")).to_contain_text("decides")


def test_no_press_brings_the_next_deal_before_its_time(tmp_path: Path, new_page: NewPage) -> None:
    with opened(tmp_path, round_min=5) as house:
        page = new_page()
        come_in(page, house, "maryland")
        bet_and_deal(page)
        page.wait_for_selector(CHOICES)
        dealt = time.monotonic()
        page.locator(CHOICES).last.click()
        settled(page)
        page.keyboard.press("n")
        page.wait_for_selector('[data-command="rebet"]:enabled')
        # No hand starts without a press.
        page.wait_for_timeout(1000)
        assert page.locator("play-card").count() == 0
        page.keyboard.press("r")
        page.wait_for_selector('[data-command="deal"]:enabled')
        page.keyboard.press("d")
        if time.monotonic() - dealt < 3:
            expect(page.locator(".says")).to_contain_text("The cards are coming.")
        page.wait_for_selector(CHOICES)
        assert time.monotonic() - dealt >= 4.5  # The page is told of the first deal a bit late.


def test_the_clock_says_what_it_did(tmp_path: Path, new_page: NewPage) -> None:
    with opened(tmp_path, decide=2) as house:
        page = new_page()
        player = come_in(page, house, "maryland")
        bet_and_deal(page)
        settled(page)
        [box] = house.last("maryland", player).boxes.values()
        did, clause = ("folded", "11.C") if box.folded else ("chose \u201cPlay\u201d", "11.B")
        says = page.locator(".says")
        expect(says).to_contain_text(
            re.compile(rf"You (win|lose|break even).*The clock {did} for you")
        )
        expect(says.locator("a")).to_have_text(clause)
        assert violations(page) == []
        says.locator("a").click()
        expect(page.locator(".card-dialog[open] h2")).to_contain_text(clause)


class Wire:
    """The socket of a page, which can hang, and whose frames can be changed."""

    def __init__(self, page: Page) -> None:
        self.hangs = False
        self.change: Callable[[dict[str, Any]], dict[str, Any]] = dict
        page.route_web_socket(re.compile("/socket"), self._join)

    def _join(self, client: WebSocketRoute) -> None:
        server, lost = client.connect_to_server(), list[str | bytes]()

        def passes(text: str | bytes) -> bool:
            """A connection that has lost a frame brings none after it."""
            if self.hangs or lost:
                lost.append(text)
            return not lost

        client.on_message(lambda text: server.send(text) if passes(text) else None)
        server.on_message(lambda text: client.send(self._changed(text)) if passes(text) else None)

    def _changed(self, text: str | bytes) -> str:
        return json.dumps(self.change(json.loads(text)))


@contextmanager
def within(seconds: float) -> Iterator[None]:
    begun = time.monotonic()
    yield
    assert time.monotonic() - begun <= seconds


def test_a_connection_that_hangs_is_noticed(house: House, new_page: NewPage) -> None:
    page = new_page()
    wire = Wire(page)
    come_in(page, house, "maryland")
    bet_and_deal(page)
    page.wait_for_selector(CHOICES)
    wire.hangs = True
    with within(10):
        expect(page.locator(".says")).to_contain_text("The connection is lost.")
    expect(page.locator("#spoken")).to_contain_text("The connection is lost.")
    assert page.locator(CHOICES).count() == 0
    expect(page.locator('[data-command="time"]')).to_be_disabled()
    assert violations(page) == []
    wire.hangs = False
    # The page waits for a player no longer than necessary.
    with within(6):
        page.wait_for_selector(CHOICES)
    expect(page.locator(".says")).to_contain_text("Play or fold?")
    assert decide(page) == 1
    settled(page)


def test_a_result_that_was_missed_is_shown(tmp_path: Path, new_page: NewPage) -> None:
    with opened(tmp_path, decide=8) as house:
        page = new_page()
        wire = Wire(page)
        player = come_in(page, house, "maryland")
        bet_and_deal(page)
        page.wait_for_selector(CHOICES)
        wire.hangs = True
        expect(page.locator(".says")).to_contain_text("The connection is lost.")
        wire.hangs = False
        says = page.locator(".says")
        expect(says).to_contain_text(re.compile("You (win|lose|break even)|your hand ended"))
        net = sum(line.net for line in house.last("maryland", player).lines)
        if net:  # Unless the hands tie.
            assert f"{abs(net) // 100}" in says.inner_text()
            expect(page.locator("#net")).not_to_have_text("$0")


def won(frame: dict[str, Any], net: str, row: int) -> dict[str, Any]:
    """Change a settlement: the first line has the stake of $5 and this row of a meter's table."""
    for box in (frame.get("scene") or {}).get("boxes", {}).values():
        if box and box["net"] is not None:
            box["net"] = net
            box["lines"] = [{**box["lines"][0], "stake": "5.00", "row": ["progressive", row]}]
    return frame


HAPPENED = """
() => {
  window.happened = [];
  document.querySelector("#table").addEventListener("happened", ({ detail }) =>
    window.happened.push([detail, document.querySelector(".says").dataset.tone]));
}
"""


@pytest.mark.parametrize(
    ("net", "row", "tone", "starts"),
    [
        ("1000.14", 0, "jackpot", "Jackpot! You win $1,000.14"),
        ("-2.00", 0, "loss", "You lose $2"),
        # messages.test.mjs sees every tone without a browser.
        pytest.param("60.00", 4, "big", "You win $60", marks=pytest.mark.long),
        pytest.param("5.00", 4, "win", "You win $5", marks=pytest.mark.long),
        pytest.param("0.00", 0, "even", "You break even", marks=pytest.mark.long),
    ],
)
def test_a_win_is_celebrated_above_the_stake_alone(
    net: str, row: int, tone: str, starts: str, house: House, new_page: NewPage
) -> None:
    page = new_page(moves=True)
    Wire(page).change = lambda frame: won(frame, net, row)
    come_in(page, house, "maryland")
    page.evaluate(HAPPENED)
    bet_and_deal(page)
    decide(page)
    settled(page)
    says = page.locator(".says")
    expect(says.locator(".text")).to_have_text(starts)
    assert says.get_attribute("data-tone") == tone
    style = says.locator(".saying").evaluate(
        "one => [getComputedStyle(one).animationName, getComputedStyle(one).backgroundImage]"
    )
    celebrated = tone in ("win", "big", "jackpot")
    # What sounds is seen already.
    wins = [["win", tone]] if celebrated else []
    assert page.evaluate("window.happened") == [["turn", ""], *wins]
    assert ("pop" in style[0], "gradient" in style[1]) == (celebrated, celebrated)
    assert ("glow" in style[0]) == (tone == "jackpot")
    # The meter that is won is lit, too.
    meter = page.locator(".meters > div").evaluate("one => getComputedStyle(one).boxShadow")
    assert ("60px" in meter) == (tone == "jackpot")
    assert page.get_attribute("felt-table", "data-win") == (
        tone if tone in ("big", "jackpot") else ""
    )


RUNNING = """
() => {
  window.ran = Object.fromEntries(["#balance", "#net", ".says .text"].map((one) => [one, []]));
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries())
      if (!hadRecentInput) window.shifts.push(value);
  }).observe({ type: "layout-shift" });
  const look = () => {
    for (const [selector, seen] of Object.entries(window.ran)) {
      const place = document.querySelector(selector);
      const { left, width } = place.getBoundingClientRect();
      const drawn = getComputedStyle(place, "::before").content;
      seen.push([place.textContent, place.dataset.run ?? null, drawn, left, width]);
    }
    requestAnimationFrame(look);
  };
  look();
}
"""


@pytest.mark.parametrize("moves", [True, False])
def test_sums_run_up_after_the_cards_have_told_it(
    moves: bool, house: House, new_page: NewPage
) -> None:
    """They do so in their place, and all that they are read as is what they come to."""
    page = new_page(moves=moves)
    wire = Wire(page)
    come_in(page, house, "maryland")
    bet_and_deal(page)
    page.wait_for_selector(CHOICES)
    before = page.inner_text("#balance")
    rich = {"type": "purse", "cents": 212_300}
    wire.change = lambda frame: won(frame | rich if "cents" in frame else frame, "1127.50", 4)
    page.evaluate(RUNNING)
    decide(page)
    settled(page)
    page.wait_for_timeout(1000)
    final = {"#balance": "$2,123", "#net": "+$1,127.50", ".says .text": "You win $1,127.50"}
    for selector, seen in page.evaluate("window.ran").items():
        texts = [text for text, *_ in seen]
        # It is read once, as it is in the end.
        assert texts[-1] == final[selector]
        assert len({text for text in texts if text not in (before, "$0")}) <= 4
        runs = [one for one in seen if one[1]]
        assert bool(runs) == moves
        assert {one[0] for one in runs} <= {final[selector]}
        sums = [int(re.sub(r"\D", "", run)) for _, run, *_ in runs]
        assert sums == sorted(sums) and len(set(sums)) >= 5 * moves
        assert all(run in drawn for _, run, drawn, *_ in runs)
        # Nothing moves where it is drawn; the banner itself pops, and that is no layout.
        if selector != ".says .text":
            assert len({(left, width) for *_, left, width in runs}) <= 1
    assert sum(page.evaluate("window.shifts")) < 0.001


def test_a_newcomer_starts_at_nothing(house: House, new_page: NewPage) -> None:
    """U15: what the last player at a seat won or lost isn't counted for the next one."""
    pages = [new_page() for _ in range(3)]
    first, newcomer = pages[0], new_page()
    for page in pages:
        come_in(page, house, "maryland")
    for page in pages:
        bet_and_deal(page)
    everybody_chooses(pages, which=1)
    settled(first)
    seat = first.locator(OWN).get_attribute("id")
    first.keyboard.press("m")
    first.locator('#drawer [data-command="leave"]').click()
    first.wait_for_selector('#dock[data-mode="sit"]')
    newcomer.goto(f"{house.url}/tables/maryland")
    newcomer.wait_for_selector('#dock[data-mode="guest"]')
    newcomer.keyboard.press("g")
    newcomer.wait_for_selector(f"{OWN}#{seat}")
    newcomer.wait_for_selector(OVER)
    newcomer.wait_for_timeout(500)
    assert newcomer.inner_text("#net") == "$0"
    assert newcomer.locator(BANNER).count() == 0
    assert newcomer.locator(f"{OWN} play-card").count() == 0
