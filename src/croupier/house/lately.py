"""The last events of a table, read from its journal for a desk that didn't see them happen."""

from collections.abc import Iterator
from typing import NamedTuple

from croupier.house.recall import event_of
from croupier.ledger.events import TableSet
from croupier.ledger.journal import decode
from croupier.ledger.scribe import Happened
from croupier.ledger.store import View
from croupier.round.codec import event_from
from croupier.round.evolve import evolve
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules

LATELY = 80
"""How many events are read; not all of them are worth a line."""


class PastEvent(NamedTuple):
    """An event as the journal has it, with the people who made it."""

    number: int
    time_s: int
    who: tuple[str, ...]
    happened: Happened


def lately(view: View, stream: str, rules: TableRules, upto: int) -> tuple[PastEvent, ...]:
    """Return the last events of a table, those since its rules were set."""
    rounds: dict[str, dict[int, Happened]] = {}
    found: list[PastEvent] = []
    for row in view.stream(stream, after=max(upto - LATELY, 0)):
        record = decode(row.data)
        if record.of != "round":
            event = event_of(record)
            happened = Happened(record.of, event, record.subject)
            if isinstance(event, TableSet):
                found.clear()  # Those before it were told by other rules.
                rounds.clear()
                continue
        else:
            if record.subject not in rounds:
                rounds[record.subject] = dict(_replayed(view, record.subject, rules))
            happened = rounds[record.subject][record.number]
        found.append(PastEvent(record.number, record.time_ms // 1000, record.who, happened))
    return tuple(found)


def _replayed(view: View, id: str, rules: TableRules) -> Iterator[tuple[int, Happened]]:
    """Yield the events of a round by their numbers, each with the round after it."""
    round = Round(rules)
    for record in (decode(row.data) for row in view.about(id)):
        if record.of == "round":
            event = event_from(record.event)
            round = evolve(round, event)
            yield record.number, Happened("round", event, id, round)
