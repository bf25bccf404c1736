"""How connections are accepted: a request must arrive in time, and an answer must be taken.

The stock server waits for as long as somebody pleases, and so a few thousand connections that say
nothing would keep everybody else out.
"""

import asyncio
import contextlib
import errno
import gc
import resource
import signal
import socket
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from croupier.server.guard import BODY_BYTES_MAX, HELD_MAX, Guard, Network, is_in
from croupier.server.limits import Bucket, Rate, neighbourhood
from croupier.server.log import log
from croupier.server.wire import Wire

REQUEST_S = 10.0
WRITE_S = 30.0
KEEP_ALIVE_S = 5
"""A connection whose request was answered may ask again for so long."""
CONNECTIONS_MAX = 4_096
FILES_KEPT = 128
"""Files that are not connections: the database's, keys, what is being sent."""
BACKLOG = 256
ACCEPT_S = 10.0
"""Connections that cannot be accepted are counted for so long before they are logged again."""
HEADERS_BYTES_MAX = 16 * 1024
LINES = Rate(per_s=1, burst=10)
GARBAGE = (5_000, 500, 50)
"""After how many new objects garbage is looked for, and after how many such looks among the older.
A look takes two microseconds an object, and nobody is answered meanwhile. Commands that are under
way have some thousands of objects, and leave none that a look would find."""
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SWITCH_S = 0.001
"""A thread that the disk has answered waits so long at most for the one that is at work."""


@dataclass(kw_only=True)
class Doorway:
    """What all connections of a server share."""

    request_s: float = REQUEST_S
    """Within this time a request must be there, with its body, from the connection or its first
    byte on."""
    write_s: float = WRITE_S
    """Within this time somebody must take what is sent."""
    held_max: int = HELD_MAX
    """How many connections one address may hold open, busy or idle; the guard counts sockets."""
    connections_max: int = CONNECTIONS_MAX
    """How many connections there may be at all, sockets included."""
    proxies: tuple[Network, ...] = ()
    """They hold the connections of many."""
    held: Counter[str] = field(default_factory=Counter)
    lines: Bucket = field(default_factory=lambda: Bucket(LINES))
    unsaid: int = 0
    """How many connections were cut since the last line about one."""

    def enter(self, address: str) -> bool:
        """Count a connection, and say whether its address may have as many."""
        self.held[neighbourhood(address)] += 1
        return self.held[neighbourhood(address)] <= self.held_max or is_in(address, self.proxies)

    def leave(self, address: str) -> None:
        """Uncount a connection."""
        self.held -= Counter([neighbourhood(address)])

    def cut(self, address: str, because: str) -> None:
        """Note that a connection is cut; a flood of them does not make a flood of lines."""
        if self.lines.take():
            log("connection_cut", address=address, because=because, unsaid=self.unsaid)
            self.unsaid = 0
        else:
            self.unsaid += 1


