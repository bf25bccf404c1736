"""The folder of a house: its ledger, keys and checkpoints.

Only the owner can read the key files. The ledger alone, without its keys, neither opens a deck nor
signs a checkpoint.
"""

import fcntl
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple, TypeVar

from croupier.errors import UserError
from croupier.house.books import Books
from croupier.house.keys import (
    ANEW,
    MASTER,
    OWNER_ONLY,
    SIGNING,
    Keys,
    change_keys,
    check_link_key,
    keys_of,
    link_key,
    link_key_in,
    note_link_key,
)
from croupier.house.signing import Signing
from croupier.ledger.store import Lost, Unavailable
from croupier.ledger.stores import open_postgres, open_sqlite
from croupier.ledger.stores.marks import CHECKPOINTS, HIGH_WATER, LEDGER, check_marks, marks_in
from croupier.ledger.stores.protocol import Store
from croupier.ledger.tenure import CHECKPOINT

LOCK = "open.lock"
NO_KEY = b""
KEPT = (MASTER, SIGNING, CHECKPOINTS, HIGH_WATER)
"""Files that belong to one ledger; if one of them is there, there was a ledger."""
START_S, AGAIN_S = 30.0, 0.05
"""How long a start goes on trying while the database of a shared house doesn't answer, and how
often."""
T = TypeVar("T")


def patiently(store: Store, do: Callable[[], T]) -> T:
    """Do a part of the start; in a shared house, retry while the database doesn't answer.

    A node that was slow to start may have been declared dead meanwhile; it joins again.
    """
    until_s = time.monotonic() + START_S
    while True:
        try:
            return do()
        except Unavailable as error:
            lasts = store.tenure.is_shared and not isinstance(error, Lost)
            if not lasts or time.monotonic() > until_s:
                raise UserError(str(error), field="--database") from None
        time.sleep(AGAIN_S)


@contextmanager
def locked_folder(folder: Path) -> Iterator[None]:
    """Lock a folder for one server; create it if there is none."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, OWNER_ONLY)
    except OSError as error:
        raise UserError(f"can't be opened: {error.strerror}", field="--data") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise UserError(f"another server has {folder.name} open", field="--data") from None
    try:
        yield
    finally:
        os.close(lock)


class Opener(NamedTuple):
    """The server that opens a folder."""

    node: str = ""
    """On PostgreSQL, its address, where other servers reach it."""
    worker: int | None = None
    """Which of several workers it is, each with a place of its own in the folder."""
    is_locked: bool = False
    """Whether the folder is locked for it already, by the server that has these workers."""
    key_command: str = ""

    def place(self, folder: Path) -> str:
        """Return what names its place among those of all machines."""
        name = f"{socket.gethostname()}-{sha256(bytes(folder.resolve())).hexdigest()[:8]}"
        return name if self.worker is None else f"{name}-{self.worker}"


ALONE = Opener()


@contextmanager
def opened_house(
    folder: Path, database: str | None = None, by: Opener = ALONE
) -> Iterator["House"]:
    """Open a folder and its ledger, and lock it for this server; create it if there is none."""
    with nullcontext() if by.is_locked else locked_folder(folder):
        store = _ledger(folder, database, by)
        try:
            yield House(folder, store, patiently(store, partial(_keys, folder, store, by)))
        finally:
            store.close()


@contextmanager
def opened_web(folder: Path, database: str | None = None, by: Opener = ALONE) -> Iterator["Web"]:
    """Open a folder and the ledger for a server that has no table.

    It needs only the link key, and creates no keys.
    """
    with nullcontext() if by.is_locked else locked_folder(folder):
        key = link_key_in(folder, command=by.key_command)
        place = by.place(folder)
        store = open_postgres(database or "", node=by.node, place=place, owns=False)
        try:
            patiently(store, partial(check_link_key, store, key))
            yield Web(store, key)
        finally:
            store.close()


def _keys(folder: Path, store: Store, by: Opener) -> Keys:
    """Return the keys of a ledger that fit it, after checking that it is no older than it was."""
    keys = keys_of(folder, store, command=by.key_command)
    if store.tenure.is_shared:
        note_link_key(store, keys.master)
    with store.reading() as view:
        check_marks(view, marks_in(folder))
    return keys


def _ledger(folder: Path, database: str | None, by: Opener) -> Store:
    if database:
        return open_postgres(database, make=True, node=by.node, place=by.place(folder))
    file = folder / LEDGER
    there = [name for name in KEPT if (folder / name).exists()]
    if there and not file.exists():
        raise UserError(f"{LEDGER} is missing beside {there[0]}; {ANEW}", field="--data")
    return open_sqlite(file, make=True, alone=True)


class House:
    """An open folder with its ledger and keys."""

    def __init__(self, folder: Path, store: Store, keys: Keys) -> None:
        self.folder, self.store, self.keys = folder, store, keys

    @property
    def link_key(self) -> bytes:
        """The link key of this house."""
        return link_key(self.keys.master)

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


class Web(NamedTuple):
    """What a server has that serves no table."""

    store: Store
    link_key: bytes

    def books(self) -> Books:
        """Return books that can open no deck."""
        return Books(self.store, NO_KEY)

    def signing(self) -> None:
        """Return nothing: it signs nothing."""
