"""Follows the acts of the house, so that what operators decide holds in every process and lasts.

The journal is the only memory. Every second, and after each act of this process, new acts are read
from it and passed to listeners.
"""

import asyncio
from collections.abc import Callable
from functools import partial

from croupier.house.books import Books
from croupier.ledger.acts import HOUSE_STREAM, HouseAct, acts_in
from croupier.ledger.store import View
from croupier.ledger.stores.jotting import jot

FOLLOWED = ("MeterStopped", "DealingStopped", "TableOpened", "RolesSet", "AccountDisabled")
"""The acts that last: at the start, only these are read."""
_FOLLOWED = tuple(f'"type":"{name}"'.encode() for name in FOLLOWED)


class Acts:
    """The acts that this process has read."""

    def __init__(self, books: Books) -> None:
        self.books = books
        self.listeners: list[Callable[[HouseAct], None]] = []
        self._number = 0
        self._lock = asyncio.Lock()

    async def start(self) -> None:
        """Apply past decisions that are still in force."""
        self._number, acts = await self.books.read(_lasting)
        self._tell(acts)

    async def do(self, act: HouseAct) -> None:
        """Store an act, and apply it in this process."""
        await self.store(act)
        await self.look()

    async def store(self, act: HouseAct) -> None:
        """Store an act; this process reads it the next time it looks."""
        time_ms = self.books.clocks.wall_ms()

        def write() -> None:
            with self.books.store.writing() as session:
                jot(session, act, time_ms=time_ms)

        await self.books.away(write)

    async def look(self) -> None:
        """Read the acts stored since the last look."""
        async with self._lock:
            number, acts = await self.books.read(partial(_new, after=self._number))
            self._number = number
        self._tell(acts)

    def _tell(self, acts: list[HouseAct]) -> None:
        for act in acts:
            for listen in self.listeners:
                listen(act)


def _lasting(view: View) -> tuple[int, list[HouseAct]]:
    stored = [*view.stream(HOUSE_STREAM)]
    lasting = [row for row in stored if any(name in row.data for name in _FOLLOWED)]
    return stored[-1].number if stored else 0, [act for _, act in acts_in(lasting)]


def _new(view: View, after: int) -> tuple[int, list[HouseAct]]:
    found = [*acts_in(view.stream(HOUSE_STREAM, after=after))]
    return found[-1][0] if found else after, [act for _, act in found]
