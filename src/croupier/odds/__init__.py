"""The exact mathematics of a table, by counting: values, best strategy, the price of a ruling."""

from typing import TYPE_CHECKING

from croupier.odds.analysis import Analysis, analyses, analyze

if TYPE_CHECKING:
    from croupier.odds.advice import Advice, OptionValue, advise
    from croupier.odds.pricing import PricedReading, PricedRuling, price
    from croupier.odds.returns import Return

__all__ = [
    "Advice",
    "Analysis",
    "OptionValue",
    "PricedReading",
    "PricedRuling",
    "Return",
    "advise",
    "analyses",
    "analyze",
    "price",
]


def __getattr__(name: str) -> object:
    """Import less common names on first use."""
    if name in __all__:
        from croupier.odds import advice, pricing, returns

        for module in (advice, pricing, returns):
            if hasattr(module, name):
                return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
