"""Tables that the tests of documents share: every book, plain and with all that it can offer."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from croupier.odds.analysis import analyses
from croupier.odds.pricing import price
from croupier.reports.par import Par, Priced, par_of
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from tests.rules.books import CALIFORNIA, FLORIDA, IDS, LET_IT_RIDE, MARYLAND, SINGAPORE, book

FULL: dict[str, dict[str, Any]] = {
    MARYLAND: {
        "pair_plus": "D",
        "progressive": "C",
        "progressive_wager": [1, 5],
        "progressive_rate": "0.2",
        "six_card_bonus": "A",
        "five_card_progressive": "C",
        "five_card_progressive_rate": "0.3",
        "five_card_envy": {"royal flush": 100},
        "limits": {"ante": [5, 500]},
        "adjacent_boxes": 2,
    },
    LET_IT_RIDE: {
        "five_card_bonus": "A",
        "three_card_bonus": "A",
        "six_card_bonus": "A",
        "progressive": "A",
        "progressive_wager": [1, 5],
        "progressive_rate": "0.2",
        "payout_limit": 50000,
        "limits": {"let_it_ride": [5, 100]},
    },
    CALIFORNIA: {
        "fees": [{"up_to": 100, "fee": 1}, {"up_to": 500, "fee": 2}],
        "player_dealer_fee": 3,
    },
    FLORIDA: {
        "rake": {"payer": "all", "amount": 1},
        "limits": {"ante": [5, 100]},
        "pair_plus_when_beaten": "push",
        "pair_plus": {"mini royal": 150, "straight flush": 45, "pair": "1.5"},
    },
    SINGAPORE: {"progressive_rate": "0.3", "progressive_reset": 50000},
}


def every_letter() -> list[tuple[str, dict[str, Any]]]:
    """Each book plain, with all it can offer, and with every letter of every paytable."""
    tables: list[tuple[str, dict[str, Any]]] = []
    for id in IDS:
        tables += [(id, {}), (id, FULL[id])]
        for name, selection in book(id).rules.selection.items():
            tables += [(id, {name: letter}) for letter in selection.letters]
            if selection.takes == "option":
                tables += [(id, {name: option}) for option, choice in selection.option.items()
                           if choice.needs is None]  # fmt: skip
    return tables


def table(id: str, selections: Mapping[str, Any] | None = None) -> TableRules:
    return resolve(book(id), selections or {})


@cache
def sheet(id: str, *, full: bool = False, date: str = "") -> Par:
    """The PAR sheet of a book; rulings are priced where that is quick."""
    rules = table(id, FULL[id] if full else {})
    rulings = price(book(id)) if id not in (MARYLAND, LET_IT_RIDE) else ()
    found = Priced(analyses=analyses(rules), rulings=rulings, meters={})
    return par_of(book(id), rules, found, date=date)
