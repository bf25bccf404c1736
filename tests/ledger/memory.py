"""A ledger in memory that tests can tamper with."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field

from croupier.ledger.accounts import Account, kind_of
from croupier.ledger.acts import Registered
from croupier.ledger.asked import KeptCommand
from croupier.ledger.audit import Posted
from croupier.ledger.checkpoints import Checkpoint, sign
from croupier.ledger.derived import commitments
from croupier.ledger.journal import START, Head, StoredEvent
from croupier.ledger.scribe import Happened, Scribe
from croupier.ledger.store import Answer, Kept, Moment
from tests.ledger.sums import balances
from tests.ledger.tables import TIME, random_history, rules_of

SECRET = bytes(range(32))


def chain(
    head: Head, stream: str, records: Iterable[tuple[int, str, bytes]]
) -> Iterator[StoredEvent]:
    """Yield records, given as time, subject and bytes, as they are stored after a head."""
    for time_ms, subject, data in records:
        head = head.after(data)
        yield StoredEvent(stream, head.number, time_ms, subject, data, head.hash)


@dataclass
class Memory:
    """A view of records that anybody can change."""

    events: dict[str, list[StoredEvent]] = field(default_factory=dict)
    entries: dict[str, list[Posted]] = field(default_factory=dict)
    accounts: dict[Account, int] = field(default_factory=dict)
    signed: list[Checkpoint] = field(default_factory=list)

    def heads(self) -> dict[str, Head]:
        ends = {name: records[-1] if records else None for name, records in self.events.items()}
        return {s: Head(end.number, end.hash) if end else START for s, end in ends.items()}

    def stream(self, stream: str, *, after: int = 0) -> Iterator[StoredEvent]:
        return (row for row in self.events.get(stream, []) if row.number > after)

    def about(self, subject: str) -> list[StoredEvent]:
        return [row for rows in self.events.values() for row in rows if row.subject == subject]

    def posted(self, stream: str, *, after: int = 0) -> Iterator[Posted]:
        return (row for row in self.entries.get(stream, []) if row.number > after)

    def history(self, account: Account, *, limit: int) -> list[Posted]:
        rows = [row for rows in self.entries.values() for row in rows]
        return [r for r in rows if account in (r.entry.debit, r.entry.credit)][:limit]

    def moved_by(self, account: Account, *, before: Moment | None, limit: int) -> list[Moment]:
        raise NotImplementedError

    def balance(self, account: Account) -> int | None:
        return self.accounts.get(account)

    def balances(self, kind: str = "") -> dict[Account, int]:
        return {a: m for a, m in self.accounts.items() if a.startswith(kind)}

    def held(self, accounts: Collection[Account]) -> dict[Account, int]:
        return {a: m for a, m in self.accounts.items() if a in accounts}

    def rounds_with(self, account: Account) -> list[str]:
        return []

    def answer(self, command: str) -> Answer | None:
        return None

    def sealed(self, round: str) -> bytes | None:
        return None

    def checkpoints(self, *, after: int = 0) -> list[Checkpoint]:
        return [checkpoint for checkpoint in self.signed if checkpoint.number > after]

    def kept(self) -> dict[str, Kept]:
        return {}

    def last_checkpoint(self) -> Checkpoint | None:
        return self.signed[-1] if self.signed else None

    def kinds(self) -> dict[Account, str]:
        return {name: kind_of(name) for name in self.accounts}

    def commands(self) -> Iterator[KeptCommand]:
        rows = [row for rows in self.events.values() for row in rows]
        return (KeptCommand(f"{row.stream} {row.number}", b"", *row[:2], "") for row in rows)

    def decks(self) -> Iterator[tuple[str, bytes]]:
        rows = [row for rows in self.events.values() for row in rows]
        return ((event["round"], b"") for event in commitments(rows))

    def people(self) -> dict[str, Registered]:
        return {}

    def house_keys(self) -> tuple[str, str] | None:
        return None

    def guards_missing(self) -> list[str]:
        return []

    def put(self, scribe: Scribe, happened: list[Happened], *, time_ms: int = TIME) -> Scribe:
        """Append what happened, as a store would."""
        draft = scribe.draft(happened, time_ms=time_ms)
        rows = self.events.setdefault(scribe.stream, [])
        head = Head(rows[-1].number, rows[-1].hash) if rows else START
        added = list(
            chain(head, scribe.stream, [(e.time_ms, e.subject, e.data) for e in draft.events])
        )
        rows += added
        posted = self.entries.setdefault(scribe.stream, [])
        for row, event in zip(added, draft.events, strict=True):
            entries = enumerate(event.entries, 1)
            posted += [Posted(scribe.stream, row.number, entry, line) for line, entry in entries]
        return draft.scribe

    def finish(self) -> None:
        """Sum the accounts up and sign the heads."""
        rows = [row.entry for posted in self.entries.values() for row in posted]
        self.accounts = balances(rows)
        self.signed.append(sign(SECRET, len(self.signed) + 1, self.heads(), time_ms=TIME))


def journal(*books: str, seed: str) -> Memory:
    """Return a journal with one table for each book, and a random round at each."""
    memory = Memory()
    for id in books:
        scribe = Scribe(id, rules_of)
        for happened in random_history(id, f"{seed} {id}"):
            scribe = memory.put(scribe, happened)
    memory.finish()
    return memory
