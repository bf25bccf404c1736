"""Each clause on cards and devices between rounds, as a small scenario named after it."""

from typing import Any

import pytest

from croupier.table.commands import (
    Change,
    Confirm,
    Count,
    Cut,
    DealFirstCard,
    Fail,
    Join,
    Leave,
    OrderShuffle,
    Receive,
    Recut,
    Restore,
    Secure,
    Shuffle,
    StartRound,
    Time,
)
from croupier.table.events import CutMade, DeckRemoved, FirstCardDealt, RoundStarted
from croupier.table.prompts import due
from croupier.table.state import cut, elapsed_s
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE
from tests.table.tables import (
    AUTOMATED,
    BY_HAND,
    COUNTING,
    DEVICE,
    FROM_THE_HAND,
    HOUR_S,
    PRESHUFFLED,
    TWO_DECKS,
    House,
    others_of,
    refusal,
)

books_of_maryland = pytest.mark.parametrize("id", [MARYLAND, LET_IT_RIDE])


def clauses_due(house: House, deck: int = 1) -> list[str]:
    return [duty.clause for duty in due(house.table) if duty.about == f"deck {deck}"]


# ---------------------------------------------------------------- chapter 3, decks


@pytest.mark.clause(MARYLAND, "3.B(4)")
@pytest.mark.clause(LET_IT_RIDE, "3.B(4)")
@pytest.mark.clause(CALIFORNIA, "deck/3.c")
@pytest.mark.parametrize(
    ("id", "selections"), [(MARYLAND, TWO_DECKS), (LET_IT_RIDE, TWO_DECKS), (CALIFORNIA, {})]
)
def test_3_B_4_and_deck_3_c_two_decks_take_turns_void_rounds_or_not(
    id: str, selections: dict[str, Any]
) -> None:
    house = House(id, selections).sit("ann", "bob")
    assert [house.play(void=void) for void in (False, True, True, False)] == [1, 2, 1, 2]


@pytest.mark.clause(MARYLAND, "3.A", "3.A(1)")
@pytest.mark.clause(LET_IT_RIDE, "3.A")
@books_of_maryland
def test_3_A_one_deck_is_played_round_after_round(id: str) -> None:
    house = House(id).sit("ann")
    assert [house.play() for _ in range(3)] == [1, 1, 1]


def test_3_B_3_the_resting_deck_is_shuffled_while_the_other_is_in_play() -> None:
    house = House(MARYLAND, TWO_DECKS).sit("ann")
    house.play()
    house.start()
    assert refusal(house, Shuffle(1)) == ("prompt_open", "11.E")
    house.do(DealFirstCard(house.time), Confirm(1, "11.E", "dealer"), Shuffle(1))
    assert house.table.decks[1].stack == "shuffled by machine"
    assert refusal(house, Shuffle(2)) == ("deck_in_play", "3.B")


@pytest.mark.clause(MARYLAND, "3.C", "3.C(1)", "3.C(2)")
@pytest.mark.clause(LET_IT_RIDE, "3.C", "3.C(1)", "3.C(2)")
@books_of_maryland
@pytest.mark.parametrize(
    ("selections", "hours", "clause"), [(FROM_THE_HAND, 4, "3.C(1)"), ({}, 8, "3.C(2)")]
)
def test_3_C_no_round_starts_with_a_deck_beyond_its_age(
    id: str, selections: dict[str, Any], hours: int, clause: str
) -> None:
    house = House(id, selections).sit("ann").get_ready()
    house.wait(hours * HOUR_S)
    house.play()
    house.get_ready()
    house.wait(1)
    assert refusal(house, StartRound("late", house.time)) == ("deck_too_old", clause)
    house.do(Receive(1, house.time))
    assert house.play() == 1


