"""What happens at a live table: seats, bets, the clock, asking twice."""

import asyncio
from functools import partial
from pathlib import Path

import pytest

from croupier.house import dealer
from croupier.ledger.accounts import account
from croupier.ledger.verify import verify
from croupier.money import micros
from tests.house.floor import (
    FAST,
    Clock,
    OpenPit,
    Player,
    bet_all,
    deal_on,
    deal_until,
    first_bet,
    one_table,
    opened,
    pit_at,
    play,
    refused,
    rules_of,
    seated,
    wagers,
)
from tests.rules.books import IDS, LET_IT_RIDE, MARYLAND, SINGAPORE

SELECTED = {
    MARYLAND: 'progressive = "A"\nsix_card_bonus = "A"',
    SINGAPORE: "progressive_rate = 0.3\nprogressive_reset = 1000",
}


# ---------------------------------------------------------------- whole rounds


@pytest.mark.parametrize("id", IDS)
def test_a_round_of_each_book_is_dealt_decided_and_settled(tmp_path: Path, id: str) -> None:
    async def scenario(pit: OpenPit) -> None:
        one, two, three = await opened(pit, 1, 2, 3)
        banker = pit.scene()["banker"]
        for player, seat in ((one, 1), (two, 2), (three, 3)):
            if not banker or banker["seat"] != seat:
                await bet_all(player, seat)
        assert await deal_on(pit) == "deal"
        scene = await one.look()
        bank = [] if not banker else [banker["seat"]]
        assert [int(s) for s in scene["boxes"]] == [s for s in (1, 2, 3) if s not in bank]
        decided = 0
        while (scene := await one.look())["phase"] != "over":
            if asked := scene["asked"]:
                player = (one, two, three)[asked - 1]
                option = scene["choices"][0]["option"]
                await player.ask("choose", seat=asked, option=option)
                decided += 1
            else:
                await deal_on(pit)
        assert decided >= len(scene["boxes"])
        assert all(box["lines"] and box["net"] for box in scene["boxes"].values())
        assert all(line["because"] for box in scene["boxes"].values() for line in box["lines"])

    play(tmp_path, one_table(id, SELECTED.get(id, "")), scenario)


