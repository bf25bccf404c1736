"""What people do at a table page, in a browser."""

from typing import Any

from playwright.sync_api import Page, expect

from tests.table_page.house import House

OWN = ".own:not([printed]) player-seat"
CHOICES = "#decisions .choice:enabled"
OVER = 'felt-table[data-phase="over"]'
BANNER = ", ".join(f".says[data-tone={tone}]" for tone in ("win", "big", "jackpot", "loss", "even"))


def come_in(page: Page, house: House, table: str) -> str:
    """Press Play in the lobby, and return the player's id."""
    page.goto(house.url)
    page.locator(f'.tables [data-play="{table}"]').click()
    page.wait_for_url(f"**/tables/{table}?play")
    page.wait_for_selector(OWN)
    return str(page.evaluate("fetch('/api/me').then(r => r.json())")["person"]["id"])


def until_bets(page: Page) -> None:
    """Let others bank until bets can be made; where nobody else can, bank no round."""
    modes = ("bets", "bank", "wait", "result")
    anything = ", ".join(f'#dock[data-mode="{mode}"]' for mode in modes)
    while True:
        page.wait_for_selector(anything)
        mode = page.get_attribute("#dock", "data-mode")
        if mode == "bets":
            break
        if mode in ("bank", "result"):
            command = "pass" if mode == "bank" else "next"
            # A press that comes too late does nothing.
            page.evaluate("id => document.querySelector(`[data-command=${id}]`).click()", command)
        page.wait_for_function(
            "mode => document.querySelector('#dock').dataset.mode !== mode", arg=mode
        )
    page.wait_for_selector(f"{OWN} bet-spot[open] button")


def bet_everywhere(page: Page) -> int:
    """Put a chip on every open wager, and return how many stand."""
    spots = page.locator(f"{OWN} bet-spot[open]")
    wagers: list[str] = []
    for spot in spots.all():
        if spot.locator("chip-stack .sum").count():
            continue  # Another spot of the same wager.
        spot.locator("button").click()
        expect(spot.locator("chip-stack .sum")).to_be_visible()
        wagers.append(spot.inner_text())
    return len(wagers)


def bet_and_deal(page: Page) -> None:
    """Bet on the first spot, and deal once the table takes it."""
    page.locator(f"{OWN} bet-spot[open] button").first.click()
    page.wait_for_selector('[data-command="deal"]:enabled')
    page.keyboard.press("d")


def choices_are_live(page: Page) -> None:
    """Wait until the player may choose: then all cards have been dealt."""
    page.wait_for_selector(CHOICES)


def decide(page: Page, which: int = 0) -> int:
    """Take the same choice until the round is over, and return how often."""
    times = 0
    while True:
        page.wait_for_selector(f"{CHOICES}, {OVER}")
        if page.locator(OVER).count():
            return times
        button = page.locator(CHOICES).nth(which)
        step = page.locator("#decisions .choice").first.element_handle()
        button.click()
        times += 1
        page.wait_for_function("step => !step.isConnected || step.disabled", arg=step)


def settled(page: Page) -> None:
    """Wait until all that is over is shown to be."""
    page.wait_for_selector(f"{OVER} :is({BANNER})")


def hold(page: Page) -> None:
    """Keep the result where the next round may take its place."""
    if page.locator('[data-command="hold"]:enabled').count():
        page.keyboard.press("h")


def record(page: Page, house: House, round: str) -> dict[str, Any]:
    answer = page.request.get(f"{house.url}/rounds/{round}.json")
    assert answer.ok
    found: dict[str, Any] = answer.json()
    return found


def is_seen(page: Page, selector: str) -> None:
    """Every one of them has a box of some size inside of the page, and is not hidden."""
    width = page.viewport_size["width"] if page.viewport_size else 0
    found = page.locator(selector).all()
    assert found, selector
    for one in found:
        box = one.bounding_box()
        assert box is not None, selector
        assert box["width"] >= 12 and box["height"] >= 12, (selector, box)
        assert box["x"] >= 0 and box["x"] + box["width"] <= width + 1, (selector, box)
        assert one.evaluate("e => getComputedStyle(e).visibility") == "visible"
