"""Disputes: noted by dealer or floor, they stop nothing, and the floor answers them."""

from pathlib import Path
from typing import Any

import pytest

from croupier.errors import Refused
from croupier.house.recall import recall
from croupier.ledger.chips import shifts_in
from croupier.ledger.journal import decode
from croupier.rules.resolve import resolve
from croupier.table.commands import Dispute, LetStand, SetRight
from croupier.table.decide import decide
from croupier.table.events import Corrected, Disputed, Stands
from croupier.table.evolve import evolve
from croupier.table.state import new_table
from croupier.table.tell import tell_table
from tests.house.felt import FELT, manned, one_round, seat_walk_ins, step
from tests.house.floor import OpenPit, play, rules_of, seated
from tests.house.staff import Staff, attended, crew, players_move, real, refusal
from tests.house.test_forms import enter, filled, offered
from tests.house.test_tray import close
from tests.rules.books import FLORIDA, MARYLAND, book


async def balances(pit: OpenPit) -> dict[str, int]:
    held = await pit.books.read(lambda view: view.balances())
    return {str(account): cents // 10_000 for account, cents in held.items()}


async def put_right(dealer: Staff, floor: Staff, **typed: Any) -> None:
    """Propose a correction as the desk offers it, and have the floor approve it."""
    (act,) = offered(await dealer.look(), "SetRight")
    command = filled(act, **typed)
    assert (await refusal(dealer.do(command, "table"))).code == "needs_approval"
    await dealer.say("propose", of="table", command=command, why="dispute")
    (one,) = (await floor.look())["proposals"]
    await floor.say("approve", proposal=one["id"])


def test_a_dispute_stops_nothing_and_the_floor_lets_things_stand(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, staff, shoe = await manned(pit, 2)
        dealer, floor = staff
        await one_round(pit, players, staff, shoe)
        before, table = await balances(pit), pit.tables["t"]
        next = (await dealer.look())["next"]
        await enter(dealer, "Dispute", at=1, about=" the ante was  taken ")
        (one,) = (await floor.look())["disputes"]
        about = {"round": "t-1", "seat": 2, "player": "w-1", "about": "the ante was taken"}
        assert one == {"id": "1", "type": "Disputed", **about}
        assert await balances(pit) == before and (await dealer.look())["next"] == next
        await one_round(pit, players, staff, shoe)  # It waits for as long as it takes.
        assert len(table.place.standing.table.disputes) == 1
        again = await pit.books.read(lambda view: recall(view, "t", rules_of))
        assert again.standing == table.place.standing
        (act,) = offered(await floor.look(), "LetStand")
        assert act["posts"] == ["floor"]
        why = await refusal(dealer.do(filled(act, why="seen"), "table"))
        assert why.code == "wrong_person"
        assert (await refusal(floor.do(filled(act, why=" "), "table"))).code == "bad_fact"
        await floor.do(filled(act, why="the tape shows it"), "table")
        assert (await floor.look())["disputes"] == []
        assert (await refusal(floor.do(filled(act, why="again"), "table"))).code == (
            "no_such_dispute"
        )
        records = await pit.books.read(lambda v: [decode(r.data) for r in v.stream("t")])
        closed = {"type": "Stands", "dispute": "1", "why": "the tape shows it"}
        assert (records[-1].event, records[-1].who) == (closed, ("f1",))

    play(tmp_path, real(MARYLAND, FELT), scenario)


def test_two_people_put_a_dispute_right_and_the_tray_knows_it(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, staff, shoe = await manned(pit, 2)
        dealer, floor = staff
        await one_round(pit, players, staff, shoe)
        before, tray = await balances(pit), pit.tables["t"].place.standing.table.tray
        await enter(dealer, "Dispute", at=1, about="a card was misread")
        await put_right(dealer, floor, why="paid at the felt", cents=15_00)
        now = pit.tables["t"].place.standing.table
        assert now.disputes == () and tray.expected == (now.tray.expected or 0) + 15_00
        after = await balances(pit)
        assert after["tray:t"] == before.get("tray:t", 0) - 15_00
        assert after["walkin:t/1"] == before["walkin:t/1"] + 15_00
        # A player with a screen is paid as wagers are, and no chip leaves the tray.
        await enter(floor, "Dispute", at=0, about="a card was misread")
        await put_right(dealer, floor, why="paid", cents=5_00)
        assert (await balances(pit))["player:p1"] == before["player:p1"] + 5_00
        assert pit.tables["t"].place.standing.table.tray == now.tray
        await enter(floor, "Dispute", at=0, about="paid twice")
        (act,) = offered(await dealer.look(), "SetRight")
        back = {**filled(act, why="back", cents=9_000_00), "to": "house"}
        await dealer.say("propose", of="table", command=back, why="dispute")
        (one,) = (await floor.look())["proposals"]
        assert (await refusal(floor.say("approve", proposal=one["id"]))).code == "not_enough_money"
        await dealer.say("withdraw", proposal=one["id"])
        await close(pit, dealer, floor)
        (shift,) = await pit.books.read(lambda view: [*shifts_in(view.stream("t"))])
        assert shift.handed == 15_00 and shift.difference == 5_00  # What `close` counts too much.

    play(tmp_path, real(MARYLAND, FELT), scenario)


def test_a_dispute_is_of_who_played_then_not_of_who_sits_there_now(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, staff, shoe = await manned(pit, 2)
        dealer, floor = staff
        await one_round(pit, players, staff, shoe)
        await dealer.do({"type": "Leave", "seat": 2}, "table")
        await seat_walk_ins(dealer, 2, 3)
        await one_round(pit, players, staff, shoe)
        about = {"type": "Dispute", "seat": 2, "about": "a card was misread"}
        await dealer.do({**about, "round": "t-1", "player": "w-2"}, "table")
        await dealer.do({**about, "round": "t-2"}, "table")
        of = [(one["round"], one["player"]) for one in (await floor.look())["disputes"]]
        assert of == [("t-1", "w-1"), ("t-2", "w-2")]
        why = await refusal(dealer.do({**about, "round": "t-1", "seat": 3}, "table"))
        assert why.message == "nobody is known to have played at seat 3 in t-1"
        for wrong in ({"round": 1}, {"round": "t-1", "seat": "2"}):
            assert (await refusal(dealer.do({**about, **wrong}, "table"))).code == "unreadable"

    play(tmp_path, real(MARYLAND, FELT), scenario)


def test_a_sum_that_no_store_holds_is_refused_and_stops_nobody(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, staff, shoe = await manned(pit, 2)
        dealer, floor = staff
        await one_round(pit, players, staff, shoe)
        huge = 2**53 - 1
        mispay = {"type": "Mispay", "seat": 2, "wager": "ante", "paid": huge}
        assert (await refusal(dealer.do(mispay, "table"))).code == "no_money"
        await enter(dealer, "Dispute", at=0, about="a card was misread")
        (act,) = offered(await dealer.look(), "SetRight")
        right = filled(act, why="x", cents=huge)
        await dealer.say("propose", of="table", command=right, why="dispute")
        (one,) = (await floor.look())["proposals"]
        why = await refusal(floor.say("approve", proposal=one["id"]))
        assert (why.code, why.message) == ("no_money", "no sum is above 1,000,000,000,000 dollars")
        await dealer.say("withdraw", proposal=one["id"])
        await one_round(pit, players, staff, shoe)

    play(tmp_path, real(MARYLAND, FELT), scenario)


def test_T13_chips_of_a_void_round_that_were_carried_off_are_a_dispute(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, staff, shoe = await manned(pit, 2, 3)
        dealer, floor = staff
        table = pit.tables["t"]
        while True:
            await step(pit, players, staff, shoe)
            round = table.place.standing.in_play
            if round and 3 in round.order:
                break
        given = sum(line.paid + line.returned for line in round.lines if line.seat == 3)
        fault = {"type": "Declare", "kind": "wrong_number_of_cards", "facts": {"where": 3}}
        await dealer.say("propose", of="round", command=fault, why="four cards")
        (one,) = (await floor.look())["proposals"]
        assert one["preview"]["undoes"]["3"] == given > 0
        (role,) = one["preview"]["approve"]
        await Staff(pit, "x1", role).say("approve", proposal=one["id"])
        acts = [one for one in offered(await dealer.look(), "Dispute") if not one["fields"]]
        assert [one["command"]["seat"] for one in acts] == [2, 3]
        assert acts[1]["clause"] == "13.D"
        await dealer.do(acts[1]["command"], "table")
        acts = [one for one in offered(await dealer.look(), "Dispute") if not one["fields"]]
        assert [one["command"]["seat"] for one in acts] == [2], "noted once"
        await one_round_left(pit, staff)
        tray = table.place.standing.table.tray.expected or 0
        await put_right(dealer, floor, why="gone", cents=given)
        assert table.place.standing.table.tray.expected == tray - given

    play(tmp_path, real(MARYLAND, FELT), scenario)


async def one_round_left(pit: OpenPit, staff: tuple[Staff, Staff]) -> None:
    while pit.tables["t"].place.standing.in_play:
        step = (await staff[0].look())["next"]
        await staff[0].do(step["command"], step["of"])


def test_a_dispute_at_a_table_with_virtual_cards_moves_money_too(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players = await seated(pit, 1)
        dealer, floor = await crew(pit)
        assert not offered(await dealer.look(), "Dispute"), "nothing was played yet"
        while not (pit.tables["t"].rounds and not pit.tables["t"].place.standing.in_play):
            one = (await dealer.look())["next"]
            if one["command"] is None:
                await players_move(pit, players, one)
            else:
                right = floor if one["by"] == ["floorperson"] else dealer
                await right.do(one["command"], one["of"])
        before = (await balances(pit))["player:p1"]
        await enter(dealer, "Dispute", about="the program stood still")
        await put_right(dealer, floor, why="goodwill", cents=10_00)
        assert (await balances(pit))["player:p1"] == before + 10_00
        empty = {"type": "Dispute", "seat": 4, "round": "t-1", "about": "x"}
        assert (await refusal(dealer.do(empty, "table"))).code == "seat_empty"
        later = {**empty, "seat": 1, "round": "t-9"}
        assert (await refusal(dealer.do(later, "table"))).code == "no_such_round"

    play(tmp_path, attended(MARYLAND), scenario)


def test_where_a_player_banks_the_house_moves_no_money() -> None:
    table = new_table(resolve(book(FLORIDA), {}, things=("dealer", "cards", "chips")))
    (opened,) = decide(table, Dispute(2, "t-1", "a raise was not paid", "w-1"))
    table = evolve(table, opened)
    with pytest.raises(Refused, match="a player banks here"):
        decide(table, SetRight("1", "x", 5_00))
    (closed,) = decide(table, SetRight("1", "the banker paid", 0))
    assert closed == Corrected("1", "t-1", 2, "w-1", 0, "the banker paid")
    assert evolve(table, closed).disputes == ()
    (stands,) = decide(table, LetStand("1", "seen"))
    told = [tell_table(table.rules, event) for event in (opened, stands, closed)]
    assert told[0] == "Dispute 1, seat 2 in round t-1: a raise was not paid."
    assert isinstance(opened, Disputed) and isinstance(stands, Stands)
