"""Who looks at a table, and what is still to be sent to them; a slow reader is cut off."""

import asyncio
from collections import deque
from collections.abc import Callable

FRAMES_MAX = 256
"""So many frames wait for a reader; with one more it is cut, and asks again from where it was."""
CLOSED = 1001
"""What a socket is closed with where nobody says more: the server goes away."""
NEWS_S = 0.25
"""What can wait is sent so late at most: what happens meanwhile comes with it."""
KEPT = 512
"""So many frames are kept for those who come back."""
MISSED_MAX = FRAMES_MAX // 2
"""Who has missed more than so many gets the whole scene instead, and is not cut for being late."""


class Viewer:
    """One socket: whose it is, and its frames in order."""

    def __init__(self, player: str | None, name: str = "") -> None:
        self.player, self.name = player, name
        self.slow = False
        self.ended, self.code = False, CLOSED
        self._frames: deque[str] = deque()
        self._wake = asyncio.Event()
        self._soon: Callable[[], None] = self._wake.set
        self._later: Callable[[], None] = self._wake.set

    def attach(self, soon: Callable[[], None], later: Callable[[], None]) -> None:
        """Call somebody when there are frames to take, or a socket to close."""
        self._soon, self._later = soon, later
        soon()

    def detach(self) -> None:
        """Call nobody any more."""
        self._soon = self._later = self._wake.set

    def send(self, frame: str) -> None:
        """Send a frame, and all that wait before it."""
        self._put(frame)
        self._soon()

    def tell(self, frame: str) -> None:
        """Send a frame that can wait a moment for others."""
        self._put(frame)
        self._later()

    def _put(self, frame: str) -> None:
        if self.slow or self.ended:
            return
        if len(self._frames) >= FRAMES_MAX:
            self.slow = True
            self._frames.clear()
        else:
            self._frames.append(frame)

    def restart(self, frames: list[str]) -> None:
        """Begin with these frames, whatever was waiting."""
        self._frames = deque(frames)
        self._soon()

    def end(self, code: int = CLOSED) -> None:
        """Let the socket be closed, once what waits is sent."""
        self.ended, self.code = True, code
        self._soon()

    @property
    def waiting(self) -> int:
        """How many frames are still to be sent."""
        return len(self._frames)

    def take(self) -> list[str]:
        """Take the frames that wait."""
        waiting = list(self._frames)
        self._frames.clear()
        return waiting

    async def frames(self) -> list[str]:
        """Wait for frames; none means that the socket is to be closed."""
        while not self._frames and not self.slow and not self.ended:
            self._wake.clear()
            await self._wake.wait()
        return self.take()


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


class News:
    """What was sent to everybody lately, by the number of its last event."""

    def __init__(self, number: int) -> None:
        self._kept: deque[tuple[int, str]] = deque()
        self._from = self._to = number

    def keep(self, number: int, frame: str) -> None:
        """Keep a frame whose last event has this number."""
        self._kept.append((number, frame))
        self._to = number
        if len(self._kept) > KEPT:
            self._from, _ = self._kept.popleft()

    def since(self, number: int) -> list[str] | None:
        """Return the frames after an event, or None if it is too long ago, or still to come."""
        if not self._from <= number <= self._to:
            return None
        return [frame for last, frame in self._kept if last > number]
