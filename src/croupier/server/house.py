"""The house's own folder: the ledger, the keys beside it, and the checkpoints to be kept elsewhere.

Keys are files that only their owner can read. Whoever has the ledger and not the keys can neither
open a deck nor sign a checkpoint.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from croupier.errors import UserError
from croupier.fairness.seal import format_key, new_key, parse_key
from croupier.server.pit import Signing

LEDGER, MASTER, SIGNING, CHECKPOINTS = "ledger.db", "master.key", "signing.key", "checkpoints.jsonl"
LOCK = "open.lock"
OWNER_ONLY = 0o600


@contextmanager
def opened_house(folder: Path) -> Iterator["House"]:
    """Open a folder, made where there is none; nobody else can have it open meanwhile."""
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
        yield House(folder)
    finally:
        os.close(lock)


class House:
    """A folder that is open."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def ledger(self) -> Path:
        return self.folder / LEDGER

    def master_key(self) -> bytes:
        """Return the key that decks are sealed with."""
        return self._key(MASTER)

    def signing(self) -> Signing:
        """Return who signs checkpoints."""
        return Signing(self._key(SIGNING), self.folder / CHECKPOINTS)

    def _key(self, name: str) -> bytes:
        """Read a key, or make it where there is none; one that others can read is refused."""
        file = self.folder / name
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            with os.fdopen(os.open(file, flags, OWNER_ONLY), "w") as made:
                made.write(format_key(new_key(os.urandom)))
                made.flush()
                os.fsync(made.fileno())
        except FileExistsError:
            pass
        if file.stat().st_mode & 0o077:
            raise UserError("can be read by others than its owner; chmod 600 it", field=name)
        return parse_key(file.read_text("utf-8"))
