"""Arrays of hands: every five-card hand there is, against the scalar code and an outside oracle."""

from itertools import chain, combinations, combinations_with_replacement, product, starmap

import numpy as np
import pytest
from numpy.typing import NDArray
from phevaluator.evaluator import evaluate_5cards

from croupier.errors import ParseError
from croupier.hands import arrays
from croupier.hands.lookup import evaluator
from croupier.hands.ranking import NAMES, STANDARD, Ranking, strength_of_ranks

RANKINGS = [Ranking(*readings) for readings in product((False, True), repeat=3)]
Cards = NDArray[np.uint8]


def all_hands(size: int) -> Cards:
    hands = chain.from_iterable(combinations(range(52), size))
    return np.fromiter(hands, np.uint8).reshape(-1, size)


@pytest.fixture(scope="module")
def all_five() -> Cards:
    return all_hands(5)


def sample(size: int, count: int) -> Cards:
    """Random hands of different cards in random order, the same every time."""
    decks = np.random.default_rng(size).random((count, 52)).argsort(axis=1)
    return decks[:, :size].astype(np.uint8)


def counts(strengths: NDArray[np.int32], size: int, shift: int) -> dict[str, int]:
    found = np.bincount(strengths >> shift, minlength=len(NAMES[size]))
    return dict(zip(NAMES[size], found.tolist(), strict=True))


def test_all_2_598_960_five_card_hands(all_five: Cards) -> None:
    assert len(all_five) == 2_598_960
    assert counts(arrays.five_cards(all_five), 5, 20) == {
        "royal flush": 4,
        "straight flush": 36,
        "four of a kind": 624,
        "full house": 3_744,
        "flush": 5_108,
        "straight": 10_200,
        "three of a kind": 54_912,
        "two pair": 123_552,
        "pair": 1_098_240,
        "high card": 1_302_540,
    }


def test_without_the_wheel_its_hands_are_flushes_and_high_cards(all_five: Cards) -> None:
    found = counts(arrays.five_cards(all_five, Ranking(wheel=False)), 5, 20)
    assert found["straight flush"] == 36 - 4
    assert found["flush"] == 5_108 + 4
    assert found["straight"] == 10_200 - 1_020
    assert found["high card"] == 1_302_540 + 1_020


def test_the_order_of_all_five_card_hands_agrees_with_phevaluator(all_five: Cards) -> None:
    """It numbers the 7,462 different hands from 1, the best."""
    ours = arrays.five_cards(all_five)
    hands = starmap(evaluate_5cards, combinations(range(52), 5))
    theirs = np.fromiter(hands, np.int32, count=len(all_five))
    strengths, place = np.unique(ours, return_inverse=True)
    assert len(strengths) == 7_462
    np.testing.assert_array_equal(7_462 - place, theirs)


@pytest.mark.parametrize("ranking", RANKINGS)
@pytest.mark.parametrize("size", [3, 5])
def test_all_ranks_have_the_strength_that_is_defined(size: int, ranking: Ranking) -> None:
    strengths = arrays.three_cards if size == 3 else arrays.five_cards
    same = combinations(range(13), size)
    mixed = (r for r in combinations_with_replacement(range(13), size) if r[0] != r[-1] or size < 5)
    for hands, suited in ((same, True), (mixed, False)):
        ranks = list(hands)
        suits = 1 if suited else np.arange(size) % 4
        cards = (np.array(ranks) << 2 | suits).astype(np.uint8)
        defined = [strength_of_ranks(r, suited=suited, ranking=ranking) for r in ranks]
        assert strengths(cards, ranking).tolist() == defined


@pytest.mark.parametrize("ranking", RANKINGS)
def test_arrays_of_three_cards_equal_single_hands(ranking: Ranking) -> None:
    hands = all_hands(3)
    single = [evaluator(ranking).three_cards(*hand) for hand in hands.tolist()]
    for order in ([0, 1, 2], [2, 0, 1], [1, 0, 2]):
        assert arrays.three_cards(hands[:, order], ranking).tolist() == single


