"""Walk-ins at a real felt: the dealer enters their chips beside players on their screens."""

from functools import partial
from pathlib import Path
from typing import Any

from croupier.house.recall import recall
from croupier.ledger.accounts import parse_account
from tests.house.floor import OpenPit, play, rules_of, seated
from tests.house.test_console import Staff, crew, refusal
from tests.house.test_shoe import Shoe, one_step, real, until
from tests.house.test_shoe import one_round as one_round_by
from tests.rules.books import CALIFORNIA, FLORIDA, MARYLAND, each_book

FELT = 'things = ["dealer", "cards", "chips"]'


def of_type(desk: dict[str, Any], type: str) -> list[dict[str, Any]]:
    """Return the acts of a desk that give a command."""
    return [one for one in desk["acts"] if one["command"]["type"] == type]


async def seat_walk_ins(staff: Staff, *seats: int) -> None:
    for seat in seats:
        await staff.do({"type": "SeatWalkIn", "seat": seat}, "table")


async def walk_in_moves(pit: OpenPit, dealer: Staff, players: list[Any]) -> None:
    """Enter what walk-ins do, and let the player at seat 1 do the same on a screen."""
    scene = pit.scene()
    wagers = [w for w in players[0].felt["wagers"] if w["placed"] == "before the deal"]
    if scene["phase"] == "bets":
        banker = scene["banker"]["seat"] if scene["banker"] else None
        for seat in map(int, scene["seats"]):
            for wager in wagers:
                cents = int((wager["sizes"] or wager["limits"] or ["10.00"])[0].replace(".", ""))
                made = {"seat": seat, "wager": wager["wager"], "cents": cents}
                if seat == banker:
                    continue
                if seat == 1:
                    await players[0].ask("bet", **made)
                else:
                    await dealer.do({"type": "Bet", "player": "", **made})
    elif scene["phase"] == "decide":
        seat, option = scene["asked"], scene["choices"][0]["option"]
        if seat == 1:
            await players[0].ask("choose", seat=1, option=option)
        else:
            await dealer.do({"type": "Choose", "seat": seat, "option": option})
    else:
        await players[0].ask("bank", seat=1, funds=500_00)


async def step(pit: OpenPit, players: list[Any], staff: tuple[Staff, Staff], shoe: Shoe) -> None:
    next = (await staff[0].look())["next"]
    in_play = pit.tables["t"].place.standing.in_play
    type = next["command"]["type"] if next["command"] else ""
    early = type == "CloseBets" and in_play is not None and len(in_play.boxes) < 2
    if not type or early:
        await walk_in_moves(pit, staff[0], players)
    elif type == "TakeBank":
        await staff[0].do({**next["command"], "funds": 500_00}, "table")
    else:
        await one_step(pit, players, staff, shoe)


one_round = partial(one_round_by, step=step)
"""Plays a round in which walk-ins bet and choose."""


@each_book
def test_walk_ins_play_beside_a_player_on_a_screen(id: str, tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1), Shoe(11)
        await players[0].look()
        staff = await crew(pit)
        await seat_walk_ins(staff[0], 2, 3)
        before = dict(await pit.books.read(lambda view: view.balances()))
        for _ in range(3):
            await one_round(pit, players, staff, shoe)
        after = await pit.books.read(lambda view: view.balances())
        assert sum(after.values()) == 0
        outside = {a: m for a, m in after.items() if a.startswith("walkin:")}
        assert outside.keys() == {parse_account("walkin:t/1"), parse_account("walkin:t/2")}
        moved = {a: m - before.get(a, 0) for a, m in after.items() if m != before.get(a, 0)}
        assert sum(moved.values()) == 0 and any(m < 0 for m in outside.values())
        again = await pit.books.read(lambda view: recall(view, "t", rules_of))
        assert again.standing == pit.tables["t"].place.standing

    play(tmp_path, real(id, FELT), scenario)


