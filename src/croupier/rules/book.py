"""The shapes around the game: selections, rulings, clauses, and the book as a whole."""

from collections.abc import Mapping
from dataclasses import field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

from croupier.money import Cents
from croupier.reading.reader import Text
from croupier.rules.game import (
    Bank,
    Bonus,
    Cited,
    Deal,
    Deck,
    Envy,
    Fee,
    Irregularity,
    Paytable,
    Place,
    Rake,
    RankingRule,
    Step,
    Table,
    Wager,
)
from croupier.rules.shape import Shape
from croupier.rules.vocabulary import (
    BankedBy,
    BookPath,
    ClauseId,
    FamilyId,
    Force,
    Keeper,
    Keeping,
    KeptHow,
    Occasion,
    RulingTopic,
    SelectionId,
    Takes,
    Thing,
    WagerId,
    When,
)


class Fixed(Cited):
    """The value of a selection that is settled by another one."""

    value: Text


class Needs(Cited):
    """The values of another selection that an option requires."""

    selection: SelectionId
    among: tuple[Text, ...]


class Choice(Cited):
    """An option of a selection: what it requires, and what it sets in the book's data."""

    says: Text
    needs: Needs | None = None
    if_: When = ()
    sets: Mapping[BookPath, Any] = field(default_factory=dict)


class Selection(Cited):
    """A choice that the book leaves to the operator."""

    says: Text
    takes: Takes
    default: str | int | Decimal | None = None
    required: bool = False
    fixed: Fixed | None = None
    option: Mapping[str, Choice] = field(default_factory=dict)
    family: FamilyId | None = None
    letters: tuple[Text, ...] = ()
    amends: bool = False
    of: WagerId | None = None
    among: tuple[Cents, ...] = ()
    sets: BookPath | None = None


class Alternative(Shape):
    """Another reading of the text: what it sets, or which selections produce it.

    A reading that the format can't play does neither; its ruling then says why it has no price.
    """

    says: Text
    sets: Mapping[BookPath, Any] = field(default_factory=dict)
    selections: Mapping[SelectionId, Any] = field(default_factory=dict)
    bet: Mapping[WagerId, Fraction] = field(default_factory=dict)


class Ruling(Shape):
    """A decision of ours where the text is silent or contradicts itself."""

    clauses: tuple[ClauseId, ...]
    common: bool = False
    decides: RulingTopic | None = None
    problem: Text
    choice: Text
    selection: SelectionId | None = None
    bet: Mapping[WagerId, Fraction] = field(default_factory=dict)
    selections: Mapping[SelectionId, Any] = field(default_factory=dict)
    alternative: tuple[Alternative, ...] = ()
    why: Text = ""


class Clause(Shape):
    """A clause of the source, paraphrased, and how it is kept."""

    kept: KeptHow
    says: Text
    in_: BookPath | None = None
    at: Occasion | None = None
    force: Force = "task"
    by: tuple[Keeper, ...] = ("dealer",)
    needs: tuple[Thing, ...] = ()
    act: Keeping | None = None
    on: Text | None = None
    if_staked: tuple[WagerId, ...] = ()
    after: Occasion | None = None
    unless: Occasion | None = None
    if_plays: bool = False
    collects: bool = False
    if_: When = ()


class Rules(Shape):
    """The contents of one rulebook."""

    format: Literal[1]
    title: Text
    game: Text
    source: Text
    earlier: tuple[Text, ...] = ()
    """Digests of earlier editions of this file, by which every round settles as by this one."""
    banked_by: BankedBy
    table: Table
    ranking: RankingRule
    bank: Bank
    fee: Fee | None = None
    rake: Rake | None = None
    wager: Mapping[str, Wager]
    bonus: Mapping[str, Bonus] = field(default_factory=dict)
    envy: Mapping[str, Envy] = field(default_factory=dict)
    paytable: Mapping[str, Mapping[str, Paytable]] = field(default_factory=dict)
    place: Mapping[str, Place] = field(default_factory=dict)
    step: Mapping[str, Step]
    deal: Mapping[str, Deal]
    deck: Deck
    irregularity: Mapping[str, Irregularity] = field(default_factory=dict)
    selection: Mapping[str, Selection] = field(default_factory=dict)
    ruling: Mapping[str, Ruling] = field(default_factory=dict)
    clause: Mapping[str, Clause] = field(default_factory=dict)
