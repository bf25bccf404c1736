"""What an operator may not select: every breach with the clause that it breaks."""

from decimal import Decimal
from typing import Any

import pytest

from croupier.errors import Breach
from croupier.rules.resolve import resolve
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    LET_IT_RIDE,
    MARYLAND,
    SINGAPORE,
    book,
    breaches_of,
)

A, B, C = ({"progressive": letter} for letter in "ABC")
E = {"progressive": "E"}
FIVE = {"five_card_progressive": "A"}

Case = tuple[str, dict[str, Any], str, str | None, str]

METERS: list[Case] = [
    (MARYLAND, {**A, "progressive_rate": Decimal("0.13")}, "progressive_rate", "12.E(3)(a)",
        "13 % is below the minimum rate of 14 %"),
    (MARYLAND, {**B, "progressive_rate": Decimal("0.19")}, "progressive_rate", "12.E(3)(a)",
        "19 % is below the minimum rate of 20 %"),
    (MARYLAND, {**B, "progressive_rate": "14%"}, "progressive_rate", "12.E(3)(a)",
        "14 % is below the minimum rate of 20 %"),
    (MARYLAND, {**C, "progressive_rate": 0}, "progressive_rate", "12.E(3)",
        "0 is not a rate above 0 and at most 1"),
    (MARYLAND, {**C, "progressive_rate": Decimal("1.01")}, "progressive_rate", "12.E(3)",
        "1.01 is not a rate above 0 and at most 1"),
    (MARYLAND, {**A, "progressive_rate": True}, "progressive_rate", "12.E(3)(a)",
        "rate: True is not a number"),
    (MARYLAND, {**A, "progressive_rate": 0.14}, "progressive_rate", "12.E(3)(a)",
        "rate: 0.14 came as a float, which is not exact; write '0.14'"),
    (MARYLAND, {**A, "progressive_rate": [1]}, "progressive_rate", "12.E(3)(a)",
        "[1] is not a number"),
    (MARYLAND, {**A, "progressive_reset": 999}, "progressive_reset", "12.E(3)(b)",
        "$999 is below the minimum amount of $1,000"),
    (MARYLAND, {**A, "progressive_reset": Decimal("999.99")}, "progressive_reset", "12.E(3)(b)",
        "$999.99 is below the minimum amount of $1,000"),
    (MARYLAND, {**A, "progressive_initial": 999}, "progressive_initial", "12.E(3)(b)",
        "$999 is below the minimum amount of $1,000"),
    (MARYLAND, {**C, "progressive_reset": {"minor": 999}}, "progressive_reset", "12.E(3)(b)",
        "$999 is below the minimum amount of $1,000"),
    (MARYLAND, {**C, "progressive_reset": {"mega": 9999}}, "progressive_reset", "12.E(3)(b)",
        "'mega' is not a meter of the paytable, which has major and minor"),
    (MARYLAND, {**FIVE, "five_card_progressive_reset": 0}, "five_card_progressive_reset", "12.G",
        "five_card_progressive: must be more than zero"),
    (LET_IT_RIDE, {**A, "progressive_reset": 999}, "progressive_reset", "12.F(2)(a)",
        "$999 is below the minimum amount of $1,000"),
    (LET_IT_RIDE, {**B, "progressive_reset": 999}, "progressive_reset", "12.F(2)(b)",
        "$999 is below the minimum amount of $1,000"),
    (LET_IT_RIDE, {**C, "progressive_initial": 999}, "progressive_initial", "12.F(2)(c)",
        "$999 is below the minimum amount of $1,000"),
    (LET_IT_RIDE, {"progressive": "D", "progressive_reset": {"major": 999}}, "progressive_reset",
        "12.F(2)(d)(i)", "$999 is below the minimum amount of $1,000"),
    (LET_IT_RIDE, {"progressive": "D", "progressive_reset": {"minor": 249}}, "progressive_reset",
        "12.F(2)(d)(ii)", "$249 is below the minimum amount of $250"),
    (LET_IT_RIDE, {**E, "progressive_reset": {"mega": 9999}}, "progressive_reset",
        "12.F(2)(e)(i)", "$9,999 is below the minimum amount of $10,000"),
    (LET_IT_RIDE, {**E, "progressive_reset": {"major": 999}}, "progressive_reset",
        "12.F(2)(e)(ii)", "$999 is below the minimum amount of $1,000"),
    (LET_IT_RIDE, {**E, "progressive_reset": {"minor": 249}}, "progressive_reset",
        "12.F(2)(e)(iii)", "$249 is below the minimum amount of $250"),
    (LET_IT_RIDE, {"progressive": "F", "progressive_reset": 9999}, "progressive_reset",
        "12.F(2)(f)(i)", "$9,999 is below the minimum amount of $10,000"),
    (MARYLAND, {"progressive": "none", "progressive_rate": "much"}, "progressive_rate",
        "12.E(3)(a)", "rate: 'much' is not a fraction like 1/2, 0.14 or 14%"),
    (SINGAPORE, {"progressive_reset": -1}, "progressive_reset", "4.4",
        "progressive: -1 is negative"),
    (MARYLAND, {**C, "progressive_shares": {"major": Decimal("0.5"), "minor": Decimal("0.4")}},
        "progressive_shares", "12.E(3)(a)", "the shares add up to 0.9, not to 1"),
    (MARYLAND, {**C, "progressive_shares": {"major": "1/3", "minor": "1/3"}},
        "progressive_shares", "12.E(3)(a)", "the shares add up to 2/3, not to 1"),
    (MARYLAND, {**C, "progressive_shares": {"major": 1}}, "progressive_shares", "12.E(3)(a)",
        "must be a table of a share for each of major and minor"),
    (MARYLAND, {**C, "progressive_shares": {"major": "1/2", "mega": "1/2"}},
        "progressive_shares", "12.E(3)(a)",
        "'mega' is not a meter of the paytable, which has major and minor"),
    (MARYLAND, {**C, "progressive_shares": "1/2"}, "progressive_shares", "12.E(3)(a)",
        "must be a table of a share for each of major and minor"),
]  # fmt: skip

