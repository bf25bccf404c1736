"""Rulebook pages: the list, one book, the prices of its rulings, and two books side by side."""

import re
from collections import Counter
from itertools import groupby
from typing import Annotated, Any, NamedTuple, get_args

from fastapi import APIRouter, Query, Request, Response

from croupier.errors import UserError
from croupier.odds.pricing import price
from croupier.reports.answers import prices_json
from croupier.reports.par import RulingSheet, ruling_sheet
from croupier.rules.book import Clause
from croupier.rules.describe import PAYTABLES, describe, family_says, payout_grid
from croupier.rules.present import differences, in_full, may_be, side_by_side, summary
from croupier.rules.rulebook import Rulebook
from croupier.rules.vocabulary import KeptHow, Occasion
from croupier.rules.words import clause_says
from croupier.server.faults import QuestionRoute
from croupier.server.pages.compare import Compared, rows_of
from croupier.server.pages.question import Question, answer_to, table_of
from croupier.server.pages.render import FRAGMENT, document, page, query
from croupier.server.pages.search import hits, marked
from croupier.server.pages.shelf import Shelf
from croupier.server.state import state_of

router = APIRouter(include_in_schema=False, route_class=QuestionRoute)


class Chapter(NamedTuple):
    """The clauses of a book whose ids begin alike."""

    id: str
    clauses: dict[str, Clause]

    @property
    def title(self) -> str:
        """What the chapter is called, if it isn't just numbered."""
        return clause_says(self.id) if not self.id.isdigit() else ""

    @property
    def opening(self) -> str:
        """Its first sentence, which tells what it is about."""
        says = next(iter(self.clauses.values())).says
        return says.partition(". ")[0].rstrip(".")


Id = Annotated[str, Query(max_length=100)]
Others = Annotated[str, Query(max_length=10)]


@router.get("/rulebooks")
def books_page(request: Request) -> Response:
    """List the books."""
    books = state_of(request).shelf.books()
    listed = [{**summary(book), **_size(book)} for book in books]
    return page(request, "rulebooks", json="/rulebooks.json", books=listed)


@router.get("/rulebooks.json")
def books_json(request: Request) -> Response:
    """Return what `croupier rulebooks --json` prints."""
    return document(request, [summary(book) for book in state_of(request).shelf.books()])


@router.get("/rulebooks/compare")
def compare(request: Request, a: Id = "", b: Id = "", *, all: bool = False) -> Response:
    """Show how two books differ, in their text and in their figures; or also what is the same."""
    shelf = state_of(request).shelf
    ids = shelf.ids()
    a = a or next(id for id in ids if id != b)
    b = b or next(id for id in reversed(ids) if id != a)
    books = shelf.book(a), shelf.book(b)
    parts = groupby(side_by_side(*books), lambda topic: topic.part)
    compared = [Compared(part, [*topics], all=all) for part, topics in parts]
    tables = [table_of(shelf, Question(book=id)) for id in (a, b)]
    answers = [answer_to(shelf, rules, Question(book=rules.rulebook)) for rules in tables]
    return page(
        request,
        "books_compared",
        json=query("/rulebooks/compare.json", {"a": a, "b": b}),
        books=books,
        all_books=shelf.books(),
        parts=[part for part in compared if part.has_any],
        alike=sum(part.alike for part in compared),
        all=all,
        rows=rows_of(tables, answers, all=all),
    )


@router.get("/rulebooks/compare.json")
def compare_json(request: Request, a: Id = "", b: Id = "") -> Response:
    """Return what `croupier rulebooks diff A B --json` prints."""
    shelf = state_of(request).shelf
    for name, id in (("a", a), ("b", b)):
        if not id:
            raise UserError("is missing; name a rulebook", field=name)
    return document(request, list(differences(shelf.book(a), shelf.book(b))))


@router.get("/rulebooks/{id}/prices.json")
def prices_document(request: Request, id: str, others: Others = "") -> Response:
    """Return what `croupier price ID --json` prints."""
    return document(request, _prices(state_of(request).shelf, id, others)[1])


@router.get("/rulebooks/{id}/prices")
def prices(request: Request, id: str, others: Others = "") -> Response:
    """Show what each reading of the book's rulings is worth."""
    book = state_of(request).shelf.book(id)
    sheets, _ = _prices(state_of(request).shelf, id, others)
    twin = query(f"/rulebooks/{id}/prices.json", {"others": others})
    return page(request, "prices", json=twin, book=book, rulings=sheets, others=others)


@router.get("/rulebooks/{id}.json")
def book_json(request: Request, id: str) -> Response:
    """Return what `croupier rulebooks show ID --json` prints."""
    return document(request, in_full(state_of(request).shelf.book(id)))


@router.get("/rulebooks/{id}")
def book_page(request: Request, id: str, q: Id = "") -> Response:
    """Show a whole book, or what a search in it has found."""
    book = state_of(request).shelf.book(id)
    found = {kind: [*some] for kind, some in groupby(hits(book, q), lambda hit: hit.kind)}
    return page(
        request,
        "rulebook_found" if FRAGMENT in request.headers else "rulebook",
        json=f"/rulebooks/{id}.json",
        book=book,
        q=q,
        found=found,
        marked=marked,
        **_to_read(book),
    )


# ---------------------------------------------------------------- page contents


def _size(book: Rulebook) -> dict[str, Any]:
    kept = Counter(clause.kept for clause in book.clauses.values())
    return {
        "seats": book.rules.table.seats,
        "clauses": len(book.clauses),
        "kept": {word: kept[word] for word in get_args(KeptHow)},
        "rulings": len(book.rules.ruling),
    }


def _to_read(book: Rulebook) -> dict[str, Any]:
    """Return a book in the sections that its page shows."""
    rules = book.rules
    parts = {part: list(said) for part, said in groupby(describe(rules), lambda said: said.part)}
    parts.pop(PAYTABLES, None)
    about: dict[str, list[str]] = {}
    for id, ruling in rules.ruling.items():
        for clause in ruling.clauses:
            about.setdefault(clause, []).append(id)
    return {
        "size": _size(book),
        "parts": parts,
        "paytables": [
            {"title": family_says(rules, family), "letters": tables, "grid": payout_grid(tables)}
            for family, tables in rules.paytable.items()
        ],
        "moments": _moments(book),
        "chapters": _chapters(book),
        "may_be": {name: may_be(rules, name) for name in rules.selection},
        "about": about,
    }


def _chapters(book: Rulebook) -> list[Chapter]:
    """Return the clauses in chapters, by the first part of their ids."""
    grouped = groupby(book.clauses.items(), lambda item: re.split("[./]", item[0])[0])
    return [Chapter(id, dict(clauses)) for id, clauses in grouped]


def _moments(book: Rulebook) -> dict[str, list[str]]:
    """Return the guided clauses by the moment they apply to, in the table's order."""
    guided: dict[str, list[str]] = {moment: [] for moment in get_args(Occasion)}
    for name, clause in book.clauses.items():
        if clause.at:
            guided[clause.at].append(name)
    return {moment: names for moment, names in guided.items() if names}


def _prices(shelf: Shelf, id: str, others: str) -> tuple[tuple[RulingSheet, ...], dict[str, Any]]:
    """Return the book's rulings with their prices, for people and for programs."""
    book, count = shelf.book(id), Question(book=id, others=others).others_count

    def work() -> tuple[tuple[RulingSheet, ...], dict[str, Any]]:
        rulings = price(book, others=count)
        return tuple(ruling_sheet(book, one) for one in rulings), prices_json(book, rulings)

    return shelf.answers.get(("prices", book.digest, count), work, heavy=True)
