"""Table rules: a rulebook with every choice made, as used to play, price and print."""

from collections.abc import Collection, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from croupier.errors import Breach
from croupier.hands.ranking import Ranking
from croupier.money import Cents
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
    spot_label,
)
from croupier.rules.shape import Shape
from croupier.rules.vocabulary import ANY, NONE, BankedBy, Occasion, RulingTopic, Thing, When


class Limits(Shape):
    """The smallest and the largest stake on a wager."""

    min: Cents
    max: Cents


class TableMeter(Shape):
    """A meter of this table: its share of each wager, initial value and reset.

    A value that must be declared and wasn't is None; the wager can't be made then.
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
    earlier: tuple[str, ...]
    """What the digest was by earlier editions of the book."""
    things: tuple[Thing, ...]
    """The things that people handle; none at an automatic table."""
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
    """The clause behind each selection."""
    places: Mapping[str, Place]
    steps: Mapping[str, Step]
    sequence: tuple[tuple[str, Step], ...]
    """The steps and their names, in order."""
    spots: Mapping[str, tuple[str, ...]]
    """The spots of each wager's stakes; most wagers have one, with their own name."""
    deal: Deal
    deck: Deck
    irregularities: Mapping[str, Irregularity]
    clauses: Mapping[str, Clause]
    guided: Mapping[Occasion, tuple[str, ...]]
    """The guided clauses that people keep here, by their moment; none without a dealer (T9)."""
    rulings: Mapping[str, Ruling]
    unapplied: tuple[Breach, ...] = ()
    """What is stated and can't apply: rounds settle without it, and no table opens with it."""

    # Plans are cached by identity: hashing or comparing rules by value takes longer than settling a
    # round. Equal rules that were resolved twice have two plans.
    __hash__ = object.__hash__

    def ruling_on(self, question: RulingTopic) -> str | None:
        """Return the book's ruling on a question that its text leaves open, if it has one."""
        return next((id for id, one in self.rulings.items() if one.decides == question), None)

    @property
    def shared_place(self) -> str:
        """The place that holds shared hands to bet on, or ''."""
        return next((name for name, place in self.places.items() if place.hands), "")

    @property
    def shared(self) -> Place | None:
        """The place that holds shared hands to bet on, if there is one."""
        return self.places.get(self.shared_place)

    def hand_at(self, seat: int) -> int | None:
        """Return the shared hand that a seat bets on if its player has no preference."""
        return (seat - 1) % self.shared.hands + 1 if self.shared else None

    def label(self, name: str) -> str:
        """Return what a wager or one of its spots, a bonus or an envy is called."""
        if label := spot_label(self.wagers, name):
            return label
        if name in self.bonuses:
            return self.bonuses[name].label
        envies = self.envies.items()
        return next((envy.label for id, envy in envies if name in (id, envy.line)), name)


def fits(when: When, values: Mapping[str, Any]) -> bool:
    """Whether any map fits the selections' values; no map at all always fits."""
    return not when or any(
        all(_is_among(values.get(name), among) for name, among in one.items()) for one in when
    )


def as_edition(rules: TableRules, digest: str) -> TableRules | None:
    """Return the rules under a digest that they have or had; None if they never had it."""
    if digest == rules.digest:
        return rules
    return replace(rules, digest=digest) if digest in rules.earlier else None


def is_there(needs: Collection[Thing], things: Collection[Thing]) -> bool:
    """Whether one of the things that something needs is there; it may need none."""
    return not needs or not set(needs).isdisjoint(things)


def _is_among(value: object, among: tuple[str, ...]) -> bool:
    return value in among or (ANY in among and value not in (None, NONE))
