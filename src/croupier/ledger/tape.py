"""The tape: what people did, from every stream, by person, act, clause and round. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from croupier.ledger.journal import GENESIS, StoredEvent, decode

WRONG = ("Declared", "CalledOff")
"""The events that are told although nobody made them, as at an automatic table."""
LAPSED = "Lapsed"
"""What the house does to a proposal that nobody answers."""
_BY_NOBODY = (*WRONG, LAPSED)
_ANSWERS = ("Approved", "Declined", "Withdrawn", LAPSED)
_TOLD = (
    *(b'"who":[', b'"by":"', b'"person":"'),
    *(f'"type":"{act}"'.encode() for act in _BY_NOBODY),
)
Proposals = dict[str, Mapping[str, Any]]
"""The open proposals of a stream by id."""
_SAYING = (
    *("wager", "card", "device", "kind", "cause", "answer", "post", "option", "roles", "role"),
    *("table", "meter", "file", "says", "why"),
)
"""What an event says of an act, the most important first."""


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
    says: str
    """What was done, in a few words: what was proposed, declared or answered, where and why."""
    proposer: str
    """Who proposed what is answered, or what has lapsed; '' if nothing was proposed."""

    def as_json(self) -> dict[str, Any]:
        """Return the row as JSON data."""
        return {**self._asdict(), "persons": [*self.persons]}


class Wanted(NamedTuple):
    """A search: an empty text matches anything, and some words of an act are enough."""

    person: str = ""
    act: str = ""
    clause: str = ""
    round: str = ""

    def has(self, row: TapeRow) -> bool:
        """Whether a row matches."""
        return (
            (not self.person or self.person in (*row.persons, row.proposer))
            and in_words(self.act) in in_words(row.act)
            and self.clause in ("", row.clause)
            and self.round in ("", row.round)
        )


def in_words(act: str) -> str:
    """Return the name of an act as words: 'RolesSet' and 'roles set' are 'roles set'."""
    return " ".join(re.sub("([A-Z])", r" \1", act).lower().split())


def tape(
    stored: Iterable[StoredEvent],
    previous: bytes = GENESIS,
    proposals: Proposals | None = None,
) -> Iterator[TapeRow]:
    """Yield what people did in a stream after a hash, and what went wrong there.

    Pass the same dictionary again to read on: an answer says what had been proposed.
    """
    proposals = {} if proposals is None else proposals
    for row in stored:
        if any(word in row.data for word in _TOLD):
            told = _row(row, previous, proposals)
            if told.persons or told.act in _BY_NOBODY:
                yield told
        previous = row.hash


def _says(event: Mapping[str, Any]) -> Iterator[str]:
    """Yield what an event says of an act."""
    command, preview = event.get("command") or {}, event.get("preview")
    does = command.get("kind") or in_words(command.get("type", ""))
    seat = event.get("seat") or command.get("seat")
    found = [preview if isinstance(preview, str) else "", does, seat and f"seat {seat}"]
    found += [event.get(key) for key in _SAYING]
    words = (", ".join(one) if isinstance(one, list) else str(one) for one in found if one)
    yield from (one.replace("_", " ") for one in words)


def _row(row: StoredEvent, previous: bytes, proposals: Proposals) -> TapeRow:
    record = decode(row.data)
    event = record.event
    # In a round and at a table, "by" is the clock or a post; who it was stands beside the event.
    keys = ("by", "approved_by", "person") if record.of in ("house", "ledger") else ("person",)
    named = (event.get(key) for key in keys)
    act, id = str(event["type"]), str(event.get("id"))
    if act == "Proposed":
        proposals[id] = event
    answered = proposals.pop(id, {}) if act in _ANSWERS else {}
    by = answered.get("by", "")
    # The next proposal makes the house say that an earlier one has lapsed: its proposer didn't.
    who = () if act == LAPSED else record.who
    persons = dict.fromkeys([*who, *(one for one in named if isinstance(one, str) and one)])
    return TapeRow(
        stream=row.stream,
        number=row.number,
        time_ms=record.time_ms,
        act=act,
        persons=tuple(persons),
        clause=str(event.get("clause") or event.get("ruling") or ""),
        round=(record.subject or "") if record.of == "round" else str(event.get("round") or ""),
        event=dict(event),
        record=row.data.decode(),
        previous=previous.hex(),
        hash=row.hash.hex(),
        says=": ".join(dict.fromkeys([*_says(answered), *_says(event)])),
        proposer=str(by["person"] if isinstance(by, Mapping) else by),
    )
