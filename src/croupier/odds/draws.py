"""Cards of simulated rounds: hands by number, drawn without replacement, and what they are.

These are actual cards, not suit classes. Three cards have one of 22,100 numbers and two in order
one of 2,652; a mask of 52 bits tells which cards are taken, and whatever shares one is drawn
again. Five or six cards are looked up by their ranks, and the rare ones with five of a suit by
the cards themselves.
"""

from functools import cache
from itertools import combinations, combinations_with_replacement, permutations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from croupier.hands import Ranking
from croupier.hands.arrays import three_cards
from croupier.odds.seats import REST, SEATS, Cards, Codes, Ints, codes_of

Masks = NDArray[np.uint64]

_DECK = 52
_FIVE_OF_A_SUIT = 0x3333
_TOO_MANY = 0x8888


class Draw(NamedTuple):
    """Everything of some size that can be drawn, by number."""

    cards: Cards
    masks: Masks
    ranks: Ints
    """The number of its ranks, whatever their order."""
    suits: NDArray[np.uint16]
    """How many cards it has of each suit, four bits each."""


def _draw(hands: list[tuple[int, ...]]) -> Draw:
    cards = np.array(hands, np.uint8)
    size = cards.shape[1]
    masks = (np.uint64(1) << cards.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    by_ranks = np.zeros((13,) * size, np.int64)
    threes = np.array(list(combinations_with_replacement(range(13), size)))
    for order in permutations(range(size)):
        by_ranks[tuple(threes[:, order].T)] = np.arange(len(threes))
    suits = (1 << 4 * (cards & 3).astype(np.uint16)).sum(axis=1, dtype=np.uint16)
    return Draw(cards, masks, by_ranks[tuple((cards >> 2).T)], suits)


@cache
def triples() -> Draw:
    """All hands of three cards."""
    return _draw(list(combinations(range(_DECK), 3)))


@cache
def pairs() -> Draw:
    """All two cards, the one that is turned first before the other."""
    return _draw(list(permutations(range(_DECK), 2)))


@cache
def turned_triples() -> Draw:
    """All hands of three cards, three times each: with any of their cards first."""
    listed = [hand[i:] + hand[:i] for hand in combinations(range(_DECK), 3) for i in range(3)]
    return _draw(listed)


def apart(rng: Generator, of: Draw, taken: Masks) -> Ints:
    """Draw one number for each deal, without the cards that are taken, and take its cards."""
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


# ---------------------------------------------------------------- what they are


@cache
def hand_codes(ranking: Ranking) -> Codes:
    """Return the code of every hand of three cards."""
    return codes_of(triples().cards, ranking)


@cache
def strengths(ranking: Ranking) -> NDArray[np.int32]:
    """Return the strength of every hand of three cards."""
    return three_cards(triples().cards, ranking)


class Joined(NamedTuple):
    """What hands of three cards come to with two or three others, by a table of codes."""

    ranking: Ranking
    by_ranks: NDArray[np.uint8]
    width: int
    by_code: NDArray[np.uint8]

    def __call__(self, hands: Ints, others: Ints, of: Draw) -> NDArray[np.uint8]:
        """Return what `by_code` says of every hand with its other cards."""
        seats = triples()
        at = np.take(seats.ranks, hands, mode="clip") * self.width
        at += np.take(of.ranks, others, mode="clip")
        found = np.take(self.by_ranks, at, mode="clip")
        suits = np.take(seats.suits, hands, mode="clip") + np.take(of.suits, others, mode="clip")
        suited = np.flatnonzero((suits + _FIVE_OF_A_SUIT) & _TOO_MANY)
        if len(suited):
            cards = np.concatenate([seats.cards[hands[suited]], of.cards[others[suited]]], axis=1)
            found[suited] = self.by_code[codes_of(cards, self.ranking)]
        return found


def joined(ranking: Ranking, size: int, by_code: bytes) -> Joined:
    """Return what tells hands of five or six cards apart, given a byte for every code."""
    table = np.frombuffer(by_code, np.uint8)
    codes = _codes_by_ranks(ranking, size)
    return Joined(ranking, table[codes], comb(12 + size - 3, size - 3), table)


@cache
def _codes_by_ranks(ranking: Ranking, size: int) -> NDArray[np.uint8]:
    """Return the codes of hands without five of a suit, by the ranks of three and of the rest."""
    threes = np.array(list(combinations_with_replacement(range(13), 3)))
    others = np.array(list(combinations_with_replacement(range(13), size - 3)))
    ranks = np.concatenate(
        [np.repeat(threes, len(others), axis=0), np.tile(others, (len(threes), 1))], axis=1
    )
    ranks.sort(axis=1)
    possible = (ranks[:, 4:] != ranks[:, : size - 4]).all(axis=1)
    # Suits in turn: equal ranks get different ones, and no suit comes five times.
    cards = (ranks << 2 | np.arange(size) % 4).astype(np.uint8)
    codes = np.zeros(len(cards), np.uint8)
    codes[possible] = codes_of(cards[possible], ranking)
    return codes


# ---------------------------------------------------------------- suit classes of actual cards


class Classes(NamedTuple):
    """Where the strategy of a suit class finds every actual hand."""

    number: Ints
    """The class of every hand of three cards."""
    turn: Ints
    """How far the suits of its example are turned: where a suit matters, it is this one."""
    views: Ints
    """By hand and card, the place of the card among those that the class may see."""


@cache
def classes() -> Classes:
    """Return the class of every hand, by giving the suits of the examples every order."""
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
        # What a card would be called if the hand were its class's example.
        card_of[at] = (deck >> 2 << 2) | np.argsort(suits)[deck & 3]
    place = np.zeros((len(SEATS), _DECK), np.int64)
    np.put_along_axis(place, REST.astype(np.int64), np.arange(REST.shape[1])[None], axis=1)
    return Classes(of, turn, np.take_along_axis(place[of], card_of, axis=1))
