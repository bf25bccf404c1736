"""The statements that both databases understand, and what is done with them.

A session runs statements inside one transaction; `?` stands for a parameter. What the databases
do differently, each says in its own file.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import islice
from typing import Any, NamedTuple, Protocol

from croupier.errors import Bug, Refused
from croupier.ledger.accounts import Account, account, kind_of, lock_order
from croupier.ledger.audit import Posted
from croupier.ledger.checkpoints import Checkpoint, parse_checkpoint
from croupier.ledger.entries import Entry
from croupier.ledger.journal import START, Head, Stored, chain, stored_of
from croupier.ledger.store import (
    COMMAND_REUSED,
    NO_SUCH_METER,
    NOT_ENOUGH,
    STREAM_MOVED,
    Answer,
    Claim,
    Decide,
)

Row = tuple[Any, ...]
ROWS_AT_ONCE = 1_000
LAYOUT = "layout:"
"""How the accounts begin that no index names: their entries are found by their round."""

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
}
"""The tables in the order in which they can be filled, with their columns.

Sessions are not among them, and no backup has any: whoever was signed out since would be signed in
again by a restore.
"""


class Session(Protocol):
    """A transaction that is under way."""

    locking: str
    """What is written after a SELECT whose rows nobody else may change until the end."""
    floor_error: type[Exception]
    """What is raised when an account would go below zero."""

    def rows(self, sql: str, *parameters: object) -> Iterator[Row]:
        """Run a statement and yield its rows."""

    def run(self, sql: str, *parameters: object) -> int:
        """Run a statement and return how many rows it changed."""

    def run_many(self, sql: str, rows: Sequence[Row]) -> None:
        """Run a statement once for each row of parameters."""


# ---------------------------------------------------------------- appending


class Pen:
    """Writes down what commands come to, all inside one transaction of its owner's.

    Accounts are changed command by command, so that it shows which one they cannot bear. What is
    only added to the tables is gathered, and `finish` writes it with a few statements.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._heads: dict[str, Head] = {}
        self._answers: dict[str, Row] = {}
        self._added: dict[str, list[Row]] = {
            "events": [],
            "entries": [],
            "decks": [],
            "commands": [],
        }

    def append(self, claim: Claim, meters: Sequence[str], *, decide: Decide) -> Answer:
        """Do all that a command comes to, or raise: then the transaction must not be finished."""
        session, stream = self._session, claim.stream
        head = self._heads.get(stream) or _locked_head(session, stream)
        if (known := self._known(claim)) is not None:
            return known
        if head.number != claim.expected:
            message = f"{stream} has come to event {head.number}, not {claim.expected}"
            raise Refused(STREAM_MOVED, message, field="expected")
        work = decide(_locked_meters(session, meters))
        records = [(event.time_ms, event.subject, event.data) for event in work.events]
        stored = list(chain(head, stream, records))
        entries: list[Row] = [
            (stream, number, line, *entry)
            for number, event in enumerate(work.events, head.number + 1)
            for line, entry in enumerate(event.entries, 1)
        ]
        _post(session, entries)
        for emptied in work.emptied:
            if _balance(session, emptied):
                raise Bug(f"{emptied} is not empty")
        head = self._heads[stream] = stored[-1].head if stored else head
        answered = claim.command, claim.digest, stream, head.number, work.answer
        self._answers[claim.command] = answered
        self._added["events"] += stored
        self._added["entries"] += entries
        self._added["decks"] += work.sealed
        self._added["commands"].append(answered)
        return Answer(work.answer, head.number)

    def _known(self, claim: Claim) -> Answer | None:
        """Return what was answered to this command before, or refuse its id for another one."""
        sql = f"SELECT {TABLES['commands']} FROM commands WHERE command = ?"
        row = self._answers.get(claim.command)
        for _, digest, stream, number, answer in (
            [row] if row else self._session.rows(sql, claim.command)
        ):
            if (digest, stream) != (claim.digest, claim.stream):
                raise Refused(COMMAND_REUSED, "this id was another command's", field="command")
            return Answer(answer, number, repeated=True)
        return None

    def finish(self) -> None:
        """Write what was gathered; then the transaction can be committed."""
        run_many = self._session.run_many
        moved = [(*head, stream) for stream, head in self._heads.items()]
        run_many("UPDATE streams SET number = ?, hash = ? WHERE stream = ?", moved)
        for table, rows in self._added.items():
            if rows:
                run_many(_insert(table), rows)
                rows.clear()


