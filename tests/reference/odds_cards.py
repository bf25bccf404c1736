"""All hands of three cards, and the hands that two or three more cards make of them.

A card is its place in `hands.DECK`: rank `card // 4` (0 for the two), suit `card % 4`. The names of
three cards come from the plain evaluator, hand by hand. Five and six cards are told apart by counts
and bit masks on whole arrays; a test compares that with the plain evaluator.
"""

from functools import cache
from itertools import combinations, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tests.reference import hands

Array = NDArray[np.int64]
Flags = NDArray[np.bool_]

# What three cards can be where a paytable tells them apart, and the titles that may list it.
THREE = {
    "high card": ["high card"],
    "pair": ["pair"],
    "flush": ["flush"],
    "straight": ["straight"],
    "ace-king-queen": ["ace-king-queen", "straight"],
    "three of a kind": ["three of a kind"],
    "straight flush": ["straight flush"],
    "mini royal": ["mini royal", "straight flush"],
    "mini royal of spades": ["mini royal of spades", "mini royal", "straight flush"],
}
THREE_TITLES = list(THREE.values())

# The same for the best five of five or six cards, the lowest first.
FIVE = {
    "high card": ["high card"],
    "pair": ["pair"],
    "pair of tens or better": ["pair of tens or better", "pair"],
    "two pair": ["two pair"],
    "three of a kind": ["three of a kind"],
    "straight": ["straight"],
    "flush": ["flush"],
    "full house": ["full house"],
    "four of a kind": ["four of a kind"],
    "straight flush": ["straight flush"],
    "royal flush": ["royal flush"],
    "super royal": ["super royal", "royal flush"],
    "super royal of diamonds": ["super royal of diamonds", "super royal", "royal flush"],
}
FIVE_TITLES = list(FIVE.values())
FIVE_NAMES = list(FIVE)
FIVES = len(FIVE)
_CODE = {name: code for code, name in enumerate(FIVE)}

DIAMONDS = hands.SUITS.index("d")
ROYAL_RANKS = 0b1111100000000
SUPER_RANKS = 0b1111110000000
WHEEL_RANKS = 0b1000000001111
# Three bits for each rank hold how often it occurs.
_ONES = np.int64(sum(1 << 3 * rank for rank in range(13)))
_TENS = np.int64(sum(1 << 3 * rank for rank in range(8, 13)))

HANDS: Array = np.array(list(combinations(range(52), 3)), dtype=np.int64)
PAIRS: Array = np.array(list(combinations(range(52), 2)), dtype=np.int64)


def names(cards: tuple[int, ...]) -> list[str]:
    return [hands.DECK[card] for card in cards]


