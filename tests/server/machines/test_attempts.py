"""Wrong passwords are counted by the house, whichever of its processes hears them (S12)."""

import asyncio
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from croupier.errors import Refused
from croupier.server import quotas
from croupier.server.passwords import Passwords
from croupier.server.people import People
from tests.ledger.servers import new_database
from tests.server.doors import CHEAP
from tests.server.machines.test_leases import node, run

GOOD, HERE, ELSEWHERE = "correct horse", "192.0.2.1", "203.0.113.9"


@pytest.fixture
def processes(server: str) -> Iterator[tuple[list[People], str]]:
    url = new_database(server)
    with ExitStack() as stack:
        stores = [stack.enter_context(node(url)) for _ in range(2)]
        people = [People(store, passwords=Passwords(made_by=CHEAP)) for store in stores]
        for one in people:
            stack.callback(one.close)
        yield people, url


async def tried(one: People, password: str, address: str = HERE) -> str:
    try:
        await one.sign_in("Ada", password, address=address)
    except Refused as refused:
        return refused.code
    return "in"


def test_attempts_count_whichever_process_hears_them(processes: Any) -> None:
    (first, second), url = processes

    async def play() -> None:
        await first.sign_up("Ada", GOOD)
        assert [await tried(one, "wrong") for one in (first, second, first)] == [
            "wrong_sign_in"
        ] * 3
        assert [await tried(one, GOOD) for one in (first, second)] == ["locked"] * 2
        assert await tried(second, GOOD, ELSEWHERE) == "in", "not locked everywhere"

    asyncio.run(play())
    assert run(url, "SELECT count(*) FROM tries")[0][0] > 0
    # Nobody reads from the table who tried to be whom.
    assert "ada" not in str(run(url, "SELECT * FROM tries")).lower()


def test_attempts_at_once_count_before_they_are_known(processes: Any) -> None:
    people, _ = processes

    async def play() -> list[str]:
        await people[0].sign_up("Ada", GOOD)
        return list(await asyncio.gather(*(tried(people[n % 2], "wrong") for n in range(10))))

    found = asyncio.run(play())
    assert sorted(found) == ["locked"] * 7 + ["wrong_sign_in"] * 3


def test_newcomers_count_whichever_process_makes_them(
    processes: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    people, _ = processes
    monkeypatch.setattr(quotas, "NEWCOMERS", 3)

    async def play() -> list[str]:
        found = []
        for one in (*people, *people):
            try:
                await one.count_newcomer(HERE)
                found.append("in")
            except Refused as refused:
                found.append(refused.code)
        return found

    assert asyncio.run(play()) == ["in", "in", "in", "quota"]


def test_commands_count_whichever_process_hears_them(processes: Any) -> None:
    people, url = processes
    house = [quotas.Quotas(quotas.Quota(100, 1_000), clock=lambda: 0.0) for _ in people]
    for one, registry in zip(house, people, strict=True):
        one.share = registry.counting

    async def play() -> int:
        number = 0
        for turn in range(300):
            try:
                house[turn % 2].allowance("p1", HERE).take()
                number += 1
            except Refused as refused:
                assert refused.code == "quota"
            while any(task.get_name() == "quotas" for task in asyncio.all_tasks()):
                await asyncio.sleep(0.001)  # The house is being told.
        return number

    assert 90 <= asyncio.run(play()) <= 120
    assert 0 < run(url, "SELECT count(*) FROM tries")[0][0] <= 4


def test_what_is_forgotten_is_dropped(processes: Any) -> None:
    (first, second), url = processes
    asyncio.run(first.sign_up("Ada", GOOD))
    assert asyncio.run(tried(first, "wrong")) == "wrong_sign_in"
    run(url, "UPDATE tries SET last_s = last_s - 4000")
    assert asyncio.run(tried(second, GOOD, ELSEWHERE)) == "in"
    # What is left is about this address, the name, and that it signed in here.
    assert run(url, "SELECT count(*) FROM tries")[0][0] == 4
