"""What the five books are, against the contracts: names, kinds, rulings, orders and fates."""

from typing import Any

import pytest

from croupier.rules.present import summary
from tests.rules.books import (
    CALIFORNIA,
    FLORIDA,
    IDS,
    LET_IT_RIDE,
    MARYLAND,
    SINGAPORE,
    book,
    each_book,
)


def numbered(letter: str, last: int) -> set[str]:
    return {f"{letter}{i}" for i in range(1, last + 1)}


def test_the_five_books_and_who_banks_them() -> None:
    assert {id: (book(id).rules.game, book(id).rules.banked_by) for id in IDS} == {
        CALIFORNIA: ("Three Card Poker", "player"),
        FLORIDA: ("Three Card Poker", "player"),
        LET_IT_RIDE: ("Let It Ride", "house"),
        MARYLAND: ("Three Card Poker", "house"),
        SINGAPORE: ("Three Card Poker", "house"),
    }


@each_book
def test_a_summary_says_what_a_book_is(id: str) -> None:
    said = summary(book(id))
    assert list(said) == ["id", "title", "game", "banked_by", "source"]
    assert said["id"] == id
    assert all(said.values())


def test_a_book_names_itself() -> None:
    assert repr(book(MARYLAND)) == f"load({MARYLAND!r})"


# ---------------------------------------------------------------- names that others rely on

TCP = {"ante", "play", "pair_plus"}
WAGERS = {
    CALIFORNIA: TCP,
    FLORIDA: TCP,
    LET_IT_RIDE: {
        "let_it_ride", "five_card_bonus", "three_card_bonus", "six_card_bonus", "progressive",
    },
    MARYLAND: TCP | {"progressive", "five_card_progressive", "six_card_bonus"},
    SINGAPORE: TCP | {"progressive"},
}  # fmt: skip
METERED = {"_wager", "_rate", "_reset", "_initial", "_shares"}
SELECTIONS = {
    CALIFORNIA: {"pair_plus", "payoff_limit", "fees", "player_dealer_fee", "limits"},
    FLORIDA: {"pair_plus", "pair_plus_when_beaten", "rake", "limits"},
    LET_IT_RIDE: WAGERS[LET_IT_RIDE]
    | {f"progressive{part}" for part in METERED}
    | {"payout_limit", "limits", "adjacent_boxes", "dealing", "shuffler", "decks", "cards"}
    | {"community_stack"},
    MARYLAND: {"version", "format", "ante_bonus", "pair_plus", "progressive", "six_card_bonus"}
    | {"five_card_progressive", "five_card_envy", "limits", "adjacent_boxes", "dealing"}
    | {"shuffler", "decks", "cards", "dealer_cards"}
    | {f"{wager}{p}" for wager in ("progressive", "five_card_progressive") for p in METERED},
    SINGAPORE: {"ante_bonus", "pair_plus", "progressive", "limits"}
    | {f"progressive{part}" for part in METERED - {"_shares"}},
}
BOTH = {
    "face_up_cards", "card_drawn_in_error", "wrong_number_of_cards", "shuffler_fault", "shoe_fault",
    "stub_count", "abandoned", "doubled_card", "other_deck_card",
}  # fmt: skip
IRREGULARITIES = {
    CALIFORNIA: {"misdeal"},
    FLORIDA: {"misdeal"},
    LET_IT_RIDE: BOTH | {"community_card_exposed"},
    MARYLAND: BOTH | {"dealer_card_exposed"},
    SINGAPORE: {
        "foreign_card", "wrong_deck_count", "misdeal", "wrong_number_of_cards", "cards_exposed",
        "late_wager", "withdrawn_wager",
    },
}  # fmt: skip
COMMON = numbered("T", 13)
RULINGS = {
    CALIFORNIA: (COMMON - {"T10"}) | numbered("C", 8),
    FLORIDA: (COMMON - {"T10"}) | numbered("F", 7) | {"C8", "S9"},
    LET_IT_RIDE: (COMMON - numbered("T", 3))
    | numbered("L", 9)
    | {"M7", "M8", "M13", "M14", "M16", "M17", "M18", "M20", "M21", "M22", "M24", "M25", "M27"},
    MARYLAND: COMMON | numbered("M", 23) | {"M24", "M25", "M26", "M27"},
    SINGAPORE: COMMON | numbered("S", 9) | {"M21"},
}


