"""A round with fingers alone: whatever is pressed is large enough for one."""

import pytest
from playwright.sync_api import Page, expect

from tests.pages.browser import PHONE
from tests.table_page.acts import (
    CHOICES,
    OWN,
    bet_everywhere,
    choices_are_live,
    come_in,
    settled,
    until_bets,
)
from tests.table_page.conftest import NewPage
from tests.table_page.house import House

FINGER = 44
"""How wide and high a target is at least, in CSS pixels (WCAG 2.5.5)."""

SMALL = """
finger => {
  const open = document.querySelector("dialog[open]") ?? document;
  const all = [...open.querySelectorAll("a, button, input, select, summary")];
  return all.flatMap((one) => {
    const pressed = one.closest("label") ?? one;
    const box = pressed.getBoundingClientRect();
    const seen = box.width > 1 && one.checkVisibility({ visibilityProperty: true })
      && !one.disabled && !one.closest(".skip, .unseen");
    const small = Math.min(box.width, box.height) < finger - 0.5;
    const told = `${one.className} ${one.textContent}: ${box.width} x ${box.height}`;
    return seen && small ? [told] : [];
  });
}
"""


def small(page: Page) -> list[str]:
    """What can be pressed and is smaller than a finger."""
    assert page.evaluate("matchMedia('(pointer: coarse)').matches")
    found: list[str] = page.evaluate(SMALL, FINGER)
    return found


@pytest.mark.parametrize("size", [PHONE, (320, 568), (844, 390)])
def test_a_round_by_touch(size: tuple[int, int], house: House, new_page: NewPage) -> None:
    page = new_page(size, has_touch=True, is_mobile=True)
    page.goto(house.url)
    assert small(page) == []
    come_in(page, house, "maryland")
    until_bets(page)
    assert small(page) == []
    page.locator(f"{OWN} bet-spot[open] button").first.tap()
    expect(page.locator(f"{OWN} .sum")).to_have_count(1)
    page.locator('[data-command="undo"]').tap()
    expect(page.locator(f"{OWN} .sum")).to_have_count(0)
    bet_everywhere(page)
    page.locator('[data-command="deal"]').tap()
    choices_are_live(page)
    assert small(page) == []
    page.locator(CHOICES).first.tap()
    settled(page)
    assert small(page) == []
    page.locator('.result [data-command="lines"]').tap()
    page.locator("#drawer .cite").first.tap()
    page.wait_for_selector("dialog:not(#drawer)[open]")
    assert small(page) == []
    page.keyboard.press("Escape")
    assert small(page) == []
    for command in ("rules", "you", "name", "sound", "settings"):
        page.evaluate("document.querySelector('dialog[open]')?.close()")
        page.locator('.tools [data-command="menu"]').tap()
        chosen = page.locator(f'#drawer [data-command="{command}"]')
        chosen.wait_for()
        assert small(page) == []
        chosen.tap()
        chosen.wait_for(state="hidden")
        page.wait_for_selector("dialog[open] :is(.pays, .tally, input)", timeout=20_000)
        assert small(page) == [], command
    page.evaluate("document.querySelector('dialog[open]').close()")
    page.locator('[data-command="next"]').tap()
    page.wait_for_selector('#dock[data-mode="bets"]')
    for path in ("/history", "/account"):
        page.goto(f"{house.url}{path}")
        assert small(page) == [], path
