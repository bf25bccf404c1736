"""Works a journal out again: what its events come to must be what was posted.

It reads stored bytes and entries and knows no database; who has them gives them in order.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from croupier.errors import CroupierError
from croupier.ledger.accounts import Account
from croupier.ledger.entries import Entry, Posting, Setting, new_posting, numbered, post
from croupier.ledger.events import LedgerEvent, TableSet, ledger_event_from, moves_of
from croupier.ledger.journal import Fault, Record, Stored, decode
from croupier.round.codec import event_from
from croupier.round.events import Event, Opened
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules

RulesOf = Callable[[str, Mapping[str, Any]], TableRules]
"""Finds a book by its id and resolves selections."""


class Posted(NamedTuple):
    """An entry as it is stored: with the event that it follows from."""

    stream: str
    number: int
    entry: Entry


class Auditor:
    """Follows one stream, event by event, and says what each of them posts."""

    __slots__ = ("posting", "rules", "rules_of", "setting", "stream")

    def __init__(self, stream: str, rules_of: RulesOf) -> None:
        self.stream, self.rules_of = stream, rules_of
        self.setting = Setting(stream)
        self.rules: TableRules | None = None
        self.posting: Posting | None = None

    def twin(self) -> "Auditor":
        """Return another one who has come as far; every command takes one."""
        twin = Auditor.__new__(Auditor)
        twin.stream, twin.rules_of, twin.setting = self.stream, self.rules_of, self.setting
        twin.rules, twin.posting = self.rules, self.posting
        return twin

    def entries(self, record: Record) -> tuple[Entry, ...]:
        """Return the entries of the next record."""
        match record.of:
            case "round":
                entries = self.round_entries(event_from(record.event))
                if self.round != record.subject:
                    raise Unlike(f"it happened in round {self.round}, not {record.subject}")
                return entries
            case "ledger":
                return self.ledger_entries(record.number, ledger_event_from(record.event))
            case "table" | "fairness":
                return ()

    @property
    def round(self) -> str:
        """The last round that was opened, or ''."""
        return self.posting.round.id if self.posting else ""

    def ledger_entries(self, number: int, event: LedgerEvent) -> tuple[Entry, ...]:
        """Return the entries of an event that no round knows, by its number in the stream."""
        if isinstance(event, TableSet):
            self._set(event)
        return numbered(f"{self.stream}#{number}", moves_of(event))

    def round_entries(self, event: Event, after: Round | None = None) -> tuple[Entry, ...]:
        """Return the entries of the next event of a round; `after` it, if that is known already."""
        if isinstance(event, Opened):
            if self.rules is None or self.rules.digest != event.digest:
                raise Unlike("the round was opened under other rules than the table's")
            self.posting = new_posting(self.rules, self.setting)
        if self.posting is None:
            raise Unlike("there is no round that it could have happened in")
        self.posting, entries = post(self.posting, event, after)
        return entries

    def _set(self, event: TableSet) -> None:
        rules = self.rules_of(event.rulebook, event.given)
        if rules.digest != event.digest:
            raise Unlike("its table rules have another digest than the books here give")
        self.rules = rules
        self.setting = Setting(self.stream, event.meters, event.validated_cents)


class Unlike(CroupierError):
    """An event cannot follow from those before it."""


class Totals:
    """What the accounts come to, added up entry by entry."""

    def __init__(self) -> None:
        self.micros: dict[Account, int] = {}
        self.count = 0

    def add(self, entry: Entry) -> None:
        self.count += 1
        self.micros[entry.debit] = self.micros.get(entry.debit, 0) - entry.micros
        self.micros[entry.credit] = self.micros.get(entry.credit, 0) + entry.micros

    def faults(self, stored: Mapping[Account, int]) -> Iterator[str]:
        """Say which balances are not what the entries come to."""
        for account in sorted(self.micros.keys() | stored.keys()):
            if (there := stored.get(account, 0)) != (summed := self.micros.get(account, 0)):
                yield f"{account} stands at {there} micros, and its entries come to {summed}"
        if sum(stored.values()):
            yield f"all accounts together come to {sum(stored.values())} micros, not to nothing"


def audit_stream(
    auditor: Auditor, stored: Iterable[Stored], posted: Iterable[Posted], *, totals: Totals
) -> Fault | None:
    """Compare the entries of a stream with those that its events give; return the first fault."""
    stream = auditor.stream
    rows = iter(posted)
    row = next(rows, None)
    number = 0
    for _, number, _, _, data, _ in stored:
        try:
            expected = auditor.entries(decode(data))
        except (CroupierError, LookupError, TypeError, ValueError, AttributeError) as error:
            # Whatever a forged event breaks in the engine: it is not one that was decided.
            return Fault(stream, number, f"cannot have happened: {error}")
        for entry in expected:
            if row is None or row.number != number:
                return Fault(stream, number, f"entry {entry.id} is missing")
            if row.entry != entry:
                return Fault(stream, number, f"entry {row.entry.id} should be {_said(entry)}")
            totals.add(entry)
            row = next(rows, None)
        if row is not None and row.number <= number:
            return Fault(stream, number, f"entry {row.entry.id} follows from no event")
    if row is not None:
        return Fault(stream, row.number, f"entry {row.entry.id} follows from no event")
    return None


def _said(entry: Entry) -> str:
    return f"{entry.micros} micros from {entry.debit} to {entry.credit} ({entry.code})"
