"""The databases that a ledger is kept in; each has one file, and nothing else touches them."""

from pathlib import Path

from croupier.errors import MissingExtra
from croupier.ledger.stores.protocol import Store


def open_sqlite(path: Path, *, make: bool = False, alone: bool = False) -> Store:
    """Open the ledger in a file; only `make` makes one that is not there.

    A server opens it `alone`: a second one is refused, whatever path or link it comes by.
    """
    from croupier.ledger.stores.sqlite import SqliteStore

    return SqliteStore(path, make=make, alone=alone)


def open_postgres(url: str, *, make: bool = False, alone: bool = False) -> Store:
    """Open the ledger in a PostgreSQL database; only `make` brings its tables up to date.

    A server opens it `alone`: a second one is refused.
    """
    try:
        from croupier.ledger.stores.postgres import PostgresStore
    except ImportError as error:
        if error.name not in ("psycopg", "psycopg_pool"):
            raise
        raise MissingExtra("postgres", "a ledger in PostgreSQL") from None
    return PostgresStore(url, make=make, alone=alone)
