"""Many at once: one gets a seat, no chip is spent twice, no bet comes late (T9, T16, T23)."""

import asyncio
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from croupier.gallery.outbox import Viewer
from croupier.house import standing
from croupier.house.table import Table
from croupier.ledger.journal import decode
from croupier.ledger.store import View
from croupier.server import talk
from croupier.table.commands import Join
from croupier.table.decide import decide
from croupier.table.events import Joined
from tests.house.floor import answered
from tests.rules.books import MARYLAND, SINGAPORE
from tests.server.attacks.houses import House, crashes, open_house, table_toml

SEAT_RACES, SEAT_RACES_LONG = 150, 10_000
PLAYERS = 8
BALANCE_RACES, BALANCE_RACES_LONG = 60, 10_000
BET_ROUNDS, BET_ROUNDS_LONG = 15, 400
BETS_EACH = 12


async def say(table: Table, viewer: Viewer, type: str, **fields: Any) -> dict[str, Any]:
    """Ask a table as a socket does."""
    said = await answered(table, viewer, json.dumps({"type": type, **fields}))
    answer: dict[str, Any] = json.loads(said)
    return answer


async def viewers(house: House, count: int) -> list[Viewer]:
    people = [await house.person(f"Player {chr(65 + n)}x") for n in range(count)]
    return [Viewer(one.id, one.id) for one in people]


# ---------------------------------------------------------------- seats


async def seat_races(folder: Path, races: int) -> list[str]:
    """Let players run for one seat, and say whenever it has not just one winner."""
    faults = []
    async with open_house(folder, table_toml(MARYLAND)) as house:
        table, players = house.table("maryland"), await viewers(house, PLAYERS)
        rng = random.Random(1)
        for race in range(races):
            rng.shuffle(players)
            asked = [say(table, v, "sit", id=f"s{race}", seat=3) for v in players]
            said = await asyncio.gather(*asked)
            won = [v for v, answer in zip(players, said, strict=True) if answer["type"] == "done"]
            lost = {answer["code"] for answer in said if answer["type"] == "refused"}
            if len(won) != 1 or lost != {"seat_taken"}:
                faults.append(f"race {race}: {len(won)} winners, {lost}")
                break
            if table.place.standing.table.seats[3] != won[0].player:
                faults.append(f"race {race}: somebody else sits there")
            await say(table, won[0], "leave", id=f"l{race}", seat=3)
        faults += [str(crash) for crash in crashes(house)]
    return faults


def test_one_of_many_gets_a_seat(tmp_path: Path) -> None:
    assert asyncio.run(seat_races(tmp_path, SEAT_RACES)) == []


@pytest.mark.long
def test_one_of_many_gets_a_seat_ten_thousand_times(tmp_path: Path) -> None:
    assert asyncio.run(seat_races(tmp_path, SEAT_RACES_LONG)) == []


def test_a_seat_for_two_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def mutant(table: Any, command: Any) -> Any:
        if isinstance(command, Join):
            return (Joined(command.seat, command.player),)
        return decide(table, command)

    monkeypatch.setattr(standing, "decide_at_table", mutant)
    assert asyncio.run(seat_races(tmp_path, 3)) != []


