"""Players of a simulated house: the real client, which reconnects, over delayed connections."""

import asyncio
from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from hashlib import sha256
from random import Random
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import orjson

from croupier.client import TableClient
from croupier.fairness import contribution_hash
from croupier.gallery.outbox import Viewer
from croupier.server.calls import Calls
from croupier.server.talk import Talk
from tests.server.durability.tables import metered
from tests.whole.links import UNLIMITED, scope_of
from tests.whole.loop import NOBODYS, Process

if TYPE_CHECKING:
    from tests.whole.house import Node, World

ASK_S, AWAY_S = 6.0, (0.2, 2.0)
DELAY_S = (0.01, 0.15)
PAGE_S = (0.0, 0.3)
"""How long a page takes before it acts by itself."""
AT_OWNER, WITHHELD = 0.3, 0.05
ANSWERS, SHOWS = ("done", "refused"), ("welcome", "news", "own")


@lru_cache(1024)
def read(frame: str) -> dict[str, Any]:
    """Parse a frame once for everybody who receives it; nobody changes the result."""
    said: dict[str, Any] = orjson.loads(frame)
    return said


class Connection:
    """A socket between a player and a node, with delays both ways."""

    writable = SimpleNamespace(is_set=lambda: True)

    def __init__(self, world: "World", node: "Node", player: "Player") -> None:
        self.world, self.node, self.player = world, node, player
        self.open = True
        self._arrives_s = [0.0, 0.0]
        self._rng = Random(player.rng.random())  # Viewers are told in no certain order.
        node.connections.add(self)

    def hold(self) -> None:
        """Do nothing: nobody sends so much that it has to wait."""

    go_on = hold

    def _later(self, way: int, call: Callable[..., None], *args: Any, of: Process | None) -> None:
        """Call something after the network's delay, in order."""
        loop = self.world.loop
        delay_s = self._rng.uniform(*DELAY_S)
        when = max(loop.time() + delay_s, self._arrives_s[way] + 1e-6)
        self._arrives_s[way] = when
        loop.call_at(when, call, *args, context=of.context if of else NOBODYS)

    def begin(self, table: str, last: int | None) -> None:
        """Ask the node for a table."""
        self._later(0, self._welcome, table, last, of=self.node.process)

    def _welcome(self, table: str, last: int | None) -> None:
        node = self.node
        wire: Any = self
        if node.ready and node.pit.has(table) and table in node.galleries:
            self.viewer = Viewer(self.player.id, self.player.id)
            self._hears = Talk(node.pit.tables[table], self.viewer, wire, rate=UNLIMITED).hear
            node.galleries.welcome(self.viewer, table, last)
            self._leaves = partial(self._leave, table)
        elif calls := self._calls(table):
            self.viewer = Viewer(None)
            number = calls.open(scope_of(table, self.player.id, last), self.viewer, wire)
            self._hears = partial(calls.hear, number=number)
            self._leaves = partial(calls.gone, number)
            self.world.reached["through a link"] += 1
        else:
            self.end()
            return
        self.viewer.attach(wire, put=node.galleries.mail.put, close=self.end)

    def _calls(self, table: str) -> Calls | None:
        """Return a link to the process that the node takes for the table's owner."""
        node = self.node
        owner = node.pit.leases.roster.owner(table) if node.ready else None
        named = [one for one in self.world.nodes if owner and one.tenancy_name == owner.name]
        return self.world.calls(node, named[0]) if named and named[0] is not node else None

    def write(self, frames: Sequence[str]) -> None:
        self._later(1, self._arrive, frames, of=None)

    def _arrive(self, frames: Sequence[str]) -> None:
        for frame in frames:
            if self.open:
                self.player.hear(frame)

    def say(self, text: str) -> None:
        self._later(0, self._hear, text, of=self.node.process)

    def _hear(self, text: str) -> None:
        if self.open and hasattr(self, "_hears"):
            self._hears(text)

    def end(self) -> None:
        """Close the connection; both ends learn of it after what is in flight."""
        self._later(1, self.cut, of=None)

    def cut(self) -> None:
        if not self.open:
            return
        self.open = False
        self.node.connections.discard(self)
        self.player.lost()
        if hasattr(self, "viewer"):
            self._later(0, self._leaves, of=self.node.process)

    def _leave(self, table: str) -> None:
        if table in self.node.galleries:
            self.node.galleries.farewell(self.viewer, table)


