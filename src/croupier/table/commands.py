"""The commands of a table between its rounds. Time and chance arrive in commands."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from croupier.cards import Card
from croupier.rules.vocabulary import Device, Keeper
from croupier.table.crew import Post, Role, Who
from croupier.table.tray import ChipsWhy


class Time(NamedTuple):
    """The readings of two clocks, in whole seconds.

    The wall clock can be set and can jump. The uptime clock never jumps, and restarts at zero with
    the machine.
    """

    wall_s: int
    up_s: int


@dataclass(frozen=True, slots=True)
class Join:
    """Take a seat."""

    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class SeatWalkIn:
    """Seat a player with chips on the felt, without an account or a screen."""

    seat: int


@dataclass(frozen=True, slots=True)
class Mispay:
    """Say what a walk-in was handed on a settled wager instead of what was due."""

    seat: int
    wager: str
    paid: int
    """In cents, the stake that came back included."""
    round: str = ""
    due: int = 0
    """What the settlement says; the house fills it in."""
    player: str = ""
    """Whose wager it was; the house fills it in."""


@dataclass(frozen=True, slots=True)
class Recall:
    """Record the cards that were found when a hand of a past round was laid out again (11.E).

    Nobody names virtual cards: they stay sealed, and are shown to the people who recall them.
    """

    round: str
    seat: int
    cards: tuple[Card, ...] = ()
    hidden: bool = False
    """Whether it is a virtual hand that was never turned up; the house fills it in."""


@dataclass(frozen=True, slots=True)
class CorrectPay:
    """Say that a mispay was put right at the felt."""

    round: str
    seat: int
    wager: str


@dataclass(frozen=True, slots=True)
class Dispute:
    """Note that a hand of a round is contested; it stops nothing."""

    seat: int
    round: str
    about: str
    player: str = ""
    """Whose hand it was; the house fills it in."""


@dataclass(frozen=True, slots=True)
class LetStand:
    """Answer a dispute: everything stands as it is."""

    dispute: str
    why: str


@dataclass(frozen=True, slots=True)
class SetRight:
    """Answer a dispute: it was put right, and a sum handed over, or none."""

    dispute: str
    why: str
    cents: int = 0
    to: Literal["player", "house"] = "player"


@dataclass(frozen=True, slots=True)
class Leave:
    """Give up a seat."""

    seat: int


@dataclass(frozen=True, slots=True)
class Receive:
    """Receive a deck at the table, replacing the one with this number."""

    deck: int
    time: Time


@dataclass(frozen=True, slots=True)
class Confirm:
    """Confirm that the action of a guided clause was done with a deck."""

    deck: int
    clause: str
    by: Keeper


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Shuffle a deck; a counting shuffler reports how many cards it found."""

    deck: int
    cards: int | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """Insert the cover card `depth` cards from the top, and move all above it to the bottom.

    Nobody counts the depth of a real cut: without one, the dealer attests that it is deep enough.
    """

    deck: int
    depth: int | None = None


@dataclass(frozen=True, slots=True)
class Recut:
    """Cut the cards again before any is dealt."""

    deck: int
    depth: int | None
    by: Keeper


@dataclass(frozen=True, slots=True)
class Count:
    """Count a deck between rounds, if its stub wasn't counted in time."""

    deck: int
    cards: int


@dataclass(frozen=True, slots=True)
class OrderShuffle:
    """Order that a deck be shuffled again, before any card of it is dealt."""

    deck: int
    by: Keeper


@dataclass(frozen=True, slots=True)
class Idle:
    """Note that the table is idle although seats are taken."""

    by: Keeper


@dataclass(frozen=True, slots=True)
class Fail:
    """Report a failed device, and whether it can still be used."""

    device: Device
    usable: bool = False


@dataclass(frozen=True, slots=True)
class Secure:
    """Cover or mark a failed device, as a guided clause requires."""

    device: Device
    clause: str
    by: Keeper


@dataclass(frozen=True, slots=True)
class Restore:
    """Report a failed device as working again."""

    device: Device


@dataclass(frozen=True, slots=True)
class Change:
    """Switch to other equipment: the table's rules with this digest."""

    digest: str


@dataclass(frozen=True, slots=True)
class TakeBank:
    """Take the bank of the next round and put up funds."""

    seat: int
    funds: int


@dataclass(frozen=True, slots=True)
class PassBank:
    """Pass, or waive, the turn to bank."""

    seat: int


@dataclass(frozen=True, slots=True)
class StartRound:
    """Start a round; if the dealer names a deck, it must be that deck's turn."""

    round: str
    time: Time
    deck: int | None = None


@dataclass(frozen=True, slots=True)
class DealFirstCard:
    """Deal the first card of the started round."""

    time: Time


