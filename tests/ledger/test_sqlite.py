"""The contract of the stores, kept by SQLite."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from croupier.errors import UserError
from croupier.ledger.store import Lost, Request
from croupier.ledger.stores import open_sqlite
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.sqlite import SqliteStore, check_version
from croupier.ledger.stores.statements import Session
from tests.ledger.contract import StoreContract, claim, moving, settle_all
from tests.ledger.failing import failing_at


class TestSqlite(StoreContract):
    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = SqliteStore(tmp_path / "ledger.db", make=True)
        yield store
        store.close()

    @pytest.fixture
    def empty(self, tmp_path: Path) -> Callable[[], Store]:
        return lambda: SqliteStore(tmp_path / "empty.db", make=True)

    @pytest.fixture
    def opened(self, tmp_path: Path) -> Callable[[], Store]:
        return lambda: SqliteStore(tmp_path / "opened.db", make=True)

    def plan(self, session: Session, sql: str, *parameters: object) -> str:
        rows = session.rows(f"EXPLAIN QUERY PLAN {sql}", parameters)
        return "\n".join(row[-1] for row in rows)

    def execute(self, store: Store, sql: str) -> None:
        assert isinstance(store, SqliteStore)
        with store.writing() as session:
            session.run(sql)

    @contextmanager
    def failing(self, store: Store, at: int) -> Iterator[list[str]]:
        assert isinstance(store, SqliteStore)
        with failing_at(store, at, MemoryError) as run:
            yield run


def test_an_older_sqlite_is_refused() -> None:
    check_version("3.51.3")
    with pytest.raises(UserError, match=r"SQLite is 3\.51\.2, and a ledger needs 3\.51\.3"):
        check_version("3.51.2")


def test_a_ledger_is_not_made_by_looking(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"there is no ledger a\.db"):
        open_sqlite(tmp_path / "a.db")
    assert list(tmp_path.iterdir()) == []


def test_another_file_is_no_ledger_and_stays_as_it_is(tmp_path: Path) -> None:
    other = tmp_path / "a.db"
    other.write_text("something else")
    with pytest.raises(UserError, match="is not a ledger"):
        open_sqlite(other)
    assert other.read_text() == "something else"


def test_every_commit_is_synced(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "ledger.db", make=True)
    pragmas = ("journal_mode", "synchronous", "foreign_keys")
    with store.writing() as session:
        found = [next(iter(session.rows(f"PRAGMA {name}")))[0] for name in pragmas]
    store.close()
    assert found == ["wal", 2, 1]


def test_nothing_is_begun_while_somebody_else_writes(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "ledger.db", make=True)
    with store.writing():
        assert store.begin_all([]) is None
    finish = store.begin_all([])
    assert finish is not None and finish() == []
    store.close()


def test_the_tables_take_no_other_types(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "ledger.db", make=True)
    with pytest.raises(apsw.ConstraintError), store.writing() as session:
        session.run("INSERT INTO accounts VALUES ('player:ada', 'player', 1.5)")
    store.close()


@pytest.mark.parametrize("how", ["older", "cut off"])
def test_nothing_is_acknowledged_into_a_file_that_is_overwritten(tmp_path: Path, how: str) -> None:
    """As `cp older.db ledger.db` does, which leaves the same file at the path."""
    file, older = tmp_path / "ledger.db", tmp_path / "older.db"
    store = SqliteStore(file, make=True)
    store.backup(older)
    for number in range(100):
        store.append(claim(f"{number}", number), moving(5, f"{number}"))
    store.close()
    assert file.stat().st_size > older.stat().st_size
    store = SqliteStore(file)
    file.write_bytes(older.read_bytes() if how == "older" else b"")
    [result] = settle_all(store, [Request(claim("b", 100), (), lambda _: moving(7, "b"))])
    assert isinstance(result, Lost) and str(file) in str(result)
    with pytest.raises(Lost), store.reading():
        pass
    store.close()


def test_a_ledger_with_damaged_pages_is_lost(tmp_path: Path) -> None:
    file = tmp_path / "ledger.db"
    store = SqliteStore(file, make=True)
    store.append(claim("a"), moving(5))
    store.close()
    store = SqliteStore(file)
    content = file.read_bytes()
    file.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with pytest.raises(Lost, match="is damaged"), store.reading() as view:
        list(view.heads())
    store.close()


@pytest.mark.parametrize("gone", ["ledger.db", "ledger.db-wal"])
@pytest.mark.parametrize("replaced", [False, True])
def test_nothing_is_acknowledged_into_a_file_that_is_gone(
    tmp_path: Path, gone: str, *, replaced: bool
) -> None:
    store = SqliteStore(tmp_path / "ledger.db", make=True)
    store.append(claim("a"), moving(5))
    file = tmp_path / gone
    file.unlink()
    if replaced:
        file.touch()
    [together] = settle_all(store, [Request(claim("b", 1), (), lambda _: moving(7, "2"))])
    assert isinstance(together, Lost) and gone in str(together)
    with pytest.raises(Lost):
        store.append(claim("c", 2), moving(7, "3"))
    with pytest.raises(Lost), store.writing():
        pass
    with pytest.raises(Lost), store.reading():
        pass
    with pytest.raises(Lost):
        store.check()
    assert file.exists() == replaced, "what is gone is not made anew"
    store.close()


def test_a_reader_sees_what_was_committed_since_the_last_one(tmp_path: Path) -> None:
    """Connections are used again, but never one that still holds an old snapshot."""
    store = SqliteStore(tmp_path / "ledger.db", make=True)
    asked = "SELECT count(*) FROM sessions"
    add = "INSERT INTO persons (person, name, looks, made_ms) VALUES (?, ?, ?, 0)"
    unfinished = []
    for number in range(8):
        with store.snapshot() as session:
            [[count]] = session.rows("SELECT count(*) FROM persons")
            assert count == number
            rows = session.rows("SELECT person FROM persons")
            next(rows, None)
            unfinished.append(rows)  # It keeps its snapshot until somebody drops it.
        if number % 2:
            unfinished.clear()
        with store.writing() as session:
            session.run(add, (f"p-{number:010}", f"P {number}", f"p{number}"))
    assert len(store.readers) <= 1
    with store.snapshot() as one, store.snapshot() as other:
        assert list(one.rows(asked)) == list(other.rows(asked)) == [(0,)]
    assert len(store.readers) == 2
    store.close()
    assert store.readers == []
