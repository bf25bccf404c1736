"""The odds pages: a book, selections and wagers in a query string, and the exact figures."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fastapi import APIRouter, Request, Response

from croupier.errors import UserError
from croupier.odds.analysis import analyses
from croupier.odds.pricing import price
from croupier.reports.charts import meter_chart, spread_chart
from croupier.reports.documents import par_html, par_pdf, sign_html, sign_pdf
from croupier.reports.par import Par, Priced, par_of
from croupier.reports.sign import sign_of
from croupier.rules.book import Rules
from croupier.rules.words import plain
from croupier.server.faults import QuestionRoute
from croupier.server.pages import compare as comparing
from croupier.server.pages.form import form_of
from croupier.server.pages.question import (
    Found,
    OddsAnswer,
    Question,
    answer_to,
    book_of,
    check_sizes,
    field_says,
    find,
    find_what_fits,
    read,
    table_of,
)
from croupier.server.pages.render import FRAGMENT, HTML, document, page, query, respond
from croupier.server.pages.shelf import Shelf
from croupier.server.state import state_of

router = APIRouter(include_in_schema=False, route_class=QuestionRoute)

PDF = "application/pdf"
# The sheets carry inline styles; everything else stays forbidden.
SHEET_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
NO_BETS = ("bet", "strategy", "seen")
WAS = "was"
"""The field with the book that a form was made for: a question about another one is forgiven."""
PREFIXES = ("a.", "b.")
Items = list[tuple[str, str]]


@router.get("/odds")
def odds(request: Request) -> Response:
    """Show the form and the figures; a script may request just the part that changes."""
    shelf = state_of(request).shelf
    found = _found(shelf, request.query_params.multi_items(), shelf.ids()[0])
    asked = found.question
    return page(
        request,
        "odds_parts" if FRAGMENT in request.headers else "odds",
        status=found.status,
        json=query("/odds.json", asked.items()),
        found=found,
        form=form_of(found, shelf.books()),
        charts=_charts(found.answer),
        sheet_query=asked.items(without=NO_BETS),
        sign_query=asked.items(without=(*NO_BETS, "meter", "others")),
        compare_query=[pair for p in PREFIXES for pair in asked.items(p, without=NO_BETS)],
    )


@router.get("/odds.json")
def odds_json(request: Request) -> Response:
    """Return what `croupier analyze --json` prints."""
    shelf = state_of(request).shelf
    asked = read(request.query_params.multi_items())
    return document(request, answer_to(shelf, table_of(shelf, asked), asked).document)


@router.get("/odds/compare")
def compare(request: Request) -> Response:
    """Show two tables side by side."""
    shelf = state_of(request).shelf
    ids = shelf.ids()
    defaults = (ids[0], ids[-1])
    sides = [
        _found(shelf, items, default)
        for items, default in zip(_sides(request), defaults, strict=True)
    ]
    for prefix, side in zip(PREFIXES, sides, strict=True):
        _without(side.question, NO_BETS, prefix)
    both = [*zip(PREFIXES, sides, strict=True)]
    asks = query("", [pair for prefix, side in both for pair in side.question.items(prefix)])
    forms = [form_of(side, shelf.books(), prefix) for prefix, side in both]
    tables = [side.rules for side in sides if side.rules]
    answers = [side.answer for side in sides if side.answer]
    whole = len(answers) == len(sides)
    return page(
        request,
        "odds_compared_parts" if FRAGMENT in request.headers else "odds_compared",
        status=max(side.status for side in sides),
        json=f"/odds/compare.json{asks}",
        asks=asks,
        sides=sides,
        forms=forms,
        rows=comparing.rows_of(tables, answers) if whole else {},
        chart=comparing.edges_chart(tables, answers) if whole else None,
    )


@router.get("/odds/compare.json")
def compare_json(request: Request) -> Response:
    """Return what `croupier compare --json` prints."""
    shelf = state_of(request).shelf
    sides = [read(items) for items in _sides(request)]
    for prefix, one in zip(PREFIXES, sides, strict=True):
        _without(one, NO_BETS, prefix)
    return document(
        request, [answer_to(shelf, table_of(shelf, one), one).document for one in sides]
    )


@router.get("/odds/par.{form}")
def par(request: Request, form: str) -> Response:
    """Return a table's PAR sheet, as `croupier report` makes it."""
    return _sheet(request, f"par-sheet.{form}", _par)


