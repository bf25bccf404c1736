"""A table with a dealer opens, counts, is idle, has faults and closes."""

from typing import Any

import pytest

from croupier.round.commands import Bet
from croupier.rules.resolve import resolve
from croupier.rules.vocabulary import Thing
from croupier.table.commands import (
    Change,
    CloseTable,
    Command,
    Confirm,
    CountTray,
    EndRound,
    Fail,
    Idle,
    Join,
    MoveChips,
    OpenTable,
    OrderShuffle,
    Restore,
    Secure,
    Shuffle,
    StartRound,
    TapIn,
    TapOut,
)
from croupier.table.events import (
    Mispaid,
    PayCorrected,
    RoundEnded,
    TableClosed,
    TrayAgreed,
    TrayCounted,
)
from croupier.table.evolve import evolve, replay
from croupier.table.life import sign_code
from croupier.table.prompts import due
from croupier.table.state import new_table
from tests.rules.books import CALIFORNIA, MARYLAND, book, each_book
from tests.table.crew import Game
from tests.table.tables import AUTOMATED, BY_HAND, OPENING, House, others_of, refusal, rules_of

CREW = OPENING[:2]
COUNTED = OPENING[2:]


def closed(id: str = MARYLAND, selections: dict[str, Any] | None = None) -> House:
    return House(id, selections or {}, opened=False)


def without(house: House, *things: Thing) -> House:
    """The same table, with only these things to handle."""
    house.rules = resolve(book(house.id), house.selections, things=things)
    house.table = new_table(house.rules)
    return house


@each_book
def test_no_round_starts_before_the_table_is_open(id: str) -> None:
    house = closed(id).sit("ann", "bob")
    assert refusal(house, StartRound("r", house.time)) == ("table_closed", None)
    house.do(*OPENING, OpenTable(sign_code(house.rules)))
    assert refusal(house, OpenTable(sign_code(house.rules)))[0] == "already_open"
    house.play()


def test_a_table_opens_with_its_crew_and_a_counted_tray() -> None:
    house, sign = closed(), sign_code(rules_of(MARYLAND))
    assert refusal(house, OpenTable(sign)) == ("no_crew", None)
    house.do(CREW[0])
    assert refusal(house, OpenTable(sign)) == ("no_crew", None)
    house.do(CREW[1])
    assert refusal(house, OpenTable(sign)) == ("not_counted", None)
    house.do(COUNTED[0])
    assert refusal(house, OpenTable(sign)) == ("not_counted", None)
    house.do(COUNTED[1], OpenTable(sign))
    assert refusal(house, COUNTED[0]) == ("not_due", None)


@pytest.mark.parametrize(
    ("things", "opening"),
    [
        (("dealer",), (CREW[0], OpenTable())),
        (("dealer", "cards"), (*CREW, OpenTable(sign_code(rules_of(MARYLAND))))),
    ],
)
def test_T9_what_a_table_has_nothing_of_is_not_asked_for(
    things: tuple[Thing, ...], opening: tuple[Command, ...]
) -> None:
    house = without(closed(), *things)
    assert refusal(house, COUNTED[0]) == ("no_tray", "T9")
    house.do(*opening)
    assert refusal(house, MoveChips("fill", 100)) == ("no_tray", "T9")
    house.do(CloseTable())
    assert house.table.life == "closed"


def test_an_automatic_table_is_never_opened_or_closed() -> None:
    house = without(closed())
    for command in (OpenTable(), CloseTable(), COUNTED[0]):
        assert refusal(house, command) == ("no_dealer", None)


def test_two_people_count_blind_and_unequal_figures_are_counted_again() -> None:
    house = closed()
    house.do(*CREW, CountTray("dealer", 100))
    assert refusal(house, CountTray("dealer", 200)) == ("wrong_person", None)
    house.do(CountTray("floorperson", 200))
    assert house.table.tray.differed
    assert refusal(house, CountTray("player", 200)) == ("wrong_person", None)
    house.do(CountTray("floorperson", 150))
    assert house.do(CountTray("dealer", 150))[-1] == TrayAgreed(150, None)
    assert house.table.life == "counted"
    figures = [(e.by, e.cents) for e in house.history if isinstance(e, TrayCounted)]
    assert figures == [
        ("dealer", 100), ("floorperson", 200), ("floorperson", 150), ("dealer", 150)
    ]  # fmt: skip


def test_the_tray_is_counted_chip_by_chip_and_the_sum_follows() -> None:
    house = closed()
    house.do(*CREW, CountTray("dealer", chips={100_00: 4, 25_00: 4, 50: 3}))
    (counted,) = [event for event in house.history if isinstance(event, TrayCounted)]
    assert counted == TrayCounted("dealer", 501_50, {100_00: 4, 25_00: 4, 50: 3})
    house.do(CountTray("floorperson", chips={100_00: 5, 50: 3}))
    assert house.table.tray.differed, "the same sum of other chips is counted again"
    for wrong in ({100_00: -1}, {7: 1}):
        assert refusal(house, CountTray("dealer", chips=wrong)) == ("no_count", None)
    assert refusal(house, CountTray("dealer", 5, {5_00: 1})) == ("no_count", None)
    house.do(CountTray("dealer", chips={100_00: 5, 50: 3, 5_00: 0}))
    assert house.do(CountTray("floorperson", chips={100_00: 5, 50: 3}))[-1] == TrayAgreed(501_50)
    house.do(MoveChips("drop", 20_00))
    assert house.table.tray.expected == 501_50, "cash isn't in the tray"