@dataclass(frozen=True, slots=True)
class EndRound:
    """Record how a round ended."""

    round: str
    void: bool = False
    counted: bool = False
    removed: str | None = None
    """The clause that removes the deck, if any."""
    all_decks: bool = False
    """Whether it removes every deck of the table."""
    failed: tuple[Device, ...] = ()
    """The devices that had a fault; people say whether they can still be used."""
    meters: Mapping[str, int] = field(default_factory=dict)
    chips: int = 0
    """The cents that walk-ins lost to the tray, negative if they won."""
    bets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """What each walk-in bet before the deal: cents by wager."""


@dataclass(frozen=True, slots=True)
class UndoRound:
    """Let the last round come to nothing, before another one starts."""

    round: str
    meters: Mapping[str, int] = field(default_factory=dict)
    chips: int = 0
    """The cents that the tray had won from walk-ins in it."""


@dataclass(frozen=True, slots=True)
class CountTray:
    """Give what a person counted in the chip tray, without knowing the other's figure."""

    by: Keeper
    cents: int = 0
    chips: Mapping[int, int] = field(default_factory=dict)
    """How many of each chip, by its cents: the sum follows, and isn't given."""


@dataclass(frozen=True, slots=True)
class OpenTable:
    """Open the table; `sign` is the code printed on the sign that is posted there."""

    sign: str = ""


@dataclass(frozen=True, slots=True)
class CloseTable:
    """Close the table: now, or after the round in play and the count of the tray."""


@dataclass(frozen=True, slots=True)
class MoveChips:
    """Bring chips to the tray, take some out of it, or collect the cash of the drop box."""

    why: ChipsWhy
    cents: int


@dataclass(frozen=True, slots=True)
class TapIn:
    """Take a post at the table; if it is taken, `agreed` is who hands it over."""

    person: str
    post: Post
    agreed: str = ""
    """Who is relieved, while it is proposed; then the person who approved the handover."""


@dataclass(frozen=True, slots=True)
class TapOut:
    """Leave a post."""

    person: str
    dismissed: bool = False
    """Whether the house ends it, because the person lost the role."""


Of = Literal["round", "table", "ledger"]
"""Whose vocabulary a proposed command is of."""
DeckFate = Literal["stays", "reshuffled", "removed", "all removed"]
"""What becomes of the deck in play, or of all decks of the table."""


@dataclass(frozen=True, slots=True)
class Preview:
    """What a command would do now, and who has to agree to it."""

    events: str
    """The digest of the events that it would cause."""
    clause: str = ""
    says: str = ""
    """The clause in words."""
    ruling: str | None = None
    returns: Mapping[int, int] = field(default_factory=dict)
    """The cents that come back to each seat that it decides."""
    undoes: Mapping[int, int] = field(default_factory=dict)
    """The cents that each seat was given, and gives back because it is settled anew (T13)."""
    adjusts: int = 0
    """What is added to a meter or a player's chips, in micros; less than zero if taken out."""
    deck: DeckFate = "stays"
    voids: bool = False
    stands: bool = False
    """Whether the book demands it, so that the proposal never lapses."""
    propose: tuple[Role, ...] = ()
    approve: tuple[Role, ...] = ()
    """Who may approve it; nobody has to where one person is enough."""


@dataclass(frozen=True, slots=True)
class Propose:
    """Propose a command that takes a second person."""

    of: Of
    command: Mapping[str, object]
    """As plain data, with its type."""
    why: str
    by: Who
    time: Time
    preview: Preview


@dataclass(frozen=True, slots=True)
class Approve:
    """Approve a proposal; `preview` is what its command would do now."""

    id: str
    by: Who
    time: Time
    preview: Preview


@dataclass(frozen=True, slots=True)
class Withdraw:
    """Take back your own proposal."""

    id: str
    by: Who


@dataclass(frozen=True, slots=True)
class Decline:
    """Refuse to approve a proposal."""

    id: str
    by: Who
    why: str


@dataclass(frozen=True, slots=True)
class Lapse:
    """Close a proposal that wasn't answered in time."""

    id: str
    time: Time


Command = (
    Join
    | SeatWalkIn
    | Mispay
    | CorrectPay
    | Recall
    | Dispute
    | LetStand
    | SetRight
    | Leave
    | Receive
    | Confirm
    | Shuffle
    | Cut
    | Recut
    | Count
    | OrderShuffle
    | Idle
    | Fail
    | Secure
    | Restore
    | Change
    | TakeBank
    | PassBank
    | StartRound
    | DealFirstCard
    | EndRound
    | UndoRound
    | CountTray
    | OpenTable
    | CloseTable
    | MoveChips
    | TapIn
    | TapOut
    | Propose
    | Approve
    | Withdraw
    | Decline
    | Lapse
)
