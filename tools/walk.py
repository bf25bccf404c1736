"""Prints the walk of a bet, from the socket to the store and back, by making one.

.venv/bin/python tools/walk.py

A server runs in this process, a guest sits down and bets twice, and every function of croupier
that the second bet calls is noted. A step is a function that a reader has to open another file
for, counted once, where it is first called: properties, words about money and single statements to
the database included. Not counted are:

- what a function calls in its own file: a reader sees it there;
- constructors, which are named by what they make, and comprehensions and lambdas, which are part of
  the function around them;
- what happens to run at the same time, such as a look for empty seats.
"""

import asyncio
import socket
import sys
import tempfile
from collections.abc import AsyncIterator, Collection, Iterable, Iterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import uvicorn

import croupier
from croupier.client import Client
from croupier.house import books
from croupier.house.books import Books
from croupier.house.config import parse_config
from croupier.house.pit import Pit
from croupier.ledger.stores import open_sqlite
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import Thing
from croupier.server.app import make_app
from croupier.server.doorway import serve_config
from croupier.server.guard import Guard
from croupier.server.people import People
from croupier.server.quotas import Quotas

PACKAGE = Path(croupier.__file__).parent
STEPS_MAX = 45
STAGES = {
    "Wire.data_received": "door",
    "Books._take_turns": "decide",
    "Books._stored": "store",
    "Table.settled": "apply",
    "Table._publish": "publish",
    "answer.<locals>.stored": "reply",
}
"""The function that each stage begins with."""
ROOTS = ("Wire.data_received", "Books._take_turns", "Mail._go_out")
"""The functions that the event loop calls on behalf of a bet."""
TABLES = """
[[table]]
id = "t"
rulebook = "maryland-three-card-poker"
timing = { bets = 60, pause = 0, round_min = 0 }
"""


class Call(NamedTuple):
    """A function of croupier that was called, and the file that called it."""

    file: str
    name: str
    caller: str

    def __str__(self) -> str:
        return f"{self.file} {self.name}"


def calls_of_a_bet() -> list[Call]:
    """Make a bet, and return every call of a function of croupier, in order."""
    calls: list[Call] = []

    def note(frame: FrameType, event: str, _: object) -> None:
        if event != "call" or not _file(frame):
            return
        above = [frame, *_callers(frame)]
        if above[-1].f_code.co_qualname in ROOTS:
            caller = _file(above[1]) if len(above) > 1 else ""
            calls.append(Call(_file(frame), frame.f_code.co_qualname, caller))

    async def bet() -> None:
        async with _served() as address, Client(address) as client:
            await client.guest()
            table = await client.table("t")
            await table.do("sit", seat=1)
            await table.until(lambda now: now.scene["phase"] == "bets")
            wager = table.felt["wagers"][0]["wager"]
            await table.do("bet", seat=1, wager=wager, cents=500)
            sys.setprofile(note)
            await table.do("bet", seat=1, wager=wager, cents=1000)
            sys.setprofile(None)

    quick_s, books.QUICK_S = books.QUICK_S, 10.0  # Commit in this thread, where it is seen.
    try:
        asyncio.run(bet())
    finally:
        sys.setprofile(None)
        books.QUICK_S = quick_s
    return calls


def steps(calls: Iterable[Call]) -> dict[str, list[Call]]:
    """Return the steps among calls, by stage."""
    found: dict[str, list[Call]] = {stage: [] for stage in STAGES.values()}
    seen: set[str] = set()
    stage = "door"
    for call in calls:
        stage = STAGES.get(call.name, stage)
        if str(call) not in seen and _is_step(call):
            seen.add(str(call))
            found[stage].append(call)
    return found


def _is_step(call: Call) -> bool:
    last = call.name.rpartition(".")[2]
    return call.file != call.caller and not last.startswith(("<", "__"))


def _callers(frame: FrameType) -> Iterator[FrameType]:
    """Yield the frames of croupier that a frame was called from, the nearest first."""
    before = frame.f_back
    while before:
        if _file(before):
            yield before
        before = before.f_back


def _file(frame: FrameType) -> str:
    """Return the file of croupier that a frame is of, or ''."""
    file = Path(frame.f_code.co_filename)
    return str(file.relative_to(PACKAGE)) if file.is_relative_to(PACKAGE) else ""


@asynccontextmanager
async def _served() -> AsyncIterator[str]:
    """Open a house with one table, and give its address."""
    with tempfile.TemporaryDirectory() as folder:
        store = open_sqlite(Path(folder) / "ledger.db", make=True)
        shared, people = Books(store, bytes(32)), People(store)
        pit = Pit(parse_config(TABLES, _rules_of), shared, _rules_of)
        app = make_app(pit, people, quotas=Quotas())
        server = uvicorn.Server(serve_config(Guard(app)))
        with socket.create_server(("127.0.0.1", 0)) as listener:
            running = asyncio.create_task(server.serve([listener]))
            while not server.started:
                await asyncio.sleep(0.01)
            yield f"http://127.0.0.1:{listener.getsockname()[1]}"
            server.should_exit = True
            await running
        people.close()
        shared.close()
        store.close()


def _rules_of(
    rulebook: str, selections: Mapping[str, Any], things: Collection[Thing]
) -> TableRules:
    return resolve(load(rulebook), selections, things=things)


def main() -> None:
    calls = calls_of_a_bet()
    found = steps(calls)
    for stage, walked in found.items():
        print(f"{stage}, {len(walked)} steps")
        for call in walked:
            print(f"    {call}")
    print(
        f"{sum(map(len, found.values()))} steps of at most {STEPS_MAX}; {len(calls)} calls in all"
    )


if __name__ == "__main__":
    main()
