"""What has happened in a round. Events hold positions of the deck; only `Shown` holds a face."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from croupier.cards import Card
from croupier.round.state import BankResult, Line


@dataclass(frozen=True, slots=True)
class Opened:
    round: str
    rulebook: str
    digest: str
    meters: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Banked:
    seat: int
    player: str
    funds: int


@dataclass(frozen=True, slots=True)
class BetMade:
    seat: int
    player: str
    wager: str
    cents: int
    hand: int | None = None


@dataclass(frozen=True, slots=True)
class BetTakenDown:
    seat: int
    wager: str


@dataclass(frozen=True, slots=True)
class BetsClosed:
    """No more bets: what each meter rises by, in micros, and the fees taken by seat."""

    rises: Mapping[str, int] = field(default_factory=dict)
    fees: Mapping[int, int] = field(default_factory=dict)
    action: int | None = None


@dataclass(frozen=True, slots=True)
class Dealt:
    """Positions of the deck and where each went, in the order of the deal."""

    cards: tuple[tuple[int, str, int], ...]
    """Position, place, and the seat where the place is the seats (0 elsewhere)."""


@dataclass(frozen=True, slots=True)
class Shown:
    position: int
    card: Card
    salt: str = ""


@dataclass(frozen=True, slots=True)
class Chose:
    seat: int
    step: str
    option: str
    by: str = "player"


@dataclass(frozen=True, slots=True)
class Declared:
    """An irregularity, what follows from it, and the clause that says so."""

    kind: str
    facts: Mapping[str, object]
    effects: tuple[str, ...]
    clause: str
    ruling: str | None = None


@dataclass(frozen=True, slots=True)
class Confirmed:
    clause: str
    by: str


@dataclass(frozen=True, slots=True)
class MetersRead:
    """What meters that other tables move too show when the settling begins, in micros."""

    meters: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class SeatSettled:
    """All lines of one seat, and what the meters show after it."""

    seat: int
    lines: tuple[Line, ...]
    fee: int = 0
    meters: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Closed:
    """The round is over."""

    bank: BankResult | None = None


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
    | Confirmed
    | MetersRead
    | SeatSettled
    | Closed
)
