"""A ledger in one SQLite file, through apsw: write-ahead log, every commit synced, one writer.

Commands that come while another one waits for the disk are committed together afterwards, each
whole or not at all, and none is answered before the disk has it.
"""

import os
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import apsw

from croupier.errors import Bug, Refused, UserError
from croupier.ledger.checkpoints import Checkpoint
from croupier.ledger.store import Answer, Claim, Decide, Finish, Request, Result, View, Work
from croupier.ledger.stores.emptying import Emptying
from croupier.ledger.stores.gathering import Gathering
from croupier.ledger.stores.place import Place, make_private, take
from croupier.ledger.stores.statements import RECORDED, Earlier, Pen, Reading, Row, pending

VERSION_MIN = (3, 51, 3)
"""Before it, a log that two connections reset at once could lose commits."""
BUSY_MS, CLOSING_MS = 10_000, 1_000
PAGES_A_STEP = 256
STATEMENTS_KEPT = 512
"""How many runs of statements later one is still prepared; a large commit takes hundreds of runs,
and the usual hundred would have every statement prepared anew for each of them."""
_OPENING = """
PRAGMA foreign_keys = ON;
PRAGMA synchronous = FULL;
PRAGMA trusted_schema = OFF;
"""
CACHE = "PRAGMA cache_size = -16384"
"""The writer keeps 16 MiB of pages: those that thousands of players write to."""


class SqliteSession:
    """Statements on one connection, inside a transaction of its owner's."""

    locking = ""  # There is one writer, so nobody else can change a row.
    floor_error: type[Exception] = apsw.ConstraintError
    holds = "instr(data, CAST('{}' AS BLOB)) > 0"

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection

    def rows(self, sql: str, *parameters: object) -> Iterator[Row]:
        return self.connection.execute(sql, parameters)

    def run(self, sql: str, *parameters: object) -> int:
        self.connection.execute(sql, parameters)
        return self.connection.changes()

    def run_many(self, sql: str, rows: Sequence[Row]) -> int:
        before = self.connection.total_changes()
        self.connection.executemany(sql, rows)
        return self.connection.total_changes() - before


@dataclass(eq=False)
class Running:
    """A command that has an answer or an error when it was done."""

    claim: Claim
    meters: Sequence[str]
    decide: Decide
    answer: Answer | None = None
    error: BaseException | None = None

    def run(self, pen: Pen) -> None:
        """Append what the command comes to."""
        self.error = None
        self.answer = pen.append(self.claim, self.meters, decide=self.decide)

    def result(self) -> Answer:
        # A commit that failed has answered nobody.
        if self.error is not None:
            raise self.error
        if self.answer is None:
            raise Bug(f"the command {self.claim.command} was lost")
        return self.answer


@dataclass(eq=False)
class Waiting(Running):
    """A command that waits for its turn in a thread of its own."""

    leads: bool = False
    """Whether it is this one's turn to commit, for all that wait."""
    woken: threading.Event = field(default_factory=threading.Event)
    """Set when it leads, or when there is an answer or an error."""


