"""Several real servers on one PostgreSQL, players who retry elsewhere, and faults among them.

Players note what they sent and were answered. Afterwards a checker holds the ledger to their notes:
every acknowledged command once and at its number, histories in the order of real time, epochs that
never fall, one owner an epoch, the same cards after each take-over, and money exact.
"""

import asyncio
import contextlib
import json
import os
import random
import shutil
import signal
import time
from bisect import bisect_left
from collections import defaultdict
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import accumulate, cycle
from pathlib import Path
from typing import Any

import psycopg

from croupier.client import Client, TableClient
from croupier.errors import Refused
from croupier.fairness import contribution_hash
from croupier.house.folder import ALONE
from croupier.ledger.accounts import account
from croupier.ledger.stores import open_postgres
from croupier.ledger.verify import verify
from tests.ledger.servers import new_database
from tests.server.durability import tables
from tests.server.durability.databases import Database
from tests.server.durability.guests import BROKEN
from tests.server.durability.houses import KEPT, House
from tests.server.durability.mutants import NAP, WAKE
from tests.server.durability.tables import METER, metered, rules_of, tables_text
from tests.server.machines.way import Way

TTL_S = 1.0
OVERSLEPT_S = TTL_S + 0.3
ALIVE_S = 180.0
"""How long to wait for a table that stands still, so that what comes of it is seen."""
STILL_S = 10.0
"""How long a table may stand still after a fault, where no process waits for a core."""
NAP_S, VISIT_S = 5.0, 4.0
CLOCKS = ((), ("ahead",), ("behind",))
"""An hour off, of all servers but the first."""
TIMING = tables.TIMING.replace("decide = 2", "decide = 0.3")
TOLD_EVERY = 50
"""A long run says after every so many faults that it goes on."""
TABLES = ("md1", "md2", "ride", "sg")
TERMINATE = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid()"
)


@dataclass
class Note:
    """One command of a player, and what came of it."""

    table: str
    id: str
    began_s: float
    does: str
    number: int = 0
    ended_s: float = 0.0


@dataclass
class Look:
    """What a player was shown on coming to a table."""

    table: str
    began_s: float
    number: int


@dataclass
class Notes:
    """What all players noted."""

    commands: list[Note] = field(default_factory=list)
    looks: list[Look] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    cards: dict[tuple[str, str, str], str] = field(default_factory=dict)
    """Own cards by round, player and position."""
    answered_s: dict[str, list[float]] = field(
        default_factory=lambda: {table: [] for table in TABLES}
    )
    """When each table answered."""
    contributed: int = 0
    """How many contributions to meters are stored."""


