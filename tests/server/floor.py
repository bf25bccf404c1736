"""A pit without sockets: players ask their tables, and the dealer goes on when a test says so."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from croupier.errors import Refused
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.verify import verify
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from croupier.server import talk
from croupier.server.backroom import Backroom, Clocks, hand_over
from croupier.server.config import Config, parse_config
from croupier.server.live import LiveTable
from croupier.server.messages import message_from
from croupier.server.outbox import Viewer
from croupier.server.pit import Pit
from croupier.server.scene import Scene, patched
from tests.rules.books import book

KEY = bytes(range(32))
FAST = "bets = 60\ndecide = 60\ngrace = 60\nshow = 0\npause = 0\nbank = 60\nround_min = 0\n"
_ids = count()


@cache
def _rules(rulebook: str, selections: str) -> TableRules:
    return resolve(book(rulebook), json.loads(selections))


def rules_of(rulebook: str, selections: Mapping[str, Any]) -> TableRules:
    return _rules(rulebook, json.dumps(dict(selections), default=str, sort_keys=True))


def one_table(rulebook: str, selections: str = "", *, timing: str = FAST, more: str = "") -> Config:
    """A house with one table, called t."""
    text = (
        f'[[table]]\nid = "t"\nrulebook = "{rulebook}"\n{more}\n'
        f"[table.timing]\n{timing}\n[table.selections]\n{selections}\n"
    )
    return parse_config(text, rules_of)


@dataclass
class Clock:
    """Clocks that a test sets."""

    now_s: float = 1_000_000.0

    def read(self) -> float:
        return self.now_s

    @property
    def clocks(self) -> Clocks:
        return Clocks(self.read, self.read, self.read)


@dataclass
class Player:
    """Somebody who looks at a table and asks it for things."""

    table: LiveTable
    id: str
    scene: Scene = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)
    felt: dict[str, Any] = field(default_factory=dict)
    frames: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.viewer = Viewer(self.id or None, self.id)
        self.table.welcome(self.viewer, None)

    async def ask(self, type: str, **fields: Any) -> int:
        """Ask for something and return the number of the last event."""
        id = fields.pop("id", None) or f"c{next(_ids)}"
        message, digest = message_from(json.dumps({"type": type, "id": id, **fields}))
        return await self.table.handle(self.id, message, digest)

    async def look(self) -> Scene:
        """Read all that arrived, as a page does."""
        while self.viewer.waiting:
            for text in await self.viewer.frames():
                frame = json.loads(text)
                self.frames.append(frame)
                match frame["type"]:
                    case "welcome":
                        self.own = frame["own"]
                        if frame["scene"] is not None:
                            self.scene, self.felt = frame["scene"], frame["felt"]
                    case "news":
                        self.scene = patched(self.scene, frame["scene"])
                    case "own":
                        self.own = frame["own"]
        return self.scene


async def answered(table: LiveTable, viewer: Viewer, text: str | bytes) -> str:
    """Say something as a socket does, and return the frame that answers it."""
    frame: asyncio.Future[str] = asyncio.get_running_loop().create_future()
    talk.answer(table, viewer, text, reply=partial(hand_over, frame))
    return await frame


async def deal_on(table: LiveTable) -> str | None:
    """Let the dealer do what is next, without waiting for it; say what that was."""
    table._look()
    if (wait := table._wait) is None:
        return None
    await table._do(wait)
    return wait.does


async def deal_until(table: LiveTable, phase: str) -> None:
    """Let the dealer go on until a phase begins."""
    for _ in range(50):
        if table.scene()["phase"] == phase:
            return
        if await deal_on(table) is None:
            break
    assert table.scene()["phase"] == phase


@asynccontextmanager
async def pit_at(
    file: Path, config: Config, *, key: bytes = KEY, clock: Clock | None = None
) -> AsyncIterator[Pit]:
    """Open a pit whose tables deal only when a test says so."""
    room = Backroom(SqliteStore(file, make=True), key, (clock or Clock()).clocks)
    pit = Pit(config, room, rules_of)
    await pit.start(deals=False)
    try:
        yield pit
    finally:
        await pit.stop()
        room.close()


async def seated(pit: Pit, *seats: int, table: str = "t") -> list[Player]:
    """Seat a player with chips at each of these seats."""
    players = []
    for seat in seats:
        player = Player(pit.tables[table], f"p{seat}")
        await pit.fill(player.id, 1_000_00)
        await player.ask("sit", seat=seat)
        players.append(player)
    return players


def wagers(player: Player) -> Iterator[dict[str, Any]]:
    """Yield the wagers of a felt that are made before the deal."""
    yield from (w for w in player.felt["wagers"] if w["placed"] == "before the deal")


Scenario = Callable[[Pit], Coroutine[Any, Any, None]]


def play(tmp_path: Path, config: Config, scenario: Scenario, *, clock: Clock | None = None) -> None:
    """Play a scenario at a new house, and audit its ledger afterwards."""

    async def run() -> None:
        async with pit_at(tmp_path / "ledger.db", config, clock=clock) as pit:
            await scenario(pit)
            found = await pit.room.read(lambda view: verify(view, rules_of))
            assert found.faults == ()
            kept = await pit.room.read(lambda view: view.balances())
            assert kept == {k: v for k, v in pit.room.balances().items() if v or k in kept} | {
                k: 0 for k in kept if k not in pit.room.balances()
            }

    asyncio.run(run())


async def bet_all(player: Player, seat: int) -> None:
    """Bet the least on everything that is offered before the deal."""
    await player.look()
    for wager in wagers(player):
        least = (wager["sizes"] or wager["limits"] or ["10.00"])[0]
        hand = {"hand": 1} if player.felt["shared_hands"] else {}
        cents = int(least.replace(".", ""))
        await player.ask("bet", seat=seat, wager=wager["wager"], cents=cents, **hand)


async def first_bet(player: Player, seat: int) -> None:
    await player.look()
    wager = next(wagers(player))["wager"]
    await player.ask("bet", seat=seat, wager=wager, cents=10_00)


async def refused(ask: Coroutine[Any, Any, int]) -> Refused:
    with pytest.raises(Refused) as error:
        await ask
    return error.value


async def opened(pit: Pit, *seats: int) -> list[Player]:
    """Seat players and open a round; the first one in turn banks where players do."""
    players = await seated(pit, *seats)
    table = pit.tables["t"]
    if turn := table.scene()["bank_turn"]:
        banker = next(p for p in players if p.id == f"p{turn}")
        await banker.ask("bank", seat=turn, funds=200_00)
    await deal_until(table, "bets")
    return players
