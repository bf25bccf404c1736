"""Checkpoints of a house: signed one after the other, and none is missing where they are kept."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event
from time import sleep

import pytest

from croupier.house import signing as signings
from croupier.house.pit import Pit
from croupier.house.signing import Checkpoints, Signing
from croupier.ledger.checkpoints import Checkpoint, is_signed, parse_checkpoints
from tests.house.floor import one_table, pit_at
from tests.ledger.memory import SECRET
from tests.rules.books import MARYLAND


def kept(pit: Pit) -> tuple[list[Checkpoint], tuple[Checkpoint, ...]]:
    """Return the checkpoints in the ledger, and those in the file beside it."""
    assert pit.checkpoints
    with pit.books.store.reading() as view:
        return view.checkpoints(), parse_checkpoints(
            pit.checkpoints.signing.file.read_text("utf-8")
        )


@asynccontextmanager
async def signed_pit(folder: Path) -> AsyncIterator[tuple[Pit, Checkpoints]]:
    signing = Signing(SECRET, folder / "checkpoints.jsonl")
    async with pit_at(folder / "l.db", one_table(MARYLAND), signing=signing) as pit:
        assert pit.checkpoints
        yield pit, pit.checkpoints


def test_checkpoints_that_are_asked_for_at_once_are_one_after_the_other(tmp_path: Path) -> None:
    async def signed() -> None:
        async with signed_pit(tmp_path) as (pit, checkpoints):
            await pit.cage.fill("p-1", 1_000)
            await asyncio.gather(checkpoints.sign(), checkpoints.sign())
            await pit.cage.fill("p-2", 1_000)
            await asyncio.gather(checkpoints.sign(), pit.cage.fill("p-3", 1_000))
            await checkpoints.sign()
            in_ledger, in_file = kept(pit)
            assert [each.number for each in in_file] == [1, 2, 3]
            assert tuple(in_ledger) == in_file
            assert all(is_signed(each, each.key) for each in in_file)
            with pit.books.store.reading() as view:
                assert in_file[-1].heads == view.heads()

    asyncio.run(signed())


def test_a_checkpoint_that_could_not_be_written_is_followed_by_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Signing, checkpoint: Checkpoint) -> None:
        raise OSError("disk full")

    async def signed() -> None:
        async with signed_pit(tmp_path) as (pit, checkpoints):
            await pit.cage.fill("p-1", 1_000)
            with monkeypatch.context() as patch, pytest.raises(OSError, match="disk full"):
                patch.setattr(Signing, "write", full)
                await checkpoints.sign()
            await checkpoints.sign()
            in_ledger, in_file = kept(pit)
            assert [each.number for each in in_ledger] == [1, 2]
            assert [each.number for each in in_file] == [2]
            assert in_file[0].heads == in_ledger[0].heads

    asyncio.run(signed())


def test_a_checkpoint_that_is_under_way_when_the_house_closes_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, writing = Signing.write, Event()

    def slowly(self: Signing, checkpoint: Checkpoint) -> None:
        writing.set()
        sleep(0.3)
        write(self, checkpoint)

    async def closed() -> None:
        async with signed_pit(tmp_path) as (pit, _):
            await asyncio.to_thread(writing.wait)
            await pit.stop()
            in_ledger, in_file = kept(pit)
            assert [each.number for each in in_file] == [1]
            assert tuple(in_ledger) == in_file

    monkeypatch.setattr(Signing, "write", slowly)
    monkeypatch.setattr(signings, "LOOK_S", 0.01)
    monkeypatch.setattr(signings, "CHECKPOINT_EVENTS", 1)
    asyncio.run(closed())
