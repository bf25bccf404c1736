"""The contract of the stores, kept by PostgreSQL."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from croupier.errors import UserError
from croupier.ledger.store import Answer, Request
from croupier.ledger.stores import open_postgres
from croupier.ledger.stores.postgres import PostgresSession, PostgresStore
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.stores.statements import Session, fill
from croupier.ledger.verify import verify
from tests.ledger.contract import StoreContract, claim, moving, settle_all
from tests.ledger.servers import new_database
from tests.ledger.tables import Dealer, Till, rules_of


class TestPostgres(StoreContract):
    isolation = "READ COMMITTED"

    @pytest.fixture
    def store(self, server: str) -> Iterator[Store]:
        store = PostgresStore(new_database(server), make=True, isolation=self.isolation)
        yield store
        store.close()

    @pytest.fixture
    def empty(self, server: str) -> Callable[[], Store]:
        return lambda: PostgresStore(new_database(server), make=True)

    @pytest.fixture
    def opened(self, server: str) -> Callable[[], Store]:
        where = new_database(server)
        return lambda: PostgresStore(where, make=True, isolation=self.isolation)

    def plan(self, session: Session, sql: str, *parameters: object) -> str:
        session.run("SET LOCAL enable_seqscan = off")
        return "\n".join(row[0] for row in session.rows(f"EXPLAIN {sql}", parameters))

    def execute(self, store: Store, sql: str) -> None:
        assert isinstance(store, PostgresStore)
        with store.writing() as session:
            session.run(sql)

    @contextmanager
    def failing(self, store: Store, at: int) -> Iterator[list[str]]:
        run: list[str] = []
        execute = psycopg.Cursor.execute

        def failing(cursor: Any, sql: Any, *args: Any, **options: Any) -> Any:
            run.append(sql)
            if len(run) > at:
                raise MemoryError(sql)
            return execute(cursor, sql, *args, **options)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(psycopg.Cursor, "execute", failing)
            yield run

    def test_a_batch_is_one_statement_and_four_with_meters(self, store: Store) -> None:
        """Stored one by one, as what doesn't fit is, it would be as right and far slower."""
        store.append(claim("m", stream="m"), moving(100, "m", debit="house", credit="meter:m"))
        for meters, statements in ((), 1), (("m",), 4):
            requests = [
                Request(claim(f"{n} {meters}", stream=f"{n} {meters}"), meters, lambda _: moving(5))
                for n in range(20)
            ]
            with self.failing(store, 1_000) as run:
                results = settle_all(store, requests)
            assert results == [Answer("done 1", 1)] * 20
            assert len(run) == statements, run


def rises(meter: str) -> Request:
    work = moving(1, meter, debit="house", credit=f"meter:{meter}")
    return Request(claim(meter, stream=meter), (), lambda _: work)


def reads(meter: str) -> Request:
    return Request(claim(f"reads {meter}", stream="reader"), (meter,), lambda _: moving(5))


@pytest.mark.parametrize(
    ("requests", "first", "then"),
    [
        ([rises("z")], "meter:z", "house"),
        ([rises("a"), reads("z")], "meter:a", "meter:z"),
    ],
    ids=["meters before other accounts", "meters that are read among those that change"],
)
def test_accounts_are_locked_in_one_order(
    server: str, requests: list[Request], first: str, then: str
) -> None:
    """Batches that locked them in different orders would wait for each other."""
    url = new_database(server)
    store = PostgresStore(url, make=True)
    for meter in ("a", "z"):
        store.append(claim(f"begins {meter}", stream=f"begins {meter}"), rises(meter).decide({}))
    find = "SELECT FROM accounts WHERE account = %s FOR UPDATE"
    settling = threading.Thread(target=settle_all, args=(store, requests))
    with psycopg.connect(url) as holder, psycopg.connect(url, autocommit=True) as other:
        holder.execute(find, (first,))
        settling.start()
        while not other.execute("SELECT FROM pg_locks WHERE NOT granted").fetchall():
            time.sleep(0.01)
        free = other.execute(f"{find} NOWAIT", (then,))
        assert free.rowcount == 1
    settling.join()
    store.close()


@pytest.mark.long
class TestSerializable(TestPostgres):
    """A5: nothing depends on how far transactions see each other."""

    isolation = "SERIALIZABLE"


def test_a_ledger_of_the_version_before_is_brought_up_to_date(server: str, tmp_path: Path) -> None:
    """A process that only reads it doesn't have to wait for that."""
    source = PostgresStore(new_database(server), make=True)
    Dealer(Till(source, "t")).play("r1", "one")
    source.backup(tmp_path / "backup.db")
    source.close()
    where, backup = new_database(server), SqliteStore(tmp_path / "backup.db")
    with psycopg.connect(where) as connection, backup.snapshot() as rows:
        connection.execute((Path(__file__).parent / "postgres_6.sql").read_bytes())
        connection.execute("INSERT INTO migrations VALUES (6, 'postgres.sql')")
        fill(PostgresSession(connection), rows)
    backup.close()
    for make, versions in ((False, [6]), (True, [6, 9]), (True, [6, 9])):
        store = open_postgres(where, make=make)
        with store.reading() as view, store.snapshot() as session:
            assert verify(view, rules_of).faults == ()
            assert [row[0] for row in session.rows("SELECT number FROM migrations")] == versions
        store.close()
    store = open_postgres(where, make=True)
    request = Request(claim("late", stream="late"), (), lambda _: moving(5))
    assert settle_all(store, [request]) == [Answer("done 1", 1)]
    store.close()


def test_a_server_that_is_not_there_is_said_so() -> None:
    with pytest.raises(UserError, match="there is no ledger: connection"):
        open_postgres("host=/nowhere dbname=ledger")


def test_a_database_without_a_ledger_is_said_so(server: str) -> None:
    with pytest.raises(UserError, match="there is no ledger: relation"):
        open_postgres(new_database(server))
