"""A new ledger for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from croupier.ledger.stores.postgres import PostgresStore
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.sqlite import SqliteStore
from tests.ledger.servers import new_database


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """A new ledger, on each database."""
    made: Store
    if request.param == "sqlite":
        made = SqliteStore(tmp_path / "ledger.db", make=True)
    else:
        made = PostgresStore(new_database(request.getfixturevalue("server")), make=True)
    yield made
    made.close()
