"""One server has a PostgreSQL database, knows when it has not, and says so at once."""

import asyncio
import json
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from croupier.client import Client
from croupier.errors import Refused, UserError
from croupier.house.folder import opened_house
from croupier.ledger.store import Lost, Unavailable
from croupier.ledger.stores import holding
from croupier.ledger.stores.postgres import PostgresStore
from tests.ledger.contract import claim, everything, moving
from tests.ledger.servers import new_database
from tests.server.durability.databases import Database, database
from tests.server.durability.floors import Floor
from tests.server.durability.houses import House
from tests.server.durability.tables import tables_text

BACKENDS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')"
)
HOLDER = (
    "SELECT pg_terminate_backend(pid) FROM pg_locks "
    "WHERE locktype = 'advisory' AND objid = %s AND granted AND database = "
    "(SELECT oid FROM pg_database WHERE datname = current_database())"
)
SOON_S = 10.0


@contextmanager
def alone(url: str) -> Iterator[PostgresStore]:
    store = PostgresStore(url, make=True, alone=True)
    try:
        yield store
    finally:
        store.close()


def run(url: str, sql: str, *parameters: object) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(sql, parameters)


def eventually(holds: Callable[[], bool]) -> float:
    """Wait until something holds, and return how long that took."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < SOON_S
        time.sleep(0.02)
    return time.monotonic() - began


def answers(store: PostgresStore) -> bool:
    try:
        store.check()
    except Unavailable:
        return False
    return True


def test_a_database_has_one_server(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From another folder with the same keys, as from another machine."""
    url = new_database(server)
    monkeypatch.setattr(holding, "TAKING_S", 0.5)
    with opened_house(tmp_path / "one", url):
        for name in ("master.key", "signing.key"):
            (tmp_path / "two").mkdir(exist_ok=True)
            (tmp_path / "two" / name).write_bytes((tmp_path / "one" / name).read_bytes())
            (tmp_path / "two" / name).chmod(0o600)
        with pytest.raises(UserError) as refused, opened_house(tmp_path / "two", url):
            pass
        assert str(refused.value) == "--database: another server has this database open"
        PostgresStore(url).close()  # Whoever only looks is not kept out.
    with opened_house(tmp_path / "two", url):
        pass


