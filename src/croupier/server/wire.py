"""The socket under a viewer: frames are written as soon as they are there, several at once.

The stock server hands every message from task to task. A table says the same to everybody at it, so
here a frame goes straight to the connections, as long as they take it, and what comes from them
straight to whoever listens.
"""

import asyncio
import struct
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.http11 import Request

EXTENSION = "croupier.wire"
WRITE_S = 15.0
"""Whoever takes nothing for so long is cut."""
_TEXT = 0x81
"""The first byte of a frame that is one whole text (RFC 6455, 5.2)."""
_SHORT_MAX, _LONG_MAX = 125, 0xFFFF
_NEWS_MAX = 2_000
_MASKED, _HEAD = 0x80, 6
"""The bit that says of a client's frame that it is masked, and how long the head of a short is."""


class Wire(WebSocketsSansIOProtocol):
    """One socket."""

    _hear: Callable[[str], None] | None = None
    _on_room: Callable[[], None] | None = None
    _late: asyncio.TimerHandle | None = None
    _told: dict[str, Any] | None = None

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if not self.close_sent:
            self._told = {EXTENSION: {"wire": self}}
            self.scope["extensions"] = self._told

    def data_received(self, data: bytes) -> None:
        """Pass a short text on that came whole and alone; all else the stock server reads."""
        # Not in the middle of a frame or a message, and when nothing waits in the queue before it.
        between = not (self.conn.reader.buffer or self.frames or self.close_sent)
        text = short_text(data) if self._hear and between and self.queue.empty() else None
        if self._hear and text is not None:
            self._hear(text)
        else:
            super().data_received(data)

    def listen(self, hear: Callable[[str], None], on_room: Callable[[], None]) -> None:
        """Call somebody with short texts, and when there is room for more frames again."""
        self._hear, self._on_room = hear, on_room

    def hold(self) -> None:
        """Take no more from the connection for now."""
        self.transport.pause_reading()

    def go_on(self) -> None:
        """Take more from the connection, unless messages wait in the queue."""
        if not self.read_paused:
            self.transport.resume_reading()

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
        if self._on_room:
            self._on_room()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_clock()
        super().connection_lost(exc)
        # Nobody who is gone holds on to another who is: so all of it goes at once.
        self._hear = self._on_room = None
        if self._told:
            self._told.clear()

    def _stop_clock(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


def framed(text: str) -> bytes:
    """Return a text as a frame of the server's (RFC 6455, 5.2)."""
    return _news(text) if len(text) <= _NEWS_MAX else _frame(text)


def _frame(text: str) -> bytes:
    data = text.encode()
    size = len(data)
    if size <= _SHORT_MAX:
        return struct.pack("!BB", _TEXT, size) + data
    if size <= _LONG_MAX:
        return struct.pack("!BBH", _TEXT, _SHORT_MAX + 1, size) + data
    return struct.pack("!BBQ", _TEXT, _SHORT_MAX + 2, size) + data


_news = lru_cache(4096)(_frame)
"""What is short is said to many viewers, and what is long to one."""


def short_text(data: bytes) -> str | None:
    """Return the text of a client's frame, if it is one short whole text (RFC 6455, 5)."""
    size = len(data) - _HEAD
    if not 0 <= size <= _SHORT_MAX or data[0] != _TEXT or data[1] != _MASKED | size:
        return None
    mask = data[2:_HEAD] * (size // 4 + 1)
    plain = int.from_bytes(data[_HEAD:]) ^ int.from_bytes(mask[:size])
    try:
        return plain.to_bytes(size).decode()
    except UnicodeDecodeError:
        return None  # The stock server closes the socket for it.
