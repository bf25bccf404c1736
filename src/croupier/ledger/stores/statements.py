"""The SQL that both databases share.

A session runs statements inside one transaction; `?` is a parameter. Each database's own module has
what differs.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from itertools import groupby, islice, takewhile
from operator import itemgetter
from typing import Any, Protocol

from croupier.errors import Bug, ParseError, Refused, UserError
from croupier.ledger.accounts import Account, account, kept_kind
from croupier.ledger.acts import Registered, fingerprint
from croupier.ledger.asked import KeptCommand
from croupier.ledger.audit import Posted
from croupier.ledger.checkpoints import Checkpoint, parse_checkpoint
from croupier.ledger.entries import Entry
from croupier.ledger.journal import START, Head, StoredEvent, stored_of
from croupier.ledger.store import (
    COMMAND_REUSED,
    NO_SUCH_METER,
    NOT_ENOUGH,
    STREAM_MOVED,
    Answer,
    Claim,
    Decide,
    Kept,
    Moment,
)

SqlRow = tuple[Any, ...]
ROWS_AT_ONCE = 1_000
LAYOUT, METER = "layout:", "meter:"
"""Prefixes of accounts. Those of layouts aren't indexed: their entries are found by round."""
BEGINNINGS = ("DeckCommitted", "Opened", "TableSet")
"""The events that begin a subject, first or again; only these are indexed."""

TABLES = {
    "streams": "stream, number, hash",
    "events": "stream, number, time_ms, subject, data, hash",
    "accounts": "account, kind, micros",
    "entries": "stream, number, line, id, debit, credit, micros, code",
    "commands": "command, digest, stream, number, answer",
    "checkpoints": "number, data",
    "decks": "round, sealed",
    "persons": "person, name, looks, password_hash, made_ms, disabled_ms",
    "roles": "person, role",
    "house": "house, master, signing",
}
"""The tables in the order in which they can be filled, with their columns.

Backups contain no sessions: a restore would sign people in again who had signed out since. Nor do
they contain leases: a server that runs elsewhere has nothing to write here.
"""


STANDINGS = (
    "CREATE TABLE IF NOT EXISTS standings "
    "(stream TEXT PRIMARY KEY, number BIGINT NOT NULL, hash TEXT NOT NULL, data TEXT NOT NULL)"
)
"""Table snapshots. The table may be missing or be emptied, so it is not part of the schema."""
KEEP = (
    "INSERT INTO standings (stream, number, hash, data) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (stream) DO UPDATE SET number = excluded.number, hash = excluded.hash, "
    "data = excluded.data WHERE standings.number < excluded.number"
)


MOVE = "UPDATE streams SET number = ?, hash = ? WHERE stream = ?"


class Session(Protocol):
    """A transaction in progress."""

    locking: str
    """Appended to a SELECT to lock its rows until the end of the transaction."""
    floor_error: type[Exception]
    """Raised when an account would go below zero."""
    holds: str
    """The condition that an event's bytes contain a text, which replaces `{}`."""
    schema: str
    """The file with the schema."""
    has_standings: str
    """Selects a row if the table of standings is there."""
    triggers: str
    """Selects the active triggers: their names, and what they do as the schema has it."""

    def rows(self, sql: str, parameters: Sequence[object] = (), /) -> Iterator[SqlRow]:
        """Run a statement and yield its rows."""

    def run(self, sql: str, parameters: Sequence[object] = (), /) -> int:
        """Run a statement and return how many rows it changed."""

    def script(self, sql: str) -> None:
        """Run several statements without parameters."""

    def run_many(self, sql: str, rows: Sequence[SqlRow], /) -> object:
        """Run a statement once for each row of parameters."""


# ---------------------------------------------------------------- appending


