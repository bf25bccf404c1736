"""The pages as people use them: with eyes, by keyboard, on a phone, with and without script."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.pages.browser import NARROW, open_page, resize, violations
from tests.pages.site import BOOKS, DESIGNATED, ONE, PAGES, RIDE

THIN = """() => {
    document.querySelectorAll('.clauses > :nth-child(n+5)').forEach(one => one.remove());
    document.querySelectorAll('details').forEach(one => one.open = true);
}"""


# One template prints all books, and another one their prices; test_markup.py reads all of them,
# without a browser.
SHOWN = "california-three-card-poker"
OTHERS = [book for book in BOOKS if book != SHOWN]
LONG = {page for book in OTHERS for page in (f"/rulebooks/{book}", f"/rulebooks/{book}/prices")}


@pytest.mark.parametrize(
    "path", [pytest.param(one, marks=[pytest.mark.long] * (one in LONG)) for one in PAGES]
)
def test_nobody_is_shut_out(browser: Browser, site: str, path: str) -> None:
    with open_page(browser) as page:
        page.goto(site + path)
        # The fortieth clause of a chapter looks as the fourth does.
        page.evaluate(THIN)
        assert violations(page) == []
        # By night only the colours change, and on a narrow screen only what fits.
        page.emulate_media(color_scheme="dark")
        assert violations(page, "color-contrast") == []
        resize(page, NARROW)
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
        expect(page.locator("#prices-status")).to_contain_text("rulings are priced")
        page.locator(".ruling summary").filter(has_text="M1").first.click()
        expect(page.locator("#ruling-M1 table.priced")).to_be_visible()
    with open_page(browser, script=False) as page:
        page.goto(f"{site}/rulebooks/{ONE}")
        page.get_by_role("link", name="The price of every reading").click()
        expect(page.locator("table.priced").first).to_be_visible()
        assert page.url == f"{site}/rulebooks/{ONE}/prices"


def test_a_link_to_a_clause_shows_it(browser: Browser, site: str) -> None:
    with open_page(browser) as page:
        page.goto(f"{site}/rulebooks/{ONE}#clause-7.F(2)")
        expect(page.locator("[id='clause-7.F(2)']")).to_be_in_viewport()
        page.get_by_label("Guided").check()
        expect(page.locator("[id='clause-7.F(2)']")).to_be_visible()
        expect(page.locator("[id='clause-7.F(3)']")).to_be_hidden()


LAWS = "california-three-card-poker"


@pytest.mark.parametrize("script", [True, False])
def test_a_link_opens_the_chapter_or_ruling_that_it_leads_into(
    browser: Browser, site: str, script: bool
) -> None:
    with open_page(browser, script=script) as page:
        for place in ("clause-round-of-play/5.b.ii", "ruling-C1", "chapter-glossary"):
            page.goto(f"{site}/rulebooks")
            page.goto(f"{site}/rulebooks/{LAWS}#{place}")
            expect(page.locator(f"[id='{place}']")).to_be_in_viewport()
        page.get_by_role("navigation", name="Contents").get_by_text("Fees").click()
        expect(page.locator("[id='clause-fees']")).to_be_in_viewport()


@pytest.mark.parametrize("size", [(1440, 900), (1280, 720), (390, 844), (320, 568)])
def test_search_stays_at_hand_and_contents_too(
    browser: Browser, site: str, size: tuple[int, int]
) -> None:
    with open_page(browser, size) as page:
        page.goto(f"{site}/rulebooks/{ONE}#rulings")
        expect(page.get_by_role("heading", name="Rulings")).to_be_in_viewport()
        expect(page.get_by_label("Search this book")).to_be_in_viewport(ratio=1)
        way = page.get_by_role("link", name="Contents" if size[0] < 900 else "Paytables").first
        expect(way).to_be_in_viewport(ratio=1)
        way.click()
        expect(page.get_by_role("link", name="Wagers", exact=True)).to_be_in_viewport()


def test_a_book_is_divided(browser: Browser, site: str) -> None:
    with open_page(browser, (1440, 900)) as page:
        page.goto(f"{site}/rulebooks/{ONE}")
        sections = page.locator("#book > section").all()
        heights = [box["height"] for one in sections if (box := one.bounding_box())]
        assert len(heights) >= 9 and max(heights) < 3 * 900


def test_a_book_is_searched_as_one_types(browser: Browser, site: str) -> None:
    with open_page(browser) as page:
        page.goto(f"{site}/rulebooks/{ONE}")
        page.get_by_label("Search this book").press_sequentially("envy bonus")
        expect(page.locator("#found [role=status]")).to_contain_text("passages have “envy bonus”")
        expect(page.locator("#book")).to_be_hidden()
        expect(page.locator("#found mark").first).to_be_in_viewport()
        assert page.url == f"{site}/rulebooks/{ONE}?q=envy%20bonus"
        hits = page.locator("#found .hits li").all_inner_texts()
        assert [hit for hit in hits if "envy" not in hit.lower()] == []
        assert violations(page) == []
        page.locator("#found a[href*='clause-']").first.click()
        expect(page.locator("#book")).to_be_visible()
        expect(page.locator(".clauses > div:target")).to_be_in_viewport()
        page.go_back()
        expect(page.locator("#found [role=status]")).to_contain_text("envy bonus")
        page.get_by_label("Search this book").fill("zebra")
        expect(page.locator("#found")).to_contain_text("No passages have “zebra”. Try fewer words")
        page.get_by_role("link", name="Show the whole book").click()
        expect(page.get_by_role("heading", name="Wagers")).to_be_visible()


def test_a_phone_shows_what_was_found_and_not_the_contents(browser: Browser, site: str) -> None:
    with open_page(browser, (390, 844)) as page:
        page.goto(f"{site}/rulebooks/{ONE}?q=ante")
        expect(page.get_by_role("navigation", name="Contents")).to_be_hidden()
        expect(page.locator("#found mark").first).to_be_in_viewport()
        page.get_by_role("link", name="Contents").click()
        expect(page.get_by_role("link", name="Wagers", exact=True)).to_be_in_viewport()


def test_a_book_is_searched_without_script(browser: Browser, site: str) -> None:
    with open_page(browser, script=False) as page:
        page.goto(f"{site}/rulebooks/{ONE}")
        page.get_by_label("Search this book").fill("12.D pair")
        page.keyboard.press("Enter")
        expect(page.locator("#found [role=status]")).to_contain_text("12.D pair")
        page.locator("#found a[href*='clause-12.D']").first.click()
        expect(page.locator(".clauses > div:target")).to_be_in_viewport()


def test_a_comparison_shows_differences_and_all_on_request(browser: Browser, site: str) -> None:
    with open_page(browser, script=False) as page:
        page.goto(f"{site}/rulebooks/compare?a={ONE}&b={RIDE}")
        main = page.locator("main")
        assert "Nothing" not in main.inner_text()
        assert page.locator(".versus .same").count() == 0
        expect(main).to_contain_text("same in both books and not shown")
        expect(page.get_by_role("heading", name="Only in").first).to_be_visible()
        page.get_by_label("Show what is the same too").check()
        page.get_by_role("button", name="Compare").click()
        expect(page.locator(".versus .same").first).to_be_visible()
        expect(page.get_by_label("Show what is the same too")).to_be_checked()


def test_answers_come_as_one_types(browser: Browser, site: str) -> None:
    with open_page(browser) as page:
        page.goto(f"{site}/odds?book={ONE}")
        page.get_by_label("Ante", exact=True).fill("2")
        expect(page.get_by_role("heading", name="2 units on Ante")).to_be_visible()
        assert page.url == f"{site}/odds?book={ONE}&bet.ante=2"
        twin = page.get_by_role("link", name="This page as JSON")
        expect(twin).to_have_attribute("href", f"/odds.json?book={ONE}&bet.ante=2")
        page.get_by_label("Pair Plus", exact=True).fill("x")
        expect(page.get_by_role("alert")).to_contain_text("Bet on Pair Plus: 'x' is not")
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


def test_another_book_keeps_what_fits_and_says_what_does_not(browser: Browser, site: str) -> None:
    with open_page(browser) as page:
        page.goto(f"{site}/odds?book={ONE}")
        page.get_by_label("Ante", exact=True).fill("2")
        expect(page.get_by_role("heading", name="2 units on Ante")).to_be_visible()
        page.get_by_label("Rulebook").select_option(DESIGNATED)
        expect(page.get_by_role("heading", name="2 units on Base Bet")).to_be_visible()
        expect(page.get_by_label("Base Bet", exact=True)).to_have_value("2")
        assert page.locator("[data-dropped], [role=alert]").count() == 0
        page.get_by_label("Rulebook").select_option(RIDE)
        expect(page.locator("[data-dropped]")).to_contain_text("left out: bet on Base Bet.")
        expect(page.get_by_role("heading", name="1 unit on Let It Ride")).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)
        assert page.url == f"{site}/odds?book={RIDE}"
        assert violations(page) == []


def test_another_book_is_forgiving_without_script_too(browser: Browser, site: str) -> None:
    with open_page(browser, script=False) as page:
        page.goto(f"{site}/odds?book={ONE}&bet.ante=2&select.pair_plus=C")
        page.get_by_label("Rulebook").select_option(RIDE)
        page.get_by_role("button", name="Work it out").click()
        expect(page.locator("[data-dropped]")).to_contain_text("Pair Plus paytable, bet on Ante")
        expect(page.get_by_role("heading", name="1 unit on Let It Ride")).to_be_visible()


def test_back_undoes_one_field_at_a_time(browser: Browser, site: str) -> None:
    with open_page(browser) as page:
        page.goto(f"{site}/rulebooks")
        page.goto(f"{site}/odds?book={ONE}")
        page.get_by_label("Ante", exact=True).press_sequentially("12", delay=300)
        expect(page.get_by_role("heading", name="12 units on Ante")).to_be_visible()
        page.get_by_label("Rulebook").select_option(DESIGNATED)
        expect(page.get_by_role("heading", name="12 units on Base Bet")).to_be_visible()
        page.go_back()
        expect(page.get_by_role("heading", name="12 units on Ante")).to_be_visible()
        expect(page.get_by_label("Ante", exact=True)).to_have_value("12")
        expect(page.get_by_label("Rulebook")).to_have_value(ONE)
        page.go_back()
        expect(page.get_by_role("heading", name="Every wager on its own")).to_be_visible()
        expect(page.get_by_label("Ante", exact=True)).to_have_value("")
        page.go_forward()
        expect(page.get_by_role("heading", name="12 units on Ante")).to_be_visible()
        page.go_back()
        page.go_back()
        assert page.url == f"{site}/rulebooks"


def test_a_card_that_was_seen_is_counted(browser: Browser, site: str) -> None:
    with open_page(browser) as page:
        page.goto(f"{site}/odds?book={ONE}&bet.ante=1")
        page.get_by_label("Cards that you have seen").fill("Kd")
        expect(page.locator("#answer")).to_contain_text("a player who has seen king of diamonds")
        edge = page.locator("#answer .chief dd").first
        expect(edge).to_have_text("\N{MINUS SIGN}1.7825 %")


def test_a_pdf_is_saved_under_a_name_that_tells_it(browser: Browser, site: str) -> None:
    with open_page(browser) as page:
        page.goto(f"{site}/odds?book={ONE}")
        for number, name in enumerate((f"{ONE}-par-sheet.pdf", f"{ONE}-sign.pdf")):
            with page.expect_download() as saving:
                page.get_by_role("link", name="as a PDF").nth(number).click()
            assert saving.value.suggested_filename == name
            assert Path(saving.value.path()).read_bytes().startswith(b"%PDF-")


def test_both_figures_of_a_comparison_are_seen_on_a_phone(browser: Browser, site: str) -> None:
    """What lies beside them, their difference, may be a swipe away."""
    with open_page(browser, (390, 844)) as page:
        page.goto(f"{site}/odds/compare?a.book={ONE}&b.book={ONE}&b.select.pair_plus=C")
        seen = page.locator(".scroll:has(.numbers)").first.bounding_box()
        cells = page.locator(".numbers tbody tr td:nth-of-type(2)").all()
        assert seen and len(cells) >= 6
        for cell in cells:
            box = cell.bounding_box()
            assert box and box["x"] + box["width"] <= seen["x"] + seen["width"], cell.inner_text()
