"""The books to read: all that a book says is on its page, and its twin is the command's."""

import re
from html import unescape
from pathlib import Path

import httpx
import pytest

from croupier.rules.load import load
from croupier.rules.words import clause_says
from croupier.server.pages.render import anchor
from croupier.server.pages.search import hits, marked
from croupier.server.pages.shelf import Shelf
from tests.cli.running import run
from tests.pages.markup import Markup
from tests.pages.site import BOOKS, ONE, RIDE
from tests.rules.books import SIXTH, SIXTH_TEXT


def words(text: str) -> str:
    """What a reader reads."""
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", text)).split())


def procedure(web: httpx.Client, id: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = web.get(f"/rulebooks/{id}.json").json()["procedure"]
    return found


def test_the_list_has_every_book(web: httpx.Client) -> None:
    assert web.get("/rulebooks.json").text == run("rulebooks", "--json").out
    page = web.get("/rulebooks").text
    assert [book for book in BOOKS if f'href="/rulebooks/{book}"' in page] == [*BOOKS]


@pytest.mark.parametrize("book", BOOKS)
def test_the_twin_is_what_the_command_prints(web: httpx.Client, book: str) -> None:
    assert web.get(f"/rulebooks/{book}.json").text == run("rulebooks", "show", book, "--json").out


@pytest.mark.parametrize("id", BOOKS)
def test_every_clause_and_every_ruling_has_an_anchor(web: httpx.Client, id: str) -> None:
    book, ids = load(id), {*Markup(web.get(f"/rulebooks/{id}").text).ids()}
    assert len({anchor(name) for name in book.clauses}) == len(book.clauses)
    assert [name for name in book.clauses if anchor(name) not in ids] == []
    assert [name for name in book.rules.ruling if f"ruling-{name}" not in ids] == []


@pytest.mark.parametrize("id", BOOKS)
def test_a_page_holds_all_letters_and_sentences(web: httpx.Client, id: str) -> None:
    page = words(web.get(f"/rulebooks/{id}").text)
    said = web.get(f"/rulebooks/{id}.json").json()
    by_letter = [one["says"] for one in said["procedure"] if one["part"] == "Paytables"]
    sentences = [one["says"] for one in said["procedure"] if one["says"] not in by_letter]
    sentences += [one["says"] for one in said["clauses"]]
    sentences += [one["problem"] for one in said["rulings"]]
    assert [text for text in sentences if " ".join(text.split()) not in page] == []
    assert [one["letter"] for one in said["paytables"] if f" {one['letter']} " not in page] == []


@pytest.mark.parametrize("book", BOOKS)
def test_prices_are_those_of_the_command(web: httpx.Client, book: str) -> None:
    ran = run("price", book, "--json")
    assert web.get(f"/rulebooks/{book}/prices.json").text == ran.out
    page = web.get(f"/rulebooks/{book}/prices").text
    priced = [one["id"] for one in ran.data["rulings"] if one["readings"]]
    assert [id for id in priced if f'data-price="{id}"' in page] == priced
    exact = [r["expected_value"] for one in ran.data["rulings"] for r in one["readings"]]
    assert [value for value in exact if f'title="{value}"' not in page] == []


def test_envy_has_a_price_beside_other_players(web: httpx.Client) -> None:
    ran = run("price", RIDE, "--others=3", "--json")
    assert web.get(f"/rulebooks/{RIDE}/prices.json?others=3").text == ran.out
    assert ran.out != web.get(f"/rulebooks/{RIDE}/prices.json").text
    page = web.get(f"/rulebooks/{RIDE}/prices?others=3").text
    exact = [r["expected_value"] for one in ran.data["rulings"] for r in one["readings"]]
    assert [value for value in exact if f'title="{value}"' not in page] == []
    assert web.get(f"/rulebooks/{RIDE}/prices.json?others=many").status_code == 400


def test_two_books_differ_as_the_command_says(web: httpx.Client) -> None:
    ran = run("rulebooks", "diff", ONE, RIDE, "--json")
    assert web.get(f"/rulebooks/compare.json?a={ONE}&b={RIDE}").text == ran.out
    page = words(web.get(f"/rulebooks/compare?a={ONE}&b={RIDE}").text)
    says = [d[book]["says"] for d in ran.data for book in (ONE, RIDE) if d[book]]
    assert [text for text in says if text not in page] == []
    whole = words(web.get(f"/rulebooks/compare?a={ONE}&b={RIDE}&all=true").text)
    said = [one["says"] for id in (ONE, RIDE) for one in procedure(web, id)]
    assert [text for text in said if " ".join(text.split()) not in whole] == []
    alike = set.intersection(*({one["says"] for one in procedure(web, id)} for id in (ONE, RIDE)))
    assert alike and [text for text in alike if text in page] == []
    same = web.get(f"/rulebooks/compare?a={ONE}&b={ONE}").text
    assert "The two books say the same about play." in same


@pytest.mark.parametrize(
    ("path", "status", "field"),
    [
        ("/rulebooks/nowhere.json", 404, "rulebook"),
        ("/rulebooks/nowhere/prices.json", 404, "rulebook"),
        (f"/rulebooks/compare.json?a={ONE}", 400, "b"),
        (f"/rulebooks/compare.json?a={ONE}&b=nowhere", 404, "rulebook"),
    ],
)
def test_what_is_not_there_is_said(web: httpx.Client, path: str, status: int, field: str) -> None:
    response = web.get(path)
    assert response.status_code == status
    assert response.json()["error"]["field"] == field


def test_a_book_that_is_not_there_is_a_page_that_says_so(web: httpx.Client) -> None:
    response = web.get("/rulebooks/%3Cscript%3E")
    assert response.status_code == 404
    assert "there is no rulebook" in response.text
    assert "<script>" not in response.text


def test_a_page_that_has_not_changed_is_not_sent_again(web: httpx.Client) -> None:
    first = web.get(f"/rulebooks/{ONE}")
    again = web.get(f"/rulebooks/{ONE}", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_faulty_book_in_a_folder_hides_no_other(tmp_path: Path) -> None:
    (tmp_path / "faulty.toml").write_text("format = 1\n")
    (tmp_path / f"{SIXTH}.toml").write_text(SIXTH_TEXT)
    assert Shelf((tmp_path,)).ids() == (*BOOKS, SIXTH)


def test_search_finds_passages_with_all_words() -> None:
    book = load(ONE)
    found = hits(book, "ENVY  bonus envy")
    assert found
    assert all("envy" in f"{hit.label} {hit.text}".lower() for hit in found)
    assert hits(book, "") == hits(book, "envy zebra") == []
    [hit] = [hit for hit in hits(book, "7.F(2)") if hit.label == "7.F(2)"]
    assert (hit.text, hit.place) == (book.clauses["7.F(2)"].says, "clause-7.F(2)")


def test_words_are_marked_where_they_are() -> None:
    assert marked("Pair Plus pays a pair.", "PAIR us") == [
        ("Pair", True),
        (" Pl", False),
        ("us", True),
        (" pays a ", False),
        ("pair", True),
        (".", False),
    ]
    assert marked("Straße", "ss") == [("Straße", False)]


@pytest.mark.parametrize(
    ("clause", "says"),
    [
        ("round-of-play/5.b.ii", "Round of play 5.b.ii"),
        ("glossary/action-button", "Glossary action button"),
        ("standards", "Standards"),
        ("11.D(3)(c)", "11.D(3)(c)"),
        ("4.a", "4.a"),
    ],
)
def test_clauses_are_written_as_people_read_them(clause: str, says: str) -> None:
    assert clause_says(clause) == says
