"""The events of a table between its rounds."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from croupier.cards import Card
from croupier.reading.reader import later
from croupier.round.state import Banker
from croupier.rules.vocabulary import Device, Keeper
from croupier.table.commands import Of, Preview, Time
from croupier.table.crew import Post, Who
from croupier.table.tray import ChipsWhy


@dataclass(frozen=True, slots=True)
class Joined:
    seat: int
    player: str


@later("posted")
@dataclass(frozen=True, slots=True)
class Mispaid:
    """A walk-in was handed another sum than was due; both are kept, in cents."""

    round: str
    seat: int
    player: str
    wager: str
    due: int
    paid: int
    posted: bool = False
    """Whether the ledger has an entry of it; older journals have none."""


@later("posted")
@dataclass(frozen=True, slots=True)
class PayCorrected:
    """A mispay was put right: this sum was handed to the player, or taken back if negative."""

    round: str
    seat: int
    player: str
    wager: str
    cents: int
    posted: bool = False
    """Whether the ledger has an entry of it; older journals have none."""


@later("hidden")
@dataclass(frozen=True, slots=True)
class HandRecalled:
    """A hand of a past round was laid out again: the cards that were found in the rack for it.

    A virtual hand stays sealed, so the journal says only that it was recalled, and by whom.
    """

    round: str
    seat: int
    cards: tuple[Card, ...]
    hidden: bool = False
    """Whether the hand was never turned up, so that two people recall it."""


@dataclass(frozen=True, slots=True)
class Disputed:
    """A hand of a round is contested."""

    id: str
    round: str
    seat: int
    player: str
    about: str


@dataclass(frozen=True, slots=True)
class Stands:
    """A dispute is closed, and everything stands as it is."""

    dispute: str
    why: str


@dataclass(frozen=True, slots=True)
class Corrected:
    """A dispute is closed: the player was handed this sum, or gave it back if negative."""

    dispute: str
    round: str
    seat: int
    player: str
    cents: int
    why: str

    @property
    def posted(self) -> bool:
        """Whether the ledger has an entry of it."""
        return self.cents != 0


DisputeEvent = Disputed | Stands | Corrected


@dataclass(frozen=True, slots=True)
class Left:
    seat: int


@dataclass(frozen=True, slots=True)
class Received:
    deck: int
    time: Time


@dataclass(frozen=True, slots=True)
class Confirmed:
    deck: int
    clause: str
    by: Keeper


@dataclass(frozen=True, slots=True)
class Shuffled:
    deck: int
    counted: bool = False


@dataclass(frozen=True, slots=True)
class CutMade:
    """The cards were cut at this depth; if by a floorperson, it is a recut."""

    deck: int
    depth: int | None
    """None for a real cut, which the dealer attests to be deep enough."""
    by: Keeper = "dealer"


@dataclass(frozen=True, slots=True)
class Counted:
    deck: int
    cards: int


@dataclass(frozen=True, slots=True)
class DeckRemoved:
    deck: int
    clause: str


@dataclass(frozen=True, slots=True)
class ShuffleOrdered:
    deck: int
    clause: str
    by: Keeper


@dataclass(frozen=True, slots=True)
class Idled:
    """The floor noted that the table is idle."""

    by: Keeper


@later("usable")
@dataclass(frozen=True, slots=True)
class Failed:
    """A device had a fault; it can still be used or not, None if that isn't known yet."""

    device: Device
    clause: str
    usable: bool | None = False


@dataclass(frozen=True, slots=True)
class Secured:
    device: Device
    clause: str
    by: Keeper


@dataclass(frozen=True, slots=True)
class Restored:
    device: Device


@dataclass(frozen=True, slots=True)
class Changed:
    digest: str


@dataclass(frozen=True, slots=True)
class BankTaken:
    seat: int
    player: str
    funds: int


