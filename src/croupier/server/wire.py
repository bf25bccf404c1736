"""The socket under a viewer, which writes frames at once and in batches.

The stock server hands every message from task to task. Every viewer of a table gets the same
frames, so here a frame goes straight to the connections, as long as they have room, and incoming
messages go straight to the listener.
"""

import asyncio
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, ClassVar

from starlette.types import Scope
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Request

from croupier.house.log import log
from croupier.server.limits import Bucket, Rate

EXTENSION = "croupier.wire"
WRITE_S = 15.0
"""A client that reads nothing for this long is disconnected."""
_TEXT = 0x81
"""The first byte of an unfragmented text frame (RFC 6455, 5.2)."""
_SHORT_MAX = 125
_NEWS_MAX = 2_000
CONTROL = (Opcode.PING, Opcode.PONG, Opcode.CLOSE)
FRAMES = Rate(per_s=20, burst=200)
"""How often a socket may send control frames and fragments; beyond that it is closed."""
FRAGMENTS_MAX = 64
PIECE = 1024
"""How many bytes of a socket are parsed before others have their turn."""
LINGER_S = 1.0
"""How long a closed socket is still read, or its closing frame would be lost in a reset."""
TOO_MANY = 1008
_MASKED, _HEAD = 0x80, 6
"""The mask bit of a client's frame, and the length of a short frame's header."""


def wire_of(scope: Scope) -> "Wire | None":
    """Return the socket under a conversation; None if the client has gone away meanwhile."""
    wire: Wire | None = scope["extensions"].get(EXTENSION, {}).get("wire")
    return wire


class Wire(WebSocketsSansIOProtocol):
    """One socket."""

    lines: ClassVar[Bucket] = Bucket(Rate(per_s=1, burst=10))
    """Shared by all sockets, so that floods on many of them don't flood the log."""
    _hear: Callable[[str], None] | None = None
    _on_room: Callable[[], None] | None = None
    _late: asyncio.TimerHandle | None = None
    _told: dict[str, Any] | None = None
    _fragments = 0
    """Fragments of the incoming message so far."""
    _is_held = _is_cut = False

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._bucket = Bucket(FRAMES)
        self._unread = bytearray()
        """Bytes received but not parsed yet: each turn of the loop takes a piece."""

    def handle_connect(self, event: Request) -> None:
        super().handle_connect(event)
        if not self.close_sent:
            self._told = {EXTENSION: {"wire": self}}
            self.scope["extensions"] = self._told

    # ------------------------------------------------------------ reading

    def data_received(self, data: bytes) -> None:
        """Pass on a short text that arrived whole and alone; parse anything else piece by piece."""
        if self._is_cut:
            return  # Read, so that the closing frame gets through, and discarded.
        # Only between frames and messages, and only if nothing is queued before it.
        between = not (self._unread or self.conn.reader.buffer or self.frames or self.close_sent)
        text = short_text(data) if self._hear and between and self.queue.empty() else None
        if self._hear and text is not None:
            self._hear(text)
            return
        waits = bool(self._unread)
        self._unread += data
        if not waits:
            self._parse_piece()

    def _parse_piece(self) -> None:
        """Parse one piece and leave the rest for later: a KiB may hold 170 frames."""
        piece = bytes(self._unread[:PIECE])
        del self._unread[:PIECE]
        if self.transport.is_closing():
            self._unread.clear()
        elif piece:
            super().data_received(piece)
        if self._unread:
            self.transport.pause_reading()
            self.loop.call_soon(self._parse_piece)
        else:
            self._read_on()

    def _read_on(self) -> None:
        """Resume reading, unless something received earlier still waits."""
        if not (self.read_paused or self._is_held or self._unread):
            self.transport.resume_reading()

    def handle_events(self) -> None:
        """Count frames that are no whole message before acting on them."""
        for event in self.conn.events:
            if not isinstance(event, Frame):
                continue
            if event.opcode not in CONTROL:
                self._fragments = 0 if event.fin else self._fragments + 1
            if self._fragments > FRAGMENTS_MAX:
                self._flooded("a message in too many fragments")
                return
            # The listener counts whole messages, until the socket is being closed.
            counts = event.opcode in CONTROL or not event.fin or self.close_sent
            if counts and not self._bucket.take():
                self._flooded("too many control frames or fragments")
                return
        super().handle_events()

    def _flooded(self, because: str) -> None:
        """Close the socket with a code, and discard anything that still arrives."""
        if not self.close_sent and self.lines.take():
            log("socket_flood", because=because, address=self.client[0] if self.client else "")
        self._is_cut, self.frames = True, []
        self._unread.clear()
        if not self.handshake_complete:
            self.cut()
            return
        self.conn.fail(TOO_MANY, because)
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.queue.put_nowait({"type": "websocket.disconnect", "code": TOO_MANY})
        if self.close_timer is not None:
            self.close_timer.cancel()
        self.close_timer = self.loop.call_later(LINGER_S, self.cut)
        self.transport.resume_reading()

    async def receive(self) -> Any:
        message = await super().receive()
        if self._unread or self._is_held:
            # The stock server resumes reading when its queue is empty.
            self.transport.pause_reading()
        return message

    def listen(self, hear: Callable[[str], None], on_room: Callable[[], None]) -> None:
        """Register a listener for short texts, and for when there is room for more frames."""
        self._hear, self._on_room = hear, on_room

    def hold(self) -> None:
        """Pause reading."""
        self._is_held = True
        self.transport.pause_reading()

    def go_on(self) -> None:
        """Resume reading."""
        self._is_held = False
        self._read_on()

    def write(self, frames: Iterable[str]) -> None:
        """Write frames, unless the socket is being closed."""
        if not self.close_sent and not self.disconnected:
            self.transport.write(b"".join(map(framed, frames)))

    def cut(self) -> None:
        """Abort the connection, unsent data included."""
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
        # Break the reference cycles of a closed socket, so that it is freed at once.
        self._hear = self._on_room = None
        if self._told:
            self._told.clear()

    def _stop_clock(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


def framed(text: str) -> bytes:
    """Return a text as one server frame."""
    return _news(text) if len(text) <= _NEWS_MAX else _frame(text)


def _frame(text: str) -> bytes:
    return Frame(Opcode.TEXT, text.encode()).serialize(mask=False)


_news = lru_cache(512)(_frame)
"""Short frames are cached: they go to many viewers, long ones to one."""


def short_text(data: bytes) -> str | None:
    """Return the text of a client's frame, if it is one short unfragmented text (RFC 6455, 5).

    Only this kind of frame is parsed here: nearly every command is one.
    """
    size = len(data) - _HEAD
    if not 0 <= size <= _SHORT_MAX or data[0] != _TEXT or data[1] != _MASKED | size:
        return None
    mask = data[2:_HEAD] * (size // 4 + 1)
    plain = int.from_bytes(data[_HEAD:]) ^ int.from_bytes(mask[:size])
    try:
        return plain.to_bytes(size).decode()
    except UnicodeDecodeError:
        return None  # The stock server closes the socket for it.
