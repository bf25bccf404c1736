"""The state of a round: frozen values, replaced by `evolve` with every event.

Cards are deck positions until they are shown; a round never holds a hidden face.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from msgspec import Struct

from croupier.cards import Card
from croupier.round.stages import Stage
from croupier.rules.game import Step
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import Keeper, Occasion

NOTHING: Mapping[Any, Any] = {}


WALK_IN = "w-"
_is_walk_in = re.compile(rf"{WALK_IN}[1-9][0-9]*").fullmatch


def is_walk_in(player: str) -> bool:
    """Whether a player is at the felt without an account or a screen, such as w-3."""
    return _is_walk_in(player) is not None


def about_seat(seat: int, wager: str = "") -> str:
    """Return what a duty about a seat, or about one of its wagers, is about."""
    return f"seat {seat} {wager}".rstrip()


class Duty(NamedTuple):
    """A guided clause that has to be kept now, and what it is about."""

    clause: str
    moment: Occasion
    about: str = ""
    """A deck, a seat, or a seat and its wager; '' for the round."""
    by: tuple[Keeper, ...] = ("dealer",)
    """The people who have yet to confirm it, in this order."""

    def concerns(self, seat: int | None) -> bool:
        """Whether it is about this seat, or about the whole round."""
        return self.about.split()[:2] in ([], ["seat", str(seat)])


class Stake(NamedTuple):
    """Money on a spot, and its fate; a stake is never deleted."""

    cents: int
    fate: str = "live"
    clause: str = ""
    ruling: str | None = None


class Box(Struct, frozen=True):
    """A seat in play: its player, stakes, cards and choices."""

    seat: int
    player: str
    hand: int | None = None
    stakes: Mapping[str, Stake] = NOTHING
    cards: tuple[int, ...] = ()
    chose: Mapping[str, str] = NOTHING
    folded: bool = False
    abandoned: bool = False
    fee: int = 0


def was_chosen(box: Box, on: str | None) -> bool:
    """Whether a seat made the choice that a clause is `on`: 'step.option'."""
    step, _, option = (on or "").partition(".")
    return box.chose.get(step) == option


@dataclass(frozen=True)
class Banker:
    """A player who banks, and the funds put up."""

    seat: int
    player: str
    funds: int


class FoundAward(NamedTuple):
    """A progressive win at a table with a dealer, which stops its seat until it is answered."""

    seat: int
    wager: str
    hand: str
    cents: int
    """0 for a hand that pays nothing itself, but is envied."""
    meter: str | None = None
    """The meter that pays it, None if the table's tray does."""
    reset: int = 0
    """What the house put into the meter when it was found, in micros."""
    two: bool = False
    """Whether two people validate it."""
    answer: str = ""
    """Whether the floor has it paid, rejected or deferred."""


class Line(NamedTuple):
    """One settled wager of a seat."""

    seat: int
    wager: str
    stake: int
    outcome: str
    paid: int
    returned: int
    clause: str
    """The clause that decided it, '' if only a ruling did."""
    ruling: str | None = None
    from_seat: int | None = None
    because: str = ""

    @property
    def net(self) -> int:
        return self.paid + self.returned - self.stake


@dataclass(frozen=True)
class BankResult:
    """What a player-banker collected, paid and was charged."""

    seat: int
    funds: int
    collected: int
    paid: int
    fee: int

    @property
    def net(self) -> int:
        return self.collected - self.paid - self.fee


@dataclass(frozen=True)
class Void:
    """Why a round is void."""

    kind: str
    """The irregularity, '' if the system called the round off."""
    clause: str
    ruling: str | None = None
    because: str = ""
    """Why the system called it off."""


class Round(Struct, frozen=True):
    """One round at a table with these rules."""

    rules: TableRules
    id: str = ""
    banker: Banker | None = None
    action: int | None = None
    next_position: int = 0
    discarded: tuple[int, ...] = ()
    places: Mapping[str, tuple[int, ...]] = NOTHING
    meters: Mapping[str, int] = NOTHING
    """Each meter's reading, in micros."""
    meters_before: Mapping[str, int] = NOTHING
    irregular: tuple[str, ...] = ()
    counted: Mapping[str, int] = NOTHING
    """The total number of cards involved in the irregularities of each kind."""
    void: Void | None = None
    bank_result: BankResult | None = None
    closed: bool = False
    lines: tuple[Line, ...] = ()
    order: tuple[int, ...] = ()
    """The seats in the order they were settled."""
    counts: bool = False
    """Whether the stub is counted after the deal."""
    stub: int | None = None
    """All cards by the count of the stub, None until it is counted."""
    doubt: tuple[int, Card] | None = None
    """A position whose card was read before, which stops the hand."""
    firm: int = 0
    """How many faces were known when a seat last decided; two people correct those."""
    collected: frozenset[int] = frozenset()
    """The seats whose forfeited wagers were taken in before the settlement."""
    by_hand: bool = False
    """Whether it was finished by hand, so that nobody confirmed anything here."""
    awards: Mapping[tuple[int, str], FoundAward] = NOTHING
    """The progressive wins that stopped a seat, by seat and wager."""
    todo: tuple[Duty, ...] = ()
    """The guided clauses that are due, in order; none without a dealer."""
    stage: Stage | None = None
    """The current step as the plan has it, None before and after all steps."""
    boxes: Mapping[int, Box] = NOTHING
    asked: tuple[int, ...] = ()
    """The seats still to decide in this step, in turn."""
    due: tuple[int, ...] = ()
    """The positions still to be shown in this step, in order."""
    faces: Mapping[int, Card] = NOTHING

    @property
    def step(self) -> Step | None:
        """The current step, None before the first and after the last."""
        return self.stage.step if self.stage else None

    @property
    def at(self) -> int:
        """The index of this step: -1 before the first, the number of steps after the last."""
        if self.stage:
            return self.stage.at
        return len(self.rules.sequence) if self.closed else -1