@each_book
def test_wagers_have_the_ids_that_all_books_share(id: str) -> None:
    assert set(book(id).rules.wager) == WAGERS[id]


@each_book
def test_selections_have_the_names_of_the_contract(id: str) -> None:
    # One way to deal needs no selection, but a book may have one.
    assert set(book(id).rules.selection) - SELECTIONS[id] <= {"dealing"}
    assert SELECTIONS[id] - set(book(id).rules.selection) == set()


@each_book
def test_irregularities_are_the_kinds_of_the_contract(id: str) -> None:
    assert set(book(id).rules.irregularity) == IRREGULARITIES[id]


@each_book
def test_every_ruling_is_in_its_book(id: str) -> None:
    rulings = book(id).rules.ruling
    assert RULINGS[id] == set(rulings)
    assert {name for name, ruling in rulings.items() if ruling.common} == RULINGS[id] & COMMON


@each_book
def test_each_question_of_the_program_is_decided_by_one_ruling(id: str) -> None:
    decided = {r.decides: name for name, r in book(id).rules.ruling.items() if r.decides}
    has_meters = any("progressive" in name for name in WAGERS[id])
    validation = {"validation": "M21"} if has_meters else {}
    assert decided == validation | {
        "things": "T9",
        "two people": "T11",
        "reading": "T12",
        "system failure": "T6",
        "undone": "T13",
    }


@each_book
def test_rulings_say_their_problem_and_their_choice(id: str) -> None:
    said = [(r.problem, r.choice) for r in book(id).rules.ruling.values()]
    said += [(a.says, a.says) for r in book(id).rules.ruling.values() for a in r.alternative]
    assert [text for pair in said for text in pair if not text.endswith(".")] == []


@pytest.mark.parametrize(
    ("id", "decisions"),
    [
        (CALIFORNIA,  [["play", "fold"]]),
        (FLORIDA,     [["play", "fold"]]),
        (LET_IT_RIDE, [["ride", "withdraw"], ["ride", "withdraw"]]),
        (MARYLAND,    [["play", "fold"]]),
        (SINGAPORE,   [["play", "fold"]]),
    ],
)  # fmt: skip
def test_decisions_have_the_words_of_the_contract(id: str, decisions: list[list[str]]) -> None:
    steps = book(id).rules.step.values()
    assert [list(step.option) for step in steps if step.do == "decide"] == decisions


def test_the_lines_of_let_it_ride() -> None:
    assert book(LET_IT_RIDE).rules.wager["let_it_ride"].spots == ("bet_1", "bet_2", "bet_3")


@pytest.mark.parametrize(
    ("id", "selection", "default"),
    [
        (MARYLAND,    "ante_bonus",            "A"),
        (MARYLAND,    "pair_plus",             "A"),
        (MARYLAND,    "progressive",           "none"),
        (MARYLAND,    "six_card_bonus",        "none"),
        (MARYLAND,    "five_card_progressive", "none"),
        (MARYLAND,    "version",               "standard"),
        (MARYLAND,    "progressive_wager",     1),
        (MARYLAND,    "progressive_rate",      None),
        (LET_IT_RIDE, "let_it_ride",           "A"),
        (LET_IT_RIDE, "five_card_bonus",       "none"),
        (LET_IT_RIDE, "three_card_bonus",      "none"),
        (LET_IT_RIDE, "six_card_bonus",        "none"),
        (LET_IT_RIDE, "progressive",           "none"),
        (LET_IT_RIDE, "payout_limit",          None),
        (SINGAPORE,   "progressive",           "A"),
        (CALIFORNIA,  "payoff_limit",          "wager_and_collections"),
        (CALIFORNIA,  "player_dealer_fee",     0),
        (FLORIDA,     "pair_plus_when_beaten", "lose"),
    ],
)  # fmt: skip
def test_defaults_are_those_of_the_contract(id: str, selection: str, default: Any) -> None:
    assert book(id).rules.selection[selection].default == default


# ---------------------------------------------------------------- what folding does, and orders


