"""A statement that fails, in a ledger in a file."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from croupier.ledger.stores.sqlite import SqliteStore


@contextmanager
def failing_at(store: SqliteStore, at: int, error: type[Exception]) -> Iterator[list[str]]:
    """Let the statement with this number fail; the context gives those that were run."""
    run: list[str] = []

    def trace(_: Any, sql: str, __: Any) -> bool:
        if sql == "ROLLBACK":
            return True
        run.append(sql)
        if len(run) > at:
            raise error(sql)
        return True

    store.writer.exec_trace = trace
    try:
        yield run
    finally:
        store.writer.exec_trace = None
