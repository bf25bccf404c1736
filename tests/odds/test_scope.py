"""Every command and page refuses the odds of a game that they don't model."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import httpx
import pytest

from croupier.cards import parse_cards
from croupier.errors import Refused, UserError
from croupier.odds.advice import advise
from croupier.odds.analysis import analyses, analyze
from croupier.odds.choose import choose
from croupier.odds.scope import outside
from croupier.rules.game import Paytable, Row
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK, SEAT, ClauseId, PlaceId
from croupier.server.coach import sight_of
from croupier.server.pages.shelf import Shelf
from croupier.server.pages.tables import edge_of
from croupier.simulation.simulation import simulate
from tests.cli.running import run
from tests.odds.small_book import ID, WITH_LANTERN, dealt, small, table, text
from tests.pages.site import pages_app, serving
from tests.rules.books import IDS, book, each_book

SEAT_SAYS = "a seat has {} and only hands of three are modelled"
REFUSED = "the odds do not cover this table: "
FIVE = SEAT_SAYS.format("five cards,")


def with_cards(seats: int, bank: int) -> TableRules:
    """The small book with this many cards, even if no rulebook may have so many."""
    rules = table()
    sizes = {"seats": seats, "bank": bank}
    lines = tuple(replace(line, cards=sizes[line.to]) for line in rules.deal.cards)
    return replace(rules, deal=replace(rules.deal, cards=lines))


@pytest.mark.parametrize(
    ("cards", "says"),
    [
        ((5, 5), FIVE),
        ((1, 1), SEAT_SAYS.format("one card,")),
        ((2, 2), SEAT_SAYS.format("two cards,")),
        ((4, 3), SEAT_SAYS.format("four cards,")),
        ((7, 7), SEAT_SAYS.format("seven cards,")),
        (
            (3, 5),
            "three cards are played against five cards of Keeper, "
            "and only three against three are modelled",
        ),
    ],
)
def test_other_hands_than_three_against_three_are_refused(
    cards: tuple[int, int], says: str
) -> None:
    rules = with_cards(*cards)
    assert outside(rules) == says
    asks: Sequence[Callable[[], Any]] = (
        lambda: analyze(rules),
        lambda: analyses(rules),
        lambda: advise(rules, parse_cards("Qs 6d 3c")),
        lambda: simulate(rules, rounds=10, seed=1),
    )
    for ask in asks:
        with pytest.raises(UserError) as caught:
            ask()
        assert str(caught.value) == REFUSED + says


def test_decisions_with_two_cards_of_the_bank_up_are_refused() -> None:
    shows = '{{ to = "bank", cards = 3, shows = {}'
    assert outside(table(('{ to = "bank", cards = 3', shows.format(1)))) is None
    rules = table(('{ to = "bank", cards = 3', shows.format(2)))
    says = "players decide with more than one card before them besides their own"
    assert outside(rules) == says
    with pytest.raises(UserError, match=says):
        analyze(rules, {"watch": 1})
    # With the cards in hand nothing is left to model.
    found = advise(rules, parse_cards("Qs 6d 3c"), shown=parse_cards("Kd 2c"))
    assert {choice.name: choice.value for choice in found.choices} == {"stay": -2, "leave": -1}


def with_paytable(of: tuple[str, ...], row: Row, **places: int) -> TableRules:
    """The small book whose side wager looks at other places, or pays by other rows."""
    rules = table(*WITH_LANTERN)
    paytable = Paytable(clause=ClauseId("1"), of=tuple(map(PlaceId, of)), rows=(row,))
    first = rules.deal.cards[0]
    lines = [replace(first, to=PlaceId(place), cards=n) for place, n in places.items()]
    deal = replace(rules.deal, cards=(*rules.deal.cards, *lines))
    return replace(rules, paytables={"lantern": paytable}, deal=deal)


PAIR = Row(hand="pair", to=Fraction(1))


@pytest.mark.parametrize(
    ("of", "row", "places", "says"),
    [
        (("pool",), PAIR, {"pool": 5}, "Lantern looks at five cards, none of them the seat's"),
        ((SEAT, BANK, "pool"), PAIR, {"pool": 2}, "Lantern looks at eight cards from three places"),
        (
            (SEAT,),
            Row(hand="flush", suits="s", to=Fraction(1)),
            {},
            "Lantern pays by the suit of a hand that is no royal flush",
        ),
    ],
)
def test_other_paytables_are_refused(
    of: tuple[str, ...], row: Row, places: dict[str, int], says: str
) -> None:
    rules = with_paytable(of, row, **places)
    assert outside(rules) == says
    with pytest.raises(UserError, match=says):
        analyze(rules, {"watch": 1})


def test_another_deck_is_refused() -> None:
    rules = table()
    assert outside(replace(rules, deck=replace(rules.deck, cards=53))) == "its deck has 53 cards"


@each_book
def test_the_five_books_are_modelled(id: str) -> None:
    """With their defaults, and with everything that may be offered."""
    selections: dict[str, Any] = {}
    for name, selection in book(id).rules.selection.items():
        if selection.takes == "paytable":
            selections[name] = selection.letters[0]
    assert outside(resolve(book(id))) is outside(resolve(book(id), selections)) is None


# ---------------------------------------------------------------- where they are asked for


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    """A folder with a book of five cards against five."""
    (tmp_path / f"{ID}.toml").write_text(text(*dealt(5, 5)))
    return tmp_path


@pytest.mark.parametrize(
    "words",
    [
        ("analyze", ID),
        ("analyze", ID, "--bet", "watch=1"),
        ("advise", ID, "--cards", "Qs 6d 3c"),
        ("simulate", ID, "--rounds", "10"),
        ("simulate", ID, "--session", "10"),
        ("report", ID),
        ("compare", ID, IDS[0]),
        ("choose", ID, "--wager", "watch", "--edge", "1..6%"),
    ],
)
def test_every_command_refuses_in_one_sentence(shelf: Path, words: tuple[str, ...]) -> None:
    for more in ((), ("--json",)):
        ran = run("--books", str(shelf), *words, *more)
        assert (ran.code, ran.out, ran.err) == (2, "", f"croupier: {REFUSED}{FIVE}\n")


def test_choose_refuses_a_game_that_is_not_modelled() -> None:
    with pytest.raises(UserError, match=FIVE):
        choose(small(*dealt(5, 5)), "watch", (Fraction(0), Fraction(1)))


def test_the_pages_say_that_a_game_is_not_modelled(shelf: Path) -> None:
    app = pages_app()
    app.state.shelf = books = Shelf((shelf,))
    with serving(app) as url, httpx.Client(base_url=url) as web:
        for path in ("/odds?book=", "/odds.json?book=", "/odds/par.html?book="):
            answer = web.get(path + ID)
            assert answer.status_code == 400 and FIVE in answer.text, path
            assert "%</dd>" not in answer.text
        compared = web.get(f"/odds/compare?a.book={ID}&b.book={IDS[0]}")
        assert compared.status_code == 400 and FIVE in compared.text
        assert edge_of(books, table(*dealt(5, 5))) is None
        assert edge_of(books, table()) == pytest.approx(0.08658, abs=1e-5)


def test_the_coach_says_that_a_game_is_not_modelled() -> None:
    rules = table(*dealt(5, 5))
    at_table = SimpleNamespace(config=SimpleNamespace(practice=True, rules=rules))
    with pytest.raises(Refused, match=f"the coach doesn't cover this game: {FIVE}"):
        sight_of(cast(Any, at_table), "somebody")
