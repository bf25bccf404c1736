"""Simulates meters: how often they are hit, after how many wagers, and at what amount."""

from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from croupier.errors import UserError
from croupier.money import CENT_MICROS, contribution
from croupier.odds.analysis import on_its_own
from croupier.odds.bets import Units, parse_meters, unit_of
from croupier.odds.payoffs import cards_of, rows_by_code
from croupier.odds.seats import WEIGHTS, Ints
from croupier.odds.solve import Model
from croupier.rules.table_rules import TableMeter, TableRules
from croupier.simulation.blocks import Key, Report, blocks, check_range, generator, played
from croupier.simulation.histogram import Frequencies, Histogram, count_values, merged
from croupier.svg import Axis, Plot, line_chart

BLOCK = 1_000
"""Runs per random generator."""
_COUNT_MAX = 10**8
_STREAM = 2


@dataclass(frozen=True, slots=True)
class _Run:
    """What a worker needs to run a meter, in micros."""

    start: int
    rise: int
    seats: int
    chances: tuple[tuple[int, int, int], ...]
    """For each share that is paid: how many of all deals, and the share as two numbers."""
    deals: int


@dataclass(frozen=True)
class MeterRun:
    """How often a meter is hit, and what it shows then."""

    meter: TableMeter
    hit: Fraction
    """The probability that a wager wins the whole meter."""
    paid_in_part: Fraction
    """The probability that a wager wins a part of it."""
    rise: Fraction
    """What a wager adds, in dollars."""
    amounts: Histogram
    """What the meter shows when it is hit, in dollars."""
    wagers: Histogram
    """How many wagers it took, the winning one included."""

    def _repr_svg_(self) -> str:
        return meters_chart([self])

    def as_json(self) -> dict[str, Any]:
        return {
            "meter": self.meter.id,
            "runs": self.amounts.count,
            "hit": str(self.hit),
            "paid_in_part": str(self.paid_in_part),
            "rise": str(self.rise),
            "amount": self.amounts.as_json(),
            "wagers": self.wagers.as_json(),
        }


def run_meters(
    rules: TableRules,
    *,
    count: int,
    seed: int,
    seats: int = 1,
    starts: Mapping[str, Units] | None = None,
    executor: Executor | None = None,
    report: Report | None = None,
) -> tuple[MeterRun, ...]:
    """Run every meter of a table until it is hit, `count` times, with `seats` wagers a round.

    A run starts at the reset, or at the given value.
    """
    check_range("sessions", count, _COUNT_MAX)
    found = []
    for number, meter in enumerate(rules.meters.values()):
        shown = parse_meters(rules, starts, {meter.wager: Fraction(1)})[meter.id]
        task = _run_of(rules, meter, start=shown, seats=seats)
        jobs = ((task, (seed, _STREAM, n, number), many) for n, many in blocks(count, BLOCK))
        done = [*played(_runs, jobs, executor=executor, report=report)]
        whole = sum(n for n, top, bottom in task.chances if top == bottom)
        every = sum(n for n, _, _ in task.chances)
        run = MeterRun(
            meter=meter,
            hit=Fraction(whole, task.deals),
            paid_in_part=Fraction(every - whole, task.deals),
            rise=Fraction(task.rise, 10**6),
            amounts=Histogram(merged([amounts for amounts, _ in done]), 100),
            wagers=Histogram(merged([wagers for _, wagers in done]), 1),
        )
        found.append(run)
    if not found:
        raise UserError("this table has no meter", field="meter-run")
    return tuple(found)


def _run_of(rules: TableRules, meter: TableMeter, *, start: Fraction, seats: int) -> _Run:
    """Return what a worker needs to run a meter, or refuse one that is never hit."""
    if meter.rate is None:
        raise UserError("has no rate: select one", field=f"meter {meter.id}")
    stake, chances, deals = _chances(rules, meter)
    if not any(part == 1 for _, part in chances):
        raise UserError("is never paid as a whole", field=f"meter {meter.id}")
    rise = int(contribution(stake, meter.rate) * meter.share)
    parts = tuple((n, part.numerator, part.denominator) for n, part in chances)
    return _Run(start=int(start * 10**6), rise=rise, seats=seats, chances=parts, deals=deals)


