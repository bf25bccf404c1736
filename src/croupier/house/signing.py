"""Checkpoints: the heads of all streams, signed from time to time and kept outside the ledger."""

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from croupier.house.books import Books
from croupier.house.log import log_crash
from croupier.ledger.checkpoints import Checkpoint, sign
from croupier.ledger.journal import Head
from croupier.ledger.store import Unavailable, View
from croupier.ledger.stores.marks import write_high_water

CHECKPOINT_S = 60.0
CHECKPOINT_EVENTS = 1_000
LOOK_S = 1.0
Heads = Callable[[], Mapping[str, Head]]


class Signing:
    """Signs checkpoints with a key, and writes them to a file beside the ledger."""

    def __init__(self, secret: bytes, file: Path) -> None:
        self.secret, self.file = secret, file

    def sign(self, view: View, *, time_ms: int) -> Checkpoint:
        """Sign the heads of all streams as they are now."""
        return sign(self.secret, view.last_checkpoint() + 1, view.heads(), time_ms=time_ms)

    def write(self, checkpoint: Checkpoint) -> None:
        """Append a checkpoint to the file."""
        with self.file.open("a", encoding="utf-8") as file:
            file.write(f"{checkpoint}\n")

    def note(self, heads: Mapping[str, Head], *, time_ms: int) -> None:
        """Note beside the ledger how far its streams have come since."""
        write_high_water(self.file.parent, heads, time_ms=time_ms)


class Checkpoints:
    """Signs every minute and every thousand events, for as long as the house is open."""

    def __init__(self, books: Books, signing: Signing, heads: Heads) -> None:
        self.books, self.signing, self._heads = books, signing, heads
        self._signed = 0
        self._noted: Mapping[str, Head] = {}
        self._lock = asyncio.Lock()

    @property
    def unsigned(self) -> int:
        """How many events were stored since the last checkpoint."""
        return self.books.stored - self._signed

    async def run(self) -> None:
        """Sign until cancelled."""
        last_s = self.books.clocks.wait_s()
        while True:
            await asyncio.sleep(LOOK_S)
            await self._look_after()
            now_s = self.books.clocks.wait_s()
            late = now_s - last_s >= CHECKPOINT_S
            if self.unsigned >= CHECKPOINT_EVENTS or (self.unsigned and late):
                last_s = now_s
                try:
                    # If the house closes meanwhile, the checkpoint is still finished.
                    await asyncio.shield(self.sign())
                except Exception as error:
                    log_crash(error, missing="checkpoint")

    async def stop(self) -> None:
        """Sign what is left when the house closes."""
        if self.books.lost is None:
            try:
                await self.sign()
                await self._note_high_water()
            except Exception as error:
                log_crash(error, missing="checkpoint")

    async def sign(self) -> None:
        """Sign the heads of all streams, and write them to the ledger and the file."""
        # One at a time: each has the number after the last one's.
        async with self._lock:
            books, stored = self.books, self.books.stored
            if stored == self._signed:
                return
            time_ms = books.clocks.wall_ms()
            checkpoint = await books.read(partial(self.signing.sign, time_ms=time_ms))
            await books.commit(partial(books.store.add_checkpoint, checkpoint))
            await books.away(self.signing.write, checkpoint)
            self._signed = stored

    async def _look_after(self) -> None:
        """Check that the ledger is still there, and note how far it has come."""
        try:
            await self.books.away(self.books.store.check)
            await self._note_high_water()
        except Unavailable:
            pass  # A ledger that is lost has been noted; any other comes back.
        except Exception as error:
            log_crash(error, missing="high water")

    async def _note_high_water(self) -> None:
        heads, time_ms = self._heads(), self.books.clocks.wall_ms()
        if heads != self._noted:
            await self.books.away(partial(self.signing.note, heads, time_ms=time_ms))
            self._noted = heads