PAYTABLES: list[Case] = [
    (MARYLAND, {"pair_plus": "F"}, "pair_plus", "12.D",
        "'F' is not a paytable of this book; choose A, B, C, D or E"),
    (MARYLAND, {"pair_plus": "none"}, "pair_plus", "12.D",
        "must be offered, so it may not be 'none'"),
    (MARYLAND, {"pair_plus": 1}, "pair_plus", "12.D",
        "1 is not a paytable of this book; choose A, B, C, D or E"),
    (MARYLAND, {"pair_plus": {"pair": 1}}, "pair_plus", "12.D",
        "{'pair': 1} is not a paytable of this book; choose A, B, C, D or E"),
    (MARYLAND, {"ante_bonus": "none"}, "ante_bonus", "12.B",
        "must be offered, so it may not be 'none'"),
    (MARYLAND, {"ante_bonus": "12.C"}, "ante_bonus", "12.B",
        "'12.C' is not a paytable of this book; choose A, B or C"),
    (MARYLAND, {"progressive": "D"}, "progressive", "12.E(1)",
        "'D' is not a paytable of this book; choose A, B, C or none"),
    (MARYLAND, {"version": "7.G(1)", "ante_bonus": "A"}, "ante_bonus", "12.C",
        "is settled by the other selections: 12.C"),
    (MARYLAND, {"format": "electronic", **FIVE}, "five_card_progressive", "11.F",
        "is settled by the other selections: none"),
    (LET_IT_RIDE, {"let_it_ride": "none"}, "let_it_ride", "12.A",
        "must be offered, so it may not be 'none'"),
    (SINGAPORE, {"progressive": "none"}, "progressive", "4.4",
        "must be offered, so it may not be 'none'"),
    (FLORIDA, {"pair_plus": "B"}, "pair_plus", "9",
        "'B' is not a paytable of this book; choose A"),
    (FLORIDA, {"pair_plus": {"full house": 3}}, "pair_plus", "9",
        "'full house' is not a hand of the table; they are "
        "pair, flush, straight, three of a kind, straight flush and mini royal"),
    (FLORIDA, {"pair_plus": {"pair": 0}}, "pair_plus", "9",
        "pair: 0 to 1 isn't a payout; leave the hand out"),
    (FLORIDA, {"pair_plus": {"pair": -1}}, "pair_plus", "9", "pair: -1 is negative"),
    (FLORIDA, {"pair_plus": {"pair": True}}, "pair_plus", "9", "pair: True is not a number"),
    (MARYLAND, {"five_card_envy": {"poker": 5}}, "five_card_envy", "11.D(9)(g)",
        "'poker' is not a hand of the table; they are high card, pair, two pair, three of a kind, "
        "straight, flush, full house, four of a kind, straight flush and royal flush"),
    (MARYLAND, {"five_card_envy": {"royal flush": 0}}, "five_card_envy", "11.D(9)(g)",
        "royal flush: must be more than zero"),
    (MARYLAND, {"five_card_envy": {}}, "five_card_envy", "11.D(9)(g)",
        "must be a table of hands and sums"),
    (MARYLAND, {"five_card_envy": {"royal flush": 5, "mini royal": 1}}, "five_card_envy",
        "11.D(9)(g)",
        "'mini royal' is not a hand of the table; they are high card, pair, two pair, "
        "three of a kind, "
        "straight, flush, full house, four of a kind, straight flush and royal flush"),
]  # fmt: skip

