"""Backups that an operator makes of an open house, in a folder beside its keys."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from croupier.errors import Bug
from croupier.house.log import log
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.sqlite import is_whole

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


def make_backup(store: Store, folder: Path, time_ms: int, *, keep: int) -> Backup:
    """Copy the ledger while the house is open, and keep this many copies; this blocks.

    An older copy is removed only once the new one is on the disk and found to be whole. The new one
    always stays, wherever the clock of this machine puts it among the others.
    """
    place = folder / FOLDER
    place.mkdir(mode=0o700, exist_ok=True)
    file = place / datetime.fromtimestamp(time_ms / 1000, UTC).strftime(_NAME)
    store.backup(file)
    if not is_whole(file):
        file.unlink()
        raise Bug(f"the backup {file.name} can't be read back")
    others = [other for other in _made(folder) if other != file]
    for other in others[: max(0, len(others) + 1 - keep)]:
        other.unlink(missing_ok=True)
        log("backup_removed", file=f"{FOLDER}/{other.name}")
    return _found(file)


def last_backup(folder: Path) -> Backup | None:
    """Return the last backup that was made here, if there is one."""
    made = _made(folder)
    return _found(made[-1]) if made else None


def _made(folder: Path) -> list[Path]:
    """Return the backups that were made here, the oldest first.

    An operator may keep other files beside them, which are never removed.
    """
    return sorted(file for file in (folder / FOLDER).glob("ledger-*.db") if _is_ours(file))


def _is_ours(file: Path) -> bool:
    try:
        named = _time_of(file).strftime(_NAME) == file.name
    except ValueError:
        return False
    return named and file.is_file() and not file.is_symlink()


def _time_of(file: Path) -> datetime:
    return datetime.strptime(file.name, _NAME).replace(tzinfo=UTC)


def _found(file: Path) -> Backup:
    time_ms = int(_time_of(file).timestamp() * 1000)
    return Backup(f"{FOLDER}/{file.name}", file.stat().st_size, time_ms)
