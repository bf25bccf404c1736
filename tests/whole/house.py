"""A whole house on one event loop: its processes, its players, the network, clocks and faults.

Tables, dealers, books, galleries and conversations are the real ones, and so is the client. The
database is in memory, time is made up, and one seed decides everything that happens.
"""

import asyncio
import contextvars
import gc
import json
import logging
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, TypeVar

from croupier.errors import Refused
from croupier.gallery.galleries import Galleries
from croupier.house.books import Books, Clocks
from croupier.house.config import Config, parse_config
from croupier.house.pit import Pit
from croupier.house.recall import wrong_standings
from croupier.ledger import tenure
from croupier.ledger.accounts import account
from croupier.ledger.events import AwardValidated
from croupier.ledger.found import player_at
from croupier.ledger.store import Unavailable, View
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.verify import verify
from croupier.server.calls import Calls
from tests.rules.books import LET_IT_RIDE, MARYLAND
from tests.server.durability.tables import BOOKS, METER, RIDE, SHARED, rules_of
from tests.whole.links import Cable
from tests.whole.loop import PROCESS, Loop, Process
from tests.whole.players import Connection, Player
from tests.whole.store import Register, SharedStore, Tenancy

KEY = bytes(range(32))
CENTS = 10_000_00
FAULT_EVERY_S = (10.0, 60.0)
FLOOR_S = (60.0, 7_200.0)
"""How long the floor lets awards wait, so that their tables change hands meanwhile."""
EPOCH_S = 1_700_000_000
HASTE_S, PEOPLE_S = (0.1, 1.0), (1.0, 7.0)
"""How long players think before they act: in short runs, and at the pace of people."""
TIMING = "{ bets = 20, decide = 20, grace = 20, show = 1, pause = 4, bank = 15, round_min = 5 }"
OFTEN = {
    "md2": (MARYLAND, 'progressive = "C"\nprogressive_rate = 0.2\nlimits = { ante = [5, 500] }'),
    "ride": (LET_IT_RIDE, f'{RIDE}\nprogressive = "F"\nprogressive_rate = 0.2'),
}
"""Progressives that are won often: by four mini royals instead of one, and by four of a kind."""
FAULTS = ("kill", "sleep", "cut", "slow", "commits", "clock", "drain", "link")
MOMENTS = ("bets", "deal", "decide", "reveal", "settle", "over")
"""Where a table's round may be when a fault comes; `deal` is after betting, before any card."""
COMES = ("kill", "sleep", "cut", "slow", "drain", "link", "lost", "unheard")
"""Faults that may come at these moments: `lost` is a failed commit, `unheard` a lost answer."""
PENDING = "taken up with a jackpot pending"
MUST = *(f"{kind} at {moment}" for kind in COMES for moment in MOMENTS), PENDING
"""The combinations that a run of many hours must reach."""
LOGGER = logging.getLogger("croupier")
T = TypeVar("T")


def house_of(tables: int) -> Config:
    """Return a house with tables of every book in turn, at the pace of people."""
    text, books = "guest_chips = 100000\n", [*(BOOKS | OFTEN).values()]
    for number in range(tables):
        rulebook, selections = books[number % len(books)]
        text += f'\n[[table]]\nid = "t{number + 1}"\nrulebook = "{rulebook}"\ntiming = {TIMING}\n'
        if "progressive" in selections:
            text += "validated = 1\n"
        if selections is SHARED:
            text += f'meters = {{ progressive = "{METER}" }}\n'
        text += f"[table.selections]\n{selections}\n"
    return parse_config(text, rules_of)


def moment_of(table: Any) -> str:
    """Return where the round of a table is."""
    round = table.place.standing.in_play
    if round is None:
        return "over"
    return str(round.stage.do) if round.stage else "settle"


