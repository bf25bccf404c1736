"""One server for all tests of pages, and a browser for those of a file."""

from collections.abc import Iterator

import httpx
import pytest
from playwright.sync_api import Browser

from tests.pages.browser import open_browser
from tests.pages.site import pages_app, serving


@pytest.fixture(scope="session")
def site() -> Iterator[str]:
    """The address of a server with the pages alone."""
    with serving(pages_app()) as address:
        yield address


@pytest.fixture(scope="session")
def web(site: str) -> Iterator[httpx.Client]:
    """A client of that server, which reads pages as a browser does."""
    headers = {"Accept": "text/html, */*"}
    with httpx.Client(base_url=site, timeout=120, headers=headers) as client:
        yield client


@pytest.fixture(scope="module")  # While it runs, no other test of this process may use asyncio.
def browser() -> Iterator[Browser]:
    """Chromium."""
    with open_browser() as opened:
        yield opened
