"""Histograms of simulated results, in integers."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from croupier.errors import UserError
from croupier.svg import Bar, bar_chart

QUANTILES = tuple(Fraction(n, 100) for n in (1, 5, 25, 50, 75, 95, 99))
_BINS = 20

Frequencies = dict[int, int]


class Histogram:
    """How often each value came up; values are integers over a scale."""

    def __init__(self, counts: Mapping[int, int], scale: int) -> None:
        self.counts = dict(sorted(counts.items()))
        self.scale = scale
        self.count = sum(counts.values())

    @property
    def least(self) -> Fraction:
        return Fraction(next(iter(self.counts)), self.scale)

    @property
    def most(self) -> Fraction:
        return Fraction(next(reversed(self.counts)), self.scale)

    @property
    def mean(self) -> Fraction:
        whole = sum(value * times for value, times in self.counts.items())
        return Fraction(whole, self.count * self.scale)

    @property
    def standard_deviation(self) -> float:
        squares = sum(value * value * times for value, times in self.counts.items())
        return sqrt(Fraction(squares, self.count * self.scale**2) - self.mean**2)

    def quantile(self, part: Fraction) -> Fraction:
        """Return the smallest value that at least this share of all values don't exceed."""
        passed = 0
        for value, times in self.counts.items():
            passed += times
            if passed >= part * self.count:
                return Fraction(value, self.scale)
        raise UserError("nothing was drawn")

    def part(self, fits: Callable[[int], bool]) -> Fraction:
        """Return the share of values that fit."""
        return Fraction(sum(n for value, n in self.counts.items() if fits(value)), self.count)

    def bins(self) -> list[tuple[Fraction, Fraction, int]]:
        """Return bins as from, to and count, with a round step; the outer bins gather the tails."""
        low, high = (self.quantile(Fraction(n, 200)) for n in (1, 199))
        step = _round_step((high - low) / _BINS)
        first, last = low // step, high // step
        found: Frequencies = {}
        for value, times in self.counts.items():
            place = min(max(Fraction(value, self.scale) // step, first), last)
            found[place] = found.get(place, 0) + times
        return [
            (n * step, (n + 1) * step, found.get(n, 0)) for n in range(int(first), int(last) + 1)
        ]

    def chart(self, *, title: str, desc: str = "") -> str:
        """Draw a bar chart; the outer bars gather the tails."""
        bins = self.bins()
        bars = []
        for number, (low, high, times) in enumerate(bins):
            label = f"{_plain(low)} to {_plain(high)}"
            if number == 0 and low > self.least:
                label = f"below {_plain(high)}"
            if number == len(bins) - 1 and high < self.most:
                label = f"from {_plain(low)}"
            share = times / self.count
            bars.append(Bar(label, share, f"{share:.2%}", "loss" if high <= 0 else "win"))
        return bar_chart(bars, title=title, desc=desc)

    def as_json(self) -> dict[str, Any]:
        return {
            "mean": float(self.mean),
            "standard_deviation": self.standard_deviation,
            "least": str(self.least),
            "most": str(self.most),
            "quantiles": {str(float(part)): str(self.quantile(part)) for part in QUANTILES},
        }


def _plain(value: Fraction) -> str:
    return f"{float(value):,g}" if abs(value) < 1000 else f"{float(value):,.0f}"


def _round_step(least: Fraction) -> Fraction:
    """Return the smallest 1, 2 or 5 times a power of ten that is at least this much."""
    power = Fraction(1, 10**6)
    while True:
        for times in (1, 2, 5):
            if power * times >= least:
                return power * times
        power *= 10


def merged(histograms: Sequence[Frequencies]) -> Frequencies:
    """Add up counts by value."""
    whole: Frequencies = {}
    for one in histograms:
        for value, times in one.items():
            whole[value] = whole.get(value, 0) + times
    return whole


def count_values(values: NDArray[Any]) -> Frequencies:
    found, times = np.unique(values, return_counts=True)
    return dict(zip(found.tolist(), times.tolist(), strict=True))
