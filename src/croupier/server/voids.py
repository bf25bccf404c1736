"""The counts of void rounds of this process's tables; each request reads only what is new."""

from functools import partial

from croupier.house.pit import Pit
from croupier.ledger.store import View
from croupier.ledger.voids import Voids


class VoidCounts:
    """The counts so far, by table."""

    def __init__(self, pit: Pit) -> None:
        self._pit = pit
        self._counted: dict[str, Voids] = {}

    async def of(self, table: str) -> Voids:
        """Return a table's counts, up to its last event."""
        known = self._counted.get(table, Voids())
        self._counted[table] = found = await self._pit.books.read(
            partial(_further, table=table, known=known)
        )
        return found


def _further(view: View, table: str, known: Voids) -> Voids:
    return known.after(view.stream(table, after=known.number))
