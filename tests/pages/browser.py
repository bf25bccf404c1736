"""A real Chromium: `open_browser()` starts one, `open_page()` a page of a given look in it."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, sync_playwright

ARGS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
)
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
DESKTOP, PHONE, NARROW = (1280, 900), (390, 844), (320, 640)


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Start the system's Chromium, and close it at the end."""
    with sync_playwright() as playwright:
        program = shutil.which("chromium")
        browser = playwright.chromium.launch(executable_path=program, args=[*ARGS])
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def open_page(
    browser: Browser,
    size: tuple[int, int] = DESKTOP,
    *,
    scheme: Scheme = "light",
    script: bool = True,
) -> Iterator[Page]:
    """Open an empty page of this size and colour scheme, in a context of its own."""
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height},
        color_scheme=scheme,
        java_script_enabled=script,
    )
    try:
        yield context.new_page()
    finally:
        context.close()


def violations(page: Page, *rules: str) -> list[str]:
    """Return what axe finds on a page by all of its rules or by some, each with its place."""
    options = {"runOnly": {"type": "rule", "values": [*rules]}} if rules else {}
    found = Axe().run(page, options=options).response["violations"]
    return [
        f"{one['id']}: {node['html'][:120]} {node.get('failureSummary', '')[:200]}"
        for one in found
        for node in one["nodes"]
    ]