def test_only_a_walk_in_is_entered_and_only_where_there_are_chips(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1), Shoe(11)
        dealer, floor = staff = await crew(pit)
        clerk = Staff(pit, "c1", "dealer")
        await clerk.say("tap_in", post="clerk")
        await seat_walk_ins(clerk, 2)
        assert (await refusal(seat_walk_ins(dealer, 2))).code == "seat_taken"
        await until(pit, players, staff, shoe, "StartRound")
        await one_step(pit, players, staff, shoe)
        bet = {"type": "Bet", "player": "p1", "wager": "ante", "cents": 10_00}
        assert (await refusal(clerk.do({**bet, "seat": 1}))).code == "player_decides"
        assert (await refusal(clerk.do({**bet, "seat": 5}))).code == "seat_empty"
        await clerk.do({**bet, "seat": 2})
        boxes = pit.tables["t"].place.standing.round.boxes  # type: ignore[union-attr]
        assert boxes[2].player == "w-1"
        assert (await refusal(clerk.do({"type": "CloseBets"}))).code == "wrong_person"
        assert (await refusal(dealer.do({"type": "Leave", "seat": 1}, "table"))).code == (
            "player_decides"
        )
        await dealer.do({"type": "Leave", "seat": 2}, "table")
        await seat_walk_ins(dealer, 4)
        assert pit.tables["t"].place.standing.table.seats[4] == "w-2"
        await players[0].look()
        await players[0].ask("bet", seat=1, wager="ante", cents=10_00)
        await one_round(pit, players, staff, shoe)
        assert floor

    play(tmp_path, real(MARYLAND, FELT), scenario)

    async def no_chips(pit: OpenPit) -> None:
        dealer, _ = await crew(pit)
        assert (await refusal(seat_walk_ins(dealer, 2))).code == "no_chips"

    (tmp_path / "b").mkdir()
    play(tmp_path / "b", real(MARYLAND), no_chips)


def test_a_mispay_keeps_both_figures_and_is_corrected_by_two_after_the_next_first_card(
    tmp_path: Path,
) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1), Shoe(11)
        await players[0].look()
        dealer, floor = staff = await crew(pit)
        await seat_walk_ins(dealer, 2, 3)
        table = pit.tables["t"]
        mispay = {"type": "Mispay", "seat": 2, "wager": "ante", "paid": 35_00}
        assert (await refusal(dealer.do(mispay, "table"))).code == "not_due"
        await one_round(pit, players, staff, shoe)
        assert (await refusal(dealer.do({**mispay, "seat": 1}, "table"))).code == "player_decides"
        balances = await pit.books.read(lambda view: view.balances())
        there = table.place.standing.table.tray.expected
        beyond = {**mispay, "paid": (there or 0) + 100_000_00}
        assert (await refusal(dealer.do(beyond, "table"))).code == "no_money"
        await dealer.do(mispay, "table")
        (wrong,) = table.place.standing.table.mispaid
        round = table.place.standing.round
        due = sum(
            line.paid + line.returned
            for line in (round.lines if round else ())
            if (line.seat, line.wager) == (2, "ante")
        )
        assert (wrong.due, wrong.paid) == (due, 35_00)
        right = {"type": "CorrectPay", "round": wrong.round, "seat": 2, "wager": "ante"}
        await dealer.do(right, "table")
        assert table.place.standing.table.mispaid == ()
        after = await pit.books.read(lambda view: view.balances())
        assert after == {**balances, parse_account("tray:t"): 0}
        await dealer.do(mispay, "table")
        for _ in range(100):
            if table.place.standing.in_play and table.place.standing.in_play.at > 1:
                break
            await step(pit, players, staff, shoe)
        assert (await refusal(dealer.do(right, "table"))).code == "needs_approval"
        await dealer.say("propose", of="table", command=right, why="seat 2 got too much")
        await floor.say("approve", proposal="1")
        assert table.place.standing.table.mispaid == ()

    play(tmp_path, real(MARYLAND, FELT), scenario)


