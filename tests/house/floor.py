"""A pit without sockets: players ask their tables, and the dealer goes on when a test says so."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from croupier.errors import ParseError, Refused
from croupier.gallery.galleries import Galleries
from croupier.gallery.outbox import Viewer
from croupier.gallery.scene import Scene, patched, scene_of
from croupier.house.books import Books, Clocks
from croupier.house.config import Config, parse_config
from croupier.house.pit import Pit
from croupier.house.seat_codes import needs_code
from croupier.house.table import Table
from croupier.house.tasks import cancel
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.verify import verify
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from croupier.server import talk
from tests.rules.books import book

KEY = bytes(range(32))
FAST = "bets = 60\ndecide = 60\ngrace = 60\nshow = 0\npause = 0\nbank = 60\nround_min = 0\n"
_ids = count()


@cache
def _rules(rulebook: str, selections: str, things: Any) -> TableRules:
    return resolve(book(rulebook), json.loads(selections), things=things)


def rules_of(rulebook: str, selections: Mapping[str, Any], things: Any = ()) -> TableRules:
    given = json.dumps(dict(selections), default=str, sort_keys=True)
    return _rules(rulebook, given, tuple(things))


def one_table(
    rulebook: str, selections: str = "", *, timing: str = FAST, more: str = "", id: str = "t"
) -> Config:
    """A house with one table, called t."""
    text = (
        f'[[table]]\nid = "{id}"\nrulebook = "{rulebook}"\n{more}\n'
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


class OpenPit(Pit):
    """A pit that can be looked at."""

    def __init__(self, config: Config, books: Books, **options: Any) -> None:
        super().__init__(config, books, rules_of, **options)
        self.galleries = Galleries(self)
        self.dealing: list[asyncio.Task[None]] = []

    async def start(self, *, deals: bool = True) -> None:
        await super().start(deals=deals)
        self.galleries.open()

    def deal(self) -> None:
        """Let the dealers begin who weren't to deal from the start."""
        self.dealing = [asyncio.create_task(each.run()) for each in self.dealers.values()]

    async def stop(self) -> int:
        await cancel(*self.dealing)
        return await super().stop()

    def scene(self, table: str = "t") -> Scene:
        """Return what anybody may see of a table."""
        return self.galleries.scene(table)


def scene(table: Table) -> Scene:
    """Return what anybody may see of a table at which nobody has a name."""
    return scene_of(table.current(), {})


@dataclass
class Player:
    """Somebody who looks at a table and asks it for things."""

    pit: OpenPit
    table: Table
    id: str
    scene: Scene = field(default_factory=dict)
    own: dict[str, str] = field(default_factory=dict)
    felt: dict[str, Any] = field(default_factory=dict)
    frames: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.viewer = Viewer(self.id or None, self.id)
        self.pit.galleries.welcome(self.viewer, self.table.id)

    async def ask(self, type: str, **fields: Any) -> int:
        """Ask for something and return the number of the last event."""
        id = fields.pop("id", None) or f"c{next(_ids)}"
        text = json.dumps({"type": type, "id": id, **fields})
        said = json.loads(await answered(self.table, self.viewer, text))
        if said["type"] == "done":
            return int(said["v"])
        if said["code"] == "unreadable":
            raise ParseError(said["message"], field=said["field"])
        why = {key: said[key] for key in ("field", "clause")}
        raise Refused(said["code"], said["message"], **why)

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


async def answered(table: Table, viewer: Viewer, text: str | bytes, **options: Any) -> str:
    """Say something as a socket does, and return the frame that answers it."""
    frame: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    def reply(said: str | BaseException) -> None:
        if frame.done():
            return
        if isinstance(said, str):
            frame.set_result(said)
        else:
            frame.set_exception(said)

    talk.answer(table, viewer, text, reply=reply, **options)
    return await frame


async def deal_on(pit: Pit, table: str = "t") -> str | None:
    """Let the dealer do what is next, without waiting for it; say what that was.

    A player who is alone is asked to press Deal first.
    """
    at = pit.tables[table]
    now = scene(at)
    if at.notes.clock.wait is None and now["phase"] == "bets" and now["boxes"]:
        for seat, who in now["seats"].items():
            ready = {"type": "ready", "id": f"c{next(_ids)}", "seat": int(seat)}
            await answered(at, Viewer(who["player"], seat), json.dumps(ready))
    wait = await pit.dealers[table].do_next()
    return wait and wait.does


async def deal_until(pit: Pit, phase: str, table: str = "t") -> None:
    """Let the dealer go on until a phase begins."""
    for _ in range(50):
        if scene(pit.tables[table])["phase"] == phase:
            return
        if await deal_on(pit, table) is None:
            break
    assert scene(pit.tables[table])["phase"] == phase


@asynccontextmanager
async def pit_at(
    file: Path,
    config: Config,
    *,
    key: bytes = KEY,
    clock: Clock | None = None,
    opens: type[SqliteStore] = SqliteStore,
    **options: Any,
) -> AsyncIterator[OpenPit]:
    """Open a pit whose tables deal only when a test says so."""
    store = opens(file, make=True)
    books = Books(store, key, (clock or Clock()).clocks)
    pit = OpenPit(config, books, **options)
    await pit.start(deals=False)
    try:
        yield pit
    finally:
        await pit.stop()
        books.close()
        store.close()


def sitting(table: Table, seat: int) -> dict[str, Any]:
    """What a player sends to sit down: the seat, and its code where the cards are real."""
    real = needs_code(table.place.standing.table.rules)
    return {"seat": seat, **({"code": table.seat_code(seat)} if real else {})}


async def seated(pit: OpenPit, *seats: int, table: str = "t") -> list[Player]:
    """Seat a player with chips at each of these seats."""
    players = []
    for seat in seats:
        player = Player(pit, pit.tables[table], f"p{seat}")
        await pit.cage.fill(player.id, 1_000_00)
        await player.ask("sit", **sitting(player.table, seat))
        players.append(player)
    return players


def wagers(player: Player) -> Iterator[dict[str, Any]]:
    """Yield the wagers of a felt that are made before the deal."""
    yield from (w for w in player.felt["wagers"] if w["placed"] == "before the deal")


Scenario = Callable[[OpenPit], Coroutine[Any, Any, None]]


def play(
    tmp_path: Path,
    config: Config,
    scenario: Scenario,
    *,
    clock: Clock | None = None,
    faults: list[str] | None = None,
) -> None:
    """Play a scenario at a new house, and audit its ledger afterwards.

    Its faults are collected if a list is given for them; otherwise there must be none.
    """

    async def run() -> None:
        async with pit_at(tmp_path / "ledger.db", config, clock=clock) as pit:
            await scenario(pit)
            found = await pit.books.read(lambda view: verify(view, rules_of))
            if faults is not None:
                faults.extend(found.faults)
                return
            assert found.faults == ()
            kept = await pit.books.read(lambda view: view.balances())
            assert kept == {k: v for k, v in pit.books.balances().items() if v or k in kept} | {
                k: 0 for k in kept if k not in pit.books.balances()
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


async def refused(ask: Coroutine[Any, Any, object]) -> Refused:
    with pytest.raises(Refused) as error:
        await ask
    return error.value


async def opened(pit: OpenPit, *seats: int) -> list[Player]:
    """Seat players and open a round; the first one in turn banks where players do."""
    players = await seated(pit, *seats)
    if turn := pit.scene()["bank_turn"]:
        banker = next(p for p in players if p.id == f"p{turn}")
        await banker.ask("bank", seat=turn, funds=200_00)
    await deal_until(pit, "bets")
    return players
