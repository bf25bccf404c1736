"""Odds by address: the command's own documents, figures on the page, and what is refused."""

import html
import re
from decimal import Decimal
from fractions import Fraction
from functools import partial
from threading import Event, Thread
from typing import Any

import httpx
import pytest

from croupier.house.config import TableConfig
from croupier.reports.answers import toml_text, toml_value
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.rules.words import plain
from croupier.server.pages.shelf import Answers, Busy
from croupier.server.pages.tables import odds_of
from tests.cli.running import run
from tests.pages.markup import Markup
from tests.pages.site import BOOKS, DESIGNATED, ONE, RIDE

CELL = re.compile(r"<td[^>]*>(.*?)</td>", re.DOTALL)

ASKED = [
    *((f"book={book}", (book,)) for book in BOOKS),
    (f"book={ONE}&bet.ante=2&bet.pair_plus=1/2", (ONE, "--bet=ante=2", "--bet=pair_plus=1/2")),
    (
        f"book={ONE}&select.version=7.G(1)&select.pair_plus=C&bet.ante=&others=",
        (ONE, "--select=version=7.G(1)", "--select=pair_plus=C"),
    ),
    (f"book={ONE}&strategy=always+play", (ONE, "--strategy=always play")),
    (f"book={ONE}&seen=Kd&bet.ante=1", (ONE, "--seen=Kd", "--bet=ante=1")),
    (
        f"book={RIDE}&select.progressive=A&bet.progressive=1&meter.progressive=5000&others=3",
        (
            *(RIDE, "--select=progressive=A", "--bet=progressive=1"),
            *("--meter=progressive=5000", "--others=3"),
        ),
    ),
]


@pytest.mark.parametrize(("query", "given"), ASKED)
def test_the_twin_is_what_the_command_prints(
    web: httpx.Client, query: str, given: tuple[str, ...]
) -> None:
    assert web.get(f"/odds.json?{query}").text == run("analyze", *given, "--json").out


@pytest.mark.parametrize(("query", "given"), ASKED)
def test_the_page_shows_the_figures(web: httpx.Client, query: str, given: tuple[str, ...]) -> None:
    found = web.get(f"/odds.json?{query}").json()["analyses"]
    page = html.unescape(web.get(f"/odds?{query}").text)
    cells = CELL.findall(page)
    for one in found:
        assert f"<dd>{100 * one['house_edge']:.4f} %</dd>".replace("-", "−") in page
        assert f"<dd>{100 * float(Fraction(one['hit_frequency'])):.4f} %</dd>" in page
        assert [says for says in one["strategy"] if says not in page] == []
        combinations = [f"{part['combinations']:,}" for part in one["returns"]]
        assert [cell for cell in combinations if cell not in cells] == []
    assert page.count("<figure") >= len(found)


def test_two_tables_are_compared_as_the_command_does(web: httpx.Client) -> None:
    asked = f"a.book={ONE}&a.select.pair_plus=A&b.book={ONE}&b.select.pair_plus=C"
    ran = run("compare", ONE, ONE, "--select=pair_plus=A", "--against=pair_plus=C", "--json")
    assert web.get(f"/odds/compare.json?{asked}").text == ran.out
    page = web.get(f"/odds/compare?{asked}").text
    edges = ["4.5792 %", "7.2760 %", "+2.6968 points"]
    cells = CELL.findall(page)
    assert edges in [cells[at : at + 3] for at in range(len(cells))]


@pytest.mark.parametrize(
    ("query", "field", "says"),
    [
        ("book=nowhere", "book", "there is no rulebook"),
        (f"book={ONE}&book={ONE}", "book", "appears twice"),
        (f"book={ONE}&colour=red", "colour", "is not a field of this page"),
        (f"book={ONE}&bet.=1", "bet.", "is not a field of this page"),
        (f"book={ONE}&bet.ante=x", "bet.ante", "is not a fraction"),
        (f"book={ONE}&bet.ante=0", "bet.ante", "above zero"),
        (f"book={ONE}&bet.nothing=1", "bet.nothing", "this table doesn't offer it"),
        (f"book={ONE}&bet.ante=1/9999999", "bet.ante", "not a size that a bet can have"),
        (f"book={ONE}&bet.ante={'9' * 1500}", "bet.ante", "too long for an address"),
        (f"book={ONE}&select.pair_plus=Z", "select.pair_plus", "(12.D)"),
        (f"book={ONE}&select.colour=red", "select.colour", "is not a selection"),
        (f"book={ONE}&meter.progressive=5", "meter.progressive", "is not a meter"),
        (f"book={ONE}&others=many", "others", "is not a number of players"),
        (f"book={ONE}&others=99", "others", "at most 6 other players (2.A)"),
        (f"book={ONE}&seen=Kx", "seen", "Kx"),
        (f"book={ONE}&seen=Kd+Kd", "seen", "appears twice"),
        (f"book={ONE}&strategy=luck", "strategy", "is not one of best"),
        (f"book={ONE}&select.progressive=A&bet.progressive=3", "bet.progressive", "$1"),
    ],
)
def test_a_bad_question_is_told_field_and_clause(
    web: httpx.Client, query: str, field: str, says: str
) -> None:
    response = web.get(f"/odds.json?{query}")
    fault = response.json()["error"]
    assert (response.status_code, fault["field"]) == (400, field)
    whole = f"{fault['message']} ({fault['clause']})"
    assert says in whole
    page = web.get(f"/odds?{query}")
    assert page.status_code == 400
    assert says.split(" (")[0] in html.unescape(page.text)
    controls = {found.get("name"): found for _, found in Markup(page.text).elements}
    if field in controls:
        assert controls[field].get("aria-invalid") == "true"


