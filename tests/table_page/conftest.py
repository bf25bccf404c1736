"""A real Chromium for the tests of a file, and a server for each."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page

from tests.pages.browser import DESKTOP, SCHEMES, WAIT_MS, draw_little, open_browser
from tests.pages.browser import violations as axe
from tests.table_page.house import House, opened

NewPage = Callable[..., Page]
# A refusal by the server is no fault of a script, nor is a network that a test takes away.
NO_FAULTS = ("Failed to load resource", "net::ERR_INTERNET_DISCONNECTED")


@pytest.fixture(scope="module")  # While it runs, no other test of this process may use asyncio.
def browser() -> Iterator[Browser]:
    with open_browser() as one:
        yield one


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    with opened(tmp_path) as one:
        yield one


@pytest.fixture
def new_page(browser: Browser) -> Iterator[NewPage]:
    """Open a page of somebody's own; what goes wrong in its scripts fails the test.

    Where a test isn't about motion nothing moves: drawing what does is most of a browser's work.
    """
    contexts: list[BrowserContext] = []
    faults: list[str] = []

    def heard(said: ConsoleMessage) -> None:
        if said.type == "error":
            faults.append(said.text)

    def open_one(size: tuple[int, int] = DESKTOP, *, moves: bool = False, **options: Any) -> Page:
        context = browser.new_context(
            viewport={"width": size[0], "height": size[1]},
            reduced_motion="no-preference" if moves else "reduce",
            **options,
        )
        contexts.append(context)
        page = context.new_page()
        draw_little(page)
        page.set_default_timeout(WAIT_MS)
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", heard)
        return page

    yield open_one
    for context in contexts:
        context.close()
    assert [one for one in faults if not any(told in one for told in NO_FAULTS)] == []


def violations(page: Page) -> list[str]:
    """What a screen reader or a weak eye would stumble over, by day and by night."""
    found = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        # All else is the same by day and by night.
        rules = ("color-contrast",) if scheme == "dark" else ()
        found += [f"{scheme}: {one}" for one in axe(page, *rules)]
    return found
