"""Random rounds of all books for the tests of the ledger, with names for everybody."""

import random
from typing import Any

from croupier.errors import UserError
from croupier.ledger.entries import Setting
from croupier.round.events import Event, Opened
from croupier.round.file import Played
from croupier.round.settler import Settler
from tests.reference.rounds import random_round


def random_file(id: str, seed: str) -> dict[str, Any]:
    """Return a random round file in which every seat and the banker have a name."""
    file = random_round(id, random.Random(seed))
    for seat in file["seats"]:
        seat.setdefault("player", f"p{seat['seat']}")
    if "banker" in file:
        file["banker"]["player"] = "the banker"
    return file


def played(settler: Settler, file: dict[str, Any]) -> Played | None:
    """Return the round played to its end, or None where the engine refuses the file."""
    try:
        return settler.played(file)
    except UserError:
        return None


def events_of(played: Played, round: str) -> tuple[Event, ...]:
    """Return the events of a round file, with a name for the round."""
    opened, *rest = played.events
    assert isinstance(opened, Opened)
    return opened._replace(round=round), *rest


SETTING = Setting("t1")
