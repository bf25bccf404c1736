"""Acts that wait for each other are done together, each as if it had come alone."""

import asyncio
import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from threading import current_thread
from time import sleep
from typing import Any

import pytest

from croupier.errors import Bug, Refused
from croupier.gallery.outbox import Viewer
from croupier.gallery.scene import patch_of, patched, scene_of
from croupier.house import books
from croupier.house.books import Books
from croupier.house.clock import next_wait
from croupier.house.now import Now, Told
from croupier.house.players import clear
from croupier.ledger.store import NOT_ENOUGH, Finish, Request, Result
from tests.gallery.noted import never, noted
from tests.house.floor import (
    OpenPit,
    Player,
    bet_all,
    deal_on,
    deal_until,
    one_table,
    opened,
    pit_at,
    play,
    seated,
    wagers,
)
from tests.house.test_table import SELECTED
from tests.rules.books import IDS, MARYLAND


async def asked_together(file: Path, *asks: dict[str, Any]) -> tuple[list[Player], list[Any]]:
    """Seat seven, ask for things in one moment, and return what came of each."""
    async with pit_at(file, one_table(MARYLAND)) as pit:
        players = await seated(pit, 1, 2, 3, 4, 5, 6, 7)
        await deal_until(pit, "bets")
        for player in players:
            await player.look()
            player.frames.clear()
        asking = [players[ask["seat"] - 1].ask("bet", wager="ante", **ask) for ask in asks]
        answers = await asyncio.gather(*asking, return_exceptions=True)
        for player in players:
            await player.look()
            assert player.scene == pit.scene()
        return players, answers


def test_bets_of_one_moment_are_said_in_one_frame(tmp_path: Path) -> None:
    bets = [{"seat": seat, "cents": 500} for seat in range(1, 8)]
    players, answers = asyncio.run(asked_together(tmp_path / "l.db", *bets))
    assert answers == list(range(answers[0], answers[0] + 7))
    for player in players:
        [news] = [frame for frame in player.frames if frame["type"] == "news"]
        assert [event["n"] for event in news["events"]] == answers
        assert [event["event"]["seat"] for event in news["events"]] == [*range(1, 8)]


