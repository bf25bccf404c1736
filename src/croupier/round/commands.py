"""The commands of a round. Chance, time and meter readings arrive in commands.

The most frequent ones are named tuples, which take a third of the time to create.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from croupier.cards import Card
from croupier.reading.reader import later
from croupier.rules.vocabulary import Keeper


@dataclass(frozen=True, slots=True)
class Open:
    """Open the round: 'place your bets'."""

    round: str
    meters: Mapping[str, int] = field(default_factory=dict)
    counts: bool = False
    """Whether the stub is to be counted in this round."""


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
    """Announce 'no more bets'; a player-banked round may name the action seat."""

    action: int | None = None


@dataclass(frozen=True, slots=True)
class Deal:
    """Deal the cards by the table's procedure."""


@later("source")
class Shown(NamedTuple):
    """The face of one position of the deck, and the salt of its commitment.

    `Show` carries these, and they become its events unchanged.
    """

    position: int
    card: Card
    salt: str = ""
    source: str = ""
    """How the face of a real card was read: typed or scanned. Its order was never committed to."""


Face = Shown


@dataclass(frozen=True, slots=True)
class Show:
    """Show cards that are due."""

    faces: tuple[Face, ...]


Source = Literal["typed", "scanned"]
"""How a real card's face came to the program."""


@dataclass(frozen=True, slots=True)
class Read:
    """Read a real card that was turned up: the next one that is due (T12)."""

    card: Card
    source: Source = "typed"


Slip = Literal["twice", "early"]
"""How a card was misread: the same card twice, or a card that wasn't due yet."""


@dataclass(frozen=True, slots=True)
class Misread:
    """Say that a card was misread; its face is not kept."""

    why: Slip


@dataclass(frozen=True, slots=True)
class Correct:
    """Correct the face of a card that was read wrongly."""

    position: int
    card: Card


@dataclass(frozen=True, slots=True)
class CountStub:
    """Enter how many cards are left in the shoe or the dealer's hand."""

    stub: int


@dataclass(frozen=True, slots=True)
class ByHand:
    """Enter the rest of a round that was finished by hand, from its form (T6)."""

    cards: Mapping[str, tuple[Card, ...]] = field(default_factory=dict)
    """By seat or place; a hand that nobody turned up is left out."""
    chose: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """By seat, the option of each step."""
    stub: int | None = None
    """How many cards were left, if they were counted."""
    action: int | None = None
    """Where the action button lay, in a book that has one."""


class Choose(NamedTuple):
    """Make a seat's decision; `by` says whether the player or the clock made it."""

    seat: int
    option: str
    by: str = "player"


@dataclass(frozen=True, slots=True)
class Settle:
    """Settle every wager, or those of one seat; `meters` holds the readings of shared meters."""

    meters: Mapping[str, int] = field(default_factory=dict)
    seat: int | None = None
    validated: int | None = None
    """A dealer stops at progressive wins of this many cents, whatever the book says."""
    witnessed: int | None = None
    """Two people validate a progressive win of this many cents."""


@dataclass(frozen=True, slots=True)
class CorrectStake:
    """Correct a walk-in's stake that was entered wrongly; betting has closed."""

    seat: int
    wager: str
    cents: int


@dataclass(frozen=True, slots=True)
class CorrectChoice:
    """Correct a walk-in's choice that was entered wrongly."""

    seat: int
    step: str
    option: str


AwardAnswer = Literal["pay", "reject", "defer"]
"""What the floor says of a progressive win: it is paid, isn't due, or is decided later."""


@dataclass(frozen=True, slots=True)
class Validate:
    """Answer a progressive win that stops its seat."""

    seat: int
    wager: str
    answer: AwardAnswer = "pay"
    why: str = ""


@dataclass(frozen=True, slots=True)
class Close:
    """Close the round after every seat was settled; a void round returns everything."""


@dataclass(frozen=True, slots=True)
class Declare:
    """Declare an irregularity with its facts."""

    kind: str
    facts: Mapping[str, object] = field(default_factory=dict)


Cause = Literal["cards unreadable", "bank gone", "interrupted"]
"""Why a round can't be finished: its cards can't be read again, the banker left or can't pay, or
something else kept the system from going on."""


@dataclass(frozen=True, slots=True)
class CallOff:
    """Call off a round that the system itself can't finish (T6), without an irregularity."""

    cause: Cause
    because: str
    """The cause in words."""


@dataclass(frozen=True, slots=True)
class Confirm:
    """Confirm that the action of a guided clause was done, at a seat if it is due at one."""

    clause: str
    by: Keeper
    about: str = ""


Command = (
    Open
    | Bank
    | Bet
    | TakeDown
    | CloseBets
    | Deal
    | Show
    | Read
    | Misread
    | Correct
    | CountStub
    | ByHand
    | Choose
    | CorrectStake
    | CorrectChoice
    | Settle
    | Validate
    | Close
    | Declare
    | CallOff
    | Confirm
)
