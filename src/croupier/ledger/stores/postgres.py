"""A ledger in PostgreSQL, through psycopg: for when one machine isn't enough.

It relies on row locks taken in a fixed order, unique keys and checks, never on isolation alone.
Transactions that the database aborts because of a deadlock are retried.
"""

import select
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from random import randrange
from typing import Any, LiteralString, TypeVar

import psycopg
from psycopg import errors
from psycopg_pool import ConnectionPool, PoolTimeout, TooManyRequests

from croupier.errors import UserError
from croupier.ledger.accounts import Account, account
from croupier.ledger.checkpoints import Checkpoint
from croupier.ledger.store import (
    Answer,
    Claim,
    Decide,
    Finish,
    Request,
    Result,
    Unavailable,
    Unsure,
    View,
    Work,
)
from croupier.ledger.stores import statements
from croupier.ledger.stores.batch import Batch
from croupier.ledger.stores.holding import ALIVE, FENCE, Holding
from croupier.ledger.stores.sqlite import SqliteStore, whole_file
from croupier.ledger.stores.statements import Pen, Reading, Row, check_schema, fill, make_tables

CONNECTIONS_MAX = 8
CONNECT_S = 10
WAIT_S = 2
"""How long to wait for a connection before the database counts as unreachable."""
RECONNECT_S = 1
"""How long the pool reconnects on its own. After that the next request makes it try at once; left
alone it would back off for minutes after the database is back."""
TRIES, PAUSE_MAX_BITS = 20, 7
AGAIN = (errors.DeadlockDetected, errors.SerializationFailure, errors.UniqueViolation)
"""Errors to retry: the other transaction has finished by then."""
NO_LEDGER = (psycopg.OperationalError, psycopg.ProgrammingError, PoolTimeout, Unavailable)
RACED = ("commands_pkey", "streams_pkey", "accounts_pkey")
"""The unique keys that may conflict: both transactions were sent the same command, or the first of
a stream or an account."""
FILE, SCHEMA, OLDEST = "postgres.sql", 7, 6
"""The schema, its version, and the oldest version that running the file again brings up to date."""
HAS_TABLES = "SELECT 1 WHERE to_regclass('migrations') IS NOT NULL"
MAKING = 7_233_091
"""The number of the lock under which one process creates the tables while others wait."""
SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
BEGIN, BEGIN_FENCED = "BEGIN", f"BEGIN; {FENCE}"
APPEND = "SELECT append_v1(%s, %s::jsonb)"
READ = "SELECT meter, held FROM read_v1(%s, %s, %s)"
OVERTAKEN = "CR001"
"""The code of the error that both functions raise when another server has the database."""
T = TypeVar("T")

Connection = psycopg.Connection[tuple[Any, ...]]


def _sql(text: str) -> LiteralString:
    """Convert a statement to psycopg's placeholders; all statements are our own constants."""
    return text.replace("?", "%s")


class PostgresSession:
    """Statements on one connection, inside its owner's transaction."""

    locking = " FOR UPDATE"
    floor_error: type[Exception] = errors.CheckViolation
    holds = "position('{}'::bytea IN data) > 0"
    schema = "postgres.sql"
    triggers = (
        "SELECT tgname, prosrc FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid "
        "JOIN pg_class ON pg_class.oid = tgrelid "
        "WHERE NOT tgisinternal AND tgenabled = 'O' AND tgname = relname || '_stay'"
    )

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def rows(self, sql: str, *parameters: object) -> Iterator[Row]:
        return iter(self.connection.execute(_sql(sql), parameters))

    def run(self, sql: str, *parameters: object) -> int:
        return self.connection.execute(_sql(sql), parameters).rowcount

    def script(self, sql: str) -> None:
        self.connection.execute(sql.encode())

    def run_many(self, sql: str, rows: Sequence[Row]) -> int:
        if not rows:
            return 0
        cursor = self.connection.cursor()
        cursor.executemany(_sql(sql), rows)
        return cursor.rowcount


class ReadingSession(PostgresSession):
    """Statements whose rows are fetched in batches, so that a long journal fits in memory."""

    _names = count()

    def rows(self, sql: str, *parameters: object) -> Iterator[Row]:
        with self.connection.cursor(f"reading_{next(self._names)}") as cursor:
            cursor.itersize = statements.ROWS_AT_ONCE
            cursor.execute(_sql(sql), parameters)
            yield from cursor


