"""The tape of a desk: what happened last, with the persons who did it and the clause."""

from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from croupier.house.now import Told
from croupier.round.tell import tell
from croupier.table.tell import tell_table

TAPE_MAX = 40


class TapeLine(NamedTuple):
    """One thing that happened."""

    n: int
    time_s: int
    who: tuple[str, ...]
    says: str
    clause: str | None

    def as_json(self) -> dict[str, Any]:
        """Return the line as JSON data."""
        return {**self._asdict(), "who": [*self.who]}


class Tape:
    """The latest things that happened at a table since this process took it over."""

    def __init__(self) -> None:
        self.lines: deque[TapeLine] = deque(maxlen=TAPE_MAX)

    def hear(self, told: Told, *, time_s: int) -> None:
        """Record what happened."""
        self.lines.extend(_lines(told, time_s))

    @property
    def persons(self) -> set[str]:
        """All persons named on it."""
        return {person for line in self.lines for person in line.who}


def _lines(told: Told, time_s: int) -> Iterator[TapeLine]:
    for act, draft, _ in told.stored:
        round, rules = act.standing.round, act.standing.table.rules
        first = draft.scribe.head.number - len(act.happened) + 1
        for number, (of, event, _, after) in enumerate(act.happened, first):
            says = ""
            if of == "round" and (known := after or round) is not None:
                says = tell(known, event)
            elif of == "table":
                says = tell_table(rules, event)
            if says:
                clause = getattr(event, "clause", None) or None
                yield TapeLine(number, time_s, act.who, says, clause)
