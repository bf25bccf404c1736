"""The options that name a ledger, and how it is opened with them."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from croupier.errors import UserError
from croupier.ledger.audit import RulesOf
from croupier.ledger.stores import open_postgres, open_sqlite
from croupier.ledger.stores.marks import LEDGER
from croupier.ledger.stores.protocol import Store
from croupier.rules.load import load
from croupier.rules.resolve import resolve

if TYPE_CHECKING:
    from croupier.house.folder import House

HouseFolder = Annotated[
    Path, typer.Option("--data", metavar="FOLDER", help="The house's folder with its key files.")
]
DataFolder = Annotated[
    Path | None,
    typer.Option("--data", metavar="FILE", help="The ledger's SQLite file, or a server's folder."),
]
Database = Annotated[
    str | None, typer.Option("--database", metavar="URL", help="The ledger's PostgreSQL database.")
]

KeyCommand = Annotated[
    str,
    typer.Option(
        "--key-command", metavar="COMMAND", help="Prints a key, given the name of its file."
    ),
]


ByName = Annotated[str, typer.Option("--by", metavar="NAME", help="Who does it, for the journal.")]
BY_CHARS = 100


def check_by(by: str) -> None:
    """Refuse a name that a journal can't show."""
    if not by.isprintable() or len(by) > BY_CHARS:
        message = f"must be a name of at most {BY_CHARS} characters"
        raise UserError(message, field="--by")


@contextmanager
def opened_closed(data: Path, database: str | None, key_command: str) -> "Iterator[House]":
    """Open a closed house with its keys, and close it afterwards."""
    from croupier.house.folder import Opener, opened_house

    if not data.is_dir():
        raise UserError(f"there is no folder {data}", field="--data")
    with opened_house(data, database, Opener(key_command=key_command)) as house:
        yield house


@contextmanager
def opened(data: Path | None, database: str | None, *, make: bool = False) -> Iterator[Store]:
    """Open the ledger that the options name, and close it afterwards."""
    if (data is None) == (database is None):
        raise UserError("say where the ledger is: --data FILE or --database URL")
    if data is not None:
        store = open_sqlite(_file(data, make=make), make=make)
    else:
        store = open_postgres(str(database), make=make)
    try:
        yield store
    finally:
        store.close()


def _file(data: Path, *, make: bool) -> Path:
    """Return the ledger's file; in a server's folder it has a fixed name.

    A path that doesn't exist yet is a file if it looks like one, and a folder otherwise.
    """
    if make and not data.exists():
        folder = data.parent if data.suffix else data
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            message = f"{folder} can't be made: {error.strerror}"
            raise UserError(message, field="--data") from None
    return data / LEDGER if data.is_dir() else data


def rules_in(folders: tuple[Path, ...]) -> RulesOf:
    """Return a function that finds table rules among the books of the command line."""
    return lambda rulebook, selections, things: resolve(
        load(rulebook, folders), selections, things=things
    )
