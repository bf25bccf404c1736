"""Every paytable to the digit, against lists that were taken from the sources themselves.

Each line of tests/data/paytables: family and letter | clause | hand | what it pays. Suits stand
in the order spades, hearts, diamonds, clubs.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from fractions import Fraction

import pytest

from croupier.rules.book import Rules
from croupier.rules.describe import payout_grid, row_hand
from croupier.rules.game import Paytable
from croupier.rules.vocabulary import PlaceId
from croupier.rules.words import dollars, payout_says, percent, row_says
from tests.rules.books import (
    CALIFORNIA,
    DATA,
    FLORIDA,
    IDS,
    LET_IT_RIDE,
    MARYLAND,
    SINGAPORE,
    book,
    each_book,
)

Line = tuple[str, ...]
Lines = dict[str, list[Line]]

ROWS = {CALIFORNIA: 6, FLORIDA: 6, LET_IT_RIDE: 190, MARYLAND: 127, SINGAPORE: 15}


def in_the_source(id: str) -> Iterator[Line]:
    for line in (DATA / f"paytables/{id}.txt").read_text().splitlines():
        yield tuple(part.strip() for part in line.split("|"))


def in_the_book(rules: Rules) -> Iterator[Line]:
    for family, tables in rules.paytable.items():
        for letter, table in tables.items():
            for part in rendered(table):
                yield f"{family} {letter}", *part


def rendered(table: Paytable) -> Iterator[Line]:
    for row in table.rows:
        suits = "".join(suit for suit in "shdc" if suit in row.suits)
        hand = row_hand(replace(row, suits=suits))
        yield row.clause or table.clause, hand, payout_says(table, row)
    if table.rate and table.rate.min is not None:
        yield table.rate.clause, "rate at least", percent(table.rate.min)
    for meter in table.meters:
        if meter.reset_min is not None:
            name = f"{meter.name} meter at least".strip()
            yield meter.clause, name, dollars(meter.reset_min)


def by_table(lines: Iterable[Line]) -> Lines:
    tables: Lines = {}
    for name, *line in lines:
        tables.setdefault(name, []).append(tuple(line))
    return {
        name: [line for line in lines if "at least" not in line[1]]
        + [line for line in lines if "at least" in line[1]]
        for name, lines in tables.items()
    }


@each_book
def test_every_row_of_every_paytable_is_the_sources(id: str) -> None:
    assert by_table(in_the_source(id)) == by_table(in_the_book(book(id).rules))


def test_no_row_of_the_lists_is_lost() -> None:
    assert {id: len(list(in_the_source(id))) for id in IDS} == ROWS


def test_a_wrong_digit_is_found() -> None:
    rules = book(MARYLAND).rules
    table = rules.paytable["pair_plus"]["C"]
    rows = (table.rows[0], replace(table.rows[1], to=Fraction(31)), *table.rows[2:])
    pair_plus = {**rules.paytable["pair_plus"], "C": replace(table, rows=rows)}
    wrong = replace(rules, paytable={**rules.paytable, "pair_plus": pair_plus})
    expected, actual = by_table(in_the_source(MARYLAND)), by_table(in_the_book(wrong))
    assert [name for name in expected if expected[name] != actual[name]] == ["pair_plus C"]


# ---------------------------------------------------------------- whose cards a table goes by

SEAT, BANK, COMMUNITY, BOX = map(PlaceId, ("seat", "bank", "community", "six_card_box"))


@pytest.mark.parametrize(
    ("id", "family", "letters", "places"),
    [
        (CALIFORNIA,  "pair_plus",             "A",       (SEAT,)),
        (FLORIDA,     "pair_plus",             "A",       (SEAT,)),
        (SINGAPORE,   "ante_bonus",            "A",       (SEAT,)),
        (SINGAPORE,   "pair_plus",             "A",       (SEAT,)),
        (SINGAPORE,   "progressive",           "A",       (SEAT,)),
        (SINGAPORE,   "envy",                  "A",       (SEAT,)),
        (MARYLAND,    "ante_bonus",            "ABC",     (SEAT,)),
        (MARYLAND,    "pair_plus",             "ABCDE",   (SEAT,)),
        (MARYLAND,    "progressive",           "ABC",     (SEAT,)),
        (MARYLAND,    "envy",                  "A",       (SEAT,)),
        (MARYLAND,    "six_card_bonus",        "ABCDEF",  (SEAT, BANK)),
        (MARYLAND,    "five_card_progressive", "ABC",     (SEAT, COMMUNITY)),
        (LET_IT_RIDE, "let_it_ride",           "ABC",     (SEAT, COMMUNITY)),
        (LET_IT_RIDE, "five_card_bonus",       "ABCDEFG", (SEAT, COMMUNITY)),
        (LET_IT_RIDE, "three_card_bonus",      "ABC",     (SEAT,)),
        (LET_IT_RIDE, "six_card_bonus",        "AB",      (SEAT, BOX)),
        (LET_IT_RIDE, "progressive",           "ADEF",    (SEAT, COMMUNITY)),
        (LET_IT_RIDE, "progressive",           "BC",      (SEAT,)),
        (LET_IT_RIDE, "envy",                  "ADEF",    (SEAT, COMMUNITY)),
        (LET_IT_RIDE, "envy",                  "BC",      (SEAT,)),
    ],
)  # fmt: skip
def test_a_paytable_goes_by_the_cards_that_its_text_says(
    id: str, family: str, letters: str, places: tuple[PlaceId, ...]
) -> None:
    tables = book(id).rules.paytable[family]
    assert {letter: tables[letter].of for letter in letters} == dict.fromkeys(letters, places)


# ---------------------------------------------------------------- even money, and what is not said


@pytest.mark.parametrize(
    ("id", "higher", "unopposed"),
    [
        (MARYLAND,   "12.A",                "11.D(3)(c)"),
        (CALIFORNIA, "round-of-play/5.b.i", "round-of-play/5.a"),
        (SINGAPORE,  "3.14.1",              "3.13.2"),
        (FLORIDA,    "8",                   "5"),
    ],
)  # fmt: skip
def test_ante_and_play_pay_even_money(id: str, higher: str, unopposed: str) -> None:
    wagers = book(id).rules.wager
    ante, play = wagers["ante"].settle, wagers["play"].settle
    verdicts = [ante.higher, play.higher, ante.unopposed]
    paid = [str(verdict.to) for verdict in verdicts if verdict and verdict.does == "pay"]
    assert paid == ["1", "1", "1"]
    assert [verdict and verdict.clause for verdict in verdicts] == [higher, higher, unopposed]


def test_M6_no_five_card_envy_is_given() -> None:
    assert [*book(MARYLAND).rules.paytable["five_card_envy"]["A"].rows] == []


@pytest.mark.parametrize(
    ("id", "family", "clause", "says"),
    [
        (MARYLAND,  "pair_plus",   "12.D(3)(b)",     "Three of a kind pays 30 to 1."),
        (MARYLAND,  "progressive", "12.E(1)(c)(ii)", "Mini royal of hearts, diamonds or clubs "
                                                     "pays 100 % of the minor meter."),
        (MARYLAND,  "envy",        "12.E(5)(b)(i)",  "Mini royal of spades pays $500, "
                                                     "for a $5 wager."),
        (MARYLAND,  "six_card_bonus", "12.F(2)(a)",  "Super royal pays $100,000."),
    ],
)  # fmt: skip
def test_a_row_says_itself_in_a_sentence(id: str, family: str, clause: str, says: str) -> None:
    tables = book(id).rules.paytable[family].values()
    assert says in {row_says(t, row) for t in tables for row in t.rows if row.clause == clause}


def test_paytables_stand_side_by_side() -> None:
    tables = book(MARYLAND).rules.paytable["ante_bonus"]
    assert payout_grid(tables) == [
        ("mini royal", "", "", "", "50 to 1"),
        ("straight flush", "5 to 1", "5 to 1", "4 to 1", "8 to 1"),
        ("three of a kind", "4 to 1", "3 to 1", "3 to 1", "6 to 1"),
        ("straight", "1 to 1", "1 to 1", "1 to 1", ""),
        ("clause", "12.B(1)", "12.B(2)", "12.B(3)", "12.C"),
    ]
