"""The folder of a house: its ledger, keys and checkpoints.

Only the owner can read the key files. The ledger alone, without its keys, neither opens a deck nor
signs a checkpoint.
"""

import fcntl
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from hashlib import sha256
from pathlib import Path

from croupier.errors import UserError
from croupier.house.books import Books
from croupier.house.keys import ANEW, MASTER, OWNER_ONLY, SIGNING, Keys, change_keys, keys_of
from croupier.house.signing import Signing
from croupier.ledger.stores import open_postgres, open_sqlite
from croupier.ledger.stores.marks import CHECKPOINTS, HIGH_WATER, LEDGER, check_marks, marks_in
from croupier.ledger.stores.protocol import Store
from croupier.ledger.tenure import CHECKPOINT

LOCK = "open.lock"
KEPT = (MASTER, SIGNING, CHECKPOINTS, HIGH_WATER)
"""Files that belong to one ledger; if one of them is there, there was a ledger."""


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Lock a folder for one server; create it if there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, OWNER_ONLY)
    except OSError as error:
        raise UserError(f"cannot be opened: {error.strerror}", field="--data") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise UserError(f"another server has {folder.name} open", field="--data") from None
    try:
        yield
    finally:
        os.close(lock)


@contextmanager
def opened_house(
    folder: Path,
    database: str | None = None,
    *,
    node: str = "",
    is_locked: bool = False,
    worker: int | None = None,
    key_command: str = "",
) -> Iterator["House"]:
    """Open a folder and its ledger, and lock it for this server; create it if there is none.

    On PostgreSQL the server is a node that others reach at its address. Workers of one server open
    a folder that it has locked for them.
    """
    with nullcontext() if is_locked else locked_folder(folder):
        # Workers share a folder, and each has a place of its own there.
        place = _place(folder) if worker is None else f"{_place(folder)}-{worker}"
        store = _ledger(folder, database, node, place=place)
        try:
            keys = keys_of(folder, store, command=key_command)
            with store.reading() as view:
                check_marks(view, marks_in(folder))
            yield House(folder, store, keys)
        finally:
            store.close()


def _place(folder: Path) -> str:
    """Return what names a folder among those of all machines."""
    return f"{socket.gethostname()}-{sha256(bytes(folder.resolve())).hexdigest()[:8]}"


def _ledger(folder: Path, database: str | None, node: str, *, place: str) -> Store:
    if database:
        return open_postgres(database, make=True, node=node, place=place)
    file = folder / LEDGER
    there = [name for name in KEPT if (folder / name).exists()]
    if there and not file.exists():
        raise UserError(f"{LEDGER} is missing beside {there[0]}; {ANEW}", field="--data")
    return open_sqlite(file, make=True, alone=True)


class House:
    """An open folder with its ledger and keys."""

    def __init__(self, folder: Path, store: Store, keys: Keys) -> None:
        self.folder, self.store, self.keys = folder, store, keys

    def change_keys(self, *, time_ms: int) -> None:
        """Change the keys; each checkpoint before and after is signed with the key in force."""
        self.take_signing()
        self.signing().sign_now(self.store, time_ms=time_ms)
        self.keys = change_keys(self.folder, self.store, self.keys)
        self.signing().sign_now(self.store, time_ms=time_ms)

    def take_signing(self) -> None:
        """Become the one who signs checkpoints; refused while a server of this house does."""
        tenure = self.store.tenure
        tenure.claim([CHECKPOINT])
        if not tenure.may_write(CHECKPOINT):
            message = "a server of this house is running and signs; close all servers first"
            raise UserError(message, field="--database")

    def books(self) -> Books:
        """Return the books that a server of this house keeps."""
        return Books(self.store, self.keys.master, older_keys=self.keys.older)

    def signing(self) -> Signing:
        return Signing(self.keys.signing, self.folder / CHECKPOINTS)