def test_a_page_that_lays_patches_on_a_scene_has_the_scene(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        table = pit.tables["t"]
        watcher = Player(pit, table, "")
        (one,) = await opened(pit, 1)
        await bet_all(one, 1)
        while pit.scene()["phase"] != "over":
            assert await watcher.look() == pit.scene()
            await deal_on(pit)
        assert await watcher.look() == pit.scene() == await one.look()

    play(tmp_path, one_table(MARYLAND), scenario)


def test_only_own_cards_are_sent_and_only_to_their_player(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        table = pit.tables["t"]
        watcher = Player(pit, table, "")
        one, two = await opened(pit, 1, 2)
        await bet_all(one, 1)
        await bet_all(two, 2)
        await deal_on(pit)
        scene = await one.look()
        await two.look()
        await watcher.look()
        assert [int(p) for p in one.own] == scene["boxes"]["1"]["cards"]
        assert [int(p) for p in two.own] == scene["boxes"]["2"]["cards"]
        assert watcher.own == {} and scene["faces"] == {}

    play(tmp_path, one_table(MARYLAND), scenario)


def test_the_commitment_is_published_before_the_first_wager(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        (one,) = await opened(pit, 1)
        scene = await one.look()
        assert scene["phase"] == "bets" and scene["boxes"] == {}
        assert len(scene["commitment"]) == 64

    play(tmp_path, one_table(SINGAPORE), scenario)


# ---------------------------------------------------------------- seats


def test_seats_are_taken_and_left(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        one, two = await seated(pit, 1, 2)
        assert (await refused(two.ask("sit", seat=1))).code == "too_many_boxes"
        assert (
            await refused(Player(pit, pit.tables["t"], "p9").ask("sit", seat=1))
        ).code == "seat_taken"
        assert (await refused(one.ask("sit", seat=8))).code == "no_such_seat"
        assert (await refused(one.ask("leave", seat=2))).code == "not_your_seat"
        await one.ask("leave", seat=1)
        assert list((await two.look())["seats"]) == ["2"]

    play(tmp_path, one_table(MARYLAND), scenario)


def test_boxes_of_one_player_are_as_many_as_declared_and_adjacent(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        (one,) = await seated(pit, 3)
        assert (await refused(one.ask("sit", seat=5))).code == "boxes_apart"
        await one.ask("sit", seat=4)
        error = await refused(one.ask("sit", seat=5))
        assert (error.code, error.clause) == ("too_many_boxes", "7.H")

    play(tmp_path, one_table(MARYLAND, "adjacent_boxes = 2"), scenario)


def test_leaving_before_the_deal_takes_the_bets_down_and_after_it_is_refused(
    tmp_path: Path,
) -> None:
    async def scenario(pit: OpenPit) -> None:
        one, two = await opened(pit, 1, 2)
        await first_bet(one, 1)
        assert pit.books.purse_cents("p1") == 990_00
        await one.ask("leave", seat=1)
        assert pit.books.purse_cents("p1") == 1_000_00
        await first_bet(two, 2)
        await deal_on(pit)
        assert (await refused(two.ask("leave", seat=2))).code == "hand_in_play"

    play(tmp_path, one_table(MARYLAND), scenario)


def test_a_player_away_for_some_rounds_loses_the_seat(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        one, two = await opened(pit, 1, 2)
        pit.galleries.farewell(one.viewer, "t")
        for _ in range(5):
            await deal_until(pit, "bets")
            if "1" not in pit.scene()["seats"]:
                break
            await first_bet(two, 2)
            await deal_on(pit)
            await deal_until(pit, "over")
        assert list((await two.look())["seats"]) == ["2"]

    play(tmp_path, one_table(SINGAPORE), scenario)


# ---------------------------------------------------------------- bets


@pytest.mark.clause(MARYLAND, "7.C")
@pytest.mark.clause(LET_IT_RIDE, "7.B")
@pytest.mark.parametrize("id", [MARYLAND, LET_IT_RIDE])
def test_a_bet_needs_a_seat_a_round_and_chips(tmp_path: Path, id: str) -> None:
    async def scenario(pit: OpenPit) -> None:
        (one,) = await seated(pit, 1)
        await one.look()
        wager = next(wagers(one))["wager"]
        bet = {"wager": wager, "cents": 10_00}
        assert (await refused(one.ask("bet", seat=1, **bet))).code == "no_round"
        await deal_until(pit, "bets")
        assert (await refused(one.ask("bet", seat=2, **bet))).code == "not_your_seat"
        rich = {**bet, "cents": 10_000_00}
        error = await refused(one.ask("bet", seat=1, **rich))
        assert (error.code, error.field) == ("not_enough_money", "purse")
        assert pit.books.purse_cents("p1") == 1_000_00

    play(tmp_path, one_table(id), scenario)


def test_bets_close_early_when_everybody_is_ready(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        table, clock_ms = pit.tables["t"], 60_000
        one, two = await opened(pit, 1, 2)
        await first_bet(one, 1)
        await one.ask("ready", seat=1)
        assert table.notes.clock.countdown(table.books.clocks.wait_ms()) == {
            "for": "bets",
            "left_ms": clock_ms,
            "of_ms": clock_ms,
            "seat": None,
        }
        await first_bet(two, 2)
        await two.ask("ready", seat=2)
        wait = table.notes.clock.wait
        assert wait is not None and (wait.does, wait.ms) == ("deal", 0)

    play(tmp_path, one_table(MARYLAND), scenario)


# ---------------------------------------------------------------- the clock


def due_ms(pit: OpenPit) -> int:
    due = pit.tables["t"].notes.clock.due_ms
    assert due is not None
    return due


def test_the_posted_rule_plays_for_a_player_who_does_not_choose(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        (one,) = await opened(pit, 1)
        await first_bet(one, 1)
        await deal_on(pit)
        assert await deal_on(pit) == "choose"
        await one.look()
        said = [e["event"] for f in one.frames for e in f.get("events", []) if "event" in e]
        chose = [event for event in said if event["type"] == "Chose"]
        assert [event["by"] for event in chose] == ["clock"]
        assert "or better" in one.felt["default"]

    play(tmp_path, one_table(MARYLAND), scenario)


def test_the_clock_folds_for_who_has_no_chips_to_go_on(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        (one,) = await opened(pit, 1)
        await one.look()
        wager = next(wagers(one))["wager"]
        await one.ask("bet", seat=1, wager=wager, cents=1_000_00)
        await deal_on(pit)
        assert await deal_on(pit) == "choose"
        assert pit.scene()["boxes"]["1"]["folded"]

    play(tmp_path, one_table(MARYLAND), scenario)


def test_a_player_who_is_away_has_the_grace_period(tmp_path: Path) -> None:
    clock = Clock()

    async def scenario(pit: OpenPit) -> None:
        table = pit.tables["t"]
        one, two = await opened(pit, 1, 2)
        await first_bet(one, 1)
        await first_bet(two, 2)
        await deal_on(pit)
        before = await one.look(), dict(one.own)
        pit.galleries.farewell(one.viewer, "t")
        clock.now_s += 15  # Longer than a decision, shorter than the grace.
        assert due_ms(pit) > table.books.clocks.wait_ms()
        again = Player(pit, table, one.id)
        assert (await again.look(), again.own) == before
        clock.now_s += 30
        assert due_ms(pit) <= table.books.clocks.wait_ms()

    timing = FAST.replace("decide = 60", "decide = 10").replace("grace = 60", "grace = 40")
    play(tmp_path, one_table(MARYLAND, timing=timing), scenario, clock=clock)


def test_practice_tables_give_more_time(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        table = pit.tables["t"]
        (one,) = await opened(pit, 1)
        await first_bet(one, 1)
        assert (await refused(one.ask("more_time"))).code == "no_decision"
        await deal_on(pit)
        due = due_ms(pit)
        await one.ask("more_time")
        assert due_ms(pit) == due + 60_000
        clock = table.notes.clock.countdown(table.books.clocks.wait_ms())
        assert clock is not None and clock["of_ms"] == 120_000
        first = await one.ask("more_time", id="again")
        assert await one.ask("more_time", id="again") == first
        assert due_ms(pit) == due + 120_000, "sent again, it has no second effect (S12)"
        assert (await refused(one.ask("ready", id="again", seat=1))).code == "command_reused"
        assert (await refused(one.ask("leave", id="again", seat=1))).code == "command_reused"

    play(tmp_path, one_table(MARYLAND, more="practice = true"), scenario)


def test_being_ready_again_does_not_carry_over_to_the_next_round(tmp_path: Path) -> None:
    """S12: a `ready` that was sent again closed the bets of the next round."""

    async def scenario(pit: OpenPit) -> None:
        (one,) = await opened(pit, 1)
        await first_bet(one, 1)
        first = await one.ask("ready", id="r", seat=1)
        await deal_until(pit, "over")
        await deal_until(pit, "bets")
        assert await one.ask("ready", id="r", seat=1) == first, "the same answer"
        assert not pit.scene()["seats"]["1"]["ready"], "and no second effect"
        await one.ask("ready", id="r2", seat=1)
        assert pit.scene()["seats"]["1"]["ready"]

    play(tmp_path, one_table(MARYLAND), scenario)


def test_no_two_deals_are_closer_than_the_least(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        (one,) = await opened(pit, 1)
        await first_bet(one, 1)
        dealt_ms = pit.books.clocks.wait_ms()
        await deal_until(pit, "over")
        # Bets open at once for a player who is alone; the next deal waits.
        assert due_ms(pit) < dealt_ms + 5_000
        await deal_until(pit, "bets")
        await first_bet(one, 1)
        assert pit.tables["t"].notes.clock.wait is None
        await one.ask("ready", seat=1)
        assert due_ms(pit) == dealt_ms + 5_000

    timing = FAST.replace("round_min = 0", "round_min = 5")
    play(tmp_path, one_table(MARYLAND, timing=timing), scenario)


def test_a_virtual_deck_does_not_age(tmp_path: Path) -> None:
    clock = Clock()

    async def scenario(pit: OpenPit) -> None:
        (one,) = await opened(pit, 1)
        first = pit.scene()["round"]
        clock.now_s += 24 * 3600
        await first_bet(one, 1)
        await deal_on(pit)
        assert pit.scene()["phase"] == "decide" and pit.scene()["round"] == first

    play(tmp_path, one_table(MARYLAND), scenario, clock=clock)


# ---------------------------------------------------------------- asking twice


def test_a_command_that_is_sent_again_has_one_effect_and_the_same_answer(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        (one,) = await opened(pit, 1)
        await one.look()
        bet = {"seat": 1, "wager": next(wagers(one))["wager"], "cents": 10_00}
        number = await one.ask("bet", id="same", **bet)
        assert await one.ask("bet", id="same", **bet) == number
        assert pit.books.purse_cents("p1") == 990_00
        other = await refused(one.ask("bet", id="same", **{**bet, "cents": 20_00}))
        assert other.code == "command_reused"
        await deal_on(pit)
        # Too late for any bet, and yet the same answer: it was made in time.
        assert await one.ask("bet", id="same", **bet) == number
        assert pit.books.balances()[account("player", "p1")] == micros(990_00)

    play(tmp_path, one_table(MARYLAND), scenario)


def test_other_rules_wait_until_the_round_is_over(tmp_path: Path) -> None:
    async def run() -> None:
        file = tmp_path / "ledger.db"
        async with pit_at(file, one_table(MARYLAND)) as pit:
            (one,) = await opened(pit, 1)
            await first_bet(one, 1)
            await deal_on(pit)
        changed = one_table(MARYLAND, 'pair_plus = "B"')
        async with pit_at(file, changed) as pit:
            table = pit.tables["t"]
            assert table.place.standing.table.rules.selections["pair_plus"] == "A"
            Player(pit, table, "p1")
            await deal_until(pit, "over")
            await deal_on(pit)
            assert table.place.standing.table.rules.selections["pair_plus"] == "B"
            found = await pit.books.read(lambda view: verify(view, rules_of))
            assert found.faults == ()

    asyncio.run(run())


def test_let_it_ride_takes_both_bets_back(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        (one,) = await opened(pit, 1)
        await first_bet(one, 1)
        assert pit.books.purse_cents("p1") == 970_00
        await deal_on(pit)
        for purse in (980_00, 990_00):
            scene = await one.look()
            option = scene["choices"][-1]["option"]
            await one.ask("choose", seat=1, option=option)
            assert pit.books.purse_cents("p1") == purse
            await deal_on(pit)

    play(tmp_path, one_table(LET_IT_RIDE), scenario)


def test_a_round_with_a_meter_is_called_off_while_the_banks_cards_are_hidden(
    tmp_path: Path,
) -> None:
    async def scenario(pit: OpenPit) -> None:
        (one,) = await opened(pit, 1)
        had = pit.books.purse_cents(one.id)
        await bet_all(one, 1)
        await deal_until(pit, "decide")
        await pit.tables["t"].act(partial(dealer.call_off, cause="interrupted", because="a test"))
        assert pit.scene()["void"]
        assert pit.books.purse_cents(one.id) == had

    play(tmp_path, one_table(MARYLAND, SELECTED[MARYLAND]), scenario)
