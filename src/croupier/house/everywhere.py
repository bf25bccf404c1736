"""How all tables of a house stand, including those that other processes have open."""

from collections.abc import Iterable, Mapping
from functools import partial

from croupier.house.books import Books
from croupier.house.config import TableConfig
from croupier.house.recall import recall
from croupier.house.table import Table
from croupier.ledger.audit import RulesOf
from croupier.ledger.store import View
from croupier.table.state import Table as TableState


class Everywhere:
    """The tables of a house: those that are open here as they are, all others by their journals."""

    def __init__(
        self,
        books: Books,
        rules_of: RulesOf,
        *,
        configs: Mapping[str, TableConfig],
        here: Mapping[str, Table],
    ) -> None:
        self._books, self._rules_of = books, rules_of
        self._configs, self._here = configs, here

    async def states(self) -> dict[str, TableState]:
        """Return how every table stands that can be seen from here."""
        is_shared = self._books.store.tenure.is_shared
        others = [id for id in self._configs if id not in self._here] if is_shared else []
        elsewhere = await self._journaled(others) if others else {}
        return elsewhere | {id: one.place.standing.table for id, one in self._here.items()}

    async def seated_at(self, id: str) -> frozenset[str]:
        """Return who sits at a table."""
        table = self._here.get(id)
        known = table.place.standing.table if table else (await self._journaled([id])).get(id)
        return frozenset(known.seats.values()) if known else frozenset()

    async def _journaled(self, ids: Iterable[str]) -> dict[str, TableState]:
        return await self._books.read(partial(_tables, ids=ids, of=self._rules_of))


def _tables(view: View, ids: Iterable[str], of: RulesOf) -> dict[str, TableState]:
    """Return how tables stand, by their journals."""
    found = {id: recall(view, id, of).standing for id in ids}
    return {id: standing.table for id, standing in found.items() if standing}
