"""A ledger in PostgreSQL, through psycopg: for when one machine is not enough.

It relies on row locks taken in a fixed order, on unique keys and on checks, never on isolation
alone. What the database breaks off because two waited for each other is done again.
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
from croupier.ledger.stores.statements import RECORDED, Earlier, Pen, Reading, Row, fill, pending

CONNECTIONS_MAX = 8
CONNECT_S = 10
WAIT_S = 2
"""So long a connection is waited for; then the database counts as out of reach."""
RECONNECT_S = 1
"""So long the pool tries by itself. After that whoever asks next makes it try at once; left to
itself it would wait longer after each failure, and for minutes after the database is back."""
TRIES, PAUSE_MAX_BITS = 20, 7
AGAIN = (errors.DeadlockDetected, errors.SerializationFailure, errors.UniqueViolation)
"""What goes well if it is done again: the other one has finished by then."""
NO_LEDGER = (psycopg.OperationalError, psycopg.ProgrammingError, PoolTimeout, Unavailable)
COMMAND_KEY = "commands_pkey"
"""The one key that two may want at once: both were sent the same command."""
MIGRATING = 7_233_091
"""The number of the lock under which one process migrates and others wait."""
SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"

Connection = psycopg.Connection[tuple[Any, ...]]


def _sql(text: str) -> LiteralString:
    """Write a statement with psycopg's marks; all of them are constants of ours."""
    return text.replace("?", "%s")


class PostgresSession:
    """Statements on one connection, inside a transaction of its owner's."""

    locking = " FOR UPDATE"
    floor_error: type[Exception] = errors.CheckViolation
    holds = "position('{}'::bytea IN data) > 0"

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def rows(self, sql: str, *parameters: object) -> Iterator[Row]:
        return iter(self.connection.execute(_sql(sql), parameters))

    def run(self, sql: str, *parameters: object) -> int:
        return self.connection.execute(_sql(sql), parameters).rowcount

    def run_many(self, sql: str, rows: Sequence[Row]) -> int:
        if not rows:
            return 0
        cursor = self.connection.cursor()
        cursor.executemany(_sql(sql), rows)
        return cursor.rowcount


class ReadingSession(PostgresSession):
    """Statements whose rows come in portions, so that a long journal does not fill the memory."""

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
            # One connection first: its failure says what is wrong, and a pool only waits.
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
        """Bring the tables up to date, or refuse a database whose are not."""
        if make:
            with self.writing() as session:
                session.run("SELECT pg_advisory_xact_lock(?)", MIGRATING)
                session.run(RECORDED)
        with self.writing() as session:
            due = pending(session, "postgres")
        for migration in due:
            if not make:
                message = f"it is from an earlier version: {migration.name} is due"
                raise Earlier(message, field="--database")
            with self.writing() as session:
                session.run("SELECT pg_advisory_xact_lock(?)", MIGRATING)
                if migration in pending(session, "postgres"):
                    session.connection.execute(_sql(migration.sql.replace("%", "%%")), ())
                    done = migration.number, migration.name
                    session.run("INSERT INTO migrations VALUES (?, ?)", *done)

    @contextmanager
    def writing(self) -> Iterator[PostgresSession]:
        """Run one transaction, all of it or nothing; a server's only while it has the database."""
        holding = self._holding
        # The epoch is asked for in the same trip to the database.
        begin = self._begin if holding is None else _sql(f"{self._begin}; {FENCE}")
        with self._begun(begin) as (connection, epoch):
            if holding is not None:
                holding.fence(epoch)
            yield PostgresSession(connection)
            connection.execute("COMMIT")

    @contextmanager
    def _begun(self, begin: LiteralString) -> Iterator[tuple[Connection, int | None]]:
        """Begin a transaction; whatever it is left with, it is over then.

        Connections that broke while nobody used them are passed over: nothing was done on them.
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
        return partial(self._settle_all, requests)  # Every statement waits for the server.

    def _settle_all(self, requests: Sequence[Request]) -> list[Result]:
        """Settle streams beside each other, and what goes into one of them in its order."""
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
                    results[at] = gone = error  # The others need not wait for it too.
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
                # Those who got into each other's way wait for times that differ, and longer.
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
        """Hold one moment of the ledger: later commits do not show in it."""
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
    """Never acknowledge what the disk does not have, whatever the server's default is."""
    connection.execute("SET synchronous_commit = on")
