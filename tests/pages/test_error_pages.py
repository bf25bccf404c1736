"""Every error is a page with a way on for people, and JSON for programs."""

from collections.abc import Iterator

import httpx
import pytest
from fastapi import FastAPI
from playwright.sync_api import Browser, expect

from croupier.errors import Refused
from croupier.ledger.store import Unavailable
from croupier.server.guard import BODY_BYTES_MAX, Guard, Policy
from croupier.server.limits import Rate
from tests.pages.browser import NARROW, open_page, resize, violations
from tests.pages.markup import faults_of
from tests.pages.site import pages_app
from tests.server.doors import GENEROUS, OWN
from tests.server.doors import serving as guarded_by

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}
PROGRAMS: tuple[dict[str, str], ...] = ({}, {"Accept": "*/*"}, {"Accept": "application/json"})
ASKED = [
    ("/nowhere", 404, "There is no such page"),
    ("/nowhere/at.all", 404, "There is no such page"),
    ("/static/nothing.css", 404, "There is no such page"),
    ("/rulebooks/nowhere", 404, "There is no such page"),
    (f"/rulebooks/compare?a={'x' * 101}", 422, "We can't read that address"),
    ("/odds?colour=red", 400, "We can't read that address"),
    ("/errors/not_signed_in", 401, "Sign in first"),
    ("/errors/not_allowed", 403, "You can't open this"),
    ("/errors/not_over", 409, "Not right now"),
    ("/errors/busy", 429, "One moment, please"),
    ("/broken", 500, "Something broke on our side"),
    ("/away", 503, "We can't answer right now"),
]


def app_with_errors() -> FastAPI:
    """The pages, and addresses at which everything goes wrong."""
    app = pages_app()

    @app.get("/errors/{code}")
    @app.get("/api/errors/{code}")
    def refuse(code: str) -> None:
        raise Refused(code, "this is refused, as a test asked")

    @app.get("/broken")
    def broken() -> None:
        raise ZeroDivisionError

    @app.get("/away")
    def away() -> None:
        raise Unavailable

    return app


def own_style(status: int) -> list[str]:
    """What is no fault of a page whose style sheets would be refused too."""
    return ["<style> inside the page"] if status in (421, 429) else []


@pytest.fixture(scope="module")
def shop() -> Iterator[str]:
    app = app_with_errors()
    with guarded_by(Guard(app, GENEROUS)) as port:
        yield f"http://127.0.0.1:{port}"
    app.state.shelf.close()


@pytest.mark.parametrize(("path", "status", "title"), ASKED)
def test_a_browser_gets_a_page(shop: str, path: str, status: int, title: str) -> None:
    answer = httpx.get(shop + path, headers=BROWSER)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-store"
    assert "content-security-policy" in answer.headers
    assert faults_of(answer.text) == own_style(status)
    assert "Traceback" not in answer.text


@pytest.mark.parametrize(("path", "status", "title"), ASKED)
def test_a_program_gets_json(shop: str, path: str, status: int, title: str) -> None:
    for headers in PROGRAMS:
        answer = httpx.get(shop + path, headers=headers)
        assert answer.status_code == status
        assert answer.headers["content-type"] == "application/json"
        assert {*answer.json()["error"]} == {"code", "message", "field", "clause"}


@pytest.mark.parametrize("path", ["/api/errors/not_over", "/api/nowhere", "/tables/nowhere.json"])
def test_data_is_json_for_browsers_too(shop: str, path: str) -> None:
    answer = httpx.get(shop + path, headers=BROWSER)
    assert answer.json()["error"]["code"] in ("not_over", "not_found")


OURS = {**BROWSER, **OWN, "Content-Type": "application/json"}
SENT = [
    ({**OURS}, b"{}", 405, "That isn't how this page works"),
    ({**OURS}, b"x" * (BODY_BYTES_MAX + 1), 413, "That is too much at once"),
    ({**OURS, "Content-Type": "text/plain"}, b"", 415, "We can't read that"),
    ({**BROWSER}, b"", 403, "You can't open this"),
    ({**OURS, "Origin": "https://evil.example"}, b"", 403, "You can't open this"),
    ({**OURS, "Host": "evil.example"}, b"", 421, "This server has another name"),
    ({**OURS, "Host": "[::1"}, b"", 421, "This server has another name"),
]


