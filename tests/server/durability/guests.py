"""Players who come over real sockets, note every answer, and come back after each death."""

import asyncio
import json
import random
from collections.abc import Iterator
from typing import Any

from websockets.exceptions import WebSocketException

from croupier.client import Client, TableClient
from croupier.errors import Refused
from tests.server.durability.houses import House
from tests.server.durability.witness import EFFECTS, UNDECIDED, Sent, Witness, undecided

BROKEN = (ConnectionError, TimeoutError, OSError, WebSocketException)
VOLATILE = ("seats", "meters")
"""What of a scene may change without an event of the table's."""
LEAVES, BUYS = 0.03, 0.02
PAUSE_S = 0.3
"""How long to wait before coming back to a server that is up: with PostgreSQL, a table is leased
to the server that died until the lease expires."""


class Trigger:
    """Kills the server after so many answers or commands."""

    def __init__(self, house: House) -> None:
        self.house = house
        self.up, self.down = asyncio.Event(), asyncio.Event()
        self.left, self.on = 0, "done"
        self.drains = False

    def arm(self, on: str, count: int) -> None:
        self.on, self.left = on, count
        self.down.clear()
        self.up.set()

    def note(self, what: str) -> None:
        """Something was sent or answered."""
        if what != self.on or not self.up.is_set() or self.drains:
            return
        self.left -= 1
        if self.left <= 0:
            self.up.clear()
            self.house.kill()
            self.down.set()


