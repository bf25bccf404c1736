"""Closes the proposals that weren't answered in time."""

from collections.abc import Mapping
from functools import partial

from croupier.house.books import Clocks
from croupier.house.standing import Act
from croupier.house.table import Table
from croupier.table.commands import Lapse
from croupier.table.proposals import has_lapsed


async def close_lapsed(tables: Mapping[str, Table], clocks: Clocks) -> None:
    """Close the proposals at some tables that have waited for too long."""
    for table in list(tables.values()):
        time = clocks.time()
        for one in table.place.standing.table.proposals:
            if has_lapsed(one, time):
                # It is refused if somebody has answered meanwhile.
                await table.try_to(partial(Act.at_table, command=Lapse(one.id, time)))
