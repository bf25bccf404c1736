"""Reads a table from its journal, as it stood when the last record was stored."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from croupier.errors import Bug
from croupier.fairness.events import event_from as fairness_event_from
from croupier.house.keeping import Recalled, as_kept, is_same, to_keep
from croupier.house.standing import new_standing
from croupier.ledger.audit import RulesOf, rules_set
from croupier.ledger.entries import Entry
from croupier.ledger.events import TableSet, ledger_event_from
from croupier.ledger.journal import Head, Record, StoredEvent, decode
from croupier.ledger.scribe import Scribe
from croupier.ledger.store import View
from croupier.round.codec import event_from
from croupier.table.codec import event_from as table_event_from
from croupier.table.events import RoundStarted

_OF_ROUND = b'"of":"round"}'


def recall(view: View, stream: str, rules_of: RulesOf) -> Recalled:
    """Read a table from its snapshot, and from its journal after that."""
    return _read(view, _begun(view, stream, rules_of))


def _begun(view: View, stream: str, rules_of: RulesOf) -> Recalled:
    """Return the table of a snapshot, or a new one."""
    kept = view.kept().get(stream)
    if kept is not None:
        rows = view.stream(stream, after=kept.head.number - 1)
        if next((row.head for row in rows), None) == kept.head:
            return as_kept(stream, rules_of, kept)
    return Recalled(None, None, Scribe(stream, rules_of), 0)


def _read(view: View, begun: Recalled, *, upto: int | None = None, stay: bool = True) -> Recalled:
    """Apply the rest of its journal to a table; only its last round is replayed.

    People stay at their posts when other rules are set, unless `stay` is false.
    """
    standing, setting, scribe, rounds, _ = begun
    stream, rules_of = scribe.stream, scribe.auditor.rules_of
    last: list[StoredEvent] = []

    def followed() -> Iterator[StoredEvent]:
        """Yield the rows that the table follows."""
        nonlocal standing, setting, rounds, last
        for row in view.stream(stream, after=begun.scribe.number):
            if upto is not None and row.number > upto:
                return
            yield row
            if row.data.endswith(_OF_ROUND):
                if last and last[0].subject != row.subject:
                    last = []
                last.append(row)
                continue
            record = decode(row.data)
            event = event_of(record)
            rounds += isinstance(event, RoundStarted)
            if isinstance(event, TableSet) and event.equipment and standing is not None:
                standing = standing.with_ways([rules_set(event, rules_of)])
            elif isinstance(event, TableSet):
                before = standing if stay else None
                setting, standing = event, new_standing(rules_set(event, rules_of), before)
                last = []
            elif standing is not None:
                standing = standing.after(record.of, event)
            elif record.of != "ledger":
                raise Bug(f"{stream} event {row.number} comes before any rules")

    scribe.read(followed())
    for row in last:
        if standing is None:
            raise Bug(f"{stream} has a round and no rules")
        standing = standing.after("round", event_from(decode(row.data).event))
    return Recalled(standing, setting, scribe, rounds, begun.kept)


def wrong_standings(view: View, rules_of: RulesOf) -> Iterator[str]:
    """Recompute table snapshots, and yield a fault for each that is stored differently."""
    for stream, kept in view.kept().items():
        number = kept.head.number
        # Older versions left a table's people out of a snapshot once other rules were set.
        for stay in (True, False):
            new = Recalled(None, None, Scribe(stream, rules_of), 0)
            again = to_keep(_read(view, new, upto=number, stay=stay))
            if again and is_same(again, kept):
                break
        else:
            yield f"the snapshot of {stream} at event {number} differs from its journal"


class Missed(NamedTuple):
    """What a table doesn't know that its journal holds."""

    recalled: Recalled
    entries: tuple[Entry, ...]
    """The entries of the events that it missed."""
    sealed: bytes | None
    """The deck of the last round."""


def forgotten(view: View, stream: str, head: Head) -> str:
    """Return a sentence if an acknowledged event is missing from its journal; otherwise ''.

    After a failover, a database may lack the last commits of the one before it.
    """
    number = head.number
    rows = view.stream(stream, after=number - 1) if number else iter(())
    if not number or next((row.head for row in rows), None) == head:
        return ""
    return f"event {number} of {stream} was acknowledged, and is not there any more"


def missed_by(view: View, scribe: Scribe) -> Missed | str | None:
    """Return what was stored after the last event that a scribe knows; or what is forgotten."""
    if because := forgotten(view, scribe.stream, scribe.head):
        return because
    if next(view.stream(scribe.stream, after=scribe.number), None) is None:
        return None
    recalled = recall(view, scribe.stream, scribe.auditor.rules_of)
    posted = view.posted(scribe.stream, after=scribe.number)
    round = recalled.standing.round if recalled.standing else None
    sealed = view.sealed(round.id) if round else None
    return Missed(recalled, tuple(row.entry for row in posted), sealed)


def event_of(record: Record) -> Any:
    """Return an event of a table that is not one of its rounds."""
    match record.of:
        case "table":
            return table_event_from(record.event)
        case "fairness":
            return fairness_event_from(record.event)
        case _:
            return ledger_event_from(record.event)
