"""Checkpoints of a house: signed one after the other, and none missing in ledger or file."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Event
from time import sleep

import pytest

from croupier.house import signing as signings
from croupier.house.log import LOGGER
from croupier.house.pit import Pit
from croupier.house.signing import Checkpoints, Signing
from croupier.ledger.checkpoints import Checkpoint, is_signed, parse_checkpoints
from croupier.ledger.store import NotOwner, View
from croupier.ledger.stores.marks import marks_in
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
            await pit.cage.fill("p-4", 1_000)  # The one before may be signed already, or not.
            await checkpoints.sign()
            in_ledger, in_file = kept(pit)
            assert [each.number for each in in_file] == [1, 2, 3]
            assert tuple(in_ledger) == in_file
            assert all(is_signed(each, each.key) for each in in_file)
            with pit.books.store.reading() as view:
                assert in_file[-1].heads == view.heads()

    asyncio.run(signed())


def test_a_server_that_no_longer_signs_leaves_it_to_the_one_that_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def taken(_: Checkpoint) -> None:
        raise NotOwner("another server has the checkpoints now")

    async def signed() -> None:
        async with signed_pit(tmp_path) as (pit, checkpoints):
            await pit.cage.fill("p-1", 1_000)
            with monkeypatch.context() as patch:
                patch.setattr(pit.books.store, "add_checkpoint", taken)
                checkpoints.pause()
                await checkpoints.start()
                with pytest.raises(NotOwner):
                    await checkpoints.sign()
            checkpoints.pause()
            await checkpoints.start()
            assert [each.number for each in kept(pit)[0]] == [1]

    asyncio.run(signed())
    assert "crash" not in caplog.messages


def test_a_checkpoint_that_could_not_be_written_is_written_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(self: Signing, view: View) -> None:
        raise OSError("disk full")

    async def signed() -> None:
        async with signed_pit(tmp_path) as (pit, checkpoints):
            await pit.cage.fill("p-1", 1_000)
            with monkeypatch.context() as patch, pytest.raises(OSError, match="disk full"):
                patch.setattr(Signing, "write_missing", full)
                await checkpoints.sign()
            await checkpoints.sign()
            in_ledger, in_file = kept(pit)
            assert [each.number for each in in_file] == [1]
            assert tuple(in_ledger) == in_file

    asyncio.run(signed())


def test_a_checkpoint_that_is_under_way_when_the_house_closes_is_finished(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write, writing = Signing.write_missing, Event()

    def slowly(self: Signing, view: View) -> None:
        if view.last_checkpoint():
            writing.set()
            sleep(0.3)
        write(self, view)

    async def closed() -> None:
        async with signed_pit(tmp_path) as (pit, _):
            await asyncio.to_thread(writing.wait)
            await pit.stop()
            in_ledger, in_file = kept(pit)
            assert [each.number for each in in_file] == [1]
            assert tuple(in_ledger) == in_file

    monkeypatch.setattr(Signing, "write_missing", slowly)
    monkeypatch.setattr(signings, "LOOK_S", 0.01)
    monkeypatch.setattr(signings, "CHECKPOINT_EVENTS", 1)
    asyncio.run(closed())


def test_what_a_crash_left_unsigned_is_signed_at_the_next_start(tmp_path: Path) -> None:
    """S6: counted from the start of each process, 60 crashes left 15,071 events unsigned."""

    async def crash(player: str) -> None:
        async with signed_pit(tmp_path) as (pit, checkpoints):
            await pit.cage.fill(player, 1_000)
            checkpoints.pause()  # A process that is killed signs nothing.

    async def opened() -> None:
        for number in range(3):
            await crash(f"p-{number}")
        async with signed_pit(tmp_path) as (pit, checkpoints):
            in_ledger, in_file = kept(pit)
            assert [each.number for each in in_file] == [1, 2, 3] and tuple(in_ledger) == in_file
            with pit.books.store.reading() as view:
                assert in_file[-1].heads == view.heads(), "all of it is signed before anybody plays"
            await pit.cage.fill("p-9", 1_000)
            await checkpoints.look_after()
            assert checkpoints.unsigned == 1, "what is due is counted in the journal"

    asyncio.run(opened())


def test_the_file_of_checkpoints_catches_up_with_the_ledger(tmp_path: Path) -> None:
    """A process that died between the two, or another one that signed."""

    async def opened() -> None:
        async with signed_pit(tmp_path) as (pit, checkpoints):
            file = checkpoints.signing.file
            for number in range(3):
                await pit.cage.fill(f"p-{number}", 1_000)
                await checkpoints.sign()
            whole = file.read_text("utf-8")
            first = whole.index("\n") + 1
            file.write_text(whole[: first + 9], "utf-8")
            await checkpoints.sign()
            assert file.read_text("utf-8") == whole, "a line that was torn is written again"
            other = whole.splitlines()[0].replace('"number":1', '"number":7')
            file.write_text(f"{other}\n", "utf-8")
            await checkpoints.sign()
            assert file.read_text("utf-8").splitlines() == [other, whole.splitlines()[-1]]

    asyncio.run(opened())


def test_what_a_ledger_has_lost_stays_in_the_marks_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A standby that took over may lack what was signed; the marks prove it at the next start."""
    caplog.set_level(logging.INFO, LOGGER.name)

    async def opened() -> None:
        async with signed_pit(tmp_path) as (pit, checkpoints):
            for number in range(2):
                await pit.cage.fill(f"p-{number}", 1_000)
                await checkpoints.sign()
                await checkpoints.look_after()
            file, behind = checkpoints.signing.file, signings.behind
            (first, last), (signed, noted) = parse_checkpoints(file.read_text()), marks_in(tmp_path)
            whole, head = file.read_text(), noted.heads["cage"]
            assert signed.heads["cage"] == head

            def older(view: View) -> signings.Behind:
                found = behind(view)
                return found._replace(heads={**found.heads, "cage": first.heads["cage"]})

            monkeypatch.setattr(signings, "behind", older)
            await checkpoints.look_after()
            assert marks_in(tmp_path)[1].heads["cage"] == head
            ahead = head._replace(number=head.number + 5)
            lost = last._replace(number=last.number + 1, heads={**last.heads, "cage": ahead})
            file.write_text(f"{whole}{lost}\n")
            await checkpoints.sign()
            assert file.read_text() == f"{whole}{lost}\n"
        assert "events_lost" in caplog.messages

    asyncio.run(opened())
