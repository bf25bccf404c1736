"""The tables that this process has open: taken up, restored, let go, each with its dealer."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import partial

from croupier.errors import Refused
from croupier.fairness.seal import MissingKey
from croupier.house.acts import Acts
from croupier.house.automatic import AutomaticDealer
from croupier.house.books import Books
from croupier.house.closures import Closures
from croupier.house.config import TableConfig
from croupier.house.floors import Floors
from croupier.house.log import log, log_crash
from croupier.house.posts import PostMinder
from croupier.house.recall import recall
from croupier.house.table import Table, Unreadable
from croupier.house.tasks import Tasks, cancel
from croupier.ledger.accounts import Account, account
from croupier.ledger.acts import DealingStopped
from croupier.ledger.audit import RulesOf
from croupier.ledger.journal import Head
from croupier.ledger.store import Unavailable
from croupier.round.state import Round


class OpenTables:
    """The open tables by id, and their dealers."""

    def __init__(
        self,
        books: Books,
        rules_of: RulesOf,
        *,
        configs: Mapping[str, TableConfig],
        closed: Closures,
        acts: Acts,
    ) -> None:
        self._books, self._rules_of, self._acts = books, rules_of, acts
        self._configs, self._closed = configs, closed
        self._tenure = books.store.tenure
        self.tables: dict[str, Table] = {}
        self.dealers: dict[str, AutomaticDealer] = {}
        self.posts = PostMinder(self.tables)
        self._floors = Floors(books, configs)
        self.deals = False
        """Whether automatic dealers begin to deal when their tables are opened."""
        self.on_open: list[Callable[[Table], None]] = []
        self.on_close: list[Callable[[Table], None]] = []
        """Called when a table is taken up, and when another process has it."""
        self.heads_left: dict[str, Head] = {}
        """The last events of tables that this process gave up, or had when the database was gone:
        they were acknowledged here, and may be lost since."""
        self._given_up: dict[str, str] = {}
        """Who gave up the open round of a table, because its key is lost."""
        self._dealing: dict[str, asyncio.Task[None]] = {}
        self._reopening = Tasks()

    async def open_all(self, ids: Iterable[str]) -> None:
        """Take up the tables that aren't open yet."""
        for id in ids:
            if id not in self.tables:
                await self._try_to_open(self._configs[id])

    async def open_allowed(self) -> None:
        """Take up whatever the keys and the build allow; with several processes, leases decide."""
        if not self._tenure.is_shared:
            await self.open_all(self._closed.openable())

    async def stop(self) -> None:
        """Stop dealing."""
        await cancel(*self._dealing.values(), *self._reopening.running)
        self._dealing.clear()

    async def _try_to_open(self, config: TableConfig) -> None:
        """Take a table up; if that fails, the others open all the same."""
        try:
            await self._open(config)
        except Unavailable:
            raise
        except Exception as error:
            log_crash(error, table=config.id)
            self.step_down(config.id)
            self._closed.broken.add(config.id)
            if self._tenure.is_shared:
                await self._books.away(self._tenure.release, [config.id])

    async def _open(self, config: TableConfig) -> None:
        """Take a table up where its journal left it."""
        found = partial(recall, stream=config.id, rules_of=self._rules_of)
        table = Table(
            config,
            self._books,
            await self._books.read(found),
            taking_floor=self._floors.taking,
            has_lost=self.posts.has_lost,
            on_unreadable=partial(self._reopen, config.id),
        )
        number, has_dealer = table.number, "dealer" in config.rules.things
        if self._tenure.is_shared:
            await self._books.hear_of(_accounts(table))
            table.on_forgotten = lambda _: self.step_down(config.id)
        dealer = None if has_dealer else AutomaticDealer(table)
        if not await self._restore(table):
            return
        if has_dealer:
            await self._floors.open(table)
        if not self._tenure.may_write(table.id):
            return  # It was lost meanwhile; the process that has it opens it.
        self.note_open(table)
        self.tables[table.id] = table
        if dealer is not None:
            self.dealers[table.id] = dealer
            if self.deals:
                dealing = asyncio.create_task(dealer.run(), name=f"table {table.id}")
                self._dealing[table.id] = dealing
        if self._tenure.is_shared:
            epoch = self._tenure.owned.get(table.id, 0)
            whose = {"table": table.id, "node": self._tenure.name, "epoch": epoch}
            log("table_opened", **whose, number=number)
        for hear in self.on_open:
            hear(table)

    async def _restore(self, table: Table) -> bool:
        """Restore a table to where it stood; return whether this process can continue it.

        A round whose key is missing waits for the key, or until an operator gives it up. A round
        whose deck is damaged can't be finished by anybody: it is called off (T6). In both cases the
        table closes, and stays closed until an operator opens it.
        """
        try:
            await table.start()
        except MissingKey as error:
            if table.id not in self._given_up:
                await self._lock_up(table.id, f"the deck of its round {error.message}")
                return False
            await self._call_off(table, f"the deck of its round {error.message}")
        except Unreadable as error:
            await self._call_off(table, f"the deck of its round can't be read: {error}")
        return True

    async def _lock_up(self, id: str, because: str) -> None:
        """Leave a table to a process that has its key, and tell the operator."""
        log("deck_locked", table=id, because=because)
        self._closed.locked[id] = because
        if self._tenure.is_shared:
            await self._books.away(self._tenure.release, [id])

    async def _call_off(self, table: Table, because: str) -> None:
        """Close a table and tell the operator, and call its round off (T6)."""
        by = self._given_up.pop(table.id, "")
        log("deck_unreadable", table=table.id, because=because, by=by)
        self._closed.stopped[table.id] = because
        await self._acts.store(DealingStopped(table.id, stopped=True, by=by, because=because))
        await table.call_off()

    async def give_up(self, id: str, *, by: str) -> None:
        """Call off a round whose key is lost, for an operator."""
        if id not in self._closed.locked:
            raise Refused("no_round", "no round of this table waits for a missing key", field="id")
        self._given_up[id] = by
        del self._closed.locked[id]
        if not self._tenure.is_shared:
            await self.open_all([id])

    def _reopen(self, id: str) -> None:
        """Try again to open a table whose deck couldn't be opened; any process may."""
        self.step_down(id)
        if not self._tenure.is_shared:
            self._reopening.begin(self.open_all([id]), name=f"reopen {id}")

    def step_down(self, id: str) -> None:
        """Close a table that another process has taken over."""
        table = self.tables.pop(id, None)
        if table is None:
            return
        log("table_moved", table=id, node=self._tenure.name)
        if self._tenure.is_shared:
            self.heads_left[id] = table.place.scribe.head
        self.dealers.pop(id, None)
        if dealing := self._dealing.pop(id, None):
            dealing.cancel()
        for hear in self.on_close:
            hear(table)
        table.step_down()

    async def release(self, ids: Collection[str]) -> None:
        """Release tables of this process to others, as they stand."""
        if not ids:
            return
        for id in ids:
            self.step_down(id)
        # This waits for appends in progress, which hold the lease; none can begin any more.
        await self._books.away(self._tenure.release, ids)

    def note_open(self, table: Table) -> None:
        """Let a table go on dealing, or stop it and say why. A round in play is finished."""
        closed, stopped = self._closed.because(table.id), self._closed.stopped
        is_dealt = table.id not in stopped and not closed
        table.note_open(open=is_dealt, because=closed or stopped.get(table.id, ""))

    def rounds(self) -> Iterator[Round]:
        """Yield the rounds that are in play."""
        for table in self.tables.values():
            if round := table.place.standing.in_play:
                yield round

    def accounts(self) -> set[Account]:
        """Return the accounts that these tables show."""
        seen = {one for table in self.tables.values() for one in _accounts(table)}
        present = {p for table in self.tables.values() for p in table.notes.company.present}
        return seen | {account("player", player) for player in present}


def _accounts(table: Table) -> list[Account]:
    """Return the accounts that a table shows: its players' and its meters'."""
    players = table.place.standing.table.seats.values()
    meters = (table.config.meter(id) for id in table.config.rules.meters)
    return [*(account("player", p) for p in players), *(account("meter", m) for m in meters)]
