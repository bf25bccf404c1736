"""A client that cuts every deck and checks that its contribution is in, against a real server."""

import asyncio
from pathlib import Path

import pytest

from croupier.client import Client, TableClient
from croupier.errors import Refused, UserError
from tests.cli.test_cli_serve import serving


async def play(table: TableClient, seat: int) -> str:
    """Play a round, and return its id."""
    await table.until(lambda t: t.scene["phase"] == "bets")
    round: str = table.scene["round"]
    await table.until(lambda t: len(t.scene["cut"]["hashes"]) == 2)
    await table.do("bet", seat=seat, wager="ante", cents=10_00)
    await table.do("ready", seat=seat)
    async for _ in table.changes():
        if table.scene["round"] != round or table.scene["phase"] == "over":
            return round
        if table.scene["asked"] == seat:
            try:
                await table.do("choose", seat=seat, option="fold")
            except Refused:
                continue
    raise ConnectionError


def test_clients_cut_every_deck_and_prove_it(tmp_path: Path) -> None:
    async def main(address: str) -> None:
        async with Client(address) as one, Client(address) as two:
            tables = []
            for seat, client in enumerate((one, two), 1):
                await client.guest()
                tables.append(await client.table("one", cut=True))
                await tables[-1].do("sit", seat=seat)
            for number in range(1, 4):
                round, _ = await asyncio.gather(*(play(t, n) for n, t in enumerate(tables, 1)))
                assert round == f"one-{number}"
                for table in tables:
                    await until_over(table, round)
                    assert len(await table.check_deal(round)) >= 3
            assert tables[0].scene["cut"]["withheld"] == 0
            await refuses_what_differs(tables[0])

    with serving(tmp_path) as (_, address):
        asyncio.run(main(address))


async def until_over(table: TableClient, round: str) -> None:
    await table.until(lambda t: t.scene["round"] != round or t.scene["phase"] == "over")


async def refuses_what_differs(table: TableClient) -> None:
    """The client finds a changed commitment, a roll of other hashes, and its own left out."""
    noted = table.noted["one-1"]
    for changed, words in (
        (noted._replace(commitment="ab" * 32), "its commitment is not the one that you noted"),
        (noted._replace(roll="ab" * 32), "not those whose roll you noted"),
        (noted._replace(contribution="x" * 64), "your contribution is not in its cut"),
    ):
        table.noted["one-1"] = changed
        with pytest.raises(UserError, match=words):
            await table.check_deal("one-1")
    table.noted["one-1"] = noted


class Silent(TableClient):
    """A client that never reveals."""

    async def do(self, type: str, **fields: object) -> dict[str, object]:
        return {} if type == "reveal" else await super().do(type, **fields)


def test_a_client_that_withholds_is_counted_and_the_others_still_prove_theirs(
    tmp_path: Path,
) -> None:
    async def main(address: str) -> None:
        async with Client(address) as one, Client(address) as two:
            await one.guest()
            await two.guest()
            honest = await one.table("one", cut=True)
            silent = Silent(two, "one", watch=False, cut=True)
            await silent.connect()
            two.tables.append(silent)
            await honest.do("sit", seat=1)
            await silent.do("sit", seat=2)
            round, _ = await asyncio.gather(play(honest, 1), play(silent, 2))
            await until_over(honest, round)
            assert honest.scene["cut"]["withheld"] == 1
            await honest.check_deal(round)
            with pytest.raises(UserError, match="your contribution is not in its cut"):
                await silent.check_deal(round)

    with serving(tmp_path) as (_, address):
        asyncio.run(main(address))