def test_one_of_many_gets_a_seat_over_sockets(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            people = [await house.person(f"Player {chr(65 + n)}x") for n in range(PLAYERS)]
            lines = [await one.line("maryland") for one in people]
            for _ in range(10):
                said = await asyncio.gather(*(line.ask("sit", seat=5) for line in lines))
                winners = [at for at, one in enumerate(said) if one["type"] == "done"]
                assert len(winners) == 1
                await lines[winners[0]].do("leave", seat=5)

    asyncio.run(main())


# ---------------------------------------------------------------- chips


async def balance_races(folder: Path, races: int, break_: Callable[[House], None]) -> list[str]:
    """Spend the same chips at three tables at once, and say whenever more was staked than there."""
    faults = []
    tables = [table_toml(MARYLAND, id=f"md{n}") for n in range(2)] + [table_toml(SINGAPORE)]
    async with open_house(folder, "\n".join(tables)) as house:
        (viewer,) = await viewers(house, 1)
        break_(house)
        pit, rng = house.pit, random.Random(2)
        for table in pit.tables.values():
            house.galleries[table.id].come(viewer)
            await say(table, viewer, "sit", id=f"s-{table.id}", seat=2)
            await house.until_phase(table.id, "bets")
        had = pit.books.purse_cents(viewer.player or "")
        for race in range(races):
            asked: dict[str, dict[str, Any]] = {
                table.id: {"wager": next(iter(table.config.rules.wagers)), "cents": cents}
                for table in pit.tables.values()
                if (cents := rng.randrange(200, 501) * 100)
            }
            said = await asyncio.gather(
                *(
                    say(pit.tables[t], viewer, "bet", id=f"b{race}{t}", seat=2, **asked[t])
                    for t in asked
                )
            )
            staked = sum(
                int(asked[t]["cents"])
                for t, one in zip(asked, said, strict=True)
                if one["type"] == "done"
            )
            left = pit.books.purse_cents(viewer.player or "")
            if staked > had or left != had - staked or left < 0:
                faults.append(f"race {race}: {staked} staked of {had}, {left} left")
                break
            for table in pit.tables.values():
                wager = asked[table.id]["wager"]
                await say(table, viewer, "take_down", id=f"t{race}{table.id}", seat=2, wager=wager)
        faults += [str(crash) for crash in crashes(house)]
    return faults


def test_no_chip_is_spent_twice(tmp_path: Path) -> None:
    assert asyncio.run(balance_races(tmp_path, BALANCE_RACES, lambda _: None)) == []


@pytest.mark.long
def test_no_chip_is_spent_twice_in_ten_thousand_races(tmp_path: Path) -> None:
    assert asyncio.run(balance_races(tmp_path, BALANCE_RACES_LONG, lambda _: None)) == []


def test_a_ledger_that_owes_chips_is_found(tmp_path: Path) -> None:
    def owe(house: House) -> None:
        store: Any = house.pit.books.store
        store.writer.execute("PRAGMA ignore_check_constraints = ON")

    assert asyncio.run(balance_races(tmp_path, 5, owe)) != []


# ---------------------------------------------------------------- late bets


async def late_bets(folder: Path, rounds: int) -> list[str]:
    """Bet while bets are closed, and compare what was answered with what is in the journal."""
    async with open_house(folder, table_toml(MARYLAND)) as house:
        table, players = house.table("maryland"), await viewers(house, 5)
        wager = next(iter(table.config.rules.wagers))
        for seat, viewer in enumerate(players, 1):
            house.galleries[table.id].come(viewer)
            await say(table, viewer, "sit", id="s", seat=seat)
        told: dict[tuple[str, int, int], dict[str, Any]] = {}
        rng = random.Random(3)
        for number in range(rounds):
            await house.until_phase("maryland", "bets")
            assert table.place.standing.round is not None
            round = table.place.standing.round.id
            first = {"seat": 1, "wager": wager, "cents": 500}
            told[round, 1, 500] = await say(table, players[0], "bet", id=f"f{number}", **first)
            bets = [
                (seat, (6 + 5 * k + seat) * 100, viewer)
                for k in range(BETS_EACH)
                for seat, viewer in enumerate(players, 1)
            ]
            rng.shuffle(bets)
            dealing: asyncio.Future[None] | None = None

            async def bet(seat: int, cents: int, viewer: Viewer, *, number: int = number) -> None:
                fields = {"seat": seat, "wager": wager, "cents": cents}
                answer = await say(table, viewer, "bet", id=f"{number}.{seat}.{cents}", **fields)
                told[round, seat, cents] = answer  # noqa: B023

            tasks = []
            for at, one in enumerate(bets):
                tasks.append(asyncio.ensure_future(bet(*one)))
                if at == len(bets) // 3:
                    dealing = asyncio.ensure_future(house.dealt("maryland"))
                await asyncio.sleep(0)
            await asyncio.gather(*tasks)
            assert dealing is not None
            await dealing
            while (
                house.scene(table.id)["phase"] != "bets" or table.place.standing.round.id == round
            ):
                await house.dealt("maryland")
        refused = sum(answer["type"] == "refused" for answer in told.values())
        print(f"{len(told)} bets around 'no more bets', {refused} of them refused")
        faults = await house.pit.books.read(lambda view: bets_unlike(view, table.id, told))
        if not refused or refused == len(told):
            faults.append("there was no race")
        return [*faults, *map(str, crashes(house))]


def bets_unlike(view: View, stream: str, told: dict[Any, dict[str, Any]]) -> list[str]:
    """Say which bets were made too late, or answered as they were not made."""
    faults, made, closed = [], set(), set()
    for row in view.stream(stream):
        record = decode(row.data)
        kind = record.event.get("type")
        if kind == "BetsClosed":
            closed.add(row.subject)
        elif kind == "BetMade":
            bet = (row.subject, record.event["seat"], record.event["cents"])
            made.add(bet)
            if row.subject in closed:
                faults.append(f"event {row.number}: {bet} was made after bets had closed")
            if told[bet]["type"] != "done" or told[bet]["v"] < row.number:
                faults.append(f"{bet} was made, and answered {told[bet]}")
    lost = [bet for bet, answer in told.items() if answer["type"] == "done" and bet not in made]
    return [*faults, *(f"{bet} was answered, and not made" for bet in lost)]


def test_no_bet_is_made_late_or_lost(tmp_path: Path) -> None:
    assert asyncio.run(late_bets(tmp_path, BET_ROUNDS)) == []


@pytest.mark.long
def test_no_bet_is_made_late_or_lost_in_many_rounds(tmp_path: Path) -> None:
    assert asyncio.run(late_bets(tmp_path, BET_ROUNDS_LONG)) == []


def test_a_bet_that_is_answered_and_lost_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = talk.answer

    def mutant(table: Table, viewer: Viewer, text: Any, *, reply: Any) -> None:
        def lie(frame: Any) -> None:
            said = json.loads(frame)
            if said["type"] == "refused" and json.loads(text)["type"] == "bet":
                said = {"type": "done", "id": said["id"], "v": table.number}
            reply(json.dumps(said))

        answer(table, viewer, text, reply=lie)

    monkeypatch.setattr(talk, "answer", mutant)
    faults = asyncio.run(late_bets(tmp_path, 2))
    assert any("and not made" in fault for fault in faults)
