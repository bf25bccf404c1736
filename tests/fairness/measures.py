"""What statistics say of many shuffles, each measure as a p-value that is exact for large numbers.

A fit that is too good is as suspicious as one that is too bad, so every value is two-sided.
"""

import math
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from tests.fairness.arrays import CARDS, Bytes, Shuffle, words_of_the_system

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

ALPHA = 0.01
CHUNK = 50_000
MIDDLE = (CARDS - 1) / 2
VARIANCE = (CARDS**2 - 1) / 12
"""The variance of the number of one card, from 0 to 51."""


@dataclass
class Tally:
    """Counts over shuffles, to which more can be added."""

    shuffles: int = 0
    positions: Ints = field(default_factory=lambda: np.zeros(CARDS * CARDS, np.int64))
    pairs: Ints = field(default_factory=lambda: np.zeros(CARDS * CARDS, np.int64))
    descents: Ints = field(default_factory=lambda: np.zeros(CARDS, np.int64))
    within: Floats = field(default_factory=lambda: np.zeros(2))
    """The sum of the products of neighbours, deck by deck, and the sum of their squares."""
    between: Floats = field(default_factory=lambda: np.zeros(2))
    """The sum of the products with the deck before, and how many there were."""

    def add(self, decks: Bytes) -> None:
        """Count these decks as well."""
        cards = decks.astype(np.int64)
        self.shuffles += len(decks)
        places = np.arange(CARDS) * CARDS
        self.positions += np.bincount((cards + places).ravel(), minlength=CARDS**2)
        neighbours = cards[:, :-1] * CARDS + cards[:, 1:]
        self.pairs += np.bincount(neighbours.ravel(), minlength=CARDS**2)
        falls = (decks[:, 1:] < decks[:, :-1]).sum(axis=1)
        self.descents += np.bincount(falls, minlength=CARDS)
        centred = decks - MIDDLE
        products = (centred[:, 1:] * centred[:, :-1]).sum(axis=1)
        self.within += products.sum(), (products**2).sum()
        self.between += (centred[1:] * centred[:-1]).sum(), len(decks) - 1

    def p_values(self) -> dict[str, float]:
        """How likely what was counted, or something stranger, is with an honest shuffle."""
        return {
            "positions": self._positions(),
            "pairs": self._pairs(),
            "runs": self._runs(),
            "within a deal": self._within(),
            "with the deal before": self._between(),
        }

    def _positions(self) -> float:
        """Every card is equally often at every position.

        Rows and columns have fixed sums, and a card at one position makes the others likelier at
        the rest: the sum of squares is 52/51 times a chi-square of 51 * 51 degrees.
        """
        expected = self.shuffles / CARDS
        squares = float(((self.positions - expected) ** 2).sum()) / expected
        return two_sided(squares * (CARDS - 1) / CARDS, (CARDS - 1) ** 2)

    def _pairs(self) -> float:
        """Every card is equally often followed by every other.

        Without what first and last cards account for, the covariance of the counts has one value
        for the symmetric part of the table and (n + 1) / (n - 1) times that for the other.
        """
        table = self.pairs.reshape(CARDS, CARDS) - self.shuffles / CARDS
        np.fill_diagonal(table, 0)
        even, odd = (table + table.T) / 2, (table - table.T) / 2
        rows = even.sum(axis=1)
        share = (rows - rows.sum() / (2 * CARDS - 2)) / (CARDS - 2)
        even -= share[:, None] + share[None, :]
        np.fill_diagonal(even, 0)
        share = odd.sum(axis=1) / CARDS
        odd -= share[:, None] - share[None, :]
        scale = CARDS / self.shuffles
        squares = (even**2).sum() * scale
        squares += (odd**2).sum() * scale * (CARDS - 1) / (CARDS + 1)
        degrees = CARDS * (CARDS - 3) // 2 + (CARDS - 1) * (CARDS - 2) // 2
        return two_sided(float(squares), degrees)

    def _runs(self) -> float:
        """Decks have as many rising runs as Euler's numbers say."""
        expected = self.shuffles * eulerian()
        kept = expected >= 10
        squares = float((((self.descents - expected) ** 2)[kept] / expected[kept]).sum())
        rest = float(expected[~kept].sum())
        squares += (float(self.descents[~kept].sum()) - rest) ** 2 / max(rest, 1e-9)
        return two_sided(squares, int(kept.sum()))

    def _within(self) -> float:
        """Neighbours in a deal are as little related as a deck without repeats allows."""
        mean = self.within[0] / self.shuffles
        variance = self.within[1] / self.shuffles - mean**2
        return two_tails((mean + VARIANCE) / math.sqrt(variance / self.shuffles))

    def _between(self) -> float:
        """A deal has nothing to do with the one before."""
        variance = (CARDS * VARIANCE) ** 2 / (CARDS - 1)
        return two_tails(self.between[0] / math.sqrt(self.between[1] * variance))


def eulerian() -> Floats:
    """The chance of each number of descents in a shuffled deck."""
    chances = np.array([1.0])
    for n in range(2, CARDS + 1):
        k = np.arange(n)
        stays = np.append(chances, 0) * (k + 1)
        rises = np.insert(chances, 0, 0) * (n - k)
        chances = (stays + rises) / n
    return chances


def two_tails(z: float) -> float:
    """The chance of a normal value so far from zero."""
    return math.erfc(abs(z) / math.sqrt(2))


def two_sided(squares: float, degrees: int) -> float:
    """The chance of a chi-square so far out, on either side."""
    above = chi_square_above(squares, degrees)
    return min(1.0, 2 * min(above, 1 - above))


def chi_square_above(squares: float, degrees: int) -> float:
    """The chance of a chi-square above this one: the incomplete gamma function, by its series."""
    a, x = degrees / 2, squares / 2
    if x <= 0:
        return 1.0
    start = math.exp(a * math.log(x) - x - math.lgamma(a))
    if x < a + 1:
        term = total = 1 / a
        step = a
        while term > total * 1e-15:
            step += 1
            term *= x / step
            total += term
        return 1 - total * start
    # Lentz's way through the continued fraction.
    b = x + 1 - a
    c, d = 1e300, 1 / b
    fraction = d
    for i in range(1, 100_000):
        factor = -i * (i - a)
        b += 2
        d = 1 / (factor * d + b)
        c = b + factor / c
        fraction *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return fraction * start


def rejected(values: dict[str, float]) -> list[str]:
    """The measures that fail together at ALPHA, by Holm's method."""
    found = []
    for left, (name, value) in enumerate(sorted(values.items(), key=lambda item: item[1])):
        if value > ALPHA / (len(values) - left):
            break
        found.append(name)
    return found


def tally(shuffle: Shuffle, count: int) -> Tally:
    """Counts over fresh shuffles, made a chunk at a time."""
    counted = Tally()
    for start in range(0, count, CHUNK):
        counted.add(shuffle(words_of_the_system(min(CHUNK, count - start))))
    return counted


def faults(shuffle: Shuffle, count: int) -> list[str]:
    """What fails, and fails again with fresh shuffles: an honest one does once in 10,000 times."""
    first = rejected(tally(shuffle, count).p_values())
    return rejected(tally(shuffle, count).p_values()) if first else []
