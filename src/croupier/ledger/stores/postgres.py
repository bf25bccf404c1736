"""A ledger in PostgreSQL, through psycopg: for when one machine isn't enough.

It relies on row locks taken in a fixed order, unique keys and checks, never on isolation alone.
Transactions that the database aborts because of a deadlock are retried.
"""

import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from itertools import count
from pathlib import Path
from random import randrange
from typing import Any, LiteralString

import psycopg
from psycopg import errors
from psycopg_pool import ConnectionPool, PoolTimeout, TooManyRequests

from croupier.errors import UserError
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
COMMAND_KEY = "commands_pkey"
"""The one unique key that may conflict: both transactions were sent the same command."""
SCHEMA = 6
"""The version of `postgres.sql`. Older ones can't be upgraded: none was released."""
HAS_TABLES = "SELECT 1 WHERE to_regclass('migrations') IS NOT NULL"
MAKING = 7_233_091
"""The number of the lock under which one process creates the tables while others wait."""
SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

Connection = psycopg.Connection[tuple[Any, ...]]


def _sql(text: str) -> LiteralString:
    """Convert a statement to psycopg's placeholders; all statements are our own constants."""
    return text.replace("?", "%s")


class PostgresSession:
    """Statements on one connection, inside its owner's transaction."""

    locking = " FOR UPDATE"
    floor_error: type[Exception] = errors.CheckViolation
    holds = "position('{}'::bytea IN data) > 0"

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
        self._threads = ThreadPoolExecutor(CONNECTIONS_MAX, "postgres")
        self._begin = _sql(f"BEGIN ISOLATION LEVEL {isolation}")
        self._holding: Holding | None = None
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            url,
            min_size=1,
            max_size=CONNECTIONS_MAX,
            open=False,
            timeout=WAIT_S,
            reconnect_timeout=RECONNECT_S,
            kwargs={"autocommit": True, **ALIVE},
            configure=_configure,
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
        """Create the tables of a new ledger; refuse a database of another schema version."""
        with self.writing() as session:
            if make:
                session.run("SELECT pg_advisory_xact_lock(?)", MAKING)
                if not list(session.rows(HAS_TABLES)):
                    make_tables(session, "postgres.sql", SCHEMA)
            check_schema(session, SCHEMA, name="the ledger", field="--database")

    @contextmanager
    def writing(self) -> Iterator[PostgresSession]:
        """Run one transaction atomically; a server must still hold the database."""
        holding = self._holding
        # Fetch the epoch in the same round trip.
        begin = self._begin if holding is None else _sql(f"{self._begin}; {FENCE}")
        with self._begun(begin) as (connection, epoch):
            if holding is not None:
                holding.fence(epoch)
            yield PostgresSession(connection)
            connection.execute("COMMIT")

    @contextmanager
    def _begun(self, begin: LiteralString) -> Iterator[tuple[Connection, int | None]]:
        """Begin a transaction; it is over when the block ends.

        Connections that broke while idle are skipped: nothing was done on them.
        """
        if self._holding:
            self._holding.check()
        until_s = time.monotonic() + WAIT_S
        while True:
            try:
                connection = self._pool.getconn(until_s - time.monotonic())
            except (PoolTimeout, TooManyRequests) as error:
                raise Unavailable("the database does not answer") from error
            try:
                begun = connection.execute(begin)
                row = begun.fetchone() if begun.nextset() else None
                break
            except BaseException as error:
                broken = connection.closed
                self._over(connection)
                if not (broken and isinstance(error, psycopg.Error)):
                    raise
        try:
            yield connection, row[0] if row else None
        except psycopg.Error as error:
            if connection.closed:
                raise Unsure("the connection to the database broke") from error
            raise
        finally:
            self._over(connection)

    def _over(self, connection: Connection) -> None:
        try:
            if not connection.closed:
                connection.rollback()
        finally:
            self._pool.putconn(connection)

    def begin_all(self, requests: Sequence[Request]) -> Finish | None:
        return partial(self._settle_all, requests)  # Every statement waits for the database.

    def _settle_all(self, requests: Sequence[Request]) -> list[Result]:
        """Settle streams in parallel, and the commands of each stream in order."""
        results: dict[int, Result] = {}
        streams: dict[str, list[int]] = {}
        for at, request in enumerate(requests):
            streams.setdefault(request.claim.stream, []).append(at)

        def settle(places: list[int]) -> None:
            gone: Unavailable | None = None
            for at in places:
                try:
                    results[at] = gone or self.settle(*requests[at])
                except Unavailable as error:
                    results[at] = gone = error  # Fail the others at once instead of waiting.
                except Exception as error:
                    results[at] = error

        for _ in self._threads.map(settle, streams.values()):
            pass
        return [results[at] for at in range(len(requests))]

    def append(self, claim: Claim, work: Work) -> Answer:
        return self.settle(claim, (), lambda _: work)

    def settle(self, claim: Claim, meters: Sequence[str], decide: Decide) -> Answer:
        for tried in range(TRIES):
            try:
                return self._settle_once(claim, meters, decide)
            except AGAIN as error:
                if error.diag.constraint_name not in (None, COMMAND_KEY):
                    raise
                # Back off for a random time, longer with each try.
                time.sleep(randrange(1 << min(tried, PAUSE_MAX_BITS)) / 1000)
        return self._settle_once(claim, meters, decide)

    def _settle_once(self, claim: Claim, meters: Sequence[str], decide: Decide) -> Answer:
        with self.writing() as session:
            pen = Pen(session)
            answer = pen.append(claim, meters, decide=decide)
            pen.finish()
            return answer

    @contextmanager
    def snapshot(self) -> Iterator[ReadingSession]:
        """Hold a snapshot of the ledger, without later commits."""
        with self._begun(SNAPSHOT) as (connection, _):
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
        with self._begun(SNAPSHOT):
            pass

    def close(self) -> None:
        self._threads.shutdown()
        self._pool.close()
        if self._holding:
            self._holding.close()


def _configure(connection: Connection) -> None:
    """Never acknowledge a commit that isn't on disk, whatever the server's default."""
    connection.execute("SET synchronous_commit = on")
