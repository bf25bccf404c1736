"""Bets that can't stand are refused when they are made, and no bet just disappears."""

from pathlib import Path
from typing import Any

import pytest

from croupier.errors import ParseError
from croupier.ledger.events import CashedIn
from croupier.ledger.store import NOT_ENOUGH
from tests.house.floor import (
    OpenPit,
    Player,
    deal_on,
    deal_until,
    first_bet,
    one_table,
    opened,
    play,
    refused,
    wagers,
)
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE

BOTH = 'version = "7.G(3)"'
PROGRESSIVE = 'progressive = "A"\nprogressive_rate = 0.2'


def returned(player: Player) -> list[tuple[str, str]]:
    """The clauses and messages by which bets came back to a player."""
    found = [frame for frame in player.frames if frame["type"] == "refused"]
    assert all(frame["id"] is None for frame in found)
    return [(frame["clause"], frame["message"]) for frame in found]


def bettors(pit: OpenPit, players: list[Player]) -> list[tuple[int, Player]]:
    """Those who do not bank, with their seats."""
    banker = pit.scene()["banker"]
    seats = [(int(player.id[1:]), player) for player in players]
    return [(seat, player) for seat, player in seats if not banker or banker["seat"] != seat]


async def bet(player: Player, seat: int, **wagers: int) -> int:
    return await player.ask("bet", seat=seat, wagers=wagers)


# ---------------------------------------------------------------- what needs what


@pytest.mark.parametrize(
    ("id", "selections", "side", "cents", "clause"),
    [
        (MARYLAND, 'progressive = "A"', "progressive", 100, "7.F(4)(a)"),
        (MARYLAND, 'six_card_bonus = "A"', "six_card_bonus", 500, "7.F(5)(b)"),
        (MARYLAND, 'version = "7.G(1)"', "pair_plus", 500, "7.G(1)"),
        (MARYLAND, 'version = "7.G(2)"', "pair_plus", 500, "7.G(2)"),
        (LET_IT_RIDE, 'five_card_bonus = "A"', "five_card_bonus", 100, "7.E(3)"),
        (LET_IT_RIDE, 'three_card_bonus = "A"', "three_card_bonus", 500, "7.E(4)"),
        (LET_IT_RIDE, PROGRESSIVE, "progressive", 100, "7.E(6)(a)"),
        (CALIFORNIA, "", "pair_plus", 500, "betting/4"),
        (FLORIDA, "", "pair_plus", 500, "2"),
        (
            SINGAPORE,
            "progressive_rate = 0.3\nprogressive_reset = 9\nprogressive_initial = 9",
            "progressive",
            250,
            "3.5",
        ),
    ],
)
def test_a_wager_that_needs_another_comes_after_it_and_goes_before_it(
    tmp_path: Path, id: str, selections: str, *, side: str, cents: int, clause: str
) -> None:
    async def scenario(pit: OpenPit) -> None:
        seat, player = bettors(pit, await opened(pit, 1, 2))[0]
        purse = pit.books.purse_cents(player.id)
        alone: dict[str, Any] = {"seat": seat, "wager": side, "cents": cents}
        error = await refused(player.ask("bet", **alone))
        assert (error.code, error.clause) == ("needs_wager", clause)
        assert pit.scene()["boxes"] == {} and pit.books.purse_cents(player.id) == purse
        await first_bet(player, seat)
        main = next(wagers(player))["wager"]
        await player.ask("bet", **alone)
        error = await refused(player.ask("take_down", seat=seat, wager=main))
        assert (error.code, error.clause) == ("needs_wager", clause)
        await player.ask("ready", seat=seat)
        await player.ask("take_down", seat=seat, wager=side)
        await player.ask("take_down", seat=seat, wager=main)
        assert pit.scene()["boxes"] == {} and pit.books.purse_cents(player.id) == purse
        await bet(player, seat, **{side: cents, main: 10_00})
        assert len(pit.scene()["boxes"][str(seat)]["stakes"]) > 1

    play(tmp_path, one_table(id, selections), scenario)


# ---------------------------------------------------------------- wagers that need each other


