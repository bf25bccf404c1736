#!/usr/bin/env python3
"""Photograph every state of every table at every size, in both schemes, onto contact sheets.

    .venv/bin/python tools/contact_sheet.py [FOLDER] [--table ID] [--size 1440x900] [--scheme dark]
                                            [--bots 7] [--seats 8] [--state decide]

One sheet a table, scheme and size is written, and every picture on its own. A real server deals, a
real Chromium looks; a person looks at the sheets and says what is ugly, unclear or dull.
"""

import argparse
import html
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page  # noqa: E402

from tests.pages.browser import SCHEMES, Scheme, open_browser  # noqa: E402
from tests.table_page.acts import (  # noqa: E402
    OWN,
    bet_everywhere,
    choices_are_live,
    come_in,
    decide,
    hold,
    settled,
    until_bets,
)
from tests.table_page.house import IDS, House, opened  # noqa: E402
from tests.table_page.in_view import SIZES  # noqa: E402
from tests.table_page.test_result import Wire, won  # noqa: E402

CELEBRATED = {"big": ("60.00", 4), "jackpot": ("1000.14", 0)}


def states(page: Page, house: House, table: str) -> Iterator[str]:
    """Play rounds, and stop at every state that has to look well."""
    wire = Wire(page)
    page.goto(f"{house.url}/tables/{table}")
    page.wait_for_selector('#dock[data-mode="guest"]')
    yield "watch"
    come_in(page, house, table)
    page.wait_for_selector('#dock:is([data-mode="bets"], [data-mode="bank"], [data-mode="wait"])')
    if page.get_attribute("#dock", "data-mode") == "bank":
        yield "offer"
        page.locator('[data-command="bank"]').click()
        settled(page)
        yield "banked"
    until_bets(page)
    yield "bet"
    page.locator("[data-newcomer]").click()
    page.wait_for_selector(".guided")
    yield "guide"
    page.locator(".first-hand button").click()
    # A wager that needs another one, by itself.
    page.locator(f"{OWN} bet-spot[open] button").last.click()
    page.wait_for_timeout(300)
    yield "refused"
    page.keyboard.press("c")
    yield from states_of_a_round(page)
    for key, state in (("l", "lines"), ("i", "rules"), ("y", "visit"), ("m", "menu")):
        page.keyboard.press(key)
        page.wait_for_selector("#drawer[open]")
        yield state
        page.keyboard.press("Escape")
    yield from states_of_two_boxes(page)
    for state, (net, row) in CELEBRATED.items():
        until_bets(page)
        wire.change = partial(won, net=net, row=row)
        yield from (state for state in states_of_a_round(page, f"{state}_") if "result" in state)


def states_of_two_boxes(page: Page) -> Iterator[str]:
    """Play a round with two boxes, where a second seat is free."""
    until_bets(page)
    seats = page.locator(".seats .sit:enabled")
    if not seats.count():
        return
    seats.first.click()
    page.wait_for_selector('.own[data-boxes="2"] bet-spot[open]')
    yield from states_of_a_round(page, "two_")


def states_of_a_round(page: Page, before: str = "") -> Iterator[str]:
    """Bet everywhere, decide, and see the result."""
    bet_everywhere(page)
    yield f"{before}placed"
    page.keyboard.press("d")
    choices_are_live(page)
    yield f"{before}decide"
    decide(page)
    settled(page)
    yield f"{before}result"


def states_of_a_late_player(page: Page, house: House, table: str) -> Iterator[str]:
    """Let the clock choose."""
    come_in(page, house, table)
    until_bets(page)
    bet_everywhere(page)
    page.keyboard.press("d")
    settled(page)
    hold(page)
    yield "timed-out"


Played = Callable[[Page, House, str], Iterator[str]]


Taken = dict[tuple[Scheme, str], list[Path]]
"""Pictures by their scheme and size."""


def photograph(page: Page, house: House, table: str, played: Played) -> Taken:
    """Take all pictures of a table: one round, looked at in every scheme and size."""
    folder: Path = ARGUMENTS.folder
    taken: Taken = {}
    for state in played(page, house, table):
        if ARGUMENTS.state and state not in ARGUMENTS.state:
            continue
        for scheme in ARGUMENTS.scheme:
            page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
            for width, height in ARGUMENTS.size:
                page.set_viewport_size({"width": width, "height": height})
                page.wait_for_timeout(120)
                size = f"{width}x{height}"
                picture = folder / f"{table}-{size}-{state}-{scheme}.png"
                taken.setdefault((scheme, size), []).append(picture)
                page.screenshot(path=picture)
        page.set_viewport_size({"width": 1280, "height": 900})
    return taken


def lay_out(browser: Browser, pictures: list[Path], sheet: Path) -> None:
    """Put pictures onto a sheet."""
    figures = "".join(
        f'<figure><img src="{html.escape(file.name)}">'
        f"<figcaption>{html.escape(file.stem)}</figcaption></figure>"
        for file in pictures
    )
    style = "body{display:flex;flex-wrap:wrap;gap:12px;margin:12px;font:14px sans-serif}"
    style += "figure{margin:0}img{height:300px;border:1px solid #888}"
    page = browser.new_page(viewport={"width": 1900, "height": 900})
    written = sheet.with_suffix(".html")
    written.write_text(f"<style>{style}</style>{figures}")
    page.goto(written.resolve().as_uri())
    page.screenshot(path=sheet, full_page=True)
    page.close()


def size(text: str) -> tuple[int, int]:
    width, _, height = text.partition("x")
    return int(width), int(height)


def main() -> None:
    folder: Path = ARGUMENTS.folder
    folder.mkdir(parents=True, exist_ok=True)
    rounds: list[tuple[Played, float]] = [(states, 60), (states_of_a_late_player, 3)]
    with open_browser() as browser:
        for table in ARGUMENTS.table:
            taken: Taken = {}
            for one in rounds:
                for key, pictures in play(browser, table, *one).items():
                    taken.setdefault(key, []).extend(pictures)
            for (scheme, size), pictures in taken.items():
                sheet = folder / f"sheet-{table}-{size}-{scheme}.png"
                lay_out(browser, pictures, sheet)
                print(sheet)


def play(browser: Browser, table: str, played: Played, decide_s: float) -> Taken:
    """Photograph what is played at a table of a house of its own."""
    how = {"bots": ARGUMENTS.bots, "seats": ARGUMENTS.seats, "pause": 15, "decide": decide_s}
    with tempfile.TemporaryDirectory() as store, opened(Path(store), **how) as house:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(90_000)  # Others at a table have a minute for a result.
        taken = photograph(page, house, table, played)
        page.close()
        return taken


parser = argparse.ArgumentParser(description=__doc__)
parser.add_argument("folder", type=Path, nargs="?", default=Path("contact-sheets"))
parser.add_argument("--table", action="append", choices=IDS)
parser.add_argument("--size", action="append", type=size)
parser.add_argument("--scheme", action="append", choices=SCHEMES)
parser.add_argument(
    "--bots", type=int, default=5, help="how many of the house's players sit at each table"
)
parser.add_argument("--seats", type=int, default=0, help="how many seats each table has")
parser.add_argument("--state", action="append", help="photograph this state and no other")
ARGUMENTS = parser.parse_args()
ARGUMENTS.table = ARGUMENTS.table or IDS
ARGUMENTS.size = ARGUMENTS.size or SIZES
ARGUMENTS.scheme = ARGUMENTS.scheme or SCHEMES

if __name__ == "__main__":
    main()