def test_the_closing_count_stands_beside_the_journal_s_sum() -> None:
    house = House(MARYLAND).sit("ann")
    house.do(MoveChips("fill", 2_000_00), MoveChips("credit", 500_00), MoveChips("sale", 300_00))
    assert refusal(house, MoveChips("credit", 60_000_00)) == ("no_money", None)
    assert refusal(house, MoveChips("fill", 0)) == ("no_money", None)
    house.start()
    house.do(CloseTable())
    assert refusal(house, CountTray("dealer", 1)) == ("round_open", None)
    house.do(EndRound("r1"))
    assert refusal(house, StartRound("r2", house.time)) == ("table_closed", None)
    assert refusal(house, CloseTable()) == ("not_counted", None)
    house.do(CountTray("dealer", 51_195_00))
    assert house.do(CountTray("floorperson", 51_195_00)) == (
        TrayCounted("floorperson", 51_195_00),
        TrayAgreed(51_195_00, expected=51_200_00),
        TableClosed(),
    )
    assert house.table.tray.difference == -5_00, "named, and not posted away"
    assert house.table.decks == {} and house.table.life == "closed"
    house.do(*(CountTray(by, 51_195_00) for by in ("dealer", "floorperson")))
    assert house.table.tray.difference == 0, "the next shift begins with what was counted"
    assert house.table == replay(house.rules, house.history, others_of(MARYLAND))


def test_the_journal_s_sum_holds_what_walk_ins_won_and_lost() -> None:
    house = House(MARYLAND, AUTOMATED)
    house.do(Join(1, "w-1"), Join(2, "ann"))
    game = Game(house)
    game.do(Bet(1, "w-1", "ante", 500), Bet(2, "ann", "ante", 700)).deal().finish(option="fold")
    ended = game.end()[0]
    assert isinstance(ended, RoundEnded) and ended.chips == 500, "ann's chips are on a screen"
    assert house.table.tray.expected == 50_000_00 + 500
    for event in (
        Mispaid("r1", 1, "w-1", "ante", due=0, paid=300),
        PayCorrected("r1", 1, "w-1", "ante", -100),
    ):
        house.table = evolve(house.table, event)
    assert house.table.tray.expected == 50_000_00 + 500 - 300 + 100


def test_11_E_the_cards_are_racked_before_the_tray_is_counted() -> None:
    house = House(MARYLAND).sit("ann")
    house.play()
    house.do(CloseTable())
    assert refusal(house, CountTray("dealer", 1)) == ("prompt_open", "11.E")
    (duty,) = due(house.table)
    house.do(Confirm(1, duty.clause, "dealer"), CountTray("dealer", 1))


def test_5_A_3_the_floor_orders_a_shuffle_until_the_first_card() -> None:
    house = House(MARYLAND).sit("ann")
    house.start()
    assert refusal(house, OrderShuffle(1, "dealer")) == ("wrong_person", "5.A(3)")
    house.do(OrderShuffle(1, "floorperson"))
    assert house.table.decks[1].stack is None
    house.do(Shuffle(1))
    house.play_on()
    assert refusal(house, OrderShuffle(1, "floorperson"))[0] == "deck_in_play"


def test_5_H_the_floor_may_say_that_nobody_plays() -> None:
    house = House(MARYLAND).sit("ann")
    house.play()
    assert refusal(house, Idle("dealer")) == ("wrong_person", "5.H")
    house.do(Idle("floorperson"))
    assert [duty.clause for duty in due(house.table)][:3] == ["11.E", "5.H(1)", "5.H(2)"]
    california = House(CALIFORNIA).sit("ann", "bob")
    assert refusal(california, Idle("floorperson")) == ("not_due", None)


def test_13_F_a_jam_that_clears_only_brings_a_shuffle() -> None:
    house = House(MARYLAND, AUTOMATED).sit("ann")
    house.get_ready()
    assert house.table.decks[1].stack
    house.do(Fail("shoe", usable=True))
    assert not house.table.out and not due(house.table)
    assert refusal(house, StartRound("r", house.time)) == ("not_shuffled", "5.A")
    house.play(void=True, failed=("shoe",))
    assert refusal(house, Restore("shoe")) == ("not_out", None)
    assert refusal(house, StartRound("r", house.time)) == ("device_doubted", "13.G")
    house.do(Fail("shoe", usable=True))
    house.play()


def test_13_H_a_device_that_cannot_be_used_is_covered_and_replaced() -> None:
    house = House(MARYLAND, AUTOMATED).sit("ann")
    house.get_ready()
    (other,) = others_of(MARYLAND)
    house.do(Fail("shoe"))
    assert refusal(house, Change(other.digest)) == ("device_open", "13.H(1)")
    house.do(Secure("shoe", "13.H(2)", "dealer"), Change(other.digest))
    assert house.rules != house.table.rules == rules_of(MARYLAND, BY_HAND)
    house.play()
    house.do(Restore("shoe"), Change(house.rules.digest))
    house.play()


def test_a_dealer_who_taps_out_leaves_the_table_open() -> None:
    house = House(MARYLAND).sit("ann")
    house.do(TapOut("d1"), TapIn("d2", "dealer"))
    assert house.play() == 1
