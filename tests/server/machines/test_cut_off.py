"""An owner that is cut off from its database says nothing more of its tables."""

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count

import pytest
from psycopg.conninfo import conninfo_to_dict

from croupier.gallery.galleries import MOVED, Galleries
from croupier.gallery.outbox import Viewer
from croupier.house.books import Books
from croupier.house.pit import Pit
from croupier.ledger import tenure
from croupier.ledger.store import Unsure
from croupier.ledger.stores.postgres import PostgresStore
from croupier.ledger.tenure import CHECKPOINT, heir
from tests.house.floor import KEY, answered, rules_of
from tests.house.test_two_pits import house
from tests.ledger.servers import new_database
from tests.server.durability.databases import database

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


class Way:
    """A way to a database over which, once it is blocked, nothing comes and no error either."""

    def __init__(self, where: str, delay_s: float = 0) -> None:
        self._delay_s = delay_s
        parts = conninfo_to_dict(where)
        self._socket = f"{parts['host']}/.s.PGSQL.{parts.get('port', 5432)}"
        self.is_open = threading.Event()
        self.is_open.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        port = self._listener.getsockname()[1]
        self.where = f"host=127.0.0.1 port={port} user=postgres dbname={parts['dbname']}"
        self._ends: list[socket.socket] = []
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.socket(socket.AF_UNIX)
                far.connect(self._socket)
                self._ends += [near, far]
                for pair in ((near, far), (far, near)):
                    self._threads.append(threading.Thread(target=self._pass, args=pair))
                    self._threads[-1].start()

    def _pass(self, source: socket.socket, to: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                self.is_open.wait()
                time.sleep(self._delay_s)
                to.sendall(data)
        self.is_open.wait()
        for end in (source, to):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.is_open.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        for end in (self._listener, *self._ends):
            end.close()


def test_tables_of_an_owner_whose_database_is_silent_go_on_elsewhere(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tenure, "TTL_MS", int(TTL_S * 1000))

    async def main() -> None:
        with database() as own:
            url = new_database(own.where)
            way = Way(url)
            near, far = PostgresStore(way.where, make=True, node=""), PostgresStore(url, node="")
            nodes = [near.tenure.name, far.tenure.name]
            ids = [next(id for n in count() if heir(id := f"t-{n}", nodes) == o) for o in nodes]
            books = [Books(near, KEY), Books(far, KEY)]
            cut, other = (Pit(house(*ids), one, rules_of, nodes=2) for one in books)
            await asyncio.gather(cut.start(deals=False), other.start(deals=False))
            assert ({*cut.tables}, {*other.tables}) == ({ids[0]}, {ids[1]})
            galleries, viewer = Galleries(cut), Viewer("p1", "p1")
            galleries.open()
            galleries.welcome(viewer, ids[0])
            loop, lags, beats = asyncio.get_running_loop(), [0.0], True

            async def beat() -> None:
                while beats:
                    began_s = loop.time()
                    await asyncio.sleep(0.01)
                    lags.append(loop.time() - began_s)

            beating = asyncio.create_task(beat())
            way.is_open.clear()
            asked = {"type": "sit", "seat": 1, "id": "1"}
            waiting = asyncio.create_task(answered(cut.tables[ids[0]], viewer, json.dumps(asked)))
            await until(lambda: not cut.tables, TTL_S)
            assert viewer.ended and viewer.code == MOVED, "its socket is told to go elsewhere"
            await until(lambda: {*other.tables} == {*ids}, TTL_S + 2)
            with pytest.raises(Unsure):
                await asyncio.wait_for(waiting, TTL_S)
            assert max(lags) < 0.5, "nothing in the event loop waits for the database"
            way.is_open.set()
            await until(lambda: {*cut.tables} | {*other.tables} == {*ids} != {*other.tables}, 60)
            beats = False
            await beating
            await asyncio.gather(cut.stop(), other.stop())
            for one, store in zip(books, (near, far), strict=True):
                one.close()
                store.close()
            way.close()

    asyncio.run(main())


def test_an_owner_comes_back_to_a_slow_database_however_long_it_was_silent(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(tenure, "TTL_MS", int(TTL_S * 1000))
    with database() as own:
        PostgresStore(url := new_database(own.where), make=True, node="").close()
        way = Way(url, delay_s=0.1)
        store = PostgresStore(way.where, node="")
        way.is_open.clear()
        time.sleep(TTL_S + 1)
        assert not store.tenure.may_write(CHECKPOINT)
        way.is_open.set()
        until_s = time.monotonic() + 20
        while not store.tenure.returns:
            assert time.monotonic() < until_s
            time.sleep(0.05)
        assert not store.tenure.has_expired()
        store.close()
        way.close()
