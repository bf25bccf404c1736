"""Deal, settle, price and audit Three Card Poker and Let It Ride by the book.

>>> from croupier import analyze, load, resolve
>>> rules = resolve(load("maryland-three-card-poker"), {"pair_plus": "B"})
>>> analyze(rules, {"pair_plus": 1}).expected_value
Fraction(-308, 5525)

`__all__` is the public interface, and docs/embedding.md documents it. Modules below this one may
change in any release.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from croupier.cards import DECK, Card, parse_cards
    from croupier.errors import (
        Breach,
        Breaches,
        Code,
        CroupierError,
        MissingExtra,
        ParseError,
        Problem,
        Problems,
        Refused,
        UserError,
    )
    from croupier.hands.hand import Hand
    from croupier.odds.advice import advise
    from croupier.odds.analysis import Analysis, analyses, analyze
    from croupier.odds.pricing import price
    from croupier.round.dealt import RoundInPlay, deal
    from croupier.round.settler import Settler, settle
    from croupier.rules.load import load, rulebook_ids
    from croupier.rules.resolve import resolve
    from croupier.rules.rulebook import Rulebook
    from croupier.rules.table_rules import TableRules
    from croupier.simulation import simulate

__version__ = "0.1.0"

__all__ = [
    "DECK",
    "Analysis",
    "Breach",
    "Breaches",
    "Card",
    "Code",
    "CroupierError",
    "Hand",
    "MissingExtra",
    "ParseError",
    "Problem",
    "Problems",
    "Refused",
    "RoundInPlay",
    "Rulebook",
    "Settler",
    "TableRules",
    "UserError",
    "advise",
    "analyses",
    "analyze",
    "deal",
    "load",
    "parse_cards",
    "price",
    "resolve",
    "rulebook_ids",
    "settle",
    "simulate",
]

_NAMES_BY_MODULE = {
    "cards": ("DECK", "Card", "parse_cards"),
    "hands.hand": ("Hand",),
    "odds.advice": ("advise",),
    "odds.analysis": ("Analysis", "analyses", "analyze"),
    "odds.pricing": ("price",),
    "round.dealt": ("RoundInPlay", "deal"),
    "round.settler": ("Settler", "settle"),
    "rules.load": ("load", "rulebook_ids"),
    "rules.resolve": ("resolve",),
    "rules.rulebook": ("Rulebook",),
    "rules.table_rules": ("TableRules",),
    "simulation": ("simulate",),
    "errors": (
        *("Breach", "Breaches", "Code", "CroupierError", "MissingExtra", "ParseError"),
        *("Problem", "Problems", "Refused", "UserError"),
    ),
}
_MODULE_OF = {name: module for module, names in _NAMES_BY_MODULE.items() for name in names}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: a program pays only for what it uses."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value: object = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