@dataclass(frozen=True, slots=True)
class BankPassed:
    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class RoundStarted:
    """A round may take bets, with this deck.

    The number of its order is never reused: a commitment holds for one order.
    """

    round: str
    time: Time
    deck: int
    order: int
    banker: Banker | None = None


@dataclass(frozen=True, slots=True)
class FirstCardDealt:
    """Cards leave the deck; `order` differs from the start if the deck was recut since."""

    round: str
    time: Time
    deck: int
    order: int


@later("chips", "bets")
@dataclass(frozen=True, slots=True)
class RoundEnded:
    round: str
    deck: int
    void: bool = False
    counted: bool = False
    meters: Mapping[str, int] = field(default_factory=dict)
    chips: int = 0
    """The cents that the tray won from walk-ins."""
    bets: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """What each walk-in bet before the deal: cents by wager."""


@dataclass(frozen=True, slots=True)
class RoundUndone:
    """A round that was over comes to nothing after all (Singapore 5.4)."""

    round: str
    meters: Mapping[str, int] = field(default_factory=dict)
    chips: int = 0
    """The cents that the tray had won from walk-ins in it, and gives back."""


@later("chips")
@dataclass(frozen=True, slots=True)
class TrayCounted:
    """One of two people counted the tray; their figures are kept, equal or not."""

    by: Keeper
    cents: int
    chips: Mapping[int, int] = field(default_factory=dict)
    """How many of each chip, by its cents."""


@dataclass(frozen=True, slots=True)
class TrayAgreed:
    """Both counted the same sum; `expected` is the journal's, None before the first count."""

    cents: int
    expected: int | None = None


@later("posted")
@dataclass(frozen=True, slots=True)
class ChipsMoved:
    why: ChipsWhy
    cents: int
    posted: bool = False
    """Whether the ledger has an entry of it; older journals have none."""


@dataclass(frozen=True, slots=True)
class TableOpened:
    """The table takes wagers; the sign there had this code, '' where none is posted."""

    sign: str = ""


@dataclass(frozen=True, slots=True)
class TableClosing:
    """No further round starts."""


@dataclass(frozen=True, slots=True)
class TableClosed:
    """The table is closed, and its decks have left it."""


@dataclass(frozen=True, slots=True)
class TappedIn:
    """A person took a post; in a handover, `agreed` is who approved it."""

    person: str
    post: Post
    agreed: str = ""


@dataclass(frozen=True, slots=True)
class TappedOut:
    person: str


@dataclass(frozen=True, slots=True)
class Proposed:
    """A person proposed a command; its preview says what it would do."""

    id: str
    of: Of
    command: Mapping[str, object]
    why: str
    by: Who
    time: Time
    round: str
    preview: Preview

    @property
    def kind(self) -> str:
        """The type of the command."""
        return str(self.command.get("type"))


@dataclass(frozen=True, slots=True)
class Approved:
    """Another person approved a proposal; the events of its command follow."""

    id: str
    by: Who


@dataclass(frozen=True, slots=True)
class Withdrawn:
    id: str
    by: Who


@dataclass(frozen=True, slots=True)
class Declined:
    id: str
    by: Who
    why: str


@dataclass(frozen=True, slots=True)
class Lapsed:
    id: str
    time: Time


Event = (
    Joined
    | Mispaid
    | PayCorrected
    | HandRecalled
    | Disputed
    | Stands
    | Corrected
    | Left
    | Received
    | Confirmed
    | Shuffled
    | CutMade
    | Counted
    | DeckRemoved
    | ShuffleOrdered
    | Idled
    | Failed
    | Secured
    | Restored
    | Changed
    | BankTaken
    | BankPassed
    | RoundStarted
    | FirstCardDealt
    | RoundEnded
    | RoundUndone
    | TrayCounted
    | TrayAgreed
    | ChipsMoved
    | TableOpened
    | TableClosing
    | TableClosed
    | TappedIn
    | TappedOut
    | Proposed
    | Approved
    | Withdrawn
    | Declined
    | Lapsed
)