def three_code(cards: tuple[int, ...]) -> int:
    """Return the index of the hand's name in `THREE`."""
    title = hands.three_card_titles(names(cards))[0]
    if title == "straight" and {card // 4 for card in cards} == {10, 11, 12}:
        title = "ace-king-queen"
    if title.startswith("mini royal of"):
        title = "mini royal of spades" if title.endswith("spades") else "mini royal"
    return list(THREE).index(title)


@cache
def three_codes() -> Array:
    return np.array([three_code(tuple(cards)) for cards in HANDS.tolist()])


def strength(cards: tuple[int, ...], order: str) -> hands.Strength:
    """Return a hand's strength by T1, or by another reading of how hands are ordered."""
    kind, deciding = hands.three_card_strength(names(cards))
    if order == "card by card":
        # Maryland 6.E word for word: the highest card that the other hand lacks, the ace high.
        return kind, tuple(sorted((card // 4 for card in cards), reverse=True))
    if order == "as five cards":
        # California's "standard poker rankings": flush over straight over three of a kind.
        return {4: 2, 3: 3, 2: 4}.get(kind, kind), deciding
    assert order == "t1"
    return kind, deciding


@cache
def strengths(order: str) -> Array:
    """A number for each hand of `HANDS`; equal hands have equal numbers."""
    found = [strength(tuple(cards), order) for cards in HANDS.tolist()]
    places = {value: place for place, value in enumerate(sorted(set(found)))}
    return np.array([places[value] for value in found])


@cache
def qualifies() -> Flags:
    return np.array([hands.queen_high_or_better(names(tuple(c))) for c in HANDS.tolist()])


class HandClass(NamedTuple):
    """A hand that represents all those that every book treats alike."""

    cards: tuple[int, int, int]
    weight: int


@cache
def classes() -> list[HandClass]:
    """Group hands that exchanging suits turns into one another.

    Only three cards of one suit, nine or higher, can become a hand that is paid by its suit; these
    stay on their own.
    """
    keys = np.full(len(HANDS), 1 << 20, dtype=np.int64)
    for suits in permutations(range(4)):
        moved = np.sort(HANDS // 4 * 4 + np.array(suits)[HANDS % 4], axis=1)
        keys = np.minimum(keys, moved @ np.array([52 * 52, 52, 1]))
    apart = (HANDS[:, :1] % 4 == HANDS % 4).all(axis=1) & (HANDS // 4 >= 7).all(axis=1)
    keys[apart] = HANDS[apart] @ np.array([52 * 52, 52, 1])
    _, first, weights = np.unique(keys, return_index=True, return_counts=True)
    found = zip(HANDS[first].tolist(), weights.tolist(), strict=True)
    return [HandClass((a, b, c), weight) for (a, b, c), weight in found]


class Groups(NamedTuple):
    """Groups of cards with their bits, ranks and suits; adding these joins two groups."""

    cards: Array
    bits: Array  # A bit for each card.
    ranks: Array  # Three bits for each rank: how often it occurs.
    suits: Array  # One mask of ranks for each suit, in the rows.


def groups(cards: Array) -> Groups:
    bits = (np.int64(1) << cards).sum(axis=1)
    ranks = (np.int64(1) << 3 * (cards // 4)).sum(axis=1)
    masks = np.int64(1) << cards // 4
    suits = [np.where(cards % 4 == suit, masks, 0).sum(axis=1) for suit in range(4)]
    return Groups(cards, bits, ranks, np.array(suits))


THREES = groups(HANDS)
TWOS = groups(PAIRS)


def places_without(all_groups: Groups, cards: tuple[int, ...]) -> Array:
    """Return the indices of the groups that share no card with `cards`."""
    return np.flatnonzero(all_groups.bits & sum(1 << card for card in cards) == 0)


def runs(mask: int, *, wheel: bool) -> bool:
    """Whether five ranks in a row are among those of the mask."""
    return any(mask >> low & 0b11111 == 0b11111 for low in range(9)) or (
        wheel and mask & WHEEL_RANKS == WHEEL_RANKS
    )


@cache
def straights(*, wheel: bool) -> Array:
    """Return the straight that each mask of ranks makes, if any."""
    return np.array([_CODE["straight"] * runs(mask, wheel=wheel) for mask in range(1 << 13)])


@cache
def flushes(*, wheel: bool) -> Array:
    """Return the flush or better that each mask of ranks within one suit makes, if any."""
    found = np.zeros(1 << 13, dtype=np.int64)
    for mask in range(1 << 13):
        if mask.bit_count() >= 5:
            found[mask] = _CODE["straight flush" if runs(mask, wheel=wheel) else "flush"]
        if mask & ROYAL_RANKS == ROYAL_RANKS:
            found[mask] = _CODE["royal flush"]
        if mask & SUPER_RANKS == SUPER_RANKS:
            found[mask] = _CODE["super royal"]
    return found


def sets(ranks: Array) -> Array:
    """Return the hand that the counts of the ranks make, apart from straights and flushes."""
    fours = ranks >> 2 & _ONES
    threes = np.bitwise_count(ranks & ranks >> 1 & _ONES)
    twos = ranks >> 1 & ~ranks & _ONES
    pairs = np.bitwise_count(twos)
    return np.select(
        [
            fours != 0,
            (threes == 2) | ((threes == 1) & (pairs > 0)),
            threes == 1,
            pairs >= 2,
            (twos & _TENS) != 0,
            pairs == 1,
        ],
        [_CODE[name] for name in ("four of a kind", "full house", "three of a kind", "two pair")]
        + [_CODE["pair of tens or better"], _CODE["pair"]],
        default=0,
    )


def five_codes(
    cards: tuple[int, ...], all_groups: Groups, places: Array, *, wheel: bool = True
) -> Array:
    """Return the index in `FIVE` of the best five of `cards` and each group at `places`."""
    own = groups(np.array([cards]))
    found = sets(own.ranks + all_groups.ranks[places])
    all_ranks = np.zeros_like(places)
    for suit in range(4):
        mask = own.suits[suit] + all_groups.suits[suit][places]
        code = flushes(wheel=wheel)[mask]
        if suit == DIAMONDS:
            code[code == _CODE["super royal"]] = _CODE["super royal of diamonds"]
        found = np.maximum(found, code)
        all_ranks |= mask
    return np.maximum(found, straights(wheel=wheel)[all_ranks])