def test_3_C_the_age_is_asked_again_when_the_first_card_is_dealt() -> None:
    house = House(MARYLAND).sit("ann")
    house.start()
    house.wait(8 * HOUR_S + 1)
    assert refusal(house, DealFirstCard(house.time)) == ("deck_too_old", "3.C(2)")
    house.get_ready()
    (dealt,) = house.do(DealFirstCard(house.time))
    started = next(event for event in house.history if isinstance(event, RoundStarted))
    assert isinstance(dealt, FirstCardDealt)
    assert dealt.order > started.order


@pytest.mark.parametrize(
    ("before", "now", "expected"),
    [
        (None, Time(100, 100), 0),
        (Time(0, 0), Time(60, 60), 60),
        (Time(0, 0), Time(-43_200, 60), 60),  # The clock was put back.
        (Time(0, 0), Time(43_200, 60), 43_200),  # The clock was put forward.
        (Time(0, 500), Time(900, 30), 900),  # The machine was started again.
        (Time(0, 500), Time(20, 30), 10**9),  # It was, and its wall clock is wrong.
    ],
)
def test_3_C_no_clock_makes_a_deck_younger(before: Time | None, now: Time, expected: int) -> None:
    assert elapsed_s(before, now) == expected


def test_3_C_books_without_an_age_never_ask_for_new_cards() -> None:
    house = House(FLORIDA).sit("ann", "bob")
    house.play()
    house.wait(1_000 * HOUR_S)
    assert house.play() == 1


# ---------------------------------------------------------------- chapter 4, opening


@pytest.mark.clause(MARYLAND, "4.D", "5.A(1)")
@pytest.mark.clause(LET_IT_RIDE, "4.D", "5.A(1)")
@books_of_maryland
def test_4_A_to_4_D_a_deck_is_inspected_spread_washed_stacked_and_shuffled(id: str) -> None:
    house = House(id)
    house.do(Receive(1, house.time))
    assert clauses_due(house) == ["4.A", "4.B"]
    assert refusal(house, Confirm(1, "4.B", "dealer")) == ("not_yet", "4.A")
    assert refusal(house, Confirm(1, "4.A", "floorperson")) == ("wrong_person", "4.A")
    house.do(Confirm(1, "4.A", "dealer"), Confirm(1, "4.A", "floorperson"))
    house.do(Confirm(1, "4.B", "dealer"))
    assert clauses_due(house) == []
    assert refusal(house, Shuffle(1)) == ("prompt_open", "4.C")
    house.do(Join(3, "ann"))
    assert clauses_due(house) == ["4.C", "4.C(1)", "4.C(2)", "4.C(3)"]
    assert refusal(house, Shuffle(1)) == ("prompt_open", "4.C")
    house.get_ready(until="Shuffle")
    assert refusal(house, StartRound("r", house.time)) == ("not_shuffled", "5.A")
    house.do(Shuffle(1))
    assert house.get_ready().start()


@books_of_maryland
def test_4_E_each_of_two_decks_is_opened_by_itself(id: str) -> None:
    house = House(id, TWO_DECKS).sit("ann")
    house.do(Receive(1, house.time), Receive(2, house.time))
    house.do(Confirm(1, "4.A", "dealer"), Confirm(1, "4.A", "floorperson"))
    assert clauses_due(house, 1)[0] == "4.B"
    assert clauses_due(house, 2)[:2] == ["4.A", "4.B"]


@pytest.mark.clause(MARYLAND, "4.F", "5.E(2)")
@pytest.mark.clause(LET_IT_RIDE, "4.F", "5.D(2)")
@books_of_maryland
def test_4_F_cards_that_come_ready_are_only_cut(id: str) -> None:
    house = House(id, PRESHUFFLED).sit("ann")
    house.do(Receive(1, house.time))
    assert due(house.table) == ()
    assert refusal(house, StartRound("r", house.time)) == ("not_cut", "5.F")
    house.do(Cut(1, 10))
    assert house.get_ready().start()


@pytest.mark.parametrize("id", [CALIFORNIA, FLORIDA, SINGAPORE])
def test_books_without_an_opening_only_shuffle(id: str) -> None:
    house = House(id).sit("ann", "bob")
    house.do(Receive(1, house.time))
    assert due(house.table) == ()
    assert house.start()


