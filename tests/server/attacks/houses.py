"""A whole house on the loopback, in the loop of its test: time stands still until it is moved.

Everything goes over real sockets. What is random about persons is not random here, so that two
houses in which the same things are done say the same things.
"""

import asyncio
import io
import itertools
import json
import os
import socket
from collections.abc import AsyncIterator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import cache, partialmethod
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from argon2 import PasswordHasher
from fastapi import FastAPI
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from croupier.fairness.shuffle import Entropy
from croupier.gallery.galleries import Galleries
from croupier.gallery.scene import Scene
from croupier.house.books import Books, Clocks
from croupier.house.config import parse_config
from croupier.house.pit import Pit
from croupier.house.table import Table
from croupier.ledger.stores import sqlite
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.verify import Verified, verify
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from croupier.server import people as persons
from croupier.server.app import make_app
from croupier.server.doorway import Doorway, serve_config
from croupier.server.guard import MESSAGES, Guard
from croupier.server.limits import Rate
from croupier.server.passwords import Passwords
from croupier.server.people import People
from tests.rules.books import CALIFORNIA, FLORIDA, IDS, LET_IT_RIDE, MARYLAND, SINGAPORE
from tests.schemas.answers import check_answer
from tests.server.doors import CHEAP, GENEROUS, NO_TLS, OWN, logged

NO_LIMIT = Rate(1e9, 1e9)
PASSWORD = "correct horse battery"
KEY = bytes(range(32))
NEVER_S, SLOW = 3600, {"show": 3600, "pause": 3600, "bets": 3600, "decide": 3600}
"""Nothing happens by itself: whatever the dealer waits for comes when the test moves the clock."""
TABLE_IDS = {
    CALIFORNIA: "california",
    FLORIDA: "florida",
    LET_IT_RIDE: "ride",
    MARYLAND: "maryland",
    SINGAPORE: "singapore",
}
SELECTED = {
    CALIFORNIA: "limits = { ante = [5, 200], pair_plus = [5, 100] }",
    FLORIDA: "limits = { ante = [5, 200], pair_plus = [5, 100] }",
    LET_IT_RIDE: 'three_card_bonus = "A"\nadjacent_boxes = 2\n'
    "limits = { let_it_ride = [5, 300], three_card_bonus = [5, 100] }",
    MARYLAND: 'progressive = "A"\nsix_card_bonus = "A"\nadjacent_boxes = 2\n'
    "limits = { ante = [5, 500], pair_plus = [5, 200], six_card_bonus = [5, 100] }",
    SINGAPORE: "limits = { ante = [5, 500], pair_plus = [5, 200] }\nprogressive_rate = 0.3\n"
    "progressive_reset = 1000\nprogressive_initial = 1000",
}


@cache
def _rules(rulebook: str, selections: str, things: Any) -> TableRules:
    return resolve(load(rulebook), json.loads(selections), things=things)


def rules_of(rulebook: str, selections: Any, things: Any = ()) -> TableRules:
    """Resolve the same selections once for all tests of a process."""
    return _rules(rulebook, json.dumps(selections, default=str, sort_keys=True), tuple(things))


def table_toml(book: str, *, id: str = "", **timing: float) -> str:
    """Return one table of a book at which nothing happens by itself."""
    times = {**SLOW, "bank": NEVER_S, "grace": NEVER_S, "round_min": 0, **timing}
    said = ", ".join(f"{key} = {value}" for key, value in times.items())
    return (
        f'[[table]]\nid = "{id or TABLE_IDS[book]}"\nrulebook = "{book}"\npractice = true\n'
        f"timing = {{ {said} }}\n[table.selections]\n{SELECTED[book]}\n"
    )


def rules_of_table(book: str) -> TableRules:
    """Return the rules of a book's table."""
    return parse_config(table_toml(book), rules_of).tables[0].rules


ALL_TABLES = "\n".join(map(table_toml, IDS))


class Hands:
    """The clock for waits; the others stand."""

    def __init__(self) -> None:
        self.wait_s = 1_000.0
        self.people_s = 1_000.0

    def clocks(self) -> Clocks:
        return Clocks(lambda: 1_800_000_000.0, lambda: 50_000.0, lambda: self.wait_s)