class Node:
    """One process: its pit, and its access to the ledger."""

    def __init__(self, world: "World", number: int) -> None:
        self.world, self.number = world, number
        self.process = Process(f"n{number}")
        self.skew_s = world.rng.choice((0, 0, 3_600, -3_600))
        self.connections: set[Connection] = set()
        self.ready = False
        self._tasks: list[Any] = []
        self.inside(lambda: self.keep(asyncio.create_task(self._run())))

    def inside(self, work: Callable[[], T]) -> T:
        """Do something as this process: whatever it starts dies and sleeps with the process."""
        context = contextvars.copy_context()
        context.run(PROCESS.set, self.process)
        return context.run(work)

    def keep(self, task: Any) -> None:
        self._tasks.append(task)

    @property
    def tenancy_name(self) -> str:
        """The name by which the others know this process."""
        return self.tenancy.name if self.ready else ""

    async def _run(self) -> None:
        world, loop = self.world, self.world.loop
        self.tenancy = Tenancy(world.register, self.process.name)
        store = SharedStore(
            world.ledger, world.register, self.tenancy, fault=partial(world.fault, node=self)
        )
        clocks = Clocks(lambda: EPOCH_S + loop.now_s + self.skew_s, loop.time, loop.time)
        self.books = Books(store, KEY, clocks=clocks, entropy=world.entropy)
        self.pit = Pit(world.config, self.books, rules_of)
        self.galleries = Galleries(self.pit)
        self.galleries.open()
        self.pit.open.on_open.append(self._opened)
        renewing = asyncio.create_task(self._renew())
        await self.pit.start()
        self.ready = True
        await renewing

    def _opened(self, table: Any) -> None:
        self.world.reached["taken up"] += 1
        if any(award.partition("-")[0] == table.id for award in self.world.waiting()):
            self.world.reached[PENDING] += 1

    async def _renew(self) -> None:
        while True:
            await asyncio.sleep(tenure.TTL_MS / tenure.RENEWALS / 1000)
            await self.world.loop.run_in_executor(None, self.tenancy.renew)


@dataclass
class Outcome:
    """The outcome of a simulated house."""

    seed: str
    digest: str
    findings: list[str]
    simulated_s: float
    took_s: float
    acknowledged: int
    frames: int
    reached: Counter[object] = field(repr=False)

    def __str__(self) -> str:
        faults = {name: self.reached[f"fault {name}"] for name in FAULTS}
        return (
            f"seed {self.seed}: {self.simulated_s / 3600:.2f} h in {self.took_s:.1f} s "
            f"(x {self.simulated_s / self.took_s:.0f}), {self.acknowledged:,} acknowledged, "
            f"{self.frames:,} frames, {len(self.reached)} states reached, faults {faults}, "
            f"{self.reached['taken up']} times a table was taken up, "
            f"{len(self.findings)} findings {self.findings[:3]}, {self.digest[:16]}"
        )