@cache
def _insert(table: str) -> str:
    columns = TABLES[table]
    values = ", ".join("?" for _ in columns.split(", "))
    return f"INSERT INTO {table} ({columns}) VALUES ({values})"


def _locked_head(session: Session, stream: str) -> Head:
    """Return the head of a stream, which nobody else can move until the end."""
    find = f"SELECT number, hash FROM streams WHERE stream = ?{session.locking}"
    for row in session.rows(find, stream):
        return Head(*row)
    session.run(
        "INSERT INTO streams (stream, number, hash) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        stream,
        *START,
    )
    for row in session.rows(find, stream):
        return Head(*row)
    raise Bug(f"the stream {stream} cannot be made")


def _locked_meters(session: Session, meters: Sequence[str]) -> dict[str, int]:
    """Return what meters show, which nobody else can move until the end."""
    shown: dict[str, int] = {}
    find = f"SELECT micros FROM accounts WHERE account = ?{session.locking}"
    for meter in sorted(meters):
        for (micros,) in session.rows(find, account("meter", meter)):
            shown[meter] = micros
        if meter not in shown:
            raise Refused(NO_SUCH_METER, f"there is no meter {meter}", field="meters")
    return shown


def _post(session: Session, entries: list[Row]) -> None:
    """Change what accounts come to, in a fixed order."""
    changes: dict[Account, int] = {}
    for _, _, _, _, debit, credit, micros, _ in entries:
        changes[debit] = changes.get(debit, 0) - micros
        changes[credit] = changes.get(credit, 0) + micros
    for changed in sorted(changes, key=lock_order):
        try:
            _add(session, changed, changes[changed])
        except session.floor_error:
            message = f"{changed} does not hold as much"
            raise Refused(NOT_ENOUGH, message, field=changed) from None


def _add(session: Session, changed: Account, micros: int) -> None:
    """Change a balance where it is: nobody reads it, and so nobody can write an old one back."""
    add = "UPDATE accounts SET micros = micros + ? WHERE account = ?"
    if session.run(add, micros, changed):
        return
    session.run(
        "INSERT INTO accounts (account, kind, micros) VALUES (?, ?, 0) ON CONFLICT DO NOTHING",
        changed,
        kind_of(changed),
    )
    session.run(add, micros, changed)


def _balance(session: Session, of: Account) -> int | None:
    for (micros,) in session.rows("SELECT micros FROM accounts WHERE account = ?", of):
        return int(micros)
    return None


# ---------------------------------------------------------------- reading