class Pen:
    """Writes commands inside its owner's transaction, one by one.

    Accounts are changed command by command, which shows the one that overdraws them.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._heads: dict[str, Head] = {}
        self._answers: dict[str, SqlRow] = {}

    def append(self, claim: Claim, meters: Sequence[str], *, decide: Decide) -> Answer:
        """Write a command, or raise: then the transaction must not be committed."""
        session, stream = self.session, claim.stream
        head = self._heads.get(stream) or locked_head(session, stream)
        if (known := self._known(claim)) is not None:
            return known
        if head != claim.expected:
            # By number alone, the second command of a batch would fit onto another server's event.
            message = f"event {head.number} of {stream} is not what this was decided on"
            raise Refused(STREAM_MOVED, message, field="expected")
        if meters:
            self._catch_up()
        work = decide(_locked_meters(session, meters))
        events: list[SqlRow] = []
        entries: list[SqlRow] = []
        for data, time_ms, subject, posted in work.events:
            number, hash = head = head.after(data)
            events.append((stream, number, time_ms, subject, data, hash))
            entries += [(stream, number, line, *entry) for line, entry in enumerate(posted, 1)]
        self.post(entries)
        if work.emptied:
            self._catch_up()
        for emptied in work.emptied:
            if _balance(session, emptied):
                raise Bug(f"{emptied} is not empty")
        self._heads[stream] = head
        answered = claim.command, claim.digest, stream, head.number, work.answer
        self._answers[claim.command] = answered
        rows = {"events": events, "entries": entries, "decks": work.sealed, "commands": [answered]}
        self._write(stream, rows)
        return Answer(work.answer, head.number)

    def _known(self, claim: Claim) -> Answer | None:
        """Return the earlier answer to this command; refuse its id for a different one."""
        row = self._answers.get(claim.command) or self._stored(claim.command)
        if row is None:
            return None
        _, digest, stream, number, answer = row
        if (digest, stream) != (claim.digest, claim.stream):
            message = "this id was already used for a different command"
            raise Refused(COMMAND_REUSED, message, field="command")
        return Answer(answer, number, repeated=True)

    def _stored(self, command: str) -> SqlRow | None:
        """Look up a command of an earlier transaction."""
        sql = f"SELECT {TABLES['commands']} FROM commands WHERE command = ?"
        return next(iter(self.session.rows(sql, (command,))), None)

    def post(self, entries: Sequence[SqlRow]) -> None:
        """Update balances in a fixed order, so that no two transactions wait for each other.

        Meters come first: a settlement has locked and read them before.
        """
        changes = changes_of(entries)
        for changed in sorted(changes, key=lambda one: (not one.startswith(METER), one)):
            try:
                add_to(self.session, changed, changes[changed])
            except self.session.floor_error:
                message = f"{changed} doesn't hold enough for this"
                raise Refused(NOT_ENOUGH, message, field=changed) from None

    def _catch_up(self) -> None:
        """Bring account balances up to date with all entries so far."""

    def _write(self, stream: str, rows: Mapping[str, Sequence[SqlRow]]) -> None:
        """Write the rows of a command, and move the head of its stream."""
        self.session.run_many(MOVE, [(*self._heads[stream], stream)])
        for table, added in rows.items():
            if added:
                self.session.run_many(insertion(table), added)


@cache
def insertion(table: str) -> str:
    """Return the statement that inserts a row."""
    columns = TABLES[table]
    values = ", ".join("?" for _ in columns.split(", "))
    return f"INSERT INTO {table} ({columns}) VALUES ({values})"


def locked_head(session: Session, stream: str) -> Head:
    """Return the head of a stream, locked until the end of the transaction."""
    find = f"SELECT number, hash FROM streams WHERE stream = ?{session.locking}"
    for row in session.rows(find, (stream,)):
        return Head(*row)
    session.run(
        "INSERT INTO streams (stream, number, hash) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        (stream, *START),
    )
    for row in session.rows(find, (stream,)):
        return Head(*row)
    raise Bug(f"the stream {stream} can't be made")


def _locked_meters(session: Session, meters: Sequence[str]) -> dict[str, int]:
    """Return the meters' values, locked until the end of the transaction."""
    shown: dict[str, int] = {}
    find = f"SELECT micros FROM accounts WHERE account = ?{session.locking}"
    for meter in sorted(meters):
        for (micros,) in session.rows(find, (account("meter", meter),)):
            shown[meter] = micros
        if meter not in shown:
            raise Refused(NO_SUCH_METER, f"there is no meter {meter}", field="meters")
    return shown


