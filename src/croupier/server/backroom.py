"""What all tables of a server share: the store, clocks, chance, and what purses and meters hold.

Whatever a command comes to is stored here before anybody hears of it.
"""

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, repeat
from typing import TypeVar

from croupier.errors import Refused
from croupier.ledger.accounts import Account, account, kind_of
from croupier.ledger.entries import Entry
from croupier.ledger.store import NOT_ENOUGH, Lost, Request, Result, View
from croupier.ledger.stores.protocol import Store
from croupier.money import shown_cents
from croupier.server.dealer import Chance
from croupier.server.log import log, log_crash
from croupier.server.outbox import Mail, Viewer
from croupier.table.commands import Time

THREADS = 8
"""So many wait for the disk at once: one who writes, and readers."""
TOGETHER_S = 0.001
"""While many ask, a commit begins so long after the last one, with all that came until then."""
QUICK_S = 0.005
"""A disk that takes longer is slow; a quick one needs a tenth of it."""
BUSY_S = 0.001
"""Whoever else writes, a sign-in or a checkpoint, is looked for so often until it is done."""
T = TypeVar("T")
Due = Callable[[], list[Request]]
"""Says what is to be stored, when its turn has come."""
Then = Callable[[list[Result] | Exception], None]
"""Called with what came of it, or with why nothing was to be stored."""


def _up_s() -> float:
    """Seconds since the machine was started, those included in which it slept."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


@dataclass(frozen=True)
class Clocks:
    """Three clocks: the wall's, one that counts while the machine runs, and one for waits."""

    wall_s: Callable[[], float] = time.time
    up_s: Callable[[], float] = _up_s
    wait_s: Callable[[], float] = time.monotonic

    def time(self) -> Time:
        return Time(int(self.wall_s()), int(self.up_s()))

    def wall_ms(self) -> int:
        return int(self.wall_s() * 1000)

    def wait_ms(self) -> int:
        return int(self.wait_s() * 1000)


