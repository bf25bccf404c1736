"""The loop of the books: mailboxes that are unsure catch up before they decide anything."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from croupier.house import books
from croupier.house.books import Books
from croupier.ledger.store import Request, Result, Unavailable
from croupier.ledger.stores.sqlite import SqliteStore


class Unsure:
    """A mailbox that can't catch up for some times."""

    def __init__(self, fails: int) -> None:
        self.fails, self.unsure = fails, True
        self.did: list[str] = []

    async def catch_up(self) -> None:
        self.did.append("catch up")
        await asyncio.sleep(0)
        if self.fails:
            self.fails -= 1
            raise Unavailable("the database does not answer")
        self.unsure = False

    def decide(self, time_ms: int) -> list[Request]:
        self.did.append("decide")
        return []

    def settled(self, results: Sequence[Result], wait_ms: int) -> None:
        self.did.append("settled")

    def fail(self, error: Exception) -> None:
        self.did.append(f"fail {type(error).__name__}")


def visited(folder: Path, *boxes: Unsure) -> Books:
    """Ring mailboxes, and wait until all of them are sure."""

    async def ring(shared: Books) -> None:
        for box in boxes:
            shared.ring(box)
        async with asyncio.timeout(60):
            while any(box.unsure for box in boxes):
                await asyncio.sleep(0.001)
        await shared.idle()

    store = SqliteStore(folder / "ledger.db", make=True)
    shared = Books(store, bytes(32))
    asyncio.run(ring(shared))
    shared.close()
    store.close()
    return shared


def test_a_mailbox_decides_nothing_before_it_has_caught_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until it can, what is waiting fails, and the loop tries again by itself."""
    monkeypatch.setattr(books, "RETRY_S", 0.01)
    box = Unsure(fails=2)
    visited(tmp_path, box)
    assert box.did == [*["catch up", "fail Unavailable"] * 2, "catch up", "decide", "settled"]


def test_one_that_can_not_catch_up_stands_in_nobodys_way(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(books, "RETRY_S", 0.01)
    late, quick = Unsure(fails=1), Unsure(fails=0)
    visited(tmp_path, late, quick)
    assert quick.did == ["catch up", "decide", "settled"]
    assert late.did[:2] == ["catch up", "fail Unavailable"] and late.did[-1] == "settled"
