"""What is said of events to those at a table. What is nobody's business is a bare number."""

from typing import Any

from croupier.round.codec import to_plain
from croupier.round.events import Confirmed
from croupier.round.tell import tell
from croupier.server.standing import Act


def tidings_of(act: Act, first: int) -> list[dict[str, Any]]:
    """Return what is said of an act's events, numbered from the first one on."""
    round = act.standing.round
    told: list[dict[str, Any]] = []
    for number, (of, event, _) in enumerate(act.happened, first):
        if of == "ledger":
            told.append({"n": number})
            continue
        said: dict[str, Any] = {"n": number, "of": of, "event": to_plain(event)}
        if of == "round" and round is not None and not isinstance(event, Confirmed):
            said["says"] = tell(round, event)
        told.append(said)
    return told
