"""Frames on their way to viewers. A viewer who reads too slowly is cut off."""

import asyncio
from collections import deque
from collections.abc import Callable

FRAMES_MAX = 256
"""How many frames may wait for a viewer; with one more the socket is closed."""
CLOSED = 1001
"""The default close code: the server goes away."""
NEWS_S = 0.5
"""How long frames that can wait are gathered before they are sent."""
KEPT = 512
"""How many frames are kept for viewers who come back."""
MISSED_MAX = FRAMES_MAX // 2
"""A viewer who has missed more frames than this gets the whole scene instead."""


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
    """Frames for everybody at a table that can wait a moment for more."""

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
        """Send everybody a frame: with the next one they are sent, or in a while."""
        if not self.frames:
            self._mail.put(self._spread)
        self.frames.append(frame)

    def _spread(self) -> None:
        """Let everybody read the board, and clear it."""
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
        """Looks whether the session has ended, when its time is over."""
        self.looking: asyncio.Task[None] | None = None
        self.slow = False
        self.ended, self.code = False, CLOSED
        self._frames: list[str] = []
        self._board, self._read = _NOTHING_TOLD, 0
        self._wake = asyncio.Event()
        self._soon: Callable[[], None] = self._wake.set
        self._now: Callable[[], None] = self._wake.set

    def attach(self, soon: Callable[[], None], now: Callable[[], None]) -> None:
        """Call these when there are frames to take or the socket is to be closed: soon, or now."""
        self._soon, self._now = soon, now
        soon()

    def detach(self) -> None:
        """Undo `attach`."""
        self._soon = self._now = self._wake.set

    def look_at(self, board: Board) -> None:
        """Read a board from now on."""
        self._board, self._read = board, len(board.frames)

    def send(self, frame: str) -> None:
        """Send a frame after everything that is new on the board."""
        self.read(frame)
        self._soon()

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
            self._now()

    def restart(self, frames: list[str]) -> None:
        """Begin with these frames, whatever was waiting."""
        self._frames = frames
        self._read = len(self._board.frames)
        self._soon()

    def end(self, code: int = CLOSED) -> None:
        """Close the socket once the frames that wait are sent."""
        self.read()
        self.ended, self.code = True, code
        self._soon()

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


_NOTHING_TOLD = Board(Mail())
"""The board of a viewer who looks at no table."""


class News:
    """The last frames that everybody was sent, by the number of their last event."""

    def __init__(self, number: int) -> None:
        self._numbers: deque[int] = deque()
        self._frames: deque[str] = deque()
        self._from = self._to = number

    def keep(self, number: int, frame: str) -> None:
        """Keep a frame whose last event has this number."""
        self._numbers.append(number)
        self._frames.append(frame)
        self._to = number
        if len(self._frames) > KEPT:
            self._from = self._numbers.popleft()
            self._frames.popleft()

    def since(self, number: int) -> list[str] | None:
        """Return the frames after an event, or None if that is too long ago or yet to come."""
        if not self._from <= number <= self._to:
            return None
        kept = zip(self._numbers, self._frames, strict=True)
        return [frame for last, frame in kept if last > number]
