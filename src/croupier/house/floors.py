"""How many tables a floorperson has, counted by the house before each of them is taken.

A table is counted from before somebody taps in there as its floorperson until they have left, by
the tenure: in the database where several processes serve the house. So two taps at one instant
can't both be the last one that is allowed, whichever processes hear them.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from croupier.house.books import Books
from croupier.house.config import TableConfig
from croupier.house.log import log_crash
from croupier.house.now import Now
from croupier.house.table import Table
from croupier.house.tasks import Tasks
from croupier.ledger.store import Unavailable
from croupier.table import commands
from croupier.table.state import Table as TableState


def floors_at(table: TableState) -> frozenset[str]:
    """Return whom a table counts for: its floorperson, and those who are to relieve them."""
    taps = (one.command for one in table.proposals if one.kind == commands.TapIn.__name__)
    relief = {str(tap["person"]) for tap in taps if tap["post"] == "floor"}
    return frozenset({table.crew.floor, *relief} - {""})


class Floors:
    """The count, as far as the tables of this process go."""

    def __init__(self, books: Books, configs: Mapping[str, TableConfig]) -> None:
        self._books, self._configs = books, configs
        self._counting = asyncio.Lock()
        """Held while somebody taps in: until it is stored, nobody else knows of them."""
        self._kept: dict[str, frozenset[str]] = {}
        """Whom each table counts for, as it was last written down."""
        self._tasks = Tasks()

    async def open(self, table: Table) -> None:
        """Count a table that this process takes up for those who work there."""
        if table.id not in self._attended():
            return
        self._kept.pop(table.id, None)
        await self.keep(table)
        table.listeners.append(lambda now, _: self._look(table, now))

    @asynccontextmanager
    async def taking(self, table: Table, person: str) -> AsyncIterator[int]:
        """Count a table for somebody who taps in while the block lasts; yield how many others.

        A table without people counts for nobody.
        """
        if table.id not in self._attended():
            yield 0
            return
        async with self._counting:
            take, most = self._books.store.tenure.take_floor, table.config.floor_tables
            others = self._attended() - {table.id}
            floors = await self._books.away(take, table.id, person, others, most)
            self._kept.pop(table.id, None)
            try:
                yield floors
            finally:
                await self._keep(table)

    def _attended(self) -> set[str]:
        """Return the tables at which people work.

        Nobody can tap out of one that the house has no longer, so it isn't counted.
        """
        return {id for id, one in self._configs.items() if "dealer" in one.rules.things}

    def _look(self, table: Table, now: Now) -> None:
        if floors_at(now.standing.table) != self._kept.get(table.id):
            self._tasks.begin(self.keep(table), name=f"floors {table.id}")

    async def keep(self, table: Table) -> None:
        """Count a table only for those who are there."""
        async with self._counting:
            await self._keep(table)

    async def _keep(self, table: Table) -> None:
        wanted, keep = floors_at(table.place.standing.table), self._books.store.tenure.keep_floors
        if table.unsure or wanted == self._kept.get(table.id):
            return  # Better a table too many than one too few, until it has caught up.
        try:
            await self._books.away(keep, table.id, wanted)
            self._kept[table.id] = wanted
        except Unavailable:
            pass  # It is tried again with the next change.
        except Exception as error:
            log_crash(error, table=table.id)
