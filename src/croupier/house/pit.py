"""The pit: what a process does for a house, from opening its tables to closing them."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

from croupier.errors import Refused
from croupier.house.acts import Acts
from croupier.house.backups import Backup, last_backup, make_backup
from croupier.house.books import Books
from croupier.house.build import Build
from croupier.house.cage import Cage
from croupier.house.catalogue import Catalogue
from croupier.house.closures import Closures
from croupier.house.config import Config
from croupier.house.everywhere import Everywhere
from croupier.house.keys import Keys, vouching_of
from croupier.house.lapses import close_lapsed
from croupier.house.leases import Leases
from croupier.house.log import log, log_crash
from croupier.house.open_tables import OpenTables
from croupier.house.recall import wrong_standings
from croupier.house.seats import SeatMinder
from croupier.house.signing import Checkpoints, Signing
from croupier.house.tasks import cancel
from croupier.ledger.acts import (
    BackupMade,
    DealingStopped,
    HouseAct,
    MeterStopped,
    TableOpened,
)
from croupier.ledger.audit import RulesOf
from croupier.ledger.store import Unavailable, View
from croupier.ledger.stores.marks import RESTORES
from croupier.ledger.verify import Verified, verify

T = TypeVar("T")

LOOK_S = 1.0
"""How often to look for acts of operators, and for seats whose players are gone."""
START_MS, START_S = 30_000, 0.05
"""How long a start goes on trying while the database of a shared house doesn't answer, and how
often."""
BUILD_S = 86_400.0
"""How often the files of the program are compared with the approved ones."""
ERA_CHARS = 8


class Pit:
    """The tables of a process, and all that goes on around them."""

    def __init__(
        self,
        config: Config,
        books: Books,
        rules_of: RulesOf,
        *,
        signing: Signing | None = None,
        nodes: int = 1,
        build: Build | None = None,
    ) -> None:
        self.config, self.books, self.rules_of = config, books, rules_of
        self.tenure = books.store.tenure
        self.catalogue = Catalogue(config, rules_of)
        self.configs = self.catalogue.configs
        self.closed, self.acts = Closures(self.configs), Acts(books)
        self.open = OpenTables(
            books, rules_of, configs=self.configs, closed=self.closed, acts=self.acts
        )
        self.tables, self.dealers = self.open.tables, self.open.dealers
        self.leases = Leases(books, self.open, closed=self.closed, acts=self.acts, nodes=nodes)
        self.everywhere = Everywhere(books, rules_of, configs=self.configs, here=self.tables)
        self.seats, self.posts = SeatMinder(self.tables, books.clocks), self.open.posts
        guest_cents = config.guest_chips_cents
        self.cage = Cage(books, self.open.rounds, rules_of, guest_cents=guest_cents)
        self.checkpoints = Checkpoints(books, signing) if signing else None
        self.acts.listeners += [self._hear, self.seats.hear, self.posts.hear]
        self._build = build
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self, *, deals: bool = True) -> None:
        """Open the tables of this process as their journals left them, and begin to deal."""
        self.open.deals = deals
        await self._patiently(self.books.start)
        self.books.era = await self._patiently(lambda: self.books.read(_era))
        await self._patiently(self.cage.start)
        await self._patiently(self._compare_build)
        self.books.on_moved = self.open.step_down
        if self.tenure.is_shared:
            tend = partial(self.leases.tend, self.checkpoints)
            await self._patiently(self.leases.meet)
            await self._patiently(tend)
            self._go_on("leases", self.leases.tend_on(self.checkpoints))
            self._go_on("watch", self.leases.watch())
        elif self.checkpoints:
            await self.checkpoints.start()
        await self.open.open_allowed()
        await self._patiently(self.acts.start)
        await self.open.open_allowed()
        await self._patiently(self._journal_build)
        self._go_on("acts", self._follow_acts())
        if self._build:
            self._go_on("build", self._check_build_on())
        if deals:
            self._go_on("seats", self._mind_on())

    async def stop(self) -> int:
        """Stop dealing; every open round is stored as it stands. Return how many are open."""
        await cancel(*self._tasks)
        self._tasks.clear()
        await self.open.stop()
        await self.books.idle()
        if self.checkpoints:
            await self.checkpoints.stop()
        return len([*self.open.rounds()])

    def _go_on(self, name: str, work: Coroutine[Any, Any, None]) -> None:
        """Do something in the background until the house closes."""
        self._tasks.append(asyncio.create_task(work, name=name))

    async def _patiently(self, do: Callable[[], Awaitable[T]]) -> T:
        """Do a part of the start; in a shared house, retry while the database doesn't answer.

        A node that was slow to start may have been declared dead meanwhile; it joins again.
        """
        until_ms = self.books.clocks.wait_ms() + START_MS
        while True:
            try:
                return await do()
            except Unavailable:
                if not self.tenure.is_shared or self.books.clocks.wait_ms() > until_ms:
                    raise
            await asyncio.sleep(START_S)

    def has(self, id: str) -> bool:
        """Whether a table is this process's to show: one that slept may have lost it meanwhile."""
        return id in self.tables and self.tenure.may_write(id)

    def plays_with(self, person: str) -> bool:
        """Whether a round is open at a table here where somebody has a post."""
        standings = (table.place.standing for table in self.tables.values())
        return any(one.in_play and one.table.crew.post_of(person) for one in standings)

    def verified(self, view: View) -> Verified:
        """Verify the ledger with the keys of this house."""
        books, wrong = self.books, partial(wrong_standings, rules_of=self.rules_of)
        if self.checkpoints is None:
            return verify(view, self.rules_of, standings=wrong)
        keys = Keys(books.key, self.checkpoints.signing.secret, books.older_keys)
        vouched = vouching_of(keys)
        return verify(view, self.rules_of, key=vouched.key, opens=vouched.opens, standings=wrong)

    # ------------------------------------------------------------ the build

    async def check_build(self) -> None:
        """Compare the files of this process with the approved ones, and journal the result."""
        await self._compare_build()
        await self._journal_build()
        for table in self.tables.values():
            self.open.note_open(table)

    async def _compare_build(self) -> None:
        if self._build:
            time_ms = self.books.clocks.wall_ms()
            self.closed.build = await self.books.read(partial(self._build.compare, time_ms=time_ms))

    async def _journal_build(self) -> None:
        if state := self.closed.build:
            node = self.tenure.name if self.tenure.is_shared else ""
            await self.acts.do(state.checked(node))
            log("build_checked", digest=state.digest, says=state.says)

    async def _check_build_on(self) -> None:
        """Compare the files every day."""
        while True:
            await asyncio.sleep(BUILD_S)
            try:
                await self.check_build()
            except Exception as error:
                log_crash(error, missing="build")

    # ------------------------------------------------------------ acts of operators

    async def _follow_acts(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                await self.acts.look()
            except Unavailable:
                pass
            except Exception as error:
                log_crash(error, missing="acts")

    def _hear(self, act: HouseAct) -> None:
        """Do what an act of an operator asks of tables."""
        match act:
            case MeterStopped(meter, out):
                (self.books.out.add if out else self.books.out.discard)(meter)
                for table in self.tables.values():
                    table.look_again()
            case DealingStopped(id, stopped, because=because):
                self.closed.stopped.pop(id, None)
                if stopped:
                    self.closed.stopped[id] = because
                if id in self.tables:
                    self.open.note_open(self.tables[id])
            case TableOpened(id, text):
                self.catalogue.add(id, text)
            case _:
                pass

    async def back_up(self, *, by: str) -> Backup:
        """Make a backup of the ledger for an operator, and journal it."""
        if self.checkpoints is None:
            raise Refused("no_folder", "this house has no folder to keep backups in")
        folder, time_ms = self.checkpoints.signing.file.parent, self.books.clocks.wall_ms()
        make = partial(make_backup, keep=self.config.backups)
        made = await self.books.away(make, self.books.store, folder, time_ms)
        await self.acts.do(BackupMade(made.file, by))
        return made

    async def last_backup(self) -> Backup | None:
        """Return the last backup that was made from here."""
        if self.checkpoints is None:
            return None
        return await self.books.away(last_backup, self.checkpoints.signing.file.parent)

    async def take_new(self) -> None:
        """Take up tables that were opened just now; with several processes, anyone may."""
        await self.acts.look()
        await self.open.open_allowed()

    # ------------------------------------------------------------ what time brings

    async def _mind_on(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            await self.mind()
            await close_lapsed(self.tables, self.books.clocks)

    async def mind(self) -> None:
        """Free the seats and end the posts of those who may not have them any longer."""
        await self.seats.free_all()
        await self.posts.end_all()


def _era(view: View) -> str:
    """Return what sets rounds apart from those that a forced restore has lost."""
    restored = view.heads().get(RESTORES)
    return restored.hash.hex()[:ERA_CHARS] if restored else ""
