"""What each role sees of a table besides its scene, never a hidden card."""

from collections.abc import Mapping, Set
from typing import Any

from croupier.gallery.frames import encode
from croupier.gallery.payout import settling_of
from croupier.gallery.tape import Tape
from croupier.house.desk import desk_of
from croupier.house.moments import countdowns
from croupier.house.now import Now
from croupier.round.commands import Settle
from croupier.table import events as happened
from croupier.table.commands import Time

SEES_DESK = frozenset({"dealer", "floor", "surveillance"})
OF_STAFF = (
    happened.TrayCounted,
    happened.TrayAgreed,
    happened.ChipsMoved,
    happened.TappedIn,
    happened.TappedOut,
    happened.Proposed,
    happened.Approved,
    happened.Withdrawn,
    happened.Declined,
    happened.Lapsed,
    happened.Mispaid,
    happened.PayCorrected,
    happened.HandRecalled,
    happened.Disputed,
    happened.Stands,
    happened.Corrected,
)
"""Events that are told to the desk alone; others learn only that something happened."""


def sees_desk(roles: Set[str]) -> bool:
    """Whether these roles see the desk of a table."""
    return not SEES_DESK.isdisjoint(roles)


def desk_seen(
    now: Now,
    names: Mapping[str, str],
    *,
    tape: Tape,
    time: Time,
    validated: int | None,
) -> dict[str, Any]:
    """Return the desk of a table as those who work there see it, with what people are called.

    The house has the floor validate progressive wins of `validated` cents.
    """
    table = now.standing.table
    people = {*table.crew, *(one.by.person for one in table.proposals), *tape.persons}
    people |= {*table.seats.values(), now.notes.company.called} - {""}
    desk = desk_of(now.standing, now.closed, time=time, stopped=now.notes.company.stopped)
    settling = None
    if (desk["next"]["command"] or {}).get("type") == Settle.__name__:
        settling = settling_of(table, now.standing.in_play, now.meters, validated=validated)
    if settling and settling["does"]:  # No card is read before it, and the button says so.
        desk = {**desk, "read": None, "next": {**desk["next"], "does": settling["does"]}}
    return {
        **desk,
        "settling": settling,
        "countdowns": [*countdowns(table, time)],
        "called": now.notes.company.called or None,
        "tape": [line.as_json() for line in tape.lines],
        "names": {person: names.get(person, person) for person in sorted(people - {""})},
    }


def desk_frame(number: int, desk: Mapping[str, Any]) -> str:
    """Return the frame with the desk of a table."""
    return encode({"type": "desk", "v": number, "desk": desk})
