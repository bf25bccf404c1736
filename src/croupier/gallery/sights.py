"""What each role sees of a table besides its scene. Nobody sees a hidden card."""

from collections.abc import Mapping, Set

from croupier.gallery.frames import encode
from croupier.house.desk import desk_of
from croupier.house.now import Now
from croupier.table import events as happened

SEES_DESK = frozenset({"dealer", "floor", "surveillance"})
OF_STAFF = (
    happened.TappedIn,
    happened.TappedOut,
    happened.Proposed,
    happened.Approved,
    happened.Withdrawn,
    happened.Declined,
    happened.Lapsed,
)
"""Events that are told to the desk alone; others learn only that something happened."""


def sees_desk(roles: Set[str]) -> bool:
    """Whether somebody with these roles sees the desk of a table."""
    return not SEES_DESK.isdisjoint(roles)


def desk_frame(now: Now, names: Mapping[str, str]) -> str:
    """Return the frame with the desk of a table, and what the people on it are called."""
    table = now.standing.table
    people = {*table.crew, *(one.by.person for one in table.proposals)} - {""}
    called = {person: names.get(person, person) for person in sorted(people)}
    desk = {**desk_of(now.standing), "names": called}
    return encode({"type": "desk", "v": now.number, "desk": desk})