@dataclass
class Backroom:
    """The store and what is known of it."""

    store: Store
    key: bytes = field(repr=False)
    clocks: Clocks = field(default_factory=Clocks)
    entropy: Callable[[int], bytes] = os.urandom
    names: dict[str, str] = field(default_factory=dict)
    """What players are called, by their ids."""
    out: set[str] = field(default_factory=set)
    """Meters that cannot be reached: nothing is wagered on them meanwhile."""
    on_purse: Callable[[str], None] = lambda _: None
    """Called with a player whose purse has changed."""
    answers: Mail = field(default_factory=Mail)
    stored: int = 0
    """Events that were stored since the start."""
    era: str = ""
    """Part of every round's id after a forced restore: those that were lost had the others."""
    lost: Lost | None = None
    """Why nothing can be stored any more."""
    on_lost: Callable[[], None] = lambda: None

    def __post_init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, "store")
        self._holds: dict[Account, int] = {}
        self.pending: set[Account] = set()
        """Awards that a floorperson has still to validate."""
        self.viewers: dict[str, set[Viewer]] = {}
        """The sockets of each player, at whatever tables."""
        self._waiting: list[tuple[Due, Then]] = []
        self._writing: asyncio.Task[None] | None = None
        self._stored_s, self._crowded = 0.0, False
        self.commits = 0, 0.0
        """How many there were, and how many seconds they took."""
        self._is_quick = False
        """Whether the last commit took no longer than a quick disk does."""

    @property
    def chance(self) -> Chance:
        return Chance(self.entropy, self.key)

    async def start(self) -> None:
        """Learn what purses and meters hold."""
        self._holds = await self.read(lambda view: view.balances())
        self.pending = {a for a, held in self._holds.items() if held and kind_of(a) == "pending"}

    async def read(self, look: Callable[[View], T]) -> T:
        """Look at the ledger, away from the loop."""
        return await self.away(lambda: self.looked(look))

    def looked(self, look: Callable[[View], T]) -> T:
        """Look at the ledger as it stands now; it may take a while."""
        with self.store.reading() as view:
            return look(view)

    def settle(self, due: Due, then: Then) -> None:
        """Store what commands come to, each once; they are decided when it is their turn."""
        self._waiting.append((due, then))
        if self._writing is None:
            self._writing = asyncio.create_task(self._write())

    async def settled(self, due: Due) -> list[Result]:
        """Store what commands come to, and wait for it."""
        results: asyncio.Future[list[Result]] = asyncio.get_running_loop().create_future()
        self.settle(due, partial(hand_over, results))
        return await results

    async def _write(self) -> None:
        """Store whatever waits, until nothing does; those who come in quick succession together."""
        while self._waiting:
            if self._crowded:
                await asyncio.sleep(self._stored_s + TOGETHER_S - time.monotonic())
            together, self._waiting = self._waiting, []
            self._crowded = len(together) > 1
            decided = _decided(together)
            results = await self._stored([one for requests, _ in decided for one in requests])
            self._stored_s = time.monotonic()
            for requests, then in decided:
                call(then, list(islice(results, len(requests))))
        self._writing = None

    async def _stored(self, requests: list[Request]) -> Iterator[Result]:
        if self.lost is not None:
            return repeat(self.lost)
        try:
            # Statements are run here: in a thread they would wait for this one at every step.
            while (finish := self.store.begin_all(requests)) is None:
                await asyncio.sleep(BUSY_S)
            results = await self.commit(finish)
        except Exception as error:
            return repeat(error)
        for result in results:
            if isinstance(result, Lost):
                self.lose(result)
        return iter(results)

    async def commit(self, finish: Callable[[], T]) -> T:
        """Do what ends with a commit: where the disk is quick at once, otherwise in a thread.

        To hand a commit to a thread and back takes half as long as a quick disk does, and whatever
        else could be done meanwhile holds the thread up on its way back. A disk that was slow once
        is not waited for here until it is quick again.
        """

        def timed() -> T:
            began_s = time.monotonic()
            try:
                return finish()
            except Lost as lost:
                self.lose(lost)
                raise
            finally:
                took_s = time.monotonic() - began_s
                self._is_quick = self.store.is_local and took_s < QUICK_S
                self.commits = self.commits[0] + 1, self.commits[1] + took_s

        return timed() if self._is_quick else await self.away(timed)

    async def away(self, work: Callable[[], T]) -> T:
        """Do something that waits for the disk, away from the loop."""
        # Whoever waits may be cancelled; what was begun is finished all the same.
        begun = asyncio.get_running_loop().run_in_executor(self._threads, work)
        try:
            return await asyncio.shield(begun)
        except Lost as lost:
            self.lose(lost)
            raise

    def lose(self, lost: Lost) -> None:
        """Store nothing from now on: the ledger is gone, or another server's."""
        if self.lost is None:
            self.lost = lost
            log("ledger_lost", because=str(lost))
            self.on_lost()

    def posted(self, entries: Iterable[Entry]) -> None:
        """Take note of entries that were stored."""
        holds, moved = self._holds, set[Account]()
        for _, debit, credit, micros, _ in entries:
            holds[debit] = holds.get(debit, 0) - micros
            holds[credit] = holds.get(credit, 0) + micros
            moved.add(debit)
            moved.add(credit)
        for each in moved:
            if each.startswith("player:"):
                self.on_purse(each.removeprefix("player:"))
            elif each.startswith("pending:"):
                (self.pending.add if holds[each] else self.pending.discard)(each)
            elif not holds[each] and each.startswith(("layout:", "bank:")):
                del holds[each]

    def purse_cents(self, player: str) -> int:
        """Return the chips that a player has."""
        return shown_cents(self._holds.get(account("player", player), 0))

    def meter(self, name: str) -> int | None:
        """Return what a meter shows in micros, or None if it cannot be reached."""
        return None if name in self.out else self._holds.get(account("meter", name))

    def balances(self) -> Mapping[Account, int]:
        return self._holds

    def close(self) -> None:
        self._threads.shutdown()
        self.store.close()


def _decided(together: Iterable[tuple[Due, Then]]) -> list[tuple[list[Request], Then]]:
    """Let all decide what is to be stored; whoever cannot has nothing stored."""
    decided: list[tuple[list[Request], Then]] = []
    for due, then in together:
        try:
            decided.append((due(), then))
        except Exception as error:
            call(then, error)
    return decided


def call(then: Callable[[T], None], came: T) -> None:
    """Say what came of something; whatever that brings about, others hear of theirs."""
    try:
        then(came)
    except Exception as error:
        log_crash(error)


def hand_over(answer: "asyncio.Future[T]", result: T | BaseException) -> None:
    """Let whoever waits for an answer have it, unless they have gone away."""
    if answer.done():
        return
    if isinstance(result, BaseException):
        answer.set_exception(result)
    else:
        answer.set_result(result)


def friendly(error: Refused) -> Refused:
    """Say of a purse that is too empty what its owner understands."""
    if error.code == NOT_ENOUGH and (error.field or "").startswith("player:"):
        return Refused(NOT_ENOUGH, "you do not have so many chips", field="purse")
    return error
