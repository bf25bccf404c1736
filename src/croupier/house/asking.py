"""Who among a table's staff asks for something, and what the decision depends on."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from croupier.fairness.commitment import Committed
from croupier.house.config import TableConfig
from croupier.house.dealer import Chance
from croupier.ledger.found import PastHand
from croupier.table.commands import Time

HasLost = Callable[[str, str], bool]
"""Whether somebody may not act in a role any longer."""


class Employee(NamedTuple):
    """Somebody who works for the house, and all their roles."""

    person: str
    roles: frozenset[str]


class StaffAsking(NamedTuple):
    """Who asks, in which roles, and what the decision depends on besides the table's standing."""

    person: str
    roles: frozenset[str]
    config: TableConfig
    time: Time
    chance: Chance
    deck: Committed | None
    """The cards of the round in play."""
    round: str
    """The id of the next round."""
    meters: Callable[[], Mapping[str, int]]
    present: frozenset[str] = frozenset()
    closed: Callable[[], Mapping[str, str]] = dict
    """The wagers that can't be made now, with the reason."""
    floors: int = 0
    """How many other tables they have, when they tap in as floorperson."""
    past: PastHand | None = None
    """The hand of an earlier round that a dispute or a wrong payment is about."""
    stopped: str = ""
    """Why no other round is dealt; '' if one is."""
    has_lost: HasLost = lambda _person, _role: False
