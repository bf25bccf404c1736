"""What happens to money and to a table's books outside its rounds, and the entries of it."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from croupier.ledger.accounts import CAGE, HOUSE, account
from croupier.ledger.entries import Move
from croupier.money import micros
from croupier.round.codec import one_of
from croupier.round.state import NOTHING


class TableSet(NamedTuple):
    """From here on a table plays by these rules; all that its entries depend on is said here."""

    rulebook: str
    selections: Mapping[str, object]
    digest: str
    meters: Mapping[str, str] = NOTHING
    """The name of each meter that is not the table's own."""
    validated_cents: int | None = None

    @property
    def given(self) -> dict[str, object]:
        """The selections as an operator gives them: with lists, which a codec reads as tuples."""
        items = self.selections.items()
        return {key: list(v) if isinstance(v, tuple) else v for key, v in items}


class Bought(NamedTuple):
    """A player has bought chips, or was given play chips."""

    player: str
    cents: int


class CashedIn(NamedTuple):
    player: str
    cents: int


class MeterStarted(NamedTuple):
    """The house has put the first money into a meter."""

    meter: str
    micros: int


class AwardValidated(NamedTuple):
    """A floorperson has validated an award, and it is the player's."""

    award: str
    player: str
    micros: int
    by: str


class Restored(NamedTuple):
    """The journal was restored although it is older than a checkpoint that was given away."""

    lost: Mapping[str, int]
    """By stream, how many events that were signed are gone."""


LedgerEvent = TableSet | Bought | CashedIn | MeterStarted | AwardValidated | Restored


def ledger_event_from(data: Any) -> LedgerEvent:
    """Read an event from plain data."""
    event: LedgerEvent = one_of(LedgerEvent, data)
    return event


def moves_of(event: LedgerEvent) -> Iterator[Move]:
    """Yield what an event moves."""
    match event:
        case Bought(player, cents):
            yield Move(CAGE, account("player", player), micros(cents), "bought")
        case CashedIn(player, cents):
            yield Move(account("player", player), CAGE, micros(cents), "cashed in")
        case MeterStarted(meter, amount):
            yield Move(HOUSE, account("meter", meter), amount, "start")
        case AwardValidated(award, player, amount):
            yield Move(account("pending", award), account("player", player), amount, "validated")
        case TableSet() | Restored():
            pass
