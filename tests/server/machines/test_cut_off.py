"""An owner that is cut off from its database says nothing more of its tables."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, closing
from fractions import Fraction
from itertools import count
from typing import Any

import psycopg
import pytest

from croupier.gallery.galleries import MOVED, Galleries
from croupier.gallery.outbox import Viewer
from croupier.house import leases
from croupier.house.books import Books
from croupier.house.pit import Pit
from croupier.ledger import tenure
from croupier.ledger.store import Unsure
from croupier.ledger.stores import leasing
from croupier.ledger.stores.leasing import Leasing
from croupier.ledger.stores.postgres import PostgresStore
from croupier.ledger.stores.protocol import Store
from croupier.ledger.tenure import CHECKPOINT, heir
from tests.house.floor import KEY, answered, rules_of
from tests.house.test_two_pits import house
from tests.ledger.servers import new_database
from tests.server.durability.databases import Database, database
from tests.server.machines.test_leases import EXPIRE, HOLDER, eventually, run
from tests.server.machines.way import Way

LATER_S = 120.0
"""How long a busy machine may take for what only has to happen at some time."""


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no lease end by itself, however busy the machine is: the tests say when one does."""
    monkeypatch.setattr(tenure, "TTL_MS", 600_000)


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(LATER_S):
        while not holds():
            await asyncio.sleep(0.01)


def elapsed(store: Store, part: Fraction) -> None:
    """Let a part of the lease pass by the clock of a node that can't renew it just now."""
    assert isinstance(store.tenure, Leasing)
    store.tenure.renewed_ms -= int(tenure.TTL_MS * part)


@asynccontextmanager
async def pits(*urls: str, ids: Callable[[list[str]], list[str]]) -> AsyncIterator[list[Pit]]:
    """Processes of one house, one for each way to its database, with the tables for their names."""
    async with AsyncExitStack() as stack:
        stores = [PostgresStore(url, make=True, node="") for url in urls]
        config = house(*ids([store.tenure.name for store in stores]))
        opened = []
        for store in stores:
            stack.callback(store.close)
            books = Books(store, KEY)
            stack.callback(books.close)
            opened.append(Pit(config, books, rules_of, nodes=len(urls)))
            stack.push_async_callback(opened[-1].stop)
        yield opened


def test_an_owner_without_a_database_answers_nothing_and_closes_before_its_lease_ends() -> None:
    ids = "t-1", "t-2"

    async def main(own: Database) -> None:
        async with pits(new_database(own.where), ids=lambda _: [*ids]) as (pit,):
            await pit.start(deals=False)
            store = pit.books.store
            galleries, viewer = Galleries(pit), Viewer("p1", "p1")
            galleries.open()
            galleries.welcome(viewer, "t-1")
            await asyncio.to_thread(own.down)
            table = pit.tables["t-1"]
            await until(lambda: not store.tenure.may_write(table.id))
            for asked in ({"type": "ping"}, {"type": "more_time"}):
                text = json.dumps({**asked, "id": "1"})
                said = json.loads(await answered(table, viewer, text))
                assert (said["type"], said["code"]) == ("refused", "unavailable")
            elapsed(store, Fraction(1, 2))
            await asyncio.sleep(2 * leases.WATCH_S)
            assert {*pit.tables} == {*ids}, "a short cut closes nothing"
            elapsed(store, Fraction(1, 6))
            await until(lambda: not pit.tables)
            assert viewer.ended and viewer.code == MOVED
            await asyncio.to_thread(own.up)
            await until(lambda: {*pit.tables} == {*ids})

    with database() as own:
        asyncio.run(main(own))