SIZES = "must be a size, or a list of different sizes, each more than zero"
OTHERS: list[Case] = [
    (MARYLAND, {"side": 1}, "side", None, "is not a selection of this book"),
    (MARYLAND, {"let_it_ride": "A"}, "let_it_ride", None, "is not a selection of this book"),
    (MARYLAND, {**A, "progressive_wager": 3}, "progressive_wager", "12.E(5)",
        "a wager of $3 is not one of $1 or $5"),
    (MARYLAND, {**A, "progressive_wager": [1, 3]}, "progressive_wager", "12.E(5)",
        "a wager of $3 is not one of $1 or $5"),
    (MARYLAND, {**A, "progressive_wager": [1, 1]}, "progressive_wager", "12.E(5)", SIZES),
    (MARYLAND, {**A, "progressive_wager": []}, "progressive_wager", "12.E(5)", SIZES),
    (SINGAPORE, {"progressive_wager": 0}, "progressive_wager", "3.5", SIZES),
    (MARYLAND, {"version": "7.G(4)"}, "version", "7.G",
        "'7.G(4)' is not one of standard, 7.G(1), 7.G(2) or 7.G(3)"),
    (MARYLAND, {"decks": 2, "shuffler": "none"}, "decks", "3.B",
        "'2' needs shuffler = 'plain' or 'counting' or 'device'"),
    (MARYLAND, {"decks": 3}, "decks", "3.A(1)", "3 is not one of 1 or 2"),
    (MARYLAND, {"dealing": "hand", "shuffler": "none"}, "dealing", "9.A(1)",
        "'hand' needs shuffler = 'plain' or 'counting' or 'device'"),
    (MARYLAND, {"dealer_cards": "in_shuffler"}, "dealer_cards", "10.B(4)",
        "'in_shuffler' needs dealing = 'automated_shoe'"),
    (MARYLAND, {"format": "electronic", "dealing": "hand"}, "dealing", "11.F",
        "is settled by the other selections: electronic"),
    (LET_IT_RIDE, {"decks": 2, "shuffler": "none"}, "decks", "3.B",
        "'2' needs shuffler = 'plain' or 'counting' or 'device'"),
    (LET_IT_RIDE, {"payout_limit": 0}, "payout_limit", "2.B(10)", "must be more than zero"),
    (MARYLAND, {"adjacent_boxes": 0}, "adjacent_boxes", "7.H", "must be more than zero"),
    (MARYLAND, {"adjacent_boxes": True}, "adjacent_boxes", "7.H",
        "must be a whole number of at least 0, not true"),
    (CALIFORNIA, {"payoff_limit": "all"}, "payoff_limit", "round-of-play/9",
        "'all' is not one of wager_and_collections or wager"),
    (CALIFORNIA, {"player_dealer_fee": -1}, "player_dealer_fee", "fees", "-1 is negative"),
    (CALIFORNIA, {"fees": [{"up_to": 50, "fee": 1}, {"up_to": 50, "fee": 2}]}, "fees", "fees",
        "'up_to' must rise from one bracket to the next"),
    (CALIFORNIA, {"fees": [{"up_to": 100, "fee": 1}, {"up_to": 50, "fee": 2}]}, "fees", "fees",
        "'up_to' must rise from one bracket to the next"),
    (CALIFORNIA, {"fees": [{"up_to": 100}]}, "fees", "fees", "[1].fee: is missing"),
    (CALIFORNIA, {"fees": [{"up_to": 100, "fee": -1}]}, "fees", "fees",
        "[1].fee: -1 is negative"),
    (CALIFORNIA, {"fees": [{"up_to": "all", "fee": 1}]}, "fees", "fees",
        "[1].up_to: 'all' is not a sum like 10 or 10.50, with at most two decimals"),
    (CALIFORNIA, {"fees": [5]}, "fees", "fees", "must be a list of tables of 'up_to' and 'fee'"),
    (FLORIDA, {"rake": {"payer": "dealer", "amount": 1}}, "rake", "rake.a",
        "'dealer' is not one of 'all', 'players', 'designated_player'"),
    (FLORIDA, {"rake": {"payer": "all"}}, "rake", "rake.a",
        "must be a table of 'payer' and 'amount'"),
    (FLORIDA, {"limits": {"ante": [500, 5]}}, "limits", "T7",
        "ante: $500 to $5 leaves nothing to bet"),
    (FLORIDA, {"limits": {"ante": [0, 5]}}, "limits", "T7", "ante: $0 to $5 leaves nothing to bet"),
    (FLORIDA, {"limits": {"tie": [1, 5]}}, "limits", "T7", "'tie' is not a wager of this book"),
    (FLORIDA, {"limits": {"ante": [1, 2, 3]}}, "limits", "T7",
        "ante: must be a list of the smallest and the largest stake"),
    (FLORIDA, {"limits": [5, 500]}, "limits", "T7",
        "must be a table of wagers, each with its smallest and largest stake"),
]  # fmt: skip


