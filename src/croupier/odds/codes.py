"""The codes of five- and six-card hands for every class of seats, mostly by rank alone.

A seat's three cards and two or three others make few combinations of ranks. Their codes are
computed once; only hands with five cards of a suit are evaluated card by card.
"""

from functools import cache
from itertools import combinations, permutations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from croupier.hands.ranking import Ranking
from croupier.odds.seats import REST, SEATS, Cards, Codes, Ints, codes_of

VIEWS = REST.shape[1]
"""How many other cards there are."""
PAIRS: Ints = np.argwhere(np.arange(VIEWS)[:, None] < np.arange(VIEWS))
TRIPLES = comb(VIEWS, 3)
"""How many ways there are to choose three of the other cards."""


@cache
def threes_of(count: int) -> Ints:
    """Return all ways to choose three of a number, each in order."""
    a = np.arange(count)
    return np.argwhere((a[:, None, None] < a[:, None]) & (a[:, None] < a))


class Threes(NamedTuple):
    """All combinations of three ranks, and their numbers by the ranks in any order."""

    ranks: Cards
    number: NDArray[np.int16]


@cache
def threes() -> Threes:
    every = [(a, b, c) for a in range(13) for b in range(a + 1) for c in range(b + 1)]
    ranks = np.array(every, np.uint8)
    number = np.zeros((13, 13, 13), np.int16)
    for order in permutations(range(3)):
        number[tuple(ranks[:, order].T)] = np.arange(len(ranks))
    return Threes(ranks, number)


@cache
def six_by_ranks(ranking: Ranking) -> Codes:
    """Return the codes of six cards, by the ranks of both threes."""
    ranks = threes().ranks
    return _without_a_flush(ranks, ranks, ranking)


def _without_a_flush(ranks: Cards, others: Cards, ranking: Ranking) -> Codes:
    """Return the codes of hands of some ranks and others, with suits that make no flush.

    Suits are assigned in turn, so that none comes five times.
    """
    both = np.concatenate(
        [np.repeat(ranks, len(others), axis=0), np.tile(others, (len(ranks), 1))], axis=1
    )
    both.sort(axis=1)
    possible = (both[:, 4:] != both[:, : both.shape[1] - 4]).all(axis=1)
    cards = both << 2 | np.arange(both.shape[1], dtype=np.uint8) % 4
    codes = np.zeros(len(both), np.uint8)
    codes[possible] = codes_of(cards[possible], ranking)
    return codes.reshape(len(ranks), len(others))


@cache
def five_by_ranks(ranking: Ranking) -> tuple[Codes, Codes]:
    """Return the number of every two ranks, and the code of five cards by three ranks and two."""
    twos = np.array([(a, b) for a in range(13) for b in range(a + 1)], np.uint8)
    number = np.zeros((13, 13), np.uint8)
    number[tuple(twos.T)] = number[tuple(twos[:, ::-1].T)] = np.arange(len(twos))
    return number, _without_a_flush(threes().ranks, twos, ranking)


@cache
def pair_codes(ranking: Ranking) -> Codes:
    """Return the code of five cards, for every seat and every pair of other cards."""
    two, codes = five_by_ranks(ranking)
    ranks = REST >> 2
    numbers = two[ranks[:, PAIRS[:, 0]], ranks[:, PAIRS[:, 1]]]
    found: Codes = codes[threes().number[tuple((SEATS >> 2).T)][:, None], numbers]
    seat, pairs = suited_pairs()
    found[seat, pairs] = suited_pair_codes(ranking)
    return found


def suited_pair_codes(ranking: Ranking) -> Codes:
    """Return the codes of the five cards of `suited_pairs`."""
    seat, pairs = suited_pairs()
    return codes_of(
        np.concatenate([SEATS[seat], REST[seat[:, None], PAIRS[pairs]]], axis=1), ranking
    )


@cache
def suited_pairs() -> tuple[Ints, Ints]:
    """Return every suited seat and pair, by number, that together make five cards of one suit."""
    suits = SEATS & 3
    suited = np.flatnonzero((suits == suits[:, :1]).all(axis=1))
    same = REST[suited] & 3 == suits[suited, :1]
    row, pairs = np.nonzero(same[:, PAIRS].all(axis=2))
    return suited[row], pairs


def _near_flush(seat: int) -> Ints:
    """Return the triples that may give a seat five cards of a suit."""
    held = np.bincount(SEATS[seat] & 3, minlength=4)
    suited = (REST[seat] & 3 == held.argmax())[threes_of(VIEWS)].sum(axis=1)
    return np.flatnonzero(suited + held.max() >= 5)


def _six_codes(seat: int, triples: Ints, ranking: Ranking) -> Codes:
    """Return the codes of a seat's cards with the given triples of other cards."""
    cards = np.empty((len(triples), 6), np.uint8)
    cards[:, :3], cards[:, 3:] = SEATS[seat], REST[seat][threes_of(VIEWS)[triples]]
    return codes_of(cards, ranking)


def triple_codes(seat: int, ranking: Ranking) -> Codes:
    """Return the code of six cards, for one seat and every triple of other cards."""
    own = threes().number[tuple(SEATS[seat] >> 2)]
    codes: Codes = six_by_ranks(ranking)[own][
        threes().number[tuple((REST[seat] >> 2)[threes_of(VIEWS)].T)]
    ]
    near = _near_flush(seat)
    if len(near):
        codes[near] = _six_codes(seat, near, ranking)
    return codes


@cache
def near_flushes() -> tuple[Ints, Cards]:
    """Return every seat and triple of other cards, lowest first, with five or more of one suit."""
    seats, triples = [], []
    for seat, cards in enumerate(SEATS):
        held = np.bincount(cards & 3, minlength=4)
        same = REST[seat][REST[seat] & 3 == held.argmax()].tolist()
        found = list(combinations(same, 3)) if held.max() > 1 else []
        if held.max() == 3:
            others = [card for card in REST[seat].tolist() if card not in same]
            found += [(*two, card) for two in combinations(same, 2) for card in others]
        seats += [seat] * len(found)
        triples += found
    return np.array(seats), np.sort(np.array(triples, np.uint8), axis=1)
