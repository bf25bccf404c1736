"""What the tests of the odds share: tables, bets and cached analyses."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from functools import cache
from itertools import permutations
from typing import Any

from croupier.odds.analysis import Analysis, analyze
from croupier.odds.seats import SEATS, WEIGHTS
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from tests.reference.odds_cases import LONG, QUICK, Case
from tests.reference.paytables import RIDE
from tests.rules.books import book

RANDOM_CLASSES = (3, 171, 402, 655, 888, 1101, 1429, 1431, 1500, 1601, 1690, 1754)
"""Places of some seat classes: suited and not, pairs and three of a kind among them."""


def table(id: str, **selections: Any) -> TableRules:
    return resolve(book(id), selections)


def analysis(case: Case) -> Analysis:
    rules = resolve(book(case.book), case.selections)
    return analyze(rules, case.bet, meters=case.meters, others=case.others)


def is_slow(case: Case) -> bool:
    """Whether its distribution needs a joint count of two groups of cards, which is slow."""
    five = {"let_it_ride", "five_card_bonus"} if case.book == RIDE else {"five_card_progressive"}
    return "six_card_bonus" in case.bet and bool(five & case.bet.keys())


CASES = [case for case in QUICK if not is_slow(case)]
CASES_LONG = [case for case in (*QUICK, *LONG) if is_slow(case)]


def ids(cases: Iterable[Case]) -> list[str]:
    return [str(case) for case in cases]


def percent(value: Fraction, digits: int = 4) -> str:
    return f"{float(100 * value):.{digits}f}"


@cache
def class_of() -> Mapping[frozenset[int], int]:
    """Map every three cards to the index of their suit class."""
    found: dict[frozenset[int], int] = {}
    for place, seat in enumerate(SEATS.tolist()):
        for suits in permutations(range(4)):
            found[frozenset(card & ~3 | suits[card & 3] for card in seat)] = place
    assert len(found) == WEIGHTS.sum()
    return found
