"""How much one person and one address may write (S13)."""

import asyncio
import itertools
import json
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from croupier.house import catalogue
from croupier.house.seat_codes import ALPHABET, CHARS
from croupier.server.attempts import Counts, InMemory
from croupier.server.limits import PARTS, TooMany
from croupier.server.quotas import ADDRESS, NEWCOMERS, Quota, Quotas, count_newcomer
from tests.house.floor import OpenPit, Player, answered, one_table, play
from tests.rules.books import MARYLAND
from tests.server.attacks.houses import open_house, table_toml
from tests.server.doors import Clock

DAY_S = 86_400


def count(quotas: Quotas, person: str, address: str, most: int = 1_000_000) -> int:
    """Return how many commands are let through, at most."""
    allowance = quotas.allowance(person, address)
    for number in range(most):
        try:
            allowance.take()
        except TooMany as refused:
            assert refused.code == "quota" and "may send" in refused.message
            return number
    return most


def test_a_person_has_a_quota_wherever_they_are() -> None:
    clock = Clock()
    quotas = Quotas(Quota(5, 12), Quota(1_000, 10_000), clock=clock)
    assert count(quotas, "ann", "192.0.2.1", 3) == 3
    assert count(quotas, "ann", "192.0.2.2") == 2, "another socket and address, the same person"
    assert count(quotas, "bob", "192.0.2.1", 5) == 5
    clock.now += 60
    assert count(quotas, "ann", "192.0.2.1") == 5
    clock.now += 60
    with pytest.raises(TooMany, match=r"^your account may send 12 commands a day; try again in"):
        for _ in range(5):
            quotas.allowance("ann", "192.0.2.1").take()
    clock.now += DAY_S
    assert count(quotas, "ann", "192.0.2.1") == 5


def test_an_address_has_one_quota_for_all_its_people() -> None:
    quotas = Quotas(Quota(100, 1_000), Quota(10, 1_000), clock=Clock())
    assert sum(count(quotas, f"p{n}", "2001:db8::1", 4) for n in range(5)) == 10
    assert count(quotas, "", "2001:db8::ffff") == 0, "the neighbours share it"
    assert count(quotas, "", "192.0.2.9") == 10


def test_a_quota_is_the_houses_whichever_process_counts() -> None:
    clock, told, processes = Clock(), 0, 5
    held = InMemory(clock)

    async def share(work: Callable[[Counts], None]) -> None:
        nonlocal told
        told += 1
        work(held)

    async def taken(houses: list[Quotas], seconds: int) -> int:
        """Send from two addresses to all processes in turn, more than they take."""
        number = 0
        for _ in range(seconds):
            clock.now += 1
            for near, quotas in itertools.product("ab", houses):
                with suppress(TooMany):
                    quotas.allowance("ann", f"192.0.2.{near}").take()
                    number += 1
                await asyncio.sleep(0)
                await asyncio.sleep(0)
        return number

    async def main() -> None:
        nonlocal told
        houses = [Quotas(Quota(120, 1_000), clock=clock) for _ in range(processes)]
        assert await taken(houses, 30) == 30 * 2 * processes, "each for itself"
        for quotas in houses:
            quotas.share = share
        clock.now += DAY_S
        number = await taken(houses, 60)
        more = 1 + processes / PARTS
        assert 200 < number <= (120 + 60 * 2) * more, "a full quota, and what came back since"
        assert told <= number / 8, "few commands are followed by a write"
        number += await taken(houses, 500)
        assert 1_000 <= number <= (1_000 + 560 * 1_000 / DAY_S) * more
        clock.now, told = clock.now + DAY_S, 0
        for _ in range(100):
            clock.now += 60
            houses[0].allowance("bob", "192.0.2.9").take()
        assert told == 0, "nobody is told of somebody who plays as people do"

    asyncio.run(main())


