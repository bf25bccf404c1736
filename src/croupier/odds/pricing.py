"""What a ruling is worth: the expected value under each reading of the text."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from croupier.errors import UserError
from croupier.odds.analysis import analyze
from croupier.odds.bets import check_others
from croupier.rules.book import Alternative, Ruling
from croupier.rules.overlay import keys_of
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook

NO_OTHER = "The book has no other reading of it."
NO_BET = "The book names no bet by which its readings could be compared."
NOT_PART = "It decides {}, which is not part of these values."

_DECIDES = {
    ("irregularity",): "what follows when something goes wrong",
    ("deck",): "how the cards are handled",
    ("deal",): "in which order cards are dealt",
    ("fee",): "fees",
    ("rake",): "the rake",
    ("bank", "cover"): "what a bank that runs short pays",
    ("bank", "rotation"): "who banks",
    ("step", "order"): "in which order seats are asked and settled",
    ("clause",): "what the dealer is prompted for",
}
"""Parts of a book that no value depends on, by the first and last key of their path."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedReading:
    """One reading of a ruling, the bet that shows its effect, and its expected value."""

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
    """A ruling with the value of each reading, or why there are none."""

    id: str
    clauses: tuple[str, ...]
    problem: str
    readings: tuple[PricedReading, ...]
    why: str | None


def price(book: Rulebook, *, others: int = 0) -> tuple[PricedRuling, ...]:
    """Return every ruling of a book, priced where its readings can be played.

    `others` is the number of other players, for envy.
    """
    check_others(others, book.rules.table)
    found = []
    for id, ruling in book.rules.ruling.items():
        readings, why = _priced(book, ruling, others)
        found.append(PricedRuling(id, ruling.clauses, ruling.problem, readings, why))
    return tuple(found)


def _priced(
    book: Rulebook, ruling: Ruling, others: int
) -> tuple[tuple[PricedReading, ...], str | None]:
    """Return the readings that change a value, or why there are none."""
    if not ruling.alternative:
        return (), ruling.why or NO_OTHER
    if not ruling.bet:
        return (), ruling.why or _not_part(book, ruling) or NO_BET
    try:
        chosen = _reading(book, ruling, None, others=others)
        readings = [_reading(book, ruling, other, others=others) for other in ruling.alternative]
    except UserError as error:
        return (), f"Its readings can't be compared: {error}."
    values = [(one.expected_value, one.bet) for one in (chosen, *readings)]
    if any(other != values[0] for other in values):
        return (chosen, *readings), None
    return (), ruling.why or _no_change(book, chosen, others)


def named(values: Mapping[Any, Any]) -> dict[str, Any]:
    """Return a mapping keyed by plain names."""
    return {str(name): value for name, value in values.items()}


def _no_change(book: Rulebook, chosen: PricedReading, others: int) -> str:
    """Say which value no reading changes, and what it leaves out."""
    labels = {name: wager.label for name, wager in book.rules.wager.items()}
    bet = " + ".join(labels[name] for name in chosen.bet)
    if not any(envy.makers in chosen.bet for envy in book.rules.envy.values()):
        return f"No reading changes the value of {bet}."
    if not others:
        return f"With no other players to envy, no reading changes the value of {bet}."
    players = "one other who makes" if others == 1 else f"{others} others who make"
    return f"With {players} the same bet, no reading changes the value of {bet}."


def _not_part(book: Rulebook, ruling: Ruling) -> str | None:
    """Say what a ruling decides, if its readings only touch what is outside these values."""
    decides = [_decides(path) for path in _touched(book, ruling)]
    if not decides or None in decides:
        return None
    return NOT_PART.format(" and ".join(dict.fromkeys(filter(None, decides))))


def _touched(book: Rulebook, ruling: Ruling) -> Iterator[tuple[str, ...]]:
    """Yield the paths that the other readings set, directly or by selections."""
    for other in ruling.alternative:
        for path in other.sets:
            yield keys_of(path)
        for name, value in other.selections.items():
            selection = book.rules.selection[name]
            option = selection.option.get(str(value))
            paths = [*option.sets] if option else [selection.sets or f"selection.{name}"]
            yield from map(keys_of, paths)


def _decides(path: tuple[str, ...]) -> str | None:
    for (first, *more), words in _DECIDES.items():
        if path[0] == first and all(key in path for key in more):
            return words
    return None


def _reading(
    book: Rulebook, ruling: Ruling, other: Alternative | None, *, others: int
) -> PricedReading:
    """Price the chosen reading, or another one."""
    selections, bet = named(ruling.selections), named(ruling.bet)
    if other:
        selections, bet = {**selections, **named(other.selections)}, named(other.bet) or bet
    rules = resolve(book, selections, reading=other.sets if other else None)
    found = analyze(rules, bet, others=others)
    return PricedReading(
        says=other.says if other else ruling.choice,
        chosen=other is None,
        bet=found.bet,
        selections=selections,
        expected_value=found.expected_value,
    )
