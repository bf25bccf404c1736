"""Records what a table says to a player: real frames of one round, played in this process.

.venv/bin/python -m tests.table_page.recording writes recordings/*.json anew.
"""

import asyncio
import json
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import cache, partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from croupier.gallery.galleries import Galleries
from croupier.gallery.outbox import Viewer
from croupier.gallery.scene import patched
from croupier.house.books import Books, answer_to
from croupier.house.config import parse_config
from croupier.house.pit import Pit
from croupier.house.said import PlayerMessage
from croupier.house.table import Table
from croupier.ledger.stores import open_sqlite
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.table_rules import TableRules
from croupier.server.messages import message_from

HERE = Path(__file__).parent
RECORDINGS = HERE / "recordings"
TABLES = HERE.parent.parent / "src/croupier/server/tables.toml"
QUICK = """
[table.timing]
bets = 5
decide = 5
grace = 5
show = 0
pause = 1
bank = 5
round_min = 0
"""
ME, OTHER = "p-mine", "p-other"


@cache
def book(id: str) -> Rulebook:
    return load(id)


def rules_of(id: str, selections: Any, things: Any = ()) -> TableRules:
    return resolve(book(id), selections, things=things)


def entropy() -> Any:
    """Chance that is the same each time, so that a recording changes only with what it records."""
    count = 0

    def take(size: int) -> bytes:
        nonlocal count
        found = b""
        while len(found) < size:
            count += 1
            found += sha256(b"recording %d" % count).digest()
        return found[:size]

    return take


@asynccontextmanager
async def quick_pit() -> AsyncIterator[Galleries]:
    """All tables of the house, without its own players and hardly any waiting."""
    text = TABLES.read_text().replace("[table.selections]", f"{QUICK}\n[table.selections]")
    with tempfile.TemporaryDirectory() as folder:
        store = open_sqlite(Path(folder) / "ledger.db", make=True)
        books = Books(store, bytes(32), entropy=entropy())
        galleries = Galleries(Pit(parse_config(text, rules_of), books, rules_of))
        galleries.names.update({ME: "Ann", OTHER: "Bob"})
        await galleries.pit.start()
        galleries.open()
        try:
            yield galleries
        finally:
            await galleries.pit.stop()
            books.close()
            store.close()


class Player:
    """Plays by what it is told, as a page would."""

    def __init__(self, galleries: Galleries, table: Table, player: str, *, seat: int) -> None:
        self.galleries, self.table, self.player, self.seat = galleries, table, player, seat
        self.viewer = Viewer(player, player)
        self.frames: list[dict[str, Any]] = []
        self.scene: dict[str, Any] = {}
        self.felt: dict[str, Any] = {}
        self.acted: object = None
        self.asked = 0

    async def ask(self, **body: Any) -> None:
        self.asked += 1
        message, digest = message_from(json.dumps({**body, "id": f"{self.table.id}-{self.asked}"}))
        assert isinstance(message, PlayerMessage)
        hear = partial(self.table.hear, self.player, message, digest)
        await answer_to(lambda reply: hear(reply=reply))

    async def follow(self) -> None:
        """Read what is new."""
        for text in await self.viewer.frames():
            frame = json.loads(text)
            self.frames.append(frame)
            if frame["type"] == "welcome":
                self.felt, self.scene = frame["felt"], frame["scene"]
            elif frame["type"] == "news":
                self.scene = patched(self.scene, frame["scene"])

    async def play(self) -> None:
        """Play until a round is over that this player took part in."""
        self.galleries.welcome(self.viewer, self.table.id)
        await self.ask(type="sit", seat=self.seat)
        while True:
            await self.follow()
            scene, seat = self.scene, self.seat
            if scene["phase"] == "over" and str(seat) in scene["boxes"]:
                return
            stands = (scene["round"], scene["phase"], scene["step"], scene["asked"])
            if (*stands, scene["bank_turn"]) == self.acted:
                continue
            self.acted = (*stands, scene["bank_turn"])
            await self.act(scene)

    async def act(self, scene: dict[str, Any]) -> None:
        seat = self.seat
        banks = scene["banker"] and scene["banker"]["seat"] == seat
        if scene["bank_turn"] == seat:
            await self.ask(type="bank", seat=seat, funds=20_000)
        elif scene["phase"] == "bets" and not banks and str(seat) not in scene["boxes"]:
            for wager in self.felt["wagers"]:
                if wager["placed"] == "before the deal":
                    size = (wager["sizes"] or wager["limits"])[0]
                    cents = round(float(size) * 100)
                    await self.ask(type="bet", seat=seat, wager=wager["wager"], cents=cents)
            await self.ask(type="ready", seat=seat)
        elif scene["phase"] == "decide" and scene["asked"] == seat:
            await self.ask(type="choose", seat=seat, option=scene["choices"][0]["option"])


async def recorded() -> dict[str, dict[str, Any]]:
    """Return a round of each table as one of two players hears it, and where it ends."""
    found = {}
    async with quick_pit() as galleries:
        pit = galleries.pit
        for table in pit.tables.values():
            seats = {OTHER: 1, ME: 2}
            players = [Player(galleries, table, who, seat=seat) for who, seat in seats.items()]
            for player in players:
                if not pit.books.purse_cents(player.player):
                    await pit.cage.issue(player.player)
            tasks = [asyncio.create_task(player.play()) for player in players]
            await tasks[1]
            me = players[1]
            tasks[0].cancel()
            found[table.id] = {
                "frames": me.frames,
                "scene": me.scene,
                "own": galleries[table.id].own(ME),
            }
    return found


def write() -> None:
    RECORDINGS.mkdir(exist_ok=True)
    for id, recording in asyncio.run(recorded()).items():
        frames = ",\n".join(json.dumps(frame) for frame in recording["frames"])
        tail = {key: recording[key] for key in ("scene", "own")}
        text = f'{{"frames": [\n{frames}\n],\n{json.dumps(tail)[1:]}\n'
        (RECORDINGS / f"{id}.json").write_text(text)


if __name__ == "__main__":
    write()
