"""Turns: one after the other, in the order in which they were asked for."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

Begin = Callable[[], None]


class Turns:
    """Calls whoever asks for a turn when those before it are over; most often that is at once."""

    def __init__(self) -> None:
        self._waiting: deque[Begin] = deque()
        self._taken = False

    def take(self, begin: Begin) -> None:
        """Begin when it is this one's turn; whoever began says when it is over."""
        if self._taken:
            self._waiting.append(begin)
        else:
            self._taken = True
            begin()

    def over(self) -> None:
        """Let the next one begin."""
        if self._waiting:
            self._waiting.popleft()()
        else:
            self._taken = False

    @asynccontextmanager
    async def alone(self) -> AsyncIterator[None]:
        """Wait for a turn, and let nobody begin meanwhile."""
        begun = asyncio.Event()
        self.take(begun.set)
        try:
            await begun.wait()
            yield
        finally:
            if begun.is_set():
                self.over()
            else:
                self._waiting.remove(begun.set)
