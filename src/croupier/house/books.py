"""The books of a house: the loop that stores what tables decide, and what purses and meters hold.

One loop a process visits every mailbox that was rung: it takes what is waiting there, lets each be
decided on what the ones before it leave, commits once, and hands the results back to be applied,
published and replied to.
"""

import asyncio
import os
import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice
from typing import NamedTuple, Protocol, TypeVar

from croupier.fairness.commitment import Commitment, Committed
from croupier.fairness.seal import unseal
from croupier.house.dealer import Chance
from croupier.house.log import log, log_crash
from croupier.house.turn import Reply
from croupier.ledger.accounts import Account, account, kind_of
from croupier.ledger.entries import Entry
from croupier.ledger.store import Answer, Kept, Lost, NotOwner, Request, Result, Unavailable, View
from croupier.ledger.stores.protocol import Store
from croupier.money import shown_cents
from croupier.table.commands import Time

THREADS = 8
"""Threads that wait for the disk: one writer, and readers."""
TOGETHER_S = 0.001
"""While several mailboxes are busy, commits are this far apart, so that more goes with each."""
QUICK_S = 0.005
"""A commit that takes longer runs in a thread; a quick disk takes a tenth of it."""
BUSY_S = 0.001
"""How often to try again while somebody else writes: a sign-in, or a checkpoint."""
RETRY_S = 1.0
"""How long until a mailbox that could not catch up tries again."""
T = TypeVar("T")


class Mailbox(Protocol):
    """A receiver of asks whose decisions are stored: a table, the cage."""

    @property
    def unsure(self) -> bool:
        """Whether something must be read from the ledger before anything can be decided."""

    async def catch_up(self) -> None:
        """Read it."""

    def decide(self, time_ms: int) -> list[Request]:
        """Decide the waiting asks at this time, and return what to store."""

    def settled(self, results: Sequence[Result], wait_ms: int) -> None:
        """Apply what was stored, publish it, and reply, at this time of the clock of waits."""

    def fail(self, error: Exception) -> None:
        """Reply to everything that is waiting that its outcome is unknown."""


@dataclass(frozen=True)
class Clocks:
    """Three clocks: wall time, time since the machine started, and one that measures waits."""

    wall_s: Callable[[], float] = time.time
    up_s: Callable[[], float] = lambda: time.clock_gettime(time.CLOCK_BOOTTIME)
    """The seconds since the machine was started, including those in which it slept."""
    wait_s: Callable[[], float] = time.monotonic

    def time(self) -> Time:
        return Time(int(self.wall_s()), int(self.up_s()))

    def wall_ms(self) -> int:
        return int(self.wall_s() * 1000)

    def wait_ms(self) -> int:
        return int(self.wait_s() * 1000)


class Commits(NamedTuple):
    """How many commits there were, and how many seconds they took."""

    done: int = 0
    seconds: float = 0.0