class Player:
    """Sits at one table through whichever server answers, and bets and decides."""

    def __init__(self, houses: list[House], notes: Notes, table: str, seat: int) -> None:
        self.houses, self.notes, self.id, self.seat = houses, notes, table, seat
        self.rng = random.Random(f"{table} {seat}")
        self.client = Client(houses[0].address)
        self.table = TableClient(self.client, table, watch=False)
        self.number = 0
        self.waiting: tuple[dict[str, Any], Note] | None = None
        self.stops = False

    async def play(self) -> None:
        """Play until told to stop and nothing is unanswered."""
        while not (self.stops and self.waiting is None):
            self.client.address = self.rng.choice(self.houses).address
            try:
                async with asyncio.timeout(VISIT_S):
                    await self._visit()
            except (*BROKEN, Refused):
                await asyncio.sleep(0.1)
        await self.table.close()

    async def _visit(self) -> None:
        if self.client.person is None:
            await self.client.guest()
        began_s = time.monotonic()
        self.table.v = -1  # As if it came for the first time.
        await self.table.connect()
        self.notes.looks.append(Look(self.id, began_s, self.table.v))
        if self.waiting:
            await self._ask(*self.waiting)
        for _ in range(self.rng.randint(3, 12)):
            self._look()
            if self.stops:
                return
            moves = self._moves()
            for body in moves:
                await self._say(body)
            if not moves:  # An owner answers this too, and nobody else.
                await self.table.ask({"type": "ping", "id": "ping"})
                self.notes.answered_s[self.id].append(time.monotonic())
            await asyncio.sleep(0.02 if moves else 0.1)

    def _look(self) -> None:
        """Note the player's own cards, which never change."""
        round, me = self.table.scene["round"], str(self.client.person and self.client.person["id"])
        for place, face in self.table.own.items():
            known = self.notes.cards.setdefault((str(round), me, place), face)
            if known != face:
                self.notes.faults.append(f"{round}: {place} was {known}, and is {face}")

    def _moves(self) -> list[dict[str, Any]]:
        scene, felt = self.table.scene, self.table.felt
        seat = str(self.seat)
        if seat not in scene["seats"]:
            return [{"type": "sit", "seat": self.seat}]
        if cut := self._cut(scene):
            return cut
        if scene["phase"] == "bets" and not scene["seats"][seat].get("ready"):
            wager = felt["wagers"][0]["wager"]
            cents = 1000 + 500 * self.rng.randint(0, 4)
            stakes = {wager: cents, **metered(felt)}
            bets = [
                {"type": "bet", "seat": self.seat, "wager": wager, "cents": cents}
                for wager, cents in stakes.items()
            ]
            return [*bets, {"type": "ready", "seat": self.seat}]
        return []

    def _cut(self, scene: dict[str, Any]) -> list[dict[str, Any]]:
        """Contribute to the players' cut, and reveal that once bets are closed."""
        round, me = scene["round"], str((self.client.person or {})["id"])
        is_in = me in scene["cut"]["hashes"]
        secret = sha256(f"{me} in {round}".encode()).hexdigest()
        if scene["phase"] == "bets" and not is_in:
            hash = contribution_hash(round, me, secret)
            return [{"type": "contribute", "round": round, "hash": hash}]
        if scene["phase"] == "dealing" and is_in and me not in scene["cut"]["values"]:
            return [{"type": "reveal", "round": round, "value": secret}]
        return []

    async def _say(self, body: dict[str, Any]) -> None:
        self.number += 1
        id = f"{self.id}-{self.seat}-{self.number}"
        whose = f"{(self.client.person or {})['id']}/{id}"
        note = Note(self.id, whose, time.monotonic(), body["type"])
        if body["type"] != "ready":  # It leaves no event.
            self.notes.commands.append(note)
        self.waiting = {**body, "id": id}, note
        await self._ask(*self.waiting)

    async def _ask(self, body: dict[str, Any], note: Note) -> None:
        try:
            said = await self.table.ask(body)
        except Refused as refused:
            if refused.code in ("unavailable", "too_many"):
                raise ConnectionError(refused.code) from None
        else:
            note.number, note.ended_s = said["v"], time.monotonic()
        self.notes.answered_s[self.id].append(time.monotonic())
        self.waiting = None


