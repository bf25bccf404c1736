"""What viewers are told of events. An event that is nobody's business is a bare number."""

from typing import Any

from croupier.house.now import Told
from croupier.round.events import Confirmed
from croupier.round.tell import tell


def tidings_of(told: Told) -> list[dict[str, Any]]:
    """Return what viewers are told of events, with their numbers."""
    events: list[dict[str, Any]] = [{"n": number} for number in told.missed]
    for act, draft, _ in told.stored:
        round = act.standing.round
        first = draft.scribe.head.number - len(act.happened) + 1
        happened = zip(act.happened, draft.plain, strict=True)
        for number, ((of, event, *_), plain) in enumerate(happened, first):
            if of == "ledger":
                events.append({"n": number})
                continue
            one: dict[str, Any] = {"n": number, "of": of, "event": plain}
            if of == "round" and round is not None and not isinstance(event, Confirmed):
                one["says"] = tell(round, event)
            events.append(one)
    return events