@dataclass
class Books:
    """The store of a process, and everything that its tables share."""

    store: Store
    key: bytes = field(repr=False)
    """The master key, which decks are sealed with."""
    older_keys: tuple[bytes, ...] = field(default=(), repr=False, kw_only=True)
    """Master keys of the past, which open the decks that were sealed with them."""
    clocks: Clocks = field(default_factory=Clocks)
    entropy: Callable[[int], bytes] = os.urandom
    out: set[str] = field(default_factory=set)
    """Meters that can't be reached: no wager on them is accepted."""
    on_purse: Callable[[str, int], None] = lambda *_: None
    """Called with a player whose purse has changed, and the cents in it."""
    on_lost: Callable[[], None] = lambda: None
    """Called once when nothing can be stored any more."""
    on_moved: Callable[[str], None] = lambda _: None
    """Called with a stream that turned out to be another process's."""

    def __post_init__(self) -> None:
        self.stored = 0
        """Events stored since the start."""
        self.commits = Commits()
        self.era = ""
        """Part of each round's id after a forced restore, so that no id is used twice."""
        self.lost: Lost | None = None
        """Why nothing can be stored any more."""
        self.pending: set[Account] = set()
        """Awards that a floorperson has still to validate."""
        self.chance = Chance(self.entropy, self.key)
        self._holds: dict[Account, int] = {}
        self._threads = ThreadPoolExecutor(THREADS, "store")
        self._is_quick = False
        """Whether the last commit was quick enough to wait for the next one here."""
        self._rung: dict[Mailbox, None] = {}
        self._turns: asyncio.Task[None] | None = None

    def unsealed(self, sealed: bytes, commitment: Commitment) -> Committed:
        """Return a deck that was sealed with a key of this house, today's or an older one."""
        return unseal(sealed, self.key, commitment, *self.older_keys)

    async def start(self) -> None:
        """Read what purses and meters hold."""
        held = await self.read(lambda view: view.balances())
        self._holds = {one: micros for one, micros in held.items() if micros or not _ends(one)}
        self.pending = {a for a, held in self._holds.items() if held and kind_of(a) == "pending"}

    def close(self) -> None:
        """End the threads once no work is in progress. The caller closes the store."""
        self._threads.shutdown()

    # ------------------------------------------------------------ the loop

    def ring(self, box: Mailbox) -> None:
        """Have the loop visit a mailbox soon: once, however often it rings before then."""
        self._rung[box] = None
        if self._turns is None:
            self._turns = asyncio.create_task(self._take_turns())

    async def idle(self) -> None:
        """Wait until every mailbox that was rung has been visited."""
        while self._turns is not None:
            await asyncio.wait([self._turns])

    async def _take_turns(self) -> None:
        """Visit the mailboxes that are rung, all together, until none is."""
        stored_s, crowded = 0.0, False
        try:
            while self._rung:
                if crowded:
                    await asyncio.sleep(stored_s + TOGETHER_S - self.clocks.wait_s())
                boxes, self._rung = [*self._rung], {}
                crowded = len(boxes) > 1
                await self._visit(boxes)
                stored_s = self.clocks.wait_s()
        finally:
            self._turns = None

    async def _visit(self, boxes: list[Mailbox]) -> None:
        """Let mailboxes decide, commit once, and hand out the results."""
        if any(box.unsure for box in boxes):
            boxes = await self._sure(boxes)
        time_ms = self.clocks.wall_ms()
        turns: list[tuple[Mailbox, int]] = []
        requests: list[Request] = []
        for box in boxes:
            try:
                asked = box.decide(time_ms)
            except Exception as error:
                box.fail(error)
            else:
                turns.append((box, len(asked)))
                requests += asked
        results = iter(await self._stored(requests) if requests else ())
        for box, count in turns:
            try:
                box.settled([*islice(results, count)], self.clocks.wait_ms())
            except Exception as error:
                log_crash(error)
                box.fail(error)

    async def _sure(self, boxes: list[Mailbox]) -> list[Mailbox]:
        """Let mailboxes that are unsure catch up; return those that can decide.

        The others fail what is waiting for them and try again later.
        """
        unsure = [box for box in boxes if box.unsure]
        caught_up = await asyncio.gather(*(b.catch_up() for b in unsure), return_exceptions=True)
        failed = dict(zip(unsure, caught_up, strict=True))
        for box, error in failed.items():
            if isinstance(error, Exception):
                box.fail(error)
                asyncio.get_running_loop().call_later(RETRY_S, self._ring_again, box)
        return [box for box in boxes if failed.get(box) is None]

    def _ring_again(self, box: Mailbox) -> None:
        if box.unsure and self.lost is None:
            self.ring(box)

    async def _stored(self, requests: list[Request]) -> list[Result]:
        """Store the results of commands in one transaction; return an outcome for each."""
        if self.lost is not None:
            return [self.lost] * len(requests)
        try:
            # Statements run here: in a thread they would wait for the event loop at every step.
            while (finish := self.store.begin_all(requests)) is None:
                await asyncio.sleep(BUSY_S)
            results = await self.commit(finish)
        except Exception as error:
            return [error] * len(requests)
        for request, result in zip(requests, results, strict=True):
            if isinstance(result, Lost):
                self.lose(result)
            elif isinstance(result, NotOwner):
                self.on_moved(request.claim.stream)
        return results

    async def commit(self, finish: Callable[[], T]) -> T:
        """Run something that ends with a commit: here on a quick disk, otherwise in a thread.

        To hand a commit to a thread and back takes half as long as a quick disk does, and whatever
        else runs meanwhile delays it on its way back. Failed commits count too when the way is
        chosen.
        """
        return self._timed(finish) if self._is_quick else await self.away(self._timed, finish)

    def _timed(self, finish: Callable[[], T]) -> T:
        began_s = time.monotonic()
        try:
            return finish()
        except Lost as lost:
            self.lose(lost)
            raise
        finally:
            took_s = time.monotonic() - began_s
            self._is_quick = self.store.is_local and took_s < QUICK_S
            self.commits = Commits(self.commits.done + 1, self.commits.seconds + took_s)

    # ------------------------------------------------------------ reading

    async def read(self, look: Callable[[View], T]) -> T:
        """Read the ledger in a thread."""
        return await self.away(self.looked, look)

    def looked(self, look: Callable[[View], T]) -> T:
        """Read the ledger as it stands now; this blocks."""
        with self.store.reading() as view:
            return look(view)

    async def away(self, work: Callable[..., T], *args: object) -> T:
        """Do something that waits for the disk in a thread.

        The caller may be cancelled; the work is still finished.
        """
        begun = asyncio.get_running_loop().run_in_executor(self._threads, work, *args)
        try:
            return await asyncio.shield(begun)
        except Lost as lost:
            self.lose(lost)
            raise

    def keep(self, stream: str, kept: Kept) -> None:
        """Store a table's snapshot; a failure to do so is harmless."""

        def keep() -> None:
            try:
                self.store.keep(stream, kept)
            except Unavailable:
                pass  # There will be another one after another round.
            except Exception as error:
                log_crash(error, table=stream)

        asyncio.get_running_loop().run_in_executor(self._threads, keep)

    def lose(self, lost: Lost) -> None:
        """Stop storing: the ledger is gone, or belongs to another server."""
        if self.lost is None:
            self.lost = lost
            log("ledger_lost", because=str(lost))
            self.on_lost()

    # ------------------------------------------------------------ balances

    def posted(self, entries: Iterable[Entry], *, events: int) -> None:
        """Note events that were stored, and the entries that follow from them."""
        self.stored += events
        holds, moved = self._holds, set[Account]()
        for _, debit, credit, micros, _ in entries:
            holds[debit] = holds.get(debit, 0) - micros
            holds[credit] = holds.get(credit, 0) + micros
            moved.add(debit)
            moved.add(credit)
        for each in moved:
            if each.startswith("player:"):
                self.on_purse(each.removeprefix("player:"), shown_cents(holds[each]))
            elif each.startswith("pending:"):
                (self.pending.add if holds[each] else self.pending.discard)(each)
            if not holds[each] and _ends(each):
                del holds[each]

    def learn(self, held: Mapping[Account, int]) -> None:
        """Adopt the balances of accounts, which other processes may have changed."""
        for one, micros in held.items():
            if self._holds.get(one, 0 if _ends(one) else None) == micros:
                continue
            self._holds[one] = micros
            if not micros and _ends(one):
                del self._holds[one]
            if one.startswith("player:"):
                self.on_purse(one.removeprefix("player:"), shown_cents(micros))
            elif one.startswith("pending:"):
                (self.pending.add if micros else self.pending.discard)(one)

    async def hear_of(self, accounts: Collection[Account]) -> None:
        """Look accounts up that other processes may have changed."""
        self.learn(await self.read(lambda view: view.held(accounts)))

    async def hear_of_purse(self, player: str) -> None:
        """Look a player's purse up, if other processes may have changed it."""
        if self.store.tenure.is_shared:
            await self.hear_of([account("player", player)])

    def purse_cents(self, player: str) -> int:
        """Return the chips that a player has."""
        return shown_cents(self._holds.get(account("player", player), 0))

    def meter(self, name: str) -> int | None:
        """Return what a meter shows in micros, or None if it can't be reached."""
        return None if name in self.out else self._holds.get(account("meter", name))

    def balances(self) -> Mapping[Account, int]:
        return self._holds


def _ends(one: Account) -> bool:
    """Whether an account is one round's: once it is empty nobody asks for it any more."""
    return one.startswith(("layout:", "bank:", "pending:"))


class Purses:
    """A mailbox without messages: when rung, it reads what other processes may have changed.

    As a mailbox it is visited while no commit is under way, so nothing is counted twice.
    """

    unsure = True

    def __init__(self, books: Books, accounts: Callable[[], Collection[Account]]) -> None:
        self._books, self._accounts = books, accounts

    async def catch_up(self) -> None:
        await self._books.hear_of(self._accounts())

    def decide(self, time_ms: int) -> list[Request]:
        return []

    def settled(self, results: Sequence[Result], wait_ms: int) -> None:
        pass

    def fail(self, error: Exception) -> None:
        pass


async def answer_to(ask: Callable[[Reply], None]) -> Answer:
    """Ask for something and wait for the reply.

    The caller may be cancelled; the command is still stored and published.
    """
    answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()

    def reply(result: Result) -> None:
        if answer.done():
            return
        if isinstance(result, BaseException):
            answer.set_exception(result)
        else:
            answer.set_result(result)

    ask(reply)
    return await answer
