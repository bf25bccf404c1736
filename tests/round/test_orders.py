"""Who is asked when, and where each card of the deal goes, by every book and way of dealing."""

from typing import Any

import pytest
from msgspec import structs

from croupier.round.commands import Bank, Bet, Choose, CloseBets, Deal, Open
from croupier.round.dealing import deal_plan
from croupier.round.tell import tell
from croupier.rules.vocabulary import SEATS
from tests.round.games import MAIN, OPENING, STAYS, ahead, at, due, game, refused
from tests.rules.books import CALIFORNIA, FLORIDA, IDS, LET_IT_RIDE, MARYLAND, SINGAPORE

CA, FL, LR, MD, SG = IDS
ANN = (1, "ann")
SHARED = {"format": "electronic"}


@pytest.mark.clause(MARYLAND, "11.B")
@pytest.mark.clause(LET_IT_RIDE, "11.B", "11.C")
@pytest.mark.clause(SINGAPORE, "3.7")
@pytest.mark.clause(CALIFORNIA, "round-of-play/3")
@pytest.mark.clause(FLORIDA, "1")
@pytest.mark.parametrize(
    ("id", "banker", "order"),
    [
        (MD, 0, [1, 2, 4, 7]),
        (SG, 0, [1, 2, 4, 7]),
        (LR, 0, [1, 2, 4, 7]),
        (CA, 3, [1, 2, 4, 7]),  # C6: from the dealer's left, wherever the bank is.
        (CA, 8, [1, 2, 4, 7]),
        (FL, 3, [4, 7, 1, 2]),  # F6: from the left of the button.
        (FL, 8, [1, 2, 4, 7]),
    ],
)
def test_seats_are_asked_in_the_order_of_the_book(id: str, banker: int, order: list[int]) -> None:
    played = game(id).do(Open("7"), *([Bank(banker, "bank", 9000)] if banker else []))
    played.do(*(Bet(seat, f"p{seat}", MAIN[id], 100) for seat in (4, 1, 7, 2)))
    played.do(CloseBets(), Deal())
    asked: list[list[int]] = []
    while "decide" in ahead(played.round):
        played.show()
        asked.append([])
        while seats := played.round.asked:
            asked[-1].append(seats[0])
            played.do(Choose(seats[0], STAYS[id]))
    assert asked == [order] * (2 if id == LET_IT_RIDE else 1)


@pytest.mark.clause(LET_IT_RIDE, "11.B(1)", "11.B(2)", "11.C", "11.C(1)", "11.C(2)")
def test_a_player_who_pulled_bet_1_is_asked_about_bet_2_with_one_card_up() -> None:
    played = at(LET_IT_RIDE, "dealt").do(Choose(1, "withdraw"), Choose(5, "ride"))
    assert (due(played.round), played.round.asked) == ("community", ())
    assert refused(played, Choose(1, "ride")).clause == "11.B(2)"
    played.show()
    assert (due(played.round), played.round.asked) == ("", (1, 5))
    played.do(Choose(1, "ride"), Choose(5, "withdraw"))
    fates = {
        seat: [s.fate for s in box.stakes.values()] for seat, box in played.round.boxes.items()
    }
    assert fates == {1: ["take back", "live", "live"], 5: ["live", "take back", "live"]}
    assert (due(played.round), played.round.asked) == ("community", ())


FIVE = {"five_card_progressive": "A", "five_card_progressive_rate": "1/10"}
SIX = {"six_card_bonus": "A"}
AUTO, STACK = {"dealing": "automated_shoe"}, {"community_stack": 3}