def slow_disk(books: Books, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Let every commit take a while; return how many commands each has."""
    begun, begin_all = list[int](), books.store.begin_all

    def slowly(requests: Sequence[Request]) -> Finish:
        begun.append(len(requests))
        finish = begin_all(requests)
        assert finish

        def late() -> list[Result]:
            sleep(0.3)
            return finish()

        return late

    monkeypatch.setattr(books.store, "begin_all", slowly)
    return begun


def test_what_is_asked_before_its_turn_goes_with_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def asked() -> tuple[list[int], int]:
        async with pit_at(tmp_path / "l.db", one_table(MARYLAND)) as pit:
            one, two = await seated(pit, 1, 2)
            await deal_until(pit, "bets")
            begun = slow_disk(pit.books, monkeypatch)
            await pit.cage.fill("p-8", 1_000_00)
            elsewhere = asyncio.create_task(pit.cage.fill("p-9", 1_000_00))
            await asyncio.sleep(0.1)
            first = asyncio.create_task(one.ask("bet", seat=1, wager="ante", cents=500))
            await asyncio.sleep(0.1)
            apart = await two.ask("bet", seat=2, wager="ante", cents=500) - await first
            await elsewhere
            return begun, apart

    assert asyncio.run(asked()) == ([1, 1, 2], 1)


def test_a_disk_that_was_slow_once_keeps_nobody_from_anything_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the commit that finds it slow is waited for by all; a quick one needs no thread."""
    monkeypatch.setattr(books, "QUICK_S", 0.2)  # A busy machine's disk is quick as well.

    async def asked() -> tuple[list[str], list[int]]:
        async with pit_at(tmp_path / "l.db", one_table(MARYLAND)) as pit:
            finishing, begin_all = list[str](), pit.books.store.begin_all

            def noted(requests: Sequence[Request]) -> Finish:
                finish = begin_all(requests)
                assert finish

                def finished() -> list[Result]:
                    finishing.append(current_thread().name.partition("_")[0])
                    return finish()

                return finished

            async def done_meanwhile(player: str) -> int:
                storing, count = asyncio.create_task(pit.cage.fill(player, 1_000_00)), 0
                while not storing.done():
                    await asyncio.sleep(0.01)
                    count += 1
                return count

            await pit.cage.fill("p-6", 1_000_00)
            monkeypatch.setattr(pit.books.store, "begin_all", noted)
            await pit.cage.fill("p-7", 1_000_00)
            slow_disk(pit.books, monkeypatch)
            return finishing, [await done_meanwhile(player) for player in ("p-8", "p-9")]

    finishing, (first, second) = asyncio.run(asked())
    assert finishing == ["MainThread", "MainThread", "store"]
    assert first < 5 < second


class Confused:
    """A mailbox that can't decide anything."""

    unsure = False

    def __init__(self) -> None:
        self.failed: list[Exception] = []

    async def catch_up(self) -> None:
        raise NotImplementedError

    def decide(self, time_ms: int) -> list[Request]:
        raise Bug("nothing was decided")

    def settled(self, results: Sequence[Result], wait_ms: int) -> None:
        raise NotImplementedError

    def fail(self, error: Exception) -> None:
        self.failed.append(error)


def test_a_mailbox_that_cannot_decide_holds_up_no_other(tmp_path: Path) -> None:
    async def asked() -> list[Any]:
        async with pit_at(tmp_path / "l.db", one_table(MARYLAND)) as pit:
            [player] = await seated(pit, 1)
            await deal_until(pit, "bets")
            confused = Confused()
            pit.books.ring(confused)
            number = await player.ask("bet", seat=1, wager="ante", cents=500)
            return [confused.failed, number, pit.tables["t"].number]

    [failed], number, last = asyncio.run(asked())
    assert isinstance(failed, Bug) and number == last


def scenes(frames: list[str]) -> list[list[str]]:
    """Return the parts of the scene that each frame changes."""
    return [[*json.loads(frame)["scene"]] for frame in frames]


def test_bets_of_others_can_wait_and_what_asks_something_cannot(tmp_path: Path) -> None:
    async def watched() -> tuple[list[list[str]], list[list[str]]]:
        async with pit_at(tmp_path / "l.db", one_table(MARYLAND)) as pit:
            player, _ = await seated(pit, 1, 3)
            await deal_until(pit, "bets")
            await player.ask("bet", seat=1, wager="ante", cents=500)
            watcher = Viewer(None)
            pit.galleries.welcome(watcher, "t")
            watcher.take()
            told = noted(watcher)
            await player.ask("bet", seat=1, wager="ante", cents=600)
            at_once = scenes(told.frames)
            await deal_until(pit, "decide")
            return at_once, scenes(told.frames)

    at_once, [bet, dealt, *_] = asyncio.run(watched())
    assert at_once == []
    assert bet == ["boxes"] and {"phase", "asked"} <= {*dealt}


def test_bets_of_others_are_told_in_a_while(tmp_path: Path) -> None:
    async def watched() -> list[str]:
        async with pit_at(tmp_path / "l.db", one_table(MARYLAND)) as pit:
            [player] = await seated(pit, 1)
            watcher = Viewer(None)
            await deal_until(pit, "bets")
            await player.ask("bet", seat=1, wager="ante", cents=500)
            pit.galleries.welcome(watcher, "t")
            watcher.take()
            told = noted(watcher, never)
            for cents in (600, 700):
                await player.ask("bet", seat=1, wager="ante", cents=cents)
            async with asyncio.timeout(60):
                await told.written.wait()
            boxes = [json.loads(frame)["scene"]["boxes"]["1"] for frame in told.frames]
            return [box["stakes"]["ante"][0] for box in boxes]

    assert asyncio.run(watched()) == ["6.00", "7.00"]


def test_a_refused_bet_stands_in_nobodys_way(tmp_path: Path) -> None:
    """Neither one that the rules refuse, nor one that finds an empty purse when it is stored."""
    bets = [
        {"seat": 1, "cents": 500},
        {"seat": 2, "cents": 0},
        {"seat": 3, "cents": 500_000_000},
        {"seat": 4, "cents": 700},
        {"seat": 4, "cents": 900},
    ]
    players, answers = asyncio.run(asked_together(tmp_path / "l.db", *bets))
    first = answers[0]
    none, poor = answers[1:3]
    assert isinstance(none, Refused) and isinstance(poor, Refused)
    assert poor.code == NOT_ENOUGH
    assert answers[3:] == [first + 1, first + 2]
    stakes = {seat: box["stakes"] for seat, box in players[0].scene["boxes"].items()}
    assert stakes == {"1": {"ante": ["5.00", "live"]}, "4": {"ante": ["9.00", "live"]}}


def test_a_bet_that_comes_twice_in_one_moment_is_made_once(tmp_path: Path) -> None:
    twice: dict[str, Any] = {"seat": 2, "cents": 700, "id": "same"}
    bets = [{"seat": 1, "cents": 500}, twice, twice, {"seat": 3, "cents": 600}]
    players, answers = asyncio.run(asked_together(tmp_path / "l.db", *bets))
    first = answers[0]
    assert answers == [first, first + 1, first + 1, first + 2]
    assert players[0].scene["boxes"].keys() == {"1", "2", "3"}


async def two_rounds(pit: OpenPit) -> None:
    players = await opened(pit, 1, 2, 3)
    for _ in range(2):
        banker = pit.scene()["banker"]
        for seat, player in enumerate(players, 1):
            if not banker or banker["seat"] != seat:
                await bet_all(player, seat)
                for wager in [*wagers(player)][::-1]:  # The Ante last: others need it.
                    await player.ask("take_down", seat=seat, wager=wager["wager"])
                assert str(seat) not in pit.scene()["boxes"]
                await bet_all(player, seat)
        while pit.scene()["phase"] != "over":
            assert await deal_on(pit)
        await players[2].ask("leave", seat=3)
        await players[2].ask("sit", seat=3)
        if turn := pit.scene()["bank_turn"]:
            await players[turn - 1].ask("bank", seat=turn, funds=200_00)
        await deal_until(pit, "bets")


@pytest.mark.parametrize("id", IDS)
def test_what_is_kept_of_a_scene_is_what_would_be_made_anew(id: str, tmp_path: Path) -> None:
    kept, bets, orders = 0, 0, set[tuple[str, ...]]()

    async def scenario(pit: OpenPit) -> None:
        table, gallery = pit.tables["t"], pit.galleries["t"]
        before, watcher = gallery.scene, Viewer(None)
        pit.galleries.welcome(watcher, "t")
        watcher.take()

        def compared(now: Now, told: Told) -> None:
            nonlocal before, kept, bets
            made, happened = gallery.scene, bool(told.stored)
            assert made == scene_of(now, {})
            clock = now.notes.clock
            timing, company = table.config.timing, now.notes.company
            assert clock.wait == next_wait(now.standing, timing, company)
            patch = patch_of(before, made)
            assert patched(before, patch) == made
            news = [frame for frame in map(json.loads, watcher.take()) if frame["type"] == "news"]
            assert [one["scene"] for one in news] == ([patch] if news else [])
            assert news or not happened
            kept += happened
            bets += happened and patch.keys() == {"boxes"}
            orders.add(tuple(made))
            before = made

        table.listeners.append(compared)
        await two_rounds(pit)

    play(tmp_path, one_table(id, SELECTED.get(id, "")), scenario)
    assert kept > 20 and bets > 5
    assert len(orders) == 1  # Patches are made part by part.


def test_an_act_that_finds_nothing_to_do_is_not_stored_and_hides_no_later_one(
    tmp_path: Path,
) -> None:
    async def scenario(pit: OpenPit) -> None:
        one, _ = await seated(pit, 1, 2)
        table, number = pit.tables["t"], pit.tables["t"].number
        for _ in range(2):
            with pytest.raises(Refused, match="nothing left to do"):
                await table.act(partial(clear, seat=1, player="somebody who has left"))
        assert table.number == number
        await table.act(partial(clear, seat=1, player=one.id))
        assert 1 not in table.place.standing.table.seats

    play(tmp_path, one_table(MARYLAND), scenario)
