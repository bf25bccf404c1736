"""The bank's turn in the books in which players bank."""

import pytest

from croupier.errors import Refused
from croupier.round.commands import Bank, Open
from croupier.round.state import Banker
from croupier.rules.resolve import resolve
from croupier.rules.vocabulary import BookPath
from croupier.table.commands import (
    DealFirstCard,
    Join,
    Leave,
    PassBank,
    StartRound,
    TakeBank,
)
from croupier.table.decide import decide
from croupier.table.events import Joined, RoundStarted
from croupier.table.evolve import evolve
from croupier.table.state import bank_order, new_table
from tests.rules.books import CALIFORNIA, FLORIDA, MARYLAND, book
from tests.table.tables import House, refusal

TURN = ("not_your_turn", "round-of-play/10")
ENOUGH = ("banked_enough", "round-of-play/10")


def bankers(house: House, rounds: int) -> str:
    """The initials of those who bank, when everybody takes the turn."""
    found = ""
    for _ in range(rounds):
        house.bank()
        assert house.table.banker
        found += house.table.banker.player[0]
        house.play()
    return found


@pytest.mark.clause(CALIFORNIA, "round-of-play/10", "standards")
def test_round_of_play_10_a_player_banks_two_rounds_and_the_button_moves_clockwise() -> None:
    house = House(CALIFORNIA).sit("ann", "bob", "cid")
    assert bankers(house, 9) == "aabbccaab"


@pytest.mark.clause(FLORIDA, "6")
def test_6_the_designated_player_changes_with_every_hand() -> None:
    house = House(FLORIDA).sit("ann", "bob", "cid")
    assert bankers(house, 5) == "abcab"


def test_C6_nobody_else_banks_out_of_turn() -> None:
    house = House(CALIFORNIA).sit("ann", "bob", "cid")
    assert refusal(house, TakeBank(2, 5000)) == TURN
    assert refusal(house, PassBank(3)) == TURN
    house.do(TakeBank(1, 5000))
    assert refusal(house, TakeBank(2, 5000)) == TURN


def test_C6_one_may_pass_the_turn() -> None:
    house = House(CALIFORNIA).sit("ann", "bob", "cid")
    house.do(PassBank(1), PassBank(2))
    assert bankers(house, 3) == "cca"


def test_C6_the_second_round_may_be_passed_as_well() -> None:
    house = House(CALIFORNIA).sit("ann", "bob")
    house.do(TakeBank(1, 5000))
    house.play()
    house.do(PassBank(1))
    assert bankers(house, 2) == "bb"


def test_C6_no_round_is_dealt_while_nobody_takes_the_bank() -> None:
    house = House(CALIFORNIA).sit("ann", "bob").get_ready()
    house.do(PassBank(1), PassBank(2))
    assert refusal(house, StartRound("r", house.time)) == ("no_banker", "round-of-play/10")
    assert bank_order(house.table) == (1, 2)  # The turn goes round once more.


def test_C6_a_player_who_has_banked_twice_waits_even_if_all_others_pass() -> None:
    house = House(CALIFORNIA).sit("ann", "bob")
    assert bankers(house, 2) == "aa"
    house.do(PassBank(2))
    assert bank_order(house.table) == (2,)
    assert refusal(house, TakeBank(1, 5000)) == ENOUGH


def test_C6_it_is_the_player_who_banks_and_not_the_seat() -> None:
    house = House(CALIFORNIA).sit("ann", "bob")
    bankers(house, 2)
    house.do(Leave(1), Join(5, "ann"))
    assert refusal(house, TakeBank(5, 5000)) == ENOUGH
    house.do(Join(1, "ann"))
    assert refusal(house, TakeBank(1, 5000)) == ENOUGH
    house.do(Leave(1), Join(1, "dan"))
    assert bank_order(house.table) == (2, 1)


