"""A socket that notes what a viewer is sent."""

import asyncio
from collections.abc import Callable, Sequence

from croupier.gallery.outbox import Put, Viewer


class Noted:
    """The batches of frames that were written, and whether the socket was closed."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.closes = 0
        self.writable, self.written = asyncio.Event(), asyncio.Event()
        self.writable.set()

    @property
    def frames(self) -> list[str]:
        return [frame for batch in self.batches for frame in batch]

    def write(self, frames: Sequence[str]) -> None:
        self.batches.append([*frames])
        self.written.set()

    def close(self) -> None:
        self.closes += 1


def at_once(flush: Callable[[], None]) -> None:
    flush()


def never(flush: Callable[[], None]) -> None:
    """Leave what a viewer is sent for the next time that something can't wait."""


def noted(viewer: Viewer, put: Put = at_once) -> Noted:
    """Note what a viewer is sent from now on."""
    socket = Noted()
    viewer.attach(socket, put=put, close=socket.close)
    return socket
