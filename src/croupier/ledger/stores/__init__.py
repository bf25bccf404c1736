"""The databases that a ledger is kept in; each has one file, and nothing else touches them."""

from pathlib import Path

from croupier.errors import MissingExtra
from croupier.ledger.stores.protocol import Store


def open_sqlite(path: Path, *, make: bool = False) -> Store:
    """Open the ledger in a file; only `make` makes one that is not there."""
    from croupier.ledger.stores.sqlite import SqliteStore

    return SqliteStore(path, make=make)


def open_postgres(url: str, *, make: bool = False) -> Store:
    """Open the ledger in a PostgreSQL database; only `make` brings its tables up to date."""
    try:
        from croupier.ledger.stores.postgres import PostgresStore
    except ImportError as error:
        if error.name not in ("psycopg", "psycopg_pool"):
            raise
        raise MissingExtra("postgres", "a ledger in PostgreSQL") from None
    return PostgresStore(url, make=make)
