"""A model of leases and fences on one database, under a seeded scheduler: one integer, one history.

Nodes own tables by lease and append to their journals; clients retry elsewhere, under the same id,
when nobody answers. Every statement is a step, and after each step another task may go on. Nodes
are paused and killed in the middle of transactions, connections are cut before and in a commit,
and each node decides by a clock of its own, up to an hour off, whose lease has expired. Row locks
are held to the end of their transaction, as PostgreSQL holds them. Nothing here is the real code:
this is the protocol alone, so that each part of it can be left out.
"""

from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field
from random import Random
from typing import NamedTuple

Steps = Generator[None, None, None]
STEPS, NODES, CLIENTS = 6_000, 3, 6
STREAMS = ("maryland", "ride")
TTL, RENEW, PATIENCE = 80, 20, 100
"""How long a node's row lasts, how often it is renewed, how long a client waits; in steps."""
HOUR = 100_000


class Protocol(NamedTuple):
    """The parts of the fence; leaving one out makes a mutant."""

    lease: bool = True
    """An append compares the epoch of the lease, in its own transaction."""
    locked: bool = True
    """It holds the lease's row while it does."""
    every: bool = True
    """It does so in every transaction, not only in the first after a take-over."""
    hash: bool = True
    """It compares the hash of the journal's head, not only its number."""
    raised: bool = True
    """A take-over raises the epoch."""


class Broken(Exception):
    """The connection broke: what was asked for may have been stored or not."""


class Refused(Exception):
    """The fence holds: the lease, or the journal's head, is another one."""


class Event(NamedTuple):
    """A stored event: its place, who wrote it in which epoch, and the state it was decided on."""

    hash: int
    node: str
    epoch: int
    command: str
    decided_on: int


class Taken(NamedTuple):
    """A take-over: who owns the stream since, in which epoch, and how far it had read."""

    node: str
    epoch: int
    number: int


@dataclass
class Database:
    """Committed rows, the locks on them, and the time of day."""

    rng: Random
    now: int = 0
    nodes: dict[str, int] = field(default_factory=dict)
    leases: dict[str, tuple[str, int]] = field(default_factory=dict)
    journal: dict[str, list[Event]] = field(default_factory=dict)
    locks: dict[str, dict["Transaction", bool]] = field(default_factory=dict)
    open: list["Transaction"] = field(default_factory=list)

    def head(self, stream: str) -> tuple[int, int]:
        events = self.journal[stream]
        return len(events), events[-1].hash if events else 0


class Transaction:
    """One transaction: its locks last until it ends, and its writes are seen once it commits."""

    def __init__(self, database: Database, node: str) -> None:
        self.database, self.node, self.is_open = database, node, True
        self.is_lost = False
        self.events: list[tuple[str, Event]] = []
        self.lease: tuple[str, tuple[str, int]] | None = None
        database.open.append(self)

    def lock(self, row: str, *, alone: bool) -> Steps:
        """Wait for a row, as FOR UPDATE does if alone and FOR SHARE otherwise."""
        held = self.database.locks.setdefault(row, {})
        while True:
            yield
            if not self.is_open:
                raise Broken
            if not any(one is not self and (alone or other) for one, other in held.items()):
                held[self] = alone
                return

    def commit(self) -> Steps:
        yield
        if not self.is_open:
            raise Broken
        if self.database.rng.random() < 0.03:
            self.is_lost = True
            raise Broken  # The answer is lost; the database ends the transaction by itself.
        self.end(stored=True)

    def end(self, *, stored: bool) -> None:
        if not self.is_open:
            return
        self.is_open = False
        self.database.open.remove(self)
        for held in self.database.locks.values():
            held.pop(self, None)
        if stored:
            for stream, event in self.events:
                self.database.journal[stream].append(event)
            if self.lease:
                self.database.leases[self.lease[0]] = self.lease[1]


class Ask(NamedTuple):
    stream: str
    command: str
    answers: list[int]
    """Where the number of the command's event goes."""


@dataclass
class View:
    """What an owner knows of its stream."""

    epoch: int
    number: int
    hash: int
    is_fresh: bool = True
    """Whether nothing was appended yet since the take-over."""


