"""The figures of an analysis, from the number of deals for every net result."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.reference.odds_cards import Array
from tests.reference.odds_rules import Game, Stakes

Numbers = NDArray[Any]
Distribution = dict[Fraction, Fraction]


@dataclass(frozen=True)
class Figures:
    bet: Stakes
    expected_value: Fraction
    house_edge: Fraction
    average_wagered: Fraction
    element_of_risk: Fraction
    variance: Fraction
    hit_frequency: Fraction
    distribution: tuple[tuple[Fraction, Fraction], ...]
    break_even: dict[str, Fraction | None] | None


@dataclass(frozen=True)
class Result:
    """The result of a strategy: its net results, and the average wagered."""

    distribution: Distribution
    average_wagered: Fraction

    @property
    def mean(self) -> Fraction:
        return sum((net * chance for net, chance in self.distribution.items()), Fraction(0))


def scaled(nets: Numbers) -> tuple[Numbers, int]:
    """Fractions as whole numbers over a common denominator."""
    denominator = lcm(*(net.denominator for net in nets.flat))
    whole = np.array([int(net * denominator) for net in nets.flat], dtype=object)
    return whole.reshape(nets.shape), denominator


def safe(nets: Numbers, deals: int) -> type:
    """A type in which the nets of so many deals can be added up without overflow."""
    largest = max(abs(int(net)) for net in nets.flat)
    return np.int64 if largest * deals < 1 << 62 else object


def weighed(counts: Array, nets: Numbers, codes: Array) -> Numbers:
    """For each row of counts: its counts times the nets for the row's code, added up."""
    kind = safe(nets, int(counts[0].sum()))
    found: Numbers = np.zeros(len(counts), dtype=kind)
    for code in np.unique(codes):
        rows = codes == code
        flat = counts[rows].reshape(int(rows.sum()), -1).astype(kind)
        found[rows] = flat @ nets[code].reshape(-1).astype(kind)
    return found


def as_chances(counts: Mapping[Fraction, int]) -> Distribution:
    total = sum(counts.values())
    return {net: Fraction(count, total) for net, count in sorted(counts.items()) if count}


# How a game with given meters is best played and then evaluated with other meters.
Evaluate = Callable[[Game], Result]
Choose = Callable[[Game], Evaluate]


def with_envy(game: Game, mean: Fraction, others: int) -> Fraction:
    hands = others + (1 if game.reading.own_envy else 0)
    return mean + hands * game.envy()


def break_even(game: Game, choose: Choose, others: int) -> dict[str, Fraction | None] | None:
    """Return the break-even of each meter, with the others unchanged."""
    if not game.meters:
        return None
    return {name: zero_of(game, choose, meter=name, others=others) for name in game.meters}


def zero_of(game: Game, choose: Choose, *, meter: str, others: int) -> Fraction | None:
    """Newton's method: the value is piecewise linear, one piece for each best strategy.

    On a piece the way to play is kept, so the value at the next zero of its line tells whether
    the way is still the best there. The value never falls and bends upwards only, so that after
    the first step amounts only come down. An amount below nothing says that even an empty meter
    leaves a gain.
    """
    amount = game.meters[meter]
    for _ in range(100):
        here, more = game.with_meters({meter: amount}), game.with_meters({meter: amount + 1})
        evaluate = choose(here)
        value = with_envy(here, evaluate(here).mean, others)
        if value == 0:
            return amount
        slope = with_envy(more, evaluate(more).mean, others) - value
        if slope == 0:
            return None
        amount -= value / slope
    raise AssertionError("no end to the search")


def figures(game: Game, choose: Choose, others: int) -> Figures:
    result = choose(game)(game)
    value = with_envy(game, result.mean, others)
    squares = sum(net * net * chance for net, chance in result.distribution.items())
    opening = sum(game.stakes.values(), Fraction(0))
    return Figures(
        bet=game.stakes,
        expected_value=value,
        house_edge=-value / opening,
        average_wagered=result.average_wagered,
        element_of_risk=-value / result.average_wagered,
        variance=squares - result.mean**2,
        hit_frequency=sum((c for net, c in result.distribution.items() if net > 0), Fraction(0)),
        distribution=tuple(sorted(result.distribution.items())),
        break_even=break_even(game, choose, others),
    )
