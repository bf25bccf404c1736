"""A pit in this process whose dealer moves only when told, by a clock that is moved."""

import asyncio
import contextlib
import json
import random
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

from croupier.client import Client, TableClient
from croupier.gallery.galleries import Galleries
from croupier.gallery.outbox import Viewer
from croupier.house.books import Books, Clocks
from croupier.house.pit import Pit
from croupier.house.signing import Signing
from croupier.house.table import Table
from croupier.ledger.stores.protocol import Store
from croupier.rules.table_rules import TableRules
from croupier.table.state import bank_order
from tests.house.floor import answered
from tests.server.durability.tables import config_of, rules_of

KEY, OTHER_KEY = bytes(range(32)), bytes(range(1, 33))
TIMING = "{ bets = 20, decide = 10, grace = 30, show = 1, pause = 5, bank = 20, round_min = 5 }"
CHIPS = 5_000_00


class Clock:
    """Time that stands still until it is moved."""

    def __init__(self) -> None:
        self.now_s = 1_700_000_000.0

    def __call__(self) -> float:
        return self.now_s

    @property
    def clocks(self) -> Clocks:
        return Clocks(self, self, self)


class Screen(TableClient):
    """What somebody at a table sees, put together from frames as a client does it."""

    def __init__(self, galleries: Galleries, table: str, player: str | None) -> None:
        super().__init__(Client(""), table, watch=player is None)
        self.player, self.galleries, self.at = player, galleries, table
        self.viewer = Viewer(player, player or "")
        self.said: list[str] = []

    def enter(self, last: int | None = None) -> None:
        """Look on, from the beginning or from what was seen last."""
        self.viewer = Viewer(self.player, self.player or "")
        self.galleries.welcome(self.viewer, self.at, last)
        self.look()

    def leave(self) -> None:
        self.galleries.farewell(self.viewer, self.at)

    def look(self) -> None:
        """Take in the frames that wait."""
        for frame in self.viewer.take():
            self.said.append(frame)
            self._take(frame)

    @property
    def view(self) -> dict[str, Any]:
        """All that is to be seen, except who else is there just now."""
        self.look()
        seats = {seat: one["player"] for seat, one in self.scene["seats"].items()}
        return {"scene": {**self.scene, "seats": seats}, "own": self.own, "cents": self.cents}


