"""The pit: all tables of a process with their dealers, from opening to closing."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Collection, Iterable, Iterator, Mapping
from functools import partial
from typing import TypeVar

from croupier.errors import CroupierError, Refused
from croupier.fairness.seal import MissingKey
from croupier.house.acts import Acts
from croupier.house.automatic import AutomaticDealer
from croupier.house.backups import Backup, last_backup, make_backup
from croupier.house.books import Books, Purses
from croupier.house.build import Build, BuildState
from croupier.house.cage import Cage
from croupier.house.config import Config, TableConfig, parse_config
from croupier.house.floors import Floors
from croupier.house.keys import Keys, vouching_of
from croupier.house.log import log, log_crash
from croupier.house.posts import PostMinder
from croupier.house.recall import forgotten, recall, wrong_standings
from croupier.house.seats import SeatMinder
from croupier.house.signing import Checkpoints, Signing
from croupier.house.standing import Act
from croupier.house.table import Table, Unreadable
from croupier.ledger.accounts import Account, account
from croupier.ledger.acts import (
    BackupMade,
    DealingStopped,
    HouseAct,
    MeterStopped,
    TableOpened,
)
from croupier.ledger.audit import RulesOf
from croupier.ledger.journal import Head
from croupier.ledger.store import Unavailable, View
from croupier.ledger.stores.marks import RESTORES
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
from croupier.ledger.verify import Verified, verify
from croupier.round.state import Round
from croupier.table.commands import Lapse
from croupier.table.proposals import has_lapsed
from croupier.table.state import Table as TableState

T = TypeVar("T")

WATCH_S = 0.5
"""How often to look whether this process may still show its tables."""
LOOK_S = 1.0
"""How often to look for seats whose players are gone, and for tables that nobody has."""
MEET_MS, MEET_S = 10_000, 0.05
START_MS = 30_000
"""How long a start goes on trying while the database of a shared house doesn't answer."""
DRAIN_MS = 20_000
"""How long to wait for rounds to end before tables are handed over as they stand."""
BROKEN_MS = 60_000
"""How often to try tables again that could not be opened."""
BUILD_S = 86_400.0
"""How often the files of the program are compared with the approved ones."""
CANNOT_OPEN = "this table could not be opened; the log says why (crash)"
ERA_CHARS = 8
TABLES_MAX = 500
"""How many tables operators may have a house open: each is kept for good."""