class Player:
    """Plays one seat at random; reconnects and asks again, whatever happens."""

    def __init__(self, world: "World", table: str, seat: int) -> None:
        self.world, self.seat, self.id = world, seat, f"{table}.{seat}"
        me: Any = SimpleNamespace(person={"id": self.id})
        self.table = TableClient(me, table, watch=False)
        self.rng = Random(f"{world.seed} {self.id}")
        self.connection: Connection | None = None
        self.stops = False
        self.trace = sha256()
        self.asked: dict[str, Any] | None = None
        self._count, self._revealed = 0, ""
        self._bets: set[tuple[str, str]] = set()
        """The wagers made in the round."""
        self._changed = asyncio.Event()

    def hear(self, frame: str) -> None:
        self.trace.update(frame.encode())
        self.world.frames += 1
        said = read(frame)
        self.table.hear(said)
        if self.asked and said["type"] in ANSWERS and said["id"] == self.asked["id"]:
            self._answered(said)
        self._look(said["type"])
        if self.asked is None and (self.stops or self._may_move()):
            self._changed.set()

    def _answered(self, said: dict[str, Any]) -> None:
        assert self.asked
        if said["type"] == "refused" and said["code"] == "unavailable":
            return
        if said["type"] == "done" and self.asked["type"] != "ready":
            self.world.note(f"{self.id}/{said['id']}", said["v"])
        self.world.reached[f"{self.asked['type']} {said.get('code', 'done')}"] += 1
        self.asked = None

    def _look(self, told: str) -> None:
        scene = self.table.scene
        if not scene or told not in SHOWS:
            return
        self.world.see(scene)
        for place, face in self.table.own.items():
            key = scene["round"], self.id, place
            if self.world.cards.setdefault(key, face) != face:
                self.world.findings.append(f"{key} was {self.world.cards[key]}, and is {face}")

    def lost(self) -> None:
        self.connection = None
        self._changed.set()

    async def play(self) -> None:
        """Play until told to stop."""
        while not (self.stops and self.asked is None):
            if self.connection is None:
                await asyncio.sleep(self.rng.uniform(*AWAY_S))
                self._connect()
            elif self.asked is not None or not self._may_move():
                await self._wait()
            else:
                think_s = PAGE_S if self._may_cut() else self.world.think_s
                await asyncio.sleep(self.rng.uniform(*think_s))
                self._say()

    def _say(self) -> None:
        """Think, then send what still has to be done."""
        if self.connection is None or (move := self._move()) is None:
            return
        self._count += 1
        self.asked = {**move, "id": str(self._count)}
        self.connection.say(orjson.dumps(self.asked).decode())

    def _connect(self) -> None:
        nodes = [node for node in self.world.nodes if node.ready]
        if not nodes:
            return
        owner = self.world.owner(self.table.id)
        here = owner in nodes and self.rng.random() < AT_OWNER
        node = owner if owner and here else self.rng.choice(nodes)
        self.connection = Connection(self.world, node, self)
        last = self.table.v if self.table.v >= 0 and self.rng.random() < 0.7 else None
        self.connection.begin(self.table.id, last)
        if self.asked is not None:  # It is asked again, by the same id.
            self.connection.say(orjson.dumps(self.asked).decode())

    async def _wait(self) -> None:
        self._changed.clear()
        try:
            async with asyncio.timeout(ASK_S if self.asked else 30.0):
                await self._changed.wait()
        except TimeoutError:
            if self.asked is not None and self.connection is not None:
                self.connection.cut()

    def _may_move(self) -> bool:
        """Whether there may be something to do; thinking decides what."""
        scene, seat = self.table.scene, self.seat
        if not scene:
            return False
        mine = scene["seats"].get(str(seat))
        match scene["phase"]:
            case _ if mine is None:
                return not self.stops
            case "decide":
                return bool(scene["asked"] == seat)
            case _ if self.stops:
                return False
            case "bets":
                banks = (scene["banker"] or {}).get("seat") == seat
                return not (mine.get("ready") or banks) or self._may_cut()
            case "dealing":
                return self._may_cut()
        return bool(scene["bank_turn"] == seat)

    def _move(self) -> dict[str, Any] | None:
        scene, seat = self.table.scene, self.seat
        if not scene:
            return None
        mine = scene["seats"].get(str(seat))
        if mine is None:
            return None if self.stops else {"type": "sit", "seat": seat}
        if scene["phase"] == "decide" and scene["asked"] == seat:
            options = [choice["option"] for choice in scene["choices"]]
            return {"type": "choose", "seat": seat, "option": self.rng.choice(options)}
        if self.stops:
            return None
        if scene["bank_turn"] == seat:
            return {"type": "bank", "seat": seat, "funds": 500_00}
        banks = (scene["banker"] or {}).get("seat") == seat
        if cut := self._cut(scene):
            return cut
        if scene["phase"] != "bets" or mine.get("ready") or banks:
            return None
        return self._bet(scene["round"]) or {"type": "ready", "seat": seat}

    def _may_cut(self) -> bool:
        """Whether the page of a seated player has to contribute or reveal."""
        scene = self.table.scene
        if not scene or str(self.seat) not in scene["seats"]:
            return False
        is_in = self.id in scene["cut"]["hashes"]
        if scene["phase"] == "dealing":
            return is_in and self._revealed != scene["round"]
        return scene["phase"] == "bets" and not is_in

    def _cut(self, scene: dict[str, Any]) -> dict[str, Any] | None:
        """Contribute to the cut, and reveal it unless it is withheld."""
        if not self._may_cut():
            return None
        round = scene["round"]
        secret = sha256(f"{self.id} in {round}".encode()).hexdigest()
        if scene["phase"] == "bets":
            hash = contribution_hash(round, self.id, secret)
            return {"type": "contribute", "round": round, "hash": hash}
        if scene["phase"] == "dealing":
            self._revealed = round
            if self.rng.random() > WITHHELD:
                return {"type": "reveal", "round": round, "value": secret}
        return None

    def _bet(self, round: str) -> dict[str, Any] | None:
        """Bet once on the first wager, and on those that contribute to a meter."""
        felt = self.table.felt
        first, hands = felt["wagers"][0], felt["shared_hands"]
        least = int((first["limits"] or first["sizes"])[0].replace(".", ""))
        for wager, cents in {first["wager"]: least, **metered(felt)}.items():
            if (round, wager) not in self._bets:
                self._bets = {bet for bet in self._bets if bet[0] == round} | {(round, wager)}
                bet = {"type": "bet", "seat": self.seat, "wager": wager, "cents": cents}
                return {**bet, "hand": self.seat % hands + 1} if hands else bet
        return None
