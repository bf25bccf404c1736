"""`croupier bots` at a server whose tables change hands."""

import asyncio
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from croupier import client
from croupier.cli.bots import fill
from tests.table_page.house import House, opened

TABLE = "maryland"


async def until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not holds():
            await asyncio.sleep(0.02)


def has_dealt(house: House, rounds: int) -> bool:
    return house.table(TABLE).rounds >= rounds


async def handed_over(house: House) -> None:
    """Take a table away from its server, and give it back after a while.

    Between two rounds no bot waits for the answer to a command, for which it would come again.
    """
    pit = house.galleries.pit
    await until(lambda: house.table(TABLE).place.standing.in_play is not None)
    await until(lambda: house.table(TABLE).place.standing.in_play is None)
    await asyncio.sleep(0.2)
    house.loop.call_soon_threadsafe(pit.open.step_down, TABLE)
    await asyncio.sleep(0.5)
    reopening = asyncio.run_coroutine_threadsafe(pit.open.open_allowed(), house.loop)
    await asyncio.wrap_future(reopening)


def test_bots_come_again_when_their_table_is_handed_over(tmp_path: Path) -> None:
    async def main(house: House) -> None:
        playing = asyncio.create_task(fill(house.url, [TABLE], seats=2, seconds=0))
        await until(lambda: house.table(TABLE).rounds >= 1)
        for _ in range(2):
            await handed_over(house)
            rounds = house.table(TABLE).rounds
            await until(partial(has_dealt, house, rounds + 2))
            seats = house.table(TABLE).place.standing.table.seats
            assert {*seats} == {1, 2} and len({*seats.values()}) == 2
            assert not playing.done()
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing

    with opened(tmp_path, pause=1) as house:
        asyncio.run(main(house))


def test_bots_end_when_their_table_does_not_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "TRIES", 4)

    async def main(house: House) -> None:
        playing = asyncio.create_task(fill(house.url, [TABLE], seats=2, seconds=0))
        await until(lambda: house.table(TABLE).rounds >= 2)
        house.loop.call_soon_threadsafe(house.galleries.pit.open.step_down, TABLE)
        assert (await playing)["closed"]

    with opened(tmp_path, pause=0) as house:
        asyncio.run(main(house))