@pytest.mark.clause(MARYLAND, "7.G(3)")
def test_a_bet_that_needs_another_one_says_at_once_what_is_missing(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        [player] = await opened(pit, 1)
        for first, second in (("ante", "pair_plus"), ("pair_plus", "ante")):
            await player.ask("bet", seat=1, wager=first, cents=10_00)
            lacks = (await player.look())["boxes"]["1"]["lacks"]
            assert lacks["clause"] == "7.G(3)" and "needs" in lacks["says"]
            error = await refused(player.ask("ready", seat=1))
            assert (error.code, error.clause) == ("needs_wager", "7.G(3)")
            await player.ask("bet", seat=1, wager=second, cents=10_00)
            assert (await player.look())["boxes"]["1"]["lacks"] is None
            await player.ask("ready", seat=1)
            await player.ask("take_down", seat=1, wager=first)
            await player.ask("take_down", seat=1, wager=second)

    play(tmp_path, one_table(MARYLAND, BOTH), scenario)


@pytest.mark.clause(MARYLAND, "7.G(3)")
def test_what_is_too_large_beside_the_other_is_refused(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        [player] = await opened(pit, 1)
        await player.ask("bet", seat=1, wager="ante", cents=10_00)
        for wager, cents in (("pair_plus", 50_01), ("pair_plus", 1_99), ("pair_plus", 1_000_00)):
            error = await refused(player.ask("bet", seat=1, wager=wager, cents=cents))
            assert (error.code, error.clause) == ("ratio", "7.G(3)")
        await player.ask("bet", seat=1, wager="pair_plus", cents=50_00)
        error = await refused(player.ask("bet", seat=1, wager="ante", cents=9_99))
        assert (error.code, error.clause) == ("ratio", "7.G(3)")
        await bet(player, 1, ante=200_00, pair_plus=40_00)  # Neither could have come first.
        error = await refused(bet(player, 1, pair_plus=39_99))
        assert error.code == "ratio"
        stakes = (await player.look())["boxes"]["1"]["stakes"]
        assert {spot: sum for spot, (sum, _) in stakes.items()} == {
            "ante": "200.00",
            "pair_plus": "40.00",
        }

    play(tmp_path, one_table(MARYLAND, BOTH), scenario)


def test_bets_that_are_incomplete_when_time_is_up_come_back_with_their_clause(
    tmp_path: Path,
) -> None:
    async def scenario(pit: OpenPit) -> None:
        one, two = await opened(pit, 1, 2)
        await bet(one, 1, ante=10_00, pair_plus=10_00)
        await bet(two, 2, ante=10_00)
        await bet(two, 2, progressive=1_00)
        await deal_on(pit)
        assert pit.scene()["boxes"].keys() == {"1"} and pit.scene()["phase"] == "bets"
        assert pit.books.purse_cents("p2") == 1_000_00
        await two.look()
        await one.look()
        assert returned(one) == []
        [(clause, message)] = returned(two)
        assert clause == "7.G(3)" and "returned" in message and "Ante needs Pair Plus" in message
        await deal_on(pit)
        assert pit.scene()["phase"] == "decide"

    play(tmp_path, one_table(MARYLAND, f'{BOTH}\nprogressive = "A"'), scenario)


def test_a_player_who_breaks_up_a_bet_is_no_longer_ready(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        [player] = await opened(pit, 1)
        await bet(player, 1, ante=10_00, pair_plus=10_00)
        await player.ask("ready", seat=1)
        assert pit.tables["t"].notes.company.ready == {1}
        await player.ask("take_down", seat=1, wager="pair_plus")
        assert pit.tables["t"].notes.company.ready == frozenset()
        assert not pit.scene()["seats"]["1"]["ready"]

    play(tmp_path, one_table(MARYLAND, BOTH), scenario)


# ---------------------------------------------------------------- several at once


def test_several_wagers_are_made_together_or_not_at_all(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        [player] = await opened(pit, 1)
        error = await refused(bet(player, 1, ante=10_00, pair_plus=0))
        assert error.code == "no_money"
        error = await refused(bet(player, 1, ante=10_00, nothing=5_00))
        assert error.code == "not_offered"
        error = await refused(bet(player, 1, ante=600_00, pair_plus=600_00))
        assert error.code == NOT_ENOUGH
        assert pit.books.purse_cents("p1") == 1_000_00
        assert pit.scene()["boxes"] == {}
        await bet(player, 1, pair_plus=5_00, ante=10_00)
        assert pit.books.purse_cents("p1") == 985_00

    play(tmp_path, one_table(MARYLAND), scenario)


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({}, "wager"),
        ({"wager": "ante"}, "cents"),
        ({"cents": 500}, "wager"),
        ({"wagers": {}}, "wagers"),
        ({"wagers": {"ante": 500}, "wager": "ante", "cents": 500}, "wagers"),
        ({"wagers": {"ante": 500}, "cents": 500}, "wagers"),
        ({"wagers": {"ante": "500"}}, "Bet.wagers"),
        ({"wagers": [["ante", 500]]}, "Bet.wagers"),
    ],
)
def test_a_bet_says_what_is_bet(tmp_path: Path, fields: dict[str, Any], field: str) -> None:
    async def scenario(pit: OpenPit) -> None:
        [player] = await opened(pit, 1)
        with pytest.raises(ParseError) as error:
            await player.ask("bet", seat=1, **fields)
        assert (error.value.field or "").startswith(field)

    play(tmp_path, one_table(MARYLAND), scenario)


# ---------------------------------------------------------------- what the house charges


FEES = "fees = [{ up_to = 5000, fee = 1 }]"


@pytest.mark.parametrize(
    ("id", "selections", "clause"),
    [(CALIFORNIA, FEES, "fees"), (FLORIDA, 'rake = { payer = "all", amount = 1 }', "rake")],
)
def test_a_bet_leaves_enough_for_what_the_house_charges(
    tmp_path: Path, id: str, selections: str, clause: str
) -> None:
    async def scenario(pit: OpenPit) -> None:
        (seat, one), (other, two) = bettors(pit, await opened(pit, 1, 2, 3))
        await first_bet(one, seat)
        error = await refused(two.ask("bet", seat=other, wager="ante", cents=1_000_00))
        assert error.code == NOT_ENOUGH and error.clause and error.clause.startswith(clause)
        await two.ask("bet", seat=other, wager="ante", cents=999_00)
        await pit.cage.act(
            two.id, lambda: CashedIn(two.id, 1_00)
        )  # Chips can go elsewhere meanwhile.
        await deal_on(pit)
        assert pit.scene()["boxes"].keys() == {str(seat)}
        assert pit.books.purse_cents(two.id) == 999_00
        await two.look()
        [(said, message)] = returned(two)
        assert said and said.startswith(clause) and "returned" in message
        assert await deal_on(pit) == "deal"
        assert pit.scene()["phase"] == "decide"

    play(tmp_path, one_table(id, selections), scenario)


def test_a_bet_above_the_last_bracket_of_fees_is_refused_when_it_is_made(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        seat, player = bettors(pit, await opened(pit, 1, 2))[0]
        error = await refused(player.ask("bet", seat=seat, wager="ante", cents=50_01))
        assert (error.code, error.clause) == ("above_brackets", "fees")
        await player.ask("bet", seat=seat, wager="ante", cents=50_00)

    play(tmp_path, one_table(CALIFORNIA, "fees = [{ up_to = 50, fee = 1 }]"), scenario)


# ---------------------------------------------------------------- boxes


def test_boxes_that_lie_apart_keep_a_player_from_being_ready(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        player, _ = await opened(pit, 1, 5)  # In company betting ends by the clock.
        for seat in (2, 3):
            await player.ask("sit", seat=seat)
        for seat in (1, 3):
            await first_bet(player, seat)
        error = await refused(player.ask("ready", seat=1))
        assert (error.code, error.clause) == ("boxes_apart", "7.H")
        await first_bet(player, 2)
        await player.ask("ready", seat=1)
        await player.ask("take_down", seat=2, wager="ante")
        await deal_until(pit, "decide")
        await player.look()
        assert [clause for clause, _ in returned(player)] == ["7.H"]

    play(tmp_path, one_table(MARYLAND, "adjacent_boxes = 3"), scenario)