class Guest:
    """Plays one seat at random, with ids that it knows."""

    def __init__(self, trigger: Trigger, witness: Witness, *, table: str, seat: int) -> None:
        self.trigger, self.witness, self.seat = trigger, witness, seat
        self.client = Client(trigger.house.address)
        self.table = TableClient(self.client, table, watch=False)
        self.table.on_frame = self._heard
        self.rng = random.Random(f"{table} {seat}")
        self.waiting: Sent | None = None
        self.old: list[Sent] = []
        self.number = 0
        self.away = asyncio.Event()
        self._seen: Any = None

    @property
    def player(self) -> str:
        assert self.client.person
        return str(self.client.person["id"])

    def _heard(self, frame: str) -> None:
        said = json.loads(frame)
        if said["type"] not in ("done", "refused"):
            return
        command = f"{self.player}/{said['id']}"
        sent = self.witness.sent.get(command)
        if sent and not undecided(said):
            sent.frames.append(frame)
            self.witness.fresh.add(command)
        self.trigger.note(said["type"])

    # ------------------------------------------------------------ coming and going

    async def play(self) -> None:
        """Play whenever the server is up, until cancelled."""
        while True:
            self.away.set()
            await self.trigger.up.wait()
            self.away.clear()
            try:
                await self._visit()
            except BROKEN:
                pass
            except Refused as refused:
                if refused.code not in UNDECIDED:
                    raise
            await asyncio.sleep(PAUSE_S if self.trigger.up.is_set() else 0)

    async def _visit(self) -> None:
        self.client.address = self.trigger.house.address
        if self.client.person is None:
            await self.client.guest()
            self.witness.guests.add(self.player)
        before = self.table.v, dict(self.table.scene), dict(self.table.own)
        if self.rng.random() < 0.5:
            self.table.v = -1  # As if it came for the first time.
        await self.table.connect()
        self._compare(*before)
        self._seen = None
        if self.waiting:
            await self._ask(self.waiting)
        elif self.old:
            await self._ask(self.rng.choice(self.old))
        async for _ in self.table.changes():
            for body in self._moves():
                await self._say(**body)
            if self.rng.random() < BUYS and not self.trigger.drains:
                await self._buy()

    def _compare(self, v: int, scene: dict[str, Any], own: dict[str, str]) -> None:
        """Where nothing has happened since, the view is the one before."""
        now, witness = self.table, self.witness
        if scene and scene["round"] == now.scene["round"] and now.own:
            same = {place: now.own.get(place) for place in own}
            witness.expect(own == same, f"{self.player} had {own}, and has {now.own}")
        if v != now.v:
            return
        for key in scene.keys() - set(VOLATILE):
            then, there = scene[key], now.scene[key]
            witness.expect(then == there, f"{self.player} saw {key} {then}, and sees {there}")
        witness.compared += 1

    # ------------------------------------------------------------ commands

    async def _say(self, type: str, **fields: Any) -> bool:
        """Ask for something under an id of its own; it is asked again until there is an answer."""
        self.number += 1
        sent = Sent(self.table.id, {"type": type, "id": f"{self.seat}-{self.number}", **fields})
        if type in EFFECTS:
            self.witness.sent[f"{self.player}/{sent.body['id']}"] = sent
        self.waiting = sent
        return await self._ask(sent)

    async def _buy(self) -> None:
        """Fill the purse up at the cage, where something is missing from it."""
        chips = self.witness.chips.setdefault(self.player, [1, 1])
        chips[0] += 1
        try:
            await self.client.post("/api/chips")
        except Refused:
            chips[0] -= 1
        else:
            chips[1] += 1

    async def _ask(self, sent: Sent) -> bool:
        asking = asyncio.ensure_future(self.table.ask(sent.body))
        await asyncio.sleep(0)
        self.trigger.note("sent")
        try:
            await asking
        except Refused as refused:
            if refused.code in UNDECIDED:
                await asyncio.sleep(0.2)
                return await self._ask(sent)
            self.waiting = None
            return False
        self.waiting = None
        if sent.body["type"] in EFFECTS:
            self.old = [*self.old[-20:], sent]
        return True

    # ------------------------------------------------------------ what to do

    def _moves(self) -> Iterator[dict[str, Any]]:
        """Yield what to ask for next, once for each state of the table."""
        scene, seat = self.table.scene, self.seat
        mine = scene["seats"].get(str(seat))
        keys = ("round", "phase", "step", "asked", "bank_turn")
        seen = [*(scene[key] for key in keys), mine is None]
        if seen == self._seen:
            return
        self._seen = seen
        if mine is None:
            if not self.trigger.drains:
                yield {"type": "sit", "seat": seat}
        elif scene["phase"] == "decide" and scene["asked"] == seat:
            options = [choice["option"] for choice in scene["choices"]]
            self.rng.shuffle(options)
            yield from ({"type": "choose", "seat": seat, "option": option} for option in options)
        elif self.trigger.drains:
            # Alone, a player's bets stay open until the press of Deal.
            if scene["phase"] == "bets" and str(seat) in scene["boxes"]:
                yield {"type": "ready", "seat": seat}
        elif scene["bank_turn"] == seat:
            yield from self._banking()
        elif scene["phase"] == "bets" and (scene["banker"] or {}).get("seat") != seat:
            yield from self._betting()
        elif scene["phase"] == "over" and self.rng.random() < LEAVES:
            yield {"type": "leave", "seat": seat}

    def _banking(self) -> Iterator[dict[str, Any]]:
        if self.table.scene["passes"] and self.rng.random() < 0.1:
            yield {"type": "pass", "seat": self.seat}
        yield {"type": "bank", "seat": self.seat, "funds": self.rng.randrange(100, 900) * 100}

    def _betting(self) -> Iterator[dict[str, Any]]:
        seat, felt = self.seat, self.table.felt
        hands = felt["shared_hands"]
        where = {"hand": seat % hands + 1} if hands else {}
        for wager in felt["wagers"]:
            name, limits, sizes = wager["wager"], wager["limits"], wager["sizes"]
            if not limits and not sizes:
                continue
            least = int((limits or sizes)[0].replace(".", ""))
            cents = least if sizes else least * self.rng.randint(1, 3)
            bet = {"type": "bet", "seat": seat, "wager": name, "cents": cents, **where}
            yield bet
            if self.rng.random() < 0.1:
                yield {"type": "take_down", "seat": seat, "wager": name}
                yield bet
        yield {"type": "ready", "seat": seat}

    @property
    def is_settled(self) -> bool:
        """Whether nothing is asked for any more, and nothing of a round is left on the table."""
        if not self.table.is_open or self.waiting is not None or self.away.is_set():
            return False
        phase, boxes = self.table.scene["phase"], self.table.scene["boxes"]
        return phase in ("over", "waiting") or (phase == "bets" and not boxes)
