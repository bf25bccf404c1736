"""`croupier ledger raise-format`: let a house use what only its upgraded servers read."""

from typing import Annotated

import typer

from croupier.cli.output import print_lines

Served = Annotated[
    str, typer.Option("--database", metavar="URL", help="The PostgreSQL database of the house.")
]


def raise_format(database: Served) -> None:
    """Raise a house to the newest format of this version, once all its servers have it.

    A version and the one before it can serve a house together. The newer one writes what the older
    can't read only once the format is raised; then servers of the older version are refused.
    """
    from croupier.ledger.stores import open_postgres
    from croupier.ledger.stores.formats import raise_format

    store = open_postgres(database)
    try:
        with store.writing() as session:
            before, after = raise_format(session)
    finally:
        store.close()
    was = f"was {before} and is {after}" if after > before else f"is {after} already"
    print_lines(f"the format of the house {was}")