class World:
    """Everything in the simulation, from one seed."""

    def __init__(
        self,
        loop: Loop,
        config: Config,
        seed: str,
        *,
        faults: tuple[str, ...] = FAULTS,
        think_s: tuple[float, float] = HASTE_S,
    ) -> None:
        self.think_s = think_s
        self.loop, self.config, self.seed, self._faults = loop, config, seed, faults
        self._books = {table.id: table.table_set.rulebook for table in config.tables}
        self.rng = Random(f"world {seed}")
        self._entropy = Random(f"entropy {seed}")
        self._folder = Path(tempfile.mkdtemp(prefix="whole-", dir=_memory()))
        self.ledger = SqliteStore(self._folder / "ledger.db", make=True)
        self.register = Register(loop.time)
        self.nodes: list[Node] = []
        self.cables: list[Cable] = []
        self._kept: list[object] = []
        """Objects of dead processes, kept because collecting them would have effects."""
        self.made = 0
        self.commits_fail = 0.0
        self.findings: list[str] = []
        self.cards: dict[tuple[str, str, str], str] = {}
        self.answers: dict[str, int] = {}
        self.reached: Counter[object] = Counter()
        self.frames = 0

    def entropy(self, count: int) -> bytes:
        return self._entropy.randbytes(count)

    def fault(self, streams: Iterable[str], node: "Node") -> str:
        """Decide what happens to the next commit."""
        if self.rng.random() >= self.commits_fail:
            return ""
        kind = self.rng.choice(("lost", "unheard"))
        self._reach(kind, node, streams)
        return kind

    def _reach(self, kind: str, node: "Node", streams: Iterable[str] | None = None) -> None:
        """Count the moments of rounds at which a fault strikes a process's tables."""
        tables = node.pit.tables if node.ready else {}
        for id in tables if streams is None else [one for one in streams if one in tables]:
            self.reached[f"{kind} at {moment_of(tables[id])}"] += 1

    def note(self, command: str, number: int) -> None:
        if self.answers.setdefault(command, number) != number:
            self.findings.append(f"{command} was answered {self.answers[command]} and {number}")

    def see(self, scene: dict[str, Any]) -> None:
        """Count the states in which tables were seen."""
        book = self._books.get(scene["round"].partition("-")[0], "")
        place = book, scene["phase"], scene["step"], scene["asked"]
        self.reached[*place, len(scene["seats"]), len(scene["boxes"])] += 1

    def owner(self, table: str) -> Node | None:
        lease = self.register.leases.get(table)
        named = (n for n in self.nodes if n.ready and lease and n.tenancy.name == lease.node)
        return next(named, None)

    def calls(self, here: Node, there: Node) -> Calls:
        """Return the conversations of one process with another, over a link that is open."""
        for cable in self.cables:
            if cable.nodes == (here, there) and cable.is_open:
                return cable.calls
        self.cables = [one for one in self.cables if one.is_open]
        self.cables.append(Cable(self, here, there))
        self._kept.append(self.cables[-1])
        return self.cables[-1].calls

    def start_node(self) -> None:
        self.made += 1
        self.nodes.append(Node(self, self.made))
        self._kept.append(self.nodes[-1])

    # ------------------------------------------------------------ the floor

    def waiting(self) -> dict[str, int]:
        """Return the awards that wait for the floor, in micros."""
        with self.ledger.reading() as view:
            held = view.balances("pending")
        return {one.removeprefix("pending:"): micros for one, micros in held.items() if micros}

    async def mind(self) -> None:
        """Pay what waits for the floor, each award at a random process."""
        rng = Random(f"floor {self.seed}")
        while True:
            await asyncio.sleep(rng.uniform(*FLOOR_S))
            nodes = [node for node in self.nodes if node.ready]
            for award in self.waiting() if nodes else ():
                node = rng.choice(nodes)
                paying = node.inside(partial(self._begin, node, award))
                done, _ = await asyncio.wait([paying], timeout=60)
                self.findings += [str(one.exception()) for one in done if one.exception()]

    def _begin(self, node: Node, award: str) -> asyncio.Task[None]:
        paying = asyncio.create_task(self._pay(node, award))
        node.keep(paying)
        return paying

    async def _pay(self, node: Node, award: str) -> None:
        """Pay an award if it still waits."""
        round, seat, _ = award.rsplit("/", 2)
        with self.ledger.reading() as view:
            player = player_at(view, round, int(seat))

        def paid() -> AwardValidated:
            micros = node.pit.books.balances().get(account("pending", award))
            if not micros:
                raise Refused("no_such_award", "this award isn't waiting any more")
            return AwardValidated(award, player, micros, "floor")

        with suppress(Refused, Unavailable):
            await node.pit.cage.act("floor", paid)
            self.reached["jackpot paid"] += 1

    # ------------------------------------------------------------ faults

    async def afflict(self) -> None:
        """Let one fault follow another."""
        while True:
            await asyncio.sleep(self.rng.uniform(*FAULT_EVERY_S))
            kind, node = self.rng.choice(self._faults), self.rng.choice(self.nodes)
            self.reached[f"fault {kind}"] += 1
            self._reach(kind, node)
            await getattr(self, f"_{kind}")(node)

    async def _kill(self, node: Node) -> None:
        self._gone(node)
        await asyncio.sleep(self.rng.uniform(0.5, 10))
        self.start_node()

    def _gone(self, node: Node) -> None:
        node.process.dead = True
        self.nodes.remove(node)
        for connection in sorted(node.connections, key=lambda one: one.player.id):
            connection.cut()
        for cable in self.cables:
            if node in cable.nodes:
                cable.cut()

    async def _link(self, node: Node) -> None:
        """Cut the links of a process, or let them go silent."""
        for cable in self.cables:
            if node in cable.nodes:
                self.rng.choice((cable.cut, cable.hush))()

    async def _sleep(self, node: Node) -> None:
        node.process.asleep = True
        await asyncio.sleep(self.rng.uniform(0.1, 3 * tenure.TTL_MS / 1000))
        self.loop.wake(node.process)

    async def _cut(self, node: Node) -> None:
        for connection in sorted(node.connections, key=lambda one: one.player.id):
            if self.rng.random() < 0.5:
                connection.cut()

    async def _slow(self, _: Node) -> None:
        self.loop.slow = self.rng.choice((30.0, 300.0))
        await asyncio.sleep(self.rng.uniform(1, 8))
        self.loop.slow = 1.0

    async def _commits(self, _: Node) -> None:
        self.commits_fail = 0.3
        await asyncio.sleep(self.rng.uniform(1, 8))
        self.commits_fail = 0.0

    async def _clock(self, node: Node) -> None:
        node.skew_s += self.rng.choice((-7_200, -60, 60, 7_200))

    async def _drain(self, node: Node) -> None:
        if not node.ready:
            return
        context = contextvars.copy_context()
        context.run(PROCESS.set, node.process)
        await asyncio.wait(
            [asyncio.create_task(node.pit.leases.drain(), context=context)], timeout=60
        )
        if node in self.nodes:
            self._gone(node)
            self.start_node()

    # ------------------------------------------------------------ the run

    async def run(self, hours: float, nodes: int, seats: int) -> None:
        for _ in range(nodes):
            self.start_node()
        while not all(node.ready for node in self.nodes):
            await asyncio.sleep(0.1)
        players = [
            Player(self, table.id, seat)
            for table in self.config.tables
            for seat in range(1, min(seats, table.seats) + 1)
        ]
        for player in players:
            await self.nodes[0].pit.cage.fill(player.id, CENTS)
        playing = [asyncio.create_task(player.play()) for player in players]
        afflicting = asyncio.create_task(self.afflict())
        minding = asyncio.create_task(self.mind())
        await asyncio.sleep(hours * 3600)
        afflicting.cancel()
        minding.cancel()
        self.loop.slow, self.commits_fail = 1.0, 0.0
        for node in self.nodes:
            self.loop.wake(node.process)
        while len(self.nodes) < nodes:
            self.start_node()
        for player in players:
            player.stops = True
        _, stuck = await asyncio.wait(playing, timeout=600)
        if stuck:
            self.findings.append(f"{len(stuck)} players are not answered any more")
        await asyncio.sleep(120)
        self.traces = "".join(player.trace.hexdigest() for player in players)

    def check(self) -> None:
        """Check the ledger against what players were told."""
        with self.ledger.reading() as view:
            self._check(view)

    def _check(self, view: View) -> None:
        found = verify(view, rules_of, standings=partial(wrong_standings, rules_of=rules_of))
        self.findings += found.faults
        for command, number in self.answers.items():
            answer = view.answer(command)
            if answer is None or answer.number != number:
                self.findings.append(f"{command} was acknowledged as {number}: {answer}")
        entries = (one.entry for stream in view.heads() for one in view.posted(stream))
        self.reached["meter rose"] += sum(entry.code == "rise" for entry in entries)
        if sum(view.balances().values()):
            self.findings.append("the balances don't sum to zero")
        heads = json.dumps({s: [h.number, h.hash.hex()] for s, h in view.heads().items()})
        self.digest = sha256((heads + self.traces).encode()).hexdigest()

    def close(self) -> None:
        self.ledger.close()
        shutil.rmtree(self._folder)