def test_a_server_that_is_declared_dead_while_it_starts_comes_back_and_opens_its_tables() -> None:
    async def main(own: Database) -> None:
        url = new_database(own.where)
        async with pits(url, ids=lambda _: ["t-1", "t-2"]) as (pit,):
            name = pit.tenure.name
            run(url, EXPIRE, name)
            await asyncio.to_thread(own.down)
            await until(lambda: not pit.tenure.may_write(CHECKPOINT))
            starting = asyncio.create_task(pit.start(deals=False))
            await asyncio.sleep(0.5)
            assert not starting.done()
            await asyncio.to_thread(own.up)
            await asyncio.wait_for(starting, LATER_S)
            await until(lambda: {*pit.tables} == {"t-1", "t-2"})
            assert pit.tenure.name != name, "it was declared dead"

    with database() as own:
        asyncio.run(main(own))


def ids_of(nodes: list[str]) -> list[str]:
    """Return ids of tables, one for each node as its heir."""
    return [next(id for n in count() if heir(id := f"t-{n}", nodes) == one) for one in nodes]


def name_after(name: str, other: str, *, heir_of: str, not_of: str) -> str:
    """Return the last part of a name under which a node inherits again what it did before."""
    stem = name.rpartition("-")[0]
    for part in map(str, count()):
        nodes = [f"{stem}-{part}", other]
        if [heir(id, nodes) for id in (heir_of, not_of)] == nodes:
            return part
    raise AssertionError


def test_tables_of_an_owner_whose_database_is_silent_go_on_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    waited: set[threading.Thread] = set()
    wait = psycopg.Connection.wait

    def noted(connection: psycopg.Connection[Any], *rest: Any, **options: Any) -> Any:
        waited.add(threading.current_thread())
        return wait(connection, *rest, **options)

    monkeypatch.setattr(psycopg.Connection, "wait", noted)

    async def main(url: str, way: Way) -> None:
        async with pits(way.where, url, ids=ids_of) as (cut, other):
            await asyncio.gather(cut.start(deals=False), other.start(deals=False))
            (mine,), (theirs,) = cut.tables, other.tables
            store, name = cut.books.store, cut.tenure.name
            part = name_after(name, other.tenure.name, heir_of=mine, not_of=theirs)
            monkeypatch.setattr(leasing, "token_hex", lambda _: part)
            galleries, viewer = Galleries(cut), Viewer("p1", "p1")
            galleries.open()
            galleries.welcome(viewer, mine)
            still_open: list[set[str]] = []
            other.open.on_open.append(lambda _: still_open.append({*cut.tables}))
            waited.clear()
            with way.blocked():
                sit = json.dumps({"type": "sit", "seat": 1, "id": "1"})
                sitting = asyncio.create_task(answered(cut.tables[mine], viewer, sit))
                await until(lambda: b"append_v1" in way.held)
                elapsed(store, Fraction(2, 3))
                await until(lambda: not cut.tables)
                assert viewer.ended and viewer.code == MOVED, "its socket is told to go elsewhere"
                await asyncio.to_thread(run, url, EXPIRE, name)
                await until(lambda: {*other.tables} == {mine, theirs})
                assert still_open == [set()], "the one closes it before the other opens it"
                assert not sitting.done()
                elapsed(store, Fraction(1, 3))
                with pytest.raises(Unsure):
                    await asyncio.wait_for(sitting, LATER_S)
                assert threading.main_thread() not in waited, "the event loop waits for no database"
            run(url, leasing.HINT)  # It would renew its lease by itself, but much later.
            await until(lambda: ({*cut.tables}, {*other.tables}) == ({mine}, {theirs}))
            assert cut.tenure.name != name

    with database() as own, closing(Way(url := new_database(own.where))) as way:
        asyncio.run(main(url, way))


def test_an_owner_comes_back_to_a_slow_database_however_long_it_was_silent() -> None:
    with database() as own:
        PostgresStore(url := new_database(own.where), make=True, node="").close()
        with (
            closing(Way(url, delay_s=0.05)) as way,
            closing(PostgresStore(way.where, node="")) as store,
        ):
            elapsed(store, Fraction(1))
            run(url, HOLDER, leasing.LOCK)
            eventually(lambda: store.tenure.returns == 1)
            assert not store.tenure.has_expired()