@pytest.mark.clause(MARYLAND, "3.B", "9.A", "9.A(1)", "12.E(3)(a)", "12.E(3)(b)")
@pytest.mark.clause(
    LET_IT_RIDE,
    "3.B",
    "12.F(2)(a)",
    "12.F(2)(b)",
    "12.F(2)(c)",
    "12.F(2)(d)",
    "12.F(2)(d)(i)",
    "12.F(2)(d)(ii)",
    "12.F(2)(e)(i)",
    "12.F(2)(e)(ii)",
    "12.F(2)(e)(iii)",
    "12.F(2)(f)(i)",
)
@pytest.mark.parametrize(
    ("id", "selections", "name", "clause", "message"), METERS + PAYTABLES + OTHERS
)
def test_a_breach_is_found_with_its_clause(
    id: str, selections: dict[str, Any], name: str, clause: str | None, message: str
) -> None:
    expected = (Breach(selection=name, clause=clause, message=message),)
    assert breaches_of(id, selections) == expected


def test_all_breaches_of_a_call_come_at_once() -> None:
    selections = {
        "pair_plus": "Z",
        "progressive": "A",
        "progressive_rate": Decimal("0.1"),
        "progressive_reset": 1,
        "progressive_wager": 2,
        "six_card": "A",
        "shuffler": "none",
        "decks": 2,
        "limits": {"ante": [9, 1]},
        "adjacent_boxes": 0,
    }
    expected = selections.keys() - {"progressive", "shuffler"}
    assert {breach.selection for breach in breaches_of(MARYLAND, selections)} == expected


