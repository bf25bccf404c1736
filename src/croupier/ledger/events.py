"""Money and table events outside of rounds, and their entries."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from croupier.ledger.accounts import CAGE, HOUSE, account
from croupier.ledger.entries import Move
from croupier.money import micros
from croupier.reading import reader_of, run
from croupier.round.state import NOTHING
from croupier.rules.vocabulary import Thing


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

    @property
    def left_out(self) -> tuple[str, ...]:
        """The fields that aren't written, so that automatic tables keep the bytes they had."""
        return () if self.things else ("things",)

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


class AwardValidated(NamedTuple):
    """A floorperson validated an award, and it is the player's."""

    award: str
    player: str
    micros: int
    by: str


class Restored(NamedTuple):
    """The journal was restored from before a published checkpoint."""

    lost: Mapping[str, int]
    """How many signed events are lost, by stream."""


class SeatFreed(NamedTuple):
    """An operator freed a player's seat; the table's own event follows."""

    seat: int
    player: str
    by: str


LedgerEvent = TableSet | Bought | CashedIn | MeterStarted | AwardValidated | Restored | SeatFreed
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
        case AwardValidated(award, player, amount):
            yield Move(account("pending", award), account("player", player), amount, "validated")
        case TableSet() | Restored() | SeatFreed():
            pass
