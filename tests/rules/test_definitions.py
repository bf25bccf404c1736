"""The words and hands that the texts define, each with one meaning in the data."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest

from croupier.cards import DECK, Card
from croupier.hands.hand import Hand
from croupier.rules.book import Rules
from croupier.rules.resolve import resolve
from tests.rules.books import LET_IT_RIDE, MARYLAND, SINGAPORE, book, breaches_of

# What the first chapter of a text defines, as the layout and the settlement call it.
TERMS = {
    MARYLAND: [
        "Envy Bonus",
        "Pair Plus",
        "Play",
        "Three-Card Progressive Payout",
        "Five-Card Progressive Payout",
    ],
    LET_IT_RIDE: ["Community cards", "Envy Bonus", "Let It Ride", "Progressive Payout"],
    SINGAPORE: ["Ante", "Ante Bonus", "Envy Bonus", "Pair Plus", "Progressive Jackpot", "Fold"],
}


def labels(rules: Rules) -> Iterator[str]:
    """The names of all that is wagered, paid, chosen or laid out."""
    for part in (rules.wager, rules.bonus, rules.envy, rules.place):
        yield from (thing.label for thing in part.values())
    for step in rules.step.values():
        placed = {option.places for option in step.option.values()}
        yield from (o.label for o in step.option.values() if o.places not in placed - {None})


@pytest.mark.clause(MARYLAND, "1.A", "1.B")
@pytest.mark.clause(LET_IT_RIDE, "1.A", "1.B")
@pytest.mark.clause(SINGAPORE, "1.1")
@pytest.mark.parametrize("id", TERMS)
def test_a_defined_word_names_one_thing_only(id: str) -> None:
    times = Counter(labels(book(id).rules))
    assert {term: times[term] for term in TERMS[id]} == dict.fromkeys(TERMS[id], 1)


def hands_of(id: str, family: str, letter: str) -> list[str]:
    """The hands that a paytable lists, from the best down, each once."""
    return list(dict.fromkeys(row.hand for row in book(id).rules.paytable[family][letter].rows))


FIVE = ["royal flush", "straight flush", "four of a kind", "full house", "flush", "straight",
        "three of a kind"]  # fmt: skip
THREE = ["straight flush", "three of a kind", "straight", "flush", "pair"]


@pytest.mark.clause(MARYLAND, "1.B(7)")
@pytest.mark.parametrize(
    ("letter", "least"), [("A", "straight"), ("B", "three of a kind"), ("C", "straight")]
)
def test_1_B_7_the_paytable_says_from_which_hand_the_progressive_is_won(
    letter: str, least: str
) -> None:
    assert hands_of(MARYLAND, "progressive", letter)[-1] == least


@pytest.mark.clause(MARYLAND, "1.B(8)", "6.G")
@pytest.mark.parametrize("letter", "ABC")
def test_1_B_8_the_five_card_progressive_is_won_from_three_of_a_kind_up(letter: str) -> None:
    assert hands_of(MARYLAND, "five_card_progressive", letter) == FIVE


@pytest.mark.clause(MARYLAND, "6.F")
@pytest.mark.parametrize("letter", "ABCDEF")
def test_6_F_the_six_card_bonus_pays_five_card_hands_and_the_super_royal(letter: str) -> None:
    hands = hands_of(MARYLAND, "six_card_bonus", letter)
    assert hands == (["super royal"] if letter in "AB" else []) + FIVE


@pytest.mark.clause(LET_IT_RIDE, "6.C")
@pytest.mark.parametrize("letter", "ABC")
def test_6_C_nine_hands_count_in_let_it_ride(letter: str) -> None:
    assert hands_of(LET_IT_RIDE, "let_it_ride", letter) == [*FIVE, "two pair", "pair"]


@pytest.mark.clause(LET_IT_RIDE, "6.D")
@pytest.mark.parametrize("letter", "ABC")
def test_6_D_five_hands_win_the_three_card_bonus(letter: str) -> None:
    assert hands_of(LET_IT_RIDE, "three_card_bonus", letter) == THREE


@pytest.mark.clause(LET_IT_RIDE, "6.E")
@pytest.mark.parametrize("letter", "AB")
def test_6_E_seven_hands_and_the_super_royal_win_the_six_card_bonus(letter: str) -> None:
    assert hands_of(LET_IT_RIDE, "six_card_bonus", letter) == ["super royal", *FIVE]


@pytest.mark.clause(LET_IT_RIDE, "6.F")
@pytest.mark.parametrize("letter", "ADEF")
def test_6_F_seven_hands_win_the_progressive(letter: str) -> None:
    assert hands_of(LET_IT_RIDE, "progressive", letter) == FIVE


@pytest.mark.clause(LET_IT_RIDE, "6.A")
@pytest.mark.clause(MARYLAND, "6.A")
@pytest.mark.parametrize(
    ("id", "hand"), [(LET_IT_RIDE, "{0}s {0}h {0}d {0}c {1}s"), (MARYLAND, "{0}s {0}h {0}d")]
)
def test_6_A_cards_rank_from_the_ace_down_to_the_2(id: str, hand: str) -> None:
    ranking = resolve(book(id)).ranking
    ranks = "AKQJT98765432"
    strengths = [Hand.parse(hand.format(r, ranks[ranks.index(r) - 1]), ranking) for r in ranks]
    assert all(higher.beats(lower) for higher, lower in pairwise(strengths))


@pytest.mark.clause(LET_IT_RIDE, "6.B")
@pytest.mark.clause(MARYLAND, "6.C")
@pytest.mark.parametrize(("id", "cards"), [(LET_IT_RIDE, 5), (MARYLAND, 3)])
def test_no_suit_outranks_another(id: str, cards: int) -> None:
    ranking, draw = resolve(book(id)).ranking, random.Random(6)
    for _ in range(500):
        hand = [str(card) for card in draw.sample(DECK, cards)]
        turned = [card[0] + "cdhs"["hscd".index(card[1])] for card in hand]
        strengths = [Hand(tuple(map(Card, one)), ranking).strength for one in (hand, turned)]
        assert strengths[0] == strengths[1]


# ---------------------------------------------------------------- what a table may have


@pytest.mark.clause(LET_IT_RIDE, "9.A", "9.A(1)")
def test_9_A_1_only_a_table_with_a_shuffler_deals_from_the_hand() -> None:
    (breach,) = breaches_of(LET_IT_RIDE, {"dealing": "hand", "shuffler": "none"})
    assert (breach.selection, breach.clause) == ("dealing", "9.A(1)")
    assert resolve(book(LET_IT_RIDE), {"dealing": "hand"}).deal.clause == "9.C"


@pytest.mark.clause(LET_IT_RIDE, "12.F(2)(f)", "12.F(2)(f)(ii)", "12.F(2)(f)(iii)")
@pytest.mark.parametrize(
    ("meter", "least", "clause"),
    [
        ("mega", 10_000, "12.F(2)(f)(i)"),
        ("major", 1_000, "12.F(2)(f)(ii)"),
        ("minor", 250, "12.F(2)(f)(iii)"),
    ],
)
@pytest.mark.parametrize("name", ["progressive_reset", "progressive_initial"])
def test_12_F_2_f_each_meter_has_its_least_amount(
    name: str, meter: str, least: int, clause: str
) -> None:
    assert resolve(book(LET_IT_RIDE), {"progressive": "F", name: {meter: least}})
    (breach,) = breaches_of(LET_IT_RIDE, {"progressive": "F", name: {meter: least - 1}})
    assert (breach.selection, breach.clause) == (name, clause)