class Reading:
    """A view of the ledger through a session that sees one moment of it."""

    def __init__(self, session: Session) -> None:
        self._rows = session.rows
        self._session = session

    def heads(self) -> dict[str, Head]:
        rows = self._rows("SELECT stream, number, hash FROM streams ORDER BY stream")
        return {stream: Head(number, hash) for stream, number, hash in rows}

    def stream(self, stream: str, *, after: int = 0) -> Iterator[Stored]:
        sql = (
            "SELECT stream, number, time_ms, subject, data, hash FROM events "
            "WHERE stream = ? AND number > ? ORDER BY number"
        )
        return map(stored_of, self._rows(sql, stream, after))

    def about(self, subject: str) -> list[Stored]:
        sql = (
            "SELECT stream, number, time_ms, subject, data, hash FROM events "
            "WHERE subject = ? AND subject <> '' ORDER BY stream, number"
        )
        return list(map(stored_of, self._rows(sql, subject)))

    def posted(self, stream: str, *, after: int = 0) -> Iterator[Posted]:
        sql = f"{_POSTED} WHERE stream = ? AND number > ? ORDER BY number, line"
        return (_posted(row) for row in self._rows(sql, stream, after))

    def history(self, account: Account, *, limit: int) -> list[Posted]:
        both = "debit", "credit"
        if account.startswith(LAYOUT):
            # Whatever lies there was laid in its round, and is found by it.
            where = [f"subject = ? AND subject <> '' AND {side} = ?" for side in both]
            given: Row = (account.removeprefix(LAYOUT), account) * 2
        else:
            where = [f"{side} = ? AND substr({side}, 1, 7) <> '{LAYOUT}'" for side in both]
            given = account, account
        # Two searches, each by its own index.
        found = (
            f"SELECT {TABLES['entries']}, time_ms FROM entries JOIN events USING (stream, number)"
        )
        sides = " UNION ALL ".join(f"{found} WHERE {each}" for each in where)
        sql = f"{sides} ORDER BY time_ms DESC, stream DESC, number DESC, line DESC LIMIT ?"
        return [_posted(row[:-1]) for row in self._rows(sql, *given, limit)]

    def balance(self, account: Account) -> int | None:
        return _balance(self._session, account)

    def balances(self, kind: str = "") -> dict[Account, int]:
        where, parameters = (" WHERE kind = ?", (kind,)) if kind else ("", ())
        sql = f"SELECT account, micros FROM accounts{where} ORDER BY account"
        return {Account(name): micros for name, micros in self._rows(sql, *parameters)}

    def answer(self, command: str) -> Answer | None:
        sql = "SELECT answer, number FROM commands WHERE command = ?"
        for text, number in self._rows(sql, command):
            return Answer(text, number, repeated=True)
        return None

    def sealed(self, round: str) -> bytes | None:
        for (sealed,) in self._rows("SELECT sealed FROM decks WHERE round = ?", round):
            return bytes(sealed)
        return None

    def checkpoints(self) -> list[Checkpoint]:
        rows = self._rows("SELECT data FROM checkpoints ORDER BY number")
        return [parse_checkpoint(data) for (data,) in rows]

    def last_checkpoint(self) -> int:
        [(number,)] = self._rows("SELECT max(number) FROM checkpoints")
        return number or 0


_POSTED = f"SELECT {TABLES['entries']} FROM entries"


def _posted(row: Row) -> Posted:
    stream, number, _, id, debit, credit, micros, code = row
    return Posted(stream, number, Entry(id, Account(debit), Account(credit), micros, code))


# ---------------------------------------------------------------- whole tables


def table_rows(session: Session, table: str) -> Iterator[Row]:
    """Yield all rows of a table."""
    return session.rows(f"SELECT {TABLES[table]} FROM {table}")


def fill(session: Session, source: Session) -> None:
    """Fill empty tables with the rows of another database."""
    for table, columns in TABLES.items():
        marks = ", ".join("?" * len(columns.split(", ")))
        sql = f"INSERT INTO {table} ({columns}) VALUES ({marks})"
        rows = table_rows(source, table)
        while some := list(islice(rows, ROWS_AT_ONCE)):
            session.run_many(sql, some)


# ---------------------------------------------------------------- migrations


class Migration(NamedTuple):
    number: int
    name: str
    sql: str


RECORDED = """CREATE TABLE IF NOT EXISTS migrations (
    number INTEGER NOT NULL PRIMARY KEY,
    name TEXT NOT NULL
)"""


def migrations(database: str) -> list[Migration]:
    """Return the migrations of a database, in order: files like `0001-ledger.sql`."""
    folder = files(__package__) / "sql" / database
    found = [
        Migration(int(file.name[:4]), file.name, file.read_text("utf-8"))
        for file in folder.iterdir()
        if file.name.endswith(".sql")
    ]
    return sorted(found)


def pending(session: Session, database: str) -> list[Migration]:
    """Return the migrations that a database has still to go through, or refuse a later one."""
    known = migrations(database)
    done: dict[int, str] = dict(session.rows("SELECT number, name FROM migrations"))
    for number, name in done.items():
        if (number, name) not in {(m.number, m.name) for m in known}:
            raise Refused("later_version", f"was made by a later version, with {name}")
    return [migration for migration in known if migration.number not in done]
