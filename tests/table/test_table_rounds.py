"""The table and the engine of one round: what a round's end brings, moments and prompts."""

from typing import Any

import pytest

from croupier.cards import DECK, Card
from croupier.errors import Refused
from croupier.round.commands import (
    Bet,
    Choose,
    CloseBets,
    Command,
    Deal,
    Declare,
    Face,
    Settle,
    Show,
)
from croupier.round.decide import decide
from croupier.round.events import Event
from croupier.round.evolve import evolve
from croupier.round.state import Round
from croupier.table.commands import DealFirstCard, EndRound
from croupier.table.events import DeckRemoved, Failed
from croupier.table.prompts import moments, prompts
from tests.rules.books import CALIFORNIA, LET_IT_RIDE, MARYLAND, SINGAPORE
from tests.table.tables import AUTOMATED, DEVICE, House, rules_of

PROGRESSIVE = {"progressive": "A"}


class Game:
    """A round at a table, and the moments that it came to."""

    def __init__(self, house: House, *, deck: tuple[Card, ...] = DECK) -> None:
        self.house, self.deck = house, deck
        house.start()
        self.round = Round(house.table.rules)
        self.events: list[Event] = []
        self.moments: list[str] = []
        self.do(*house.table.opening())

    def do(self, *commands: Command) -> "Game":
        for command in commands:
            for event in decide(self.round, command):
                due = self.house.table.count_due
                self.moments += moments(self.round, event, count_due=due)
                self.events.append(event)
                self.round = evolve(self.round, event)
        return self

    def bet(self, seat: int, **wagers: int) -> "Game":
        return self.do(*(Bet(seat, f"p{seat}", wager, c) for wager, c in wagers.items()))

    def deal(self) -> "Game":
        self.house.do(DealFirstCard(self.house.time))
        return self.do(CloseBets(), Deal())

    def finish(self, *, option: str) -> "Game":
        while not self.round.closed:
            if self.round.void:
                self.do(Settle())
            elif positions := self.round.due:
                self.do(Show(tuple(Face(p, self.deck[p]) for p in positions)))
            elif asked := self.round.asked:
                self.do(Choose(asked[0], option))
            else:
                self.do(Settle())
        return self

    def end(self) -> tuple[Any, ...]:
        return self.house.do(EndRound.of(self.round, self.events))


def test_moments_of_a_round() -> None:
    game = Game(House(MARYLAND).sit("ann")).bet(1, ante=500).deal().finish(option="play")
    assert game.moments == [
        "bets", "no more bets", "deal", "dealt", "examine", "decide", "decided", "reveal",
        "settle", "settled",
    ]  # fmt: skip


def test_moments_of_a_round_with_two_decisions() -> None:
    game = Game(House(LET_IT_RIDE).sit("ann")).bet(1, let_it_ride=500).deal().finish(option="ride")
    assert game.moments == [
        "bets", "no more bets", "deal", "dealt", "examine", "decide", "decided", "reveal",
        "decide", "decided", "reveal", "settle", "settled",
    ]  # fmt: skip


def test_a_seat_with_nothing_to_decide_brings_no_decision() -> None:
    game = Game(House(MARYLAND).sit("ann")).bet(1, pair_plus=500).deal()
    assert game.moments[-3:] == ["dealt", "examine", "reveal"]


def test_the_count_of_the_stub_is_a_moment_of_every_fifth_round() -> None:
    house = House(MARYLAND).sit("ann")
    for _ in range(4):
        assert "stub count" not in Game(house).bet(1, ante=500).deal().moments
        house.end()
    game = Game(house).bet(1, ante=500).deal()
    assert game.moments[-4:] == ["dealt", "stub count", "examine", "decide"]


@pytest.mark.parametrize(("deck", "won"), [(DECK, True), (DECK[1::2] + DECK[::2], False)])
def test_a_progressive_that_was_won_is_a_moment(deck: tuple[Card, ...], won: bool) -> None:
    house = House(MARYLAND, PROGRESSIVE | AUTOMATED).sit("ann")
    game = Game(house, deck=deck).bet(1, ante=500, progressive=100).deal().finish(option="play")
    assert ("progressive won" in game.moments) == won


def test_irregularities_have_their_moments() -> None:
    game = Game(House(MARYLAND, AUTOMATED).sit("ann")).bet(1, ante=500).deal()
    game.do(Declare("shuffler_fault"), Declare("shoe_fault"))
    assert game.moments[-3:] == ["device fails", "device fails", "misdeal"]


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


def test_13_G_the_shoe_is_out_after_a_round_in_which_it_failed() -> None:
    house = House(MARYLAND, AUTOMATED).sit("ann")
    game = Game(house).bet(1, ante=500).deal().do(Declare("shoe_fault")).finish(option="play")
    assert game.end()[1:] == (Failed("shoe", "13.G"),)


def test_13_G_a_device_that_the_table_does_not_have_cannot_fail() -> None:
    house = House(MARYLAND, DEVICE).sit("ann")
    game = Game(house).bet(1, ante=500).deal()
    with pytest.raises(Refused) as caught:
        game.do(Declare("shoe_fault"))
    assert (caught.value.code, caught.value.clause) == ("no_device", "13.G")
    assert len(game.finish(option="play").end()) == 1
    assert house.play() == 1


@pytest.mark.parametrize(
    ("id", "selections", "moment", "expected"),
    [
        (MARYLAND, {}, "device fails", ["13.H(1)", "13.H(2)"]),
        (MARYLAND, {}, "no more bets", ["8.C"]),
        (MARYLAND, AUTOMATED, "no more bets", []),
        (MARYLAND, DEVICE, "idle", []),
        (CALIFORNIA, {}, "examine", ["round-of-play/1", "round-of-play/2"]),
        (SINGAPORE, {}, "no more bets", ["3.2"]),
    ],
)
def test_prompts_are_those_of_the_equipment(
    id: str, selections: dict[str, Any], moment: Any, expected: list[str]
) -> None:
    found = prompts(rules_of(id, selections), moment)
    assert [prompt.clause for prompt in found] == expected
    assert all(prompt.says and prompt.moment == moment for prompt in found)
