"""This process as a node of a house on PostgreSQL: its row, and the leases it holds.

The row is renewed on a connection of its own. A node that can't renew it stops writing by its own
clock, before the database's clock lets others take over; and every append locks the leases of its
streams for sharing and compares their epochs, so that a node that doesn't know it was declared dead
writes nothing either. Servers of an earlier version reserve the whole database with a session lock;
nodes share that lock, so that both kinds never run at once.
"""

import logging
import os
import select
import socket
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from secrets import token_hex
from typing import Any

import psycopg

from croupier import __version__
from croupier.errors import UserError
from croupier.ledger import tenure
from croupier.ledger.store import Lost, NotOwner, Unavailable
from croupier.ledger.stores import formats
from croupier.ledger.stores.formats import FORMAT, newer
from croupier.ledger.tenure import Lease, Node, Roster, may_write

LOCK = 7_233_092
"""The number of the lock that servers of an earlier version hold alone, and nodes together."""
TAKING_S, PAUSE_S = 4, 1 / 20
"""How long a server that just ended may still seem alive, and how often to check."""
CONNECT_S = 2
ALIVE: dict[str, Any] = {
    "connect_timeout": CONNECT_S,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
"""Declares a connection to a dead machine broken after about ten seconds."""
WATCH_S = 1 / 4
"""How often to look whether the database is silent, and whether this node ends."""
SETTINGS = (
    "LISTEN leases; "
    "SET statement_timeout = '2s'; SET lock_timeout = '2s'; SET synchronous_commit = on"
)
FENCE_OUT = (
    "INSERT INTO leases (stream, epoch) VALUES ('*', 1) "
    "ON CONFLICT (stream) DO UPDATE SET epoch = leases.epoch + 1"
)
"""Shuts out a server of an earlier version that lost its lock without knowing."""
BRIEFLY = "SET LOCAL idle_in_transaction_session_timeout = '1s'"
"""A node that pauses in the middle of a transaction must not keep others from taking over."""
_ENDS = "clock_timestamp() + %s * interval '1 millisecond'"
COME = (
    "INSERT INTO nodes (node, address, version, drains, reads, expires) "
    f"SELECT %s, %s, %s, %s, %s, {_ENDS} WHERE ({FORMAT}) <= %s"
)
"""Only if this release reads the format of the house."""
RENEW = f"UPDATE nodes SET expires = {_ENDS} WHERE node = %s AND expires >= clock_timestamp()"
GO = "DELETE FROM nodes WHERE node = %s"
TAKE_NEW = """
INSERT INTO leases (stream, epoch, node, timeline)
SELECT wanted, 1, %s, timeline() FROM unnest(%s::text[]) AS wanted ORDER BY wanted
ON CONFLICT (stream) DO NOTHING
RETURNING stream, epoch
"""
HOLD = "SELECT FROM leases WHERE stream = ANY (%s::text[]) ORDER BY stream FOR UPDATE"
TAKE_FREE = """
UPDATE leases SET node = %s, epoch = epoch + 1, timeline = timeline()
WHERE stream = ANY (%s::text[])
    AND (timeline <> timeline() OR node = %s OR node NOT IN (SELECT node FROM nodes))
RETURNING stream, epoch
"""
BURY = "DELETE FROM nodes WHERE expires < clock_timestamp()"
BURY_HERE = "DELETE FROM nodes WHERE starts_with(node, %s)"
"""Declares nodes dead whose place another process has now."""
RELEASE = "UPDATE leases SET node = '' WHERE stream = ANY (%s::text[]) AND node = %s"
DRAIN = "UPDATE nodes SET drains = true WHERE node = %s"
HINT = "NOTIFY leases"
"""Wakes the nodes that listen; one that hears nothing looks again a second later."""
NODES = "SELECT node, address, drains FROM nodes WHERE expires >= clock_timestamp()"
LEASES = (
    "SELECT stream, CASE WHEN timeline = timeline() THEN node ELSE '' END, epoch FROM leases "
    "WHERE stream <> '*'"
)
FLOORS = 7_233_093
"""The number of the lock under which the tables of a floorperson are counted."""
MAKE_FLOORS = (
    "CREATE TABLE IF NOT EXISTS floors "
    "(stream TEXT NOT NULL, person TEXT NOT NULL, PRIMARY KEY (stream, person))"
)
"""The tables of each floorperson. Their owners write them anew, so no schema need hold them."""
COUNT_FLOORS = "SELECT count(*) FROM floors WHERE person = %s AND stream = ANY (%s::text[])"
TAKE_FLOOR = "INSERT INTO floors (stream, person) VALUES (%s, %s) ON CONFLICT DO NOTHING"
LEAVE_FLOORS = "DELETE FROM floors WHERE stream = %s AND person <> ALL (%s::text[])"
OWN = "SELECT 1 FROM leases WHERE stream = %s AND node = %s AND epoch = %s FOR SHARE"
OLD_SERVER = "a server of an earlier version has this database open"

Connection = psycopg.Connection[tuple[Any, ...]]
Connected = Callable[[], AbstractContextManager[Connection]]
LOGGER = logging.getLogger("croupier.ledger")


class Leasing:
    """A node, and the streams that are its own."""

    is_shared = True

    def __init__(
        self,
        url: str,
        address: str,
        connected: Connected,
        *,
        place: str,
        owns: bool,
    ) -> None:
        self._url, self._address, self.connected = url, address, connected
        self._reads = formats.READS
        self._drains = not owns
        """Whether it claims nothing: from the start, or since it began to hand everything over."""
        self.place = place
        self.name = ""
        self.owned: Mapping[str, int] = {}
        self.returns = 0
        self.on_release: Callable[[], None] = lambda: None
        self.on_silence: Callable[[], None] = lambda: None
        """Called in another thread while the database is silent, to end what waits for it."""
        self._lost: Lost | None = None
        self.renewed_ms = 0
        self._reached, self._ends = threading.Event(), threading.Event()
        self._changing = threading.Lock()
        self._renewing = threading.Thread(target=self._renew, name="node", daemon=True)
        self._watching = threading.Thread(target=self._watch, name="watch", daemon=True)
        self._connection: Connection
        self._connected_ms = 0
        deadline = time.monotonic() + TAKING_S
        while not self._connects():
            if time.monotonic() > deadline:
                raise UserError(OLD_SERVER, field="--database")
            time.sleep(PAUSE_S)

    def _connects(self) -> bool:
        """Connect and share the lock; False if an older server holds it alone."""
        self._connection = connection = psycopg.connect(self._url, autocommit=True, **ALIVE)
        self._connected_ms = now_ms()
        try:
            connection.execute(SETTINGS)
            row = connection.execute("SELECT pg_try_advisory_lock_shared(%s)", (LOCK,)).fetchone()
            if row and row[0]:
                connection.add_notify_handler(lambda _: self.on_release())
                return True
        except BaseException:
            connection.close()
            raise
        connection.close()
        return False

    def begin(self) -> None:
        """Become a node."""
        self._connection.execute(FENCE_OUT)
        if self.place:
            self._connection.execute(BURY_HERE, (f"{self.place}-",))
        self._come()
        self._renewing.start()
        self._watching.start()

    # ------------------------------------------------------------ staying alive

    def check(self) -> None:
        """Raise if this node may not write now."""
        if self._lost is not None:
            raise self._lost
        if not self._is_alive():
            raise Unavailable("the database does not answer")

    def may_write(self, stream: str) -> bool:
        return stream in self.owned and self._lost is None and self._is_alive()

    def _is_alive(self) -> bool:
        """Whether no other node can have declared this one dead yet, by its own clock."""
        return self._reached.is_set() and not self.has_expired()

    def has_expired(self) -> bool:
        return not may_write(now_ms(), self.renewed_ms, tenure.TTL_MS)

    def _come(self) -> None:
        """Register this node under a new name, owning nothing."""
        began_ms = now_ms()
        name = f"{self.place or socket.gethostname()}-{os.getpid()}-{token_hex(3)}"
        row = name, self._address, __version__, self._drains, self._reads, tenure.TTL_MS
        if not self._connection.execute(COME, (*row, self._reads)).rowcount:
            ((format,),) = self._connection.execute(FORMAT).fetchall()
            raise Lost(newer(format, self._reads))
        with self._changing:
            self.name, self.owned = name, {}
        self._alive_since(began_ms)

    def _alive_since(self, began_ms: int) -> None:
        self.renewed_ms = began_ms  # When it was asked for: the database counts from later.
        self._reached.set()

    def _renew(self) -> None:
        """Renew the row until stopped; rejoin if the row or the connection is lost."""
        while not self._ends.is_set() and self._lost is None:
            try:
                self._rest()
                if not self._ends.is_set():
                    self._renew_once()
            except Lost as lost:
                self._lost = lost
            except Exception as error:  # Without this thread the node could never write again.
                if not self._ends.is_set():
                    _complain(error)
                    self._come_back()

    def _rest(self) -> None:
        """Wait until the row must be renewed, a hint arrives, or this node ends.

        A closed connection is readable at once, and so is one with a hint.
        """
        until_ms = now_ms() + tenure.TTL_MS // tenure.RENEWALS
        while (left_ms := until_ms - now_ms()) > 0 and not self._ends.is_set():
            if is_readable(self._connection, min(left_ms, 1000 * WATCH_S)):
                return

    def _renew_once(self) -> None:
        began_ms = now_ms()
        renewed = self._connection.execute(RENEW, (tenure.TTL_MS, self.name)).rowcount
        if renewed:
            self._alive_since(began_ms)
            return
        LOGGER.warning("node_declared_dead")
        self._connection.execute(GO, (self.name,))
        self._come()

    def _come_back(self) -> None:
        self._reached.clear()
        LOGGER.warning("database_gone")
        self._connection.close()
        while not self._ends.is_set() and self._lost is None:
            try:
                if not self._connects():
                    self._lost = Lost(OLD_SERVER)
                    return
                self._renew_once()
                self.returns += 1
                LOGGER.warning("database_back")
                return
            except Lost as lost:
                self._lost = lost
                return
            except Exception as error:
                _complain(error)
                self._connection.close()
            self._ends.wait(PAUSE_S)

    def _watch(self) -> None:
        """Break connections that wait for a silent database.

        A pooler or a firewall in between may keep them open for ever.
        """
        was_silent = False  # A process that just woke up hasn't asked yet.
        while not self._ends.wait(WATCH_S):
            is_silent = self._is_silent()
            if is_silent and was_silent:
                # A new connection has its time, or a slow database would never get us back.
                if now_ms() - self._connected_ms >= tenure.TTL_MS:
                    break_off(self._connection)
                self.on_silence()
            was_silent = is_silent

    def _is_silent(self) -> bool:
        return now_ms() - self.renewed_ms >= tenure.TTL_MS

    # ------------------------------------------------------------ leases

    def roster(self) -> Roster:
        with self.connected() as connection:
            nodes = {row[0]: Node(*row) for row in connection.execute(NODES)}
            leases = {row[0]: Lease(*row) for row in connection.execute(LEASES)}
        return Roster(nodes, leases)

    def claim(self, streams: Collection[str]) -> set[str]:
        name, owned = self.name, self.owned
        streams = sorted(stream for stream in streams if stream not in owned)
        with self.connected() as connection:
            connection.execute(BURY)
            rows = _claimed(connection, name, streams)
        with self._changing:
            if self.name != name:
                return set()  # It was declared dead meanwhile.
            self.owned = {**self.owned, **dict(rows)}
        return {stream for stream, _ in rows}

    def release(self, streams: Collection[str]) -> None:
        name = self.name
        self.forget(streams)
        with self.connected() as connection:
            connection.execute(RELEASE, (sorted(streams), name))
            connection.execute(HINT)

    def drain(self) -> None:
        self._drains = True
        with self.connected() as connection:
            connection.execute(DRAIN, (self.name,))

    # ------------------------------------------------------------ floorpersons

    @contextmanager
    def _counting(self, stream: str) -> Iterator[Connection]:
        """Lock the count of floorpersons' tables, for a stream that this node owns."""
        with self.connected() as connection, connection.transaction():
            connection.execute(BRIEFLY)
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (FLOORS,))
            lease = stream, self.name, self.owned.get(stream)
            if not connection.execute(OWN, lease).fetchone():
                raise NotOwner(f"another server has {stream} now")
            yield connection

    def take_floor(self, stream: str, person: str, others: Collection[str], most: int) -> int:
        with self._counting(stream) as connection:
            row = connection.execute(COUNT_FLOORS, (person, sorted(others))).fetchone()
            taken = int(row[0]) if row else 0
            if taken < most:
                connection.execute(TAKE_FLOOR, (stream, person))
            return taken

    def keep_floors(self, stream: str, persons: Collection[str]) -> None:
        with self._counting(stream) as connection:
            connection.execute(LEAVE_FLOORS, (stream, sorted(persons)))
            for person in sorted(persons):
                connection.execute(TAKE_FLOOR, (stream, person))

    def lose(self, stream: str, epoch: int | None) -> None:
        """Note that a stream was not this node's in an epoch; it may have been claimed since."""
        with self._changing:
            if self.owned.get(stream) == epoch:
                self.owned = {s: e for s, e in self.owned.items() if s != stream}

    def forget(self, streams: Collection[str]) -> None:
        """Stop writing streams, whichever node has them."""
        with self._changing:
            self.owned = {s: epoch for s, epoch in self.owned.items() if s not in streams}

    def stop(self) -> None:
        """Stop renewing; this node may write until it expires."""
        self._ends.set()
        while self._renewing.is_alive():
            self._renewing.join(WATCH_S)
            if self._is_silent():
                break_off(self._connection)

    def close(self) -> None:
        """Let others take everything over at once."""
        self.stop()
        try:
            if self.name and not self._is_silent():
                self._connection.execute(GO, (self.name,))
                self._connection.execute(HINT)
        except (psycopg.Error, OSError):
            pass  # It expires.
        self._connection.close()


