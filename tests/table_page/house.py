"""A whole server on the loopback, with a table of every book and little waiting."""

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

from argon2 import PasswordHasher

from croupier.gallery.galleries import Galleries
from croupier.house.books import Books
from croupier.house.config import parse_config
from croupier.house.pit import Pit
from croupier.house.table import Table
from croupier.ledger.found import round_found
from croupier.ledger.stores import open_sqlite
from croupier.money import format_money
from croupier.round.state import Round
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.table_rules import TableRules
from croupier.server.app import make_app
from croupier.server.guard import Guard, Policy
from croupier.server.limits import Rate
from croupier.server.passwords import Passwords
from croupier.server.people import People
from croupier.server.practices import Practices
from tests.server.doors import serving

TABLES = Path(__file__).parent.parent.parent / "src/croupier/server/tables.toml"
BOOKS = Path(__file__).parent.parent / "data/books"
TIMING = """
[table.timing]
bets = {bets}
decide = {decide}
grace = 6
show = 0.1
pause = {pause}
bank = 60
round_min = {round_min}
"""
PATIENT = {"bets": 600, "decide": 600, "pause": 600, "round_min": 0}
GENEROUS = Policy(requests=Rate(10_000, 10_000), costly=Rate(10_000, 10_000))
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
IDS = ("maryland", "ride", "singapore", "california", "florida")


@cache
def book(id: str) -> Rulebook:
    """Return one of the package's books, or one that was made up for the tests."""
    return load(id, [BOOKS])


def rules_of(id: str, selections: Any, things: Any = ()) -> TableRules:
    return resolve(book(id), selections, things=things)


@dataclass
class House:
    """A server, and what it knows."""

    url: str
    galleries: Galleries
    people: People
    loop: asyncio.AbstractEventLoop
    practices: Practices

    def table(self, id: str) -> Table:
        return self.galleries.pit.tables[id]

    def last(self, id: str, player: str) -> Round:
        """The last round of a table that is over and had this player in it."""
        books, table = self.galleries.pit.books, self.table(id)
        for number in range(table.rounds, 0, -1):
            found = books.looked(partial(round_found, id=f"{id}-{number}", rules_of=rules_of))
            round = found.told[-1][0]
            if round.closed and player in {box.player for box in round.boxes.values()}:
                return round
        raise AssertionError(f"{player} has played no round at {id}")

    def purse(self, player: str) -> str:
        """What the ledger says that a player has."""
        return format_money(self.galleries.pit.books.purse_cents(player))

    def cut(self, id: str) -> None:
        """Close every socket of players at a table, as a bad line would."""

        def close() -> None:
            for viewer in self.galleries[id].viewers:
                if viewer.player and viewer.player.startswith("p-"):
                    viewer.end(1012)

        self.loop.call_soon_threadsafe(close)


@contextmanager
def opened(
    folder: Path, *, more: str = "", bots: int = 0, seats: int = 0, **seconds: float
) -> Iterator[House]:
    """Open a house whose players have all the time that a busy machine may take.

    `seconds` are times that a test wants otherwise, and `bots` are players of the house at every
    table; by itself only tables that need them have some. `seats` is how many each table has.
    """
    timing = TIMING.format(**{**PATIENT, **seconds})
    text = TABLES.read_text() + more
    if bots:
        text = re.sub(r"^bots +=.*\n", "", text, flags=re.M)
        text = text.replace("practice = true", f"practice = true\nbots = {bots}")
    if seats:
        text = text.replace("practice = true", f"practice = true\nseats = {seats}")
    text = text.replace("[table.selections]", f"{timing}\n[table.selections]")
    store = open_sqlite(folder / "ledger.db", make=True)
    books = Books(store, bytes(32))
    pit = Pit(parse_config(text, rules_of), books, rules_of)
    people = People(store, passwords=Passwords(made_by=CHEAP))
    app = make_app(pit, people)
    loops: list[asyncio.AbstractEventLoop] = []
    start = pit.start

    async def noted(**how: Any) -> None:
        loops.append(asyncio.get_running_loop())
        await start(**how)

    pit.start = noted  # type: ignore[method-assign]
    with serving(Guard(app, GENEROUS)) as port:
        state, url = app.state, f"http://127.0.0.1:{port}"
        yield House(url, state.galleries, people, loops[0], state.practices)
    books.close()
    store.close()
