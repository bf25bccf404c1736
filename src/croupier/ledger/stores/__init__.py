"""The ledger's databases. Each has one module, which alone touches it."""

from pathlib import Path

from croupier.errors import MissingExtra
from croupier.ledger.stores.protocol import Store


def open_sqlite(path: Path, *, make: bool = False, alone: bool = False) -> Store:
    """Open the ledger in a file; only `make` creates a missing one.

    A server opens it `alone`: a second server is refused, whatever path or link it uses.
    """
    from croupier.ledger.stores.sqlite import SqliteStore

    return SqliteStore(path, make=make, alone=alone)


def open_postgres(
    url: str,
    *,
    make: bool = False,
    node: str | None = None,
    place: str = "",
    owns: bool = True,
) -> Store:
    """Open the ledger in a PostgreSQL database; only `make` creates its tables.

    A server opens it as a node, with the address where other servers reach it; '' is nowhere. If it
    has a place of its own, the server that had that place before is gone, and so are its leases.
    A server that `owns` nothing takes no lease.
    """
    try:
        from croupier.ledger.stores.postgres import PostgresStore
    except ImportError as error:
        if error.name not in ("psycopg", "psycopg_pool"):
            raise
        raise MissingExtra("postgres", "a ledger in PostgreSQL") from None
    return PostgresStore(url, make=make, node=node, place=place, owns=owns)
