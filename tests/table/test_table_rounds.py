"""The table and the engine of one round: what a round's end brings."""

from typing import Any

import pytest

from croupier.errors import Refused
from croupier.round.commands import (
    Declare,
)
from croupier.table.events import DeckRemoved, Failed
from tests.rules.books import MARYLAND
from tests.table.crew import Game
from tests.table.tables import AUTOMATED, DEVICE, House

PROGRESSIVE = {"progressive": "A"}


def test_a_round_that_is_not_over_is_no_end() -> None:
    game = Game(House(MARYLAND).sit("ann"))
    with pytest.raises(Refused) as caught:
        game.end()
    assert caught.value.code == "round_not_over"


def test_M8_meters_go_from_round_to_round_and_a_void_one_moves_none() -> None:
    house = House(MARYLAND, PROGRESSIVE).sit("ann")
    (id,) = house.table.meters
    assert house.table.meters[id] == 1_000_000_000
    for expected, void in ((1_000_140_000, False), (1_000_140_000, True), (1_000_280_000, False)):
        game = Game(house).bet(1, ante=500, progressive=100).deal()
        if void:
            game.do(Declare("dealer_card_exposed"))
        game.finish(option="fold").end()
        assert house.table.meters[id] == expected


@pytest.mark.parametrize(
    ("facts", "removed"),
    [
        ({"cards": 52, "misdealt": False}, ()),
        ({"cards": 52, "misdealt": True}, ()),
        ({"cards": 51, "misdealt": False}, (DeckRemoved(1, "8.H(2)"),)),
        ({"cards": 51, "misdealt": True}, (DeckRemoved(1, "8.H"),)),
    ],
)
def test_8_G_and_8_H_the_count_of_the_stub_is_an_irregularity_of_the_round(
    facts: dict[str, Any], removed: tuple[DeckRemoved, ...]
) -> None:
    house = House(MARYLAND).sit("ann")
    game = Game(house).bet(1, ante=500).deal().do(Declare("stub_count", facts))
    game.finish(option="play")
    assert game.end()[1:] == removed
    assert house.table.uncounted == 0
    assert (1 in house.table.decks) == (not removed)


def test_13_G_the_shoe_is_in_doubt_after_a_round_in_which_it_failed() -> None:
    house = House(MARYLAND, AUTOMATED).sit("ann")
    game = Game(house).bet(1, ante=500).close().do(Declare("shoe_fault")).finish(option="play")
    assert game.end()[1:] == (Failed("shoe", "13.G", usable=None),)


def test_13_G_a_device_that_the_table_does_not_have_cannot_fail() -> None:
    house = House(MARYLAND, DEVICE).sit("ann")
    game = Game(house).bet(1, ante=500).deal()
    with pytest.raises(Refused) as caught:
        game.do(Declare("shoe_fault"))
    assert (caught.value.code, caught.value.clause) == ("no_device", "13.G")
    assert len(game.finish(option="play").end()) == 1
    assert house.play() == 1
