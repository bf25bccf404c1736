"""One PostgreSQL for all tests of a process."""

from collections.abc import Iterator

import pytest

from tests.ledger.servers import postgres


@pytest.fixture(scope="session")
def server() -> Iterator[str]:
    with postgres() as where:
        yield where
