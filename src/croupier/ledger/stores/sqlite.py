"""A ledger in one SQLite file, through apsw: write-ahead log, every commit synced, one writer.

Commands submitted together are committed together, each atomically, and none is answered before it
is on disk.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

import apsw

from croupier.errors import Refused, UserError
from croupier.ledger.checkpoints import Checkpoint
from croupier.ledger.store import (
    Answer,
    Claim,
    Decide,
    Finish,
    Kept,
    Lost,
    Request,
    Result,
    View,
    Work,
)
from croupier.ledger.stores.emptying import Emptying
from croupier.ledger.stores.gathering import Gathering
from croupier.ledger.stores.place import LedgerFile, make_private, take
from croupier.ledger.stores.statements import (
    KEEP,
    STANDINGS,
    Pen,
    Reading,
    check_schema,
    make_tables,
)
from croupier.ledger.tenure import Freehold, Tenure

VERSION_MIN = (3, 51, 3)
"""Older versions could lose commits when two connections reset the log at once."""
SCHEMA = 7
"""The version of `sqlite.sql`. Older ones can't be upgraded: none was released."""
HAS_TABLES = "SELECT 1 FROM sqlite_schema WHERE name = 'migrations'"
BUSY_MS, CLOSING_MS = 10_000, 1_000
DAMAGED = (apsw.CorruptError, apsw.NotADBError)
PAGES_A_STEP = 256
READERS_MAX = 4
STATEMENTS_KEPT = 512
"""The size of the cache of prepared statements. A large commit runs hundreds of them; with the
default of a hundred, every statement would be prepared again for each commit."""
T = TypeVar("T")
OPENING = """
PRAGMA foreign_keys = ON;
PRAGMA synchronous = FULL;
PRAGMA trusted_schema = OFF;
"""
CACHE = "PRAGMA cache_size = -16384"
"""16 MiB of pages for the writer: those that thousands of players write to."""


class SqliteSession:
    """Statements on one connection, inside its owner's transaction."""

    locking = ""  # With one writer, no other can change a row.
    floor_error: type[Exception] = apsw.ConstraintError
    holds = "instr(data, CAST('{}' AS BLOB)) > 0"
    schema = "sqlite.sql"
    has_standings = "SELECT 1 FROM sqlite_schema WHERE name = 'standings'"
    triggers = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.rows, self.run_many = connection.execute, connection.executemany

    def run(self, sql: str, parameters: Sequence[object] = (), /) -> int:
        self.connection.execute(sql, parameters)
        return self.connection.changes()

    def script(self, sql: str) -> None:
        self.connection.execute(sql)


