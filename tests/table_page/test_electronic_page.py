"""The electronic version in the browser: players bet and decide, a dealer does the rest (11.F)."""

from pathlib import Path

from tests.table_page.acts import bet_everywhere, come_in
from tests.table_page.conftest import NewPage, violations
from tests.table_page.house import opened
from tests.table_page.test_console_page import TABLET, come, go_on

ELECTRONIC = """
[[table]]
id = "nine"
rulebook = "maryland-three-card-poker"
things = ["dealer"]
[table.selections]
format = "electronic"
"""


def test_a_round_on_a_shared_hand_with_a_dealer(tmp_path: Path, new_page: NewPage) -> None:
    with opened(tmp_path, more=ELECTRONIC) as house:
        player, dealer = new_page(), new_page(TABLET)
        come_in(player, house, "nine")
        come(dealer, house, "Dee Ash", "dealer", "nine")
        dealer.keyboard.press("h")
        dealer.get_by_role("button", name="Tap in as dealer").press("Enter")
        dealer.keyboard.press("Escape")
        go_on(dealer, "bets", lambda: dealer.keyboard.press(" "))
        player.select_option("#hand", "2")
        assert bet_everywhere(player) == 2
        go_on(dealer, "decide", lambda: dealer.keyboard.press(" "))
        assert violations(player) == []
        player.locator("[data-command=option-play]").click()
        go_on(dealer, "over", lambda: dealer.keyboard.press(" "))
        player.wait_for_selector('#dock[data-mode="result"]')
        assert "Dee Ash: The round is over." in dealer.inner_text("#tape")