def test_a_mispay_of_the_last_round_takes_two_after_the_next_first_card(
    tmp_path: Path,
) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1), Shoe(11)
        await players[0].look()
        dealer, floor = staff = await crew(pit)
        await seat_walk_ins(dealer, 2, 3)
        table = pit.tables["t"]
        await one_round(pit, players, staff, shoe)
        round = table.place.standing.round
        assert round
        due = {2: 0, 3: 0}
        for line in round.lines:
            if line.seat in due and line.wager == "ante":
                due[line.seat] += line.paid + line.returned
        await dealer.do({"type": "Leave", "seat": 2}, "table")
        while table.place.standing.in_play is None:
            await step(pit, players, staff, shoe)
        (form,) = of_type(await dealer.look(), "Mispay")
        assert form["fields"][0]["value"] == "t-1"
        mispay = {"type": "Mispay", "round": "t-1", "wager": "ante", "paid": 35_00}
        for wrong, code in (
            ({"seat": 1}, "player_decides"),
            ({"seat": 4}, "not_due"),
            ({"seat": 2, "wager": "tie"}, "not_due"),
            ({"seat": 2, "round": "t-9"}, "no_such_round"),
        ):
            assert (await refusal(dealer.do({**mispay, **wrong}, "table"))).code == code
        await dealer.do({**mispay, "seat": 2}, "table")  # Who has left meanwhile.
        while table.place.standing.in_play.at < 2:
            await step(pit, players, staff, shoe)
        late = {**mispay, "seat": 3}
        assert (await refusal(dealer.do(late, "table"))).code == "needs_approval"
        await dealer.say("propose", of="table", command=late, why="seat 3 got too much")
        await floor.say("approve", proposal="1")
        found = table.place.standing.table.mispaid
        assert [(one.round, one.player, one.due) for one in found] == [
            ("t-1", "w-1", due[2]),
            ("t-1", "w-2", due[3]),
        ]

    play(tmp_path, real(MARYLAND, FELT), scenario)


def test_the_bank_is_passed_and_the_action_placed_by_voice(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1), Shoe(11)
        await players[0].look()
        dealer, _ = staff = await crew(pit)
        await seat_walk_ins(dealer, 2, 3)
        await until(pit, players, staff, shoe, "")
        await players[0].ask("pass", seat=1)
        desk = await dealer.look()
        assert desk["next"]["command"]["type"] == "TakeBank" and desk["next"]["takes"]
        passes = [one["command"] for one in desk["acts"] if one["command"]["type"] == "PassBank"]
        assert passes == [{"type": "PassBank", "seat": 2}]
        await dealer.do(passes[0], "table")
        assert (await dealer.look())["next"]["command"]["seat"] == 3
        await until_bets(pit, players, staff, shoe)
        offered = [one["command"] for one in (await dealer.look())["acts"]]
        acts = [command for command in offered if command["type"] == "CloseBets"]
        assert acts == [{"type": "CloseBets", "action": seat} for seat in (1, 2)]
        await dealer.do(acts[1])
        round = pit.tables["t"].place.standing.round
        assert round and round.action == 2 and round.banker and round.banker.player == "w-2"
        await one_round(pit, players, staff, shoe)

    async def until_bets(pit: OpenPit, players: list[Any], staff: Any, shoe: Shoe) -> None:
        for _ in range(60):
            in_play = pit.tables["t"].place.standing.in_play
            if in_play and len(in_play.boxes) == 2:
                return
            await step(pit, players, staff, shoe)

    play(tmp_path, real(CALIFORNIA, FELT), scenario)


def test_a_designated_player_waives_by_voice(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        dealer, _ = staff = await crew(pit)
        await seat_walk_ins(dealer, 1, 2)
        await until(pit, [], staff, Shoe(1), "TakeBank")
        await dealer.do({"type": "PassBank", "seat": 1}, "table")
        assert (await dealer.look())["next"]["command"]["seat"] == 2
        take = {"type": "TakeBank", "seat": 2, "funds": 500_00}
        await dealer.do(take, "table")
        banker = pit.tables["t"].place.standing.table.banker
        assert banker and banker.player == "w-2"

    play(tmp_path, real(FLORIDA, FELT), scenario)


def test_the_desk_says_the_posted_rule_where_a_screen_at_real_cards_may_be_gone(
    tmp_path: Path,
) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, shoe = await seated(pit, 1), Shoe(11)
        await players[0].look()
        dealer, floor = staff = await crew(pit)
        await seat_walk_ins(dealer, 2)
        table, said = pit.tables["t"], dict[int, str]()
        while not said.keys() >= {1, 2}:
            says = (await dealer.look())["next"]["says"]
            if table.place.standing.in_play and table.place.standing.in_play.asked:
                said[table.place.standing.in_play.asked[0]] = says
            await step(pit, players, staff, shoe)
        assert said[2] == "Seat 2 decides."
        assert "if the player is gone, the dealer does: “Play” with queen-six-four" in said[1]
        assert floor

    play(tmp_path, real(MARYLAND, FELT), scenario)
