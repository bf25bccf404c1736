"""Seats of people who are gone are freed by time, of those shut out at once, and by operators."""

import asyncio
from pathlib import Path

import pytest

from croupier.house.seats import AWAY_MS
from tests.house.felt import FELT, seat_walk_ins
from tests.house.floor import (
    Clock,
    OpenPit,
    Player,
    deal_on,
    deal_until,
    first_bet,
    one_table,
    opened,
    pit_at,
    play,
    refused,
    seated,
)
from tests.house.staff import crew, real
from tests.rules.books import CALIFORNIA, MARYLAND
from tests.server.attacks.houses import House, crashes, open_house, table_toml

AWAY_S = AWAY_MS / 1000


def go(*players: Player) -> None:
    for player in players:
        player.pit.galleries.farewell(player.viewer, "t")


async def wait(pit: OpenPit, clock: Clock, seconds: float) -> dict[int, str]:
    """Let time pass, look once more, and return who sits."""
    await pit.seats.free_all()
    clock.now_s += seconds
    await pit.seats.free_all()
    return dict(pit.tables["t"].place.standing.table.seats)


@pytest.mark.parametrize("open_round", [False, True])
def test_guests_who_close_the_tab_do_not_shut_a_table(tmp_path: Path, *, open_round: bool) -> None:
    clock = Clock()

    async def scenario(pit: OpenPit) -> None:
        players = await (opened if open_round else seated)(pit, *range(1, 8))
        go(*players)
        assert len(await wait(pit, clock, AWAY_S - 1)) == 7
        assert await wait(pit, clock, 1) == {}
        late = Player(pit, pit.tables["t"], "late")
        await late.ask("sit", seat=3)

    play(tmp_path, one_table(MARYLAND), scenario, clock=clock)


def test_a_walk_in_has_no_screen_to_be_away_from(tmp_path: Path) -> None:
    clock = Clock()

    async def scenario(pit: OpenPit) -> None:
        go(*await seated(pit, 1))
        dealer, _ = await crew(pit)
        await seat_walk_ins(dealer, 2)
        assert await wait(pit, clock, AWAY_S) == {2: "w-1"}

    play(tmp_path, real(MARYLAND, FELT), scenario, clock=clock)


def test_seats_are_freed_after_a_restart_too(tmp_path: Path) -> None:
    async def run() -> None:
        clock, file = Clock(), tmp_path / "ledger.db"
        async with pit_at(file, one_table(MARYLAND), clock=clock) as pit:
            await opened(pit, *range(1, 8))
        async with pit_at(file, one_table(MARYLAND), clock=clock) as pit:
            assert len(await wait(pit, clock, AWAY_S - 1)) == 7
            assert await wait(pit, clock, 1) == {}

    asyncio.run(run())


def test_a_player_who_comes_back_keeps_the_seat(tmp_path: Path) -> None:
    clock = Clock()

    async def scenario(pit: OpenPit) -> None:
        one, two = await seated(pit, 1, 2)
        go(one)
        assert len(await wait(pit, clock, AWAY_S - 1)) == 2
        again = Player(pit, pit.tables["t"], "p1")
        assert len(await wait(pit, clock, AWAY_S)) == 2
        go(again)
        assert len(await wait(pit, clock, AWAY_S - 1)) == 2
        assert await wait(pit, clock, 1) == {2: two.id}

    play(tmp_path, one_table(MARYLAND), scenario, clock=clock)


def test_chips_on_the_layout_are_safe(tmp_path: Path) -> None:
    """Bets that no card was dealt for come back; a hand in play is played to its end first."""
    clock = Clock()

    async def scenario(pit: OpenPit) -> None:
        table = pit.tables["t"]
        one, two, three = await opened(pit, 1, 2, 3)
        await first_bet(one, 1)
        go(one)
        assert await wait(pit, clock, AWAY_S) == {2: "p2", 3: "p3"}
        assert pit.books.purse_cents("p1") == 1_000_00
        await first_bet(two, 2)
        await deal_until(pit, "decide")
        go(two, three)
        assert await wait(pit, clock, AWAY_S) == {2: "p2"}
        while table.place.standing.in_play:
            await deal_on(pit)
        assert await wait(pit, clock, 0) == {}

    play(tmp_path, one_table(MARYLAND), scenario, clock=clock)


