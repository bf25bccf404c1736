"""What may be asked of a round. Chance, time and meter readings arrive in commands.

The most frequent ones are named tuples, which are made in a third of the time of others.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

from croupier.cards import Card


@dataclass(frozen=True, slots=True)
class Open:
    """Open the round: 'place your bets'."""

    round: str
    meters: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Bank:
    """Take the bank of a player-banked round and put up funds."""

    seat: int
    player: str
    funds: int


class Bet(NamedTuple):
    """Make a wager, or change its size, before bets close."""

    seat: int
    player: str
    wager: str
    cents: int
    hand: int | None = None


@dataclass(frozen=True, slots=True)
class TakeDown:
    """Take a wager back before bets close."""

    seat: int
    wager: str


@dataclass(frozen=True, slots=True)
class CloseBets:
    """Announce 'no more bets'; a player-banked round may name the seat with the action."""

    action: int | None = None


@dataclass(frozen=True, slots=True)
class Deal:
    """Deal the cards by the procedure of the table."""


class Shown(NamedTuple):
    """The face of one position of the deck, and the salt of its commitment.

    As a part of a command it is the very event that follows: the card is shown.
    """

    position: int
    card: Card
    salt: str = ""


Face = Shown
face_of: Callable[[Sequence[Any]], Face] = partial(tuple.__new__, Face)
"""Make a face of its fields, in half the time; nobody counts them."""


@dataclass(frozen=True, slots=True)
class Show:
    """Show cards that it is time to show."""

    faces: tuple[Face, ...]


class Choose(NamedTuple):
    """Take a decision for a seat; `by` says who did, the player or the clock."""

    seat: int
    option: str
    by: str = "player"


@dataclass(frozen=True, slots=True)
class Settle:
    """Settle every wager; readings are what shared meters show at this moment."""

    meters: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Declare:
    """Declare an irregularity with its facts."""

    kind: str
    facts: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CallOff:
    """Call a round off that the system itself cannot finish (T6): no irregularity happened."""

    because: str


@dataclass(frozen=True, slots=True)
class Confirm:
    """Confirm that what a guided clause asks was done."""

    clause: str
    by: str


Command = (
    Open
    | Bank
    | Bet
    | TakeDown
    | CloseBets
    | Deal
    | Show
    | Choose
    | Settle
    | Declare
    | CallOff
    | Confirm
)
