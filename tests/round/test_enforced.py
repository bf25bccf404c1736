"""Clauses that no settled round can show by itself: what is offered, when, and in which order."""

from collections import Counter
from typing import Any

import pytest

from croupier.cards import DECK
from croupier.errors import UserError
from croupier.round.commands import Bank, Bet, Choose, CloseBets, Deal, Declare, Open
from croupier.round.dealing import deal_plan
from croupier.round.result import result_of
from croupier.round.settler import Settler
from croupier.rules.resolve import resolve
from croupier.table.commands import StartRound
from tests.round.games import at, game, refused
from tests.rules.books import CALIFORNIA, LET_IT_RIDE, MARYLAND, SINGAPORE, book, breaches_of
from tests.table.tables import House, refusal

ANN = (1, "ann")


def settled(data: dict[str, Any]) -> dict[str, Any]:
    return result_of(Settler(()).played(data))


# ---------------------------------------------------------------- wagers


@pytest.mark.clause(MARYLAND, "7.F", "7.F(1)", "7.F(2)", "7.F(3)")
def test_7_F_ante_and_pair_plus_stand_alone_or_together_and_nothing_else_does() -> None:
    rules = resolve(book(MARYLAND), {"progressive": "A", "six_card_bonus": "A"})
    opening = {name for name, wager in rules.wagers.items() if not wager.conditions}
    assert opening == {"ante", "play", "pair_plus"}
    for wagers in (["ante"], ["pair_plus"], ["ante", "pair_plus"]):
        bets = [Bet(*ANN, wager, 100) for wager in wagers]
        played = game(MARYLAND).do(Open("7"), *bets, CloseBets())
        assert set(played.round.boxes[1].stakes) == set(wagers)


@pytest.mark.clause(MARYLAND, "7.F(5)(b)", "7.F(6)(a)")
@pytest.mark.clause(LET_IT_RIDE, "7.E(6)(a)")
@pytest.mark.parametrize(
    ("id", "wager", "opening", "clause"),
    [
        (MARYLAND, "six_card_bonus", ["ante", "pair_plus"], "7.F(5)(b)"),
        (MARYLAND, "five_card_progressive", ["ante", "pair_plus"], "7.F(6)(a)"),
        (LET_IT_RIDE, "progressive", ["let_it_ride"], "7.E(6)(a)"),
    ],
)
def test_an_additional_wager_needs_an_opening_one(
    id: str, wager: str, opening: list[str], clause: str
) -> None:
    offered = {wager: "A", **({} if wager == "six_card_bonus" else {f"{wager}_rate": "1/5"})}
    alone = game(id, **offered).do(Open("7"), Bet(*ANN, wager, 100))
    assert refused(alone, CloseBets()).clause == clause
    for other in opening:
        bets = [Bet(*ANN, other, 100), Bet(*ANN, wager, 100)]
        assert game(id, **offered).do(Open("7"), *bets, CloseBets()).round.boxes


@pytest.mark.clause(LET_IT_RIDE, "7.E", "7.E(1)")
def test_7_E_1_a_player_makes_three_equal_bets_and_may_add_those_on_offer() -> None:
    wagers = resolve(book(LET_IT_RIDE)).wagers
    assert list(wagers) == ["let_it_ride"]
    letters = dict.fromkeys(
        ("five_card_bonus", "three_card_bonus", "six_card_bonus", "progressive"), "A"
    )
    assert set(resolve(book(LET_IT_RIDE), letters).wagers) == {"let_it_ride", *letters}
    stakes = at(LET_IT_RIDE, "closed").round.boxes[1].stakes
    assert {spot: stake.cents for spot, stake in stakes.items()} == {
        "bet_1": 1000,
        "bet_2": 1000,
        "bet_3": 1000,
    }


@pytest.mark.parametrize(
    ("dealing", "bonus", "progressive"),
    [
        ("manual_shoe", "8.C(1)", "8.C(3)"),
        ("hand", "9.A(3)(a)", "9.A(3)(c)"),
        ("automated_shoe", "10.A(1)(b)", "10.A(1)(d)"),
    ],
)
def test_wagers_collected_before_the_deal_do_not_come_back_with_what_they_win(
    dealing: str, bonus: str, progressive: str
) -> None:
    letters = {"five_card_bonus": "A", "three_card_bonus": "A", "progressive": "A"}
    selections = {**letters, "progressive_rate": "20%", "dealing": dealing}
    wagers = resolve(book(LET_IT_RIDE), selections).wagers
    collected = {name: wager.collected for name, wager in wagers.items() if wager.collected}
    assert collected == {"five_card_bonus": bonus, "progressive": progressive}
    seat = {
        "seat": 1,
        "cards": "9s 9d 9c",
        "wagers": {"let_it_ride": 5, **dict.fromkeys(letters, 1)},
        "decisions": ["ride", "ride"],
    }
    community = {"cards": "2h 5d"}
    data = {"selections": selections, "community": community, "seats": [seat]}
    result = settled({"rulebook": LET_IT_RIDE, **data})
    returned = {line["wager"]: line["returned"] for line in result["seats"][0]["lines"]}
    assert [returned[name] for name in letters] == ["0.00", "1.00", "0.00"]


