"""What comes with each table that is open here: names of its people, and house players."""

import asyncio
from contextlib import suppress

from croupier.gallery.galleries import Galleries
from croupier.house.table import Table
from croupier.house.tasks import Tasks, cancel
from croupier.ledger.roles import PLAYER
from croupier.ledger.store import Unavailable
from croupier.server.bots import house_players
from croupier.server.people import People
from croupier.server.registry import Person

AGAIN_S = 0.2
"""How soon the ledger is asked again after it didn't answer."""


class Attendance:
    """The names and the house players of all tables that are open here."""

    def __init__(self, galleries: Galleries, people: People) -> None:
        self._galleries, self._people = galleries, people
        self._tasks: dict[str, list[asyncio.Task[None]]] = {}
        self._learning = Tasks()

    def come(self, table: Table) -> None:
        """Learn who sits and works at a table, and let house players sit down."""
        self._learning.begin(self._learn_names(table))
        players = house_players(self._galleries, table)
        self._tasks[table.id] = [asyncio.create_task(player.run()) for player in players]

    async def _learn_names(self, table: Table) -> None:
        standing = table.place.standing.table
        players = {*standing.seats.values()}
        staff = {*standing.crew, *(one.by.person for one in standing.proposals)} - {""}
        for one in sorted(players | staff):
            if person := await self._found(one):
                self._galleries.names[one] = person.name
                if one in players:
                    plays = PLAYER in person.roles
                    self._galleries.pit.seats.bar(one, disabled=person.disabled, plays=plays)
        table.look_again()

    async def _found(self, player: str) -> Person | None:
        """Look a player up, retrying while the ledger doesn't answer."""
        while True:
            with suppress(Unavailable):
                return await self._people.find(player)
            await asyncio.sleep(AGAIN_S)

    async def settled(self) -> None:
        """Wait until all names are known."""
        await asyncio.gather(*self._learning.running)

    def leave(self, table: Table) -> None:
        """Let the house players leave a table that another process has now."""
        for task in self._tasks.pop(table.id, ()):
            task.cancel()

    async def stop(self) -> None:
        """Let the house players go."""
        await cancel(*(task for tasks in self._tasks.values() for task in tasks))