def test_a_question_without_a_book_has_no_twin_and_has_a_page(web: httpx.Client) -> None:
    assert web.get("/odds.json").json()["error"]["field"] == "book"
    assert web.get("/odds").status_code == 200


@pytest.mark.parametrize("sheet", ["par", "sign"])
def test_sheets_are_those_of_the_commands(web: httpx.Client, sheet: str) -> None:
    command = {"par": "report", "sign": "sign"}[sheet]
    asked, given = f"book={ONE}&select.pair_plus=B", (ONE, "--select=pair_plus=B")
    assert web.get(f"/odds/{sheet}.html?{asked}").text == run(command, *given).out
    assert web.get(f"/odds/{sheet}.json?{asked}").text == run(command, *given, "--json").out
    pdf = web.get(f"/odds/{sheet}.pdf?{asked}")
    assert pdf.headers["content-type"] == "application/pdf"
    assert pdf.content.startswith(b"%PDF-")
    assert (
        "'unsafe-inline'"
        in web.get(f"/odds/{sheet}.html?{asked}").headers["content-security-policy"]
    )


@pytest.mark.parametrize(
    "path",
    [
        f"/odds/par.doc?book={ONE}",
        f"/odds/par.html?book={ONE}&bet.ante=1",
        f"/odds/sign.pdf?book={ONE}&meter.progressive=1",
        f"/odds/compare?c.book={ONE}",
        f"/odds/compare?a.book={ONE}&a.bet.ante=1",
    ],
)
def test_what_a_page_has_no_use_for_is_refused(web: httpx.Client, path: str) -> None:
    assert web.get(path).status_code == 400


def test_no_text_of_an_address_becomes_markup(web: httpx.Client) -> None:
    wicked = "<img src=x onerror=alert(1)>"
    for name in ("select.pair_plus", "bet.ante", "strategy", "select.limits"):
        page = web.get("/odds", params={"book": ONE, name: wicked}).text
        assert wicked not in page
        assert html.escape(wicked) in page


@pytest.mark.parametrize(
    "value",
    [
        *("A", "none", "7.G(1)", "12", "true", 'say "when"', "a\\b", ""),
        *(3, Decimal("0.14"), True, [1, 5], {"ante": [5, 500], "pair_plus": [5, 200]}),
        {"mini royal": 200, "pair": Decimal("1.5")},
        [{"up_to": 100, "fee": 1}, {"up_to": 200, "fee": Decimal("2.50")}],
        {"payer": "designated_player", "amount": 1},
    ],
)
def test_every_selection_of_a_table_fits_into_an_address(value: object) -> None:
    assert toml_value(toml_text(value)) == value


@pytest.mark.parametrize(
    ("book", "selections"),
    [
        (ONE, {"limits": {"ante": [5, 500], "pair_plus": [5, 200]}, "five_card_progressive": "A"}),
        ("california-three-card-poker", {"fees": [{"up_to": 100, "fee": 1}]}),
        (DESIGNATED, {"rake": {"payer": "all", "amount": 1}}),
        (DESIGNATED, {"pair_plus": {"straight flush": 50, "pair": 1}}),
    ],
)
def test_the_odds_of_a_table_are_those_of_all_its_selections(
    web: httpx.Client, book: str, selections: dict[str, Any]
) -> None:
    rules = resolve(load(book), selections)
    address = odds_of(TableConfig(id="x", title="x", rules=rules, selections=selections, seats=1))
    answer = web.get(address.replace("/odds?", "/odds.json?"))
    assert answer.json()["selections"] == plain(dict(rules.selections))
    assert web.get(address).status_code == 200


@pytest.mark.parametrize("book", BOOKS)
def test_what_the_bank_keeps_is_named_after_who_banks(web: httpx.Client, book: str) -> None:
    page = html.unescape(web.get(f"/odds?book={book}").text)
    own, other = "House edge", "Banker's edge"
    if load(book).rules.banked_by != "house":
        own, other = other, own
    assert f"<dt>{own}</dt>" in page and other not in page
    sheet = html.unescape(web.get(f"/odds/par.html?book={book}").text)
    assert f"{own} of each wager" in sheet and other not in sheet


# ---------------------------------------------------------------- answers


def test_an_answer_is_worked_out_once_and_forgotten_in_turn() -> None:
    asked: list[str] = []

    def work(key: str) -> str:
        asked.append(key)
        return key

    answers = Answers(kept_max=2)
    for key in ("a", "b", "a", "c", "a", "b"):
        assert answers.get(key, partial(work, key)) == key
    answers.close()
    assert asked == ["a", "b", "c", "b"]


def test_a_slow_question_holds_up_no_quick_one() -> None:
    answers, free = Answers(waiting_max=2), Event()
    slow = Thread(target=lambda: answers.get("slow", free.wait, heavy=True))
    slow.start()
    try:
        assert answers.get("quick", lambda: 7) == 7
    finally:
        free.set()
        slow.join()
        answers.close()


def test_too_many_questions_are_turned_away() -> None:
    answers, free, begun = Answers(waiting_max=1), Event(), Event()

    def work() -> bool:
        begun.set()
        return free.wait()

    waiting = Thread(target=lambda: answers.get("slow", work))
    waiting.start()
    try:
        assert begun.wait(30)
        with pytest.raises(Busy):
            answers.get("another", lambda: 1)
    finally:
        free.set()
        waiting.join()
        answers.close()


def test_a_fault_is_not_remembered() -> None:
    answers = Answers()
    with pytest.raises(ZeroDivisionError):
        answers.get("key", lambda: 1 // 0)
    assert answers.get("key", lambda: 2) == 2
    answers.close()