@pytest.mark.parametrize(("headers", "body", "status", "title"), SENT)
def test_what_is_sent_in_vain_is_answered_by_a_page(
    shop: str, headers: dict[str, str], body: bytes, status: int, title: str
) -> None:
    answer = httpx.post(f"{shop}/rulebooks", headers=headers, content=body)
    assert answer.status_code == status
    assert f"<h1>{title.replace(chr(39), '&#39;')}</h1>" in answer.text
    assert faults_of(answer.text) == own_style(status)
    plain = httpx.post(f"{shop}/rulebooks", headers={**headers, "Accept": "*/*"}, content=body)
    assert plain.status_code == status
    assert {*plain.json()["error"]} == {"code", "message", "field", "clause"}


def test_too_many_requests_are_told_when_to_come_back() -> None:
    app = app_with_errors()
    with guarded_by(Guard(app, Policy(requests=Rate(0.1, 1)))) as port:
        address = f"http://127.0.0.1:{port}/rulebooks?a=1&b=2"
        httpx.get(address, headers=BROWSER)
        answer = httpx.get(address, headers=BROWSER)
    app.state.shelf.close()
    assert answer.status_code == 429
    assert int(answer.headers["retry-after"]) >= 1
    assert "<h1>One moment, please</h1>" in answer.text
    assert '<a class="button main" href="/rulebooks?a=1&amp;b=2">Try again</a>' in answer.text


def test_a_field_is_named_with_what_would_work(shop: str) -> None:
    for query, field, says in (
        (f"a={'x' * 101}", "a", "must have at most 100 characters"),
        ("all=maybe", "all", "must be true or false"),
    ):
        error = httpx.get(f"{shop}/rulebooks/compare?{query}").json()["error"]
        assert (error["field"], error["message"]) == (field, says)


def test_a_page_that_is_refused_all_else_is_styled(browser: Browser) -> None:
    app = app_with_errors()
    with (
        guarded_by(Guard(app, Policy(requests=Rate(0.01, 1)))) as port,
        open_page(browser, NARROW) as page,
    ):
        httpx.get(f"http://127.0.0.1:{port}/rulebooks", headers=BROWSER)
        page.goto(f"http://127.0.0.1:{port}/rulebooks")
        expect(page.locator("h1")).to_have_text("One moment, please")
        expect(page.locator(".button.main")).to_have_css("background-color", "rgb(13, 74, 56)")
        assert page.evaluate("document.documentElement.scrollWidth") <= NARROW[0]
        assert violations(page) == []
    app.state.shelf.close()


@pytest.mark.parametrize("path", ["//evil.example/x", "/\\evil.example", "///evil.example"])
def test_no_error_page_leads_to_another_site(path: str) -> None:
    app = app_with_errors()
    with guarded_by(Guard(app, Policy(requests=Rate(0.1, 1)))) as port:
        answers = [httpx.get(f"http://127.0.0.1:{port}{path}", headers=BROWSER) for _ in range(2)]
    app.state.shelf.close()
    assert [answer.status_code for answer in answers] == [404, 429]
    assert [faults_of(answer.text) for answer in answers] == [[], own_style(429)]
    assert 'href="/evil.example' in answers[1].text


@pytest.mark.parametrize(("path", "status", "title"), ASKED)
def test_people_see_what_is_wrong_and_a_way_on(
    browser: Browser, shop: str, path: str, status: int, title: str
) -> None:
    with open_page(browser) as page:
        page.goto(shop + path)
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        expect(page.get_by_role("heading", level=1)).to_be_in_viewport()
        way = page.locator("main a.button.main")
        expect(way).to_be_in_viewport()
        assert violations(page) == []
        page.emulate_media(color_scheme="dark")
        assert violations(page, "color-contrast") == []
        resize(page, NARROW)
        assert page.evaluate("document.documentElement.scrollWidth") == NARROW[0]
        page.get_by_role("link", name="Rulebooks").last.click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("book")
