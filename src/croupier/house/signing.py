"""Checkpoints: the heads of all streams, signed from time to time and kept outside the ledger.

What is signed, and what is due, is read from the journal: however often a process starts or dies,
the events it leaves behind are signed by the next one.
"""

import asyncio
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from croupier.errors import UserError
from croupier.house.books import Books
from croupier.house.log import log, log_crash
from croupier.house.tasks import cancel
from croupier.ledger.checkpoints import Checkpoint, sign
from croupier.ledger.journal import START, Head
from croupier.ledger.store import NotOwner, Unavailable, View
from croupier.ledger.stores.marks import (
    Mark,
    check_marks,
    end_of_lines,
    last_checkpoint_in,
    write_high_water,
)
from croupier.ledger.stores.protocol import Store

CHECKPOINT_S = 60.0
CHECKPOINT_EVENTS = 1_000
LOOK_S = 1.0


class Behind(NamedTuple):
    """How far the checkpoints are behind the journal."""

    heads: dict[str, Head]
    number: int
    """The number of the last checkpoint, or 0."""
    events: int
    """How many events it doesn't sign."""


def behind(view: View) -> Behind:
    """Compare the journal with the last checkpoint."""
    heads, last = view.heads(), view.last_checkpoint()
    signed = last.heads if last else {}
    events = (head.number - signed.get(stream, START).number for stream, head in heads.items())
    return Behind(heads, last.number if last else 0, sum(events))


class Signing:
    """Signs checkpoints with a key, and writes them to a file beside the ledger."""

    def __init__(self, secret: bytes, file: Path) -> None:
        self.secret, self.file = secret, file

    def sign(self, heads: Mapping[str, Head], number: int, *, time_ms: int) -> Checkpoint:
        """Sign the heads of all streams."""
        return sign(self.secret, number, heads, time_ms=time_ms)

    def sign_now(self, store: Store, *, time_ms: int) -> None:
        """Sign new events, and write the checkpoint to the ledger and the file; this blocks."""
        with store.reading() as view:
            heads, number, events = behind(view)
        if events:
            store.add_checkpoint(self.sign(heads, number + 1, time_ms=time_ms))
        with store.reading() as view:
            self.write_missing(view)

    def write_missing(self, view: View) -> None:
        """Append the checkpoints of the ledger that the file lacks.

        A file that ends with a checkpoint of another history gets the newest one only; if events
        that it signed are gone, the file stays as it is, to prove that.
        """
        last = last_checkpoint_in(self.file)
        kept = view.checkpoints(after=last.number - 1 if last else 0)
        if last and kept[:1] == [last]:
            kept = kept[1:]
        elif last:
            try:
                check_marks(view, [Mark(self.file.name, last.time_ms, last.heads)])
            except UserError as error:
                log("events_lost", because=str(error))
                return
            newest = view.last_checkpoint()
            kept = [newest] if newest else []
        if kept:
            self.file.touch()
            with self.file.open("r+b") as file:
                file.seek(end_of_lines(self.file))
                file.truncate()
                file.write("".join(f"{checkpoint}\n" for checkpoint in kept).encode())

    def note(self, heads: Mapping[str, Head], *, time_ms: int) -> None:
        """Note beside the ledger how far its streams have come since."""
        write_high_water(self.file.parent, heads, time_ms=time_ms)


class Checkpoints:
    """Signs at the start, every minute and every thousand events while the house is open."""

    def __init__(self, books: Books, signing: Signing) -> None:
        self.books, self.signing = books, signing
        self.unsigned = 0
        """How many events no checkpoint signed when the journal was last looked at."""
        self._noted: Mapping[str, Head] = {}
        self._lock = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Sign what an earlier process left unsigned, and go on unless that is done already."""
        if self._task is None:
            await self._try_to_sign()
            self._task = asyncio.create_task(self._run(), name="checkpoints")

    def pause(self) -> None:
        """Leave the signing to another process."""
        if self._task:
            self._task.cancel()
            self._task = None

    async def stop(self) -> None:
        """Sign the remaining events when the house closes."""
        if self._task is None:
            return
        await cancel(self._task)
        self._task = None
        if self.books.lost is None:
            await self._try_to_sign()
            await self.look_after()

    async def _run(self) -> None:
        last_s = self.books.clocks.wait_s()
        while True:
            await asyncio.sleep(LOOK_S)
            await self.look_after()
            now_s = self.books.clocks.wait_s()
            late = now_s - last_s >= CHECKPOINT_S
            if self.unsigned >= CHECKPOINT_EVENTS or (self.unsigned and late):
                last_s = now_s
                # If the house closes meanwhile, the checkpoint is still finished.
                await asyncio.shield(self._try_to_sign())

    async def _try_to_sign(self) -> None:
        try:
            await self.sign()
        except NotOwner:
            pass  # Another server has taken the signing over meanwhile, and signs the same events.
        except Exception as error:
            log_crash(error, missing="checkpoint")

    async def sign(self) -> None:
        """Sign new events, and write the checkpoint to the ledger and the file."""
        # One at a time, because they are numbered in order.
        async with self._lock:
            books = self.books
            heads, number, events = await books.read(behind)
            if events:
                time_ms = books.clocks.wall_ms()
                checkpoint = self.signing.sign(heads, number + 1, time_ms=time_ms)
                await books.commit(partial(books.store.add_checkpoint, checkpoint))
            self.unsigned = 0
            await books.read(self.signing.write_missing)

    async def look_after(self) -> None:
        """Check that the ledger is still there, and note how far it has come."""
        try:
            await self.books.away(self.books.store.check)
            heads, _, self.unsigned = await self.books.read(behind)
            # What the ledger has lost stays noted: it is refused at the next start.
            heads |= {s: h for s, h in self._noted.items() if h.number > heads.get(s, START).number}
            if heads != self._noted:
                time_ms = self.books.clocks.wall_ms()
                await self.books.away(partial(self.signing.note, heads, time_ms=time_ms))
                self._noted = heads
        except Unavailable:
            pass  # A ledger that is lost has been noted; any other comes back.
        except Exception as error:
            log_crash(error, missing="high water")
