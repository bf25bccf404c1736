"""A book said in sentences, each with its clause, and how two books differ."""

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

from croupier.errors import UserError
from croupier.rules.describe import PAYTABLES, describe
from croupier.rules.present import differences, in_full, may_be, one_clause
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    IDS,
    LET_IT_RIDE,
    MARYLAND,
    SINGAPORE,
    SIXTH_TEXT,
    book,
    each_book,
    sixth,
)

BOXES = "A player may bet on at most 2 boxes in a row."
PARTS = ["Table", "Wagers", "Round", "Cards", "Irregularities", PAYTABLES]


@pytest.mark.parametrize(
    ("id", "name", "default"),
    [
        (SINGAPORE, "progressive_wager", "2.50"),
        (MARYLAND, "progressive_wager", "1.00"),
        (CALIFORNIA, "player_dealer_fee", "0.00"),
        (LET_IT_RIDE, "payout_limit", None),
        (CALIFORNIA, "pair_plus", "A"),
    ],
)
def test_a_default_sum_has_two_decimals(id: str, name: str, default: str | None) -> None:
    selections = {one["id"]: one for one in in_full(book(id))["selections"]}
    assert selections[name]["default"] == default


def test_a_bound_on_boxes_that_the_book_itself_sets_is_said() -> None:
    bounded = sixth(SIXTH_TEXT.replace("seats  = 5", "seats  = 5\nboxes_max = 2", 1))
    assert (BOXES, "1") in {(said.text, said.clause) for said in describe(bounded.rules)}
    assert BOXES not in {said.text for said in describe(sixth().rules)}


@each_book
def test_every_sentence_is_one_and_has_a_clause_of_the_book(id: str) -> None:
    odd = [
        said
        for said in describe(book(id).rules)
        if not said.text.endswith(".")
        or said.text.endswith("..")
        or not said.text[0].isupper()
        or said.clause not in {**book(id).clauses, **book(id).rules.ruling}
    ]
    assert odd == []


@each_book
def test_no_sentence_has_a_hole_or_a_word_of_python_in_it(id: str) -> None:
    texts = [said.text for said in describe(book(id).rules)]
    words = ("None", "True", "False", "Fraction", "  ", " ,", " .", "()", "_")
    assert [text for text in texts if any(word in text for word in words)] == []


@each_book
def test_a_book_is_said_in_the_order_of_a_round_each_topic_once(id: str) -> None:
    said = describe(book(id).rules)
    assert list(dict.fromkeys(one.part for one in said)) == PARTS
    assert len({(one.part, one.topic) for one in said}) == len(said)


@pytest.mark.parametrize(
    ("id", "topic", "text"),
    [
        (MARYLAND, "seats", "The table has 7 seats."),
        (CALIFORNIA, "seats", "The table has 8 seats, at least 2 of them taken."),
        (MARYLAND, "bank", "The house banks the game."),
        (CALIFORNIA, "bank", "A player banks the game as player/dealer."),
        (MARYLAND, "qualifier", "The bank's hand plays with queen high or better."),
        (MARYLAND, "settling pair_plus", "Pair Plus goes by its paytable whatever the bank holds."),
        (MARYLAND, "decision play_or_fold: Play", "Play places a Play equal to the Ante."),
        (MARYLAND, "decision play_or_fold: Fold",
            "Fold forfeits Ante, Pair Plus, Three-Card Progressive Payout and Five-Card "
            "Progressive Payout, keeps Six Card Bonus."),
        (SINGAPORE, "decision play_or_fold: Fold",
            "Fold forfeits Ante, keeps Pair Plus and Progressive Jackpot."),
        (LET_IT_RIDE, "wager let_it_ride",
            "Let It Ride is placed before the deal, as 3 equal bets."),
        (LET_IT_RIDE, "decision bet_1: Pull", "Pull takes back Bet 1."),
        (MARYLAND, "stub count", "The stub is counted at least every 5 rounds."),
        (MARYLAND, "irregularity face_up_cards 2",
            "Cards found face up in the shoe or the deck during the deal, otherwise: the round is "
            "void and every stake goes back and the cards are reshuffled."),
        (FLORIDA, "paytable pair_plus A",
            "Pair Plus A: mini royal 200 to 1, straight flush 50 to 1, three of a kind 30 to 1, "
            "straight 6 to 1, flush 4 to 1, pair 1 to 1."),
    ],
)  # fmt: skip
def test_a_topic_reads_well(id: str, topic: str, text: str) -> None:
    assert {said.topic: said.text for said in describe(book(id).rules)}[topic] == text


# ---------------------------------------------------------------- differences


@each_book
def test_a_book_does_not_differ_from_itself(id: str) -> None:
    assert list(differences(book(id), book(id))) == []


@pytest.mark.parametrize(("one", "other"), list(combinations(IDS, 2)))
def test_any_two_books_can_be_compared(one: str, other: str) -> None:
    found = list(differences(book(one), book(other)))
    parts = [PARTS.index(difference["part"]) for difference in found]
    assert found
    assert parts == sorted(parts)
    assert [d for d in found if d[one] == d[other]] == []
    assert {tuple(d) for d in found} == {("part", "topic", one, other)}


