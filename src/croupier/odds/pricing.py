"""What a ruling is worth: the expected value under each reading of the text."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from croupier.odds.analysis import analyze
from croupier.rules.book import Alternative, Ruling
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedReading:
    """One reading of a ruling, the bet that shows it, and its expected value."""

    says: str
    chosen: bool
    bet: Mapping[str, Fraction]
    selections: Mapping[str, Any]
    expected_value: Fraction

    @property
    def stake(self) -> Fraction:
        return sum(self.bet.values(), Fraction(0))


@dataclass(frozen=True, slots=True)
class PricedRuling:
    """A ruling with the value of each reading; no readings where none changes a value."""

    id: str
    clauses: tuple[str, ...]
    problem: str
    readings: tuple[PricedReading, ...]


def price(book: Rulebook) -> tuple[PricedRuling, ...]:
    """Return every ruling of a book, priced where its readings can be played."""
    return tuple(
        PricedRuling(id, ruling.clauses, ruling.problem, _readings(book, ruling))
        for id, ruling in book.rules.ruling.items()
    )


def _readings(book: Rulebook, ruling: Ruling) -> tuple[PricedReading, ...]:
    if not ruling.bet or not ruling.alternative:
        return ()
    chosen = _reading(book, ruling, None)
    others = [_reading(book, ruling, alternative) for alternative in ruling.alternative]
    return (chosen, *others) if any(_differs(chosen, other) for other in others) else ()


def named(values: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a mapping by plain names."""
    return {str(name): value for name, value in values.items()}


def _differs(one: PricedReading, other: PricedReading) -> bool:
    return other.expected_value != one.expected_value or other.bet != one.bet


def _reading(book: Rulebook, ruling: Ruling, other: Alternative | None) -> PricedReading:
    """Price the reading that was chosen, or another one."""
    selections, bet = named(ruling.selections), named(ruling.bet)
    if other:
        selections, bet = {**selections, **named(other.selections)}, named(other.bet) or bet
    found = analyze(resolve(book, selections, reading=other.sets if other else None), bet)
    return PricedReading(
        says=other.says if other else ruling.choice,
        chosen=other is None,
        bet=found.bet,
        selections=selections,
        expected_value=found.expected_value,
    )