class Node:
    """A process that serves clients and owns streams."""

    def __init__(self, world: "World", name: str, skew: int) -> None:
        self.world, self.name, self.skew = world, name, skew
        self.database, self.rng, self.protocol = world.database, world.rng, world.protocol
        self.inbox: list[Ask] = []
        self.views: dict[str, View] = {}
        self.paused_until = 0
        self.database.nodes[name] = self.database.now + TTL

    def renew(self) -> Steps:
        while self.name in self.database.nodes:
            self.database.nodes[self.name] = self.database.now + TTL
            until = self.database.now + RENEW
            while self.database.now < until:
                yield
        self.world.replace(self)  # Somebody took it for dead: it comes back under a new name.

    def serve(self) -> Steps:
        while True:
            yield
            if not self.inbox:
                continue
            stream = self.inbox[0].stream
            batch = [ask for ask in self.inbox if ask.stream == stream]
            self.inbox = [ask for ask in self.inbox if ask.stream != stream]
            try:
                if stream not in self.views:
                    yield from self.own(stream)
                if stream in self.views:
                    yield from self.answer(stream, batch)
            except (Broken, Refused) as error:
                self.world.seen[type(error).__name__] += 1
                self.views.pop(stream, None)

    def own(self, stream: str) -> Steps:
        """Take a stream over if its owner is gone; after that has committed, read its journal."""
        database = self.database
        yield
        owner, epoch = database.leases[stream]
        if owner != self.name:
            if database.nodes.get(owner, 0) >= database.now + self.skew:
                return
            yield
            self.world.seen["alive"] += database.nodes.get(owner, 0) >= database.now
            database.nodes.pop(owner, None)
            transaction = Transaction(database, self.name)
            yield from transaction.lock(f"lease {stream}", alone=True)
            found, epoch = database.leases[stream]
            if found != owner:
                transaction.end(stored=False)
                return
            epoch += self.protocol.raised
            transaction.lease = stream, (self.name, epoch)
            yield from transaction.commit()
            yield
        number, hash = database.head(stream)
        if owner != self.name:
            self.world.taken[stream].append(Taken(self.name, epoch, number))
        self.views[stream] = View(epoch, number, hash)

    def answer(self, stream: str, batch: list[Ask]) -> Steps:
        """Decide what was asked, each on the one before, and append it in one or two parts."""
        view = self.views[stream]
        decided: list[tuple[int, Event]] = []
        number, hash = view.number, view.hash
        asked = {ask.command: ask.answers for ask in batch}
        for place, event in enumerate(self.database.journal[stream], 1):
            if event.command in asked:
                asked.pop(event.command).append(place)
        for command in asked:
            event = Event(self.rng.getrandbits(60), self.name, view.epoch, command, hash)
            decided.append((number, event))
            number, hash = number + 1, event.hash
        at = self.rng.randint(0, len(decided))
        for part in (decided[:at], decided[at:]):
            if not part:
                continue
            try:
                yield from self.append(stream, part)
            except Refused:
                if self.protocol.hash:
                    raise
                continue  # A fence by number knows nothing of the parts before.
            for place, event in part:
                asked[event.command].append(place + 1)

    def append(self, stream: str, part: list[tuple[int, Event]]) -> Steps:
        view, protocol, database = self.views[stream], self.protocol, self.database
        transaction = Transaction(database, self.name)
        if protocol.lease and (protocol.every or view.is_fresh):
            if protocol.locked:
                yield from transaction.lock(f"lease {stream}", alone=False)
            if database.leases[stream][1] != view.epoch:
                transaction.end(stored=False)
                raise Refused
        yield from transaction.lock(f"stream {stream}", alone=True)
        number, hash = database.head(stream)
        first = part[0]
        stored = {event.command for event in database.journal[stream]}
        moved = number != first[0] or (protocol.hash and hash != first[1].decided_on)
        if moved or any(event.command in stored for _, event in part):
            transaction.end(stored=False)
            raise Refused
        transaction.events = [(stream, event) for _, event in part]
        yield from transaction.commit()
        last = part[-1]
        view.number, view.hash, view.is_fresh = last[0] + 1, last[1].hash, False


