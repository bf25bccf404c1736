"""The socket under a viewer: frames are written as soon as they are there, several at once.

The stock server hands every frame from task to task. A table says the same to everybody at it, so
here a frame goes straight to the connections, as long as they take it.
"""

import asyncio
import struct
from collections.abc import Callable, Iterable
from functools import lru_cache

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

EXTENSION = "croupier.wire"
READ_AHEAD = 8
"""So many messages wait to be read before no more are taken from the connection."""
WRITE_S = 15.0
"""Whoever takes nothing for so long is cut."""
_TEXT = 0x81
"""The first byte of a frame that is one whole text (RFC 6455, 5.2)."""
_SHORT_MAX, _LONG_MAX = 125, 0xFFFF


class Wire(WebSocketsSansIOProtocol):
    """One socket."""

    _on_room: Callable[[], None] = staticmethod(lambda: None)
    _late: asyncio.TimerHandle | None = None

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if not self.close_sent:
            self.scope["extensions"] = {EXTENSION: {"wire": self}}

    def send_receive_event_to_app(self) -> None:
        """Pass a message on; the stock server would stop reading after each, and begin again."""
        self.read_paused = True
        super().send_receive_event_to_app()
        if self.queue.qsize() >= READ_AHEAD:
            self.transport.pause_reading()  # Until whoever reads has come so far.

    def listen(self, on_room: Callable[[], None]) -> None:
        """Call somebody when there is room for more frames again."""
        self._on_room = on_room

    @property
    def has_room(self) -> bool:
        return self.writable.is_set()

    def write(self, frames: Iterable[str]) -> None:
        """Write frames, unless the socket is being closed."""
        if not self.close_sent and not self.disconnected:
            self.transport.write(b"".join(map(framed, frames)))

    def cut(self) -> None:
        """End the connection at once, whatever was not taken."""
        self.transport.abort()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._late = self.loop.call_later(WRITE_S, self.cut)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_clock()
        self._on_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        super().connection_lost(exc)

    def _stop_clock(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


@lru_cache(64)
def framed(text: str) -> bytes:
    """Return a text as a frame of the server's (RFC 6455, 5.2); many viewers get the same."""
    data = text.encode()
    size = len(data)
    if size <= _SHORT_MAX:
        return struct.pack("!BB", _TEXT, size) + data
    if size <= _LONG_MAX:
        return struct.pack("!BBH", _TEXT, _SHORT_MAX + 1, size) + data
    return struct.pack("!BBQ", _TEXT, _SHORT_MAX + 2, size) + data