class Line:
    """One socket at a table, and all that came over it."""

    def __init__(self, socket: ClientConnection, number: int = 0) -> None:
        self.socket, self.number = socket, number
        self.frames: list[str] = []
        self.code: int | None = None
        self.came = asyncio.Event()
        self._ids = itertools.count()
        self.reader = asyncio.create_task(self._read())

    async def _read(self) -> None:
        try:
            while True:
                self.frames.append(str(await self.socket.recv()))
                self.came.set()
        except ConnectionClosed as error:
            self.code = error.rcvd.code if error.rcvd else 1006
            self.came.set()

    async def close(self) -> None:
        await self.socket.close()
        await self.reader

    async def closed(self) -> int:
        """Wait until the other side closes, and return its code."""
        await self.reader
        assert self.code is not None
        return self.code

    async def answer(self, id: str | None, start: int = 0) -> dict[str, Any]:
        """Wait for what is answered under an id, in frames from one on."""
        at = start
        while True:
            for frame in self.frames[at:]:
                said: dict[str, Any] = json.loads(frame)
                if said["type"] in ("done", "refused") and said["id"] == id:
                    return said
            at = len(self.frames)
            if self.code is not None:
                raise ConnectionError(f"closed with {self.code}")
            self.came.clear()
            await self.came.wait()

    async def raw(self, text: str | bytes, id: str | None) -> dict[str, Any]:
        """Send something as it is, and return what is answered."""
        start = len(self.frames)
        await self.socket.send(text)
        return await self.answer(id, start)

    async def ask(self, type: str, **fields: Any) -> dict[str, Any]:
        """Ask for something under a new id, and return what is answered."""
        id = fields.pop("id", None) or f"{self.number}q{next(self._ids)}"
        return await self.raw(json.dumps({"type": type, "id": id, **fields}), id)

    async def do(self, type: str, **fields: Any) -> dict[str, Any]:
        """Ask for something that must be done."""
        said = await self.ask(type, **fields)
        assert said["type"] == "done", said
        return said

    async def caught_up(self) -> list[str]:
        """Return all frames that were on their way."""
        await self.do("ping")
        return self.frames

    def welcome(self) -> dict[str, Any]:
        said: dict[str, Any] = json.loads(self.frames[0])
        assert said["type"] == "welcome"
        return said


@dataclass
class Visitor:
    """Somebody's browser, without the browser."""

    house: "House"
    http: httpx.AsyncClient
    id: str = ""
    lines: list[Line] = field(default_factory=list)

    @property
    def cookie(self) -> str:
        return "; ".join(f"{name}={value}" for name, value in self.http.cookies.items())

    async def post(self, path: str, **body: Any) -> httpx.Response:
        return await self.http.post(path, json=body)

    async def ticket(self, table: str) -> str:
        return str((await self.post("/api/ticket", table=table)).json()["ticket"])

    async def line(self, table: str, *, watch: bool = False, last: int | None = None) -> Line:
        """Open a socket at a table, with a ticket unless only to watch."""
        ticket = "" if watch else await self.ticket(table)
        made = await self.house.knock(table, ticket, last=last)
        await made.came.wait()
        self.lines.append(made)
        return made


@dataclass
class House:
    """A server with its tables."""

    url: str
    app: FastAPI
    pit: Pit
    people: People
    hands: Hands
    lines: io.StringIO
    folder: Path
    port: int
    visitors: list[Visitor] = field(default_factory=list)
    all_lines: list[Line] = field(default_factory=list)

    def table(self, id: str) -> Table:
        return self.pit.tables[id]

    def visitor(self, **headers: str) -> Visitor:
        own = {**OWN, **headers}
        http = httpx.AsyncClient(
            base_url=self.url,
            headers=own,
            timeout=60,
            # One that is kept may be closed by the server just as the next request leaves.
            limits=httpx.Limits(max_keepalive_connections=0),
            verify=NO_TLS,
        )
        http.event_hooks = {"response": [check_answer]}
        self.visitors.append(Visitor(self, http))
        return self.visitors[-1]

    async def person(self, name: str, *roles: str) -> Visitor:
        """Let somebody come in with an account; with other roles than a player's if they say so."""
        one = self.visitor()
        answer = await one.post("/api/sign-up", name=name, password=PASSWORD)
        assert answer.status_code == 200, answer.text
        one.id = answer.json()["person"]["id"]
        if roles:
            await self.people.set_roles(one.id, roles)
            answer = await one.post("/api/sign-in", name=name, password=PASSWORD)
            assert answer.status_code == 200, answer.text
        return one

    async def knock(
        self, table: str, ticket: str = "", *, last: int | None = None, **options: Any
    ) -> Line:
        """Open a socket, whatever comes of it."""
        query = f"?ticket={ticket}" + ("" if last is None else f"&last={last}")
        address = f"ws://127.0.0.1:{self.port}/api/tables/{table}/socket{query}"
        waits = {"open_timeout": None, "ping_interval": None}  # However busy the machine is.
        options = {"compression": None, "max_size": None, **waits, **options}
        made = Line(await connect(address, **options), len(self.all_lines))
        self.all_lines.append(made)
        return made

    def caller(self) -> socket.socket:
        """Return a bare connection."""
        made = socket.create_connection(("127.0.0.1", self.port))
        made.setblocking(False)
        return made

    async def dealt(self, id: str) -> None:
        """Let the time pass that the dealer waits for, until it has done what is next."""
        table = self.table(id)
        before = table.number
        while table.number == before:
            if (due_ms := table.notes.clock.due_ms) is not None:
                self.hands.wait_s = max(self.hands.wait_s, due_ms / 1000 + 1)
                self.pit.dealers[id].wake()
            await asyncio.sleep(0.001)

    @property
    def galleries(self) -> Galleries:
        galleries: Galleries = self.app.state.galleries
        return galleries

    def scene(self, id: str) -> Scene:
        """Return what anybody may see of a table."""
        return self.galleries.scene(id)

    async def until_phase(self, id: str, *phases: str) -> None:
        """Wait until a table is in a phase that it gets to by itself."""
        while self.scene(id)["phase"] not in phases:
            await asyncio.sleep(0.001)

    async def verified(self) -> Verified:
        """Verify the whole ledger."""
        return await self.pit.books.read(lambda view: verify(view, rules_of))


