"""The pages as people use them: with eyes, by keyboard, on a phone, with and without script."""

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.pages.browser import NARROW, open_page, violations
from tests.pages.site import ONE, PAGES, RIDE

THIN = "document.querySelectorAll('.clauses > :nth-child(n+40)').forEach(one => one.remove())"


@pytest.mark.parametrize("path", PAGES)
def test_nobody_is_shut_out(browser: Browser, site: str, path: str) -> None:
    with open_page(browser) as page:
        page.goto(site + path)
        # The four hundredth clause looks as the fortieth does.
        page.evaluate(THIN)
        assert violations(page) == []
        # By night only the colours change, and on a narrow screen only what fits.
        page.emulate_media(color_scheme="dark")
        assert violations(page, "color-contrast") == []
        page.set_viewport_size({"width": NARROW[0], "height": NARROW[1]})
        assert page.evaluate("document.documentElement.scrollWidth") == NARROW[0]
        assert violations(page, "target-size", "scrollable-region-focusable") == []


def test_nothing_is_asked_of_anybody_else_and_nothing_is_wrong(browser: Browser, site: str) -> None:
    asked: list[str] = []
    said: list[str] = []
    with open_page(browser) as page:
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        for path in ("/rulebooks", f"/rulebooks/{ONE}", f"/odds?book={ONE}"):
            page.goto(site + path, wait_until="networkidle")
    assert asked
    assert [url for url in asked if not url.startswith(site)] == []
    assert said == []


def test_prices_come_into_the_page(browser: Browser, site: str) -> None:
    with open_page(browser) as page:
        page.goto(f"{site}/rulebooks/{ONE}")
        expect(page.locator("#ruling-M1 table.priced")).to_be_visible()
        expect(page.locator("#prices-status")).to_contain_text("rulings are priced")
    with open_page(browser, script=False) as page:
        page.goto(f"{site}/rulebooks/{ONE}")
        page.get_by_role("link", name="What every reading costs").click()
        expect(page.locator("table.priced").first).to_be_visible()
        assert page.url == f"{site}/rulebooks/{ONE}/prices"


def test_a_link_to_a_clause_shows_it(browser: Browser, site: str) -> None:
    with open_page(browser) as page:
        page.goto(f"{site}/rulebooks/{ONE}#clause-7.F(2)")
        expect(page.locator("[id='clause-7.F(2)']")).to_be_in_viewport()
        page.get_by_label("Guided").check()
        expect(page.locator("[id='clause-7.F(2)']")).to_be_visible()
        expect(page.locator("[id='clause-7.F(3)']")).to_be_hidden()


def test_answers_come_as_one_types(browser: Browser, site: str) -> None:
    with open_page(browser) as page:
        page.goto(f"{site}/odds?book={ONE}")
        page.get_by_label("Ante", exact=True).fill("2")
        expect(page.get_by_role("heading", name="2 units on Ante")).to_be_visible()
        assert page.url == f"{site}/odds?book={ONE}&bet.ante=2"
        twin = page.get_by_role("link", name="This page as JSON")
        expect(twin).to_have_attribute("href", f"/odds.json?book={ONE}&bet.ante=2")
        page.get_by_label("Pair Plus", exact=True).fill("x")
        expect(page.get_by_role("alert")).to_contain_text("bet.pair_plus")
        expect(page.get_by_label("Pair Plus", exact=True)).to_have_attribute("aria-invalid", "true")
        page.get_by_label("Pair Plus", exact=True).fill("")
        expect(page.get_by_role("alert")).to_have_count(0)
        expect(page.get_by_label("Pair Plus", exact=True)).not_to_have_attribute(
            "aria-invalid", "true"
        )
        assert violations(page) == []


def test_a_selection_brings_its_wager_and_its_meter(browser: Browser, site: str) -> None:
    with open_page(browser) as page:
        page.goto(f"{site}/odds?book={ONE}")
        chooser = page.get_by_label("Three-Card Progressive paytable")
        chooser.select_option("A")
        meter = page.get_by_label("Three-Card Progressive Payout meter shows")
        expect(meter).to_be_visible()
        expect(chooser).to_have_value("A")
        meter.fill("20000")
        expect(page).to_have_url(re.compile(r"&meter\.progressive=20000\b"))
        expect(page.locator("#answer")).to_contain_text("Meter breaks even at")
        box = page.locator("#answer figure.chart svg").last.bounding_box()
        assert box and box["width"] > 300 and box["height"] > 100


def test_the_form_is_worked_by_keyboard_alone(browser: Browser, site: str) -> None:
    with open_page(browser) as page:
        page.goto(f"{site}/odds?book={ONE}")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
        page.keyboard.press("Enter")
        page.keyboard.press("Tab")
        expect(page.get_by_label("Rulebook")).to_be_focused()
        page.keyboard.press("Tab")
        expect(page.get_by_label("Ante", exact=True)).to_be_focused()
        page.keyboard.type("3")
        expect(page.get_by_role("heading", name="3 units on Ante")).to_be_visible()
        expect(page.get_by_label("Ante", exact=True)).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name="3 units on Ante")).to_be_visible()
        assert page.url == f"{site}/odds?book={ONE}&bet.ante=3"


def test_another_book_brings_its_own_fields(browser: Browser, site: str) -> None:
    with open_page(browser) as page:
        page.goto(f"{site}/odds?book={ONE}")
        page.get_by_label("Rulebook").focus()
        page.get_by_label("Rulebook").select_option(RIDE)
        expect(page.get_by_label("Let It Ride", exact=True)).to_be_visible()
        expect(page.get_by_label("Rulebook")).to_be_focused()
        assert page.url == f"{site}/odds?book={RIDE}"


def test_the_form_works_without_script(browser: Browser, site: str) -> None:
    with open_page(browser, script=False) as page:
        page.goto(f"{site}/odds?book={ONE}")
        page.get_by_label("Ante", exact=True).fill("2")
        page.get_by_role("button", name="Work it out").click()
        expect(page.get_by_role("heading", name="2 units on Ante")).to_be_visible()
        expect(page.get_by_label("Ante", exact=True)).to_have_value("2")
        assert "bet.ante=2" in page.url