def changes_of(entries: Iterable[SqlRow]) -> dict[Account, int]:
    """Return the change of each account."""
    changes: dict[Account, int] = {}
    for _, _, _, _, debit, credit, micros, _ in entries:
        changes[debit] = changes.get(debit, 0) - micros
        changes[credit] = changes.get(credit, 0) + micros
    return changes


def add_to(session: Session, changed: Account, micros: int) -> None:
    """Update a balance in place: nothing reads it first, so no stale value is written back."""
    add = "UPDATE accounts SET micros = micros + ? WHERE account = ? RETURNING account"
    if list(session.rows(add, (micros, changed))):
        return
    session.run(
        "INSERT INTO accounts (account, kind, micros) VALUES (?, ?, 0) ON CONFLICT DO NOTHING",
        (changed, kept_kind(changed)),
    )
    session.run(add, (micros, changed))


def _balance(session: Session, of: Account) -> int | None:
    for (micros,) in session.rows("SELECT micros FROM accounts WHERE account = ?", (of,)):
        return int(micros)
    return None


# ---------------------------------------------------------------- reading


class Reading:
    """A view of the ledger through a snapshot."""

    def __init__(self, session: Session) -> None:
        self._rows = session.rows
        self._session = session

    def heads(self) -> dict[str, Head]:
        rows = self._rows("SELECT stream, number, hash FROM streams ORDER BY stream")
        return {stream: Head(number, hash) for stream, number, hash in rows}

    def stream(self, stream: str, *, after: int = 0) -> Iterator[StoredEvent]:
        sql = (
            "SELECT stream, number, time_ms, subject, data, hash FROM events "
            "WHERE stream = ? AND number > ? ORDER BY number"
        )
        return map(stored_of, self._rows(sql, (stream, after)))

    def about(self, subject: str) -> list[StoredEvent]:
        holds = self._session.holds
        begins = " OR ".join(holds.format(f'"type":"{name}"') for name in BEGINNINGS)
        sql = (
            "SELECT stream, number FROM events "
            f"WHERE subject = ? AND subject <> '' AND ({begins}) ORDER BY stream, number"
        )
        found: list[StoredEvent] = []
        for stream, number in list(self._rows(sql, (subject,))):
            last = found[-1] if found else None
            if last and last.stream == stream and last.number >= number:
                continue  # It continues what has begun: a round has two beginnings.
            rows = takewhile(
                lambda row: row.subject in ("", subject), self.stream(stream, after=number - 1)
            )
            found += [row for row in rows if row.subject]
        return found

    def posted(self, stream: str, *, after: int = 0) -> Iterator[Posted]:
        sql = f"{_POSTED} WHERE stream = ? AND number > ? ORDER BY number, line"
        return (_posted(row) for row in self._rows(sql, (stream, after)))

    def history(self, account: Account, *, limit: int) -> list[Posted]:
        if account.startswith(LAYOUT):
            return self._history_of_layout(account)[:limit]
        # Two queries, each with its own index.
        found = (
            f"SELECT {TABLES['entries']}, time_ms FROM entries JOIN events USING (stream, number)"
        )
        sides = " UNION ALL ".join(
            f"{found} WHERE {side} = ? AND substr({side}, 1, 7) <> '{LAYOUT}'"
            for side in ("debit", "credit")
        )
        sql = f"{sides} ORDER BY time_ms DESC, stream DESC, number DESC, line DESC LIMIT ?"
        return [_posted(row[:-1]) for row in self._rows(sql, (account, account, limit))]

    def moved_by(self, account: Account, *, before: Moment | None, limit: int) -> list[Moment]:
        moved = "SELECT subject, time_ms FROM entries JOIN events USING (stream, number)"
        sides = " UNION ALL ".join(
            f"{moved} WHERE {side} = ? AND substr({side}, 1, 7) <> '{LAYOUT}' AND subject <> ''"
            for side in ("debit", "credit")
        )
        last = "max(time_ms)"
        earlier = f"HAVING {last} < ? OR ({last} = ? AND subject < ?)" if before else ""
        sql = (
            f"SELECT {last}, subject FROM ({sides}) AS moved GROUP BY subject {earlier} "
            f"ORDER BY {last} DESC, subject DESC LIMIT ?"
        )
        cursor = (before.time_ms, *before) if before else ()
        return [Moment(*row) for row in self._rows(sql, (account, account, *cursor, limit))]

    def _history_of_layout(self, layout: Account) -> list[Posted]:
        """Return the entries of a layout, all of which belong to its round."""
        found: list[tuple[int, Posted]] = []
        records = self.about(layout.removeprefix(LAYOUT))
        for stream, rows in groupby(records, key=lambda row: row.stream):
            times = {row.number: row.time_ms for row in rows}
            first, last = min(times), max(times)
            for posted in self.posted(stream, after=first - 1):
                if posted.number > last:
                    break
                if posted.number in times and layout in posted.entry[1:3]:
                    found.append((times[posted.number], posted))
        found.sort(key=itemgetter(0))
        return [posted for _, posted in reversed(found)]

    def balance(self, account: Account) -> int | None:
        return _balance(self._session, account)

    def balances(self, kind: str = "") -> dict[Account, int]:
        where, parameters = (" WHERE kind = ?", (kind,)) if kind else ("", ())
        sql = f"SELECT account, micros FROM accounts{where} ORDER BY account"
        return {Account(name): micros for name, micros in self._rows(sql, parameters)}

    def held(self, accounts: Collection[Account]) -> dict[Account, int]:
        if not accounts:
            return {}
        marks = ", ".join("?" for _ in accounts)
        sql = f"SELECT account, micros FROM accounts WHERE account IN ({marks})"
        return {Account(name): micros for name, micros in self._rows(sql, tuple(accounts))}

    def rounds_with(self, account: Account) -> list[str]:
        sql = (
            "SELECT DISTINCT credit FROM entries JOIN accounts ON account = credit "
            f"WHERE debit = ? AND substr(debit, 1, 7) <> '{LAYOUT}' "
            "AND kind IN ('layout', 'bank') AND accounts.micros <> 0"
        )
        return sorted({name.partition(":")[2] for (name,) in self._rows(sql, (account,))})

    def answer(self, command: str) -> Answer | None:
        sql = "SELECT answer, number FROM commands WHERE command = ?"
        for text, number in self._rows(sql, (command,)):
            return Answer(text, number, repeated=True)
        return None

    def sealed(self, round: str) -> bytes | None:
        for (sealed,) in self._rows("SELECT sealed FROM decks WHERE round = ?", (round,)):
            return bytes(sealed)
        return None

    def checkpoints(self, *, after: int = 0) -> list[Checkpoint]:
        sql = "SELECT number, data FROM checkpoints WHERE number > ? ORDER BY number"
        return [_checkpoint(number, data) for number, data in self._rows(sql, (after,))]

    def kinds(self) -> dict[Account, str]:
        rows = self._rows("SELECT account, kind FROM accounts ORDER BY account")
        return {Account(name): kind for name, kind in rows}

    def commands(self) -> Iterator[KeptCommand]:
        rows = self._rows(f"SELECT {TABLES['commands']} FROM commands ORDER BY stream, number")
        return (KeptCommand(one, bytes(digest), *rest) for one, digest, *rest in rows)

    def decks(self) -> Iterator[tuple[str, bytes]]:
        rows = self._rows("SELECT round, sealed FROM decks")
        return ((round, bytes(sealed)) for round, sealed in rows)

    def people(self) -> dict[str, Registered]:
        roles: dict[str, set[str]] = {}
        for person, role in self._rows("SELECT person, role FROM roles"):
            roles.setdefault(person, set()).add(role)
        rows = self._rows(f"SELECT {TABLES['persons']} FROM persons")
        return {
            person: Registered(
                name,
                frozenset(roles.get(person, ())),
                fingerprint(hash),
                since is not None,
                looks,
                made_ms=made_ms,
                disabled_ms=since,
            )
            for person, name, looks, hash, made_ms, since in rows
        }

    def house_keys(self) -> tuple[str, str] | None:
        rows = self._rows("SELECT master, signing FROM house")
        return next(((master, signing) for master, signing in rows), None)

    def guards_missing(self) -> list[str]:
        schema = (files(__package__) / self._session.schema).read_text("utf-8")
        wanted = re.findall(r"CREATE (?:OR REPLACE )?TRIGGER (\w+)", schema)
        # A trigger that does something else than its text in the schema guards nothing.
        there = {name for name, does in self._rows(self._session.triggers) if does in schema}
        return [name for name in wanted if name not in there]

    def kept(self) -> dict[str, Kept]:
        if not list(self._rows(self._session.has_standings)):
            return {}
        rows = self._rows("SELECT stream, number, hash, data FROM standings ORDER BY stream")
        return {s: Kept(Head(n, bytes.fromhex(hash)), data) for s, n, hash, data in rows}

    def last_checkpoint(self) -> Checkpoint | None:
        rows = self._rows("SELECT data FROM checkpoints ORDER BY number DESC LIMIT 1")
        return next((parse_checkpoint(data) for (data,) in rows), None)


