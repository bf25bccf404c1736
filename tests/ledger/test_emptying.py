"""The log is emptied beside the commits, which succeed whatever becomes of that."""

import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import apsw
import pytest

from croupier.ledger.stores import emptying
from croupier.ledger.stores.emptying import Emptying

PAGES, COMMITS, PAGE_BYTES = 100, 3_000, 4_096
FILL = bytes(5 * PAGE_BYTES)


@contextmanager
def writing(file: Path, *, emptied: bool = True) -> Iterator[apsw.Connection]:
    """Give a connection whose log is emptied, or is not."""

    def connect() -> apsw.Connection:
        connection = apsw.Connection(str(file))
        connection.execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF")
        return connection

    with closing(connect()) as writer, closing(Emptying(connect)) as log:
        writer.execute("CREATE TABLE pages (number INTEGER PRIMARY KEY, fill BLOB)")
        if emptied:
            log.follow(writer)
        else:
            writer.wal_autocheckpoint(0)
        yield writer


def fill(writer: apsw.Connection, file: Path) -> int:
    """Commit many times, and return how many pages the log has had at most."""
    log = file.with_name(f"{file.name}-wal")
    for number in range(COMMITS):
        writer.execute("INSERT OR REPLACE INTO pages VALUES (?, ?)", (number % 50, FILL))
        if number % 10 == 0:
            time.sleep(0)
    return log.stat().st_size // PAGE_BYTES


@pytest.fixture(autouse=True)
def _little(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(emptying, "PAGES", PAGES)


def test_the_log_stays_small(tmp_path: Path) -> None:
    with writing(tmp_path / "a.db") as writer:
        assert fill(writer, tmp_path / "a.db") < 60 * PAGES
    with writing(tmp_path / "b.db", emptied=False) as writer:
        assert fill(writer, tmp_path / "b.db") > 100 * PAGES


def test_a_long_reader_lets_the_log_grow_while_it_reads(tmp_path: Path) -> None:
    file = tmp_path / "a.db"
    with writing(file) as writer:
        writer.execute("INSERT INTO pages VALUES (-1, x'')")
        with closing(apsw.Connection(str(file))) as reader:
            reader.execute("BEGIN; SELECT * FROM pages")
            grown = fill(writer, file)
            assert [*reader.execute("SELECT count(*) FROM pages")] == [(1,)]
        assert grown > 100 * PAGES
        assert fill(writer, file) <= grown + 60 * PAGES  # The file keeps its size, and is reused.
        assert [*writer.execute("SELECT count(*) FROM pages")] == [(51,)]


def test_a_log_that_cannot_be_emptied_fails_no_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tried = list[apsw.Connection]()

    class Full:
        def wal_checkpoint(self) -> None:
            tried.append(self)  # type: ignore[arg-type]
            raise apsw.FullError("disk full")

    empty = emptying.empty
    monkeypatch.setattr(emptying, "empty", lambda _: empty(Full()))  # type: ignore[arg-type]
    with writing(tmp_path / "a.db") as writer:
        fill(writer, tmp_path / "a.db")
        assert [*writer.execute("SELECT count(*) FROM pages")] == [(50,)]
    assert len(tried) > 2
