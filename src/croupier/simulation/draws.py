"""Draws cards at random without replacement, and finds the suit class of every hand drawn."""

from functools import cache
from itertools import permutations
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from croupier.hands.ranking import Ranking
from croupier.odds.combinations import Combinations, Masks, triples
from croupier.odds.seats import REST, SEATS, Codes, Ints, codes_of

_DECK = 52


def apart(rng: Generator, of: Combinations, taken: Masks) -> Ints:
    """Draw one combination for each deal from the cards not taken, and take its cards."""
    count = len(of.masks)
    drawn = rng.integers(0, count, len(taken))
    masks = np.take(of.masks, drawn, mode="clip")
    again = np.flatnonzero(masks & taken)
    while len(again):
        drawn[again] = more = rng.integers(0, count, len(again))
        masks[again] = others = of.masks[more]
        again = again[(others & taken[again]) != 0]
    taken |= masks
    return drawn


@cache
def hand_codes(ranking: Ranking) -> Codes:
    return codes_of(triples().cards, ranking)


class Classes(NamedTuple):
    """Maps every hand to its suit class, for looking up the strategy."""

    number: Ints
    """The class of every hand of three cards."""
    turn: Ints
    """How far the suits of the class's example are turned, for rows that ask for a suit."""
    views: Ints
    """By hand and card, the index of the card among those that the class may see."""


@cache
def classes() -> Classes:
    """Return the class of every hand, by permuting the suits of the examples."""
    hands = triples().cards
    number = np.zeros((_DECK,) * 3, np.int64)
    number[tuple(hands.T)] = np.arange(len(hands))
    of = np.zeros(len(hands), np.int64)
    turn = np.zeros(len(hands), np.int64)
    card_of = np.zeros((len(hands), _DECK), np.int64)
    deck = np.arange(_DECK)
    for order in permutations(range(4)):
        suits = np.array(order)
        there = np.sort((SEATS >> 2 << 2) | suits[SEATS & 3], axis=1)
        at = number[tuple(there.T)]
        of[at], turn[at] = np.arange(len(SEATS)), order[0]
        # The card that each card becomes if the hand is mapped to its class's example.
        card_of[at] = (deck >> 2 << 2) | np.argsort(suits)[deck & 3]
    place = np.zeros((len(SEATS), _DECK), np.int64)
    np.put_along_axis(place, REST.astype(np.int64), np.arange(REST.shape[1])[None], axis=1)
    return Classes(of, turn, np.take_along_axis(place[of], card_of, axis=1))
