"""Counting real decks: M27, the machine that counts, the cut, and what is kept of a deck."""

import pytest

from croupier.errors import Refused
from croupier.table.commands import Count, Cut, Receive, Recut, StartRound
from croupier.table.events import CutMade
from tests.rules.books import MARYLAND
from tests.table.crew import Game
from tests.table.tables import BY_HAND, COUNTING, TWO_DECKS, House, refusal


def test_nobody_skips_the_count_of_the_fifth_round() -> None:
    house = House(MARYLAND, BY_HAND).sit("ann")
    for _ in range(4):
        Game(house).bet(1, ante=500).deal().finish(option="play").end()
    house.start()
    house.end()  # The fifth round ends without its count.
    house.get_ready(until="Count")
    house.rounds += 1
    assert refusal(house, StartRound("r9", house.time)) == ("count_due", "8.F")
    house.do(Count(1, 52))
    house.start()


@pytest.mark.clause(MARYLAND, "8.F")
def test_M27_no_deck_goes_beyond_five_rounds_of_its_own() -> None:
    house = House(MARYLAND, TWO_DECKS).sit("ann")
    uncounted = {1: 0, 2: 0}
    for number in range(1, 31):
        game = Game(house).bet(1, ante=500).deal()
        deck = house.table.round.deck if house.table.round else 0
        uncounted[deck] += 1
        due = game.round.counts
        if due:
            uncounted[deck] = 0
        assert due == (number % 5 == 0)
        assert max(uncounted.values()) <= 5
        game.finish(option="play").end()
    # Deck 2 has gone uncounted for five rounds although the table counted deck 1 a round ago.
    house.do(Count(1, 52))
    past = house.table.past[2]
    assert past.uncounted == uncounted[2]


def test_M27_the_decks_own_rounds_bring_the_count_where_the_tables_do_not() -> None:
    house = House(MARYLAND, TWO_DECKS).sit("ann")
    counted: list[int] = []
    for number in range(1, 13):
        game = Game(house).bet(1, ante=500).deal()
        deck = house.table.round.deck if house.table.round else 0
        if game.round.counts:
            counted.append(number)
        game.finish(option="play").end()
        if deck == 1:
            house.do(Count(1, 52))  # The floor has deck 1 counted every time.
    assert counted == [10], "deck 2 was dealt in rounds 2, 4, 6, 8 and 10"


def test_a_machine_that_counts_spares_the_stub() -> None:
    house = House(MARYLAND, COUNTING).sit("ann")
    for _ in range(7):
        game = Game(house).bet(1, ante=500).deal()
        assert not game.round.counts
        game.finish(option="play").end()
    assert house.table.past[1].machine_counted


def test_the_dealer_attests_a_real_cut_and_nobody_counts_its_depth() -> None:
    house = House(MARYLAND, BY_HAND).sit("ann").get_ready(until="Cut")
    assert refusal(house, Cut(1, 9)) == ("bad_cut", "5.F")
    assert house.do(Cut(1)) == (CutMade(1, None),)
    house.do(Recut(1, None, "floorperson"))
    house.start()


def test_a_deck_has_a_history_where_it_has_no_commitment() -> None:
    house = House(MARYLAND, BY_HAND).sit("ann")
    house.do(Receive(1, house.time))
    assert house.table.past[1].received_s == house.time.wall_s
    for _ in range(5):
        game = Game(house).bet(1, ante=500).deal()
        game.finish(option="play").end()
    past = house.table.past[1]
    assert (past.counted, past.uncounted) == ("r5", 0)
    with pytest.raises(Refused):
        house.do(Count(3, 52))