# ---------------------------------------------------------------- chapter 5, shuffle and cut


@pytest.mark.clause(MARYLAND, "5.A", "5.A(2)")
@pytest.mark.clause(LET_IT_RIDE, "5.A", "5.A(2)")
@books_of_maryland
@pytest.mark.parametrize("selections", [{}, PRESHUFFLED])
def test_5_A_2_the_cards_are_shuffled_after_every_round(
    id: str, selections: dict[str, Any]
) -> None:
    house = House(id, selections).sit("ann")
    house.play()
    house.get_ready(until="Shuffle")
    assert refusal(house, StartRound("r", house.time)) == ("not_shuffled", "5.A")


def test_5_A_3_a_shuffle_may_be_ordered_again_and_undoes_the_cut() -> None:
    house = House(MARYLAND, BY_HAND).sit("ann").get_ready()
    assert refusal(house, Shuffle(1)) == ("already_shuffled", "5.A(3)")
    house.do(OrderShuffle(1, "floorperson"), Shuffle(1))
    house.get_ready(until="Cut")
    assert refusal(house, StartRound("r", house.time)) == ("not_cut", "5.F")


@pytest.mark.clause(MARYLAND, "5.D", "5.D(2)")
@pytest.mark.clause(LET_IT_RIDE, "5.E", "5.E(2)")
@pytest.mark.parametrize(("id", "clause"), [(MARYLAND, "5.D(2)"), (LET_IT_RIDE, "5.E(2)")])
@pytest.mark.parametrize("cards", [0, 51, 53])
def test_5_D_a_deck_that_the_machine_counts_wrong_is_removed(
    id: str, clause: str, cards: int
) -> None:
    house = House(id, COUNTING).sit("ann").get_ready(until="Shuffle")
    assert refusal(house, Shuffle(1)) == ("no_count", clause)
    assert house.do(Shuffle(1, cards))[-1] == DeckRemoved(1, clause)
    assert refusal(house, StartRound("r", house.time))[0] == "no_deck"
    house.do(Receive(1, house.time))
    assert house.play() == 1


@pytest.mark.clause(MARYLAND, "5.E", "5.E(1)")
@pytest.mark.clause(LET_IT_RIDE, "5.D(1)")
@books_of_maryland
def test_5_E_1_a_machine_s_stack_is_dealt_without_a_cut(id: str) -> None:
    house = House(id).sit("ann").get_ready()
    assert refusal(house, Cut(1, 20)) == ("no_cut", "5.F")
    assert house.start()


@pytest.mark.clause(MARYLAND, "5.E(2)")
@pytest.mark.clause(LET_IT_RIDE, "5.D(2)")
@books_of_maryland
def test_5_E_2_cards_shuffled_by_hand_are_cut(id: str) -> None:
    house = House(id, BY_HAND).sit("ann").get_ready(until="Cut")
    assert refusal(house, StartRound("r", house.time)) == ("not_cut", "5.F")


@pytest.mark.clause(MARYLAND, "5.F")
@pytest.mark.clause(LET_IT_RIDE, "5.F")
@books_of_maryland
@pytest.mark.parametrize("depth", [-1, 0, 9, 52, 53])
def test_5_F_the_cover_card_goes_at_least_ten_cards_in_with_one_below(id: str, depth: int) -> None:
    house = House(id, BY_HAND).sit("ann").get_ready(until="Cut")
    assert refusal(house, Cut(1, depth)) == ("bad_cut", "5.F")


@pytest.mark.parametrize("depth", [10, 51])
def test_5_F_1_and_5_F_2_follow_the_cut(depth: int) -> None:
    house = House(MARYLAND, BY_HAND).sit("ann").get_ready(until="Cut")
    house.do(Cut(1, depth))
    assert clauses_due(house) == ["5.F(2)"], "the cut is 5.F(1)"
    assert refusal(house, StartRound("r", house.time)) == ("prompt_open", "5.F(2)")


