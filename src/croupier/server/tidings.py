"""What is said of events to those at a table. What is nobody's business is a bare number."""

from typing import Any

from croupier.ledger.scribe import Draft
from croupier.round.events import Confirmed
from croupier.round.tell import tell
from croupier.server.standing import Act


def tidings_of(act: Act, draft: Draft) -> list[dict[str, Any]]:
    """Return what is said of an act's events, with their numbers."""
    round = act.standing.round
    told: list[dict[str, Any]] = []
    first = draft.scribe.number - len(act.happened) + 1
    happened = zip(act.happened, draft.plain, strict=True)
    for number, ((of, event, *_), plain) in enumerate(happened, first):
        if of == "ledger":
            told.append({"n": number})
            continue
        said: dict[str, Any] = {"n": number, "of": of, "event": plain}
        if of == "round" and round is not None and not isinstance(event, Confirmed):
            said["says"] = tell(round, event)
        told.append(said)
    return told
