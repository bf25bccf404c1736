"""Writes events down: from what has happened at a table to what its store appends.

A draft changes nothing: only when the store has it does its scribe take the place of the old one.
"""

from collections.abc import Iterable
from typing import Any, NamedTuple

from croupier.ledger.accounts import Account, account
from croupier.ledger.audit import Auditor, RulesOf
from croupier.ledger.entries import Entry
from croupier.ledger.events import TableSet
from croupier.ledger.journal import START, Head, Of, Record, Stored, chained, decode, encode
from croupier.ledger.store import NewEvent
from croupier.round.codec import to_plain
from croupier.round.events import Closed
from croupier.round.state import Round

# How stored records end, or what is in them: so most need not be decoded to be passed over.
_SETS, _OF_ROUND, _OPENS = b'"of":"ledger"}', b'"of":"round"}', b'"type":"Opened"'


class Happened(NamedTuple):
    """An event, whose it is, and what it is about, where it does not say so itself."""

    of: Of
    event: Any
    subject: str = ""
    after: Round | None = None
    """The round after it, where whoever decided it knows it."""


class Draft(NamedTuple):
    """What is to be appended, and the scribe who goes on when it is."""

    scribe: "Scribe"
    events: tuple[NewEvent, ...]
    emptied: tuple[Account, ...]
    plain: tuple[dict[str, Any], ...]
    """The events as plain data, in their order."""


class Scribe:
    """Knows how far a stream has come, and what its events post."""

    __slots__ = ("auditor", "head", "stream")

    def __init__(self, stream: str, rules_of: RulesOf) -> None:
        self.stream, self.head = stream, START
        self.auditor = Auditor(stream, rules_of)

    @property
    def number(self) -> int:
        """The number of the stream's last event."""
        return self.head.number

    def read(self, stored: Iterable[Stored]) -> "Scribe":
        """Catch up with records that are stored already.

        What comes depends on the rules that were set last and on the last round; entries of
        earlier ones are for `verify` to work out again.
        """
        needed: list[Stored] = []
        for row in stored:
            self.head = row.head
            if row.data.endswith(_SETS) or row.data.endswith(_OF_ROUND):
                if _OPENS in row.data:
                    needed = [other for other in needed if other.data.endswith(_SETS)]
                needed.append(row)
        for row in needed:
            self.auditor.entries(decode(row.data))
        return self

    def draft(self, happened: Iterable[Happened], *, time_ms: int) -> Draft:
        """Return what follows from events that have happened after all others."""
        after = Scribe.__new__(Scribe)
        after.stream, after.head, after.auditor = self.stream, self.head, self.auditor.twin()
        number, hash = self.head
        events: list[NewEvent] = []
        emptied: list[Account] = []
        plains: list[dict[str, Any]] = []
        for of, event, subject, round in happened:
            number += 1
            entries = after._entries(of, event, round, number=number)
            if of == "round":
                subject = after.auditor.round
            if isinstance(event, TableSet):
                subject = event.digest
            if isinstance(event, Closed):
                emptied += [account("layout", subject), account("bank", subject)]
            place = self.stream, number, time_ms, subject
            plains.append(to_plain(event))
            data = encode(Record(*place, of, plains[-1]))
            hash = chained(hash, data)
            events.append(NewEvent(data, time_ms, subject, entries))
        after.head = Head(number, hash)
        return Draft(after, tuple(events), tuple(emptied), tuple(plains))

    def _entries(
        self, of: Of, event: Any, after: Round | None, *, number: int
    ) -> tuple[Entry, ...]:
        match of:
            case "round":
                return self.auditor.round_entries(event, after)
            case "ledger":
                return self.auditor.ledger_entries(number, event)
            case "table" | "fairness":
                return ()
