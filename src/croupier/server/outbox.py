"""Who looks at a table, and what is still to be sent to them; a slow reader is cut off."""

import asyncio
from collections import deque
from collections.abc import Callable

FRAMES_MAX = 256
"""So many frames wait for a reader; with one more it is cut, and asks again from where it was."""
CLOSED = 1001
"""What a socket is closed with where nobody says more: the server goes away."""
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
        self._stir: Callable[[], None] = self._wake.set

    def attach(self, stir: Callable[[], None]) -> None:
        """Call somebody when there are frames to take, or a socket to close."""
        self._stir = stir
        stir()

    def send(self, frame: str) -> None:
        """Put a frame where it is sent from."""
        if self.slow or self.ended:
            return
        if len(self._frames) >= FRAMES_MAX:
            self.slow = True
            self._frames.clear()
        else:
            self._frames.append(frame)
        self._stir()

    def restart(self, frames: list[str]) -> None:
        """Begin with these frames, whatever was waiting."""
        self._frames = deque(frames)
        self._stir()

    def end(self, code: int = CLOSED) -> None:
        """Let the socket be closed, once what waits is sent."""
        self.ended, self.code = True, code
        self._stir()

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
    """Lets frames go out together: those of an act, its answer, and for all who hear of it."""

    def __init__(self) -> None:
        self._due: dict[Callable[[], None], None] = {}

    def soon(self, write: Callable[[], None]) -> None:
        """Write something once, when those who wait for an answer have sent it too."""
        if not self._due:
            # A timer, even of nothing, comes after all that is ready.
            asyncio.get_running_loop().call_later(0, self._go_out)
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
