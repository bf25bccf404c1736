"""Players for a benchmark: sockets that cost next to nothing, so that the server is measured.

A client library takes longer over a frame than the server does, and one process plays a thousand
players here. Frames are those of RFC 6455; what a player says is masked with zeros.
"""

import asyncio
import os
from base64 import b64encode
from collections.abc import Callable
from functools import partial
from time import perf_counter
from urllib.parse import urlsplit

TEXT, PING, PONG = 1, 9, 10
_SHORT_MAX = 125
_MASKED = 0x80


class Line(asyncio.Protocol):
    """One socket that asks and waits for the answer, and ignores everything else that arrives."""

    def __init__(self, ask: Callable[[int], str], mark: str) -> None:
        self.ask, self.mark = ask, mark.encode()
        self.number = 0
        self.times: list[float] = []
        self._left = b""
        self._open = False
        self._answer: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        if not self._answer.done():
            self._answer.set_exception(exc or ConnectionError("the socket was closed"))

    def data_received(self, data: bytes) -> None:
        data, at = self._left + data, 0
        if not self._open:
            assert data.startswith(b"HTTP/1.1 101"), data
            at, self._open = data.index(b"\r\n\r\n") + 4, True
            self._answer.set_result(None)
        while (found := frame_at(data, at)) is not None:
            kind, start, at = found
            if kind == PING:
                self.transport.write(masked(PONG, data[start:at]))
            elif data.startswith(self.mark, start) and not self._answer.done():
                self._answer.set_result(None)
        self._left = data[at:]

    async def opened(self, url: str) -> "Line":
        """Shake hands."""
        parts = urlsplit(url)
        headers = {
            "Host": parts.netloc,
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": b64encode(os.urandom(16)).decode(),
            "Sec-WebSocket-Version": "13",
        }
        lines = [f"GET {parts.path}?{parts.query} HTTP/1.1"]
        lines += [f"{name}: {value}" for name, value in headers.items()]
        self.transport.write("\r\n".join([*lines, "", ""]).encode())
        await self._answer
        return self

    async def say(self, text: str) -> None:
        """Say something, and wait for the answer."""
        self._answer = asyncio.get_running_loop().create_future()
        self.transport.write(masked(TEXT, text.encode()))
        await self._answer

    async def once(self) -> None:
        """Ask for the next thing, and note how long that took."""
        self.number += 1
        began = perf_counter()
        await self.say(self.ask(self.number))
        self.times.append(perf_counter() - began)

    def close(self) -> None:
        self._answer.cancel()
        self.transport.abort()


def frame_at(data: bytes, at: int) -> tuple[int, int, int] | None:
    """Return the kind of a frame, and where its payload starts and ends, if it is all there."""
    if len(data) < at + 2:
        return None
    size, start = data[at + 1], at + 2
    if size > _SHORT_MAX:
        start += 2 if size == _SHORT_MAX + 1 else 8
        size = int.from_bytes(data[at + 2 : start])
    return (data[at] & 15, start, start + size) if len(data) >= start + size else None


def masked(kind: int, data: bytes) -> bytes:
    """Return a short frame of a player's."""
    assert len(data) <= _SHORT_MAX
    return bytes((_MASKED | kind, _MASKED | len(data), 0, 0, 0, 0)) + data


async def open_line(url: str, ask: Callable[[int], str], mark: str) -> Line:
    """Open a socket."""
    parts, loop = urlsplit(url), asyncio.get_running_loop()
    made = partial(Line, ask, mark)
    _, line = await loop.create_connection(made, parts.hostname or "", parts.port or 80)
    return await line.opened(url)