def test_a_banker_who_is_gone_gets_the_funds_back(tmp_path: Path) -> None:
    clock = Clock()

    async def scenario(pit: OpenPit) -> None:
        table = pit.tables["t"]
        players = await opened(pit, 1, 2)
        banker = pit.scene()["banker"]["player"]
        assert pit.books.purse_cents(banker) == 800_00
        go(*players)
        assert await wait(pit, clock, AWAY_S) == {}
        assert table.place.standing.in_play is None
        assert pit.books.purse_cents(banker) == 1_000_00

    play(tmp_path, one_table(CALIFORNIA), scenario, clock=clock)


def test_an_operator_frees_a_seat_that_has_no_hand_in_play(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        table = pit.tables["t"]
        one, two = await opened(pit, 1, 2)
        assert await pit.seats.free(table, 1, by="boss") == one.id
        assert list(table.place.standing.table.seats) == [2]
        assert (await refused(pit.seats.free(table, 1, by="boss"))).code == "nobody_there"
        await first_bet(two, 2)
        await deal_until(pit, "decide")
        assert (await refused(pit.seats.free(table, 2, by="boss"))).code == "hand_in_play"

    play(tmp_path, one_table(MARYLAND), scenario)


def test_over_http_only_operators_free_seats_and_who_is_shut_out_loses_them(
    tmp_path: Path,
) -> None:
    async def attack(house: House) -> None:
        boss = await house.person("Boss Ash", "operator")
        ann, bob = await house.person("Ann Ash"), await house.person("Bob Ash")
        for seat, who in ((1, ann), (2, bob)):
            await (await who.line("maryland")).do("sit", seat=seat)
        table = house.table("maryland")
        address = "/api/tables/maryland/seats/1/free"
        assert (await bob.post(address)).status_code == 403
        assert table.place.standing.table.seats == {1: ann.id, 2: bob.id}
        answer = await boss.post(address)
        assert answer.status_code == 200 and answer.json()["seats_taken"] == 1
        assert (await boss.post(address)).json()["error"]["code"] == "nobody_there"
        assert (await boss.post(f"/api/people/{bob.id}/disable", disabled=True)).status_code == 200
        assert table.place.standing.table.seats == {}
        assert "seat_freed" in house.lines.getvalue()
        assert crashes(house) == []

    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            await attack(house)

    asyncio.run(main())


def test_a_disabled_player_with_a_hand_in_play_loses_the_seat_when_it_is_over(
    tmp_path: Path,
) -> None:
    async def scenario(pit: OpenPit) -> None:
        table = pit.tables["t"]
        [one] = await opened(pit, 1)
        await first_bet(one, 1)
        await deal_until(pit, "decide")
        pit.seats.bar("p1", disabled=True, plays=True)
        await pit.seats.free_all()
        assert table.place.standing.table.seats == {1: "p1"}
        while table.place.standing.in_play:
            await deal_on(pit)
        await pit.seats.free_all()
        assert table.place.standing.table.seats == {}

    play(tmp_path, one_table(MARYLAND), scenario)


def test_seats_are_looked_after_while_nothing_is_dealt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A running house does it by itself: nobody has to open a round."""
    monkeypatch.setattr("croupier.house.seats.AWAY_MS", 0)
    monkeypatch.setattr("croupier.house.pit.LOOK_S", 0.01)

    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            line = await (await house.person("Ann Ash")).line("maryland")
            await line.do("sit", seat=1)
            await line.close()
            async with asyncio.timeout(60):
                while house.table("maryland").place.standing.table.seats:
                    await asyncio.sleep(0.01)
            assert (await house.visitor().http.get("/api/tables")).json()["tables"][0][
                "seats_taken"
            ] == 0

    asyncio.run(main())