@pytest.mark.clause(SINGAPORE, "1.1.1", "1.1.6")
def test_1_1_6_to_play_is_to_add_as_much_as_the_ante_once_the_cards_are_out() -> None:
    for stage in ("open", "bet", "closed"):
        assert refused(at(SINGAPORE, stage), Choose(1, "play")).code == "wrong_step"
    stakes = at(SINGAPORE, "dealt").do(Choose(1, "play")).round.boxes[1].stakes
    assert {name: stake.cents for name, stake in stakes.items()} == {"ante": 1000, "play": 1000}


@pytest.mark.clause(SINGAPORE, "1.1.8")
def test_1_1_8_a_round_begins_with_the_call_for_bets_and_ends_when_all_is_settled() -> None:
    assert refused(at(SINGAPORE, "new"), Bet(*ANN, "ante", 1000)).code == "wrong_step"
    over = at(SINGAPORE, "over")
    assert {line.seat for line in over.round.lines} == {1, 3, 5}
    assert refused(over, Bet(*ANN, "ante", 1000)).code == "round_over"


# ---------------------------------------------------------------- cards


@pytest.mark.clause(MARYLAND, "1.B(4)")
def test_1_B_4_every_hand_has_three_cards_when_the_deal_is_over() -> None:
    plan = deal_plan(at(MARYLAND, "closed").round)
    hands = Counter(seat or place for _, place, seat in plan)
    assert hands == {1: 3, 3: 3, 5: 3, "bank": 3}


@pytest.mark.clause(MARYLAND, "11.D")
@pytest.mark.clause(CALIFORNIA, "round-of-play/5")
@pytest.mark.parametrize("id", [MARYLAND, CALIFORNIA])
def test_the_bank_s_hand_is_shown_only_after_every_ante_has_played_or_folded(id: str) -> None:
    played = at(id, "dealt").show()
    shown = len(played.round.faces)
    while seats := played.round.asked:
        assert len(played.round.faces) == shown
        played.do(Choose(seats[0], "play"))
    assert len(played.show().round.faces) > shown


@pytest.mark.clause(CALIFORNIA, "round-of-play/6")
def test_round_of_play_6_hands_are_turned_from_the_dealer_s_right() -> None:
    seats = [Bet(seat, f"p{seat}", "ante", 100) for seat in (4, 1, 7, 2)]
    played = game(CALIFORNIA).do(Open("7"), Bank(3, "bank", 9000), *seats, CloseBets(), Deal())
    played.show()
    played.do(Choose(1, "play"), Choose(2, "fold"), Choose(4, "play"), Choose(7, "play"))
    turned: list[int] = []
    while played.round.due:
        whose = {p: seat for seat, box in played.round.boxes.items() for p in box.cards}
        turned += [whose[p] for p in played.round.due if p in whose]
        played.show()
    assert list(dict.fromkeys(turned)) == [7, 4, 1]


@pytest.mark.clause(CALIFORNIA, "deck/1")
def test_deck_1_cards_come_from_an_automatic_shuffler_only() -> None:
    (breach,) = breaches_of(CALIFORNIA, {"dealing": "hand"})
    assert (breach.selection, breach.clause) == ("dealing", "deck/1")


@pytest.mark.clause(CALIFORNIA, "deck/2")
@pytest.mark.parametrize("left_out", [1, 2])
def test_deck_2_a_deck_has_52_cards(left_out: int) -> None:
    assert resolve(book(CALIFORNIA)).deck.cards == len(set(DECK)) == 52
    seats = [{"seat": 1, "wagers": {"ante": 10}, "decisions": ["fold"]}]
    data: dict[str, Any] = {
        "rulebook": CALIFORNIA,
        "banker": {"seat": 2, "funds": 100},
        "seats": seats,
        "deck": " ".join(map(str, DECK)),
    }
    assert settled(data)["void"] is False
    data["deck"] = " ".join(map(str, DECK[left_out:]))
    with pytest.raises(UserError, match="deck"):
        settled(data)


@pytest.mark.clause(CALIFORNIA, "dealing/1")
def test_dealing_1_the_cards_are_shuffled_before_play_and_after_every_round() -> None:
    house = House(CALIFORNIA).sit("ann", "bob").get_ready(until="Shuffle")
    house.bank()
    for _ in range(3):
        unshuffled = refusal(house, StartRound("r", house.time))
        assert unshuffled == ("not_shuffled", "dealing/1")
        house.get_ready()
        house.play()
        house.bank()
        house.get_ready(until="Shuffle")


@pytest.mark.clause(SINGAPORE, "5.1", "5.1.2")
def test_5_1_2_a_foreign_card_leaves_the_results_of_earlier_rounds_alone() -> None:
    """A finished round takes no irregularity, and the jackpot stands as it left it."""
    assert refused(at(SINGAPORE, "over"), Declare("foreign_card")).code == "round_over"
    selections = {"progressive_rate": "10%", "progressive_reset": 500}
    wagers = {"ante": 10, "progressive": "2.50"}
    seat = {"seat": 1, "cards": "2s 5d 9c", "wagers": wagers, "decisions": ["play"]}
    data = {"rulebook": SINGAPORE, "selections": selections, "dealer": {"cards": "Qh 7d 3c"}}
    before = settled({**data, "seats": [seat], "meters": {"progressive": 600}})
    assert before["meters"] == {"progressive": "600.25"}
    after = settled(
        {
            **data,
            "seats": [seat],
            "meters": before["meters"],
            "irregularities": [{"kind": "foreign_card"}],
        }
    )
    assert (after["void"], after["meters"]) == (True, before["meters"])
