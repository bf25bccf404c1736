"""Opens, keeps and hands over the tables of this process, in a house that several serve.

Every second, and when another process releases something, it reads which processes are alive and
who owns which stream. Who should own it is decided by pure functions (`croupier.ledger.tenure`).
"""

import asyncio
import contextlib
from functools import partial

from croupier.house.acts import Acts
from croupier.house.books import Books, Purses
from croupier.house.closures import Closures
from croupier.house.log import log, log_crash
from croupier.house.open_tables import OpenTables
from croupier.house.recall import forgotten
from croupier.house.signing import Checkpoints
from croupier.house.table import Table
from croupier.ledger.acts import DealingStopped
from croupier.ledger.store import Unavailable
from croupier.ledger.tenure import (
    CHECKPOINT,
    EMPTY,
    PATIENCE_MS,
    Roster,
    is_free,
    to_claim,
    to_hand_over,
    to_lose,
    to_take_back,
)

WATCH_S = 0.5
"""How often to check that this process may still serve its tables."""
LOOK_S = 1.0
"""How often to look for tables without an owner."""
MEET_MS, POLL_S = 10_000, 0.05
"""How long to wait at the start for the other processes, and how often to look for them."""
DRAIN_MS = 20_000
"""How long to wait for rounds to end before tables are handed over as they stand."""
BROKEN_MS = 60_000
"""How often to retry tables that couldn't be opened."""


class Leases:
    """The leases of this process; without other processes they do nothing."""

    def __init__(
        self, books: Books, open: OpenTables, *, closed: Closures, acts: Acts, nodes: int
    ) -> None:
        self._books, self._open, self._closed, self._acts = books, open, closed, acts
        self._nodes = nodes
        self._tenure = books.store.tenure
        self.roster: Roster = EMPTY
        """Who owned which table when this process last looked."""
        self._free_since: dict[str, int] = {}
        self._mended_ms = 0
        """When tables that couldn't be opened were last retried."""
        self._returns = 0
        """How often the database had come back when this process last looked."""
        self._drains = False
        self._again = asyncio.Event()
        """Set when tables may have become free."""

    async def meet(self) -> None:
        """Wait for the other processes that start, so that tables don't move right afterwards."""
        self._tenure.on_release = partial(_set_in, asyncio.get_running_loop(), self._again)
        until_ms = self._books.clocks.wait_ms() + MEET_MS
        while self._books.clocks.wait_ms() < until_ms:
            self.roster = await self._books.away(self._tenure.roster)
            if len(self.roster.nodes) >= self._nodes:
                return
            await asyncio.sleep(POLL_S)

    async def tend_on(self, checkpoints: Checkpoints | None) -> None:
        """Look after the leases until cancelled."""
        purses = Purses(self._books, self._open.accounts)
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._again.wait()
            self._again.clear()
            try:
                await self.tend(checkpoints)
                self._books.ring(purses)
            except Unavailable:
                pass  # Nobody can take anything over without the database either.
            except Exception as error:
                log_crash(error, missing="leases")

    async def watch(self) -> None:
        """Close all tables once others may take them over, without asking the database."""
        while True:
            await asyncio.sleep(WATCH_S)
            if self._tenure.has_expired():
                for id in [*self._open.tables]:
                    self._open.step_down(id)

    async def tend(self, checkpoints: Checkpoints | None) -> None:
        """Close what others own by now, hand over what they should own, and open our own."""
        self.roster = await self._books.away(self._tenure.roster)
        self._lose()
        if checkpoints and CHECKPOINT not in self._tenure.owned:
            checkpoints.pause()
        await self._stop_where_events_were_lost()
        self._mend()
        me, tables = self._tenure.name, self._open.tables
        # Decided before the handover: by this roster, what we hand over is still ours.
        back = to_take_back(self.roster, me, self._tenure.owned)
        away = to_hand_over(self.roster, me, tables)
        await self._open.release([id for id in away if _is_idle(tables[id])])
        openable = self._closed.openable()
        await self._claim([*openable, CHECKPOINT], back)
        if checkpoints and CHECKPOINT in self._tenure.owned:
            await checkpoints.start()
        await self._open.open_all([id for id in openable if id in self._tenure.owned])

    def _lose(self) -> None:
        """Close the tables that others own by now."""
        owned = self._tenure.owned
        for stream in to_lose(self.roster, self._tenure.name, owned):
            self._tenure.lose(stream, owned[stream])
        tables = self._open.tables
        if self._returns != self._tenure.returns:
            self._returns = self._tenure.returns
            heads = {id: table.place.scribe.head for id, table in tables.items()}
            self._open.heads_left.update(heads)
        for id in [id for id in tables if id not in self._tenure.owned]:
            self._open.step_down(id)

    async def _stop_where_events_were_lost(self) -> None:
        """Stop dealing at tables whose last acknowledged events are missing from the ledger.

        After a failover the database may lack the last commits, and only this process knows it.
        """
        heads = self._open.heads_left
        for id, head in [*heads.items()]:
            because = await self._books.read(partial(forgotten, stream=id, head=head))
            if because:
                log("events_lost", table=id, because=because)
                await self._acts.do(DealingStopped(id, stopped=True, by="", because=because))
            if heads.get(id) == head:
                del heads[id]

    def _mend(self) -> None:
        """Retry tables that couldn't be opened, from time to time."""
        now_ms = self._books.clocks.wait_ms()
        if now_ms - self._mended_ms >= BROKEN_MS:
            self._mended_ms = now_ms
            self._closed.broken.clear()

    async def _claim(self, streams: list[str], back: list[str]) -> None:
        """Claim what is ours to inherit or was ours, and what its heir leaves free for too long."""
        me, now_ms = self._tenure.name, self._books.clocks.wait_ms()
        free = [stream for stream in streams if is_free(self.roster, stream)]
        self._free_since = {s: self._free_since.get(s, now_ms) for s in free}
        patient_ms = now_ms - PATIENCE_MS
        waited = {s for s, since in self._free_since.items() if since <= patient_ms}
        mine = [*to_claim(self.roster, me, streams, waited=waited), *back]
        wanted = [] if self._drains else [stream for stream in mine if stream in streams]
        if wanted:
            await self._books.away(self._tenure.claim, wanted)

    async def drain(self) -> None:
        """Hand every table over at the end of its round, or as it stands if that takes long."""
        if not {*self.roster.heirs} - {self._tenure.name}:
            return  # Nobody would take them.
        self._drains = True
        await self._books.away(self._tenure.drain)
        until_ms = self._books.clocks.wait_ms() + DRAIN_MS
        while self._open.tables:
            late = self._books.clocks.wait_ms() >= until_ms
            ids = [id for id, one in self._open.tables.items() if late or _is_idle(one)]
            await self._open.release(ids)
            await asyncio.sleep(POLL_S)


def _set_in(loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
    """Set a loop's event from another thread."""
    with contextlib.suppress(RuntimeError):  # The loop has just ended.
        loop.call_soon_threadsafe(event.set)


def _is_idle(table: Table) -> bool:
    """Whether nobody at a table has money at stake."""
    round = table.place.standing.in_play
    return round is None or not any(box.stakes for box in round.boxes.values())