@pytest.mark.clause(LET_IT_RIDE, "12.F(2)(e)")
def test_every_meter_below_its_least_amount_is_a_breach_of_its_own() -> None:
    found = breaches_of(LET_IT_RIDE, {**E, "progressive_reset": 1})
    clauses = ["12.F(2)(e)(i)", "12.F(2)(e)(ii)", "12.F(2)(e)(iii)"]
    assert [breach.clause for breach in found] == clauses


@pytest.mark.parametrize("hand", ["mini royal", "super royal"])
def test_five_card_envy_goes_by_hands_of_five_cards(hand: str) -> None:
    found = breaches_of(MARYLAND, {**FIVE, "five_card_envy": {hand: 5}})
    assert [(breach.selection, breach.clause) for breach in found] == [
        ("five_card_envy", "11.D(9)(g)")
    ]


@pytest.mark.parametrize(
    ("id", "selections"),
    [
        (MARYLAND, {**A, "progressive_rate": Decimal("0.14"), "progressive_reset": 1000}),
        (MARYLAND, {**A, "progressive_rate": "14%", "progressive_initial": "1000.00"}),
        (MARYLAND, {**A, "progressive_rate": 1}),
        (MARYLAND, {**B, "progressive_rate": Decimal("0.2")}),
        (MARYLAND, {**C, "progressive_rate": Decimal("0.001")}),
        (MARYLAND, {**C, "progressive_shares": {"major": "2/3", "minor": "1/3"}}),
        (MARYLAND, {**A, "progressive_wager": [1, 5]}),
        (MARYLAND, {**A, "progressive_wager": 5}),
        (MARYLAND, {"progressive": "none", "six_card_bonus": "none"}),
        (MARYLAND, {"version": "7.G(1)"}),
        (MARYLAND, {"version": "7.G(1)", "ante_bonus": "12.C"}),
        (MARYLAND, {"decks": 2}),
        (MARYLAND, {"decks": 1, "shuffler": "none"}),
        (MARYLAND, {"dealing": "hand", "shuffler": "device"}),
        (MARYLAND, {"dealing": "automated_shoe", "dealer_cards": "in_shuffler"}),
        (MARYLAND, {**FIVE, "five_card_envy": {"royal flush": 500, "straight flush": 50}}),
        (LET_IT_RIDE, {**E, "progressive_reset": {"mega": 10000, "major": 1000, "minor": 250}}),
        (LET_IT_RIDE, {"community_stack": 3, "dealing": "automated_shoe"}),
        (LET_IT_RIDE, {"payout_limit": 50000}),
        (SINGAPORE, {"progressive_wager": [Decimal("2.50"), 5], "progressive_rate": "1/4"}),
        (CALIFORNIA, {"fees": [{"up_to": 100, "fee": 1}, {"up_to": 200, "fee": 2}]}),
        (CALIFORNIA, {"fees": []}),
        (FLORIDA, {"pair_plus": {"mini royal": 100, "pair": Decimal("1.5")}}),
        (FLORIDA, {"rake": {"payer": "designated_player", "amount": Decimal("0.50")}}),
        (FLORIDA, {"limits": {"ante": [5, 5], "pair_plus": [Decimal("0.5"), 100]}}),
    ],
)
def test_what_is_allowed_is_taken(id: str, selections: dict[str, Any]) -> None:
    assert resolve(book(id), selections).rulebook == id
