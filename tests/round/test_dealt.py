"""A round that a program deals and plays has the result that `settle` gives it."""

from random import Random
from typing import Any

import pytest

from croupier import DECK, ParseError, Refused, UserError, deal, load, resolve, settle
from croupier.cards import format_cards
from tests.rules.books import CALIFORNIA, LET_IT_RIDE, MARYLAND, each_book

SEATS = {CALIFORNIA: (2, 3), "florida-three-card-poker": (2, 3)}
FIRST = {LET_IT_RIDE: "let_it_ride"}


def played_twice(id: str, seed: int) -> tuple[dict[str, Any] | None, dict[str, Any]]:
    """Deal a round and choose at random; settle the same as a round file."""
    random = Random(seed)
    deck = random.sample(DECK, len(DECK))
    rules = resolve(load(id))
    banked = rules.banked_by == "player"
    wagers = {seat: {FIRST.get(id, "ante"): 10} for seat in SEATS.get(id, (1, 2))}
    round = deal(rules, wagers, deck, banker=(1, 200) if banked else None)
    chosen: dict[int, list[str]] = {seat: [] for seat in wagers}
    while round.seat is not None:
        chosen[round.seat].append(random.choice(round.choices))
        round.choose(chosen[round.seat][-1])
    file: dict[str, Any] = {
        "rulebook": id,
        "dealing": "automated_shoe" if id == CALIFORNIA else "manual_shoe",
        "deck": format_cards(deck),
        "seats": [
            {"seat": seat, "player": f"player {seat}", "wagers": made, "decisions": chosen[seat]}
            for seat, made in wagers.items()
        ],
    }
    if banked:
        file["banker"] = {"seat": 1, "funds": 200, "player": "player 1"}
    return round.result, settle(file)


@each_book
def test_what_is_dealt_and_played_comes_to_what_settle_says(id: str) -> None:
    for seed in range(8):
        result, settled = played_twice(id, seed)
        assert result == settled


def test_a_seat_sees_its_own_cards_and_no_other_hidden_one() -> None:
    round = deal(resolve(load(MARYLAND)), {1: {"ante": 10}, 2: {"ante": 10}}, DECK)
    seen = round.seen_by(1)
    assert seen["boxes"][0]["cards"] == [str(DECK[at]) for at in (0, 3, 6)]
    assert seen["boxes"][1]["cards"] == ["??"] * 3
    assert seen["places"]["bank"] == ["??"] * 3
    assert round.seen_by(None)["boxes"][0]["cards"] == ["??"] * 3


def test_it_stops_at_every_decision_and_settles_after_the_last() -> None:
    round = deal(resolve(load(MARYLAND)), {1: {"ante": 10}, 2: {"ante": 10}}, DECK)
    assert repr(round) == "<RoundInPlay: seat 1 chooses play or fold>"
    assert round.result is None
    round.choose("fold")
    assert (round.seat, round.choices) == (2, ("play", "fold"))
    round.choose("play")
    assert (round.seat, round.choices, repr(round)) == (None, (), "<RoundInPlay: settled>")
    assert round.result is not None
    with pytest.raises(Refused, match="the round is settled"):
        round.choose("play")


def test_a_round_without_a_decision_is_settled_at_once() -> None:
    round = deal(resolve(load(MARYLAND)), {1: {"pair_plus": 5}}, DECK)
    assert round.seat is None
    assert round.result is not None


def test_a_refused_choice_changes_nothing() -> None:
    round = deal(resolve(load(MARYLAND)), {1: {"ante": 10}}, DECK)
    with pytest.raises(Refused) as refused:
        round.choose("ride")
    assert refused.value.clause == "11.B"
    assert round.seat == 1


@pytest.mark.parametrize(
    ("wagers", "deck", "field"),
    [
        ({1: {"ante": 10}}, DECK[:51], "deck"),
        ({1: {"ante": "ten"}}, DECK, "wagers[1].ante"),
        ({9: {"ante": 10}}, DECK, "seat"),
    ],
)
def test_what_cannot_be_dealt_is_refused(wagers: Any, deck: Any, field: str) -> None:
    with pytest.raises(UserError) as refused:
        deal(resolve(load(MARYLAND)), wagers, deck)
    assert refused.value.field == field


def test_a_card_twice_is_no_deck() -> None:
    with pytest.raises(ParseError, match="appears twice"):
        deal(resolve(load(MARYLAND)), {1: {"ante": 10}}, [*DECK[:51], DECK[0]])


def test_nobody_looks_from_an_empty_seat() -> None:
    round = deal(resolve(load(MARYLAND)), {1: {"ante": 10}}, DECK)
    with pytest.raises(UserError, match="nobody plays at seat 5"):
        round.seen_by(5)
