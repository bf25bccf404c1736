"""A ledger in PostgreSQL, through psycopg: for when one machine isn't enough.

It relies on row locks taken in a fixed order, unique keys and checks, never on isolation alone.
Transactions that the database aborts because of a deadlock are retried.
"""

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
from croupier.ledger.accounts import Account
from croupier.ledger.checkpoints import Checkpoint
from croupier.ledger.store import (
    Answer,
    Claim,
    Decide,
    Finish,
    Kept,
    NotOwner,
    Request,
    Result,
    Unavailable,
    Unsure,
    View,
    Work,
)
from croupier.ledger.stores import statements
from croupier.ledger.stores.batch import Batch, meters_of
from croupier.ledger.stores.formats import check_format, make_format
from croupier.ledger.stores.leasing import (
    ALIVE,
    BRIEFLY,
    LOGGER,
    MAKE_FLOORS,
    Leasing,
    break_off,
    is_readable,
)
from croupier.ledger.stores.sqlite import SqliteStore, whole_file
from croupier.ledger.stores.statements import Pen, Reading, SqlRow, check_schema, fill, make_tables
from croupier.ledger.tenure import CHECKPOINT, Freehold, Tenure

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
FILE, SCHEMA, OLDEST = "postgres.sql", 9, 6
"""The schema, its version, and the oldest version that running the file again brings up to date."""
AHEAD = 1
"""The next release's schema only adds to this one, so both may serve a house together."""
HAS_TABLES = "SELECT 1 WHERE to_regclass('migrations') IS NOT NULL"
MAKING = 7_233_091
"""The number of the lock under which one process creates the tables while others wait."""
SNAPSHOT = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
BEGIN = "BEGIN"
BEGIN_AS_NODE: LiteralString = f"BEGIN; {BRIEFLY}"
FENCE = "SELECT epoch, node, timeline = timeline() FROM leases WHERE stream = ? FOR SHARE"
APPEND = "SELECT append_v1(%s, %s::jsonb)"
READ = "SELECT meter, held FROM read_v1(%s, %s)"
ASYNCHRONOUS = (
    "SELECT current_setting('synchronous_standby_names') = '' "
    "AND EXISTS (SELECT FROM pg_stat_replication)"
)
"""Whether there are standbys and commits wait for none: one that takes over may lack the last."""
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
    has_standings = "SELECT 1 WHERE to_regclass('standings') IS NOT NULL"
    triggers = (
        "SELECT tgname, prosrc FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid "
        "JOIN pg_class ON pg_class.oid = tgrelid "
        "WHERE NOT tgisinternal AND tgenabled = 'O' AND tgname = relname || '_stay'"
    )

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def rows(self, sql: str, parameters: Sequence[object] = (), /) -> Iterator[SqlRow]:
        return iter(self.connection.execute(_sql(sql), parameters))

    def run(self, sql: str, parameters: Sequence[object] = (), /) -> int:
        return self.connection.execute(_sql(sql), parameters).rowcount

    def script(self, sql: str) -> None:
        self.connection.execute(sql.encode())

    def run_many(self, sql: str, rows: Sequence[SqlRow], /) -> None:
        self.connection.cursor().executemany(_sql(sql), rows)