def test_5_F_1_a_cut_is_a_rotation() -> None:
    assert cut("abcde", 2) == tuple("cdeab")


@books_of_maryland
def test_5_G_a_floorperson_has_the_cards_cut_again_before_the_first_card(id: str) -> None:
    house = House(id, BY_HAND).sit("ann").get_ready(until="Cut")
    assert refusal(house, Recut(1, 20, "floorperson")) == ("not_cut", "5.G")
    house.do(Cut(1, 10))
    house.get_ready()
    assert refusal(house, Cut(1, 20)) == ("already_cut", "5.G")
    assert refusal(house, Recut(1, 20, "dealer")) == ("wrong_person", "5.G")
    assert refusal(house, Recut(1, 9, "floorperson")) == ("bad_cut", "5.F")
    house.start()
    assert house.do(Recut(1, 20, "floorperson")) == (CutMade(1, 20, "floorperson"),)
    house.get_ready().do(DealFirstCard(house.time))
    assert refusal(house, Recut(1, 20, "floorperson"))[0] == "deck_in_play"


@pytest.mark.parametrize(
    ("id", "selections"), [(MARYLAND, {}), (MARYLAND, PRESHUFFLED), (LET_IT_RIDE, DEVICE)]
)
def test_5_H_an_idle_table_spreads_its_cards_and_opens_again(
    id: str, selections: dict[str, Any]
) -> None:
    house = House(id, selections).sit("ann").get_ready()
    house.do(Leave(1))
    assert clauses_due(house) == ["5.H(1)", "5.H(2)"]
    house.do(*(Confirm(1, clause, "dealer") for clause in clauses_due(house)))
    house.do(Join(2, "bob"))
    assert clauses_due(house)[0] == "5.H(3)"
    assert house.play() == 1


def test_5_H_a_round_comes_to_its_end_before_the_table_is_idle() -> None:
    house = House(MARYLAND).sit("ann")
    house.start()
    house.do(DealFirstCard(house.time), Leave(1))
    assert clauses_due(house) == []
    house.end()
    assert clauses_due(house)[:2] == ["11.E", "5.H(1)"]


def test_5_H_a_deck_that_nobody_has_looked_at_stays_at_its_opening() -> None:
    house = House(MARYLAND).sit("ann")
    house.do(Receive(1, house.time), Leave(1))
    assert clauses_due(house) == ["4.A", "4.B"]


@pytest.mark.clause(MARYLAND, "5.J")
def test_5_J_a_device_that_reshuffles_by_itself_needs_no_cut_and_no_spread() -> None:
    house = House(MARYLAND, DEVICE).sit("ann").get_ready()
    house.do(Leave(1))
    assert due(house.table) == ()
    house.do(Join(1, "bob"))
    assert house.start()


# ---------------------------------------------------------------- chapters 8 to 10, the stub


@pytest.mark.clause(MARYLAND, "8.F", "9.D", "10.C")
@pytest.mark.clause(LET_IT_RIDE, "8.D(5)", "9.E", "10.D")
@pytest.mark.parametrize(
    ("id", "selections", "clause"),
    [
        (MARYLAND, {}, "8.F"),
        (MARYLAND, FROM_THE_HAND, "9.D"),
        (MARYLAND, AUTOMATED, "10.C"),
        (LET_IT_RIDE, {}, "8.D(5)"),
        (LET_IT_RIDE, FROM_THE_HAND, "9.E"),
        (LET_IT_RIDE, AUTOMATED, "10.D"),
    ],
)
def test_8_F_the_stub_is_counted_at_least_every_five_rounds(
    id: str, selections: dict[str, Any], clause: str
) -> None:
    house = House(id, selections).sit("ann")
    for _ in range(5):
        assert not house.table.count_due
        house.play()
    assert house.table.count_due
    house.get_ready(until="Count")
    assert refusal(house, StartRound("r", house.time)) == ("count_due", clause)
    house.do(Count(1, 52))
    assert house.play() == 1


