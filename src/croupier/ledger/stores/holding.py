"""Reserves a PostgreSQL database for one server.

Two mechanisms keep a second server out. A session lock, on a connection of its own, shows that a
server is alive; while it is held, other servers are refused. And a row counts the servers that ever
had the database, its epoch: every writing transaction locks that row for sharing and compares it.
So a server that lost its lock unknowingly, to a failover or a broken connection, can't write once
another server has raised the epoch, and that server waits for transactions in progress.

A server that lost its lock stores nothing until it has it again under the same epoch.
"""

import logging
import select
import threading
import time
from typing import Any

import psycopg

from croupier.errors import UserError
from croupier.ledger.store import Lost, Unavailable

LOCK = 7_233_092
"""The number of the lock that a running server holds."""
STREAM = "*"
"""The subject of the one lease: all streams. The schema allows one for each stream."""
TAKING_S, PAUSE_S, WATCH_S = 4, 1 / 20, 1 / 4
"""How long a server that just ended may still seem alive, and how often to check."""
CONNECT_S = 2
ALIVE: dict[str, Any] = {
    "connect_timeout": CONNECT_S,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
}
ALIVE |= {"keepalives_count": 3, "tcp_user_timeout": 10_000}
"""Declares a connection to a dead machine broken after about ten seconds."""
SEEN_BY_SERVER = (
    "SET tcp_keepalives_idle = 5; SET tcp_keepalives_interval = 2; SET tcp_keepalives_count = 3; "
    "SET lock_timeout = '5s'"
)
"""The same on PostgreSQL's side, so that a dead machine's lock is released."""
RAISE = (
    "INSERT INTO leases (stream, epoch) VALUES (%s, 1) "
    "ON CONFLICT (stream) DO UPDATE SET epoch = leases.epoch + 1 RETURNING epoch"
)
EPOCH = "SELECT epoch FROM leases WHERE stream = '*'"
FENCE = f"{EPOCH} FOR SHARE"
TAKEN = "another server has taken this database over"

Connection = psycopg.Connection[tuple[Any, ...]]
LOGGER = logging.getLogger("croupier.ledger")


class Holding:
    """A server's lock on its database, and the epoch it writes under."""

    def __init__(self, url: str) -> None:
        self._url, self.epoch = url, 0
        self._lost: Lost | None = None
        self._held, self._ends = threading.Event(), threading.Event()
        self._watching = threading.Thread(target=self._watch, name="database lock", daemon=True)
        deadline = time.monotonic() + TAKING_S
        while (taken := self._taken()) is None:
            if time.monotonic() > deadline:
                raise UserError("another server has this database open", field="--database")
            time.sleep(PAUSE_S)
        self._connection = taken

    def _taken(self) -> Connection | None:
        """Return a connection that holds the lock, or None if another server has it."""
        connection: Connection = psycopg.connect(self._url, autocommit=True, **ALIVE)
        try:
            connection.execute(SEEN_BY_SERVER)
            row = connection.execute("SELECT pg_try_advisory_lock(%s)", (LOCK,)).fetchone()
            if row and row[0]:
                return connection
        except BaseException:
            connection.close()
            raise
        connection.close()
        return None

    def begin(self) -> None:
        """Raise the epoch, which shuts out any other server, and keep the lock from now on."""
        row = self._connection.execute(RAISE, (STREAM,)).fetchone()
        self.epoch = int(row[0]) if row else 0
        self._held.set()
        self._watching.start()

    def check(self) -> None:
        """Raise if this server may not write now."""
        if self._lost is not None:
            raise self._lost
        if not self._held.is_set():
            raise Unavailable("the database does not answer")

    def fence(self, epoch: int | None) -> None:
        """Raise if a transaction found another epoch than this server's."""
        if epoch != self.epoch:
            self._lose()
            self.check()

    def _lose(self) -> None:
        self._lost = self._lost or Lost(TAKEN)
        self._held.clear()

    def _watch(self) -> None:
        """Notice when the lock is lost, and take it again."""
        while not self._ends.is_set() and self._lost is None:
            try:
                # A closed connection is readable at once; a silent one is probed.
                select.select([self._connection.fileno()], [], [], WATCH_S)
                self._connection.execute("SELECT 1")
            except (psycopg.Error, OSError):
                if not self._ends.is_set():
                    self._take_again()

    def _take_again(self) -> None:
        self._held.clear()
        LOGGER.warning("database_gone")
        self._connection.close()
        while not self._ends.is_set() and self._lost is None:
            try:
                if self._has_again():
                    LOGGER.warning("database_back")
                    return
            except (psycopg.Error, OSError):
                self._connection.close()
            self._ends.wait(PAUSE_S)

    def _has_again(self) -> bool:
        taken = self._taken()
        if taken is not None:
            self._connection = taken
        with psycopg.connect(self._url, autocommit=True, **ALIVE) as asked:
            row = asked.execute(EPOCH).fetchone()
        if row is None or row[0] != self.epoch:
            self._lose()
            LOGGER.error("database_taken_over")
            return False
        if taken is None:
            return False  # Our own old connection may linger, its end not yet noticed.
        self._held.set()
        return True

    def close(self) -> None:
        """Release the database for another server."""
        self._ends.set()
        if self._watching.is_alive():
            self._watching.join()
        self._connection.close()
