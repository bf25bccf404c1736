"""Turns events into what a store appends.

A draft changes nothing: its scribe replaces the old one only once the store has the draft.
"""

from collections.abc import Iterable
from copy import copy
from typing import Any, NamedTuple

from croupier.ledger.accounts import Account, account
from croupier.ledger.audit import Auditor, RulesOf
from croupier.ledger.entries import Entry, post
from croupier.ledger.events import TableSet
from croupier.ledger.journal import START, Head, Record, StoredEvent, Vocabulary, decode, encode
from croupier.ledger.store import NewEvent
from croupier.round.codec import to_plain
from croupier.round.events import Closed, Opened
from croupier.round.state import Round

# Bytes found in stored records, so that most records can be skipped without decoding.
_SETS, _OF_ROUND, _OPENS = b'"of":"ledger"}', b'"of":"round"}', b'"type":"Opened"'


class Happened(NamedTuple):
    """An event, its kind, and its subject where the event doesn't name it."""

    of: Vocabulary
    event: Any
    subject: str = ""
    after: Round | None = None
    """The round after it, where the decision already computed it."""


class Draft(NamedTuple):
    """What is to be appended, and the scribe that continues after it."""

    scribe: "Scribe"
    events: tuple[NewEvent, ...]
    emptied: tuple[Account, ...]
    plain: tuple[dict[str, Any], ...]
    """The events as plain data, in order."""


class Scribe:
    """Tracks the head of a stream and computes the entries of its events."""

    __slots__ = ("auditor", "head", "stream")

    def __init__(self, stream: str, rules_of: RulesOf) -> None:
        self.stream, self.head = stream, START
        self.auditor = Auditor(stream, rules_of)

    @classmethod
    def at(cls, stream: str, rules_of: RulesOf, head: Head, setting: TableSet) -> "Scribe":
        """Return a scribe between two rounds, after an event and under the last rules set."""
        scribe = cls(stream, rules_of)
        scribe.auditor.ledger_entries(head.number, setting)
        scribe.head = head
        return scribe

    @property
    def number(self) -> int:
        """The number of the stream's last event."""
        return self.head.number

    def read(self, stored: Iterable[StoredEvent]) -> "Scribe":
        """Catch up with stored records.

        What comes next depends only on the last rules set and on the last round; recomputing the
        entries of earlier rounds is left to `verify`.
        """
        needed: list[StoredEvent] = []
        for row in stored:
            self.head = row.head
            if row.data.endswith(_SETS) or row.data.endswith(_OF_ROUND):
                if _OPENS in row.data:
                    needed = [other for other in needed if other.data.endswith(_SETS)]
                needed.append(row)
        for row in needed:
            self.auditor.entries(decode(row.data))
        return self

    def draft(
        self, happened: Iterable[Happened], *, time_ms: int, who: tuple[str, ...] = ()
    ) -> Draft:
        """Return the draft of new events, made by these persons if by any."""
        after = Scribe.__new__(Scribe)
        auditor = copy(self.auditor)
        after.stream, after.auditor = self.stream, auditor
        head = self.head
        events: list[NewEvent] = []
        emptied: list[Account] = []
        plains: list[dict[str, Any]] = []
        for of, event, subject, round in happened:
            number = head.number + 1
            entries: tuple[Entry, ...] = ()
            if of == "round":
                if isinstance(event, Opened):
                    auditor.open(event)
                auditor.posting, entries = post(auditor.posting, event, round)
                subject = auditor.posting.round.id
            elif of == "ledger":
                entries = auditor.ledger_entries(number, event)
            elif of == "table" and getattr(event, "posted", False):
                entries = auditor.table_entries(number, event)
            if isinstance(event, TableSet):
                subject = event.digest
            if isinstance(event, Closed):
                emptied += [account("layout", subject), account("bank", subject)]
            plains.append(to_plain(event))
            record = Record(self.stream, number, time_ms, subject, of, plains[-1], who)
            data = encode(record)
            head = head.after(data)
            events.append(NewEvent(data, time_ms, subject, entries))
        after.head = head
        return Draft(after, tuple(events), tuple(emptied), tuple(plains))
