"""Hands of three, five and six cards: what they are called and which is better.

`Hand` is the value to work with; `three_cards`, `five_cards` and `six_cards` give bare strengths
quickly, and `evaluator(ranking)` gives them under another reading of the order. Arrays of hands
are ranked by `croupier.hands.arrays`, which is not imported here because it needs NumPy.
"""

from croupier.hands.hand import Hand
from croupier.hands.lookup import Evaluator, evaluator, five_cards, six_cards, three_cards
from croupier.hands.ranking import (
    ALSO,
    NAMES,
    STANDARD,
    Ranking,
    category,
    least_high,
    least_pair,
)

__all__ = [
    "ALSO",
    "NAMES",
    "STANDARD",
    "Evaluator",
    "Hand",
    "Ranking",
    "category",
    "evaluator",
    "five_cards",
    "least_high",
    "least_pair",
    "six_cards",
    "three_cards",
]