def test_by_default_nobody_writes_gigabytes() -> None:
    """S13: one socket could write 2.6 GB a day: 20 commands a second of 1.5 kB."""
    clock = Clock()
    quotas, stored = Quotas(clock=clock), 0
    allowance = quotas.allowance("ann", "192.0.2.1")
    for _ in range(DAY_S // 60):
        clock.now += 60
        for _ in range(300):
            try:
                allowance.take()
            except TooMany:
                break
            stored += 1
    assert stored * 1_500 < 100 * 2**20


def test_a_command_over_the_quota_is_refused_in_a_sentence_and_changes_nothing(
    tmp_path: Path,
) -> None:
    async def scenario(pit: OpenPit) -> None:
        player = Player(pit, pit.tables["t"], "p1")
        allowance = Quotas(Quota(1, 100)).allowance("p1", "192.0.2.1")

        async def ask(type: str, id: str, **fields: int) -> dict[str, object]:
            text = json.dumps({"type": type, "id": id, **fields})
            said: dict[str, object] = json.loads(
                await answered(player.table, player.viewer, text, allowance=allowance)
            )
            return said

        assert (await ask("sit", "a", seat=1))["type"] == "done"
        refused = await ask("leave", "b", seat=1)
        assert refused["code"] == "quota"
        assert str(refused["message"]).startswith("your account may send 1 command a minute")
        assert (await ask("ping", "c"))["type"] == "done", "what is not stored counts for nothing"
        assert player.table.place.standing.table.seats == {1: "p1"}

    play(tmp_path, one_table(MARYLAND), scenario)


def test_guessing_the_code_of_a_seat_takes_from_the_quota(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        table, quotas = pit.tables["t"], Quotas(Quota(2, 100), Quota(3, 100))

        async def guess(who: str, id: int, **code: str) -> str:
            text = json.dumps({"type": "sit", "id": str(id), "seat": 1, **code})
            allowance = quotas.allowance(who, "192.0.2.1")
            answer = await answered(
                table, Player(pit, table, who).viewer, text, allowance=allowance
            )
            return str(json.loads(answer)["code"])

        tried = [await guess("ann", n, code=f"22222{n}") for n in range(2)]
        right = table.seat_code(1)
        assert [*tried, await guess("ann", 3, code=right)] == ["seat_code", "seat_code", "quota"]
        more = [await guess("bob", 4, code="222224"), await guess("cyd", 5, code=right)]
        assert more == ["seat_code", "quota"], "another account has the address's quota left"
        assert not table.place.standing.table.seats

    felt = 'things = ["dealer", "cards"]'
    play(tmp_path, one_table(MARYLAND, more=felt), scenario)
    chances = len(ALPHABET) ** CHARS / ADDRESS.day
    assert chances > 1_000, "days that an address guesses for one seat"


def test_an_address_makes_so_many_newcomers_a_day() -> None:
    clock = Clock()
    held = InMemory(clock)

    def made(address: str, most: int = 2 * NEWCOMERS) -> int:
        for number in range(most):
            try:
                count_newcomer(held, address)
            except TooMany as refused:
                assert refused.code == "quota" and "guests and accounts a day" in refused.message
                return number
        return most

    assert made("2001:db8::1") == NEWCOMERS
    assert made("2001:db8::2") == 0, "the neighbours share it"
    assert made("192.0.2.1", 3) == 3
    clock.now += DAY_S / 2
    assert made("2001:db8::1") == NEWCOMERS // 2
    clock.now += 10 * DAY_S
    assert made("2001:db8::1") == NEWCOMERS


def test_every_request_that_stores_something_counts(tmp_path: Path) -> None:
    """A guest who takes one name after the other writes an event each time."""

    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            one = house.visitor()
            await one.post("/api/guest")
            house.app.state.quotas = Quotas(Quota(2, 9))
            names = [await one.post("/api/name", name=f"Ann Ash {n}") for n in "abc"]
            assert [said.status_code for said in names] == [200, 200, 429]
            assert (await one.http.get("/api/tables")).status_code == 200, "looking is free"

    asyncio.run(main())


def test_operators_open_so_many_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(catalogue, "TABLES_MAX", 2)

    async def main() -> list[str]:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            boss = await house.person("Boss Ash", "operator")
            texts = [f'[[table]]\nid = "{n}"\nrulebook = "{MARYLAND}"\n' for n in "ab"]
            said = [(await boss.post("/api/tables", table=text)).json() for text in texts]
            return [one.get("error", {}).get("code", "") for one in said]

    assert asyncio.run(main()) == ["", "quota"]


def test_guests_and_chips_count_too(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            house.app.state.quotas = Quotas(Quota(1, 9), Quota(2, 9))
            one = house.visitor()
            assert (await one.post("/api/guest")).status_code == 200
            first, second = [await one.post("/api/chips") for _ in range(2)]
            assert first.json()["error"]["code"] == "enough_chips"
            assert (second.status_code, second.json()["error"]["code"]) == (429, "quota")
            assert int(second.headers["retry-after"]) > 10
            assert (await house.visitor().post("/api/guest")).status_code == 429

    asyncio.run(main())
