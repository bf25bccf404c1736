"""What takes two people takes two in the journal: `verify` finds each that one person did alone."""

from collections.abc import Callable, Coroutine, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from croupier.house import proposals
from croupier.ledger.journal import Record, Vocabulary
from croupier.ledger.two_people import BY_TWO, Attribution, OnePerson
from croupier.round.state import Round
from croupier.table import proposals as at_proposals
from tests.house.felt import FELT, seat_walk_ins
from tests.house.felt import one_round as one_round_of_walk_ins
from tests.house.felt import step as step_of_walk_ins
from tests.house.floor import OpenPit, play, rules_of, seated
from tests.house.staff import (
    Shoe,
    Staff,
    attended,
    crew,
    one_round,
    one_step,
    real,
    until,
    until_phase,
)
from tests.house.test_won import PAY, REJECT, SETTLE, at_the_win
from tests.house.test_won import Pit as Won
from tests.rules.books import CALIFORNIA, LET_IT_RIDE, MARYLAND

Unchecked = Callable[[], AbstractContextManager[None]]
"""While it lasts, the house lets one person do anything."""
Scenario = Callable[[OpenPit, Unchecked], Coroutine[Any, Any, None]]


@pytest.fixture
def unchecked(monkeypatch: pytest.MonkeyPatch) -> Unchecked:
    @contextmanager
    def alone() -> Iterator[None]:
        with monkeypatch.context() as patch:
            patch.setattr(proposals, "check_alone", lambda *_: None)
            patch.setattr(at_proposals, "_check_other", lambda *_: None)
            yield

    return alone


async def void(pit: OpenPit, unchecked: Unchecked) -> None:
    players = await seated(pit, 1, 2)
    dealer, floor = await crew(pit)
    await until_phase(pit, players, dealer, "decide")
    with unchecked():
        await floor.do({"type": "Declare", "kind": "misdeal", "facts": {}})


async def void_of_real_cards(pit: OpenPit, unchecked: Unchecked) -> None:
    """With real cards one has left the shoe by the time that betting has closed."""
    players, shoe = await seated(pit, 1, 2), Shoe(3)
    staff = await crew(pit)
    await until(pit, players, staff, shoe, "Deal")
    with unchecked():
        await staff[1].do({"type": "Declare", "kind": "misdeal", "facts": {}})


async def card(pit: OpenPit, unchecked: Unchecked) -> None:
    players, shoe = await seated(pit, 1, 2), Shoe(3)
    staff = dealer, _ = await crew(pit)
    table = pit.tables["t"]
    await until(pit, players, staff, shoe, "Read")
    await one_step(pit, players, staff, shoe)
    (position,) = table.place.standing.round.faces  # type: ignore[union-attr]
    while "bet_2" not in table.place.standing.round.boxes[1].chose:  # type: ignore[union-attr]
        await one_step(pit, players, staff, shoe)
    correct = {"type": "Correct", "position": position, "card": str(shoe.cards[51])}
    with unchecked():
        await dealer.do(correct)


async def chips(pit: OpenPit, unchecked: Unchecked, *, why: str) -> None:
    players, shoe = await seated(pit, 1), Shoe(11)
    await players[0].look()
    staff = dealer, floor = await crew(pit)
    await seat_walk_ins(dealer, 2)
    await one_round_of_walk_ins(pit, players, staff, shoe)
    await dealer.do({"type": "MoveChips", "why": "sale", "cents": 300_00}, "table")
    with unchecked():
        await floor.do({"type": "MoveChips", "why": why, "cents": 100_00}, "table")


async def pay(pit: OpenPit, unchecked: Unchecked) -> None:
    players, shoe = await seated(pit, 1), Shoe(11)
    await players[0].look()
    staff = dealer, _ = await crew(pit)
    await seat_walk_ins(dealer, 2, 3)
    await one_round_of_walk_ins(pit, players, staff, shoe)
    await dealer.do({"type": "Mispay", "seat": 2, "wager": "ante", "paid": 35_00}, "table")
    right = {"type": "CorrectPay", "round": "t-1", "seat": 2, "wager": "ante"}
    while (round := pit.tables["t"].place.standing.in_play) is None or round.at < 2:
        await step_of_walk_ins(pit, players, staff, shoe)
    with unchecked():
        await dealer.do(right, "table")


async def dispute(pit: OpenPit, unchecked: Unchecked) -> None:
    players, shoe = await seated(pit, 1, 2), Shoe(3)
    dealer, floor = await crew(pit)
    await one_round(pit, players, (dealer, floor), shoe)
    about = {"type": "Dispute", "seat": 1, "round": "t-1", "about": "a raise"}
    await dealer.do(about, "table")
    right = {"type": "SetRight", "dispute": "1", "why": "seen", "cents": 5_00}
    with unchecked():
        await floor.do(right, "table")


async def approval(pit: OpenPit, unchecked: Unchecked) -> None:
    await seated(pit, 1)
    _, floor = await crew(pit)
    await floor.say("tap_out")
    both = Staff(pit, "f2", "floor", "auditor")
    await both.say("tap_in", post="floor")
    meter = {"type": "MeterAdjusted", "meter": "t/progressive", "micros": 5, "why": "x"}
    await both.say("propose", of="ledger", command=meter, why="")
    with unchecked():
        await both.say("approve", proposal="1")


