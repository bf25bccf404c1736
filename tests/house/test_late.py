"""Singapore 5.4: a round comes to nothing until the next one starts, although it is over."""

from pathlib import Path
from typing import Any

import pytest

from croupier.house import proposals
from croupier.house.recall import recall
from croupier.ledger.voids import Voids
from croupier.table import proposals as at_proposals
from croupier.theory.wins import Wins
from tests.house.felt import FELT, manned, one_round, step
from tests.house.floor import OpenPit, play, rules_of
from tests.house.staff import Shoe, Staff, real, refusal, until
from tests.rules.books import MARYLAND, SINGAPORE

FOUR_CARDS: dict[str, Any] = {
    "type": "Declare",
    "kind": "wrong_number_of_cards",
    "facts": {"where": "dealer", "reconstructable": False},
}
START = {"type": "StartRound", "round": "", "time": {"wall_s": 0, "up_s": 0}}


async def settled_round(pit: OpenPit) -> tuple[Any, Any, Shoe]:
    """Play a round to its end with a player on a screen and a walk-in."""
    players, staff, shoe = await manned(pit, 2)
    await until(pit, players, staff, shoe, "StartRound")
    return players, staff, shoe


def test_a_round_that_is_over_is_voided_by_two_until_the_next_one_starts(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, (dealer, floor), shoe = await settled_round(pit)
        table, eye = pit.tables["t"], Staff(pit, "s1", "surveillance")
        before = {a: m for a, m in (await pit.books.read(lambda v: v.balances())).items() if m}
        tray = table.place.standing.table.tray.expected
        await one_round(pit, players, (dealer, floor), shoe)
        assert table.place.standing.in_play is None
        desk = await dealer.look()
        (found,) = desk["irregularities"]
        assert (found["kind"], found["clause"]) == (FOUR_CARDS["kind"], "5.4")
        assert [one["fact"] for one in found["asks"]] == ["where", "reconstructable"]
        why = await refusal(dealer.do(FOUR_CARDS))
        assert (why.code, why.clause) == ("needs_approval", "5.4")
        late = {**FOUR_CARDS, "facts": {**FOUR_CARDS["facts"], "noticed_late": True}}
        why = await refusal(dealer.do(late))
        assert (why.code, why.clause) == ("bad_fact", "5.4")
        misdeal = {"type": "Declare", "kind": "misdeal", "facts": {"handled": False}}
        assert (await refusal(dealer.do(misdeal))).code == "round_over"
        await dealer.say("propose", of="round", command=FOUR_CARDS, why="the dealer has four")
        why = await refusal(dealer.do(START, "table"))
        assert (why.code, why.clause) == ("stopped", "5.4")
        assert (await dealer.look())["next"]["by"] == ["surveillance"], "a jackpot's hand was seen"
        assert (await refusal(floor.say("approve", proposal="1"))).code == "wrong_person"
        await eye.say("approve", proposal="1")
        standing = table.place.standing
        assert standing.round and standing.round.void and standing.round.void.clause == "5.4"
        after = await pit.books.read(lambda v: v.balances())
        assert {a: m for a, m in after.items() if m} == before, "everything is as it was"
        assert standing.table.tray.expected == tray
        assert (await refusal(dealer.do(FOUR_CARDS))).code == "round_over"
        again = await pit.books.read(lambda view: recall(view, "t", rules_of))
        assert again.standing == standing
        voids = await pit.books.read(lambda v: Voids().after(v.stream("t")))
        assert [(kind.clause, kind.dealt, n) for kind, n in voids.counts.items()] == [
            ("5.4", True, 1)
        ]
        assert (voids.rounds, voids.proposed) == (1, 1)
        await one_round(pit, players, (dealer, floor), shoe)
        await until(pit, players, (dealer, floor), shoe, "StartRound")
        await step(pit, players, (dealer, floor), shoe)
        assert (await refusal(dealer.do(FOUR_CARDS))).code == "wrong_step"
        wins = Wins(rules_of)
        await pit.books.read(wins.read)
        assert (wins.house().rounds, wins.house().void) == (1, 1)
        assert await pit.books.read(wins.unexplained_micros) == 0

    play(tmp_path, real(SINGAPORE, FELT), scenario)


def test_hands_that_can_be_put_right_stand_and_one_person_says_so(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, staff, shoe = await settled_round(pit)
        await one_round(pit, players, staff, shoe)
        before = await pit.books.read(lambda v: v.balances())
        put_right = {**FOUR_CARDS, "facts": {"where": "dealer", "reconstructable": True}}
        await staff[0].do(put_right)
        standing = pit.tables["t"].place.standing
        assert standing.round and standing.round.void is None and standing.round.lines
        assert await pit.books.read(lambda v: v.balances()) == before
        wins = Wins(rules_of)
        await pit.books.read(wins.read)
        assert wins.house().rounds == 0, "it counts when the next one starts"
        assert await pit.books.read(wins.unexplained_micros) == 0
        await one_round(pit, players, staff, shoe)

    play(tmp_path, real(SINGAPORE, FELT), scenario)


def test_no_other_book_reopens_a_round(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, staff, shoe = await settled_round(pit)
        await one_round(pit, players, staff, shoe)
        assert (await staff[0].look())["irregularities"] == []
        wrong = {**FOUR_CARDS, "facts": {"where": "dealer"}}
        assert (await refusal(staff[0].do(wrong))).code == "round_over"

    play(tmp_path, real(MARYLAND, FELT), scenario)


def test_verify_finds_a_late_void_that_one_person_declared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(pit: OpenPit) -> None:
        players, staff, shoe = await settled_round(pit)
        await one_round(pit, players, staff, shoe)
        with monkeypatch.context() as patch:
            patch.setattr(proposals, "check_alone", lambda *_: None)
            patch.setattr(at_proposals, "_check_other", lambda *_: None)
            await staff[0].do(FOUR_CARDS)

    faults: list[str] = []
    play(tmp_path, real(SINGAPORE, FELT), scenario, faults=faults)
    assert ["one person voided a round after its first card" in fault for fault in faults] == [True]