class ReadingSession(PostgresSession):
    """Statements whose rows are fetched in batches, so that a long journal fits in memory."""

    _names = count()

    def rows(self, sql: str, parameters: Sequence[object] = (), /) -> Iterator[SqlRow]:
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
        node: str | None = None,
        place: str = "",
        owns: bool = True,
        isolation: str = "READ COMMITTED",
    ) -> None:
        self.tenure: Tenure = Freehold()
        self._node: Leasing | None = None
        self._waiting: set[Connection] = set()
        """The connections that are lent, or made."""
        self._pool: ConnectionPool[Connection] = ConnectionPool(
            url,
            min_size=1,
            max_size=CONNECTIONS_MAX,
            open=False,
            timeout=WAIT_S,
            reconnect_timeout=RECONNECT_S,
            kwargs={"autocommit": True, **ALIVE},
            configure=partial(self._configure, isolation=isolation),
        )
        leasing: Leasing | None = None
        try:
            # Try one connection first: its error says what is wrong, while a pool only waits.
            psycopg.connect(url, connect_timeout=CONNECT_S).close()
            if node is not None:
                leasing = Leasing(url, node, self._connected, place=place, owns=owns)
            self._pool.open(wait=True, timeout=CONNECT_S)
            self._prepare(make=make)
            if leasing:
                self._warn()
                leasing.begin()
        except BaseException as error:
            self._pool.close()
            if leasing:
                leasing.close()
            if not isinstance(error, NO_LEDGER):
                raise
            message = str(error).partition("\n")[0]
            raise UserError(f"there is no ledger: {message}", field="--database") from None
        if leasing:
            self.tenure = self._node = leasing
            leasing.on_silence = self._break_off

    def _warn(self) -> None:
        """Warn of standbys that may lack the last commits."""
        with self.snapshot() as reading:
            if list(reading.rows(ASYNCHRONOUS)) == [(True,)]:
                LOGGER.warning("standbys_asynchronous")

    def _prepare(self, *, make: bool) -> None:
        """Create the tables of a new ledger, or bring an older one up to date."""
        with self.writing() as session:
            if make:
                session.run("SELECT pg_advisory_xact_lock(?)", (MAKING,))
                if not list(session.rows(HAS_TABLES)):
                    make_tables(session, FILE, SCHEMA)
            found = check_schema(
                session, OLDEST, SCHEMA, ahead=AHEAD, name="the ledger", field="--database"
            )
            check_format(session)
            if make and found < SCHEMA:
                make_tables(session, FILE, SCHEMA)
            if make and not list(session.rows(session.has_standings)):
                session.run(statements.STANDINGS)
            if make:
                session.run(MAKE_FLOORS)
                make_format(session)

    @contextmanager
    def writing(self, stream: str = "") -> Iterator[PostgresSession]:
        """Run one transaction atomically; a stream must be this node's."""
        with self._connected(BEGIN_AS_NODE if self._node else BEGIN) as connection:
            session = PostgresSession(connection)
            if self._node and stream:
                self.fence(session, self._node, stream)
            yield session
            connection.execute("COMMIT")

    def fence(self, session: PostgresSession, node: Leasing, stream: str) -> None:
        """Lock the lease of a stream; raise if it is another node's, or of another epoch."""
        epoch = node.owned.get(stream)
        found = list(session.rows(FENCE, (stream,)))
        if found != ([] if epoch is None else [(epoch, node.name, True)]):
            node.lose(stream, epoch)
            raise NotOwner(f"another server has {stream} now")

    @contextmanager
    def _connected(self, begin: LiteralString = "") -> Iterator[Connection]:
        """Lend a connection; a transaction that isn't committed when the block ends is undone."""
        connection = self._lent(begin)
        try:
            yield connection
        except psycopg.Error as error:
            if connection.closed:
                raise Unsure("the connection to the database broke") from error
            if isinstance(error, errors.LockNotAvailable):
                raise Unavailable("another transaction is taking long") from error
            raise
        finally:
            self._over(connection)

    def _lent(self, begin: LiteralString) -> Connection:
        """Take a connection from the pool, but none that broke while it was idle."""
        if self._node:
            self._node.check()
        until_s = time.monotonic() + WAIT_S
        while True:
            try:
                connection = self._pool.getconn(until_s - time.monotonic())
            except (PoolTimeout, TooManyRequests) as error:
                raise Unavailable("the database does not answer") from error
            self._waiting.add(connection)
            try:
                if not is_readable(connection):
                    if begin:
                        connection.execute(begin)
                    return connection
                connection.close()
            except BaseException as error:
                if not (connection.closed and isinstance(error, psycopg.Error)):
                    self._over(connection)
                    raise
            self._waiting.discard(connection)
            self._pool.putconn(connection)  # Nothing was done on it; take another.

    def _over(self, connection: Connection) -> None:
        try:
            if not connection.closed:
                connection.rollback()
        except psycopg.Error:
            connection.close()  # It broke meanwhile, and what was begun on it is undone.
        finally:
            self._waiting.discard(connection)
            self._pool.putconn(connection)

    def _break_off(self) -> None:
        """Let everything end that waits for the database."""
        for connection in [*self._waiting]:
            break_off(connection)

    def _configure(self, connection: Connection, *, isolation: str) -> None:
        """Never acknowledge a commit that isn't on disk, whatever the server's default."""
        self._waiting.add(connection)
        try:
            connection.execute("SET synchronous_commit = on; SET lock_timeout = '2s'")
            connection.execute(_sql(f"SET default_transaction_isolation = '{isolation.lower()}'"))
        finally:
            self._waiting.discard(connection)

    def begin_all(self, requests: Sequence[Request]) -> Finish | None:
        return partial(self._settle_all, requests)  # Every statement waits for the database.

    def _settle_all(self, requests: Sequence[Request]) -> list[Result]:
        """Settle commands in one transaction, and those that don't fit one by one."""
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
        """Store the results of commands; or return the streams that stand in the way."""
        try:
            return _again(partial(self.append_all, requests))
        except Unavailable:
            raise
        except Exception:
            return [], {request.claim.stream for request in requests}  # One by one shows whose.

    def append_all(self, requests: Sequence[Request]) -> tuple[list[Result], Collection[str]]:
        meters = meters_of(requests)
        if not meters:
            # One statement is a transaction of its own.
            with self._connected() as connection:
                return self.appended(connection, Batch(requests, {}, self.tenure.owned))
        streams = sorted({request.claim.stream for request in requests})
        with self.writing() as session:
            held = session.connection.execute(READ, (streams, sorted(meters)))
            shown = {Account(meter): micros for meter, micros in held}
            batch = Batch(requests, shown, self.tenure.owned)
            return self.appended(session.connection, batch)

    def appended(
        self, connection: Connection, batch: Batch
    ) -> tuple[list[Result], Collection[str]]:
        if batch.odd:
            return [], batch.odd
        found = connection.execute(APPEND, (self.tenure.name or None, batch.document())).fetchone()
        return batch.results, found[0] if found else ()

    def _settle_alone(self, request: Request) -> Result:
        try:
            return self.settle(*request)
        except NotOwner as error:
            return error
        except Unavailable:
            raise
        except Exception as error:
            return error

    def append(self, claim: Claim, work: Work) -> Answer:
        return self.settle(claim, (), lambda _: work)

    def settle(self, claim: Claim, meters: Sequence[str], decide: Decide) -> Answer:
        return _again(partial(self._settle_once, claim, meters, decide))

    def _settle_once(self, claim: Claim, meters: Sequence[str], decide: Decide) -> Answer:
        with self.writing(claim.stream) as session:
            return Pen(session).append(claim, meters, decide=decide)

    @contextmanager
    def snapshot(self) -> Iterator[ReadingSession]:
        """Hold a snapshot of the ledger, without later commits."""
        with self._connected(SNAPSHOT) as connection:
            yield ReadingSession(connection)

    @contextmanager
    def reading(self) -> Iterator[View]:
        with self.snapshot() as session:
            yield Reading(session)

    def add_checkpoint(self, checkpoint: Checkpoint) -> None:
        with self.writing(CHECKPOINT) as session:
            session.run(
                "INSERT INTO checkpoints VALUES (?, ?)", (checkpoint.number, str(checkpoint))
            )

    def keep(self, stream: str, kept: Kept) -> None:
        with self.writing() as session:
            values = stream, kept.head.number, kept.head.hash.hex(), kept.data
            session.run(statements.KEEP, values)

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
        if self._node:
            self._node.close()


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