def test_C6_a_move_between_the_two_rounds_does_not_begin_the_count_anew() -> None:
    house = House(CALIFORNIA).sit("ann", "bob")
    bankers(house, 1)
    house.do(Leave(1), Join(4, "ann"))
    assert bank_order(house.table) == (4, 2)
    assert bankers(house, 2) == "ab"


@pytest.mark.parametrize(("book", "after"), [(CALIFORNIA, "aab"), (FLORIDA, "bca")])
def test_C6_a_void_round_does_not_count_to_the_two(book: str, after: str) -> None:
    house = House(book).sit("ann", "bob", "cy")
    house.bank()
    house.play(void=True)
    assert bankers(house, 3) == after


def test_C6_the_turn_goes_on_clockwise_from_where_a_banker_left() -> None:
    house = House(CALIFORNIA).sit("ann", "bob", "cid")
    bankers(house, 3)
    house.do(Leave(2))
    assert bank_order(house.table) == (3, 1)


def test_C6_a_banker_who_leaves_before_the_round_does_not_bank_it() -> None:
    house = House(CALIFORNIA).sit("ann", "bob", "cid").get_ready()
    house.do(TakeBank(1, 5000), Leave(1))
    assert refusal(house, StartRound("r", house.time)) == ("no_banker", "round-of-play/10")


def test_C6_a_newcomer_does_not_take_the_bank_from_one_who_has_it() -> None:
    house = House(CALIFORNIA)
    house.do(Join(3, "cid"), Join(5, "eve"), TakeBank(3, 5000), Join(1, "ann"))
    assert refusal(house, TakeBank(1, 5000)) == TURN
    house.do(PassBank(3))
    assert bank_order(house.table) == (1, 5)


def test_C6_passes_end_when_the_last_who_has_not_passed_leaves() -> None:
    house = House(CALIFORNIA).sit("ann", "bob")
    house.do(PassBank(1), Leave(2))
    assert bank_order(house.table) == (1,)


def test_F6_the_designated_player_stays_where_all_others_waive() -> None:
    house = House(FLORIDA).sit("ann", "bob", "cid")
    assert bankers(house, 1) == "a"
    assert refusal(house, TakeBank(1, 5000)) == ("not_your_turn", "6")
    house.do(PassBank(2), PassBank(3))
    assert bankers(house, 2) == "ab"


def test_F6_the_designated_player_stays_where_nobody_else_is_eligible() -> None:
    house = House(FLORIDA).sit("ann", "bob")
    bankers(house, 1)
    house.do(Leave(2), Join(2, "ann"))
    assert bankers(house, 2) == "aa"


def test_the_round_is_opened_with_its_banker_and_the_meters() -> None:
    house = House(FLORIDA).sit("ann", "bob")
    assert house.table.opening() == ()
    house.do(TakeBank(1, 5000))
    (started,) = house.start()
    assert isinstance(started, RoundStarted)
    assert (started.deck, started.banker) == (1, Banker(1, "ann", 5000))
    assert house.table.opening() == (Open("r1"), Bank(1, "ann", 5000))


def test_a_house_banked_table_has_no_turn() -> None:
    house = House(MARYLAND).sit("ann")
    assert bank_order(house.table) == ()
    assert refusal(house, TakeBank(1, 5000)) == ("house_banks", "11.D(2)")


def test_the_turn_is_not_passed_where_the_book_does_not_allow_it() -> None:
    rules = resolve(book(FLORIDA), reading={BookPath("bank.rotation.passes"): False})
    table = evolve(new_table(rules), Joined(1, "ann"))
    with pytest.raises(Refused) as caught:
        decide(table, PassBank(1))
    assert (caught.value.code, caught.value.clause) == ("no_pass", "6")


@pytest.mark.parametrize("command", [TakeBank(2, 5000), PassBank(2)])
def test_the_bank_changes_between_rounds_only(command: TakeBank | PassBank) -> None:
    house = House(CALIFORNIA).sit("ann", "bob")
    house.start()
    house.do(DealFirstCard(house.time))
    assert refusal(house, command) == ("round_open", None)