@pytest.mark.parametrize("ranking", RANKINGS)
def test_arrays_of_five_cards_equal_single_hands(ranking: Ranking) -> None:
    # Cards of one suit are four apart: the second half is all flushes.
    suited = sample(5, 20_000) % 13 * 4 + 1
    distinct = np.sort(suited, axis=1)
    suited = suited[(np.diff(distinct, axis=1) > 0).all(axis=1)]
    hands = np.concatenate([sample(5, 100_000), suited])
    single = [evaluator(ranking).five_cards(*hand) for hand in hands.tolist()]
    assert arrays.five_cards(hands, ranking).tolist() == single


@pytest.mark.parametrize("ranking", RANKINGS)
def test_arrays_of_six_cards_equal_single_hands(ranking: Ranking) -> None:
    hands = sample(6, 20_000)
    single = [evaluator(ranking).six_cards(*hand) for hand in hands.tolist()]
    assert arrays.six_cards(hands, ranking).tolist() == single


def test_six_cards_are_the_best_five_of_all_subsets() -> None:
    hands = sample(6, 500_000)
    fives = [arrays.five_cards(hands[:, list(five)]) for five in combinations(range(6), 5)]
    np.testing.assert_array_equal(arrays.six_cards(hands), np.max(fives, axis=0))


def test_m1_royals_of_six_cards() -> None:
    """Every six cards with a royal flush: the nine of the suit makes it super, no other card."""
    royals = [
        [*range(32 + suit, 52, 4), sixth]
        for suit in range(4)
        for sixth in range(52)
        if sixth < 32 or sixth % 4 != suit
    ]
    hands = np.array(royals, np.uint8)
    found = arrays.six_cards(hands)
    assert counts(found, 6, 20) == dict.fromkeys(NAMES[6], 0) | {
        "super royal": 4,
        "royal flush": 4 * 46,
    }
    assert found.tolist() == [evaluator(STANDARD).six_cards(*hand) for hand in royals]
    assert arrays.six_cards(hands[:, ::-1]).tolist() == found.tolist()


def test_m1_a_straight_flush_of_six_cards_is_no_super_royal() -> None:
    king_high = np.array([[28, 32, 36, 40, 44, 24]], np.uint8)
    assert (arrays.six_cards(king_high) >> 20).tolist() == [NAMES[6].index("straight flush")]


def test_any_memory_layout_and_any_number_of_hands_will_do(all_five: Cards) -> None:
    strided = all_five[::1_000]
    whole = arrays.five_cards(all_five)[::1_000]
    for hands in (strided, np.ascontiguousarray(strided), np.asfortranarray(strided)):
        np.testing.assert_array_equal(arrays.five_cards(hands), whole)
    assert arrays.five_cards(all_five[:0]).tolist() == []
    assert arrays.five_cards(all_five[:1]).dtype == np.int32


@pytest.mark.parametrize(
    ("cards", "message"),
    [
        ([[0, 1, 2]], "cards come as a uint8 array, not as list"),
        (np.array([[0, 1, 2]]), "cards come as a uint8 array, not as int64"),
        (np.zeros((2, 5), np.uint8), r"the array of cards has the shape \(2, 5\), not \(n, 3\)"),
        (np.zeros(3, np.uint8), r"has the shape \(3,\)"),
        (np.array([[0, 1, 2], [0, 1, 52]], np.uint8), "row 1: 52 is not a card"),
        (np.array([[0, 1, 2], [255, 1, 2]], np.uint8), "row 1: 255 is not a card"),
        (np.array([[48, 1, 48]], np.uint8), "row 0: the ace of spades 'As' appears twice"),
    ],
)
def test_arrays_that_are_refused(cards: Cards, message: str) -> None:
    with pytest.raises(ParseError, match=message):
        arrays.three_cards(cards)


@pytest.mark.parametrize("size", [3, 5, 6])
def test_a_wrong_row_is_found_wherever_it_is(size: int) -> None:
    strengths = {3: arrays.three_cards, 5: arrays.five_cards, 6: arrays.six_cards}[size]
    hands = sample(size, 70_000)
    for row in (0, 65_535, 65_536, 69_999):
        for one, other in combinations(range(size), 2):
            spoiled = hands.copy()
            spoiled[row, one] = spoiled[row, other]
            with pytest.raises(ParseError, match=f"row {row}: "):
                strengths(spoiled)
