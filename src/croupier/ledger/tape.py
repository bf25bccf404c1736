"""The tape: what people did, from every stream, by person, act, clause and round. Pure."""

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from croupier.ledger.journal import GENESIS, StoredEvent, decode

_TOLD = (b'"who":[', b'"by":"', b'"person":"', b'"type":"Declared"', b'"type":"CalledOff"')


class TapeRow(NamedTuple):
    """One act: who did what, by which clause, in which round; and the proof of its record."""

    stream: str
    number: int
    time_ms: int
    act: str
    persons: tuple[str, ...]
    clause: str
    round: str
    event: dict[str, Any]
    record: str
    """The record as stored; its hash is the SHA-256 of the hash before it and these bytes."""
    previous: str
    hash: str

    def as_json(self) -> dict[str, Any]:
        """Return the row as JSON data."""
        return {**self._asdict(), "persons": [*self.persons]}


class Wanted(NamedTuple):
    """What to look for; an empty text is anything, and some words of an act are enough."""

    person: str = ""
    act: str = ""
    clause: str = ""
    round: str = ""

    def has(self, row: TapeRow) -> bool:
        """Whether a row is looked for."""
        return (
            (not self.person or self.person in row.persons)
            and in_words(self.act) in in_words(row.act)
            and self.clause in ("", row.clause)
            and self.round in ("", row.round)
        )


def in_words(act: str) -> str:
    """Return the name of an act as words: 'RolesSet' and 'roles set' are 'roles set'."""
    return " ".join(re.sub("([A-Z])", r" \1", act).lower().split())


def tape(stored: Iterable[StoredEvent], previous: bytes = GENESIS) -> Iterator[TapeRow]:
    """Yield what people did in a stream after a hash, and what went wrong there."""
    for row in stored:
        if any(word in row.data for word in _TOLD):
            yield _row(row, previous)
        previous = row.hash


def _row(row: StoredEvent, previous: bytes) -> TapeRow:
    record = decode(row.data)
    event = record.event
    named = (event.get(key) for key in ("by", "approved_by", "person"))
    persons = dict.fromkeys([*record.who, *(one for one in named if isinstance(one, str) and one)])
    return TapeRow(
        stream=row.stream,
        number=row.number,
        time_ms=record.time_ms,
        act=str(event["type"]),
        persons=tuple(persons),
        clause=str(event.get("clause") or event.get("ruling") or ""),
        round=(record.subject or "") if record.of == "round" else str(event.get("round") or ""),
        event=dict(event),
        record=row.data.decode(),
        previous=previous.hex(),
        hash=row.hash.hex(),
    )
