"""Snapshots of a table between two rounds, stored beside its journal.

Taking a table up reads its snapshot and the events after it. A snapshot holds nothing of a round
that is over: the next one begins with a clean layout, and its events come after the snapshot.
"""

import json
from dataclasses import fields
from functools import cache
from typing import NamedTuple, get_type_hints

from croupier.house.standing import CutTally, Standing
from croupier.ledger.audit import RulesOf, rules_set
from croupier.ledger.events import TableSet, ledger_event_from
from croupier.ledger.scribe import Scribe
from croupier.ledger.store import Kept
from croupier.reading.reader import ReadValue, reader_of, run
from croupier.round.codec import plain_of, to_plain
from croupier.table.state import Table, new_table

KEEP_EVERY = 500
"""The most events to read after a snapshot, besides those of a round."""
GIVEN = ("rules", "ways")
"""The fields of a table that follow from its rules."""


class Recalled(NamedTuple):
    """A table restored from its journal, and the scribe that continues it."""

    standing: Standing | None
    setting: TableSet | None
    scribe: Scribe
    rounds: int
    """How many rounds were started, under any rules."""
    kept: int = 0
    """The number of the event of its last snapshot."""


def to_keep(recalled: Recalled) -> Kept | None:
    """Return the snapshot of a table; None if it plays by other rules than were set."""
    standing, setting, scribe, rounds, _ = recalled
    if standing is None or setting is None or standing.table.rules.digest != setting.digest:
        return None
    table = {name: plain_of(getattr(standing.table, name)) for name in _readers()}
    data = {"setting": to_plain(setting), "rounds": rounds, "tally": [*standing.tally]}
    return Kept(scribe.head, json.dumps({**data, "table": table}, separators=(",", ":")))


def as_kept(stream: str, rules_of: RulesOf, kept: Kept) -> Recalled:
    """Return the table of a snapshot."""
    data = json.loads(kept.data)
    setting = ledger_event_from(data["setting"])
    assert isinstance(setting, TableSet)
    # A field that was added later isn't in it, and has its default.
    there = {name: read for name, read in _readers().items() if name in data["table"]}
    given = {name: run(read, data["table"][name]) for name, read in there.items()}
    new = new_table(rules_set(setting, rules_of))
    table = Table(new.rules, new.ways, **given)
    standing = Standing(table, tally=CutTally(*data["tally"]))
    scribe = Scribe.at(stream, rules_of, kept.head, setting)
    return Recalled(standing, setting, scribe, data["rounds"], kept.head.number)


def is_same(again: Kept, kept: Kept) -> bool:
    """Whether two snapshots are the same, in any order of fields and without later ones."""
    one, other = json.loads(again.data), json.loads(kept.data)
    one["table"] = {name: one["table"].get(name) for name in other["table"]}
    return again.head == kept.head and bool(one == other)


@cache
def _readers() -> dict[str, ReadValue]:
    """Return the readers of a table's fields."""
    types = get_type_hints(Table)
    return {f.name: reader_of(types[f.name]) for f in fields(Table) if f.name not in GIVEN}
