"""The three cards of a seat, by suit class, and the codes of hands in tables of counts.

Suits are equivalent until a paytable tells them apart, so the 22,100 hands of three cards fall into
1,755 classes, each with one example and the number of its hands. Where a row asks for a suit, the
same examples are used four times with their suits turned (`TURNS`), each with a quarter of the
weight: every class has a multiple of four hands.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, permutations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from croupier.cards import SUITS, Card
from croupier.errors import Bug
from croupier.hands.arrays import five_cards, six_cards, three_cards
from croupier.hands.ranking import Ranking

Ints = NDArray[np.int64]
Cards = NDArray[np.uint8]
Codes = NDArray[np.uint8]

TURNS = len(SUITS)
CODES = 256
"""A code is a byte: the class of the hand, and the rank of its set or the suit of a royal."""

_SETS = ("pair", "two pair", "three of a kind", "full house", "four of a kind")
ROYALS = ("mini royal", "royal flush", "super royal")
"""The hands whose suit a row may ask for."""
_STRENGTHS = {3: three_cards, 5: five_cards, 6: six_cards}


def _classes() -> Iterator[tuple[tuple[int, int, int], int]]:
    """Yield an example of every suit class, and how many hands it has."""
    for a, b, c in combinations(range(13), 3):
        for (x, y, z), weight in (
            ((0, 0, 0), 4), ((0, 0, 1), 12), ((0, 1, 0), 12), ((1, 0, 0), 12), ((0, 1, 2), 24),
        ):  # fmt: skip
            yield (a << 2 | x, b << 2 | y, c << 2 | z), weight
    for a in range(13):
        yield (a << 2, a << 2 | 1, a << 2 | 2), 4
        for b in range(13):
            if a != b:
                yield (a << 2, a << 2 | 1, b << 2), 12
                yield (a << 2, a << 2 | 1, b << 2 | 2), 12


_EXAMPLES = list(_classes())
SEATS: Cards = np.array([cards for cards, _ in _EXAMPLES], np.uint8)
"""An example of every suit class."""
WEIGHTS: Ints = np.array([weight for _, weight in _EXAMPLES], np.int64)
"""How many hands of the deck are in each class."""
HANDS = int(WEIGHTS.sum())
_FREE = np.ones((len(SEATS), 52), bool)
np.put_along_axis(_FREE, SEATS.astype(np.intp), values=False, axis=1)
REST: Cards = np.nonzero(_FREE)[1].astype(np.uint8).reshape(len(SEATS), -1)
"""The other cards of the deck, for every class."""


class Seats(NamedTuple):
    """The hands that represent all hands of a seat, with their weights and the rest of the deck."""

    cards: Cards
    weights: Ints
    rest: Cards


EVERY = Seats(SEATS, WEIGHTS, REST)
"""The suit classes, when no other cards are known."""


class SuitClass(NamedTuple):
    """The suit class of actual cards: its number, and the suit that each suit becomes in it."""

    number: int
    suits: tuple[int, ...]

    @property
    def turn(self) -> int:
        """How far the suits of the class's example are turned, for rows that ask for a suit."""
        return self.suits.index(0)

    def view(self, card: Card) -> int:
        """Return the index of an exposed card among those that the class may see."""
        there = card.rank << 2 | self.suits[card.suit]
        return int(np.searchsorted(REST[self.number], there))


def class_of(cards: Sequence[Card]) -> SuitClass:
    """Return the suit class of a seat's three cards."""
    for suits in permutations(range(len(SUITS))):
        there = tuple(sorted(card.rank << 2 | suits[card.suit] for card in cards))
        if there in _numbers():
            return SuitClass(_numbers()[there], suits)
    raise Bug(f"{cards} are in no class")


@cache
def _numbers() -> dict[tuple[int, ...], int]:
    return {tuple(sorted(cards)): number for number, (cards, _) in enumerate(_EXAMPLES)}


class Label(NamedTuple):
    """What a paytable asks of a hand."""

    name: str
    suit: int | None
    set_rank: int | None


def codes_of(cards: Cards, ranking: Ranking) -> Codes:
    """Return the code of every row of three, five or six cards."""
    size = cards.shape[1]
    strengths = _STRENGTHS[size](cards, ranking)
    # The rank of a set is the middle digit for three cards, and the first for five.
    digit, category = (strengths >> 4 & 15, strengths >> 12) if size == 3 else (
        strengths >> 16 & 15, strengths >> 20
    )  # fmt: skip
    names = ranking.names(size)
    is_set = np.array([name in _SETS for name in names])
    is_royal = np.array([name in ROYALS for name in names])
    codes = (category << 4 | np.where(is_set[category], digit, 0)).astype(np.uint8)
    for row in np.flatnonzero(is_royal[category]):
        codes[row] |= np.bincount(cards[row] & 3).argmax()
    return codes


def plays(strengths: Any, least: int) -> Any:
    """Return which strengths of three cards play for a bank that needs at least this one (T3)."""
    return strengths >= least


@cache
def label(code: int, size: int, ranking: Ranking) -> Label:
    """Return what a code stands for."""
    names = ranking.names(size)
    name, low = names[min(code >> 4, len(names) - 1)], code & 15
    if name in ROYALS:
        return Label(name, low & 3, None)
    return Label(name, None, low - 2 if name in _SETS else None)


def turned(one: Label, turn: int) -> Label:
    """Return the label of a hand after turning its suits."""
    return one if one.suit is None else one._replace(suit=(one.suit + turn) % TURNS)


@cache
def seat_codes(ranking: Ranking) -> Codes:
    """Return the code of every class of seats."""
    return codes_of(SEATS, ranking)