def _chances(rules: TableRules, meter: TableMeter) -> tuple[int, list[tuple[int, Fraction]], int]:
    """Return the stake on a meter's wager, the deals for each share that is paid, and all deals."""
    stake = int(unit_of(rules, meter.wager) * 100)
    known = {id: 1 for id, it in rules.meters.items() if it.wager == meter.wager}
    model = on_its_own(rules, meter.wager, meters=known).model
    one = next(one for one in model.judged if one.name == meter.wager)
    if one.table is None:
        raise UserError("is paid by no table", field=f"meter {meter.id}")
    by_code, deals = rows_by_code(one.table, cards_of(rules, one), model.ranking), 0
    times: dict[Fraction, int] = {}
    for turn in model.turns:
        counts, codes = _hands(model)
        deals += int(counts.sum())
        for row, count in zip(by_code[turn][codes].tolist(), counts.tolist(), strict=True):
            line = one.table.rows[row] if row >= 0 else None
            if line and line.meter == meter.id:
                part = (line.percent or Fraction(0)) / 100
                times[part] = times.get(part, 0) + count
    return stake, [(count, part) for part, count in sorted(times.items())], deals


def _hands(model: Model) -> tuple[Ints, Ints]:
    """Return how many deals lead to each code, for a wager made on its own."""
    if model.main is None:
        return WEIGHTS, model.seat_codes
    counted = model.main.counted
    each = (WEIGHTS[counted.seat] * counted.times)[:, None] * counted.rows[counted.row]
    return each.sum(axis=0), model.main.groups.examples


def _runs(task: _Run, key: Key, count: int) -> tuple[Frequencies, Frequencies]:
    """Run a meter several times; return what it shows when hit, in cents, and the wagers."""
    rng = generator(key)
    upto = np.cumsum([n for n, _, _ in task.chances])
    parts = np.array([(top, bottom) for _, top, bottom in task.chances])
    any_part = int(upto[-1]) / task.deals
    shows, wagers = np.full(count, task.start), np.zeros(count, np.int64)
    hits: list[Ints] = []
    made: list[Ints] = []
    while len(shows):
        before = -(-wagers // task.seats)
        wagers = wagers + rng.geometric(any_part, len(wagers))
        # All wagers of a round raise the meter before one of them is paid (M8).
        shows = shows + (-(-wagers // task.seats) - before) * task.rise * task.seats
        kind = np.searchsorted(upto, rng.integers(0, upto[-1], len(shows)), "right")
        top, bottom = parts[kind].T
        whole = top == bottom
        hits.append(shows[whole] // CENT_MICROS)
        made.append(wagers[whole])
        paid = shows * top // (bottom * CENT_MICROS) * CENT_MICROS
        shows, wagers = (shows - paid)[~whole], wagers[~whole]
    return count_values(np.concatenate(hits)), count_values(np.concatenate(made))


def meters_chart(runs: Sequence[MeterRun]) -> str:
    """Draw the probability that each meter is hit before it shows a given amount."""
    plots = []
    for run in runs:
        parts = [Fraction(n, 100) for n in range(1, 100)]
        points = [(float(run.amounts.quantile(part)), float(part)) for part in parts]
        x, y = points[len(points) // 2]
        half = f"half by ${x:,.0f}"
        # Several lines have a legend, and their marks would overlap.
        mark = "" if len(runs) > 1 else half
        plots.append(Plot(f"{run.meter.id}: {half}", tuple(points), ((x, y, mark),)))
    return line_chart(
        plots,
        title="How far a meter runs before it is hit",
        desc=f"{runs[0].amounts.count:,} runs each; the point is where half have been hit.",
        x=Axis("what the meter shows, in dollars", "{:,.0f}".format),
        y=Axis("hit by then", "{:.0%}".format),
    )
