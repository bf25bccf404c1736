"""The contract of the stores, kept by PostgreSQL."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from croupier.errors import UserError
from croupier.ledger.stores import open_postgres
from croupier.ledger.stores.postgres import PostgresStore
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.statements import Session
from tests.ledger.contract import StoreContract
from tests.ledger.servers import new_database


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
        return "\n".join(row[0] for row in session.rows(f"EXPLAIN {sql}", *parameters))

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


@pytest.mark.long
class TestSerializable(TestPostgres):
    """A5: nothing depends on how far transactions see each other."""

    isolation = "SERIALIZABLE"


def test_a_server_that_is_not_there_is_said_so() -> None:
    with pytest.raises(UserError, match="there is no ledger: connection"):
        open_postgres("host=/nowhere dbname=ledger")


def test_a_database_without_a_ledger_is_said_so(server: str) -> None:
    with pytest.raises(UserError, match="there is no ledger: relation"):
        open_postgres(new_database(server))
