"""Who looks at a table, and what is still to be sent to them; a slow reader is cut off."""

import asyncio
from collections import deque
from collections.abc import Callable

FRAMES_MAX = 256
"""So many frames wait for a reader; with one more it is cut, and asks again from where it was."""
CLOSED = 1001
"""What a socket is closed with where nobody says more: the server goes away."""
NEWS_S = 0.5
"""What can wait is sent so late at most: what happens meanwhile comes with it."""
KEPT = 512
"""So many frames are kept for those who come back."""
MISSED_MAX = FRAMES_MAX // 2
"""Who has missed more than so many gets the whole scene instead, and is not cut for being late."""


class Mail:
    """Lets frames go out together: those that come within a while, and for all who get them."""

    def __init__(self, wait_s: float = 0) -> None:
        self._wait_s = wait_s
        self._due: dict[Callable[[], None], None] = {}

    def put(self, write: Callable[[], None]) -> None:
        """Write something once, when the while is over."""
        if not self._due:
            loop = asyncio.get_running_loop()
            if self._wait_s:
                loop.call_later(self._wait_s, self._go_out)
            else:
                loop.call_soon(self._go_out)  # After all that is ready now.
        self._due[write] = None

    def _go_out(self) -> None:
        due, self._due = self._due, {}
        for write in due:
            write()


class Board:
    """What is told to all who look at a table, and can wait a moment for more."""

    def __init__(self, mail: Mail) -> None:
        self.viewers: set[Viewer] = set()
        self.present: frozenset[str] = frozenset()
        """The players among them."""
        self.frames: list[str] = []
        """What was told since all have read the board."""
        self._mail = mail

    def come(self, viewer: "Viewer") -> None:
        """Let somebody look on."""
        viewer.look_at(self)
        self.viewers.add(viewer)
        self._count()

    def go(self, viewer: "Viewer") -> None:
        """Let somebody look on no longer."""
        viewer.look_at(_NOTHING_TOLD)
        self.viewers.discard(viewer)
        self._count()

    def _count(self) -> None:
        self.present = frozenset(viewer.player for viewer in self.viewers if viewer.player)

    def tell(self, frame: str) -> None:
        """Tell all of something: with the next frame that they are sent, or in a while."""
        if not self.frames:
            self._mail.put(self._spread)
        self.frames.append(frame)

    def _spread(self) -> None:
        """Let everybody read."""
        viewers = list(self.viewers)
        for viewer in viewers:
            viewer.read()
        self.frames = []
        for viewer in viewers:
            viewer.turn_over()


class Viewer:
    """One socket: whose it is, and its frames in order."""

    def __init__(self, player: str | None, name: str = "") -> None:
        self.player, self.name = player, name
        self.slow = False
        self.ended, self.code = False, CLOSED
        self._frames: list[str] = []
        self._board, self._read = _NOTHING_TOLD, 0
        self._wake = asyncio.Event()
        self._soon: Callable[[], None] = self._wake.set
        self._now: Callable[[], None] = self._wake.set

    def attach(self, soon: Callable[[], None], now: Callable[[], None]) -> None:
        """Call somebody when there are frames to take, or a socket to close: soon, or at once."""
        self._soon, self._now = soon, now
        soon()

    def detach(self) -> None:
        """Call nobody any more."""
        self._soon = self._now = self._wake.set

    def look_at(self, board: Board) -> None:
        """Read a board from now on."""
        self._board, self._read = board, len(board.frames)

    def send(self, frame: str) -> None:
        """Send a frame, and all that wait before it."""
        self.read()
        self._put([frame])
        self._soon()

    def read(self) -> None:
        """Take over what is new on the board."""
        told, read = self._board.frames, self._read
        if read < len(told):
            self._read = len(told)
            self._put(told[read:])

    def turn_over(self) -> None:
        """Go on with a new board, and send what was on the old one."""
        self._read = 0
        if self._frames or self.slow:
            self._now()

    def _put(self, frames: list[str]) -> None:
        if self.slow or self.ended:
            return
        self._frames += frames
        if len(self._frames) > FRAMES_MAX:
            self.slow = True
            self._frames.clear()

    def restart(self, frames: list[str]) -> None:
        """Begin with these frames, whatever was waiting."""
        self._frames = frames
        self._read = len(self._board.frames)
        self._soon()

    def end(self, code: int = CLOSED) -> None:
        """Let the socket be closed, once what waits is sent."""
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
        """Wait for frames; none means that the socket is to be closed."""
        while not self.waiting and not self.slow and not self.ended:
            self._wake.clear()
            await self._wake.wait()
        return self.take()


_NOTHING_TOLD = Board(Mail())
"""What somebody reads who looks at no table."""


class News:
    """What was sent to everybody lately, by the number of its last event."""

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
        """Return the frames after an event, or None if it is too long ago, or still to come."""
        if not self._from <= number <= self._to:
            return None
        kept = zip(self._numbers, self._frames, strict=True)
        return [frame for last, frame in kept if last > number]
