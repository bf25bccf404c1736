"""D2: what was acknowledged survives a power cut. The same cuts must find a store that lies."""

import random
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from croupier.ledger.scribe import Happened
from croupier.ledger.stores import sqlite
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.verify import verify
from tests.ledger.power import Disk, Operation, files_after
from tests.ledger.tables import Dealer, Till, rules_of

ROUNDS = 12
LEDGER = "ledger.db"


class Run:
    """A store on a disk that remembers, and after which operation each command was answered."""

    def __init__(self, folder: Path) -> None:
        disk = Disk(f"disk {folder}")
        try:
            store = SqliteStore(folder / LEDGER, make=True, vfs=disk.vfs)
            # Small enough that the log is carried over into the file again and again.
            store.writer.execute("PRAGMA wal_autocheckpoint = 12")
            self.ready = len(disk.log)
            self.acknowledged: list[tuple[int, str]] = []
            till = Till(store, "t")
            for happened in self.commands(Dealer(till)):
                command = till.draft(happened)[0].command
                till.put(*happened)
                self.acknowledged.append((len(disk.log), command))
            self.log: list[Operation] = list(disk.log)
            store.close()
        finally:
            disk.unregister()

    @staticmethod
    def commands(dealer: Dealer) -> Iterator[list[Happened]]:
        for number in range(ROUNDS):
            yield from dealer.commands(f"r{number}", f"round {number}")


def lost(run: Run, folder: Path, cuts: int) -> list[str]:
    """Cut the power at random places; return the commands that were answered and are gone."""
    rng = random.Random(f"cuts {cuts}")
    found: list[str] = []
    for cut in range(cuts):
        at = rng.randint(run.ready, len(run.log))
        place = folder / f"cut-{cut}"
        place.mkdir()
        for name, content in files_after(run.log[:at], rng).items():
            if not name.endswith("-shm"):
                (place / name).write_bytes(content)
        store = SqliteStore(place / LEDGER, make=True)
        with store.writing() as session:
            assert list(session.rows("PRAGMA integrity_check")) == [("ok",)]
        with store.reading() as view:
            assert verify(view, None if cut % 10 else rules_of).faults == ()
            acknowledged = [command for when, command in run.acknowledged if when <= at]
            found += [command for command in acknowledged if view.answer(command) is None]
        store.close()
    return found


def test_no_acknowledged_command_is_lost_in_a_power_cut(tmp_path: Path) -> None:
    assert lost(Run(tmp_path), tmp_path, 50) == []


@pytest.mark.long
def test_no_acknowledged_command_is_lost_in_many_power_cuts(tmp_path: Path) -> None:
    run, cuts = Run(tmp_path), 1_000
    found = lost(run, tmp_path, cuts)
    count = len(run.acknowledged)
    print(f"{cuts} power cuts among {len(run.log)} writes: {count} commands, {len(found)} lost")
    assert found == []


def test_a_broken_disk_is_never_acknowledged(tmp_path: Path) -> None:
    """D3: from any write or sync on the disk fails; what was acknowledged before is there."""
    for at in range(40):
        folder = tmp_path / str(at)
        folder.mkdir()
        disk = Disk(f"broken {folder}")
        store = SqliteStore(folder / LEDGER, make=True, vfs=disk.vfs)
        till = Till(store, "t")
        dealer = Dealer(till)
        disk.log.broken_from = len(disk.log) + at
        acknowledged = []
        with pytest.raises((apsw.FullError, apsw.IOError)):
            for happened in dealer.commands("r", "one"):
                command = till.draft(happened)[0].command
                till.put(*happened)
                acknowledged.append(command)
        disk.log.broken_from = None
        store.close()
        disk.unregister()
        again = SqliteStore(folder / LEDGER)
        with again.reading() as view:
            assert verify(view, None).faults == ()
            assert all(view.answer(command) for command in acknowledged)
        again.close()


def test_the_cuts_find_a_store_that_does_not_sync(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "OPENING", sqlite.OPENING.replace("FULL", "NORMAL"))
    assert lost(Run(tmp_path), tmp_path, 20) != []