class Doorman(H11Protocol):
    """One connection, with deadlines."""

    doorway: ClassVar[Doorway]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._request_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._is_held = False

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._is_held = True
        if not self.doorway.enter(self._address):
            self._cut("too many connections of this address")
        elif len(self.connections) > self.doorway.connections_max:
            self._cut("too many connections")
        else:
            self._expect_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            self._stop_waiting()
            self._let_go()  # A socket is counted by the guard.
        elif self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._expect_request()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_writing()
        self._let_go()
        super().connection_lost(exc)

    def _let_go(self) -> None:
        if self._is_held:
            self._is_held = False
            self.doorway.leave(self._address)

    def _expect_request(self) -> None:
        """Start the clock unless it runs: who sends a byte now and then gets no more time."""
        if self._request_timer is None:
            late = self.doorway.request_s
            self._request_timer = self.loop.call_later(late, self._cut, "the request is late")

    def _stop_waiting(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None

    def _cut(self, because: str) -> None:
        self.doorway.cut(self._address, because)
        self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        if self._write_timer is None:
            late = self.doorway.write_s
            self._write_timer = self.loop.call_later(late, self._cut, "nobody takes the answer")

    def resume_writing(self) -> None:
        self._stop_writing()
        super().resume_writing()

    def _stop_writing(self) -> None:
        if self._write_timer is not None:
            self._write_timer.cancel()
            self._write_timer = None


class Server(uvicorn.Server):
    """The server: once its tables stand, they are not looked through for garbage any more."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let SIGTERM and SIGHUP close the house just as Ctrl-C does.

        The stock server raises a signal again when it has shut down, which would end the program
        before the ledger is closed. A SIGHUP that is ignored, as under nohup, stays ignored.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        stops = [stop for stop in STOPS if signal.getsignal(stop) != signal.SIG_IGN]
        stops += {signal.SIGINT, signal.SIGTERM} - set(stops)
        before = {stop: signal.signal(stop, self.handle_exit) for stop in stops}
        try:
            yield
        finally:
            for stop, handler in before.items():
                signal.signal(stop, handler)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        if issubclass(self.config.http, Doorman):  # type: ignore[arg-type]
            mind_files(self.config.http.doorway)  # type: ignore[union-attr]
        asyncio.get_running_loop().set_exception_handler(Accepting())
        await super().startup(sockets)
        gc.collect()
        gc.freeze()
        gc.set_threshold(*GARBAGE)
        sys.setswitchinterval(SWITCH_S)


def mind_files(doorway: Doorway) -> None:
    """Have as many files as connections may need, or admit as many connections as have files."""
    wanted = doorway.connections_max + FILES_KEPT
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
            soft = most
    if soft != resource.RLIM_INFINITY and soft < wanted:
        doorway.connections_max = max(soft - FILES_KEPT, 2)
        doorway.held_max = min(doorway.held_max, doorway.connections_max // 2)
        log("few_files", limit=soft, wanted=wanted, connections_max=doorway.connections_max)


class Accepting:
    """Handles errors of the loop: connections that cannot be accepted are logged once, counted."""

    def __init__(self, every_s: float = ACCEPT_S) -> None:
        self._every_s, self._times, self._error = every_s, 0, ""
        self._timer: asyncio.TimerHandle | None = None

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in OUT_OF_RESOURCES:
            loop.default_exception_handler(context)
            return
        self._times, self._error = self._times + 1, errno.errorcode[error.errno]
        if self._timer is None:
            self._say(loop)

    def _say(self, loop: asyncio.AbstractEventLoop) -> None:
        """Say how often it failed, and again when there is more to say."""
        self._timer = None
        if self._times:
            log("accept_failed", error=self._error, times=self._times)
            self._times = 0
            self._timer = loop.call_later(self._every_s, self._say, loop)


OUT_OF_RESOURCES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
"""What the loop cannot accept a connection for; it tries again after a second."""


def serve_config(
    app: ASGIApp,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    doorway: Doorway | None = None,
) -> uvicorn.Config:
    """Return how the server is to run; `app` is the guard with the application in it."""
    if doorway is None and isinstance(app, Guard):
        doorway = Doorway(held_max=app.policy.connections_max, proxies=app.policy.proxies)
    doorman = type("Doorman", (Doorman,), {"doorway": doorway or Doorway()})
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=doorman,
        ws=Wire,
        ws_max_size=BODY_BYTES_MAX,
        ws_per_message_deflate=False,  # A small message can unpack to a large one.
        limit_concurrency=CONNECTIONS_MAX,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_S,
        h11_max_incomplete_event_size=HEADERS_BYTES_MAX,
        lifespan="on",
        proxy_headers=False,  # The guard knows whom to believe.
        server_header=False,
        access_log=False,
        log_config=None,
        log_level="warning",  # Below it uvicorn writes down addresses of sockets, tickets and all.
        timeout_graceful_shutdown=5,
    )
