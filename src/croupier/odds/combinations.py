"""Numbers every hand of two or three cards, and evaluates hands of five or six.

These are actual cards, not suit classes. Three cards have one of 22,100 numbers, and two cards in
order one of 2,652. A mask of 52 bits says which cards a hand holds. Hands of five or six cards are
looked up by rank; the rare ones with five cards of a suit are evaluated card by card.
"""

from functools import cache
from itertools import combinations, combinations_with_replacement, permutations
from math import comb
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from croupier.hands.arrays import three_cards
from croupier.hands.ranking import Ranking
from croupier.odds.seats import Cards, Ints, codes_of

Masks = NDArray[np.uint64]

_DECK = 52
_FIVE_OF_A_SUIT = 0x3333
_TOO_MANY = 0x8888


class Combinations(NamedTuple):
    """All combinations of a number of cards, each with its number."""

    cards: Cards
    masks: Masks
    ranks: Ints
    """The number of its ranks, regardless of order."""
    suits: NDArray[np.uint16]
    """How many cards it has of each suit, four bits each."""


def _numbered(hands: list[tuple[int, ...]]) -> Combinations:
    cards = np.array(hands, np.uint8)
    size = cards.shape[1]
    masks = (np.uint64(1) << cards.astype(np.uint64)).sum(axis=1, dtype=np.uint64)
    by_ranks = np.zeros((13,) * size, np.int64)
    threes = np.array(list(combinations_with_replacement(range(13), size)))
    for order in permutations(range(size)):
        by_ranks[tuple(threes[:, order].T)] = np.arange(len(threes))
    suits = (1 << 4 * (cards & 3).astype(np.uint16)).sum(axis=1, dtype=np.uint16)
    return Combinations(cards, masks, by_ranks[tuple((cards >> 2).T)], suits)


@cache
def triples() -> Combinations:
    """All hands of three cards."""
    return _numbered(list(combinations(range(_DECK), 3)))


@cache
def pairs() -> Combinations:
    """All ordered pairs of cards, the first being the one turned first."""
    return _numbered(list(permutations(range(_DECK), 2)))


@cache
def turned_triples() -> Combinations:
    """All hands of three cards, three times each: with each of their cards first."""
    listed = [hand[i:] + hand[:i] for hand in combinations(range(_DECK), 3) for i in range(3)]
    return _numbered(listed)


@cache
def strengths(ranking: Ranking) -> NDArray[np.int32]:
    """Return the strength of every hand of three cards."""
    return three_cards(triples().cards, ranking)


class JoinedHands(NamedTuple):
    """Evaluates hands of three cards with two or three others, by a table of codes."""

    ranking: Ranking
    by_ranks: NDArray[np.uint8]
    width: int
    by_code: NDArray[np.uint8]

    def __call__(self, hands: Ints, others: Ints, of: Combinations) -> NDArray[np.uint8]:
        """Return the `by_code` value of every hand with its other cards."""
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


def joined(ranking: Ranking, size: int, by_code: bytes) -> JoinedHands:
    """Return an evaluator of five- or six-card hands, given a byte for every code."""
    table = np.frombuffer(by_code, np.uint8)
    codes = _codes_by_ranks(ranking, size)
    return JoinedHands(ranking, table[codes], comb(12 + size - 3, size - 3), table)


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
    # Suits in turn: equal ranks get different suits, and no suit comes five times.
    cards = (ranks << 2 | np.arange(size) % 4).astype(np.uint8)
    codes = np.zeros(len(cards), np.uint8)
    codes[possible] = codes_of(cards[possible], ranking)
    return codes
