"""Connections with deadlines: a request must arrive in time, and its response must be read.

Uvicorn alone waits forever, so a few thousand silent connections would keep everybody else out.
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
from collections.abc import Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any, ClassVar

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol
from websockets.http11 import MAX_LINE_LENGTH, MAX_NUM_HEADERS

from croupier.house.log import log
from croupier.server.guard import BODY_BYTES_MAX, HEADERS_BYTES_MAX, HELD_MAX, Guard, Network, is_in
from croupier.server.limits import Bucket, Rate, neighbourhood
from croupier.server.wire import Wire

REQUEST_S = 10.0
WRITE_S = 30.0
KEEP_ALIVE_S = 5
"""How long an idle connection may wait before its next request."""
CONNECTIONS_MAX = 4_096
FILES_KEPT = 128
"""File descriptors kept for other uses than connections: the database, keys, files being sent."""
BACKLOG = 256
ACCEPT_S = 10.0
"""How long to count connections that can't be accepted before logging them again."""
LINES = Rate(per_s=1, burst=10)
GARBAGE = (5_000, 500, 50)
"""Garbage collection thresholds: generations 1 and 2 are collected rarely. A collection takes two
microseconds an object and stalls every request. Commands in progress hold some thousands of objects
and leave no garbage for it to find."""
STOPS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
SWITCH_S = 0.001
"""The longest that a thread whose disk access has finished waits for the running thread."""


@dataclass(kw_only=True)
class Doorway:
    """State that all connections of a server share."""

    request_s: float = REQUEST_S
    """The deadline for a whole request with its body, from the connection or the request's first
    byte."""
    write_s: float = WRITE_S
    """The deadline for the client to read what is sent."""
    held_max: int = HELD_MAX
    """The most connections one address may hold, busy or idle; the guard counts sockets."""
    connections_max: int = CONNECTIONS_MAX
    """The most connections in all, sockets included."""
    proxies: tuple[Network, ...] = ()
    """Exempt from `held_max`: a proxy holds the connections of many clients."""
    held: Counter[str] = field(default_factory=Counter)
    lines: Bucket = field(default_factory=lambda: Bucket(LINES))
    unsaid: int = 0
    """Connections closed since the last log line about one."""

    def enter(self, address: str) -> bool:
        """Count a connection; return whether its address is within the limit."""
        self.held[neighbourhood(address)] += 1
        return self.held[neighbourhood(address)] <= self.held_max or is_in(address, self.proxies)

    def leave(self, address: str) -> None:
        self.held -= Counter([neighbourhood(address)])

    def cut(self, address: str, because: str) -> None:
        """Log that a connection is closed; a flood of them doesn't flood the log."""
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
            self._let_go()  # The guard counts sockets.
        elif self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._expect_request()
        else:
            self._stop_waiting()

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Refuse headers that the websockets library gives up on, without an answer."""
        lines = [len(name) + len(value) + 4 for name, value in event.headers]
        first = len(event.method) + len(event.target) + len(b"  HTTP/1.1\r\n")
        if max(first, *lines) > MAX_LINE_LENGTH or len(lines) > MAX_NUM_HEADERS:
            self.send_400_response("The headers are too large.")
        else:
            super().handle_websocket_upgrade(event)

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
        """Start the deadline unless it runs: a byte now and then doesn't extend it."""
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
    """Uvicorn, with its long-lived objects exempt from garbage collection once it has started.

    SIGTERM first lets tables go to other servers of the house, where there are any; repeated, or as
    Ctrl-C, it doesn't.
    """

    drain: Callable[[], Coroutine[Any, Any, None]] | None = None
    _draining: asyncio.Task[None] | None = None
    _is_asked_to_drain = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if sig == signal.SIGTERM and self.drain and not self._is_asked_to_drain:
            self._is_asked_to_drain = True
        else:
            super().handle_exit(sig, frame)

    async def on_tick(self, counter: int) -> bool:
        if self._is_asked_to_drain and self._draining is None and self.drain:
            self._draining = asyncio.create_task(self.drain())
        is_drained = self._draining is not None and self._draining.done()
        return await super().on_tick(counter) or is_drained

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Let SIGTERM and SIGHUP close the house just as Ctrl-C does.

        Uvicorn raises a signal again after shutting down, which would end the program before the
        ledger is closed. An ignored SIGHUP, as under nohup, stays ignored.
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
    """Raise the file limit to what connections may need, or admit only as many as it allows."""
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
    """The loop's error handler: counts connections that can't be accepted and logs the count."""

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
        """Log how often it failed, and again later if it keeps failing."""
        self._timer = None
        if self._times:
            log("accept_failed", error=self._error, times=self._times)
            self._times = 0
            self._timer = loop.call_later(self._every_s, self._say, loop)


OUT_OF_RESOURCES = (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM)
"""Errors that keep the loop from accepting a connection; it tries again after a second."""


def serve_config(
    app: ASGIApp,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    doorway: Doorway | None = None,
) -> uvicorn.Config:
    """Return the server's configuration; `app` is the guard around the application."""
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
        proxy_headers=False,  # The guard decides which proxies to trust.
        server_header=False,
        access_log=False,
        log_config=None,
        log_level="warning",  # Below this, uvicorn logs the URLs of sockets, with tickets.
        timeout_graceful_shutdown=5,
    )
