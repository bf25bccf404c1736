"""An owner that is cut off from its database says nothing more of its tables."""

import asyncio
import json
from collections.abc import Callable

import pytest

from croupier.gallery.galleries import MOVED, Galleries
from croupier.gallery.outbox import Viewer
from croupier.house.books import Books
from croupier.house.pit import Pit
from croupier.ledger import tenure
from croupier.ledger.stores.postgres import PostgresStore
from croupier.ledger.tenure import CHECKPOINT
from tests.house.floor import KEY, answered, rules_of
from tests.ledger.servers import new_database
from tests.server.durability.databases import database
from tests.server.machines.test_two_pits import house

TTL_S = 3.0


async def until(holds: Callable[[], bool], within_s: float) -> None:
    async with asyncio.timeout(within_s):
        while not holds():
            await asyncio.sleep(0.01)


def test_an_owner_without_a_database_answers_nothing_and_closes_before_its_lease_ends(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tenure, "TTL_MS", int(TTL_S * 1000))
    ids = "t-1", "t-2"

    async def main() -> None:
        with database() as own:
            store = PostgresStore(new_database(own.where), make=True, node="")
            books = Books(store, KEY)
            pit = Pit(house(*ids), books, rules_of)
            await pit.start(deals=False)
            galleries, viewer = Galleries(pit), Viewer("p1", "p1")
            galleries.open()
            pit.on_open, pit.on_close = galleries.add, galleries.drop
            galleries.welcome(viewer, "t-1")
            await asyncio.to_thread(own.down)
            table = pit.tables["t-1"]
            await until(lambda: not table.books.store.tenure.may_write(table.id), 1.0)
            for asked in ({"type": "ping"}, {"type": "more_time"}):
                text = json.dumps({**asked, "id": "1"})
                said = json.loads(await answered(table, viewer, text))
                assert (said["type"], said["code"]) == ("refused", "unavailable")
            assert {*pit.tables} == {*ids}, "a short cut closes nothing"
            await until(lambda: not pit.tables, TTL_S)
            assert viewer.ended and viewer.code == MOVED
            await asyncio.to_thread(own.up)
            await until(lambda: {*pit.tables} == {*ids}, 15)
            await pit.stop()
            books.close()
            store.close()

    asyncio.run(main())


def test_a_server_that_is_declared_dead_while_it_starts_comes_back_and_opens_its_tables(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tenure, "TTL_MS", 1_000)

    async def main() -> None:
        with database() as own:
            store = PostgresStore(new_database(own.where), make=True, node="")
            books = Books(store, KEY)
            pit = Pit(house("t-1", "t-2"), books, rules_of)
            await asyncio.to_thread(own.down)
            await until(lambda: not store.tenure.may_write(CHECKPOINT), 5)
            starting = asyncio.create_task(pit.start(deals=False))
            await asyncio.sleep(0.5)
            assert not starting.done()
            await asyncio.to_thread(own.up)
            await asyncio.wait_for(starting, 20)
            await until(lambda: {*pit.tables} == {"t-1", "t-2"}, 15)
            await pit.stop()
            books.close()
            store.close()

    asyncio.run(main())
