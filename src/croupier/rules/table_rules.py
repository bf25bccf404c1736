"""Table rules: a rulebook with every choice made, what plays, prices and prints goes by."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from croupier.hands import Ranking
from croupier.rules.book import Clause, Ruling
from croupier.rules.game import (
    Bank,
    Bonus,
    Deal,
    Deck,
    Envy,
    Fee,
    Irregularity,
    Paytable,
    Place,
    Rake,
    Step,
    Table,
    Wager,
)
from croupier.rules.shape import Shape
from croupier.rules.vocabulary import ANY, NONE, BankedBy, Cents, When


class Limits(Shape):
    """The smallest and the largest stake on a wager."""

    min: Cents
    max: Cents


class TableMeter(Shape):
    """A meter of this table: what it takes of each wager, where it starts and resets.

    What the book leaves to be declared and nobody declared is None; the wager cannot be made then.
    """

    id: str
    name: str
    wager: str
    rate: Fraction | None
    share: Fraction
    reset: Cents | None
    initial: Cents | None


class TableRules(Shape):
    """The rules of one table, with no choice left."""

    rulebook: str
    title: str
    game: str
    digest: str
    selections: Mapping[str, Any]
    banked_by: BankedBy
    table: Table
    ranking: Ranking
    bank: Bank
    fee: Fee | None
    rake: Rake | None
    wagers: Mapping[str, Wager]
    bonuses: Mapping[str, Bonus]
    envies: Mapping[str, Envy]
    paytables: Mapping[str, Paytable]
    meters: Mapping[str, TableMeter]
    limits: Mapping[str, Limits]
    cited: Mapping[str, str]
    """The clause that each selection rests on."""
    places: Mapping[str, Place]
    steps: Mapping[str, Step]
    sequence: tuple[tuple[str, Step], ...]
    """The steps with their names, in order."""
    spots: Mapping[str, tuple[str, ...]]
    """Where the stakes of each wager lie; most wagers have one spot, of their own name."""
    deal: Deal
    deck: Deck
    irregularities: Mapping[str, Irregularity]
    clauses: Mapping[str, Clause]
    rulings: Mapping[str, Ruling]


def fits(when: When, values: Mapping[str, Any]) -> bool:
    """Whether any of the maps fits the values of the selections; no map at all fits always."""
    return not when or any(
        all(_is_among(values.get(name), among) for name, among in one.items()) for one in when
    )


def _is_among(value: object, among: tuple[str, ...]) -> bool:
    return value in among or (ANY in among and value not in (None, NONE))
