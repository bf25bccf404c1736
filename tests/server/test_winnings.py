"""What tables won is priced beside the tables, and ends with the house."""

import asyncio
from pathlib import Path
from time import sleep

import pytest

from croupier.theory.wins import Wins
from tests.rules.books import MARYLAND
from tests.server.attacks.houses import crashes, open_house, table_toml


def test_a_house_that_closes_does_not_wait_for_prices(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[str] = []

    def prices(wins: Wins, _: object) -> None:
        for _ in range(1_000):
            wins.theory.check()
            sleep(0.01)
        waited.append("until all was priced")

    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            flo = await house.person("Flo Ash", "floor")
            assert (await flo.http.get("/pit")).status_code == 200
            assert crashes(house) == []

    monkeypatch.setattr(Wins, "read", prices)
    asyncio.run(main())
    assert waited == []
