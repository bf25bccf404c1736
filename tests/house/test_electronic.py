"""The electronic version (11.F): a person deals, players bet on three shared hands (M23)."""

from pathlib import Path
from typing import Any

import pytest

from croupier.errors import Problems
from croupier.house.config import parse_config
from tests.house.floor import OpenPit, one_table, play, rules_of, seated
from tests.house.shifts import Shift
from tests.house.staff import crew, refusal
from tests.rules.books import MARYLAND

ELECTRONIC = 'format = "electronic"\nprogressive = "A"'


def test_a_dealer_deals_nine_shared_cards_and_settles_the_seats(tmp_path: Path) -> None:
    done: list[str] = []

    async def scenario(pit: OpenPit) -> None:
        players = await seated(pit, 1, 2, 3)
        dealer, _ = await crew(pit)
        for _ in range(60):
            step, scene = (await dealer.look())["next"], pit.scene()
            if scene["phase"] == "over":
                break
            if step["command"] is not None:
                for early in ({"type": "Settle", "seat": 1}, {"type": "Deal"}):
                    if scene["phase"] == "bets" and early["type"] != step["command"]["type"]:
                        await refusal(dealer.do(early))
                done.append(step["command"]["type"])
                await dealer.do(step["command"], step["of"])
            elif scene["phase"] == "bets":
                for seat, player in enumerate(players, 1):
                    bet: dict[str, Any] = {"seat": seat, "hand": seat}
                    await player.ask("bet", wager="ante", cents=10_00, **bet)
            else:
                seat = scene["asked"]
                await players[seat - 1].ask("choose", seat=seat, option="play")
        round = pit.tables["t"].place.standing.round
        assert round and round.closed and not round.void
        assert len(round.places["community"]) == 9 and len(round.places["bank"]) == 3
        assert [box.hand for box in round.boxes.values()] == [1, 2, 3]
        assert {line.seat for line in round.lines} == {1, 2, 3}

    play(tmp_path, one_table(MARYLAND, ELECTRONIC, more='things = ["dealer"]'), scenario)
    assert {"OpenTable", "StartRound", "CloseBets", "Deal", "Show", "Settle", "Close"} <= {*done}


def test_chapters_8_to_10_fall_away_and_the_rest_is_kept_with_real_cards() -> None:
    shift = Shift(MARYLAND, {"format": "electronic"}, ("dealer", "cards"))
    shift.play(2)
    round = shift.standing.round
    assert round and len(round.places["community"]) == 9 and round.lines
    assert not any(name.startswith(("8.", "9.", "10.")) for name in shift.kept)
    assert {"4.A", "5.B", "11.E"} <= shift.kept.keys()


def test_M23_players_bet_on_their_screens_and_not_with_chips() -> None:
    things = """things = ["dealer", "cards", "chips"]"""
    with pytest.raises(Problems) as caught:
        one_table(MARYLAND, ELECTRONIC, more=things)
    (problem,) = caught.value.problems
    assert (problem.path, problem.clause) == ("table[1].things", "M23")


def test_M23_without_a_dealer_it_is_for_practice_and_says_so() -> None:
    with pytest.raises(Problems) as caught:
        one_table(MARYLAND, ELECTRONIC)
    (problem,) = caught.value.problems
    assert (problem.path, problem.clause) == ("table[1].practice", "M23")
    (table,) = one_table(MARYLAND, ELECTRONIC, more="practice = true").tables
    assert table.title == "Three Card Poker, Maryland, practice only"
    (table,) = one_table(MARYLAND, ELECTRONIC, more='things = ["dealer"]').tables
    assert table.title == "Three Card Poker, Maryland"
    named = f'[[table]]\nid = "t"\nrulebook = "{MARYLAND}"\n'
    assert parse_config(named, rules_of).tables[0].title == "Three Card Poker, Maryland"
