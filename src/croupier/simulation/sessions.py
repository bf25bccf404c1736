"""Simulates sessions and bankrolls, to show the spread that an expected value hides.

Rounds are drawn from the exact distribution of an analysis with integer arithmetic: a net comes
with its exact probability, not with a float near it.
"""

from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from croupier.errors import UserError
from croupier.money import parse_fraction
from croupier.odds.analysis import Analysis
from croupier.odds.bets import Units
from croupier.simulation.blocks import Key, Report, blocks, check_range, generator, played
from croupier.simulation.histogram import Frequencies, Histogram, count_values, merged

BLOCK = 1_000
"""Sessions per random generator."""
_DRAWN_MAX = 1 << 20
_ROUNDS_MAX = 10**7
_COUNT_MAX = 10**8
_SAFE = 1 << 62
_STREAM = 1


@dataclass(frozen=True, slots=True)
class _Session:
    """What a worker needs to play sessions."""

    nets: tuple[int, ...]
    upto: tuple[int, ...]
    """Cumulative counts of deals by net."""
    rounds: int
    bankroll: int | None
    needed: int


def play_sessions(
    analysis: Analysis,
    *,
    rounds: int,
    count: int,
    seed: int,
    bankroll: Units | None = None,
    executor: Executor | None = None,
    report: Report | None = None,
) -> "Sessions":
    """Play sessions of this many rounds each, with a bankroll in units or unlimited money.

    A player who can't cover the most that a round may require, whatever they choose, is ruined and
    leaves.
    """
    check_range("session", rounds, _ROUNDS_MAX)
    check_range("sessions", count, _COUNT_MAX)
    found = analysis.solved.nets
    scale = analysis.solved.priced.scale
    needed = int(max(path.wagered for path in analysis.model.paths) * scale / 100)
    start = None if bankroll is None else int(parse_fraction(bankroll, "bankroll") * scale)
    if start is not None and start < needed:
        least = Fraction(needed, scale)
        raise UserError(f"does not suffice for one round, which takes {least}", field="bankroll")
    nets = sorted(found)
    if max(abs(nets[0]), abs(nets[-1])) * rounds >= _SAFE:
        raise UserError("is too long for these payouts", field="session")
    upto = tuple(np.cumsum([found[net] for net in nets]).tolist())
    task = _Session(tuple(nets), upto, rounds, start, needed)
    jobs = ((task, (seed, _STREAM, n, 0), many) for n, many in blocks(count, BLOCK))
    done = [*played(_sessions, jobs, executor=executor, report=report)]
    return Sessions(
        analysis,
        rounds,
        None if start is None else Fraction(start, scale),
        results=Histogram(merged([results for results, _ in done]), scale),
        ruined=Histogram(ruins, 1) if (ruins := merged([ruins for _, ruins in done])) else None,
    )


def _sessions(task: _Session, key: Key, count: int) -> tuple[Frequencies, Frequencies]:
    """Play a block of sessions; return their nets, and the rounds played before ruin."""
    rng = generator(key)
    nets, upto = np.array(task.nets), np.array(task.upto)
    result = np.zeros(count, np.int64)
    playing = np.arange(count)
    ruins: Frequencies = {}
    step = max(1, _DRAWN_MAX // count)
    for start in range(0, task.rounds, step):
        many = min(step, task.rounds - start)
        drawn = np.searchsorted(upto, rng.integers(0, upto[-1], (len(playing), many)), "right")
        so_far = nets[drawn].cumsum(axis=1)
        so_far += result[playing, None]
        if task.bankroll is None:
            result[playing] = so_far[:, -1]
            continue
        broke = so_far + task.bankroll < task.needed
        broke[:, -1] &= start + many < task.rounds  # After the last round nothing is needed.
        out = broke.any(axis=1)
        last = np.where(out, broke.argmax(axis=1), many - 1)
        result[playing] = so_far[np.arange(len(playing)), last]
        ruins = merged([ruins, count_values(start + 1 + last[out])])
        playing = playing[~out]
        if not len(playing):
            break
    return count_values(result), ruins


class Sessions:
    """The results of sessions of one length."""

    def __init__(
        self,
        analysis: Analysis,
        rounds: int,
        bankroll: Fraction | None,
        *,
        results: Histogram,
        ruined: Histogram | None,
    ) -> None:
        self.analysis = analysis
        self.rounds = rounds
        self.bankroll = bankroll
        self.results = results
        """The nets of the sessions, in units."""
        self.ruined = ruined
        """After how many rounds players were ruined; None if none was."""

    @property
    def count(self) -> int:
        return self.results.count

    @property
    def ahead(self) -> Fraction:
        """The share of sessions that end ahead."""
        return self.results.part(lambda net: net > 0)

    @property
    def even(self) -> Fraction:
        return self.results.part(lambda net: net == 0)

    @property
    def risk_of_ruin(self) -> Fraction | None:
        """The share of sessions that go broke before the last round; None without a bankroll."""
        if self.bankroll is None:
            return None
        return Fraction(self.ruined.count if self.ruined else 0, self.count)

    @property
    def expected(self) -> Fraction:
        """The exact average net of a session with unlimited money."""
        return self.rounds * self.analysis.solved.expected_cents / 100

    def chart(self) -> str:
        """Draw the results of the sessions."""
        words = f"{self.count:,} sessions of {self.rounds:,} rounds"
        desc = f"Net of {words} in units; {float(self.ahead):.1%} end ahead."
        return self.results.chart(title=f"How {words} end", desc=desc)

    def _repr_svg_(self) -> str:
        return self.chart()

    def as_json(self) -> dict[str, Any]:
        risk = self.risk_of_ruin
        return {
            "bet": {name: str(units) for name, units in self.analysis.bet.items()},
            "rounds": self.rounds,
            "sessions": self.count,
            "bankroll": None if self.bankroll is None else str(self.bankroll),
            "expected_value": str(self.expected),
            "net": self.results.as_json(),
            "ahead": str(self.ahead),
            "even": str(self.even),
            "risk_of_ruin": None if risk is None else str(risk),
            "ruined_after": self.ruined.as_json() if self.ruined else None,
        }
