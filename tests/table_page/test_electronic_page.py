"""The electronic version in the browser: players bet and decide, a dealer does the rest (11.F)."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browser import resize
from tests.table_page.acts import OWN, come_in
from tests.table_page.conftest import NewPage, violations
from tests.table_page.house import House, opened
from tests.table_page.in_view import SIZES, out_of_view
from tests.table_page.test_console_page import TABLET, come, go_on

ELECTRONIC = """
[[table]]
id = "nine"
rulebook = "maryland-three-card-poker"
things = ["dealer"]
practice = true
bots = 3
[table.selections]
format = "electronic"
progressive = "A"
six_card_bonus = "A"
adjacent_boxes = 3
"""
HANDS = ("shared-hand play-card", ".places play-card", ".says .text")
BETS = (f"{OWN} bet-spot .circle", ".tray .chip", '[data-command="deal"]', ".says .text")
DECIDE = (*HANDS, "#decisions .choice", "shared-hand[mine] .called")
RESULT = (*HANDS, "shared-hand .called", f"{OWN} .circle", f"{OWN} .got", '[data-command="next"]')
PRINTED = """() => ({
  cards: [...document.querySelectorAll('shared-hand')].map((one) =>
    one.querySelectorAll('.hand > *').length),
  own: document.querySelectorAll('.own .ghost, .own play-card, .seats .ghost').length,
  pays: document.querySelector('felt-table').dataset.pays,
  cut: [...document.querySelectorAll('.meters > div > *')]
    .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent),
})"""
IN_A_ROW = """() => {
  const of = (one) => one.getBoundingClientRect();
  const hands = [...document.querySelectorAll('shared-hand')].map(of);
  const [bank] = [...document.querySelectorAll('.places .hand')].map(of);
  const wrong = [];
  hands.forEach((one, n) => {
    const next = hands[n + 1];
    if (next && (next.left < one.right || Math.abs(next.top - one.top) > 1)) wrong.push(`row ${n}`);
    if (one.top < bank.bottom && one.left < bank.right) wrong.push(`hand ${n + 1} meets the bank`);
    for (const card of document.querySelectorAll('shared-hand')[n].querySelectorAll('.hand > *')) {
      const { left, right, top, bottom } = of(card);
      if (left < one.left - 1 || right > one.right + 1 || top < one.top || bottom > one.bottom + 1)
        wrong.push(`a card leaves hand ${n + 1}`);
      if (bottom - top < 24) wrong.push(`a card of hand ${n + 1} is too small`);
    }
  });
  return wrong;
}"""
"""What is wrong with three hands beside each other, each around its own cards."""
LAID = """() => {
  const felt = document.querySelector('#work').getBoundingClientRect();
  const hands = [...document.querySelectorAll('.hands .held')].map((one) => [
    one.getBoundingClientRect(), one.textContent]);
  return hands.length !== 3 ? ['not three hands'] : hands.filter(([box], n) =>
    box.left < felt.left || box.right > felt.right || box.bottom > felt.bottom
    || (n && box.left < hands[n - 1][0].right)).map(([, text]) => text);
}"""
"""The hands on a console that leave its felt, or lie on each other."""
LONGEST = """() => {
  const called = [...document.querySelectorAll('.places figcaption b, shared-hand .called')];
  for (const one of called) one.innerHTML = 'Seven high <span class="ranks">7-5-3</span>';
  document.querySelector('.places figcaption i').textContent = 'does not play';
}"""
"""Give the hands names that are as long as any of what lies there most often."""
NAMED = """() => {
  for (const one of document.querySelectorAll('.hands .held b')) one.textContent = 'Straight 5-4-3';
}"""
"""Give the hands on a console names of the same length, whatever was dealt."""
FULL = {(1440, 900): 80, (1280, 720): 60, (1180, 820): 60, (390, 844): 50}
"""Where the paytables are printed, and how high the cards of the hands are at least."""


def looks(page: Page, state: str, selectors: tuple[str, ...], *, boxes: int) -> list[str]:
    """Return what is wrong with the felt at every size: covered, cut or out of its hand."""
    wrong = out_of_view(page, state, selectors)
    for size in SIZES:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done, 30)))")
        wrong += [f"{size} {state}: {one}" for one in page.evaluate(IN_A_ROW)]
        printed = page.evaluate(PRINTED)
        assert printed["cards"] == [3, 3, 3]
        assert printed["cut"] == [], size
        assert printed["own"] == 0  # A seat has no cards of its own.
        if boxes == 1:
            assert (printed["pays"] == "full") == (size in FULL), size
            box = page.locator("shared-hand .hand > *").first.bounding_box()
            assert box and box["height"] >= FULL.get(size, 30), (size, box)
    page.set_viewport_size({"width": 1280, "height": 900})
    return wrong


def sit(player: Page, dealer: Page, house: House, *, boxes: int) -> None:
    """Open betting at the table, with a player at as many seats beside each other."""
    come_in(player, house, "nine")
    come(dealer, house, "Dee Ash", "dealer", "nine")
    dealer.keyboard.press("h")
    dealer.get_by_role("button", name="Tap in as dealer").press("Enter")
    dealer.keyboard.press("Escape")
    go_on(dealer, "bets", lambda: dealer.keyboard.press(" "))
    player.wait_for_selector('#dock[data-mode="bets"]')
    for taken in range(1, boxes):
        player.locator(".seats .sit:enabled").first.click()
        expect(player.locator(OWN)).to_have_count(taken + 1)


@pytest.mark.parametrize("boxes", [1, 2, 3])
def test_a_round_on_shared_hands_is_in_view(boxes: int, tmp_path: Path, new_page: NewPage) -> None:
    with opened(tmp_path, more=ELECTRONIC) as house:
        player, dealer = new_page(), new_page(TABLET)
        sit(player, dealer, house, boxes=boxes)
        if boxes == 1:
            player.get_by_role("button", name="Bet on hand 2").click()
        for seat in player.locator(OWN).all():
            # A progressive win would stop its seat until a floorperson comes (11.D(7)(c)).
            for spot in seat.locator("bet-spot[open]").filter(has_not_text="Progressive").all():
                spot.locator("button").click()
                expect(spot.locator("chip-stack .sum")).to_be_visible()
        wrong = looks(player, "bets", BETS, boxes=boxes)
        assert violations(player) == []
        go_on(dealer, "decide", lambda: dealer.keyboard.press(" "))
        round = house.table("nine").place.standing.in_play
        assert round is not None
        mine = [box.stakes for box in round.boxes.values() if box.player.startswith("p-")]
        assert [{*stakes} for stakes in mine] == [{"ante", "pair_plus", "six_card_bonus"}] * boxes
        for _ in range(boxes):
            player.wait_for_selector("#decisions .choice:enabled")
            wrong += looks(player, "decide", DECIDE, boxes=boxes)
            step = player.locator("#decisions .choice").first.element_handle()
            player.locator("[data-command=option-play]").click()
            player.wait_for_function("step => !step.isConnected || step.disabled", arg=step)
        steps = go_on(dealer, "settle", lambda: dealer.keyboard.press(" "))
        wrong += looks(player, "settle", HANDS, boxes=boxes)
        steps += go_on(dealer, "over", lambda: dealer.keyboard.press(" "))
        player.wait_for_selector('#dock[data-mode="result"]')
        player.evaluate(LONGEST)
        wrong += looks(player, "result", RESULT, boxes=boxes)
        assert violations(player) == []
        assert wrong == []
        tape = dealer.inner_text("#tape")
        assert "Dee Ash: The round is over." in tape and "Hand 1 shows" in tape
        assert {f"Turn the cards up: hand {hand}." for hand in (1, 2, 3)} & {*steps}
        assert dealer.inner_text("#staked") == "$0 staked"  # All of it is taken, paid or left.
        for size in (TABLET, (820, 1180), (1440, 900), (390, 844)):
            resize(dealer, size)
            dealer.evaluate(NAMED)
            assert dealer.evaluate(LAID) == [], size


def test_bets_move_to_the_hand_that_is_pressed(tmp_path: Path, new_page: NewPage) -> None:
    with opened(tmp_path, more=ELECTRONIC) as house:
        player, dealer = new_page(), new_page(TABLET)
        sit(player, dealer, house, boxes=1)
        [seat] = (int(str(one.get_attribute("id"))[5:]) for one in player.locator(OWN).all())
        expect(player.locator("shared-hand[mine]")).to_have_attribute("aria-label", "Hand 1, yours")
        for spot in player.locator(f"{OWN} bet-spot[open]").all()[:2]:
            spot.locator("button").click()
            expect(spot.locator("chip-stack .sum")).to_be_visible()
        player.get_by_role("button", name="Bet on hand 3").press("Enter")
        player.wait_for_selector("shared-hand:nth-child(3)[mine]")
        expect(player.locator(f"{OWN} .circle > chip-stack:not(.paid) .sum")).to_have_count(2)
        box = house.table("nine").place.standing.in_play
        assert box is not None and box.boxes[seat].hand == 3
        assert set(box.boxes[seat].stakes) == {"ante", "pair_plus"}
        go_on(dealer, "decide", lambda: dealer.keyboard.press(" "))
        expect(player.get_by_role("button", name="Bet on hand")).to_have_count(0)
        cards = player.locator("shared-hand[mine] play-card")
        expect(cards).to_have_count(3)
        assert all(cards.evaluate_all("all => all.map((one) => one.getAttribute('code'))"))
        # Its own cards are said as well as shown.
        expect(player.locator("#spoken")).to_contain_text(re.compile("You have (.* of ){3}"))


def test_each_seat_of_a_player_has_a_hand_of_its_own(tmp_path: Path, new_page: NewPage) -> None:
    with opened(tmp_path, more=ELECTRONIC) as house:
        player, dealer = new_page(), new_page(TABLET)
        sit(player, dealer, house, boxes=2)
        first, second = player.locator(f"{OWN} select.on").all()
        assert [first.input_value(), second.input_value()] == ["1", "2"]
        second.select_option("3")
        for seat in player.locator(OWN).all():
            seat.locator("bet-spot[open] button").first.click()
        expect(player.locator("shared-hand[mine]")).to_have_count(2)
        expect(player.locator(f"{OWN} .circle > chip-stack:not(.paid) .sum")).to_have_count(2)
        round = house.table("nine").place.standing.in_play
        assert round is not None
        mine = [box for box in round.boxes.values() if box.player.startswith("p-")]
        assert [box.hand for box in mine] == [1, 3]