class World:
    """Everything together, and what a checker looks at in the end."""

    def __init__(self, seed: int, protocol: Protocol) -> None:
        self.rng, self.protocol = Random(seed), protocol
        self.database = Database(self.rng)
        self.seen: Counter[str] = Counter()
        self.names = 0
        self.acknowledged: list[tuple[str, str, int]] = []
        self.taken: dict[str, list[Taken]] = {stream: [] for stream in STREAMS}
        for stream in STREAMS:
            self.database.leases[stream] = "", 0
            self.database.journal[stream] = []
        self.nodes: list[Node] = []
        self.tasks: list[tuple[Node | None, Steps]] = []
        for _ in range(NODES):
            self.start()
        self.tasks += [(None, self.client(number)) for number in range(CLIENTS)]

    def start(self) -> None:
        self.names += 1
        skew = self.rng.choice((0, 0, -HOUR, HOUR, self.rng.randint(-TTL, TTL)))
        node = Node(self, f"node-{self.names}", skew)
        self.nodes.append(node)
        self.tasks += [(node, node.serve()), (node, node.renew())]

    def replace(self, node: Node) -> None:
        """End a node, whatever it does just then, and start another one."""
        self.tasks = [task for task in self.tasks if task[0] is not node]
        self.nodes.remove(node)
        self.start()

    def client(self, number: int) -> Steps:
        for count in range(10_000):
            stream, command = self.rng.choice(STREAMS), f"c{number}.{count}"
            answers: list[int] = []
            while not answers:
                self.rng.choice(self.nodes).inbox.append(Ask(stream, command, answers))
                until = self.database.now + PATIENCE
                while not answers and self.database.now < until:
                    yield
            self.acknowledged.append((stream, command, answers[0]))

    def disturb(self) -> None:
        """Pause or kill a node, or cut a connection."""
        open, chance = self.database.open, self.rng.random()
        if chance < 0.006:
            # A pause in the middle of a transaction is the one that hurts.
            busy = [one for one in self.nodes if any(t.node == one.name for t in open)]
            if busy or chance < 0.001:
                paused = self.rng.choice(busy or self.nodes)
                paused.paused_until = self.database.now + self.rng.randint(TTL // 2, 3 * TTL)
                self.seen["pauses"] += 1
        elif chance < 0.007:
            self.seen["kills"] += 1
            self.replace(self.rng.choice(self.nodes))
        elif chance < 0.009 and open:
            self.seen["cuts"] += 1
            self.rng.choice(open).end(stored=False)
        alive = {one.name for one in self.nodes} if open else set()
        for transaction in [*open]:
            # Without its process, or its answer, a transaction ends by itself in a while.
            if (transaction.is_lost or transaction.node not in alive) and self.rng.random() < 0.05:
                transaction.end(stored=transaction.is_lost and self.rng.random() < 0.5)

    def run(self) -> "World":
        for _ in range(STEPS):
            self.database.now += 1
            self.disturb()
            ready = [t for t in self.tasks if not t[0] or t[0].paused_until < self.database.now]
            task = self.rng.choice(ready)
            next(task[1], None)
        return self


def faults_in(world: World) -> list[str]:
    """Return what a history has that no right one has, from the journal and the answers alone."""
    found = []
    for stream, events in world.database.journal.items():
        before, epochs, last = 0, dict[int, str](), 0
        for number, event in enumerate(events, 1):
            if event.decided_on != before:
                found.append(f"{stream} {number} was decided on another state")
            if event.epoch < last:
                found.append(f"{stream} {number} is of an older epoch")
            if epochs.setdefault(event.epoch, event.node) != event.node:
                found.append(f"{stream} {number}: epoch {event.epoch} has two owners")
            before, last = event.hash, max(last, event.epoch)
        for taken in world.taken[stream]:
            later = events[taken.number :]
            if any(event.epoch < taken.epoch for event in later):
                found.append(f"{stream}: written behind the back of {taken.node}")
            if any(e.epoch == taken.epoch and e.node != taken.node for e in events):
                found.append(f"{stream}: epoch {taken.epoch} has two owners")
        times = Counter(event.command for event in events)
        found += [f"{stream}: {command} is stored twice" for command, n in times.items() if n > 1]
    for stream, command, number in world.acknowledged:
        events = world.database.journal[stream]
        if number > len(events) or events[number - 1].command != command:
            found.append(f"{stream}: {command} was acknowledged at {number}, and is not there")
    return found
