"""Simulates rounds: any bet of any book, at one or more seats, on any number of workers.

The figures of a seed are the same on all of them.
"""

from collections.abc import Mapping
from concurrent.futures import Executor
from fractions import Fraction
from functools import cached_property
from math import erfc, log, sqrt
from typing import Any

import numpy as np

from croupier.errors import UserError
from croupier.odds import envy
from croupier.odds.analysis import Analysis, analyses, analyze
from croupier.odds.bets import Units
from croupier.rules.table_rules import TableRules
from croupier.simulation.blocks import (
    BlockPlayer,
    Key,
    Report,
    blocks,
    check_range,
    generator,
    packed,
    play_packed,
    played,
)
from croupier.simulation.simulator import SimulationTask, Simulator, Tally, boxes

BLOCK = 1 << 20
"""Rounds per random generator. Another size gives other figures for the same seed."""
ROUNDS_MAX = 10**13
ALARM = 5
"""How many standard errors a mean may be from the exact value before something is wrong."""


def simulate(
    rules: TableRules,
    bet: Mapping[str, Units] | None = None,
    *,
    rounds: int,
    seed: int,
    seats: int = 1,
    meters: Mapping[str, Units] | None = None,
    strategy: str | None = None,
    executor: Executor | None = None,
    report: Report | None = None,
) -> "Simulation":
    """Deal rounds in which every seat makes the same bet and follows the same strategy.

    Bet, meters and strategy are those of `analyze`. With an executor, its workers deal the blocks;
    `report` is called with the number of rounds as they finish.
    """
    exact = analyze(rules, bet, meters=meters, strategy=strategy)
    return _simulate(exact, (rounds, seed, 0), seats=seats, executor=executor, report=report)


def simulations(
    rules: TableRules,
    *,
    rounds: int,
    seed: int,
    seats: int = 1,
    meters: Mapping[str, Units] | None = None,
    executor: Executor | None = None,
    report: Report | None = None,
) -> tuple["Simulation", ...]:
    """Simulate every offered wager on its own, the opening one first."""
    return tuple(
        _simulate(exact, (rounds, seed, number), seats=seats, executor=executor, report=report)
        for number, exact in enumerate(analyses(rules, meters=meters))
    )


def _simulate(
    exact: Analysis,
    numbers: tuple[int, int, int],
    *,
    seats: int,
    executor: Executor | None,
    report: Report | None,
) -> "Simulation":
    rounds, seed, stream = numbers
    check_range("rounds", rounds, ROUNDS_MAX)
    if seed < 0:
        raise UserError(f"{seed} is negative", field="seed")
    boxes(exact.rules, seats)
    task = SimulationTask(exact.rules, exact.bet, exact.meters, exact.named, seats)
    simulator = Simulator(task, exact)
    tally = Tally(np.zeros(simulator.cases.count, np.int64))

    def play_here(_: None, key: Key, count: int) -> Tally:
        return simulator.block(generator(key), count)

    play: BlockPlayer = play_packed if executor else play_here
    given = packed(Simulator, task) if executor else None
    jobs = ((given, (seed, stream, n), count) for n, count in blocks(rounds, BLOCK))
    for found in played(play, jobs, executor=executor, report=report):
        tally.add(found)
    return Simulation(exact, simulator, tally, rounds=rounds)


class Simulation:
    """The results of simulated rounds, beside the exact analysis."""

    def __init__(self, exact: Analysis, simulator: Simulator, tally: Tally, *, rounds: int) -> None:
        self.exact = exact
        self.rounds = rounds
        self.seats = sum(simulator.boxes)
        self.scale = simulator.scale
        self.counts = simulator.nets_of(tally)
        """How often a seat had each net, as integers of the scale."""
        self._totals = tally.totals or self.counts
        self.expected_value = _expected(exact, simulator)
        """The exact value at one of these seats, including envy between them."""

    @cached_property
    def mean(self) -> Fraction:
        """The average net of a seat, in units."""
        whole = sum(net * times for net, times in self._totals.items())
        return Fraction(whole, self.rounds * self.seats * self.scale)

    @cached_property
    def variance(self) -> Fraction:
        """The variance of a round's total net over all seats, divided by their number squared."""
        first = sum(net * times for net, times in self._totals.items())
        second = sum(net * net * times for net, times in self._totals.items())
        spread = Fraction(second * self.rounds - first * first, max(self.rounds - 1, 1))
        return spread / self.rounds / (self.seats * self.scale) ** 2

    @property
    def standard_error(self) -> float:
        """The standard error of the mean; seats of one round are correlated, so rounds count."""
        return sqrt(self.variance / self.rounds)

    @property
    def error_expected(self) -> float:
        """The standard error that the exact analysis predicts.

        Rounds in which nothing rare happened don't show how rare and costly it is; the analysis
        does. Seats of one round are never negatively correlated.
        """
        return max(self.standard_error, sqrt(self.exact.variance / self.rounds / self.seats))

    @property
    def errors_apart(self) -> float:
        """How many standard errors the mean is from the exact value."""
        error = self.error_expected
        return float(self.mean - self.expected_value) / error if error else 0.0

    @property
    def is_outside(self) -> bool:
        """Whether the mean is too far from the exact value to be chance.

        Uses Bernstein's inequality with the probability of `ALARM` standard errors: for frequent
        payouts the bound is hardly wider than that, for rare and large ones as wide as it must be.
        """
        apart = abs(float(self.mean - self.expected_value))
        expected = float(self.expected_value)
        nets = (abs(n / self.scale - expected) for n in (*self.counts, *self.exact.solved.nets))
        variance = self.error_expected**2 * self.rounds
        bound = 2 * log(2 / _tail(ALARM)) * (variance + max(nets) * apart / 3)
        return self.rounds * apart * apart > bound

    @cached_property
    def distribution(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """Every net of a seat that came up, in units, and its frequency."""
        whole = self.rounds * self.seats
        return tuple(
            (Fraction(net, self.scale), Fraction(times, whole))
            for net, times in sorted(self.counts.items())
        )

    def as_json(self) -> dict[str, Any]:
        """Return the simulation as JSON data."""
        whole = self.rounds * self.seats
        return {
            "bet": {name: str(units) for name, units in self.exact.bet.items()},
            "mean": float(self.mean),
            "standard_error": self.standard_error,
            "expected_value": str(self.expected_value),
            "errors_apart": self.errors_apart,
            "distribution": [
                {"net": str(net), "probability": str(chance), "count": int(chance * whole)}
                for net, chance in self.distribution
            ],
        }

    def __repr__(self) -> str:
        bet = " + ".join(f"{units} {name}" for name, units in self.exact.bet.items())
        mean, error = float(self.mean), self.standard_error
        return f"<Simulation of {bet}: {mean:.6f} ± {error:.6f} in {self.rounds:,} rounds>"


def _expected(exact: Analysis, simulator: Simulator) -> Fraction:
    """Return the exact value at one of several seats; folded hands may not be envied."""
    rules, bet = exact.rules, exact.bet
    own = envy.expected(rules, bet, others=0)
    other = envy.expected(rules, bet, others=1) - own
    if other and simulator.others:
        other -= simulator.not_envied / simulator.scale
    return exact.solved.expected_cents / 100 + own + simulator.others * other


def _tail(errors: float) -> float:
    """Return the probability of being at least this many standard errors away."""
    return erfc(errors / sqrt(2))