# Every card in its turn: seats by their numbers, B the bank, C the middle, X the box, D discarded.
PLANS: list[tuple[str, dict[str, Any], str]] = [
    (MD, {},                            "1 3 5 B 1 3 5 B 1 3 5 B"),
    (MD, FIVE,                          "1 3 5 B 1 3 5 B 1 3 5 B C C"),
    (MD, {"dealing": "hand"},           "1 3 5 B 1 3 5 B 1 3 5 B"),
    (MD, {"dealing": "hand"} | FIVE,    "1 3 5 B 1 3 5 B 1 3 5 B C C"),
    (MD, AUTO,                          "1 1 1 3 3 3 5 5 5 B B B"),
    (MD, AUTO | FIVE,                   "1 1 1 3 3 3 5 5 5 B B B C C"),
    (MD, SHARED,                        "C C C C C C C C C B B B"),
    (SG, {},                            "1 1 1 3 3 3 5 5 5 B B B"),
    (LR, {},                            "1 5 C 1 5 C 1 5"),
    (LR, SIX,                           "X X X 1 5 C 1 5 C 1 5"),
    (LR, {"dealing": "hand"},           "1 5 C 1 5 C 1 5"),
    (LR, {"dealing": "hand"} | SIX,     "X X X 1 5 C 1 5 C 1 5"),
    (LR, AUTO,                          "C C 1 1 1 5 5 5"),
    (LR, AUTO | SIX,                    "X X X C C 1 1 1 5 5 5"),
    (LR, AUTO | STACK,                  "C C D 1 1 1 5 5 5"),
    (LR, AUTO | STACK | SIX,            "X X X C C D 1 1 1 5 5 5"),
    (CA, {},                            "5 5 5 1 1 1 B B B"),
    (FL, {},                            "5 5 5 1 1 1 B B B"),
]  # fmt: skip
PLACES = {"bank": "B", "community": "C", "six_card_box": "X", "discard": "D"}


@pytest.mark.clause(MARYLAND, "8.E", "8.E(1)", "8.E(2)", "9.C", "9.C(2)", "9.C(4)")
@pytest.mark.clause(MARYLAND, "10.B", "10.B(1)", "10.B(2)", "10.B(3)", "10.B(6)", "11.F(2)")
@pytest.mark.clause(MARYLAND, "11.F", "11.F(1)")
@pytest.mark.clause(LET_IT_RIDE, "8.D", "8.D(2)", "8.D(3)", "9.B", "9.C", "10.B", "10.H")
@pytest.mark.clause(LET_IT_RIDE, "8.D(3)(a)", "8.D(3)(b)", "8.D(3)(c)", "8.D(3)(d)", "8.D(3)(e)")
@pytest.mark.clause(LET_IT_RIDE, "9.C(1)", "9.C(2)", "9.C(3)", "9.C(4)", "9.C(5)")
@pytest.mark.clause(LET_IT_RIDE, "10.B(1)", "10.B(2)", "10.B(3)", "10.B(4)")
@pytest.mark.clause(SINGAPORE, "3.6")
@pytest.mark.clause(CALIFORNIA, "dealing/2.a")
@pytest.mark.clause(FLORIDA, "rules", "3")
@pytest.mark.parametrize("found", [(), (0, 7)], ids=["", "after cards found face up"])
@pytest.mark.parametrize(("id", "selections", "plan"), PLANS)
def test_cards_are_dealt_in_the_order_of_the_book(
    id: str, selections: dict[str, Any], plan: str, found: tuple[int, ...]
) -> None:
    bets = [b._replace(hand=1) if selections == SHARED and isinstance(b, Bet) else b
            for b in OPENING[id]]  # fmt: skip
    if FIVE.items() <= selections.items():
        bets.append(Bet(*ANN, "five_card_progressive", 100))
    played = game(id, **selections).do(Open("7"), *bets, CloseBets())
    dealt = deal_plan(structs.replace(played.round, discarded=found))
    words = [str(seat) if place == SEATS else PLACES[place] for _, place, seat in dealt]
    assert " ".join(words) == plan
    assert [p for p, _, _ in dealt] == [p for p in range(52) if p not in found][: len(dealt)]


def test_the_middle_gets_no_cards_where_nobody_bets_on_them() -> None:
    played = at(MARYLAND, "closed", **FIVE)
    assert {place for _, place, _ in deal_plan(played.round)} == {"seats", "bank"}


@pytest.mark.parametrize(("action", "says"), [(4, " The action is at seat 4."), (None, "")])
def test_C6_no_more_bets_says_where_the_action_was_put(action: int | None, says: str) -> None:
    seats = [Bet(seat, f"p{seat}", "ante", 100) for seat in (1, 4)]
    played = game(CA).do(Open("7"), Bank(3, "bank", 9000), *seats, CloseBets(action))
    assert tell(played.round, played.events[-1]) == f"No more bets.{says}"