class Floor:
    """A pit and those who play there."""

    def __init__(
        self,
        store: Store,
        id: str,
        *,
        clock: Clock | None = None,
        key: bytes = KEY,
        seed: str = "",
        signing: Signing | None = None,
    ) -> None:
        self.store, self.id, self.clock = store, id, clock or Clock()
        self.rng = random.Random(f"{id} {seed}")
        self.books = Books(store, key, self.clock.clocks, entropy=self.rng.randbytes)
        self.players = f"{id}-ada", f"{id}-bob"
        config = config_of((id,), timing=TIMING)
        self.pit = Pit(config, self.books, rules_of, signing=signing)
        self.galleries = Galleries(self.pit)
        self.screens: dict[str, Screen] = {}
        self.watcher: Screen
        self.asked = 0
        self.locked = ""
        """Why the open round waited for its key; an operator gives it up at once."""

    @property
    def table(self) -> Table:
        return self.pit.tables[self.id]

    @property
    def rules(self) -> TableRules:
        return self.table.place.standing.table.rules

    @asynccontextmanager
    async def opened(self) -> AsyncIterator["Floor"]:
        await self.open()
        try:
            yield self
        finally:
            await self.close()

    async def open(self) -> None:
        """Stand the table up from its journal; its dealer does nothing unless told."""
        await self.pit.start(deals=False)
        if self.id not in self.pit.tables:
            self.locked = self.pit.closed.because(self.id) or ""
            await self.pit.open.give_up(self.id, by="boss")
        self.galleries.open()
        for player in self.players:
            await self.pit.cage.fill(player, 0 if self.books.purse_cents(player) else CHIPS)
            self.screens[player] = Screen(self.galleries, self.id, player)
        self.watcher = Screen(self.galleries, self.id, None)
        for screen in (*self.screens.values(), self.watcher):
            screen.enter()
        for screen in self.screens.values():
            screen.look()

    async def close(self) -> None:
        await self.pit.stop()
        self.books.close()

    # ------------------------------------------------------------ acts

    async def say(self, player: str, body: dict[str, Any]) -> dict[str, Any]:
        """Ask for something as somebody at the table does, and return what is answered."""
        frame = await self.said(player, body)
        answered: dict[str, Any] = json.loads(frame)
        return answered

    async def said(self, player: str, body: dict[str, Any]) -> str:
        return await answered(self.table, self.screens[player].viewer, json.dumps(body))

    async def deal(self) -> bool:
        """Let the time pass that the dealer waits, and let it do what it waits for."""
        due_ms = self.table.notes.clock.due_ms
        if due_ms is None:
            return False
        self.clock.now_s = max(self.clock.now_s, due_ms / 1000 + 0.001)
        await self.pit.dealers[self.id].do_next()
        return True

    async def sure(self) -> None:
        """Let the table find out what its journal holds."""
        self.books.ring(self.table)
        await self.books.idle()

    async def act(self) -> bool:
        """Let a player or the dealer do one thing; return whether there was one to do."""
        asked = next(self.moves(), None)
        if asked is None:
            return await self.deal()
        said = await self.say(*asked)
        assert said["type"] == "done", (asked, said)
        return True

    def moves(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield what players do next, each once: sit, bank, bet on everything, and stay in."""
        standing, round = self.table.place.standing, self.table.place.standing.in_play
        seats = {player: seat for seat, player in enumerate(self.players, 1)}
        for player, seat in seats.items():
            if standing.table.seats.get(seat) != player:
                yield player, self.body("sit", seat=seat)
        if round is None:
            order = bank_order(standing.table)
            if self.rules.banked_by == "player" and not standing.table.banker and order:
                who = standing.table.seats[order[0]]
                yield who, self.body("bank", seat=order[0], funds=1_000_00)
            return
        if round.stage and round.stage.do == "bets":
            for player, seat in seats.items():
                if round.banker is None or round.banker.seat != seat:
                    yield from ((player, body) for body in self.bets(seat))
        elif round.asked and not round.due:
            seat = round.asked[0]
            assert round.step
            option = self.rng.choice(list(round.step.option))
            yield self.players[seat - 1], self.body("choose", seat=seat, option=option)

    def bets(self, seat: int) -> Iterator[dict[str, Any]]:
        """Yield the bets that a seat has still to make: the least of every wager."""
        round, felt = self.table.place.standing.in_play, self.galleries[self.id].felt
        box = round.boxes.get(seat) if round else None
        where = {"hand": seat} if felt["shared_hands"] else {}
        for wager in felt["wagers"]:
            least = wager["limits"] or wager["sizes"]
            made = box and any(spot in box.stakes for spot in wager["spots"])
            if least and not made:
                cents = int(least[0].replace(".", ""))
                yield self.body("bet", seat=seat, wager=wager["wager"], cents=cents, **where)

    def body(self, type: str, **fields: Any) -> dict[str, Any]:
        self.asked += 1
        return {"type": type, "id": f"c{self.table.number}.{self.asked}", **fields}

    async def until(self, doing: str) -> None:
        """Play on until the dealer is to do something."""
        while True:
            wait = self.table.notes.clock.wait
            if next(self.moves(), None) is None and wait and wait.does == doing:
                return
            assert await self.act()

    async def rounds(self, number: int) -> None:
        """Play on until so many rounds are over."""
        while self.table.rounds < number or self.table.place.standing.in_play:
            assert await self.act()


def run(work: Any) -> Any:
    """Run a test that is asynchronous."""
    with contextlib.suppress(asyncio.CancelledError):
        return asyncio.run(work)
    raise AssertionError("it was cancelled")
