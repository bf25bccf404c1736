"""What the database of a house knows of its people, read and written in threads."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from croupier.ledger.acts import HouseAct
from croupier.ledger.stores.jotting import jot
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.statements import Session

T = TypeVar("T")


class Rows:
    """Transactions on the tables of people, and the journal of what was done with them."""

    def __init__(self, store: Store, now_ms: Callable[[], int]) -> None:
        self.store, self.now_ms = store, now_ms

    @property
    def is_shared(self) -> bool:
        """Whether other processes serve the same house."""
        return self.store.tenure.is_shared

    def jot(self, rows: Session, act: HouseAct) -> None:
        jot(rows, act, time_ms=self.now_ms())

    async def read(self, read: Callable[[Session], T]) -> T:
        def run() -> T:
            with self.store.snapshot() as rows:
                return read(rows)

        return await asyncio.to_thread(run)

    async def write(self, write: Callable[[Session], T]) -> T:
        def run() -> T:
            with self.store.writing() as rows:
                return write(rows)

        return await asyncio.to_thread(run)