class PostgresStore:
    """A ledger in a PostgreSQL database."""

    is_local = False

    def __init__(
        self,
        url: str,
        *,
        make: bool = False,
        alone: bool = False,
        isolation: str = "READ COMMITTED",
    ) -> None:
        self._holding: Holding | None = None
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            url,
            min_size=1,
            max_size=CONNECTIONS_MAX,
            open=False,
            timeout=WAIT_S,
            reconnect_timeout=RECONNECT_S,
            kwargs={"autocommit": True, **ALIVE},
            configure=partial(_configure, isolation=isolation),
        )
        holding: Holding | None = None
        try:
            # Try one connection first: its error says what is wrong, while a pool only waits.
            psycopg.connect(url, connect_timeout=CONNECT_S).close()
            holding = Holding(url) if alone else None
            self._pool.open(wait=True, timeout=CONNECT_S)
            self._prepare(make=make)
            if holding:
                holding.begin()
        except BaseException as error:
            self._pool.close()
            if holding:
                holding.close()
            if not isinstance(error, NO_LEDGER):
                raise
            message = str(error).partition("\n")[0]
            raise UserError(f"there is no ledger: {message}", field="--database") from None
        self._holding = holding

    def _prepare(self, *, make: bool) -> None:
        """Create the tables of a new ledger, or bring an older one up to date."""
        with self.writing() as session:
            if make:
                session.run("SELECT pg_advisory_xact_lock(?)", MAKING)
                if not list(session.rows(HAS_TABLES)):
                    make_tables(session, FILE, SCHEMA)
            found = check_schema(session, OLDEST, SCHEMA, name="the ledger", field="--database")
            if make and found < SCHEMA:
                make_tables(session, FILE, SCHEMA)

    @contextmanager
    def writing(self) -> Iterator[PostgresSession]:
        """Run one transaction atomically; a server must still hold the database."""
        holding = self._holding
        with self._connected() as connection:
            # Fetch the epoch in the same round trip.
            begun = connection.execute(BEGIN if holding is None else BEGIN_FENCED)
            if holding is not None:
                row = begun.fetchone() if begun.nextset() else None
                holding.fence(row[0] if row else None)
            yield PostgresSession(connection)
            connection.execute("COMMIT")

    @contextmanager
    def _connected(self) -> Iterator[Connection]:
        """Lend a connection; a transaction that isn't committed when the block ends is undone."""
        connection = self._lent()
        try:
            yield connection
        except psycopg.Error as error:
            if connection.closed:
                raise Unsure("the connection to the database broke") from error
            if self._holding and error.sqlstate == OVERTAKEN:
                self._holding.fence(None)
            raise
        finally:
            self._over(connection)

    def _lent(self) -> Connection:
        """Take a connection from the pool, but none that broke while it was idle."""
        if self._holding:
            self._holding.check()
        until_s = time.monotonic() + WAIT_S
        while True:
            try:
                connection = self._pool.getconn(until_s - time.monotonic())
            except (PoolTimeout, TooManyRequests) as error:
                raise Unavailable("the database does not answer") from error
            if not _has_ended(connection):
                return connection
            connection.close()
            self._pool.putconn(connection)

    def _over(self, connection: Connection) -> None:
        try:
            if not connection.closed:
                connection.rollback()
        finally:
            self._pool.putconn(connection)

    def begin_all(self, requests: Sequence[Request]) -> Finish | None:
        return partial(self._settle_all, requests)  # Every statement waits for the database.

    def _settle_all(self, requests: Sequence[Request]) -> list[Result]:
        """Settle commands in one transaction, but for those that don't fit: these one by one."""
        results: dict[int, Result] = {}
        together = [*range(len(requests))]
        try:
            while together:
                answers, odd = self._settle_together([requests[at] for at in together])
                if not odd:
                    results |= zip(together, answers, strict=True)
                    break
                for at in together:
                    if requests[at].claim.stream in odd:
                        results[at] = self._settle_alone(requests[at])
                together = [at for at in together if requests[at].claim.stream not in odd]
        except Exception as error:
            gone = error  # Fail the others at once instead of waiting.
            return [results.get(at, gone) for at in range(len(requests))]
        return [results[at] for at in range(len(requests))]

    def _settle_together(self, requests: Sequence[Request]) -> tuple[list[Result], Collection[str]]:
        """Store what commands come to; or return the streams that stand in the way."""
        try:
            return _again(partial(self._append_all, requests))
        except Unavailable:
            raise
        except Exception:
            return [], {request.claim.stream for request in requests}  # One by one shows whose.

    def _append_all(self, requests: Sequence[Request]) -> tuple[list[Result], Collection[str]]:
        meters = {account("meter", name) for request in requests for name in request.meters}
        if not meters:
            # One statement is a transaction of its own.
            with self._connected() as connection:
                return self._appended(connection, Batch(requests, {}))
        streams = sorted({request.claim.stream for request in requests})
        with self._connected() as connection, connection.transaction():
            held = connection.execute(READ, (self._epoch, streams, sorted(meters)))
            batch = Batch(requests, {Account(meter): micros for meter, micros in held})
            return self._appended(connection, batch)

    def _appended(
        self, connection: Connection, batch: Batch
    ) -> tuple[list[Result], Collection[str]]:
        if batch.odd:
            return [], batch.odd
        found = connection.execute(APPEND, (self._epoch, batch.document())).fetchone()
        return batch.results, found[0] if found else ()

    @property
    def _epoch(self) -> int | None:
        return self._holding.epoch if self._holding else None

    def _settle_alone(self, request: Request) -> Result:
        try:
            return self.settle(*request)
        except Unavailable:
            raise
        except Exception as error:
            return error

    def append(self, claim: Claim, work: Work) -> Answer:
        return self.settle(claim, (), lambda _: work)

    def settle(self, claim: Claim, meters: Sequence[str], decide: Decide) -> Answer:
        return _again(partial(self._settle_once, claim, meters, decide))

    def _settle_once(self, claim: Claim, meters: Sequence[str], decide: Decide) -> Answer:
        with self.writing() as session:
            pen = Pen(session)
            answer = pen.append(claim, meters, decide=decide)
            pen.finish()
            return answer

    @contextmanager
    def snapshot(self) -> Iterator[ReadingSession]:
        """Hold a snapshot of the ledger, without later commits."""
        with self._connected() as connection:
            connection.execute(SNAPSHOT)
            yield ReadingSession(connection)

    @contextmanager
    def reading(self) -> Iterator[View]:
        with self.snapshot() as session:
            yield Reading(session)

    def add_checkpoint(self, checkpoint: Checkpoint) -> None:
        with self.writing() as session:
            session.run("INSERT INTO checkpoints VALUES (?, ?)", checkpoint.number, str(checkpoint))

    def backup(self, to: Path) -> None:
        with self.snapshot() as source, whole_file(to) as part:
            target = SqliteStore(part, make=True)
            try:
                with target.writing() as session:
                    fill(session, source)
                target.leave_log()
            finally:
                target.close()

    def restore(self, source: Path) -> None:
        backup = SqliteStore(source)
        try:
            with backup.snapshot() as rows, self.writing() as session:
                for _ in session.rows("SELECT stream FROM streams LIMIT 1"):
                    raise UserError("is not empty", field="--database")
                fill(session, rows)
        finally:
            backup.close()

    def check(self) -> None:
        with self._connected() as connection:
            connection.execute("SELECT 1")

    def close(self) -> None:
        self._pool.close()
        if self._holding:
            self._holding.close()


def _again(attempt: Callable[[], T]) -> T:
    """Try until no other transaction is in the way."""
    for tried in range(TRIES):
        try:
            return attempt()
        except AGAIN as error:
            if error.diag.constraint_name not in (None, *RACED):
                raise
            # Back off for a random time, longer with each try.
            time.sleep(randrange(1 << min(tried, PAUSE_MAX_BITS)) / 1000)
    return attempt()


def _has_ended(connection: Connection) -> bool:
    """Whether an idle connection has something to read: that it was closed."""
    ready, _, _ = select.select([connection.fileno()], [], [], 0)
    return bool(ready)


def _configure(connection: Connection, *, isolation: str) -> None:
    """Never acknowledge a commit that isn't on disk, whatever the server's default."""
    connection.execute("SET synchronous_commit = on")
    connection.execute(_sql(f"SET default_transaction_isolation = '{isolation.lower()}'"))