_POSTED = f"SELECT {TABLES['entries']} FROM entries"


def _checkpoint(number: int, data: str) -> Checkpoint:
    """Parse a checkpoint; refuse one that is kept under another's number."""
    checkpoint = parse_checkpoint(data)
    if checkpoint.number != number:
        message = f"checkpoint {checkpoint.number} is kept as checkpoint {number}"
        raise ParseError(message, field="checkpoints")
    return checkpoint


def _posted(row: SqlRow) -> Posted:
    stream, number, line, id, debit, credit, micros, code = row
    entry = Entry(id, Account(debit), Account(credit), micros, code)
    return Posted(stream, number, entry, line)


# ---------------------------------------------------------------- whole tables


def fill(session: Session, source: Session) -> None:
    """Fill empty tables from another database."""
    for table, columns in TABLES.items():
        rows = source.rows(f"SELECT {columns} FROM {table}")
        while some := list(islice(rows, ROWS_AT_ONCE)):
            session.run_many(insertion(table), some)


# ---------------------------------------------------------------- the schema


def make_tables(session: Session, schema: str, version: int) -> None:
    """Create the tables of a ledger from its schema file."""
    session.script((files(__package__) / schema).read_text("utf-8"))
    session.run("INSERT INTO migrations VALUES (?, ?)", (version, schema))


def check_schema(
    session: Session, oldest: int, version: int, *, ahead: int = 0, name: str, field: str
) -> int:
    """Return a ledger's schema version; refuse one that can't be used.

    A newer one can, if it is at most `ahead` releases newer.
    """
    ((found,),) = session.rows("SELECT coalesce(max(number), 0) FROM migrations")
    if found < oldest:
        raise UserError(
            f"{name} was made by an older version of Croupier (schema {found}, not {version}); "
            "open it with that version, or start a new ledger",
            field=field,
        )
    if found > version + ahead:
        raise UserError(
            f"{name} was made by a newer version of Croupier (schema {found}, not {version}); "
            "upgrade Croupier to open it",
            field=field,
        )
    return int(found)
