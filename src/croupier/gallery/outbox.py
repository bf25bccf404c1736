"""Frames on their way to viewers. A viewer who reads too slowly is disconnected."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

FRAMES_MAX = 256
"""How many frames may wait for a viewer; with one more the socket is closed."""
CLOSED = 1001
"""The default close code: the server goes away."""
NEWS_S = 0.5
"""How long frames that can wait are gathered before they are sent."""


Put = Callable[[Callable[[], None]], None]
"""Calls a function soon: once, however often it is put before then."""


class Outlet(Protocol):
    """The socket that a viewer's frames are written to."""

    writable: asyncio.Event
    """Whether there is room for more frames."""

    def write(self, frames: Sequence[str]) -> None:
        """Write frames."""


class Mail:
    """Batches writes: everything that is put within a while is written together."""

    def __init__(self, wait_s: float = 0) -> None:
        self._wait_s = wait_s
        self._due: dict[Callable[[], None], None] = {}

    def put(self, write: Callable[[], None]) -> None:
        """Call `write` once, when the while is over."""
        if not self._due:
            loop = asyncio.get_running_loop()
            if self._wait_s:
                loop.call_later(self._wait_s, self._go_out)
            else:
                loop.call_soon(self._go_out)  # After everything that is ready now.
        self._due[write] = None

    def _go_out(self) -> None:
        due, self._due = self._due, {}
        for write in due:
            write()


class Board:
    """Frames for all viewers of a table that can wait a moment for more."""

    def __init__(self, mail: Mail) -> None:
        self.viewers: set[Viewer] = set()
        self.present: frozenset[str] = frozenset()
        """The players among the viewers."""
        self.frames: list[str] = []
        """Frames that not everybody has read yet."""
        self._mail = mail

    def come(self, viewer: "Viewer") -> None:
        """Add a viewer."""
        viewer.look_at(self)
        self.viewers.add(viewer)
        self._count()

    def go(self, viewer: "Viewer") -> None:
        """Remove a viewer."""
        viewer.look_at(_NOTHING_TOLD)
        self.viewers.discard(viewer)
        self._count()

    def _count(self) -> None:
        self.present = frozenset(viewer.player for viewer in self.viewers if viewer.player)

    def tell(self, frame: str) -> None:
        """Send all viewers a frame: with their next one, or in a while."""
        if not self.frames:
            self._mail.put(self._spread)
        self.frames.append(frame)

    def _spread(self) -> None:
        """Send the board to all viewers, and clear it."""
        viewers = list(self.viewers)
        for viewer in viewers:
            viewer.read()
        self.frames = []
        for viewer in viewers:
            viewer.turn_over()


class Viewer:
    """One socket: whose it is, and the frames that wait for it."""

    def __init__(
        self, player: str | None, name: str = "", *, session: bytes = b"", plays: bool = True
    ) -> None:
        self.player, self.name, self.session = player, name, session
        self.plays = plays
        """Whether they may do more than watch."""
        self.roles: frozenset[str] = frozenset()
        """The roles in which they work for the house."""
        self.answering: asyncio.Future[None] | None = None
        """An answer that waits for a check outside of the table."""
        self.used_s: float | None = None
        """When they last did something for the house, by the event loop's clock."""
        self.expiry: asyncio.TimerHandle | None = None
        """The timer that checks whether the session has ended."""
        self.looking: asyncio.Task[None] | None = None
        self.slow = False
        self.ended, self.code = False, CLOSED
        self._frames: list[str] = []
        self._board, self._read = _NOTHING_TOLD, 0
        self._wake = asyncio.Event()
        self._outlet: Outlet | None = None
        self._put: Put = _at_once
        self._close: Callable[[], None] = _nothing

    def attach(self, outlet: Outlet, *, put: Put, close: Callable[[], None]) -> None:
        """Write to a socket from now on; `put` batches writes, and `close` closes the socket."""
        self._outlet, self._put, self._close = outlet, put, close
        put(self.flush)

    def detach(self) -> None:
        """Undo `attach`."""
        self._outlet, self._put, self._close = None, _at_once, _nothing

    def flush(self) -> None:
        """Write the frames that wait if there is room, and close the socket if it is time."""
        self._wake.set()
        if self._outlet and self._outlet.writable.is_set() and (frames := self.take()):
            self._outlet.write(frames)
        if self.slow or self.ended:
            self._close()

    def look_at(self, board: Board) -> None:
        """Read a board from now on."""
        self._board, self._read = board, len(board.frames)

    def send(self, frame: str) -> None:
        """Send a frame after everything that is new on the board."""
        self.read(frame)
        self._put(self.flush)

    def read(self, *frames: str) -> None:
        """Take over what is new on the board, and then these frames."""
        told, read = self._board.frames, self._read
        if read < len(told):
            self._read = len(told)
            frames = (*told[read:], *frames)
        if frames and not self.slow and not self.ended:
            self._frames += frames
            if len(self._frames) > FRAMES_MAX:
                self.slow = True
                self._frames.clear()

    def turn_over(self) -> None:
        """Go on with an empty board, and send what was on it."""
        self._read = 0
        if self._frames or self.slow:
            self.flush()

    def restart(self, frames: list[str]) -> None:
        """Begin with these frames, whatever was waiting."""
        self._frames = frames
        self._read = len(self._board.frames)
        self._put(self.flush)

    def end(self, code: int = CLOSED) -> None:
        """Close the socket once the frames that wait are sent."""
        self.read()
        self.ended, self.code = True, code
        self._put(self.flush)

    @property
    def waiting(self) -> int:
        """How many frames are still to be sent."""
        self.read()
        return len(self._frames)

    def take(self) -> list[str]:
        """Take the frames that wait."""
        self.read()
        waiting, self._frames = self._frames, []
        return waiting

    async def frames(self) -> list[str]:
        """Wait for frames; an empty list means that the socket is to be closed."""
        while not self.waiting and not self.slow and not self.ended:
            self._wake.clear()
            await self._wake.wait()
        return self.take()


def _at_once(write: Callable[[], None]) -> None:
    write()


def _nothing() -> None:
    pass


_NOTHING_TOLD = Board(Mail())
"""The board of a viewer who looks at no table."""