@router.get("/odds/sign.{form}")
def sign(request: Request, form: str) -> Response:
    """Return a table's sign, as `croupier sign` makes it."""
    return _sheet(request, f"sign.{form}", _sign)


# ---------------------------------------------------------------- parts of pages


def _charts(answer: OddsAnswer | None) -> dict[str, Any]:
    """Draw the charts of each sheet: the spread of results, and value against meter."""
    sheets = answer.sheets if answer else {}
    return {name: (spread_chart(sheet), meter_chart(sheet)) for name, sheet in sheets.items()}


def _found(shelf: Shelf, items: Items, default: str) -> Found:
    """Answer a question; one that began with another book keeps what fits."""
    asked = read([item for item in items if item[0] != WAS], default)
    was = dict(items).get(WAS, asked.book)
    if was == asked.book or was not in shelf.ids():
        return find(shelf, asked)
    rules = shelf.book(was).rules
    # A form without script sends its defaults too; nobody chose those.
    found = find_what_fits(shelf, asked.dropping(_defaults(rules, asked)))
    return replace(found, dropped=tuple(field_says(rules, name) or name for name in found.dropped))


def _defaults(rules: Rules, asked: Question) -> list[str]:
    """Return the fields of a question that say what a book says by default."""
    defaults = {name: plain(one.default) for name, one in rules.selection.items()}
    return [f"select.{name}" for name, text in asked.select.items() if text == defaults.get(name)]


def _sides(request: Request) -> list[Items]:
    """Return the fields of both questions of a query string, which begin with `a.` and `b.`."""
    items = request.query_params.multi_items()
    for name, _ in items:
        if not name.startswith(PREFIXES):
            raise UserError("is not a field of this page: each is of a. or b.", field=name)
    return [
        [(name.removeprefix(prefix), text) for name, text in items if name.startswith(prefix)]
        for prefix in PREFIXES
    ]


def _without(asked: Question, kinds: tuple[str, ...], prefix: str = "") -> None:
    """Refuse fields that a page can't use, rather than answer a different question."""
    for name, text in asked.items():
        if text and name.split(".")[0] in kinds:
            raise UserError("doesn't apply here; leave it out", field=prefix + name)


# ---------------------------------------------------------------- sheets to download

Sheet = Callable[
    [Shelf, Question], tuple[Callable[[], str], Callable[[], bytes], Callable[[], Any]]
]


def _sheet(request: Request, name: str, make: Sheet) -> Response:
    """Return a sheet in the format of its suffix; a PDF is saved under a name that tells it."""
    form = name.rpartition(".")[2]
    if form not in ("html", "pdf", "json"):
        raise UserError("a sheet ends in .html, .pdf or .json", field=form)
    shelf, asked = state_of(request).shelf, read(request.query_params.multi_items())
    _without(asked, NO_BETS)
    as_html, as_pdf, as_json = make(shelf, asked)
    if form == "json":
        return document(request, as_json())
    body = as_pdf() if form == "pdf" else as_html().encode()
    response = respond(request, body, PDF if form == "pdf" else HTML)
    response.headers["Content-Security-Policy"] = SHEET_POLICY
    if form == "pdf":
        saved = f'attachment; filename="{asked.book}-{name}"'
        response.headers["Content-Disposition"] = saved
    return response


def _par(shelf: Shelf, asked: Question) -> Any:
    book, rules, others = book_of(shelf, asked), table_of(shelf, asked), asked.others_count
    check_sizes("meter", asked.meter)
    meters = dict(asked.meter)

    def work() -> Par:
        found = analyses(rules, meters=meters, others=others)
        rulings = price(book, others=others)
        priced = Priced(analyses=found, rulings=rulings, meters=meters, others=others)
        return par_of(book, rules, priced)

    key = ("par", rules.digest, *asked.items(without=("book", "select")))
    made = shelf.answers.get(key, work, heavy=True)
    return lambda: par_html(made), lambda: par_pdf(made), made.as_json


def _sign(shelf: Shelf, asked: Question) -> Any:
    _without(asked, ("meter", "others"))
    made = sign_of(table_of(shelf, asked))
    return lambda: sign_html(made), lambda: sign_pdf(made), made.as_json