class SqliteStore:
    """A ledger in a file."""

    is_local = True

    def __init__(
        self, path: Path, *, make: bool = False, alone: bool = False, vfs: str = ""
    ) -> None:
        check_version(apsw.sqlite_lib_version())
        self.path, self.vfs = path, vfs
        self._lock = threading.Lock()
        self._queue, self._led = threading.Lock(), False
        self._waiting: list[Waiting] = []
        if not make and not path.exists():
            raise UserError(f"there is no ledger {path.name}", field="--data")
        try:
            if make:
                make_private(path)
            self._taken = take(path) if alone else None
        except OSError as error:
            message = f"{path.name} cannot be opened: {error.strerror}"
            raise UserError(message, field="--data") from None
        self._place = Place(path)
        try:
            self._writer = self._connect()
            self._writer.execute(CACHE)
            self._prepare(make=make)
            self._emptying = Emptying(self._connect)
            self._emptying.follow(self._writer)
        except BaseException as error:
            self._let_go()
            if not isinstance(error, apsw.NotADBError | apsw.CantOpenError | apsw.SQLError):
                raise
            raise UserError(f"{path.name} is not a ledger: {error}", field="--data") from None
        self._place = Place(path)

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(
            str(self.path),
            flags=apsw.SQLITE_OPEN_READWRITE,  # What is gone is not made anew.
            vfs=self.vfs or None,
            statementcachesize=STATEMENTS_KEPT,
        )
        connection.set_busy_timeout(BUSY_MS)
        connection.execute(_OPENING)
        return connection

    def _prepare(self, *, make: bool) -> None:
        """Bring the tables up to date, or refuse a file that is not."""
        if make:
            self._writer.execute("PRAGMA journal_mode = WAL")
            with self.writing() as session:
                session.run(RECORDED)
        for migration in pending(SqliteSession(self._writer), "sqlite"):
            if not make:
                message = f"{self.path.name} is from an earlier version: {migration.name} is due"
                raise Earlier(message, field="--data")
            with self.writing() as session:
                session.run(migration.sql)
                done = migration.number, migration.name
                session.run("INSERT INTO migrations VALUES (?, ?)", *done)

    @contextmanager
    def writing(self) -> Iterator[SqliteSession]:
        """Run one transaction, all of it or nothing, when nobody else does."""
        with self._lock, self._transaction() as session:
            yield session

    @contextmanager
    def _transaction(self) -> Iterator[SqliteSession]:
        writer = self._writer
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
        mine = Waiting(claim, meters, decide)
        with self._queue:
            self._waiting.append(mine)
            mine.leads, self._led = not self._led, True
        try:
            if not mine.leads:
                mine.woken.wait()
            if mine.leads:
                with self._lock:
                    self._commit_waiting()
        finally:
            self._leave(mine)
        return mine.result()

    def begin_all(self, requests: Sequence[Request]) -> Finish | None:
        """Run all statements at once, where nobody else writes; what is left is the commit.

        Statements take microseconds and the disk milliseconds, so that whoever must not wait
        can do the former and leave the latter to another thread.
        """
        if not self._lock.acquire(blocking=False):
            return None
        together = [Running(*request) for request in requests]
        try:
            self._begin(together)
        except BaseException:
            self._lock.release()
            raise
        return partial(self._finish, together)

    def _finish(self, together: Sequence[Running]) -> list[Result]:
        try:
            self._commit(together)
        finally:
            self._lock.release()
        return [one.error or one.result() for one in together]

    def _begin(self, together: Sequence[Running]) -> None:
        """Run the statements of all commands that are not refused, and leave them uncommitted.

        One that is refused when it has written something happens seldom, so the others are done
        again; to keep a place in the transaction for each to go back to would cost all of them.
        """
        left = list(together)
        try:
            # One alone is stored with fewer statements by itself.
            if len(left) < 2 or not self._run_together(left):
                while left and (refused := self._run_singly(left)):
                    left.remove(refused)
        except BaseException as error:
            self._fail(left, error)
            if not isinstance(error, Exception):
                raise  # Whoever interrupts means this thread.

    def _run_together(self, together: Sequence[Running]) -> bool:
        """Run the statements of commands, or of none: it does not show whose fault that is."""
        self._writer.execute("BEGIN IMMEDIATE")
        try:
            pen = Gathering(SqliteSession(self._writer), [one.claim for one in together])
            for one in together:
                self._run(one, pen)
            pen.finish()
        except Exception:
            self._roll_back()
            return False
        return True

    def _run_singly(self, together: Sequence[Running]) -> Running | None:
        """Run the statements of commands, or of none: then return the one that was refused."""
        self._writer.execute("BEGIN IMMEDIATE")
        pen = Pen(SqliteSession(self._writer))
        for one in together:
            try:
                self._run(one, pen)
                pen.finish()
            except Exception as error:
                self._fail([one], error)
                return one
        return None

    def _run(self, one: Running, pen: Pen) -> None:
        written = self._writer.total_changes()
        try:
            one.run(pen)
        except Refused as refused:
            if self._writer.total_changes() != written:
                raise
            one.error = refused

    def _commit(self, together: Sequence[Running]) -> None:
        """Wait for the disk; if it fails, all of them have failed."""
        try:
            if self._writer.in_transaction:
                self._writer.execute("COMMIT")
                self._place.check()  # A commit into a deleted file succeeds, and is worth nothing.
        except BaseException as error:
            self._fail(together, error)
            if not isinstance(error, Exception):
                raise

    def _fail(self, together: Sequence[Running], error: BaseException) -> None:
        self._roll_back()
        for one in together:
            one.error = one.error or error

    def _roll_back(self) -> None:
        if self._writer.in_transaction:  # A failed disk may have rolled it back already.
            self._writer.execute("ROLLBACK")

    def _commit_waiting(self) -> None:
        """Commit all commands that wait, with one wait for the disk."""
        with self._queue:
            together, self._waiting = self._waiting, []
        try:
            self._begin(together)
            self._commit(together)
        finally:
            for one in together:
                one.woken.set()

    def _leave(self, mine: Waiting) -> None:
        """Let the next one lead, if one waits; who was interrupted waits no longer."""
        with self._queue:
            if mine in self._waiting:
                self._waiting.remove(mine)
            if mine.leads:
                self._led = bool(self._waiting)
                for following in self._waiting[:1]:
                    following.leads = True
                    following.woken.set()

    @contextmanager
    def snapshot(self) -> Iterator[SqliteSession]:
        """Hold one moment of the ledger: later commits do not show in it."""
        self._place.check()
        connection = self._connect()
        try:
            connection.execute("BEGIN; SELECT number FROM streams LIMIT 1")
            self._place.check()
            yield SqliteSession(connection)
        finally:
            connection.close(True)

    @contextmanager
    def reading(self) -> Iterator[View]:
        with self.snapshot() as session:
            yield Reading(session)

    def add_checkpoint(self, checkpoint: Checkpoint) -> None:
        with self.writing() as session:
            session.run("INSERT INTO checkpoints VALUES (?, ?)", checkpoint.number, str(checkpoint))

    def backup(self, to: Path) -> None:
        # Within a snapshot later commits neither show nor make the copy start anew.
        with self.snapshot() as session, whole_file(to) as part:
            make_private(part)
            target = apsw.Connection(str(part))
            copy(session.connection, target)
            target.execute("PRAGMA journal_mode = DELETE")
            # Sessions are not kept (see TABLES), not even in pages that are free now.
            target.execute("PRAGMA secure_delete = ON")
            target.execute("DELETE FROM sessions")
            target.close()

    def restore(self, source: Path) -> None:
        with self.reading() as view:
            if view.heads():
                raise UserError("is not empty", field="--data")
        with self._lock:
            read_only = apsw.Connection(str(source), flags=apsw.SQLITE_OPEN_READONLY)
            copy(read_only, self._writer)
            read_only.close()
            self._place = Place(self.path)  # The copy may have begun another log.
        try:
            self._prepare(make=True)
            self._place = Place(self.path)
        except apsw.Error as error:
            message = f"{source.name} cannot be brought up to date: {error}"
            raise UserError(message, field="BACKUP") from None

    def leave_log(self) -> None:
        """Make the file one that stands alone: a backup has no log beside it."""
        self._writer.execute("PRAGMA journal_mode = DELETE")
        self._place = Place(self.path)

    def check(self) -> None:
        self._place.check()

    def close(self) -> None:
        with self._lock:
            self._emptying.close()
            # The log is emptied even while others read, so that the file alone is complete.
            self._writer.set_busy_timeout(CLOSING_MS)
            with suppress(apsw.Error):
                self._writer.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            self._writer.close()
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


@contextmanager
def whole_file(file: Path) -> Iterator[Path]:
    """Give a file to write to that gets its name only when it is whole and on the disk."""
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
    """Refuse a SQLite that is known to lose commits."""
    version = tuple(map(int, text.split(".")))
    if version < VERSION_MIN:
        least = ".".join(map(str, VERSION_MIN))
        raise UserError(f"SQLite is {text}, and a ledger needs {least}: upgrade apsw")
