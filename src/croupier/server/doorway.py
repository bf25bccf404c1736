"""How connections are accepted: a request must arrive in time, and an answer must be taken.

The stock server waits for as long as somebody pleases, and so a few thousand connections that say
nothing would keep everybody else out.
"""

import asyncio
import gc
import socket
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, ClassVar

import h11
import uvicorn
from starlette.types import ASGIApp
from uvicorn.protocols.http.h11_impl import H11Protocol

from croupier.server.guard import BODY_BYTES_MAX
from croupier.server.limits import Bucket, Rate
from croupier.server.log import log
from croupier.server.wire import Wire

REQUEST_S = 10.0
WRITE_S = 30.0
WAITING_MAX = 512
CONNECTIONS_MAX = 4_096
HEADERS_BYTES_MAX = 16 * 1024
LINES = Rate(per_s=1, burst=10)
GARBAGE = (5_000, 500, 50)
"""After how many new objects garbage is looked for, and after how many such looks among the older.
A look takes two microseconds an object, and nobody is answered meanwhile. Commands that are under
way have some thousands of objects, and leave none that a look would find."""
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
    waiting_max: int = WAITING_MAX
    """How many connections one address may have that have not asked anything yet."""
    waiting: Counter[str] = field(default_factory=Counter)
    lines: Bucket = field(default_factory=lambda: Bucket(LINES))

    def cut(self, address: str, because: str) -> None:
        """Note that a connection is cut; a flood of them does not make a flood of lines."""
        if self.lines.take():
            log("connection_cut", address=address, because=because)


class Doorman(H11Protocol):
    """One connection, with deadlines."""

    doorway: ClassVar[Doorway]

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._request_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._waits = False

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._waits = True
        self.doorway.waiting[self._address] += 1
        if self.doorway.waiting[self._address] > self.doorway.waiting_max:
            self._cut("too many connections that ask nothing")
        else:
            self._expect_request()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self.transport.is_closing() or self.transport.get_protocol() is not self:
            self._stop_waiting()
        elif self.conn.their_state in (h11.IDLE, h11.SEND_BODY):
            self._expect_request()
        else:
            self._stop_waiting()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        self._stop_writing()
        super().connection_lost(exc)

    def _expect_request(self) -> None:
        """Start the clock unless it runs: who sends a byte now and then gets no more time."""
        if self._request_timer is None:
            late = self.doorway.request_s
            self._request_timer = self.loop.call_later(late, self._cut, "the request is late")

    def _stop_waiting(self) -> None:
        if self._request_timer is not None:
            self._request_timer.cancel()
            self._request_timer = None
        if self._waits:
            self._waits = False
            self.doorway.waiting -= Counter([self._address])

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

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        gc.collect()
        gc.freeze()
        gc.set_threshold(*GARBAGE)
        sys.setswitchinterval(SWITCH_S)


def serve_config(
    app: ASGIApp,
    *,
    host: str = "127.0.0.1",
    port: int = 8000,
    doorway: Doorway | None = None,
    connections_max: int = CONNECTIONS_MAX,
) -> uvicorn.Config:
    """Return how the server is to run; `app` is the guard with the application in it."""
    doorman = type("Doorman", (Doorman,), {"doorway": doorway or Doorway()})
    return uvicorn.Config(
        app,
        host=host,
        port=port,
        http=doorman,
        ws=Wire,
        ws_max_size=BODY_BYTES_MAX,
        ws_per_message_deflate=False,  # A small message can unpack to a large one.
        limit_concurrency=connections_max,
        h11_max_incomplete_event_size=HEADERS_BYTES_MAX,
        lifespan="on",
        proxy_headers=False,  # The guard knows whom to believe.
        server_header=False,
        access_log=False,
        log_config=None,
        log_level="warning",  # Below it uvicorn writes down addresses of sockets, tickets and all.
        timeout_graceful_shutdown=5,
    )
