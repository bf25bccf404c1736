"""A round as it stands: frozen values that `evolve` makes anew for every event.

Cards are positions of the deck until they are shown; a round never holds a face that is hidden.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar

from croupier.cards import Card
from croupier.round.stages import Stage
from croupier.rules.game import Step
from croupier.rules.table_rules import TableRules

T = TypeVar("T")
_new, _set = object.__new__, object.__setattr__


def changed(value: T, **changes: Any) -> T:
    """Return a copy of a frozen value with some fields changed.

    It does what `dataclasses.replace` does for values without slots, in a tenth of the time.
    """
    new = _new(type(value))
    # Not `|`: a copy of a table that shares its keys shares them too, and is slow to read.
    _set(new, "__dict__", {**value.__dict__, **changes})
    return new


NOTHING: Mapping[Any, Any] = {}


class Stake(NamedTuple):
    """Money on a spot, and what became of it: it keeps its fate and is never deleted."""

    cents: int
    fate: str = "live"
    clause: str = ""
    ruling: str | None = None


class Box(NamedTuple):
    """A seat that plays: whose it is, its stakes, its cards, what it chose."""

    seat: int
    player: str
    hand: int | None = None
    stakes: Mapping[str, Stake] = NOTHING
    cards: tuple[int, ...] = ()
    chose: Mapping[str, str] = NOTHING
    folded: bool = False
    abandoned: bool = False
    fee: int = 0


@dataclass(frozen=True)
class Banker:
    """A player who banks, with the funds put up."""

    seat: int
    player: str
    funds: int


class Line(NamedTuple):
    """One settled wager of a seat."""

    seat: int
    wager: str
    stake: int
    outcome: str
    paid: int
    returned: int
    clause: str
    """The clause that decided it, '' where a ruling did without one."""
    ruling: str | None = None
    from_seat: int | None = None
    because: str = ""

    @property
    def net(self) -> int:
        return self.paid + self.returned - self.stake


@dataclass(frozen=True)
class BankResult:
    """What a player who banked collected, paid and was charged."""

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
    """The irregularity, '' where the system called it off."""
    clause: str
    ruling: str | None = None
    because: str = ""
    """Why the system called it off."""


class Round(NamedTuple):
    """One round at a table with these rules; the fields that change most often come last."""

    rules: TableRules
    id: str = ""
    banker: Banker | None = None
    action: int | None = None
    next_position: int = 0
    discarded: tuple[int, ...] = ()
    places: Mapping[str, tuple[int, ...]] = NOTHING
    meters: Mapping[str, int] = NOTHING
    """What each meter shows, in micros."""
    meters_before: Mapping[str, int] = NOTHING
    irregular: tuple[str, ...] = ()
    counted: Mapping[str, int] = NOTHING
    """How many cards the irregularities of each kind were about, together."""
    void: Void | None = None
    bank_result: BankResult | None = None
    closed: bool = False
    lines: tuple[Line, ...] = ()
    order: tuple[int, ...] = ()
    stage: Stage | None = None
    """The step that is being played as the plan has it, None before and after all steps."""
    boxes: Mapping[int, Box] = NOTHING
    asked: tuple[int, ...] = ()
    """The seats that have still to decide in this step, in turn."""
    due: tuple[int, ...] = ()
    """The positions that have still to be shown in this step, in their order."""
    faces: Mapping[int, Card] = NOTHING

    @property
    def step(self) -> Step | None:
        """The step that is being played, None before the first and after the last."""
        return self.stage.step if self.stage else None

    @property
    def at(self) -> int:
        """The number of this step; -1 before the first, and that of all steps after the last."""
        if self.stage:
            return self.stage.at
        return len(self.rules.sequence) if self.closed else -1


box_of: Callable[[Sequence[Any]], Box] = partial(tuple.__new__, Box)
line_of: Callable[[Sequence[Any]], Line] = partial(tuple.__new__, Line)
round_of: Callable[[Sequence[Any]], Round] = partial(tuple.__new__, Round)
"""Make such values of their fields, as `_make` does, but quicker: nobody counts them."""
