"""The files of a SQLite ledger: permissions, the server's lock, and whether they are still there.

A server locks the file itself, not its folder or path, so a link or a second folder leads to the
same lock. `flock` doesn't affect the locks that SQLite takes with `fcntl`, but closing any
descriptor of the file would release those, so the lock is closed after the database.
"""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from croupier.errors import UserError
from croupier.ledger.store import Lost

OWNER_ONLY, OTHERS = 0o600, 0o007


class AtPath(NamedTuple):
    """Which file is at a path, and how large it is."""

    device: int
    inode: int
    size: int

    def is_file(self, other: "AtPath | None") -> bool:
        return other is not None and (self.device, self.inode) == (other.device, other.inode)


def make_private(file: Path) -> None:
    """Create an empty file that only its owner can read; SQLite's log gets the same mode."""
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL, OWNER_ONLY))


def take(file: Path) -> int:
    """Lock a ledger for one server; return the descriptor, whose lock ends with the process."""
    lock = os.open(file, os.O_RDWR)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(lock)
        raise UserError("another server has this ledger open", field="--data") from None
    if (mode := os.fstat(lock).st_mode) & OTHERS:
        os.fchmod(lock, mode & 0o777 & ~OTHERS)
    return lock


class LedgerFile:
    """A ledger's file and its log, as they were when the ledger was opened."""

    def __init__(self, file: Path) -> None:
        self._file = str(file)
        self._log = f"{file}-wal"
        self._known = _at(self._file)
        self._known_log = _at(self._log)

    def check(self) -> None:
        """Raise if the file at the path is no longer the one opened: commits would be lost.

        Nothing vacuums a ledger, so a file that shrank was cut off or overwritten by an older one.
        """
        # In this order: in another thread the file may grow, and be noted, in between.
        known, found = self._known, _at(self._file)
        if found is None or not found.is_file(known):
            raise Lost(f"{self._file} was removed or replaced while it was in use")
        if known is not None and found.size < known.size:
            raise Lost(f"{self._file} was overwritten while it was in use")
        self._known = found
        log = self._known_log
        if log is not None and not log.is_file(_at(self._log)):
            raise Lost(f"{self._log} was removed or replaced while it was in use")


def _at(file: str) -> AtPath | None:
    try:
        found = os.stat(file)
    except OSError:
        return None
    return AtPath(found.st_dev, found.st_ino, found.st_size)
