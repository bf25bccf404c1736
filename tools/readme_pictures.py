#!/usr/bin/env python3
"""Photograph what the README shows, as it looks now: two tables, a phone and a dealer's console.

    .venv/bin/python tools/readme_pictures.py [--only table]

Rounds are played until one shows what there is to see. A real server deals, so the cards differ
every time; look at the pictures before you commit them.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from playwright.sync_api import Browser, Page  # noqa: E402

from croupier.server import bots  # noqa: E402
from tests.pages.browser import PHONE, Scheme, open_browser  # noqa: E402
from tests.table_page.acts import (  # noqa: E402
    bet_everywhere,
    choices_are_live,
    come_in,
    decide,
    settled,
    until_bets,
)
from tests.table_page.house import House, opened  # noqa: E402
from tests.table_page.trainee import act, next_of, wait  # noqa: E402
from tools.walk_shift import BOOK, begin, told  # noqa: E402

FOLDER = ROOT / "docs/images"
ROUNDS_MAX = 100
LIT = 3
"""How many rows of paytables a winning round lights that is worth a picture."""
WON = 20
"""And how many dollars it wins, with $5 on every wager."""
WIN = """
() => {
  const net = Number(document.querySelector(".says .text").textContent.replace(/.*\\$/, ""));
  const lit = document.querySelectorAll(".own .odds [hit]").length;
  return document.querySelector(".says[data-tone=win]") ? [net, lit] : [0, 0];
}
"""


def take(page: Page, name: str, size: tuple[int, int], scheme: Scheme = "light") -> None:
    """Photograph a page in this size and scheme."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.set_viewport_size({"width": size[0], "height": size[1]})
    page.wait_for_timeout(500)
    picture = FOLDER / f"{name}.jpg"
    page.screenshot(path=picture, type="jpeg", quality=82)
    print(picture.relative_to(ROOT))


def deal(page: Page) -> None:
    until_bets(page)
    bet_everywhere(page)
    page.keyboard.press("d")
    choices_are_live(page)


def a_win(page: Page, house: House) -> None:
    """Play until several wagers of one hand win, and show it on a desktop and on a phone."""
    come_in(page, house, "maryland")
    for _ in range(ROUNDS_MAX):
        deal(page)
        decide(page)
        settled(page)
        won, lit = page.evaluate(WIN)
        if won >= WON and lit >= LIT:
            take(page, "table", (1440, 900))
            take(page, "phone", PHONE)
            return
        page.keyboard.press("n")
    raise SystemExit("No round was worth a picture.")


def a_choice(page: Page, house: House) -> None:
    """Play until a pair asks to be let ride."""
    come_in(page, house, "ride")
    for _ in range(ROUNDS_MAX):
        deal(page)
        if page.locator(".own .called").inner_text().startswith("Pair"):
            take(page, "ride", (1280, 720), "dark")
            return
        decide(page, which=1)
        settled(page)
        page.keyboard.press("n")
    raise SystemExit("No hand was worth a picture.")


def a_settlement(page: Page, house: House) -> None:
    """Deal on the console until a seat is both collected from and paid."""
    size = (1366, 1024)
    page.set_viewport_size({"width": size[0], "height": size[1]})
    practice = begin(page, house, BOOK, real=True, hints=True)
    for _ in range(ROUNDS_MAX * 10):
        wait(page)
        says = page.inner_text("#step")
        if ": take $" in says and ", pay $" in says:
            take(page, "console", size)
            return
        now, number = next_of(page, practice), practice.table.number
        if now.kind == "wait":
            page.wait_for_timeout(50)
            continue
        act(page, practice, now)
        told(page, practice, number)
    raise SystemExit("No settlement was worth a picture.")


Shown = Callable[[Page, House], None]
SHOWN: dict[str, tuple[Shown, int]] = {
    "table": (a_win, 5),
    "ride": (a_choice, 5),
    "console": (a_settlement, 0),
}
"""What is shown, and how many of the house's players sit there."""


def photograph(browser: Browser, shown: Shown, players: int) -> None:
    with (
        tempfile.TemporaryDirectory() as store,
        opened(Path(store), bots=players, pause=1) as house,
    ):
        page = browser.new_page(viewport={"width": 1440, "height": 900}, reduced_motion="reduce")
        page.set_default_timeout(60_000)
        shown(page, house)
        page.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", action="append", choices=SHOWN, help="take this picture only")
    chosen = parser.parse_args().only or SHOWN
    bots.THINKS_S = 0.05
    with open_browser() as browser:
        for name in chosen:
            photograph(browser, *SHOWN[name])


if __name__ == "__main__":
    main()
