"""Walk-ins at a real felt: the dealer enters their chips beside players on their screens."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from croupier.house.recall import recall
from croupier.ledger.accounts import parse_account
from croupier.ledger.found import round_found
from croupier.round.bets import rises
from croupier.round.order import cards_to_show
from croupier.round.record import rounds_of
from croupier.round.state import Box, Round
from croupier.rules.table_rules import TableMeter
from tests.house.felt import FELT, manned, of_type, one_round, seat_walk_ins, step
from tests.house.floor import OpenPit, play, rules_of, seated
from tests.house.staff import Shoe, Staff, crew, one_step, real, refusal, until
from tests.rules.books import CALIFORNIA, FLORIDA, MARYLAND, each_book


@each_book
def test_walk_ins_play_beside_a_player_on_a_screen(id: str, tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, staff, shoe = await manned(pit, 2, 3)
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
        dealer, _ = staff = await crew(pit)
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
        assert pit.scene()["seats"]["2"]["present"], "they stand there, without a socket"
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
        players, staff, shoe = await manned(pit, 2, 3)
        dealer, floor = staff
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
        players, staff, shoe = await manned(pit, 2, 3)
        dealer, floor = staff
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
        players, staff, shoe = await manned(pit, 2, 3)
        dealer, _ = staff
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
        players, staff, shoe = await manned(pit, 2)
        dealer, _ = staff
        table, said = pit.tables["t"], dict[int, str]()
        while not said.keys() >= {1, 2}:
            says = (await dealer.look())["next"]["says"]
            if table.place.standing.in_play and table.place.standing.in_play.asked:
                said[table.place.standing.in_play.asked[0]] = says
            await step(pit, players, staff, shoe)
        assert said[2] == "Ask seat 2: Play or Fold?"
        assert "if the player is gone, make the posted choice: Fold." in said[1]

    play(tmp_path, real(MARYLAND, FELT), scenario)


class Correcting:
    """A round with two walk-ins beside a screen, and two people who correct what was entered."""

    def __init__(self, pit: OpenPit, staff: tuple[Staff, Staff], players: list[Any]) -> None:
        self.pit, self.staff, self.players = pit, staff, players
        self.eye, self.shoe = Staff(pit, "s1", "surveillance"), Shoe(11)

    @property
    def round(self) -> Round:
        found = self.pit.tables["t"].place.standing.round
        assert found
        return found

    async def until(self, reached: Callable[[Round], bool]) -> None:
        while not (self.pit.tables["t"].place.standing.round and reached(self.round)):
            await step(self.pit, self.players, self.staff, self.shoe)

    async def correct(self, type: str, seat: int, **given: Any) -> dict[str, Any]:
        """Correct something by the desk's form; the right second person approves it."""
        dealer, floor = self.staff
        (act,) = of_type(await dealer.look(), type)
        answers = [one["gives"] for one in act["fields"][0]["answers"]]
        chosen = next(one for one in answers if one["seat"] == seat)
        command = {**act["command"], **chosen, **given}
        assert (await refusal(dealer.do(command))).code == "needs_approval"
        metered = {meter.wager for meter in self.round.rules.meters.values()}
        plays = metered & self.round.boxes[seat].stakes.keys() if "step" in command else None
        has_meter = plays or command.get("wager") in metered
        by, other = (self.eye, floor) if has_meter else (floor, self.eye)
        await dealer.say("propose", of="round", command=command, why="misheard")
        (one,) = (await floor.look())["proposals"]
        assert (await refusal(other.say("approve", proposal=one["id"]))).code == "wrong_person"
        await by.say("approve", proposal=one["id"])
        assert self.round.due == cards_to_show(self.round)
        assert dict(self.pit.tables["t"].meters()) == self.round.meters
        return command


async def correcting(pit: OpenPit) -> Correcting:
    """Play until both walk-ins have decided."""
    players, staff = await seated(pit, 1), await crew(pit)
    await players[0].look()
    await seat_walk_ins(staff[0], 2, 3)
    table = Correcting(pit, staff, players)
    await table.until(lambda r: {2, 3} <= {seat for seat, box in r.boxes.items() if box.chose})
    return table


@each_book
def test_a_stake_of_a_walk_in_is_corrected_by_two_and_fees_and_meters_follow(
    id: str, tmp_path: Path
) -> None:
    async def scenario(pit: OpenPit) -> None:
        table = await correcting(pit)
        before = table.round.boxes[3]
        given = await table.correct("CorrectStake", 3, cents=_twice(before))
        spot = table.round.rules.spots[given["wager"]][0]
        stakes = table.round.boxes[3].stakes
        assert stakes[spot].cents == given["cents"] != before.stakes[spot].cents
        for name, meter in table.round.rules.meters.items():
            shown = table.round.meters[name]
            for cents in (0, before.stakes[meter.wager].cents):
                await table.correct("CorrectStake", 3, wager=meter.wager, cents=cents)
                assert (meter.wager in table.round.boxes[3].stakes) is bool(cents)
                less = 0 if cents else rise_of(table.round, meter)
                assert table.round.meters[name] == shown - less
        await finished(table)

    play(tmp_path, real(id, FELT), scenario)


@each_book
def test_a_choice_of_a_walk_in_is_corrected_by_two_until_the_seat_is_settled(
    id: str, tmp_path: Path
) -> None:
    async def scenario(pit: OpenPit) -> None:
        table = await correcting(pit)
        dealer, _ = table.staff
        given = await table.correct("CorrectChoice", 2)
        assert table.round.boxes[2].chose[given["step"]] == given["option"]
        # Where seat 1 banks, it has no wager.
        why = "no_such_seat" if table.round.banker else "player_decides"
        assert (await refusal(dealer.do({**given, "seat": 1}))).code == why
        await table.until(lambda r: r.stage is not None and r.stage.do == "settle")
        before = table.round
        await table.correct("CorrectChoice", 3)  # Its cards may be due no longer.
        await table.correct("CorrectChoice", 3)
        assert {*table.round.todo} == {*before.todo}
        await table.until(lambda r: {2, 3} & {*r.order} != set())
        late = {**given, "seat": next(seat for seat in table.round.order if seat > 1)}
        assert (await refusal(dealer.do(late))).code == "wrong_step"
        await finished(table)

    play(tmp_path, real(id, FELT), scenario)


async def finished(table: Correcting) -> None:
    """Play the round to its end; the journal and its record say the same."""
    await table.until(lambda round: round.closed)
    found = await table.pit.books.read(lambda view: round_found(view, "t-1", rules_of))
    assert found.played.round == table.round
    *_, last = rounds_of(table.round.rules, found.played.events)
    assert last == table.round


def rise_of(round: Round, meter: TableMeter) -> int:
    """What one seat's wager adds to a meter: two seats play for it here, or three."""
    left = rises(round)
    return next(iter(left.values())) // sum(meter.wager in b.stakes for b in round.boxes.values())


def _twice(box: Box) -> int:
    return 2 * next(iter(box.stakes.values())).cents