class Machines:
    """Servers with a folder each, all with the same keys, on one database."""

    def __init__(
        self, folder: Path, database: Database, count: int, *, mutants: tuple[str, ...] = ()
    ) -> None:
        self.naps, self.sleeps_s = 0, OVERSLEPT_S
        self.kept = 0
        """How many naps ended before anybody could take all tables of the sleeper over."""
        self.hit_s = 0.0
        """When the last fault began to show."""
        self._server, self.database = database, new_database(database.where)
        self.houses: list[House] = []
        self._ways: dict[House, Way] = {}
        for name, clock in zip(range(count), cycle(CLOCKS)):
            (folder / f"{name}").mkdir()
            spoilt = " ".join(("hurried", "napping", *clock, *mutants))
            text = tables_text(TABLES, timing=TIMING)
            way = Way(self.database)
            house = House(folder / f"{name}", text, database=way.where, mutant=spoilt)
            self.houses.append(house)
            self._ways[house] = way

    async def start(self) -> None:
        first, *others = self.houses
        await first.start()
        for house in others:
            house.folder.mkdir()
            for key in KEPT[:2]:
                shutil.copy(first.folder / key, house.folder / key)
            await self._begin(house)

    def owner(self, rng: random.Random) -> House:
        """Return a server that has tables: others have nothing to lose."""
        sql = "SELECT node FROM leases WHERE stream = %s"
        with psycopg.connect(self.database, autocommit=True) as connection:
            found = connection.execute(sql, (rng.choice(TABLES),)).fetchone()
        node = str(found[0]) if found else ""
        owns = (house for house in self.houses if node.startswith(ALONE.place(house.folder)))
        return next(owns, self.houses[0])

    async def _begin(self, house: House) -> None:
        """Start a server, and wait until it serves: it does not start while its database is cut."""
        await house.start()
        async with asyncio.timeout(ALIVE_S):
            while True:
                with contextlib.suppress(*BROKEN):
                    await Client(house.address).get("/healthz")
                    return
                await asyncio.sleep(0.05)

    # ------------------------------------------------------------ faults

    def _hit(self) -> None:
        self.hit_s = time.monotonic()

    async def kill(self, house: House) -> None:
        self._hit()
        house.kill()
        await house.gone()
        await asyncio.sleep(TTL_S / 2)
        await self._begin(house)

    async def freeze(self, house: House) -> None:
        """Let a server sleep for longer than its lease, and wake up as if nothing had been."""
        self._hit()
        os.kill(house.pid, signal.SIGSTOP)
        await asyncio.sleep(self.sleeps_s)
        os.kill(house.pid, signal.SIGCONT)

    async def roll(self, house: House) -> None:
        """Stop a server as an upgrade does, and start it again."""
        os.kill(house.pid, signal.SIGTERM)
        said = await asyncio.to_thread(house.said)
        assert "Closed" in said, said
        self._hit()
        await house.gone()
        await self._begin(house)

    async def cut(self, _: House) -> None:
        """Cut every connection to the database."""
        with psycopg.connect(self.database, autocommit=True) as connection:
            connection.execute(TERMINATE)
        self._hit()

    async def part(self, house: House) -> None:
        """Cut one server from the database, for longer than its lease; then all arrives at once."""
        self._hit()
        with self._ways[house].blocked():
            await asyncio.sleep(self.sleeps_s)

    async def bounce(self, _: House) -> None:
        """Let the database crash, and start it again."""
        await asyncio.to_thread(self._server.down)
        await asyncio.sleep(TTL_S / 2)
        await asyncio.to_thread(self._server.up)
        self._hit()

    async def nap(self, house: House) -> None:
        """Let a server sleep between its last statement and the commit, for longer than a lease."""
        os.kill(house.pid, NAP)
        until = time.monotonic() + NAP_S
        while not (asleep := _is_asleep(house.pid)) and time.monotonic() < until:
            await asyncio.sleep(0.02)
        self._hit()
        os.kill(house.pid, WAKE)
        if asleep or _is_asleep(house.pid):
            self.naps += 1
            await asyncio.sleep(self.sleeps_s)
            self.kept += self._owns(house)
        os.kill(house.pid, signal.SIGCONT)

    def _owns(self, house: House) -> bool:
        sql = "SELECT 1 FROM leases WHERE starts_with(node, %s)"
        with psycopg.connect(self.database, autocommit=True) as connection:
            return bool(connection.execute(sql, (ALONE.place(house.folder),)).fetchall())

    async def stop(self) -> None:
        for house in self.houses:
            with contextlib.suppress(ProcessLookupError):
                os.kill(house.pid, signal.SIGINT)
        for house in self.houses:
            await asyncio.to_thread(house.said)
            await house.gone()

    def close(self) -> None:
        for house in self.houses:
            with contextlib.suppress(ProcessLookupError):
                os.kill(house.pid, signal.SIGKILL)
            house.__exit__(None, None, None)
        for way in self._ways.values():
            way.close()

    def logged(self) -> list[dict[str, Any]]:
        lines = (line for house in self.houses for line in house.complaints().splitlines())
        return [json.loads(line) for line in lines if line.startswith("{")]


