"""The order of hands: which class a hand belongs to and how two of one class compare.

A *strength* is an int: the higher hand has the higher one, and equal strengths tie. In
hexadecimal it can be read: the class, then the ranks in the order in which they are compared,
2 to E for the ace, and 1 for an ace that counts low. `0x1AA4` is a pair of tens with a four,
`0x454321` the lowest straight of five cards. This is the one definition of the order: `lookup`
fills its tables from here, and `arrays` works out the same for all hands of its tables at once.
"""

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

_THREE = (
    *("high card", "pair", "flush", "straight"),
    *("three of a kind", "straight flush", "mini royal"),
)
_FIVE = (
    *("high card", "pair", "two pair", "three of a kind", "straight", "flush"),
    *("full house", "four of a kind", "straight flush", "royal flush"),
)

_THREE_AS_FIVE = (
    *("high card", "pair", "three of a kind", "straight"),
    *("flush", "straight flush", "mini royal"),
)

NAMES: Mapping[int, tuple[str, ...]] = MappingProxyType(
    {3: _THREE, 5: _FIVE, 6: (*_FIVE, "super royal")}
)
"""The classes of hands of three, five and six cards, lowest first (T1, T2; M1 for six)."""

ALSO: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "mini royal": ("straight flush",),
        "super royal": ("royal flush",),
    }
)
"""The class that a hand is paid as where a paytable does not list it (T2, M1).

A royal flush is none of the straight flushes (Let It Ride 6.C(2)), and every table lists it.
"""

SUPER_ROYAL = len(_FIVE) << 20 | 0xEDCBA

SHAPES = {
    (1, 1, 1): "high card",
    (2, 2, 1): "pair",
    (3, 3, 3): "three of a kind",
    (1, 1, 1, 1, 1): "high card",
    (2, 2, 1, 1, 1): "pair",
    (2, 2, 2, 2, 1): "two pair",
    (3, 3, 3, 1, 1): "three of a kind",
    (3, 3, 3, 2, 2): "full house",
    (4, 4, 4, 4, 1): "four of a kind",
}
"""The classes by how often each card's rank comes, the ranks that come most often first."""

ACE = 14
"""The digit of an ace that counts high."""


class Ranking(NamedTuple):
    """One reading of the order of hands; the rulings choose the standard one."""

    card_by_card: bool = False
    """Three cards of one class go by their cards from the highest down, the ace always high:
    Maryland 6.E read word for word, against ruling T1."""

    as_five_cards: bool = False
    """Three cards rank as five do, flush over straight over three of a kind: California's
    `standards` read without its bonus table, against ruling T1."""

    wheel: bool = True
    """A-2-3-4-5 is a straight in hands of five and six cards; against ruling M11 it is none."""

    def names(self, size: int) -> tuple[str, ...]:
        """The classes of hands of that many cards, lowest first."""
        return _THREE_AS_FIVE if self.as_five_cards and size == 3 else NAMES[size]


STANDARD = Ranking()


def strength_of_ranks(ranks: Sequence[int], *, suited: bool, ranking: Ranking) -> int:
    """Return the strength of three or five cards from their ranks."""
    size = len(ranks)
    values = sorted([rank + 2 for rank in ranks], reverse=True)
    digits = sorted(values, key=values.count, reverse=True)
    name = SHAPES[tuple(map(values.count, digits))]
    if name == "high card":
        # An ace above as many ranks as there are cards makes the lowest straight. Only three
        # cards take the ace low under every reading: 6.B speaks of them (M11).
        if digits[1] == size and digits[0] == ACE and (size == 3 or ranking.wheel):
            digits = [*digits[1:], 1]
        straight = digits[0] - digits[-1] == size - 1
        if straight and suited:
            name = NAMES[size][-1] if digits[0] == ACE else "straight flush"
        elif straight:
            name = "straight"
        elif suited:
            name = "flush"
    if ranking.card_by_card and size == 3:
        digits = values
    strength = ranking.names(size).index(name)
    for digit in digits:
        strength = strength << 4 | digit
    return strength


def category(strength: int, size: int) -> int:
    """Return the class of a strength of that many cards: an index into `Ranking.names`."""
    return strength >> (12 if size == 3 else 20)


def least_high(rank: int, size: int, kicker: int | None = None) -> int:
    """Return the least strength of so many cards with that rank high, below any pair (T3).

    With a kicker, that is the least second card beside the rank.
    """
    digits = rank + 2 << 4 | (0 if kicker is None else kicker + 2)
    return digits << (4 if size == 3 else 12)


def least_pair(rank: int, size: int) -> int:
    """Return the least strength of so many cards with a pair of that rank."""
    pair = NAMES[size].index("pair") << 8 | rank + 2 << 4 | rank + 2
    return pair << (4 if size == 3 else 12)


def strength_digits(strength: int, size: int) -> tuple[int, ...]:
    """Return the ranks in a strength, 2 to 14 (1 for a low ace); of six cards, of the best five."""
    return tuple(strength >> 4 * place & 15 for place in reversed(range(min(size, 5))))
