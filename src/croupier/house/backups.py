"""Backups that an operator makes of an open house, in a folder beside its keys."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from croupier.ledger.stores.protocol import Store

FOLDER = "backups"
_NAME = "ledger-%Y%m%dT%H%M%SZ.db"


class Backup(NamedTuple):
    """A backup of the ledger: its file, and when it was made."""

    file: str
    bytes: int
    time_ms: int

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return self._asdict()


def make_backup(store: Store, folder: Path, time_ms: int) -> Backup:
    """Copy the ledger while the house is open; this blocks."""
    place = folder / FOLDER
    place.mkdir(mode=0o700, exist_ok=True)
    file = place / datetime.fromtimestamp(time_ms / 1000, UTC).strftime(_NAME)
    store.backup(file)
    return _found(file)


def last_backup(folder: Path) -> Backup | None:
    """Return the last backup that was made here, if there is one."""
    made = sorted((folder / FOLDER).glob("ledger-*.db"))
    return _found(made[-1]) if made else None


def _found(file: Path) -> Backup:
    made = datetime.strptime(file.name, _NAME).replace(tzinfo=UTC)
    return Backup(f"{FOLDER}/{file.name}", file.stat().st_size, int(made.timestamp() * 1000))