def _is_asleep(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


@dataclass
class Outcome:
    """What came of the faults."""

    faults: int
    acknowledged: int
    taken_up: int
    cards: int
    revealed: int
    """How many contributions to the players' cut were revealed and acknowledged."""
    contributed: int
    """How many contributions to meters were stored."""
    stood_s: float
    """For how long a table stood still at the most."""
    seconds: float
    findings: list[str]

    def __str__(self) -> str:
        return (
            f"{self.faults} faults, {self.acknowledged} acknowledged, {self.taken_up} times a "
            f"table was taken up, {self.cards} own cards compared, {self.revealed} contributions "
            f"revealed, {self.contributed} contributions to meters, tables stood still for "
            f"{self.stood_s:.1f} s at the most, {len(self.findings)} findings "
            f"{'; '.join(self.findings[:3])}, {self.seconds:.0f} s"
        )


async def afflicted(
    machines: Machines, faults: int, *, seed: str, only: str | None = None
) -> Outcome:
    """Let players play while one fault follows another; then check what they noted."""
    began, rng, notes = time.monotonic(), random.Random(seed), Notes()
    every = (machines.kill, machines.freeze, machines.roll, machines.cut)
    kinds = [*every, machines.bounce, machines.nap, machines.part]
    if only:
        kinds = [getattr(machines, only)]
    done, stood_s = 0, 0.0
    await machines.start()
    players = [Player(machines.houses, notes, table, seat) for table in TABLES for seat in (1, 2)]
    tasks = [asyncio.create_task(player.play()) for player in players]
    try:
        await _alive(notes, tasks, since_s=time.monotonic())
        while done < faults and not notes.faults:
            kind = kinds[done % len(kinds)]
            await kind(machines.owner(rng))
            done += 1
            still_s = await _alive(notes, tasks, since_s=machines.hit_s)
            stood_s = max(stood_s, still_s)
            if done % TOLD_EVERY == 0:
                print(f"{done} faults in {time.monotonic() - began:.0f} s", flush=True)
            if still_s > STILL_S * _crowding():
                name = kind.__name__
                notes.faults.append(f"tables stood still for {still_s:.1f} s after a {name}")
        for player in players:
            player.stops = True
        _, unanswered = await asyncio.wait(tasks, timeout=ALIVE_S)
        if unanswered:
            notes.faults.append(f"{len(unanswered)} players are not answered any more")
        await asyncio.sleep(1)
        await machines.stop()
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        machines.close()
    findings = notes.faults + checked(machines, notes)
    acknowledged = sum(note.number > 0 for note in notes.commands)
    taken = [line for line in machines.logged() if line["event"] == "table_opened"]
    took_s = time.monotonic() - began
    revealed = sum(note.does == "reveal" and note.number > 0 for note in notes.commands)
    seen = acknowledged, len(taken), len(notes.cards), revealed, notes.contributed
    return Outcome(done, *seen, stood_s, took_s, findings)


def _crowding() -> float:
    """Return how many processes share a core, 1 at least: each of them takes so much longer."""
    return max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1))


async def _alive(notes: Notes, tasks: list[asyncio.Task[None]], *, since_s: float) -> float:
    """Wait until every table has answered since then; return how long it took the last one."""
    until_s = time.monotonic() + ALIVE_S
    while True:
        for task in tasks:
            if task.done():
                task.result()
        first = {t: said[bisect_left(said, since_s) :][:1] for t, said in notes.answered_s.items()}
        if all(first.values()):
            return max(answered_s for (answered_s,) in first.values()) - since_s
        if time.monotonic() > until_s:
            notes.faults.append(f"{[t for t, said in first.items() if not said]} stand still")
            return ALIVE_S
        await asyncio.sleep(0.05)


