"""Odds of books that nobody ships: other qualifiers, and raises of several sizes."""

from fractions import Fraction

import pytest

from croupier.cards import parse_cards
from croupier.odds.advice import advise
from croupier.odds.analysis import analyze
from croupier.rules.load import load_file
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from tests.rules.books import DATA

HANDS = 22_100


def table(name: str) -> TableRules:
    return resolve(load_file(DATA / f"books/{name}.toml"))


def test_a_bank_that_needs_a_pair_of_fives_is_counted_so() -> None:
    found = analyze(table("pair-qualifies"), {"ante": 1})
    assert found.strategy == ("Play every hand.",)
    # Ten ranks of pairs; flushes, straights, three of a kind, straight flushes.
    qualifies = 10 * 6 * 48 + 1_096 + 720 + 52 + 48
    chances = {(x.line, x.says): x.probability for x in found.returns}
    assert chances["ante", "the bank does not qualify"] == 1 - Fraction(qualifies, HANDS)


@pytest.mark.parametrize("cards", ["As Ks Qs", "9s 9d 3c", "Ah 9d 7c", "Qs 6d 3c", "5h 4d 2c"])
def test_a_raise_of_several_times_is_worth_as_much_more_for_each(cards: str) -> None:
    hand, bet = parse_cards(cards), {"ante": 1}
    values, once = (
        {choice.name: choice.value for choice in advise(table(name), hand, bet=bet).choices}
        for name in ("raise-to-three", "six-card-poker")
    )
    assert {name: values[name] for name in once} == once
    assert values["triple"] - values["double"] == values["double"] - values["play"]


def test_a_strategy_says_from_which_hand_on_each_raise_is_made() -> None:
    found = analyze(table("raise-to-three"), {"ante": 1})
    # Between the two a raise is worth less than nothing, but more than the Ante that a fold loses.
    assert found.strategy == (
        "Play triple A-9-8 or better, and also A-9-7 of three suits.",
        "Otherwise play Q-6-4 or better.",
    )
