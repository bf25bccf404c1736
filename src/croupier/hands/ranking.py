"""The order of hands: the class of a hand, and how hands of one class compare.

A *strength* is an int: the better hand has the higher one, and equal strengths tie. It is readable
in hexadecimal: the class, then the ranks in comparison order, 2 to E for the ace, and 1 for a low
ace. `0x1AA4` is a pair of tens with a four, `0x454321` the lowest five-card straight. This is the
only definition of the order: `lookup` fills its tables from it, and `arrays` computes the same for
all hands of its tables at once.
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
        "royal flush": ("straight flush",),
        "super royal": ("royal flush", "straight flush"),
    }
)
"""The wider classes that pay a hand whose own class isn't in the paytable (T2, M1)."""

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
"""The classes by the number of cards of each rank, largest first."""

ACE = 14
"""The digit of a high ace."""


class Ranking(NamedTuple):
    """One reading of the order of hands; the default is the one chosen by the rulings."""

    card_by_card: bool = False
    """Compare three-card hands of one class card by card, the ace always high.

    This is Maryland 6.E read literally, against ruling T1.
    """

    as_five_cards: bool = False
    """Rank three cards as five, with flush over straight over three of a kind.

    This is California's `standards` read without its bonus table, against ruling T1.
    """

    wheel: bool = True
    """Count A-2-3-4-5 as a straight in hands of five and six cards (M11)."""

    def names(self, size: int) -> tuple[str, ...]:
        """The classes of hands of `size` cards, lowest first."""
        return _THREE_AS_FIVE if self.as_five_cards and size == 3 else NAMES[size]


STANDARD = Ranking()


def strength_of_ranks(ranks: Sequence[int], *, suited: bool, ranking: Ranking) -> int:
    """Return the strength of three or five cards from their ranks."""
    size = len(ranks)
    values = sorted([rank + 2 for rank in ranks], reverse=True)
    digits = sorted(values, key=values.count, reverse=True)
    name = SHAPES[tuple(map(values.count, digits))]
    if name == "high card":
        # An ace above the lowest ranks makes the lowest straight. Only three cards take the ace low
        # under every reading, since 6.B is about them (M11).
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
    """Return the class of a strength as an index into `Ranking.names(size)`."""
    return strength >> (12 if size == 3 else 20)


def least_high(rank: int, size: int, kicker: int | None = None) -> int:
    """Return the lowest strength of a hand with this high card, below any pair (T3).

    `kicker` is the lowest second card.
    """
    digits = rank + 2 << 4 | (0 if kicker is None else kicker + 2)
    return digits << (4 if size == 3 else 12)


def least_pair(rank: int, size: int) -> int:
    """Return the lowest strength of a hand with a pair of this rank."""
    pair = NAMES[size].index("pair") << 8 | rank + 2 << 4 | rank + 2
    return pair << (4 if size == 3 else 12)


def strength_digits(strength: int, size: int) -> tuple[int, ...]:
    """Return the ranks in a strength, 2 to 14 (1 for a low ace); of six cards, the best five."""
    return tuple(strength >> 4 * place & 15 for place in reversed(range(min(size, 5))))