# ---------------------------------------------------------------- the checker


def checked(machines: Machines, notes: Notes) -> list[str]:
    """Hold the ledger to what players noted."""
    store = open_postgres(machines.database)
    try:
        with store.reading() as view, store.snapshot() as session:
            found = [str(fault) for fault in verify(view, rules_of).faults]
            for note in notes.commands:
                answer = view.answer(note.id)
                if note.number and (answer is None or answer.number != note.number):
                    found.append(f"{note.id} was acknowledged as {note.number}: {answer}")
            epochs = defaultdict[str, list[int]](list)
            rows = session.rows(
                "SELECT stream, epoch FROM events WHERE epoch IS NOT NULL ORDER BY stream, number"
            )
            for stream, epoch in rows:
                epochs[stream].append(epoch)
            found += [f"epochs of {s} fall" for s, seen in epochs.items() if seen != sorted(seen)]
            if sum(view.balances().values()):
                found.append("the balances don't sum to zero")
            if view.balance(account("meter", METER)) is None:
                found.append("the meter is gone")
            sql = "SELECT count(*) FROM entries WHERE code = ?"
            ((notes.contributed,),) = session.rows(sql, ("rise",))
            found += _written_late(machines, session)
    finally:
        store.close()
    found += _out_of_order(notes) + _old_looks(notes)
    return found + _two_owners(machines) + _crashes(machines)


def _written_late(machines: Machines, session: Any) -> list[str]:
    """Return events of an older epoch that were stored after a new owner had read the journal."""
    found = []
    for line in machines.logged():
        if line["event"] != "table_opened":
            continue
        table, epoch, number = line["table"], line["epoch"], line["number"]
        sql = "SELECT number FROM events WHERE stream = ? AND number > ? AND epoch < ?"
        late = [row[0] for row in session.rows(sql, (table, number, epoch))]
        if late:
            found.append(f"{table}: {late[:3]} were stored after epoch {epoch} began at {number}")
    return found


def _old_looks(notes: Notes) -> list[str]:
    """Return where a player was shown less than had been acknowledged before."""
    found = []
    for table in TABLES:
        done = [note for note in notes.commands if note.table == table and note.number]
        ended = sorted(done, key=lambda note: note.ended_s)
        known = [0, *accumulate((note.number for note in ended), max)]
        for look in notes.looks:
            before = bisect_left(ended, look.began_s, key=lambda note: note.ended_s)
            if look.table == table and look.number < known[before]:
                found.append(f"{table} was shown at {look.number} after {known[before]}")
    return found


def _out_of_order(notes: Notes) -> list[str]:
    """Return commands that began after another was acknowledged, and got a lower number."""
    found = []
    by_table = defaultdict[str, list[Note]](list)
    for note in notes.commands:
        if note.number:
            by_table[note.table].append(note)
    for table, done in by_table.items():
        highest, ended = 0, sorted(done, key=lambda note: note.ended_s)
        at = 0
        for note in sorted(done, key=lambda note: note.began_s):
            while ended[at].ended_s < note.began_s:
                highest = max(highest, ended[at].number)
                at += 1
            if note.number <= highest:
                found.append(f"{table}: {note.id} got {note.number} after {highest}")
    return found


def _two_owners(machines: Machines) -> list[str]:
    """Return the epochs of tables that two nodes had."""
    owners = defaultdict[tuple[str, int], set[str]](set)
    for line in machines.logged():
        if line["event"] == "table_opened":
            owners[line["table"], line["epoch"]].add(line["node"])
    return [f"{key} is {sorted(nodes)}'s" for key, nodes in owners.items() if len(nodes) > 1]


def _crashes(machines: Machines) -> list[str]:
    """Return errors in the logs; a commit that was cut is none, and is asked again."""
    logged = [
        line
        for line in machines.logged()
        if line["level"] == "error" or line["event"] == "events_lost"
    ]
    return [str(line) for line in logged if line.get("error") != "Unsure"][:3]
