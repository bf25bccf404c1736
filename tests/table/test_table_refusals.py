"""What a table refuses: codes and clauses that programs rely on, and what comes first."""

from collections.abc import Callable

import pytest

from croupier.table.commands import (
    Change,
    Command,
    Confirm,
    Count,
    Cut,
    DealFirstCard,
    EndRound,
    Fail,
    Join,
    Leave,
    PassBank,
    Receive,
    Recut,
    Restore,
    Secure,
    Shuffle,
    StartRound,
    TakeBank,
    Time,
)
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE
from tests.table.tables import BY_HAND, COUNTING, TWO_DECKS, House, refusal

NOW = Time(1_000_000, 5_000)


def empty() -> House:
    return House(MARYLAND)


def ready() -> House:
    return House(MARYLAND).sit("ann").get_ready()


def to_be_cut() -> House:
    return House(LET_IT_RIDE, BY_HAND).sit("ann").get_ready(until="Cut")


def two_decks() -> House:
    return House(MARYLAND, TWO_DECKS).sit("ann").get_ready()


def counting() -> House:
    return House(LET_IT_RIDE, COUNTING).sit("ann").get_ready(until="Shuffle")


def failed() -> House:
    house = ready()
    house.do(Fail("shuffler"))
    return house


def covered() -> House:
    house = failed()
    house.do(Secure("shuffler", "13.H(1)", "dealer"))
    return house


def started() -> House:
    house = ready()
    house.start()
    return house


def dealt() -> House:
    house = started()
    house.do(DealFirstCard(house.time))
    return house


def california() -> House:
    return House(CALIFORNIA).sit("ann", "bob").get_ready()


def florida() -> House:
    return House(FLORIDA).sit("ann").get_ready()


def singapore() -> House:
    return House(SINGAPORE).sit("ann").get_ready()


CASES: list[tuple[Callable[[], House], Command, str, str | None]] = [
    (empty, Join(0, "ann"), "no_such_seat", "2.A"),
    (empty, Join(8, "ann"), "no_such_seat", "2.A"),
    (ready, Join(1, "bob"), "seat_taken", None),
    (empty, Leave(1), "seat_empty", None),
    (empty, Receive(2, NOW), "no_such_deck", "3.A(1)"),
    (two_decks, Receive(3, NOW), "no_such_deck", "3.B(4)"),
    (california, Receive(0, NOW), "no_such_deck", "deck/3.c"),
    (dealt, Receive(1, NOW), "deck_in_play", "3.A(1)"),
    (ready, Confirm(1, "4.A", "floorperson"), "not_due", None),
    (ready, Confirm(1, "no clause", "floorperson"), "not_due", None),
    (empty, Shuffle(1), "no_deck", "3.A(1)"),
    (dealt, Shuffle(1), "deck_in_play", "3.A(1)"),
    (ready, Shuffle(1, 52), "no_counter", None),
    (counting, Shuffle(1), "no_count", "5.E(2)"),
    (failed, Shuffle(1), "device_open", "13.H(1)"),
    (covered, Shuffle(1), "device_out", "13.F"),
    (empty, Cut(1, 20), "no_deck", "3.A(1)"),
    (counting, Cut(1, 20), "not_shuffled", "5.A"),
    (ready, Cut(1, 20), "no_cut", "5.F"),
    (california, Cut(1, 20), "no_cut", "deck/3"),
    (to_be_cut, Cut(1, 9), "bad_cut", "5.F"),
    (to_be_cut, Recut(1, 20, "floorperson"), "not_cut", "5.G"),
    (started, Count(1, 52), "round_open", None),
    (empty, Count(1, 52), "no_deck", "3.A(1)"),
    (singapore, Count(1, 52), "no_count", None),
    (ready, Count(1, -1), "bad_fact", None),
    (ready, Fail("shoe"), "no_such_device", None),
    (singapore, Fail("shuffler"), "no_such_device", None),
    (failed, Fail("shuffler"), "already_out", None),
    (ready, Restore("shuffler"), "not_out", None),
    (ready, Secure("shuffler", "13.H(1)", "dealer"), "not_out", None),
    (failed, Secure("shuffler", "13.F", "dealer"), "not_due", None),
    (failed, Secure("shuffler", "13.H(1)", "player"), "wrong_person", "13.H(1)"),
    (covered, Secure("shuffler", "13.H(2)", "dealer"), "not_due", None),
    (ready, Change("unknown"), "no_such_rules", None),
    (started, Change("unknown"), "round_open", None),
    (ready, PassBank(1), "house_banks", "11.D(2)"),
    (california, TakeBank(3, 100), "seat_empty", None),
    (california, TakeBank(1, 0), "no_money", None),
    (started, StartRound("r", NOW), "round_open", None),
    (empty, StartRound("r", NOW), "too_few", "2.A"),
    (florida, StartRound("r", NOW), "too_few", "table"),
    (failed, StartRound("r", NOW), "device_open", "13.H(1)"),
    (two_decks, StartRound("r", NOW, 2), "wrong_deck", "3.B(4)"),
    (california, StartRound("r", NOW, 2), "wrong_deck", "deck/3.c"),
    (covered, StartRound("r", NOW), "not_shuffled", "5.A"),
    (to_be_cut, StartRound("r", NOW), "not_cut", "5.F"),
    (california, StartRound("r", NOW), "no_banker", "round-of-play/10"),
    (ready, DealFirstCard(NOW), "no_round", None),
    (dealt, DealFirstCard(NOW), "already_dealt", None),
    (ready, EndRound("r1"), "no_round", None),
    (started, EndRound("r2"), "no_round", None),
]


@pytest.mark.parametrize(("house", "command", "code", "clause"), CASES)
def test_refusal(
    house: Callable[[], House], command: Command, code: str, clause: str | None
) -> None:
    assert refusal(house(), command) == (code, clause)


def test_what_is_missing_for_a_round_is_refused_in_a_fixed_order() -> None:
    house = House(CALIFORNIA)
    found = []

    def tried() -> None:
        found.append(refusal(house, StartRound("r", house.time, 1))[0])

    tried()
    house.sit("ann", "bob")
    tried()
    house.do(Receive(1, house.time))
    tried()
    house.do(Shuffle(1))
    tried()
    house.do(TakeBank(1, 5000))
    assert house.do(StartRound("r", house.time, 1))
    tried()
    assert found == [
        "too_few", "no_deck", "not_shuffled", "no_banker", "round_open",
    ]  # fmt: skip


def test_age_comes_before_prompts_and_prompts_before_the_shuffle() -> None:
    house = House(MARYLAND).sit("ann")
    house.do(Receive(1, house.time))
    assert refusal(house, StartRound("r", house.time)) == ("prompt_open", "4.A")
    house.wait(8 * 3600 + 1)
    assert refusal(house, StartRound("r", house.time)) == ("deck_too_old", "3.C(2)")
