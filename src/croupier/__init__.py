"""Deals, settles, prices and audits Three Card Poker and Let It Ride by the book.

>>> from croupier import analyze, load, resolve
>>> rules = resolve(load("maryland-three-card-poker"), {"pair_plus": "B"})
>>> analyze(rules, {"pair_plus": 1}).expected_value
Fraction(-308, 5525)
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from croupier.odds import advise, analyses, analyze, price
    from croupier.rules.load import load
    from croupier.rules.resolve import resolve

__version__ = "0.1.0"

__all__ = ["advise", "analyses", "analyze", "load", "price", "resolve"]


def __getattr__(name: str) -> object:
    """Import what is asked for, so that a command does not pay for what it leaves alone."""
    if name == "load":
        from croupier.rules.load import load

        return load
    if name == "resolve":
        from croupier.rules.resolve import resolve

        return resolve
    if name in __all__:
        from croupier import odds

        return getattr(odds, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
