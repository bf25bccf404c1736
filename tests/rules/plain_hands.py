"""Hands as the texts describe them, in plain words over the cards."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations

Cards = Sequence[str]
Defined = Mapping[str, Callable[[Cards], bool]]
RANKS = "23456789TJQKA"
LOW_ACE = "A23456789TJQK"


def suited(cards: Cards) -> bool:
    return len({card[1] for card in cards}) == 1


def in_a_row(cards: Cards) -> bool:
    """Whether the ranks follow one another, the ace above the king or below the 2, never both."""
    for order in (RANKS, LOW_ACE):
        places = sorted(order.index(card[0]) for card in cards)
        if places == list(range(places[0], places[0] + len(cards))):
            return True
    return False


def sets(cards: Cards) -> list[int]:
    return sorted(Counter(card[0] for card in cards).values(), reverse=True)


def ranks(cards: Cards, which: str) -> bool:
    return {card[0] for card in cards} == set(which)


THREE: Defined = {
    "mini royal": lambda hand: suited(hand) and ranks(hand, "AKQ"),
    "straight flush": lambda hand: suited(hand) and in_a_row(hand),
    "three of a kind": lambda hand: sets(hand) == [3],
    "straight": lambda hand: in_a_row(hand) and not suited(hand),
    "flush": suited,
    "pair": lambda hand: sets(hand) == [2, 1],
    "high card": lambda hand: sets(hand) == [1, 1, 1] and not suited(hand) and not in_a_row(hand),
}
FIVE: Defined = {
    "royal flush": lambda hand: suited(hand) and ranks(hand, "AKQJT"),
    "straight flush": lambda hand: suited(hand) and in_a_row(hand),
    "four of a kind": lambda hand: sets(hand) == [4, 1],
    "full house": lambda hand: sets(hand) == [3, 2],
    "flush": suited,
    "straight": in_a_row,
    "three of a kind": lambda hand: sets(hand) == [3, 1, 1],
    "two pair": lambda hand: sets(hand) == [2, 2, 1],
    "pair": lambda hand: sets(hand) == [2, 1, 1, 1],
    "high card": lambda hand: True,
}


def named(cards: Cards, defined: Defined) -> str:
    """The first hand of the text that the cards are, and so the best one."""
    return next(name for name, holds in defined.items() if holds(cards))


def best_of_six(cards: Cards) -> str:
    if suited(cards) and ranks(cards, "AKQJT9"):
        return "super royal"
    return min((named(five, FIVE) for five in combinations(cards, 5)), key=list(FIVE).index)
