"""The tape of a desk: what happened last, with the persons who did it and the clause."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from croupier.house.lately import PastEvent
from croupier.house.now import Told
from croupier.round.state import Round
from croupier.round.tell import tell
from croupier.rules.table_rules import TableRules
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
    """The latest things that happened at a table."""

    def __init__(self, past: Iterable[PastEvent], rules: TableRules) -> None:
        self.lines: deque[TapeLine] = deque(maxlen=TAPE_MAX)
        self._add(past, rules, None)

    def hear(self, told: Told, *, time_s: int) -> None:
        """Record what happened."""
        for act, draft, _ in told.stored:
            first = draft.scribe.head.number - len(act.happened) + 1
            events = (
                PastEvent(number, time_s, act.who, happened)
                for number, happened in enumerate(act.happened, first)
            )
            self._add(events, act.standing.table.rules, act.standing.round)

    def find(self, told: Told, rules: TableRules) -> None:
        """Record what was found in the journal, by the rules in force."""
        last = self.lines[-1].n if self.lines else 0
        self._add((one for one in told.past if one.number > last), rules, None)

    def _add(self, events: Iterable[PastEvent], rules: TableRules, round: Round | None) -> None:
        self.lines.extend(_lines(events, rules, round))

    @property
    def persons(self) -> set[str]:
        """All persons named on it."""
        return {person for line in self.lines for person in line.who}


def _lines(
    events: Iterable[PastEvent], rules: TableRules, round: Round | None
) -> Iterator[TapeLine]:
    for number, time_s, who, (of, event, _, after) in events:
        says = ""
        if of == "round" and (known := after or round) is not None:
            says = tell(known, event)
        elif of == "table":
            says = tell_table(rules, event)
        if says:
            clause = getattr(event, "clause", None) or None
            yield TapeLine(number, time_s, who, says, clause)
