"""What is written around the game: selections, rulings, clauses, and the book as a whole."""

from collections.abc import Mapping
from dataclasses import field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Literal

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
    Cents,
    ClauseId,
    FamilyId,
    Kept,
    Moment,
    Path,
    Person,
    SelectionId,
    Takes,
    WagerId,
    When,
)


class Fixed(Cited):
    """A selection's value that another selection has settled."""

    value: str


class Needs(Cited):
    """The values of another selection without which an option may not be chosen."""

    selection: SelectionId
    among: tuple[str, ...]


class Choice(Cited):
    """An option of a selection: what it needs, and what it sets in the book's data."""

    says: str
    needs: Needs | None = None
    sets: Mapping[Path, Any] = field(default_factory=dict)


class Selection(Cited):
    """What the book leaves to the operator."""

    says: str
    takes: Takes
    default: str | int | Decimal | None = None
    required: bool = False
    fixed: Fixed | None = None
    option: Mapping[str, Choice] = field(default_factory=dict)
    family: FamilyId | None = None
    letters: tuple[str, ...] = ()
    amends: bool = False
    of: WagerId | None = None
    among: tuple[Cents, ...] = ()
    sets: Path | None = None


class Alternative(Shape):
    """Another reading of the text: what it sets, or which selections bring it about.

    One that the format cannot play does neither; its ruling then says why it has no price.
    """

    says: str
    sets: Mapping[Path, Any] = field(default_factory=dict)
    selections: Mapping[SelectionId, Any] = field(default_factory=dict)
    bet: Mapping[WagerId, Fraction] = field(default_factory=dict)


class Ruling(Shape):
    """What we do where the text is silent or contradicts itself."""

    clauses: tuple[ClauseId, ...]
    common: bool = False
    problem: str
    choice: str
    selection: SelectionId | None = None
    bet: Mapping[WagerId, Fraction] = field(default_factory=dict)
    selections: Mapping[SelectionId, Any] = field(default_factory=dict)
    alternative: tuple[Alternative, ...] = ()
    why: str = ""


class Clause(Shape):
    """A clause of the source in our words, and how it is kept."""

    kept: Kept
    says: str
    in_: Path | None = None
    at: Moment | None = None
    by: Person = "dealer"
    if_: When = ()


class Rules(Shape):
    """Everything that one rulebook says."""

    format: Literal[1]
    title: str
    game: str
    source: str
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
