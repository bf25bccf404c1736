"""Single hands: the exact counts, the definition of six cards, and what is refused."""

import subprocess
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations, permutations
from random import Random
from typing import Any

import pytest

from croupier.cards import DECK, Card, parse_cards
from croupier.errors import ParseError
from croupier.hands.hand import Hand
from croupier.hands.lookup import Evaluator, evaluator, five_cards, six_cards, three_cards
from croupier.hands.ranking import NAMES, STANDARD, Ranking, category, strength_of_ranks

RANKINGS = [
    Ranking(card_by_card=literal, wheel=wheel)
    for literal in (False, True)
    for wheel in (True, False)
]


def test_all_22_100_three_card_hands() -> None:
    counts = Counter(NAMES[3][three_cards(*hand) >> 12] for hand in combinations(DECK, 3))
    assert counts == {
        "mini royal": 4,
        "straight flush": 48 - 4,
        "three of a kind": 52,
        "straight": 720,
        "flush": 1_096,
        "pair": 3_744,
        "high card": 16_440,
    }


@pytest.mark.parametrize("ranking", RANKINGS)
def test_three_cards_are_as_defined_in_any_order(ranking: Ranking) -> None:
    strength = evaluator(ranking).three_cards
    for hand in combinations(DECK, 3):
        suited = len({card.suit for card in hand}) == 1
        defined = strength_of_ranks([c.rank for c in hand], suited=suited, ranking=ranking)
        assert {strength(*cards) for cards in permutations(hand)} == {defined}


@pytest.mark.parametrize("ranking", RANKINGS)
def test_five_cards_are_as_defined_in_any_order(ranking: Ranking) -> None:
    chance = Random(5)
    strength = evaluator(ranking).five_cards
    for _ in range(5_000):
        hand = chance.sample(DECK, 5)
        suited = len({card.suit for card in hand}) == 1
        defined = strength_of_ranks([c.rank for c in hand], suited=suited, ranking=ranking)
        assert strength(*hand) == strength(*reversed(hand)) == defined


def test_six_cards_are_the_best_five() -> None:
    chance = Random(6)
    for _ in range(5_000):
        hand = chance.sample(DECK, 6)
        best = max(five_cards(*five) for five in combinations(hand, 5))
        assert six_cards(*hand) == best or NAMES[6][six_cards(*hand) >> 20] == "super royal"


@pytest.mark.parametrize("royal", [DECK[32 + suit :: 4] for suit in range(4)])
def test_m1_only_the_nine_makes_a_royal_super(royal: tuple[Card, ...]) -> None:
    names = {
        sixth: NAMES[6][category(six_cards(*royal, sixth), 6)] for sixth in set(DECK) - set(royal)
    }
    nine = Card(7 << 2 | royal[0].suit)
    assert names.pop(nine) == "super royal"
    assert set(names.values()) == {"royal flush"}


def test_m1_a_super_royal_needs_one_suit() -> None:
    assert Hand.parse("As Ks Qs Js Ts 9h").name == "royal flush"
    assert Hand.parse("Ah Ks Qs Js Ts 9s").name == "straight flush"


@pytest.mark.parametrize("size", [3, 5, 6])
def test_cards_have_the_name_of_their_hand(size: int) -> None:
    rng = Random(size)
    for cards in [tuple(rng.sample(DECK, size)) for _ in range(300)]:
        assert evaluator(STANDARD).name(cards) == Hand(cards).name


def test_evaluators_are_kept() -> None:
    assert evaluator(Ranking(wheel=False)) is evaluator(Ranking(wheel=False))
    assert evaluator(STANDARD).three_cards == three_cards


@pytest.mark.parametrize("size", [3, 5, 6])
def test_every_wrong_card_is_refused_wherever_it_stands(size: int) -> None:
    cards = list(DECK[:size])
    wrong = [52, -1, -52, "As", None, 1.5, Fraction(1, 2), [], 10**30]
    for place in range(size):
        others = [*cards[:place], *cards[place + 1 :]]
        for value in [*wrong, *others]:
            given: list[Any] = [*others[:place], value, *others[place:]]
            # An evaluator checks the first hand that it ever sees like any other.
            for asked in (evaluator(STANDARD), Evaluator(STANDARD)):
                with pytest.raises(ParseError):
                    asked.strength(given)


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ("As Kd As", "the ace of spades 'As' appears twice"),
        ("As Kd Qd Jd Kd", "the king of diamonds 'Kd' appears twice"),
        ("As Kd Qd Jd 2c 2c", "the two of clubs '2c' appears twice"),
    ],
)
def test_a_doubled_card_is_named(cards: str, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        evaluator(STANDARD).strength(parse_cards(cards))


def test_the_number_of_cards_is_checked() -> None:
    for count in (0, 1, 2, 4, 7):
        with pytest.raises(ParseError, match=f"three, five or six cards, not {count}"):
            evaluator(STANDARD).strength(DECK[:count])
    with pytest.raises(ParseError, match="5 cards are needed, not 4"):
        five_cards(*DECK[:4])
    with pytest.raises(ParseError, match="6 cards are needed, not 7"):
        six_cards(*DECK[:7])
    with pytest.raises(ParseError, match="'As' is a text: make it a card first"):
        three_cards("As", "Kd", "Qc")  # type: ignore[arg-type]


def test_hands_do_without_numpy() -> None:
    code = (
        "import sys, croupier.hands.hand, croupier.hands.lookup; "
        "print('numpy' in sys.modules, 'croupier.svg' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False False\n"
