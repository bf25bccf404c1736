"""What a press does, and what is said of it for how long."""

import re
from functools import partial

from playwright.sync_api import Page, expect

from tests.table_page.acts import CHOICES, OWN, bet_everywhere, come_in, until_bets
from tests.table_page.conftest import NewPage
from tests.table_page.house import House

TWICE = """
(key) => {
  for (const _ of [1, 2]) document.dispatchEvent(new KeyboardEvent("keydown", { key }));
}
"""


def spot(page: Page, label: str) -> None:
    page.locator(f'{OWN} bet-spot[open] button[aria-label^="{label}:"]').click()


def test_a_key_of_a_choice_means_nothing_else(house: House, new_page: NewPage) -> None:
    """While a choice is being sent, its key doesn't open what that key opens at other times."""
    page = new_page()
    come_in(page, house, "ride")
    until_bets(page)
    bet_everywhere(page)
    page.keyboard.press("d")
    page.wait_for_selector(CHOICES)
    key = page.inner_text("#decisions .choice kbd").lower()
    page.evaluate(TWICE, key)
    page.wait_for_timeout(1000)
    assert page.locator("dialog[open]").count() == 0


def test_a_refusal_is_gone_when_the_table_goes_on(house: House, new_page: NewPage) -> None:
    page = new_page()
    come_in(page, house, "maryland")
    until_bets(page)
    says = page.locator(".says")
    wagers = house.galleries["maryland"].felt["wagers"]
    first, needy = wagers[0]["label"], next(w["label"] for w in wagers if w["needs"])
    spot(page, needy)
    expect(says).to_have_attribute("data-tone", "fault")
    spot(page, first)
    expect(says).to_contain_text("Place your bets.")
    # A third box, or one that isn't beside the player's own, is refused.
    page.evaluate(
        "document.querySelector('felt-table').dispatchEvent(new CustomEvent('sit', { detail: 1 }))"
    )
    expect(says).to_have_attribute("data-tone", "fault")
    page.keyboard.press("d")
    page.wait_for_selector(CHOICES)
    expect(says).to_contain_text("Play or fold?", timeout=2000)


def test_a_result_is_masked_by_nothing_older(house: House, new_page: NewPage) -> None:
    page = new_page(moves=True)
    come_in(page, house, "maryland")
    until_bets(page)
    bet_everywhere(page)
    page.keyboard.press("d")
    page.wait_for_selector(CHOICES)
    page.locator(CHOICES).last.click()
    page.wait_for_selector('felt-table:is([data-phase="settle"], [data-phase="over"])')
    page.evaluate(
        "document.querySelector('felt-table').dispatchEvent(new CustomEvent('sit', { detail: 1 }))"
    )
    expect(page.locator(".says")).to_have_attribute("data-tone", "fault")
    # A note is read for eight seconds, unless there is more to tell.
    result = re.compile("win|big|jackpot|loss|even")
    expect(page.locator(".says")).to_have_attribute("data-tone", result, timeout=6000)


def test_a_press_that_does_less_says_so(house: House, new_page: NewPage) -> None:
    page = new_page()
    come_in(page, house, "maryland")
    until_bets(page)
    felt = house.galleries["maryland"].felt
    free = [one for one in felt["wagers"] if one["limits"] and not one["needs"]]
    wager = min(free, key=lambda one: float(one["limits"][1]))
    page.keyboard.press(str(len(felt["chips_cents"])))
    most = f"{wager['label']} takes at most ${float(wager['limits'][1]):,.0f}."
    for _ in range(2):
        spot(page, wager["label"])
        expect(page.locator(".says")).to_contain_text(most)
        page.keyboard.press("c")
        expect(page.locator(f"{OWN} chip-stack .sum")).to_have_count(0)


def test_a_sum_that_cannot_be_read_is_not_sent(house: House, new_page: NewPage) -> None:
    page = new_page()
    come_in(page, house, "california")
    page.wait_for_selector('#dock[data-mode="bank"]')
    says, enter = page.locator(".says"), partial(page.press, "#funds", "Enter")
    expect(says).to_contain_text("Will you bank?You pay wins and collect losses.")
    for typed, press in (("abc", page.locator('[data-command="bank"]').click), ("300b", enter)):
        page.fill("#funds", typed)
        press()
        expect(says).to_have_text(f"“{typed}” isn't a sum.Type a sum in dollars, such as 200.")
        expect(page.locator("#funds")).to_be_focused()