class Pit:
    """The tables of a process."""

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
        self.register: Roster = EMPTY
        """Which process has which table, as of the last look."""
        self.tables: dict[str, Table] = {}
        self.dealers: dict[str, AutomaticDealer] = {}
        self.seats = SeatMinder(self.tables, books.clocks)
        self.posts = PostMinder(self.tables)
        guest_cents = config.guest_chips_cents
        self.cage = Cage(books, self.rounds, rules_of, guest_cents=guest_cents)
        self.checkpoints = Checkpoints(books, signing) if signing else None
        self.on_open: Callable[[Table], None] = lambda _: None
        self.on_close: Callable[[Table], None] = lambda _: None
        """Called when a table is taken up, and when another process has it."""
        self.configs = {table.id: table for table in config.tables}
        """All tables of the house, also those that other processes have."""
        self.build = build
        self.build_state: BuildState | None = None
        """What the last comparison with the approved build found."""
        self._nodes = nodes
        self._free_since: dict[str, int] = {}
        self._elsewhere: dict[str, TableState] = {}
        """How the tables of other processes stood at the last look."""
        self._stopped: dict[str, str] = {}
        """Why dealing was stopped, by table, also at those that other processes have."""
        self._locked: dict[str, str] = {}
        """The tables whose open round is sealed with a key that this process doesn't have."""
        self._broken: dict[str, str] = {}
        """Why tables could not be opened here."""
        self._mended_ms = 0
        """When they were last given another try."""
        self._given_up: dict[str, str] = {}
        """Who gave up the open round of a table, because its key is lost."""
        self.floors = Floors(books, self.configs)
        self.acts = Acts(books)
        self.acts.listeners += [self._hear, self.seats.hear, self.posts.hear]
        self._tasks: list[asyncio.Task[None]] = []
        self._dealing: dict[str, asyncio.Task[None]] = {}
        self._signing: asyncio.Task[None] | None = None
        self._witnessed: dict[str, Head] = {}
        """The last events of tables that were acknowledged here and may be lost since."""
        self._returns = 0
        """How often the database had come back when that was looked at."""
        self._deals = self._drains = False
        self._again = asyncio.Event()
        """Set when tables may have become free."""

    async def start(self, *, deals: bool = True) -> None:
        """Open the tables of this process as their journals left them, and begin to deal."""
        self._deals = deals
        await self._patiently(self.books.start)
        self.books.era = await self._patiently(lambda: self.books.read(_era))
        await self._patiently(self.cage.start)
        await self._compare_build()
        self.books.on_moved = self._step_down
        if self.tenure.is_shared:
            self.tenure.on_release = partial(_set_in, asyncio.get_running_loop(), self._again)
            await self._patiently(self._meet)
            await self._patiently(self._tend)
            self._tasks.append(asyncio.create_task(self._tend_on(), name="leases"))
            self._tasks.append(asyncio.create_task(self._watch(), name="watch"))
        else:
            await self._take([*self._allowed(), CHECKPOINT])
        await self._patiently(self.acts.start)
        if not self.tenure.is_shared:
            await self._take(self._allowed())
        await self._patiently(self._journal_build)
        self._tasks.append(asyncio.create_task(self._follow_acts(), name="acts"))
        if self.build:
            self._tasks.append(asyncio.create_task(self._check_build_on(), name="build"))
        if deals:
            self._tasks.append(asyncio.create_task(self._mind_seats(), name="seats"))

    async def stop(self) -> int:
        """Stop dealing; every open round is stored as it stands. Return how many are open."""
        signing = [self._signing] if self._signing else []
        tasks = [*self._tasks, *self._dealing.values(), *signing]
        for task in tasks:
            task.cancel()
        for task in tasks:
            with contextlib.suppress(asyncio.CancelledError):
                await task
        self._tasks.clear()
        self._dealing.clear()
        await self.books.idle()
        if self.checkpoints and signing:
            await self.checkpoints.stop()
        return len([*self.rounds()])

    # ------------------------------------------------------------ which tables

    async def _patiently(self, do: Callable[[], Awaitable[T]]) -> T:
        """Do a part of the start; in a shared house, again if the database doesn't answer just now.

        A node that was slow to start may have been declared dead meanwhile, and comes back.
        """
        until_ms = self.books.clocks.wait_ms() + START_MS
        while True:
            try:
                return await do()
            except Unavailable:
                if not self.tenure.is_shared or self.books.clocks.wait_ms() > until_ms:
                    raise
            await asyncio.sleep(MEET_S)

    async def _meet(self) -> None:
        """Wait for the other processes that are starting, so that tables need not move at once."""
        until_ms = self.books.clocks.wait_ms() + MEET_MS
        while self.books.clocks.wait_ms() < until_ms:
            self.register = await self.books.away(self.tenure.register)
            if len(self.register.nodes) >= self._nodes:
                return
            await asyncio.sleep(MEET_S)

    async def _tend_on(self) -> None:
        """Look after the leases until cancelled."""
        purses = Purses(self.books, self._players)
        while True:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_S):
                    await self._again.wait()
            self._again.clear()
            try:
                await self._tend()
                self.books.ring(purses)
            except Unavailable:
                pass  # Nobody can take anything over without the database either.
            except Exception as error:
                log_crash(error, missing="leases")

    async def _watch(self) -> None:
        """Close all tables once others may take them over, without asking the database."""
        while True:
            await asyncio.sleep(WATCH_S)
            if self.tenure.has_expired():
                for id in [*self.tables]:
                    self._step_down(id)

    async def _tend(self) -> None:
        """Close tables that are another's by now, hand over those of others, take up our own."""
        me, owned = self.tenure.name, self.tenure.owned
        self.register = await self.books.away(self.tenure.register)
        for stream in to_lose(self.register, me, owned):
            self.tenure.lose(stream, owned[stream])
        if self._returns != self.tenure.returns:
            self._returns = self.tenure.returns
            self._witnessed |= {id: table.place.scribe.head for id, table in self.tables.items()}
        for id in [id for id in self.tables if id not in self.tenure.owned]:
            self._step_down(id)
        if self._signing and CHECKPOINT not in self.tenure.owned:
            self._signing.cancel()
            self._signing = None
        await self._testify()
        me, now_ms = self.tenure.name, self.books.clocks.wait_ms()
        if now_ms - self._mended_ms >= BROKEN_MS:
            self._mended_ms = now_ms
            self._broken.clear()
        back = to_take_back(self.register, me, self.tenure.owned)
        away = to_hand_over(self.register, me, self.tables)
        await self.release([id for id in away if _is_idle(self.tables[id])])
        streams = [*self._allowed(), CHECKPOINT]
        free = [stream for stream in streams if is_free(self.register, stream)]
        self._free_since = {s: self._free_since.get(s, now_ms) for s in free}
        patient_ms = now_ms - PATIENCE_MS
        waited = {s for s, since in self._free_since.items() if since <= patient_ms}
        mine = [*to_claim(self.register, me, streams, waited=waited), *back]
        wanted = [] if self._drains else [stream for stream in mine if stream in streams]
        if wanted:
            await self.books.away(self.tenure.claim, wanted)
        await self._take([stream for stream in streams if stream in self.tenure.owned])

    async def _testify(self) -> None:
        """Close the tables of which the ledger lacks an event that was acknowledged here.

        The database of after a failover may lack the last commits, and nobody else knows of them.
        """
        for id, head in [*self._witnessed.items()]:
            because = await self.books.read(partial(forgotten, stream=id, head=head))
            if because:
                log("events_lost", table=id, because=because)
                await self.acts.do(DealingStopped(id, stopped=True, by="", because=because))
            if self._witnessed.get(id) == head:
                del self._witnessed[id]

    async def _take(self, streams: list[str]) -> None:
        """Begin to do what this process has the leases for, and doesn't do yet."""
        if CHECKPOINT in streams and self._signing is None and self.checkpoints:
            await self.checkpoints.start()
            self._signing = asyncio.create_task(self.checkpoints.run(), name="checkpoints")
        for stream in streams:
            if stream in self.configs and stream not in self.tables:
                await self._try_to_open(self.configs[stream])

    async def _try_to_open(self, config: TableConfig) -> None:
        """Take a table up; one that can't be keeps none of the others closed."""
        try:
            await self._open(config)
        except Unavailable:
            raise
        except Exception as error:
            log_crash(error, table=config.id)
            self._step_down(config.id)
            self._broken[config.id] = CANNOT_OPEN
            if self.tenure.is_shared:
                await self.books.away(self.tenure.release, [config.id])

    async def _open(self, config: TableConfig) -> None:
        """Take a table up where its journal left it."""
        found = partial(recall, stream=config.id, rules_of=self.rules_of)
        recalled, reopen = await self.books.read(found), partial(self._reopen, config.id)
        table = Table(
            config,
            self.books,
            recalled,
            taking_floor=self.floors.taking,
            has_lost=self.posts.has_lost,
            on_unreadable=reopen,
        )
        number = table.number
        if self.tenure.is_shared:
            await self.books.hear_of(self._accounts(table))
        dealer = None if "dealer" in config.rules.things else AutomaticDealer(table)
        if self.tenure.is_shared:
            table.on_forgotten = lambda _: self._step_down(config.id)
        if not await self._start(table):
            return
        if "dealer" in config.rules.things:
            await self.floors.open(table)
        if not self.tenure.may_write(table.id):
            return  # It was lost meanwhile; whoever has it opens it.
        self._note_open(table)
        self.tables[table.id] = table
        if dealer is not None:
            self.dealers[table.id] = dealer
            if self._deals:
                dealing = asyncio.create_task(dealer.run(), name=f"table {table.id}")
                self._dealing[table.id] = dealing
        if self.tenure.is_shared:
            epoch = self.tenure.owned.get(table.id, 0)
            whose = {"table": table.id, "node": self.tenure.name, "epoch": epoch}
            log("table_opened", **whose, number=number)
        self.on_open(table)

    async def _start(self, table: Table) -> bool:
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
        self._locked[id] = because
        if self.tenure.is_shared:
            await self.books.away(self.tenure.release, [id])

    async def _call_off(self, table: Table, because: str) -> None:
        """Close a table and tell the operator, and call its round off (T6)."""
        by = self._given_up.pop(table.id, "")
        log("deck_unreadable", table=table.id, because=because, by=by)
        self._stopped[table.id] = because
        await self.acts.store(DealingStopped(table.id, stopped=True, by=by, because=because))
        await table.call_off()

    def is_locked(self, id: str) -> bool:
        """Whether a table waits for a key that this process doesn't have."""
        return id in self._locked

    async def give_up(self, id: str, *, by: str) -> None:
        """Call off a round whose key is lost, for an operator."""
        if id not in self._locked:
            raise Refused("no_round", "no round of this table waits for a missing key", field="id")
        self._given_up[id] = by
        del self._locked[id]
        if not self.tenure.is_shared:
            await self._take([id])

    def _reopen(self, id: str) -> None:
        """Try again to open a table whose deck couldn't be opened; any process may."""
        self._step_down(id)
        if not self.tenure.is_shared:
            self._tasks.append(asyncio.create_task(self._take([id]), name=f"reopen {id}"))

    async def look_elsewhere(self) -> None:
        """Read how the tables stand that other processes have."""
        others = [id for id in self.configs if id not in self.tables]
        self._elsewhere = await self.books.read(partial(_tables, ids=others, of=self.rules_of))

    async def states(self) -> dict[str, TableState]:
        """Return how all tables of the house stand."""
        if self.tenure.is_shared:
            await self.look_elsewhere()
        here = {id: table.place.standing.table for id, table in self.tables.items()}
        return {**self._elsewhere, **here}

    async def seated_at(self, id: str) -> frozenset[str]:
        """Return who sits at a table, whichever process has it."""
        if id not in self.tables:
            await self.look_elsewhere()
        table = self.tables.get(id)
        known = table.place.standing.table if table else self._elsewhere.get(id)
        return frozenset(known.seats.values()) if known else frozenset()

    def _accounts(self, table: Table) -> list[Account]:
        """Return the accounts that a table shows: its players' and its meters'."""
        players = table.place.standing.table.seats.values()
        meters = (table.config.meter(id) for id in table.config.rules.meters)
        return [*(account("player", p) for p in players), *(account("meter", m) for m in meters)]

    def _players(self) -> set[Account]:
        """Return the accounts that the tables of this process show."""
        seen = {one for table in self.tables.values() for one in self._accounts(table)}
        present = {p for table in self.tables.values() for p in table.notes.company.present}
        return seen | {account("player", player) for player in present}

    def _step_down(self, id: str) -> None:
        """Close a table that another process has taken over."""
        table = self.tables.pop(id, None)
        if table is None:
            return
        log("table_moved", table=id, node=self.tenure.name)
        if self.tenure.is_shared:
            self._witnessed[id] = table.place.scribe.head
        self.dealers.pop(id, None)
        if dealing := self._dealing.pop(id, None):
            dealing.cancel()
        self.on_close(table)
        table.step_down()

    async def release(self, ids: Collection[str]) -> None:
        """Let other processes have tables of ours, as they stand."""
        if not ids:
            return
        for id in ids:
            self._step_down(id)
        # This waits for appends in progress, which hold the lease; none can begin any more.
        await self.books.away(self.tenure.release, ids)

    @property
    def is_alone(self) -> bool:
        """Whether no other process serves this house."""
        return not self.tenure.is_shared or len(self.register.nodes) < 2

    async def drain(self) -> None:
        """Hand every table over at the end of its round, or as it stands if that takes long."""
        if self.is_alone:
            return
        self._drains = True
        await self.books.away(self.tenure.drain)
        until_ms = self.books.clocks.wait_ms() + DRAIN_MS
        while self.tables:
            late = self.books.clocks.wait_ms() >= until_ms
            await self.release([i for i, t in self.tables.items() if late or _is_idle(t)])
            await asyncio.sleep(MEET_S)

    def has(self, id: str) -> bool:
        """Whether a table is this process's to show: one that slept may have lost it meanwhile."""
        return id in self.tables and self.tenure.may_write(id)

    @property
    def stopped(self) -> Mapping[str, str]:
        """Why dealing was stopped, by table; an operator need not say."""
        return self._stopped

    def rounds(self) -> Iterator[Round]:
        """Yield the rounds that are in play."""
        for table in self.tables.values():
            if round := table.place.standing.in_play:
                yield round

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
            self._note_open(table)  # A round in play is finished.

    async def _compare_build(self) -> None:
        if self.build:
            time_ms = self.books.clocks.wall_ms()
            self.build_state = await self.books.read(partial(self.build.compare, time_ms=time_ms))

    async def _journal_build(self) -> None:
        if state := self.build_state:
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

    def closed_because(self, id: str) -> str | None:
        """Say why a table can't be opened here: a missing key, the build, a fault; or None."""
        if id in self._broken:
            return self._broken[id]
        if id in self._locked:
            return self._locked[id]
        if self.build_state is None or id not in self.configs:
            return None
        return self.build_state.closes(self.configs[id].rules.rulebook)

    def check_approved(self, id: str) -> None:
        """Refuse a table that can't be opened here."""
        if id in self._broken:
            raise Refused("unavailable", self._broken[id], field="table")
        reason = self.closed_because(id)
        if reason and id in self._locked:
            raise Refused("no_deck", reason, field="table")
        if reason:
            raise Refused("unapproved", reason, field="table")

    def _allowed(self) -> list[str]:
        """Return the tables that the keys and the build of this process let it open."""
        return [id for id in self.configs if not self.closed_because(id)]

    def _note_open(self, table: Table) -> None:
        """Let a table deal on, or not; the dealer is told why."""
        closed = self.closed_because(table.id)
        is_dealt = table.id not in self._stopped and not closed
        table.note_open(open=is_dealt, because=closed or self._stopped.get(table.id, ""))

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
                self._stopped.pop(id, None)
                if stopped:
                    self._stopped[id] = because
                if id in self.tables:
                    self._note_open(self.tables[id])
            case TableOpened(id, text):
                self._add_table(id, text)
            case _:
                pass

    def _add_table(self, id: str, text: str) -> None:
        """Add a table that an operator opened; the tables file goes before it."""
        if id in self.configs:
            return
        try:
            (config,) = parse_config(text, self.rules_of).tables
        except (CroupierError, ValueError) as error:
            # The books here may be others than those it was checked against.
            log("table_refused", table=id, because=str(error))
            return
        self.configs[id] = self.config.of_house(config)

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

    def new_table(self, text: str) -> TableConfig:
        """Return a new table as the tables file would have it, or refuse it."""
        found = parse_config(text, self.rules_of).tables
        if len(found) != 1:
            raise Refused("bad_fact", "describe one table", field="table")
        (config,) = found
        if len(self.configs) >= TABLES_MAX:
            raise Refused("quota", f"a house has at most {TABLES_MAX} tables", field="table")
        if config.id in self.configs:
            message = f"there is a table {config.id} already"
            raise Refused("table_taken", message, field="table")
        return config

    async def take_new(self) -> None:
        """Take up tables that were opened just now; with several processes, anyone may."""
        await self.acts.look()
        if not self.tenure.is_shared:
            await self._take(self._allowed())

    # ------------------------------------------------------------ what time brings

    async def _mind_seats(self) -> None:
        while True:
            await asyncio.sleep(LOOK_S)
            await self.mind()
            await self.lapse()

    async def mind(self) -> None:
        """Free the seats and end the posts of those who may not have them any longer."""
        await self.seats.free_all()
        await self.posts.end_all()

    async def lapse(self) -> None:
        """Close the proposals that weren't answered in time."""
        for table in list(self.tables.values()):
            time = self.books.clocks.time()
            for one in table.place.standing.table.proposals:
                if has_lapsed(one, time):
                    try:
                        await table.act(partial(Act.at_table, command=Lapse(one.id, time)))
                    except Refused:
                        pass  # Somebody answered it meanwhile.
                    except Exception as error:
                        log_crash(error, table=table.id)


def _set_in(loop: asyncio.AbstractEventLoop, event: asyncio.Event) -> None:
    """Set an event of a loop from another thread."""
    with contextlib.suppress(RuntimeError):  # The loop has just ended.
        loop.call_soon_threadsafe(event.set)


def _is_idle(table: Table) -> bool:
    """Whether no one at a table has money in a round."""
    round = table.place.standing.in_play
    return round is None or not any(box.stakes for box in round.boxes.values())


def _tables(view: View, ids: Iterable[str], of: RulesOf) -> dict[str, TableState]:
    """Return how tables stand, by their journals."""
    found = {id: recall(view, id, of).standing for id in ids}
    return {id: standing.table for id, standing in found.items() if standing}


def _era(view: View) -> str:
    """Return what sets rounds apart from those that a forced restore has lost."""
    restored = view.heads().get(RESTORES)
    return restored.hash.hex()[:ERA_CHARS] if restored else ""
