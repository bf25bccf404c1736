"""Money and table events outside of rounds, and their entries."""

from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from croupier.ledger.accounts import CAGE, HOUSE, Account, account, purse_of
from croupier.ledger.entries import Move
from croupier.money import micros
from croupier.reading.reader import later, reader_of, run
from croupier.round.state import NOTHING
from croupier.rules.vocabulary import Thing


@later("things", "witnessed_cents", "equipment")
class TableSet(NamedTuple):
    """A table plays by these rules from here on; this has all that its entries depend on."""

    rulebook: str
    selections: Mapping[str, object]
    digest: str
    meters: Mapping[str, str] = NOTHING
    """The names of the meters that aren't the table's own."""
    validated_cents: int | None = None
    things: tuple[Thing, ...] = ()
    """What people handle at the table; nothing at an automatic one."""
    witnessed_cents: int | None = None
    """Two people validate an award of at least this sum."""
    equipment: bool = False
    """Whether only the equipment changes: the table goes on with its people, decks and tray."""

    @property
    def given(self) -> dict[str, object]:
        """The selections as an operator gives them: with lists, which the codec reads as tuples."""
        items = self.selections.items()
        return {key: list(v) if isinstance(v, tuple) else v for key, v in items}


class Bought(NamedTuple):
    """A player bought chips, or was given play chips."""

    player: str
    cents: int


class CashedIn(NamedTuple):
    player: str
    cents: int


class MeterStarted(NamedTuple):
    """The house put the first money into a meter."""

    meter: str
    micros: int


class MeterAdjusted(NamedTuple):
    """Two people corrected what a meter shows: the house put something in, or took it out."""

    meter: str
    micros: int
    """What was added; less than zero if it was taken out."""
    why: str


class BalanceAdjusted(NamedTuple):
    """Two people corrected a player's chips: the house gave some, or took them back."""

    player: str
    cents: int
    """What was given; less than zero if it was taken back."""
    why: str

    @property
    def micros(self) -> int:
        return micros(self.cents)


@later("approved_by", "table")
class AwardValidated(NamedTuple):
    """A floorperson validated an award, and it is the player's."""

    award: str
    player: str
    micros: int
    by: str
    approved_by: str = ""
    """The second person, for an award that needs two."""
    table: str = ""
    """The table of a walk-in, whom the cage pays in chips."""


class AwardProposed(NamedTuple):
    """A floorperson proposed to validate or to reject an award, which takes a second person."""

    award: str
    does: Literal["validate", "reject"]
    by: str
    session: str
    """The digest of the session that proposed it."""
    why: str


class AwardDeclined(NamedTuple):
    """What was proposed about an award was declined, or withdrawn by the one who proposed it."""

    award: str
    by: str
    why: str


class AwardRejected(NamedTuple):
    """Two people rejected an award: it is the meter's again, and the house has its reset back."""

    award: str
    meter: str
    micros: int
    reset_micros: int
    by: str
    approved_by: str
    why: str


class Restored(NamedTuple):
    """The journal was restored from before a published checkpoint."""

    lost: Mapping[str, int]
    """How many signed events are lost, by stream."""


class SeatFreed(NamedTuple):
    """An operator freed a player's seat; the table's own event follows."""

    seat: int
    player: str
    by: str


AwardEvent = AwardValidated | AwardProposed | AwardDeclined | AwardRejected
MeterEvent = MeterStarted | MeterAdjusted
PurseEvent = Bought | CashedIn | BalanceAdjusted
LedgerEvent = TableSet | PurseEvent | MeterEvent | AwardEvent | Restored | SeatFreed
_LEDGER_EVENT = reader_of(LedgerEvent)


def ledger_event_from(data: Any) -> LedgerEvent:
    """Parse an event from plain data."""
    event: LedgerEvent = run(_LEDGER_EVENT, data)
    return event


def moves_of(event: LedgerEvent) -> Iterator[Move]:
    """Yield the moves of an event."""
    match event:
        case Bought(player, cents):
            yield Move(CAGE, account("player", player), micros(cents), "bought")
        case CashedIn(player, cents):
            yield Move(account("player", player), CAGE, micros(cents), "cashed in")
        case MeterStarted(meter, amount):
            yield Move(HOUSE, account("meter", meter), amount, "start")
        case MeterAdjusted(meter, amount):
            yield _adjusted(account("meter", meter), amount)
        case BalanceAdjusted(player):
            yield _adjusted(account("player", player), event.micros)
        case AwardValidated(award, player, amount, table=table):
            purse = purse_of(table, player) if table else account("player", player)
            yield Move(account("pending", award), purse, amount, "validated")
        case AwardRejected(award, meter, amount, reset):
            yield Move(account("pending", award), account("meter", meter), amount, "rejected")
            yield Move(account("meter", meter), HOUSE, reset, "reset back")
        case AwardProposed() | AwardDeclined() | TableSet() | Restored() | SeatFreed():
            pass


def _adjusted(of: Account, more: int) -> Move:
    ends = (HOUSE, of) if more > 0 else (of, HOUSE)
    return Move(*ends, abs(more), "adjusted")
