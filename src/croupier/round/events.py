"""The events of a round. They hold positions of the deck; only `Shown` holds a face.

They are named tuples, which take a third of the time of other frozen values to create.
"""

from collections.abc import Mapping
from typing import NamedTuple

from croupier.cards import Card
from croupier.reading.reader import later
from croupier.round.commands import AwardAnswer, Cause, Slip
from croupier.round.commands import Shown as Shown
from croupier.round.state import NOTHING, BankResult, Line


@later("counts")
class Opened(NamedTuple):
    round: str
    rulebook: str
    digest: str
    meters: Mapping[str, int] = NOTHING
    counts: bool = False
    """Whether the stub is counted in this round."""


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
    """No more bets: each meter's rise in micros, and the fees taken by seat."""

    rises: Mapping[str, int] = NOTHING
    fees: Mapping[int, int] = NOTHING
    action: int | None = None


class Dealt(NamedTuple):
    """The dealt positions of the deck and where each went, in dealing order."""

    cards: tuple[tuple[int, str, int], ...]
    """Position, place, and the seat for cards dealt to the seats (else 0)."""


class Doubted(NamedTuple):
    """A card was read that had been read before, so the hand stops until the reason is given."""

    position: int
    card: Card
    source: str


class Misread(NamedTuple):
    """A card was misread; nothing of its face is kept."""

    why: Slip


class CardCorrected(NamedTuple):
    """The face of a card that was read wrongly."""

    position: int
    was: Card
    card: Card


class StubCounted(NamedTuple):
    """The stub as the dealer counted it, and all cards together with those dealt and found."""

    stub: int
    cards: int


class ByHand(NamedTuple):
    """The rest of the round was played by hand, and two people entered what the form says."""

    cards: Mapping[str, tuple[Card, ...]]
    chose: Mapping[str, Mapping[str, str]]
    stub: int | None
    action: int | None


class Chose(NamedTuple):
    seat: int
    step: str
    option: str
    by: str = "player"


class StakeCorrected(NamedTuple):
    """A walk-in's stake was another sum than was entered."""

    seat: int
    wager: str
    was: int
    cents: int
    fee: int
    """The seat's fee after it."""
    rises: Mapping[str, int]
    """How much more each meter rises, in micros; negative if less."""


class ChoiceCorrected(NamedTuple):
    """A walk-in's choice was another one than was entered."""

    seat: int
    step: str
    was: str
    option: str


class Declared(NamedTuple):
    """An irregularity, its consequence, and the clause for it."""

    kind: str
    facts: Mapping[str, object]
    effects: tuple[str, ...]
    clause: str
    ruling: str | None = None


class CalledOff(NamedTuple):
    """The system called the round off; every stake is returned."""

    because: str
    ruling: str
    """'' if the book has none on it."""
    cause: Cause = "interrupted"
    """Older journals lack it; it then reads as an interruption."""


class Confirmed(NamedTuple):
    clause: str
    by: str
    about: str = ""
    """The seat, or seat and wager, if it was due at one."""


class MetersRead(NamedTuple):
    """The readings in micros, at settlement, of meters shared with other tables."""

    meters: Mapping[str, int]


class AwardFound(NamedTuple):
    """A progressive win stops its seat: what the meter showed waits, and the meter is reset."""

    seat: int
    wager: str
    hand: str
    cents: int
    meter: str | None
    """The meter that pays it, None if the tray does or if it is only envied."""
    shows: int
    """What the meter shows after it, in micros."""
    two: bool
    """Whether two people validate it."""


class Validated(NamedTuple):
    """The floor answered a progressive win; a rejected one goes back to its meter."""

    seat: int
    wager: str
    answer: AwardAnswer
    why: str


class SeatSettled(NamedTuple):
    """All lines of one seat, and the meters after it."""

    seat: int
    lines: tuple[Line, ...]
    fee: int = 0
    meters: Mapping[str, int] = NOTHING


class PartSettled(NamedTuple):
    """Lines of a seat apart from its own turn: lost wagers taken first, or envy of another hand."""

    seat: int
    lines: tuple[Line, ...]


class Closed(NamedTuple):
    bank: BankResult | None = None


Event = (
    Opened
    | Banked
    | BetMade
    | BetTakenDown
    | BetsClosed
    | Dealt
    | Shown
    | Doubted
    | Misread
    | CardCorrected
    | StubCounted
    | ByHand
    | Chose
    | StakeCorrected
    | ChoiceCorrected
    | Declared
    | CalledOff
    | Confirmed
    | MetersRead
    | AwardFound
    | Validated
    | SeatSettled
    | PartSettled
    | Closed
)
