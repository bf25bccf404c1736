"""Hands of three, five and six cards: their names and their order.

`Hand` is the value to work with. `three_cards`, `five_cards` and `six_cards` return bare strengths
quickly, and `evaluator(ranking)` does so under another ranking. `croupier.hands.arrays` ranks
arrays of hands; it isn't imported here because it needs NumPy.
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
