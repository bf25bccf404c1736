"""Every page is valid HTML, and loads nothing from other servers."""

import re
from importlib.resources import files

import httpx
import pytest

from croupier.server.pages.render import accepts
from croupier.server.pages.static import SHEETS
from tests.pages.markup import Markup, faults_of
from tests.pages.site import PAGES


@pytest.mark.parametrize("path", PAGES)
def test_pages_are_sound(web: httpx.Client, path: str) -> None:
    response = web.get(path)
    assert response.headers["content-type"] == "text/html; charset=utf-8"
    assert response.text.startswith("<!DOCTYPE html>")
    assert faults_of(response.text) == []
    assert "Play chips only" in response.text


@pytest.mark.parametrize("path", PAGES)
def test_what_a_page_loads_and_its_twin_are_there(web: httpx.Client, path: str) -> None:
    page = Markup(web.get(path).text)
    wanted = {
        found.get("src") or found["href"]
        for tag, found in page.elements
        if tag in {"script", "link", "img"} and (found.get("src") or found.get("href"))
    }
    assert "/static/site.css" in wanted
    missing = [address for address in wanted if web.get(address).status_code not in (200, 400)]
    assert missing == []


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("<h1>x</h1><p style='x'></p>", "<p style>"),
        ("<h1>x</h1><p onclick='x'></p>", "<p onclick>"),
        ("<h1>x</h1><script>x</script>", "<script> inside the page"),
        ("<h1>x</h1><a href='https://x.example'>x</a>", "leads elsewhere"),
        ("<h1>x</h1><img src='//x.example' alt=''/>", "leads elsewhere"),
        ("<h1>x</h1><input name='a'/>", "<input a> has no label"),
        ("<h1>x</h1><p id='a'></p><p id='a'></p>", "id a is there 2 times"),
        ("<h1>x</h1><a href='#b'>x</a>", "#b leads nowhere"),
        ("<h1>x</h1><p><b></p></b>", "</p> closes ['b']"),
        ("<p>x</p>", "not one h1"),
    ],
)
def test_faults_are_found(text: str, fault: str) -> None:
    assert any(fault in found for found in faults_of(text)), faults_of(text)


def test_static_files_are_kept_until_they_change(web: httpx.Client) -> None:
    first = web.get("/static/style.css")
    assert first.headers["content-type"] == "text/css; charset=utf-8"
    assert first.headers["cache-control"] == "no-cache"
    again = web.get("/static/style.css", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")
    assert web.get("/static/js/odds.js").headers["content-type"].startswith("text/javascript")
    assert web.get("/favicon.ico").headers["content-type"] == "image/svg+xml"


def test_styles_that_belong_together_are_one_response(web: httpx.Client) -> None:
    for sheet, names in SHEETS.items():
        parts = [web.get(f"/static/{name}").text for name in names]
        assert web.get(f"/static/{sheet}").text == "".join(parts)


@pytest.mark.parametrize(
    ("accepted", "coding"), [("gzip;q=0.8, br", "br"), ("br;q=0, gzip;q=0.8", "gzip")]
)
@pytest.mark.parametrize("path", ["/static/style.css", "/static/js/odds.js", "/cards.svg"])
def test_static_files_are_compressed_for_clients_that_accept_it(
    web: httpx.Client, path: str, accepted: str, coding: str
) -> None:
    plain = web.get(path, headers={"Accept-Encoding": "identity"})
    assert "content-encoding" not in plain.headers
    assert int(plain.headers["content-length"]) == len(plain.content)
    accept = {"Accept-Encoding": accepted}
    packed = web.get(path, headers=accept)
    assert packed.headers["content-encoding"] == coding
    assert packed.content == plain.content  # The client has decompressed it.
    assert int(packed.headers["content-length"]) < len(plain.content) / 2
    # Two representations: each has its own ETag, and caches keep them apart.
    assert packed.headers["etag"] != plain.headers["etag"]
    assert "accept-encoding" in packed.headers["vary"].lower()
    assert "accept-encoding" in plain.headers["vary"].lower()
    again = web.get(path, headers={**accept, "If-None-Match": packed.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_pages_are_compressed_unless_a_link_could_add_to_them(web: httpx.Client) -> None:
    accept = {"Accept-Encoding": "gzip"}
    page = web.get("/rulebooks", headers=accept)
    plain = web.get("/rulebooks", headers={"Accept-Encoding": "identity"})
    assert page.headers["content-encoding"] == "gzip"
    assert page.content == plain.content
    assert int(page.headers["content-length"]) < len(plain.content) / 2
    # A stranger's words beside what only this visitor may see: their length would tell it.
    for path in ("/odds?book=stranger", "/rulebooks?play=stranger", "/rulebooks?play&stranger"):
        assert "content-encoding" not in web.get(path, headers=accept).headers
    assert web.get("/rulebooks?play", headers=accept).headers["content-encoding"] == "gzip"
    assert "content-encoding" not in web.get("/rulebooks.json", headers=accept).headers


@pytest.mark.parametrize(
    ("header", "accepted"),
    [
        ("gzip", True),
        ("deflate, GZIP ; q=0.01", True),
        ("br, gzip;q=1.0", True),
        ("", False),
        ("br, deflate", False),
        ("gzip;q=0, identity", False),
        ("gzip; q=0.000", False),
        ("x-gzip", False),
    ],
)
def test_gzip_is_negotiated(header: str, accepted: bool) -> None:
    assert accepts(header, "gzip") is accepted


@pytest.mark.parametrize("path", ["nothing.css", "../__init__.py", "%2e%2e/__init__.py", ""])
def test_other_files_are_not_served(web: httpx.Client, path: str) -> None:
    assert web.get(f"/static/{path}").status_code == 404


def test_a_form_is_inert_until_its_script_is_there() -> None:
    """Pressed any earlier, it would send its fields, passwords too, in an address."""
    templates = [one.read_text() for one in (files("croupier") / "web/templates").iterdir()]
    forms = [form for text in templates for form in re.findall("<form[^>]*data-post", text)]
    assert len(forms) > 20
    assert [form for form in forms if not form.startswith("<form inert ")] == []