def test_a_second_program_ends_with_2(server: str, tmp_path: Path) -> None:
    url = new_database(server)
    tables = tmp_path / "tables.toml"
    tables.write_text(tables_text())
    with alone(url):
        command = [sys.executable, "-m", "croupier", "serve", "-p", "0", "--database", url]
        second = subprocess.run(
            [*command, "--data", str(tmp_path / "data"), "--tables", str(tables)],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    assert (second.returncode, second.stdout) == (2, "")
    assert second.stderr == "croupier: --database: another server has this database open\n"


def test_a_lock_that_breaks_is_noticed_and_taken_again(server: str) -> None:
    url = new_database(server)
    with alone(url) as store:
        store.append(claim("a"), moving(5))
        held = store._holding
        assert held
        taking = threading.Event()

        def waits() -> bool:
            taking.wait()
            return type(held)._has_again(held)

        held._has_again = waits  # type: ignore[method-assign]
        run(url, HOLDER, holding.LOCK)
        eventually(lambda: not answers(store))
        before = everything_of(url)
        with pytest.raises(Unavailable):
            store.append(claim("b", 1), moving(5, "2"))
        with pytest.raises(Unavailable), store.writing():
            pass
        assert everything_of(url) == before
        taking.set()
        eventually(lambda: answers(store))
        assert store.append(claim("b", 1), moving(5, "2")).number == 2


def everything_of(url: str) -> object:
    store = PostgresStore(url)
    try:
        return everything(store)
    finally:
        store.close()


def test_a_server_that_was_overtaken_stores_nothing_more(server: str) -> None:
    """Its lock breaks unnoticed, another server takes the database, and the first one goes on."""
    url = new_database(server)
    with alone(url) as first:
        first.append(claim("a"), moving(5))
        held = first._holding
        assert held
        held._ends.set()  # It looks no more, as if it were asleep.
        held._watching.join()
        run(url, HOLDER, holding.LOCK)
        with alone(url) as second:
            before = everything(second)
            with pytest.raises(Lost, match="another server has taken this database over"):
                first.append(claim("b", 1), moving(7, "2"))
            with pytest.raises(Lost), first.writing():
                pass
            assert everything(second) == before
            assert second.append(claim("c", 1), moving(9, "3")).number == 2


def test_a_server_that_finds_the_database_taken_is_lost(server: str) -> None:
    url = new_database(server)
    with alone(url) as first:
        held = first._holding
        assert held
        run(url, "UPDATE leases SET epoch = epoch + 1")  # As whoever was quicker has done.
        run(url, HOLDER, holding.LOCK)
        eventually(lambda: held._lost is not None)
        with pytest.raises(Lost):
            first.check()


def test_a_database_that_lost_what_was_acknowledged_closes_the_house(server: str) -> None:
    """A standby that took over may lack the last commits: a table is a witness of its own."""
    url = new_database(server)

    async def failed_over() -> None:
        with alone(url) as store:
            floor = Floor(store, "md1", seed="failover")
            await floor.open()
            await floor.until("deal")
            number = floor.table.number
            run(url, "ALTER TABLE events DISABLE TRIGGER ALL")
            run(url, "ALTER TABLE entries DISABLE TRIGGER ALL")
            run(url, "DELETE FROM entries WHERE stream = 'md1' AND number = %s", number)
            run(url, "DELETE FROM events WHERE stream = 'md1' AND number = %s", number)
            run(
                url,
                "UPDATE streams SET number = number - 1, hash = (SELECT hash FROM events "
                "WHERE stream = 'md1' ORDER BY number DESC LIMIT 1) WHERE stream = 'md1'",
            )
            with pytest.raises(Lost, match=f"event {number} of md1 was acknowledged"):
                await floor.deal()
            assert floor.books.lost is not None
            with pytest.raises(Lost):
                await floor.deal()
            await floor.close()

    asyncio.run(failed_over())


@pytest.fixture(scope="module")
def own_database() -> Iterator[Database]:
    with database() as made:
        yield made


def test_a_database_that_is_down_is_said_to_be_at_once_and_is_back_soon(
    own_database: Database,
) -> None:
    with alone(new_database(own_database.where)) as store:
        store.append(claim("a"), moving(5))
        own_database.down()
        eventually(lambda: not answers(store))
        for _ in range(5):
            began = time.monotonic()
            with pytest.raises(Unavailable):
                store.append(claim("b", 1), moving(5, "2"))
            with pytest.raises(Unavailable), store.snapshot():
                pass
            assert time.monotonic() - began < 1.0, "whoever knows that it is down does not wait"
        time.sleep(3)  # Long enough that a pool that waits ever longer would be late.
        own_database.up()
        took_s = eventually(lambda: answers(store))
        assert took_s < 5
        assert store.append(claim("b", 1), moving(5, "2")).number == 2


def test_connections_that_broke_meanwhile_are_passed_over(server: str) -> None:
    url = new_database(server)
    with alone(url) as store:
        store.append(claim("a"), moving(5))
        run(url, BACKENDS)
        assert store.append(claim("b", 1), moving(5, "2")).number == 2


def test_a_house_whose_database_is_down_says_so_and_goes_on_when_it_is_back(
    own_database: Database, tmp_path: Path
) -> None:
    """A guest is refused with 503 within two seconds, and let in soon after; all in JSON lines."""
    own_database.down()
    own_database.up()
    url = new_database(own_database.where)

    async def enter(house: House) -> float:
        began = time.monotonic()
        try:
            await Client(house.address).guest()
        except Refused as refused:
            assert refused.code == "unavailable"
            return time.monotonic() - began
        return 0.0

    async def visited(house: House) -> None:
        await house.start()
        assert await enter(house) == 0.0
        own_database.down()
        for _ in range(3):
            assert 0 < await enter(house) < 4  # Two seconds, on a machine that is busy.
        own_database.up()
        back = time.monotonic()
        while await enter(house):
            assert time.monotonic() - back < SOON_S
        assert "Closed" in await house.stop()

    with House(tmp_path, tables_text(), database=url) as house:
        asyncio.run(visited(house))
        lines = [json.loads(line) for line in house.complaints().splitlines()]
    assert {"database_gone", "database_back"} <= {line["event"] for line in lines}
    assert "crash" not in {line["event"] for line in lines}
