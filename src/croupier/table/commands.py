"""What may be asked of a table between its rounds. Time and chance arrive in commands."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from croupier.errors import Refused
from croupier.round.events import Declared
from croupier.round.events import Event as RoundEvent
from croupier.round.state import Round
from croupier.rules.game import Irregularity
from croupier.rules.vocabulary import Device, Person


class Time(NamedTuple):
    """What two clocks show, in whole seconds.

    The wall clock can be set and jump. The other one counts all the time since the machine was
    started, never jumps, and begins anew when the machine is started again.
    """

    wall_s: int
    up_s: int


@dataclass(frozen=True, slots=True)
class Join:
    """Take a seat."""

    seat: int
    player: str


@dataclass(frozen=True, slots=True)
class Leave:
    """Give a seat up."""

    seat: int


@dataclass(frozen=True, slots=True)
class Receive:
    """Receive a deck at the table, in place of the one that had this number."""

    deck: int
    time: Time


@dataclass(frozen=True, slots=True)
class Confirm:
    """Confirm that what a guided clause asks was done with a deck."""

    deck: int
    clause: str
    by: Person


@dataclass(frozen=True, slots=True)
class Shuffle:
    """Shuffle a deck; a shuffler that counts says how many cards it found."""

    deck: int
    cards: int | None = None


@dataclass(frozen=True, slots=True)
class Cut:
    """Put the cover card in, so many cards from the top, and bring all above it underneath."""

    deck: int
    depth: int


@dataclass(frozen=True, slots=True)
class Recut:
    """Have the cards cut again before any is dealt."""

    deck: int
    depth: int
    by: Person


@dataclass(frozen=True, slots=True)
class Count:
    """Count a deck between rounds, where its stub was not counted in time."""

    deck: int
    cards: int


@dataclass(frozen=True, slots=True)
class Fail:
    """Say that a device has failed."""

    device: Device


@dataclass(frozen=True, slots=True)
class Secure:
    """Cover or mark a failed device, as one of the guided clauses asks."""

    device: Device
    clause: str
    by: Person


@dataclass(frozen=True, slots=True)
class Restore:
    """Say that a failed device is in order again."""

    device: Device


@dataclass(frozen=True, slots=True)
class Change:
    """Go over to another equipment: to those of the table's rules that have this digest."""

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
    """Start a round; where the dealer says which deck it is, it has to be that one's turn."""

    round: str
    time: Time
    deck: int | None = None


@dataclass(frozen=True, slots=True)
class DealFirstCard:
    """Deal the first card of the round that was started."""

    time: Time


@dataclass(frozen=True, slots=True)
class EndRound:
    """Take note of how a round ended."""

    round: str
    void: bool = False
    counted: bool = False
    removed: str | None = None
    """The clause by which the deck is removed, if it is."""
    failed: tuple[Device, ...] = ()
    meters: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, round: Round, events: Iterable[RoundEvent]) -> "EndRound":
        """Return what a closed round and its events come to for the table."""
        if not round.closed:
            raise Refused("round_not_over", "the round is not over")
        declared = [event for event in events if isinstance(event, Declared)]
        kinds = [round.rules.irregularities[event.kind] for event in declared]
        return cls(
            round.id,
            void=round.void is not None,
            counted=any(map(counts_stub, kinds)),
            removed=next((e.clause for e in declared if "remove deck" in e.effects), None),
            failed=tuple(dict.fromkeys(kind.device for kind in kinds if kind.device)),
            meters={} if round.void else round.meters,
        )


def counts_stub(irregularity: Irregularity) -> bool:
    """Whether it is the count of the stub: it asks for the cards, and how they were dealt."""
    return {"cards", "misdealt"} <= set(irregularity.takes)


Command = (
    Join
    | Leave
    | Receive
    | Confirm
    | Shuffle
    | Cut
    | Recut
    | Count
    | Fail
    | Secure
    | Restore
    | Change
    | TakeBank
    | PassBank
    | StartRound
    | DealFirstCard
    | EndRound
)
