"""Values looked up in an analysis match the advice from real cards, and each has a reason."""

import random
from fractions import Fraction
from typing import Any

import pytest

from croupier.cards import DECK, Card, parse_cards
from croupier.odds.advice import advise
from croupier.odds.analysis import analyze
from croupier.odds.values import Situation, values_of
from croupier.odds.why import best_of, sum_says, why
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from tests.rules.books import CALIFORNIA, FLORIDA, MARYLAND, SINGAPORE
from tests.rules.books import LET_IT_RIDE as RIDE

TABLES: dict[str, tuple[dict[str, Any], dict[str, int], dict[str, int]]] = {
    MARYLAND: (
        {"progressive": "A", "six_card_bonus": "A"},
        {"ante": 10, "pair_plus": 5, "progressive": 1, "six_card_bonus": 5},
        {"progressive": 4321},
    ),
    RIDE: ({"three_card_bonus": "A"}, {"let_it_ride": 10, "three_card_bonus": 5}, {}),
    SINGAPORE: ({"progressive_rate": "0.3"}, {"ante": 15, "pair_plus": 5}, {}),
    CALIFORNIA: ({}, {"ante": 10, "pair_plus": 5}, {}),
    FLORIDA: ({}, {"ante": 10, "pair_plus": 10}, {}),
}


def rules_of(book: str) -> TableRules:
    return resolve(load(book), TABLES[book][0])


def dealt(seed: int, count: int) -> tuple[Card, ...]:
    return tuple(random.Random(seed).sample(DECK, count))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("book", TABLES)
def test_a_first_decision_is_worth_what_advice_says(book: str, seed: int) -> None:
    _, bet, meters = TABLES[book]
    rules = rules_of(book)
    *cards, card = dealt(seed, 4)
    up = (card,) if book == CALIFORNIA else ()
    found = values_of(analyze(rules, bet, meters=meters).solved, Situation(tuple(cards), up))
    other = advise(rules, cards, shown=up, bet=bet, meters=meters)
    unit = next(iter(bet.values()))
    assert found == {choice.name: choice.value * unit for choice in other.choices}
    assert best_of(found) == other.best


def test_a_second_decision_costs_what_advice_says() -> None:
    _, bet, _ = TABLES[RIDE]
    rules = rules_of(RIDE)
    for seed in range(3):
        *cards, card = dealt(seed, 4)
        other = advise(rules, cards, community=(card,), bet=bet)
        solved = analyze(rules, bet).solved
        for before in ("ride", "withdraw"):
            found = values_of(solved, Situation(tuple(cards), (card,), (before,)))
            most = max(found.values())
            assert {name: (most - value) / 10 for name, value in found.items()} == other.cost


@pytest.mark.parametrize(
    ("book", "cards", "up", "before", "says"),
    [
        (MARYLAND, "Qs 6d 3c", "", (), "Fold: it is better by $0.026 on average, because Q-6-3"),
        (MARYLAND, "Qs 6d 3c", "", (), "is below Q-6-4, the lowest hand to play."),
        (MARYLAND, "Qs 6d 4c", "", (), "because Q-6-4 is just the lowest hand to play."),
        (MARYLAND, "Qs Qd 4c", "", (), "is above Q-6-4, the lowest hand to play."),
        (MARYLAND, "2s 3s 4s", "", (), "because a straight flush is above Q-6-4"),
        (
            CALIFORNIA,
            "Ks 7d 3c",
            "Kh",
            (),
            "below K-9-2, the lowest hand to play against a king",
        ),
        (RIDE, "Ts Tc 3d", "", (), "Let it ride: it is better by $"),
        (RIDE, "Ts Tc 3d", "", (), ", because your hand already pays."),
        (RIDE, "9s 4c 2d", "", (), "Pull: it is better by $"),
        (RIDE, "9s 4c 2d", "", (), ", with three cards that fit no straight."),
        (
            RIDE,
            "Js Qs Ks",
            "",
            (),
            "three suited cards that fit two straights and three from",
        ),
        (
            RIDE,
            "Js Qs Kd",
            "Tc",
            ("withdraw",),
            "four cards that fit two straights and four",
        ),
    ],
)
def test_reasons_say_what_they_are_based_on(
    book: str, cards: str, up: str, before: tuple[str, ...], says: str
) -> None:
    bet = {next(iter(TABLES[book][1])): 10}
    at = Situation(tuple(parse_cards(cards)), tuple(parse_cards(up)), before)
    solved = analyze(rules_of(book), bet).solved
    assert says in why(solved, at, values_of(solved, at))


def test_reasons_agree_with_the_threshold_of_the_strategy() -> None:
    """At a table without exceptions the threshold explains every choice, with `because`."""
    solved = analyze(rules_of(MARYLAND), {"ante": 10}).solved
    for seed in range(60):
        at = Situation(dealt(seed, 3))
        says = why(solved, at, values_of(solved, at))
        assert ", because " in says
        assert ("below" in says) == says.startswith("Fold")


@pytest.mark.parametrize(
    ("sum_", "says"),
    [("0.02613", "$0.026"), ("1.4", "$1.40"), ("0.5", "$0.50"), ("0.00026", "$0.00026")],
)
def test_small_sums_show_two_significant_figures(sum_: str, says: str) -> None:
    assert sum_says(Fraction(sum_)) == says