def _memory() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None


class Complaints(logging.Handler):
    """Records errors of the real code as findings, except commits of unknown outcome."""

    def __init__(self, findings: list[str]) -> None:
        super().__init__()
        self.findings = findings

    def emit(self, record: logging.LogRecord) -> None:
        facts = getattr(record, "facts", {})
        if record.getMessage() in ("crash", "events_lost") and facts.get("error") != "Unsure":
            self.findings.append(f"{record.getMessage()} {facts}")


@contextmanager
def _heard(findings: list[str]) -> Iterator[None]:
    """Collect what the processes log without printing it: everything that can go wrong does."""
    handler = Complaints(findings)
    level, LOGGER.propagate = LOGGER.level, False
    LOGGER.setLevel(logging.INFO)
    LOGGER.addHandler(handler)
    try:
        yield
    finally:
        LOGGER.removeHandler(handler)
        LOGGER.setLevel(level)
        LOGGER.propagate = True


@contextmanager
def _left_behind() -> Iterator[None]:
    """Collect what dead processes left behind, and ignore its complaints."""
    hook, sys.unraisablehook = sys.unraisablehook, lambda _: None
    try:
        yield
        gc.collect()
    finally:
        sys.unraisablehook = hook
        LOGGER.disabled = False


def simulate(
    config: Config,
    seed: str,
    *,
    hours: float,
    nodes: int = 3,
    seats: int = 7,
    faults: tuple[str, ...] = FAULTS,
    think_s: tuple[float, float] = HASTE_S,
) -> Outcome:
    """Run a house for some hours of simulated time; everything follows from the seed."""
    with _left_behind():
        began = time.monotonic()
        loop = Loop(seed)
        asyncio.set_event_loop(loop)
        world = World(loop, config, seed, faults=faults, think_s=think_s)
        try:
            with _heard(world.findings):
                loop.run_until_complete(world.run(hours, nodes, seats))
            world.check()
        finally:
            LOGGER.disabled = True
            loop.forget()
            loop.close()
            asyncio.set_event_loop(None)
            world.close()
        took_s, answered = time.monotonic() - began, len(world.answers)
        facts = (world.findings, loop.now_s, took_s, answered, world.frames, world.reached)
        outcome = Outcome(seed, world.digest, *facts)
        del world, loop
    return outcome