class SqliteStore:
    """A ledger in a file."""

    is_local = True

    def __init__(
        self, path: Path, *, make: bool = False, alone: bool = False, vfs: str = ""
    ) -> None:
        check_version(apsw.sqlite_lib_version())
        self.path, self.vfs = path, vfs
        self.tenure: Tenure = Freehold()
        self._lock = threading.Lock()
        self.readers: list[apsw.Connection] = []
        """Idle read connections."""
        self._is_closed = False
        if not make and not path.exists():
            raise UserError(f"there is no ledger {path.name}", field="--data")
        try:
            if make:
                make_private(path)
            self._taken = take(path) if alone else None
        except OSError as error:
            message = f"{path.name} can't be opened: {error.strerror}"
            raise UserError(message, field="--data") from None
        self._place = LedgerFile(path)
        try:
            self.writer = self._connect()
            self.writer.execute(CACHE)
            self._prepare(make=make)
            self._emptying = Emptying(self._connect)
            self._emptying.follow(self.writer)
        except BaseException as error:
            self._let_go()
            if not isinstance(error, (*DAMAGED, apsw.CantOpenError, apsw.SQLError)):
                raise
            raise UserError(f"{path.name} is not a ledger: {error}", field="--data") from None
        self._place = LedgerFile(path)

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(
            str(self.path),
            flags=apsw.SQLITE_OPEN_READWRITE,  # Don't recreate a missing file.
            vfs=self.vfs or None,
            statementcachesize=STATEMENTS_KEPT,
        )
        connection.set_busy_timeout(BUSY_MS)
        connection.execute(OPENING)
        return connection

    def _prepare(self, *, make: bool) -> None:
        """Create the tables of a new ledger; refuse a file of another schema version."""
        if make:
            self.writer.execute("PRAGMA journal_mode = WAL")
            with self.writing() as session:
                if not list(session.rows(HAS_TABLES)):
                    make_tables(session, "sqlite.sql", SCHEMA)
                session.run(STANDINGS)
        session = SqliteSession(self.writer)
        check_schema(session, SCHEMA, SCHEMA, name=self.path.name, field="--data")

    @contextmanager
    def writing(self) -> Iterator[SqliteSession]:
        """Run one transaction atomically, after any other writer."""
        with self._lock, self._undamaged(), self._transaction() as session:
            yield session

    @contextmanager
    def _transaction(self) -> Iterator[SqliteSession]:
        writer = self.writer
        writer.execute("BEGIN IMMEDIATE")
        try:
            yield SqliteSession(writer)
            writer.execute("COMMIT")
            self._place.check()
        except BaseException:
            self._roll_back()
            raise

    def append(self, claim: Claim, work: Work) -> Answer:
        return self.settle(claim, (), lambda _: work)

    def settle(self, claim: Claim, meters: Sequence[str], decide: Decide) -> Answer:
        with self._lock:
            [result] = self.committed(self._begun([Request(claim, meters, decide)]))
        if isinstance(result, BaseException):
            raise result
        return result

    def begin_all(self, requests: Sequence[Request]) -> Finish | None:
        """Run all statements now, unless another writer is active; return the commit.

        Statements take microseconds and the disk milliseconds, so a caller who must not block runs
        the statements here and leaves the commit to a thread.
        """
        if not self._lock.acquire(blocking=False):
            return None
        try:
            results = self._begun(requests)
        except BaseException:
            self._lock.release()
            raise
        return partial(self._finish, results)

    def _finish(self, results: list[Result]) -> list[Result]:
        try:
            return self.committed(results)
        finally:
            self._lock.release()

    def _begun(self, requests: Sequence[Request]) -> list[Result]:
        """Run the statements of all commands that aren't refused, without committing.

        A command is seldom refused after it has written something; then the others are run again
        without it. A savepoint for each would slow all of them down.
        """
        results: dict[int, Result] = {}
        try:
            # A single command takes fewer statements on its own.
            if len(requests) < 2 or not self._run(requests, results, together=True):
                while not self._run(requests, results):
                    pass
        except BaseException as error:
            self._roll_back()
            if not isinstance(error, Exception):
                raise  # An interrupt is meant for this thread.
            results = {at: results.get(at, error) for at in range(len(requests))}
        return [self._told(results[at]) for at in range(len(requests))]

    def _run(
        self, requests: Sequence[Request], results: dict[int, Result], *, together: bool = False
    ) -> bool:
        """Run the statements of commands that have no error yet, in one transaction.

        If one fails after writing something, the transaction is rolled back. When run together, the
        culprit is unknown; one by one, its error is recorded.
        """
        self.writer.execute("BEGIN IMMEDIATE")
        session, at = SqliteSession(self.writer), 0
        try:
            gathers = Gathering(session, [one.claim for one in requests]) if together else None
            pen = gathers or Pen(session)
            for at, (claim, meters, decide) in enumerate(requests):
                if isinstance(results.get(at), BaseException):
                    continue
                written = self.writer.total_changes()
                try:
                    results[at] = pen.append(claim, meters, decide=decide)
                except Refused as refused:
                    if self.writer.total_changes() != written:
                        raise
                    results[at] = refused
            if gathers:
                gathers.finish()
        except Exception as error:
            self._roll_back()
            if together:
                results.clear()
            else:
                results[at] = error
            return False
        return True

    def committed(self, results: list[Result]) -> list[Result]:
        """Commit; if the disk fails, every command has failed."""
        try:
            if self.writer.in_transaction:
                self.writer.execute("COMMIT")
                self._place.check()  # A commit to a deleted file succeeds, but is lost.
        except BaseException as error:
            self._roll_back()
            if not isinstance(error, Exception):
                raise
            told = self._told(error)
            return [one if isinstance(one, BaseException) else told for one in results]
        return results

    def _told(self, result: T) -> T | Lost:
        """Return a result, or that the ledger is lost if its file is damaged."""
        return Lost(f"{self.path} is damaged: {result}") if isinstance(result, DAMAGED) else result

    @contextmanager
    def _undamaged(self) -> Iterator[None]:
        try:
            yield
        except DAMAGED as error:
            raise self._told(error) from None

    def _roll_back(self) -> None:
        if self.writer.in_transaction:  # A disk failure may have rolled it back already.
            self.writer.execute("ROLLBACK")

    @contextmanager
    def snapshot(self) -> Iterator[SqliteSession]:
        """Hold a snapshot of the ledger, without later commits."""
        self._place.check()
        with self._undamaged():
            connection = self._reader()
            try:
                connection.execute("BEGIN; SELECT number FROM streams LIMIT 1")
                self._place.check()
                yield SqliteSession(connection)
                connection.execute("ROLLBACK")
            except BaseException:
                connection.close(True)
                raise
            self._put_back(connection)

    def _reader(self) -> apsw.Connection:
        """Return an idle read connection; opening one takes ten times as long."""
        try:
            return self.readers.pop()
        except IndexError:
            return self._connect()

    def _put_back(self, connection: apsw.Connection) -> None:
        """Keep a connection for the next reader, unless it still holds its snapshot."""
        is_idle = connection.txn_state() == apsw.SQLITE_TXN_NONE
        if is_idle and len(self.readers) < READERS_MAX and not self._is_closed:
            self.readers.append(connection)
        else:
            connection.close(True)

    @contextmanager
    def reading(self) -> Iterator[View]:
        with self.snapshot() as session:
            yield Reading(session)

    def add_checkpoint(self, checkpoint: Checkpoint) -> None:
        with self.writing() as session:
            session.run(
                "INSERT INTO checkpoints VALUES (?, ?)", (checkpoint.number, str(checkpoint))
            )

    def keep(self, stream: str, kept: Kept) -> None:
        with self.writing() as session:
            session.run(KEEP, (stream, kept.head.number, kept.head.hash.hex(), kept.data))

    def backup(self, to: Path) -> None:
        # Within a snapshot, later commits neither show nor restart the copy.
        with self.snapshot() as session, whole_file(to) as part:
            make_private(part)
            target = apsw.Connection(str(part))
            copy(session.connection, target)
            target.execute("PRAGMA journal_mode = DELETE")
            # Backups have no sessions (see TABLES), not even in free pages.
            target.execute("PRAGMA secure_delete = ON")
            target.execute("DELETE FROM sessions")
            target.close()

    def restore(self, source: Path) -> None:
        with self.reading() as view:
            if view.heads():
                raise UserError("is not empty", field="--data")
        with self._lock:
            read_only = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READONLY)
            copy(read_only, self.writer)
            read_only.close()
            self._place = LedgerFile(self.path)  # The copy may have started another log.
        self._prepare(make=True)
        self._place = LedgerFile(self.path)

    def leave_log(self) -> None:
        """Make the file self-contained: a backup has no log beside it."""
        self.writer.execute("PRAGMA journal_mode = DELETE")
        self._place = LedgerFile(self.path)

    def check(self) -> None:
        self._place.check()

    def close(self) -> None:
        with self._lock:
            self._emptying.close()
            self._is_closed = True
            while self.readers:
                self.readers.pop().close()
            # Empty the log even while others read, so that the file alone is complete.
            self.writer.set_busy_timeout(CLOSING_MS)
            with suppress(apsw.Error):
                self.writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            self.writer.close()
            self._let_go()

    def _let_go(self) -> None:
        if self._taken is not None:
            os.close(self._taken)
            self._taken = None