def _claimed(connection: Connection, name: str, streams: Collection[str]) -> list[tuple[str, int]]:
    """Take streams that no living node has; return them with their epochs.

    The rows are locked by one statement and taken by the next, which sees everybody who is alive
    by then: a node may have joined, and taken one of them, while this one waited.
    """
    with connection.transaction():
        connection.execute(BRIEFLY)
        new = connection.execute(TAKE_NEW, (name, streams)).fetchall()
        others = [*{*streams} - {stream for stream, _ in new}]
        connection.execute(HOLD, (others,))
        return new + connection.execute(TAKE_FREE, (name, others, name)).fetchall()


def is_readable(connection: Connection, wait_ms: float = 0) -> bool:
    """Whether a connection has something to read that nobody asked for: mostly that it closed."""
    ready = select.poll()  # Unlike select, it takes descriptors of any number.
    ready.register(connection.fileno(), select.POLLIN)
    return bool(ready.poll(wait_ms))


def break_off(connection: Connection) -> None:
    """End a connection that another thread waits on, as if the database had gone."""
    with suppress(psycopg.Error, OSError), socket.socket(fileno=os.dup(connection.fileno())) as end:
        end.shutdown(socket.SHUT_RDWR)


def _complain(error: Exception) -> None:
    """Log an error that isn't the database's or the network's."""
    if not isinstance(error, psycopg.Error | OSError):
        LOGGER.error("crash", exc_info=error)


def now_ms() -> int:
    return time.monotonic_ns() // 1_000_000