def known_persons(patch: pytest.MonkeyPatch) -> None:
    """Give persons ids in the order in which they come, and all passwords the same salt."""
    numbers = itertools.count()
    digits = str.maketrans("0123456789", "abcdefghij")
    made = (f"p-{f'{number:010}'.translate(digits)}" for number in numbers)
    patch.setattr(persons, "new_id", lambda: next(made))
    salted = partialmethod(PasswordHasher.hash, salt=bytes(16))
    patch.setattr(PasswordHasher, "hash", salted)


def unsynced(file: Path) -> SqliteStore:
    """Make a ledger that does not wait for the disk: no power is cut here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sqlite, "OPENING", sqlite.OPENING.replace("FULL", "OFF"))
        return SqliteStore(file, make=True)


@asynccontextmanager
async def open_house(
    folder: Path,
    tables: str = ALL_TABLES,
    *,
    messages: Rate | None = NO_LIMIT,
    doorway: Doorway | None = None,
    clocks: Clocks | None = None,
    entropy: Entropy = os.urandom,
    verifies: bool = True,
) -> AsyncIterator[House]:
    """Open a house, and close it; its ledger verifies, whatever was done to it.

    Only what a mutant lets into a house may keep its ledger from that.
    """
    hands = Hands()
    store = unsynced(folder / "ledger.db")
    now = {"now_ms": lambda: int(hands.people_s * 1000), "clock": lambda: hands.people_s}
    people = People(store, passwords=Passwords(made_by=CHEAP), **now)  # type: ignore[arg-type]
    books = Books(store, KEY, clocks=clocks or hands.clocks(), entropy=entropy)
    pit = Pit(parse_config(tables, rules_of), books, rules_of)
    app = make_app(pit, people, messages=messages or MESSAGES)
    async with AsyncExitStack() as stack:
        lines = stack.enter_context(logged())
        # Named as TCP, so that the loop sends small answers at once.
        tcp = socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
        listener = stack.enter_context(socket.socket(*tcp))
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        server = uvicorn.Server(serve_config(Guard(app, GENEROUS), doorway=doorway))
        running = asyncio.create_task(server.serve([listener]))
        while not server.started:
            assert not running.done(), lines.getvalue()
            await asyncio.sleep(0.005)
        url = f"http://127.0.0.1:{port}"
        house = House(url, app, pit, people, hands, lines, folder, port)
        try:
            yield house
            assert not verifies or (await house.verified()).faults == ()
        finally:
            await _leave(house)
            server.should_exit = True
            await running
            books.close()
            store.close()
            people.close()
            app.state.shelf.close()


async def _leave(house: House) -> None:
    await asyncio.gather(*(line.close() for line in house.all_lines))
    await asyncio.gather(*(visitor.http.aclose() for visitor in house.visitors))


def crashes(house: House) -> list[dict[str, Any]]:
    """Return what was noted as an error of ours."""
    noted = [json.loads(line) for line in house.lines.getvalue().splitlines()]
    return [one for one in noted if one["event"] == "crash" or one["level"] != "info"]


def stakes(rules: TableRules, names: Iterable[str]) -> dict[str, int]:
    """Return what is least bet on wagers."""
    least = {}
    for name in names:
        sizes, limits = rules.wagers[name].sizes, rules.limits.get(name)
        least[name] = sizes.of[0] if sizes else limits.min if limits else 500
    return least
