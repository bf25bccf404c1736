"""What happens at a live table: the bank and its turn, meters."""

from itertools import count
from pathlib import Path

import pytest

from croupier.house.config import parse_config
from croupier.ledger.acts import MeterStopped
from croupier.ledger.events import CashedIn
from croupier.money import micros
from tests.house.floor import (
    FAST,
    OpenPit,
    bet_all,
    deal_on,
    deal_until,
    first_bet,
    one_table,
    opened,
    play,
    refused,
    rules_of,
    seated,
)
from tests.rules.books import CALIFORNIA, FLORIDA, MARYLAND

# ---------------------------------------------------------------- the bank


@pytest.mark.parametrize("id", [CALIFORNIA, FLORIDA])
def test_the_bank_is_taken_passed_and_goes_round(tmp_path: Path, id: str) -> None:
    async def scenario(pit: OpenPit) -> None:
        table = pit.tables["t"]
        one, two = await seated(pit, 1, 2)
        assert pit.scene()["bank_turn"] == 1
        error = await refused(two.ask("bank", seat=2, funds=100_00))
        assert error.code == "not_your_turn" and error.clause
        assert (await refused(one.ask("bank", seat=1, funds=2_000_00))).code == "not_enough_money"
        await one.ask("pass", seat=1)
        assert pit.scene()["bank_turn"] == 2
        await two.ask("bank", seat=2, funds=100_00)
        await deal_until(pit, "bets")
        assert pit.scene()["banker"]["seat"] == 2
        assert pit.books.purse_cents("p2") == 900_00
        wager = next(iter(table.place.standing.table.rules.wagers))
        error = await refused(two.ask("bet", seat=2, wager=wager, cents=10_00))
        assert error.code == "banker_bets"

    play(tmp_path, one_table(id), scenario)


def test_the_clock_passes_the_bank_for_who_does_not_answer(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        await seated(pit, 1, 2)
        assert await deal_on(pit) == "pass"
        assert pit.scene()["bank_turn"] == 2

    play(tmp_path, one_table(CALIFORNIA), scenario)


def test_a_banker_whose_funds_went_elsewhere_passes(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        table = pit.tables["t"]
        one, _ = await seated(pit, 1, 2)
        await one.ask("bank", seat=1, funds=1_000_00)
        await pit.cage.act("p1", lambda: CashedIn("p1", 500_00))
        assert await deal_on(pit) == "open"
        assert table.place.standing.in_play is None and pit.scene()["bank_turn"] == 2

    play(tmp_path, one_table(FLORIDA), scenario)


# ---------------------------------------------------------------- meters


def test_a_meter_rises_by_the_rate_and_is_shared(tmp_path: Path) -> None:
    config = "".join(
        f'[[table]]\nid = "{id}"\nrulebook = "{MARYLAND}"\n[table.timing]\n{FAST}\n'
        '[table.selections]\nprogressive = "A"\n[table.meters]\nprogressive = "linked"\n'
        for id in ("t", "u")
    )

    async def scenario(pit: OpenPit) -> None:
        for id in ("t", "u"):
            (one,) = await seated(pit, 1, table=id)
            await deal_until(pit, "bets", id)
            await bet_all(one, 1)
            await deal_on(pit, id)
        rate = pit.tables["t"].place.standing.table.rules.meters["progressive"].rate
        assert rate is not None
        rises = 2 * micros(100) * rate
        assert pit.books.meter("linked") == micros(1_000_00) + rises
        assert pit.tables["t"].meters() == pit.tables["u"].meters()

    play(tmp_path, parse_config(config, rules_of), scenario)


def test_a_wager_whose_meter_is_out_of_reach_is_not_offered_and_the_rest_goes_on(
    tmp_path: Path,
) -> None:
    async def scenario(pit: OpenPit) -> None:
        pit.books.out.add("t/progressive")
        (one,) = await opened(pit, 1)
        scene = await one.look()
        assert scene["meters"] == {} and list(scene["closed_wagers"]) == ["progressive"]
        error = await refused(one.ask("bet", seat=1, wager="progressive", cents=100))
        assert error.code == "meter_out"
        await first_bet(one, 1)
        await deal_until(pit, "over")
        assert pit.scene()["void"] is None

    play(tmp_path, one_table(MARYLAND, 'progressive = "A"'), scenario)


def test_P4_a_meter_that_goes_out_at_any_step_takes_no_chip_and_stops_nothing(
    tmp_path: Path,
) -> None:
    async def scenario(pit: OpenPit) -> None:
        (one,) = await seated(pit, 1)
        steps = []
        for acts in count():
            await pit.acts.do(MeterStopped("t/progressive", out=False, by="boss"))
            await deal_until(pit, "bets")
            await bet_all(one, 1)
            dealt = [await deal_on(pit) for _ in range(acts)]
            if "settle" in dealt:
                break
            steps.append(pit.scene()["step"])
            await pit.acts.do(MeterStopped("t/progressive", out=True, by="boss"))
            scene = await one.look()
            assert scene["meters"] == {} and list(scene["closed_wagers"]) == ["progressive"]
            await refused(one.ask("bet", seat=1, wager="progressive", cents=100))
            await deal_until(pit, "over")
            assert pit.scene()["void"] is None
        assert {*steps} >= {"bets", "play_or_fold", "settle"}

    play(tmp_path, one_table(MARYLAND, 'progressive = "A"'), scenario)