def copy(source: apsw.Connection, target: apsw.Connection) -> None:
    """Copy a whole database, page by page."""
    with target.backup("main", source, "main") as backup:
        while not backup.done:
            backup.step(PAGES_A_STEP)


def is_whole(file: Path) -> bool:
    """Whether a file is a ledger whose every page can be read."""
    try:
        with closing(apsw.Connection(str(file), flags=apsw.SQLITE_OPEN_READONLY)) as connection:
            checked = connection.execute("PRAGMA quick_check").fetchall()
            connection.execute("SELECT count(*) FROM streams").fetchall()
    except apsw.Error:
        return False
    return checked == [("ok",)]


@contextmanager
def whole_file(file: Path) -> Iterator[Path]:
    """Yield a temporary file that gets its name only once it is complete and on disk."""
    if file.exists():
        raise UserError(f"{file.name} exists already", field="--output")
    part = file.with_name(f"{file.name}.part")
    part.unlink(missing_ok=True)
    yield part
    _sync(part)
    part.rename(file)
    _sync(file.parent)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def check_version(text: str) -> None:
    """Refuse a SQLite version that is known to lose commits."""
    version = tuple(map(int, text.split(".")))
    if version < VERSION_MIN:
        least = ".".join(map(str, VERSION_MIN))
        raise UserError(f"SQLite is {text}, and a ledger needs {least}: upgrade apsw")