@pytest.mark.parametrize(
    ("id", "fates"),
    [
        (CALIFORNIA, {"ante": "forfeit", "pair_plus": "forfeit"}),
        (FLORIDA,    {"ante": "forfeit", "pair_plus": "forfeit"}),
        (SINGAPORE,  {"ante": "forfeit", "pair_plus": "keep", "progressive": "keep"}),
        (MARYLAND,   {"ante": "forfeit", "pair_plus": "forfeit", "progressive": "forfeit",
                      "five_card_progressive": "forfeit", "six_card_bonus": "keep"}),
    ],
)  # fmt: skip
def test_C4_M4_S2_what_folding_does_to_each_stake(id: str, fates: dict[str, str]) -> None:
    steps = book(id).rules.step.values()
    fold = next(step.option["fold"] for step in steps if step.do == "decide")
    assert {spot: stake.fate for spot, stake in fold.stakes.items()} == fates


@pytest.mark.parametrize(
    ("id", "asked", "settled"),
    [
        (CALIFORNIA,  "clockwise",       "from the action"),
        (FLORIDA,     "from the banker", "from the banker"),
        (LET_IT_RIDE, "clockwise",       "counterclockwise"),
        (MARYLAND,    "clockwise",       "counterclockwise"),
        (SINGAPORE,   "clockwise",       "counterclockwise"),
    ],
)  # fmt: skip
def test_C6_F6_S4_orders_of_asking_and_settling(id: str, asked: str, settled: str) -> None:
    steps = book(id).rules.step.values()
    assert {step.order for step in steps if step.do == "decide"} == {asked}
    assert [step.order for step in steps if step.do == "settle"] == [settled]


@pytest.mark.parametrize(
    ("id", "dealing", "cards"),
    [
        (MARYLAND,    "manual_shoe",    "seats1 bank1 seats1 bank1 seats1 bank1 community2"),
        (MARYLAND,    "hand",           "seats1 bank1 seats1 bank1 seats1 bank1 community2"),
        (MARYLAND,    "automated_shoe", "seats3 bank3 community2"),
        (LET_IT_RIDE, "manual_shoe",
            "six_card_box3 seats1 community1 seats1 community1 seats1"),
        (LET_IT_RIDE, "hand",
            "six_card_box3 seats1 community1 seats1 community1 seats1"),
        (LET_IT_RIDE, "automated_shoe", "six_card_box3 community2 seats3"),
        (CALIFORNIA,  "automated_shoe", "seats3 bank3"),
        (SINGAPORE,   "hand",           "seats3 bank3"),
        (FLORIDA,     "hand",           "seats3 bank3"),
    ],
)  # fmt: skip
def test_8E_9C_10B_the_order_of_the_cards(id: str, dealing: str, cards: str) -> None:
    lines = book(id).rules.deal[dealing].cards
    assert " ".join(f"{line.to}{line.cards}" for line in lines) == cards


@pytest.mark.parametrize(
    ("id", "seats", "least"),
    [
        (CALIFORNIA,  8, 2),
        (FLORIDA,     8, 2),
        (LET_IT_RIDE, 7, 1),
        (MARYLAND,    7, 1),
        (SINGAPORE,   7, 1),
    ],
)  # fmt: skip
def test_how_many_play(id: str, seats: int, least: int) -> None:
    table = book(id).rules.table
    assert (table.seats, table.seats_min) == (seats, least)


@pytest.mark.parametrize(("id", "rounds", "stays"), [(CALIFORNIA, 2, False), (FLORIDA, 1, True)])
def test_C6_F6_how_the_bank_rotates(id: str, rounds: int, stays: bool) -> None:
    rotation = book(id).rules.bank.rotation
    assert rotation and (rotation.rounds_max, rotation.stays) == (rounds, stays)


@pytest.mark.parametrize("id", [CALIFORNIA, FLORIDA, MARYLAND, SINGAPORE])
def test_T3_the_bank_plays_with_queen_high(id: str) -> None:
    qualifier = book(id).rules.bank.qualifier
    assert qualifier and (qualifier.high, qualifier.ruling) == ("Q", "T3")


def test_let_it_ride_has_no_qualifier() -> None:
    assert book(LET_IT_RIDE).rules.bank.qualifier is None
