"""What a press does, and what is said of it for how long."""

from tests.table_page.acts import CHOICES, bet_everywhere, come_in, until_bets
from tests.table_page.conftest import NewPage
from tests.table_page.house import House

TWICE = """
(key) => {
  for (const _ of [1, 2]) document.dispatchEvent(new KeyboardEvent("keydown", { key }));
}
"""


def test_a_key_of_a_choice_means_nothing_else(house: House, new_page: NewPage) -> None:
    """While a choice is on its way, its key does not open what has the same key otherwise."""
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
