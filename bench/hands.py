"""How many hands a second, ours and others', in one run: python bench/hands.py.

Each figure is the best of several passes: on a busy machine the best one is nearest to what the
code costs. Three-card hands go through the checked public call, loop included; PokerKit's nearest
are its three-card hands of Rhode Island hold'em. phevaluator is compiled and called once a hand.
"""

import sys
from collections.abc import Callable
from functools import partial
from itertools import chain, combinations
from time import perf_counter

import numpy as np

from croupier.cards import DECK
from croupier.hands import arrays
from croupier.hands.lookup import three_cards

try:
    from phevaluator.evaluator import evaluate_5cards
    from pokerkit import Card, RhodeIslandHoldemHand
except ImportError as error:
    sys.exit(f"{error.name} is not installed: pip install phevaluator pokerkit")

PASSES = 15


def hands_per_second(count: int, work: Callable[[], object], *, passes: int = PASSES) -> float:
    """Return the speed of the best pass."""
    best = float("inf")
    for _ in range(passes):
        start = perf_counter()
        work()
        best = min(best, perf_counter() - start)
    return count / best


def report(what: str, ours: float, theirs: tuple[str, float]) -> None:
    name, speed = theirs
    print(
        f"{what:<28} {ours / 1e6:8.2f} million/s   "
        f"{name} {speed / 1e6:.2f} million/s   {ours / speed:.0f} times"
    )


def three_card_calls() -> None:
    hands = list(combinations(DECK, 3))
    deck = [next(Card.parse(str(card))) for card in DECK]
    their_hands = list(combinations(deck, 3))

    def ours() -> None:
        for a, b, c in hands:
            three_cards(a, b, c)

    def theirs() -> None:
        for hand in their_hands:
            RhodeIslandHoldemHand(hand)

    report(
        "three cards, checked calls",
        hands_per_second(len(hands), ours, passes=10 * PASSES),
        ("PokerKit", hands_per_second(len(hands), theirs, passes=3)),
    )


def five_card_arrays() -> None:
    hands = list(combinations(range(52), 5))
    columns = np.fromiter(chain.from_iterable(hands), np.uint8).reshape(-1, 5)
    shuffled = np.random.default_rng(5).permutation(columns)
    hands = hands[::13]

    def theirs() -> None:
        for a, b, c, d, e in hands:
            evaluate_5cards(a, b, c, d, e)

    phevaluator = ("phevaluator", hands_per_second(len(hands), theirs))
    for what, cards in (
        ("five cards, arrays in order", columns),
        ("five cards, arrays shuffled", shuffled),
    ):
        speed = hands_per_second(len(cards), partial(arrays.five_cards, cards))
        report(what, speed, phevaluator)


if __name__ == "__main__":
    three_card_calls()
    five_card_arrays()
