"""What has happened in a round. Events hold positions of the deck; only `Shown` holds a face.

They are named tuples, which are made in a third of the time of other frozen values.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from croupier.round.commands import Shown as Shown
from croupier.round.state import NOTHING, BankResult, Line


class Opened(NamedTuple):
    round: str
    rulebook: str
    digest: str
    meters: Mapping[str, int] = NOTHING


class Banked(NamedTuple):
    seat: int
    player: str
    funds: int


class BetMade(NamedTuple):
    seat: int
    player: str
    wager: str
    cents: int
    hand: int | None = None


class BetTakenDown(NamedTuple):
    seat: int
    wager: str


class BetsClosed(NamedTuple):
    """No more bets: what each meter rises by, in micros, and the fees taken by seat."""

    rises: Mapping[str, int] = NOTHING
    fees: Mapping[int, int] = NOTHING
    action: int | None = None


class Dealt(NamedTuple):
    """Positions of the deck and where each went, in the order of the deal."""

    cards: tuple[tuple[int, str, int], ...]
    """Position, place, and the seat where the place is the seats (0 elsewhere)."""


class Chose(NamedTuple):
    seat: int
    step: str
    option: str
    by: str = "player"


class Declared(NamedTuple):
    """An irregularity, what follows from it, and the clause that says so."""

    kind: str
    facts: Mapping[str, object]
    effects: tuple[str, ...]
    clause: str
    ruling: str | None = None


class CalledOff(NamedTuple):
    """The system has called the round off, and why: every stake comes back."""

    because: str
    ruling: str


class Confirmed(NamedTuple):
    clause: str
    by: str


class MetersRead(NamedTuple):
    """What meters that other tables move too show when the settling begins, in micros."""

    meters: Mapping[str, int]


class SeatSettled(NamedTuple):
    """All lines of one seat, and what the meters show after it."""

    seat: int
    lines: tuple[Line, ...]
    fee: int = 0
    meters: Mapping[str, int] = NOTHING


class Closed(NamedTuple):
    """The round is over."""

    bank: BankResult | None = None


bet_made_of: Callable[[Sequence[Any]], BetMade] = partial(tuple.__new__, BetMade)
"""Make the event of a bet, which has the same fields."""
chose_of: Callable[[Sequence[Any]], Chose] = partial(tuple.__new__, Chose)
seat_settled_of: Callable[[Sequence[Any]], SeatSettled] = partial(tuple.__new__, SeatSettled)
"""Make frequent events of their fields, in half the time; nobody counts these."""

Event = (
    Opened
    | Banked
    | BetMade
    | BetTakenDown
    | BetsClosed
    | Dealt
    | Shown
    | Chose
    | Declared
    | CalledOff
    | Confirmed
    | MetersRead
    | SeatSettled
    | Closed
)
