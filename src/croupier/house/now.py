"""What a table publishes after each turn: how it stands, and what happened."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from croupier.fairness.commitment import Committed
from croupier.house.clock import Notes
from croupier.house.lately import PastEvent
from croupier.house.standing import Standing
from croupier.house.turn import Stored


class Now(NamedTuple):
    """The whole state of a table, so that it can be shown without asking it again."""

    number: int
    """The number of the last event."""
    standing: Standing
    deck: Committed | None
    """The cards of the last round, hidden ones included."""
    notes: Notes
    meters: Mapping[str, int]
    """What the table's meters show in micros; one that can't be reached is left out."""
    closed: Mapping[str, str]
    """The wagers that can't be made now, with the reason."""


class Told(NamedTuple):
    """What happened: acts that were stored, or events that were found in the journal."""

    stored: Sequence[Stored] = ()
    missed: range = range(0)
    past: Sequence[PastEvent] = ()
    """Those that were missed, at a table where people work."""


NOTHING_HAPPENED = Told()
Listen = Callable[[Now, Told], None]
