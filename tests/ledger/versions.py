"""What every store does with ledgers and backups of other versions, as tests for each database."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from croupier.errors import UserError
from croupier.ledger.accounts import Account
from croupier.ledger.checkpoints import Checkpoint, sign
from croupier.ledger.stores import statements
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.restoring import restore
from croupier.ledger.verify import verify
from tests.ledger.finding import play_all, said
from tests.ledger.memory import SECRET
from tests.ledger.tables import Dealer, Till, rules_of

EARLIER = 4


@contextmanager
def version(last: int) -> Iterator[None]:
    """Make ledgers as they were made when there were only so many migrations."""
    migrations = statements.migrations
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statements, "migrations", lambda database: migrations(database)[:last])
        patch.delitem(statements.TABLES, "house")
        yield


class Backup:
    """A backup that an earlier version made, and a folder for what is written meanwhile."""

    def __init__(self, opened: Callable[[], Store], folder: Path) -> None:
        self.file, self.folder = folder / "backup.db", folder / "temporary"
        self.folder.mkdir()
        with version(EARLIER):
            store = opened()
            play_all(store)
            with store.reading() as view:
                store.add_checkpoint(sign(SECRET, 1, view.heads(), time_ms=1))
            store.backup(self.file)
            self.said = said(store)
            Dealer(Till(store, "t3")).play("late", "late")
            with store.reading() as view:
                self.late = sign(SECRET, 2, view.heads(), time_ms=2)
            store.close()
        self.bytes = self.file.read_bytes()

    def restore(self, into: Store, *checkpoints: Checkpoint, forced: bool = False) -> Any:
        """Restore it; whatever comes of that, it is as it was and nothing else is left."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(tempfile, "tempdir", str(self.folder))
            try:
                at_ms = 1 if forced else None
                return restore(
                    into, self.file, rules_of, checkpoints=checkpoints, forced_at_ms=at_ms
                )
            finally:
                assert self.file.read_bytes() == self.bytes
                assert list(self.folder.iterdir()) == []
                assert list(self.file.parent.glob("backup.db?*")) == []

    def change(self, sql: str) -> None:
        connection = apsw.Connection(str(self.file))
        connection.execute(sql)
        connection.close()
        self.bytes = self.file.read_bytes()


class VersionsContract:
    """What a store does; a database has a class of its own that says how one is made."""

    @pytest.fixture
    def opened(self) -> Callable[[], Store]:
        """Return what opens one and the same ledger, and makes it or brings it up to date."""
        raise NotImplementedError

    @pytest.fixture
    def backup(self, opened: Callable[[], Store], tmp_path: Path) -> Backup:
        return Backup(opened, tmp_path)

    def test_an_earlier_ledger_says_the_same_when_it_is_brought_up_to_date(
        self, opened: Callable[[], Store]
    ) -> None:
        with version(EARLIER):
            store = opened()
            play_all(store)
            before = said(store)
            store.close()
        assert before["verified"].faults == ()
        store = opened()
        assert said(store) == before
        Dealer(Till(store, "t3")).play("late", "late")
        with store.reading() as view:
            assert verify(view, rules_of).faults == ()
            assert len(view.history(Account("layout:late"), limit=99)) > 2
        store.close()

    def test_an_earlier_backup_is_restored_as_it_would_be_made_now(
        self, backup: Backup, store: Store
    ) -> None:
        assert backup.restore(store) == {}
        assert said(store) == backup.said
        with store.snapshot() as session:
            done = {name for (name,) in session.rows("SELECT name FROM migrations")}
        assert [name for name in done if name.startswith("0005")] != []
        Dealer(Till(store, "t3")).play("late", "late")
        with store.reading() as view:
            assert verify(view, rules_of).faults == ()
            assert view.last_checkpoint() == 1
        with pytest.raises(UserError, match="is not empty"):
            backup.restore(store)

    def test_an_earlier_backup_that_lacks_signed_events_is_restored_only_by_force(
        self, backup: Backup, store: Store
    ) -> None:
        with pytest.raises(UserError, match="lacks events that a checkpoint has signed"):
            backup.restore(store, backup.late)
        with store.reading() as view:
            assert view.heads() == {}
        assert backup.restore(store, backup.late, forced=True).keys() == {"t3"}
        with store.reading() as view:
            assert len(list(view.stream("restores"))) == 1

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            (
                "UPDATE accounts SET micros = micros + 1 WHERE account = 'cage'",
                "does not verify: cage stands at",
            ),
            ("DROP INDEX events_by_subject", "cannot be brought up to date: .*events_by_subject"),
            (
                "INSERT INTO migrations VALUES (999, '0999-later.sql')",
                r"made by a later version, with 0999-later\.sql",
            ),
        ],
        ids=["does not verify", "cannot be migrated", "later"],
    )
    def test_an_earlier_backup_that_is_not_sound_leaves_nothing(
        self, backup: Backup, store: Store, change: str, says: str
    ) -> None:
        backup.change(change)
        with pytest.raises(UserError, match=says):
            backup.restore(store)
        with store.reading() as view:
            assert (view.heads(), view.balances()) == ({}, {})