def test_8_F_a_count_in_a_round_begins_the_five_anew() -> None:
    house = House(MARYLAND).sit("ann")
    for number in range(1, 16):
        house.play(counted=number % 5 == 0, void=number % 2 == 0)
    assert not house.table.count_due


@pytest.mark.parametrize("selections", [COUNTING, DEVICE])
def test_8_F_is_not_asked_where_a_machine_counts(selections: dict[str, Any]) -> None:
    house = House(MARYLAND, selections).sit("ann")
    assert [house.play() for _ in range(12)] == [1] * 12


def test_8_H_2_a_deck_that_is_not_whole_is_removed() -> None:
    house = House(MARYLAND).sit("ann")
    house.play()
    assert house.do(Count(1, 51))[-1] == DeckRemoved(1, "8.H(2)")
    assert refusal(house, StartRound("r", house.time)) == ("no_deck", "3.A(1)")


# ---------------------------------------------------------------- chapter 13, devices


@pytest.mark.clause(MARYLAND, "13.F", "13.H")
@pytest.mark.clause(LET_IT_RIDE, "13.F", "13.H")
@books_of_maryland
@pytest.mark.parametrize("clause", ["13.H(1)", "13.H(2)"])
def test_13_H_a_failed_shuffler_is_covered_or_marked_before_another_method(
    id: str, clause: str
) -> None:
    house = House(id).sit("ann").get_ready()
    (by_hand,) = others_of(id)
    house.do(Fail("shuffler"))
    assert refusal(house, StartRound("r", house.time)) == ("device_open", "13.H(1)")
    assert refusal(house, Shuffle(1)) == ("device_open", "13.H(1)")
    assert refusal(house, Change(by_hand.digest)) == ("device_open", "13.H(1)")
    house.do(Secure("shuffler", clause, "dealer"))
    assert refusal(house, Shuffle(1)) == ("device_out", "13.F")
    house.do(Change(by_hand.digest))
    assert house.play() == 1
    assert house.table.rules is by_hand
    house.do(Restore("shuffler"), Change(house.rules.digest))
    assert house.play() == 1


@books_of_maryland
def test_13_H_a_failed_shoe_is_covered_or_marked_before_another_method(id: str) -> None:
    house = House(id, AUTOMATED).sit("ann").get_ready()
    house.do(Fail("shoe"))
    assert refusal(house, StartRound("r", house.time)) == ("device_open", "13.H(1)")
    house.do(Secure("shoe", "13.H(2)", "dealer"))
    assert refusal(house, StartRound("r", house.time)) == ("device_out", "13.G")
    house.do(Change(others_of(id)[0].digest))
    assert house.play() == 1


@pytest.mark.clause(MARYLAND, "13.F")
def test_13_F_what_lay_in_a_failed_shuffler_is_shuffled_again() -> None:
    house = House(MARYLAND, TWO_DECKS).sit("ann")
    house.play()
    house.start()
    house.do(DealFirstCard(house.time), Confirm(1, "11.E", "dealer"), Shuffle(1))
    house.do(Fail("shuffler"))
    assert house.table.decks[1].stack is None
    assert house.table.decks[2].stack == "shuffled by machine"


def test_13_G_a_shoe_that_fails_in_a_round_is_out_afterwards() -> None:
    house = House(MARYLAND, AUTOMATED).sit("ann")
    house.play(void=True, failed=("shoe",))
    assert refusal(house, StartRound("r", house.time)) == ("device_doubted", "13.G")
    house.do(Fail("shoe"))
    assert refusal(house, StartRound("r", house.time)) == ("device_open", "13.H(1)")


def test_13_H_a_device_in_order_again_needs_no_cover() -> None:
    house = House(MARYLAND).sit("ann").get_ready()
    house.do(Fail("shuffler"), Restore("shuffler"))
    assert house.play() == 1