ALONE: Mapping[str, tuple[Any, Scenario, Vocabulary, str]] = {
    "a void": (attended(CALIFORNIA), void, "round", "Declared"),
    "a void of real cards": (real(CALIFORNIA), void_of_real_cards, "round", "Declared"),
    "a card": (real(LET_IT_RIDE), card, "round", "CardCorrected"),
    **{
        why: (real(MARYLAND, FELT), partial(chips, why=why), "table", "ChipsMoved")
        for why in ("fill", "credit", "drop")
    },
    "a payment": (real(MARYLAND, FELT), pay, "table", "PayCorrected"),
    "a dispute": (real(MARYLAND), dispute, "table", "Corrected"),
    "an approval": (attended(MARYLAND), approval, "table", "Approved"),
}


@pytest.mark.parametrize("act", ALONE)
def test_verify_finds_what_one_person_did_alone(
    act: str, tmp_path: Path, unchecked: Unchecked
) -> None:
    config, scenario, of, type = ALONE[act]
    faults: list[str] = []
    play(tmp_path, config, lambda pit: scenario(pit, unchecked), faults=faults)
    assert [f"one person {BY_TWO[of, type]}" in fault for fault in faults] == [True]


@pytest.mark.parametrize("answer", [PAY, REJECT], ids=["paid", "rejected"])
def test_verify_finds_a_large_award_that_one_person_decided_about(
    answer: dict[str, Any], tmp_path: Path, unchecked: Unchecked, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scenario(table: Won) -> None:
        await table.dealer.do(SETTLE)
        with unchecked():
            await table.floor.do(answer)
        await table.dealer.do(SETTLE)
        await table.finish()

    faults: list[str] = []
    at_the_win(tmp_path, monkeypatch, scenario, more="witnessed = 500", faults=faults)
    assert ["one person decided about an award" in fault for fault in faults] == [True]


BY_ONE: tuple[tuple[Vocabulary, dict[str, Any]], ...] = (
    ("ledger", {"type": "MeterAdjusted", "meter": "t/m", "micros": 1, "why": "x"}),
    ("ledger", {"type": "BalanceAdjusted", "player": "p1", "cents": 1, "why": "x"}),
    ("round", {"type": "StakeCorrected", "seat": 2, "wager": "ante", "was": 5_00, "cents": 9_00}),
    ("round", {"type": "ChoiceCorrected", "seat": 2, "step": "play", "was": "fold"}),
    ("round", {"type": "ByHand"}),
    ("table", {"type": "Corrected", "dispute": "1", "cents": 5_00}),
    ("table", {"type": "TappedIn", "person": "d2", "post": "dealer", "agreed": "d1"}),
    ("table", {"type": "HandRecalled", "round": "t-1", "seat": 2, "cards": [], "hidden": True}),
)


@pytest.mark.parametrize(("of", "event"), BY_ONE, ids=[event["type"] for _, event in BY_ONE])
@pytest.mark.parametrize("who", [(), ("d1",), ("d1", "d1")])
def test_an_event_of_two_people_names_two(
    of: Vocabulary, event: dict[str, Any], who: tuple[str, ...]
) -> None:
    def check(*who: str) -> None:
        Attribution().check(Record("t", 7, 0, "", of, event, who), None)

    check("d1", "f1")
    with pytest.raises(OnePerson, match=f"one person {BY_TWO[of, event['type']]}"):
        check(*who)


def test_one_person_takes_a_post_that_is_free_and_sells_chips() -> None:
    tap = {"type": "TappedIn", "person": "d1", "post": "dealer", "agreed": ""}
    for event in (tap, {"type": "ChipsMoved", "why": "sale", "cents": 5_00}):
        Attribution().check(Record("t", 1, 0, "", "table", event, ("d1",)), None)


def test_what_an_automatic_table_declared_in_older_journals_names_nobody() -> None:
    people, void = Attribution(), {"type": "Declared", "effects": ["void"]}
    first = {"type": "FirstCardDealt", "round": "t-1"}
    people.check(Record("t", 1, 0, "", "table", first), None)
    declared = Record("t", 2, 0, "t-1", "round", void)
    people.check(declared, structs.replace(Round(rules_of(CALIFORNIA, {})), id="t-1"))
    with pytest.raises(OnePerson, match="voided a round"):
        people.check(
            declared, structs.replace(Round(rules_of(CALIFORNIA, {}, ("dealer",))), id="t-1")
        )


@pytest.mark.parametrize("type", ["Mispaid", "PayCorrected"])
def test_a_payment_takes_two_once_cards_of_the_next_round_are_out(type: str) -> None:
    people = Attribution()
    round = structs.replace(Round(rules_of(MARYLAND, {}, ("dealer",))), id="t-2")

    def check(of: str, round: Round | None) -> None:
        event = {"type": type, "round": of}
        people.check(Record("t", 9, 0, "", "table", event, ("d1",)), round)

    check("t-1", round)
    people.check(Record("t", 8, 0, "", "table", {"type": "FirstCardDealt", "round": "t-2"}), round)
    check("t-2", round)
    check("t-1", structs.replace(round, closed=True))
    with pytest.raises(OnePerson, match="of an earlier round"):
        check("t-1", round)