def test_maryland_and_singapore_differ_in_what_folding_does() -> None:
    found = {d["topic"]: d for d in differences(book(MARYLAND), book(SINGAPORE))}
    fold = found["decision play_or_fold: Fold"]
    assert fold[MARYLAND]["says"].startswith("Fold forfeits Ante, Pair Plus")
    assert fold[MARYLAND]["clause"] == "11.C"
    assert fold[SINGAPORE] == {
        "says": "Fold forfeits Ante, keeps Pair Plus and Progressive Jackpot.",
        "clause": "3.8",
    }
    assert found["stub count"][SINGAPORE] is None


def test_a_part_that_only_the_other_book_has_can_be_told() -> None:
    tidy = replace(sixth(), id="tidy", rules=replace(sixth().rules, irregularity={}))
    for pair in ((tidy, sixth()), (sixth(), tidy)):
        assert [d["topic"] for d in differences(*pair)] == ["irregularity misdeal 1"]


# ---------------------------------------------------------------- whole books and single clauses


@each_book
def test_a_book_in_full_has_the_keys_of_the_contract(id: str) -> None:
    whole = in_full(book(id))
    assert {"wagers", "paytables", "selections", "rulings", "clauses"} <= whole.keys()
    assert {tuple(clause) for clause in whole["clauses"]} == {("id", "says", "kept")}
    assert [clause["id"] for clause in whole["clauses"]] == list(book(id).clauses)
    assert {clause["kept"] for clause in whole["clauses"]} <= {"enforced", "guided", "declared"}
    assert [wager["id"] for wager in whole["wagers"]] == list(book(id).rules.wager)
    assert all({"id", "default", "may_be"} <= one.keys() for one in whole["selections"])


def test_a_clause_comes_with_its_sub_clauses_and_rulings() -> None:
    clause = one_clause(book(MARYLAND), "12.E(3)")
    assert [inner["id"] for inner in clause["clauses"]] == ["12.E(3)(a)", "12.E(3)(b)"]
    assert [ruling["id"] for ruling in clause["rulings"]] == ["M7"]
    assert (clause["kept"], clause["at"], clause["by"]) == ("enforced", None, None)


def test_a_clause_is_not_inside_one_whose_number_begins_alike() -> None:
    clause = one_clause(book(SINGAPORE), "3.1")
    assert clause["clauses"] == []


def test_a_guided_clause_says_when_and_by_whom() -> None:
    clause = one_clause(book(CALIFORNIA), "round-of-play/1")
    assert (clause["kept"], clause["at"], clause["by"]) == ("guided", "examine", "player")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("12.Z", "; there is 12."),
        ("11.D(9)(h)(i)", "; there is 11.D(9)(d)(i), 11.D(9)(d)(ii) and 11.D(9)(i)"),
        ("99", ""),
        ("", ""),
    ],
)
def test_an_unknown_clause_is_refused_with_what_is_near(name: str, hint: str) -> None:
    with pytest.raises(UserError) as caught:
        one_clause(book(MARYLAND), name)
    assert caught.value.message.startswith(f"{MARYLAND} has no clause {name!r}{hint}")


@pytest.mark.parametrize(
    ("id", "selection", "expected"),
    [
        (MARYLAND, "version", "standard, 7.G(1), 7.G(2) or 7.G(3)"),
        (MARYLAND, "pair_plus", "A, B, C, D or E"),
        (MARYLAND, "progressive", "A, B, C or none"),
        (MARYLAND, "progressive_wager", "$1 or $5, or a list of them"),
        (SINGAPORE, "progressive_wager", "any sum"),
        (FLORIDA, "pair_plus", "A, or a table of hands and odds"),
        (MARYLAND, "progressive_rate",
            "a rate above 0 and at most 1, at least 14 % for A and 20 % for B"),
        (LET_IT_RIDE, "progressive_rate", "a rate above 0 and at most 1"),
        (LET_IT_RIDE, "progressive_reset",
            "a sum, or a table of sums by meter, at least $1,000 for A, $1,000 for B, "
            "$1,000 for C, $1,000 for D major, $250 for D minor, $10,000 for E mega, "
            "$1,000 for E major, "
            "$250 for E minor, $10,000 for F mega, $1,000 for F major and $250 for F minor"),
        (MARYLAND, "progressive_shares", "a table of a share for each meter that adds up to 1"),
        (FLORIDA, "rake", "a table of 'payer' (all, players or designated_player) and 'amount'"),
    ],
)  # fmt: skip
def test_what_a_selection_may_be_is_said(id: str, selection: str, expected: str) -> None:
    assert may_be(book(id).rules, selection) == expected


@each_book
def test_every_selection_can_be_said(id: str) -> None:
    said: dict[str, Any] = {name: may_be(book(id).rules, name) for name in book(id).rules.selection}
    assert [name for name, text in said.items() if not text] == []


def test_steps_with_other_names_are_no_difference() -> None:
    renamed = SIXTH_TEXT.replace("stay_or_leave", "choice").replace("[step.reveal]", "[step.up]")
    assert list(differences(sixth(), sixth(renamed))) == []
    louder = renamed.replace('label  = "Leave"', 'label  = "Run"')
    assert {found["topic"] for found in differences(sixth(), sixth(louder))} == {
        "decision stay_or_leave", "decision stay_or_leave: Leave", "decision choice",
        "decision choice: Run",
    }  # fmt: skip
