"""What a session and a bankroll come to: spreads that an expected value does not show.

Rounds are drawn from the exact distribution of an analysis, by whole numbers: a net comes with
the probability that it has, not with a float near it.
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
from croupier.odds.simulation import Report, generator
from croupier.odds.spread import Histogram, Spread, all_done, blocks, check_range, histogram, merged

BLOCK = 1_000
"""Sessions of one generator."""
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
    """How many deals end in each net or in one before it."""
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
    """Play sessions of so many rounds each, with a bankroll in units or with no end of money.

    Whoever cannot lay out all that a round may ask for, whatever is chosen, is ruined and goes.
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
    jobs = [((task, (seed, _STREAM, n, 0), many), many) for n, many in blocks(count, BLOCK)]
    done = all_done(_sessions, jobs, executor=executor, report=report)
    return Sessions(
        analysis,
        rounds,
        None if start is None else Fraction(start, scale),
        results=Spread(merged([results for results, _ in done]), scale),
        ruined=Spread(ruins, 1) if (ruins := merged([ruins for _, ruins in done])) else None,
    )


def _sessions(task: _Session, key: tuple[int, ...], count: int) -> tuple[Histogram, Histogram]:
    """Play a block of sessions; return how they end, and after how many rounds the ruined do."""
    rng = generator(key)
    nets, upto = np.array(task.nets), np.array(task.upto)
    result = np.zeros(count, np.int64)
    playing = np.arange(count)
    ruins: Histogram = {}
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
        ruins = merged([ruins, histogram(start + 1 + last[out])])
        playing = playing[~out]
        if not len(playing):
            break
    return histogram(result), ruins


class Sessions:
    """How sessions of one length end."""

    def __init__(
        self,
        analysis: Analysis,
        rounds: int,
        bankroll: Fraction | None,
        *,
        results: Spread,
        ruined: Spread | None,
    ) -> None:
        self.analysis = analysis
        self.rounds = rounds
        self.bankroll = bankroll
        self.results = results
        """What the sessions net, in units."""
        self.ruined = ruined
        """After how many rounds the ruined were; None if nobody was."""

    @property
    def count(self) -> int:
        return self.results.count

    @property
    def ahead(self) -> Fraction:
        """How many sessions end with more than they began with."""
        return self.results.part(lambda net: net > 0)

    @property
    def even(self) -> Fraction:
        return self.results.part(lambda net: net == 0)

    @property
    def risk_of_ruin(self) -> Fraction | None:
        """How many sessions run out of money before their last round; None without a bankroll."""
        if self.bankroll is None:
            return None
        return Fraction(self.ruined.count if self.ruined else 0, self.count)

    @property
    def expected(self) -> Fraction:
        """What a session with no end of money nets on average, exactly."""
        return self.rounds * self.analysis.solved.expected_cents / 100

    def chart(self) -> str:
        """Draw how the sessions end."""
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
