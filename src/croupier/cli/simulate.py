"""`croupier simulate`: simulated rounds against the exact values; sessions, meters, bank.

Clock, processes and files are here; dealing and counting are in `croupier.simulation`.
"""

import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from croupier.cli.bets import BetWords, Book, MeterWords, StrategyWords, parse_amounts
from croupier.cli.documents import write_whole
from croupier.cli.output import AsJson, group, print_json, print_lines
from croupier.cli.output import say as tell
from croupier.cli.selections import Select, parse_selections
from croupier.cli.simulate_show import (
    show_bank,
    show_meters,
    show_played,
    show_sessions,
    show_simulation,
)
from croupier.cli.workers import WORKERS_MAX, cores, executor, progress
from croupier.errors import UserError, quoted
from croupier.money import parse_money
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from croupier.rules.words import plain

if TYPE_CHECKING:
    from croupier.odds.analysis import Analysis

ROUNDS, SESSIONS, BANK_ROUNDS, ENGINE_ROUNDS = 1_000_000, 10_000, 2_000, 20_000
SEED_MAX = 2**128
_SECONDS_ALONE = 2
"""Work estimated to take less than this isn't worth starting other processes for."""
_ROUNDS_A_SECOND, _SESSION_ROUNDS_A_SECOND, _BANK_ROUNDS_A_SECOND = 10**7, 2 * 10**7, 1_000
_ENGINE_ROUNDS_A_SECOND = 2_000

_MODES = {
    "--session": ("--rounds", "--seats"),
    "--meter-run": ("--rounds", "--bet", "--strategy"),
    "--bank": (),
    "--engine": (),
}
"""The modes other than plain rounds, and the options that don't apply to each."""

app = group("Simulate rounds and compare them with the exact values.")


Rounds = Annotated[int | None, typer.Option(help=f"Rounds to deal. Default: {ROUNDS:,}.")]
Seed = Annotated[int | None, typer.Option(help="Same seed, same figures. Default: random.")]
Seats = Annotated[int | None, typer.Option(help="Seats that make the bet. Default: 1.")]
Engine = Annotated[
    bool,
    typer.Option(
        "--engine",
        help="Play rounds of any book through the engine, by --strategy or the best one.",
    ),
]
Session = Annotated[int | None, typer.Option(help="Play sessions of this many rounds instead.")]
Chart = Annotated[
    Path | None, typer.Option(metavar="FILE.svg", help="Draw a chart of sessions, meters or bank.")
]


@dataclass(frozen=True)
class Asked:
    """The options, parsed and checked."""

    rules: TableRules
    bet: dict[str, str] | None
    meters: dict[str, str] | None
    strategy: str | None
    rounds: int
    seed: int
    seats: int | None
    session: int | None
    sessions: int
    bankroll: str | None
    meter_run: bool
    bank: str | None
    workers: int
    cluster: str | None
    quiet: bool
    engine: bool


@app.command()
def simulate(
    context: typer.Context,
    rulebook: Book,
    rounds: Rounds = None,
    seed: Seed = None,
    select: Select = None,
    bet: BetWords = None,
    meter: MeterWords = None,
    seats: Seats = None,
    strategy: StrategyWords = None,
    session: Session = None,
    sessions: Annotated[int, typer.Option(help="Number of sessions, or of meter runs.")] = SESSIONS,
    bankroll: Annotated[
        str | None, typer.Option(metavar="UNITS", help="Units a session starts with.")
    ] = None,
    meter_run: Annotated[
        bool, typer.Option("--meter-run", help="Run meters until they are hit instead.")
    ] = False,
    bank: Annotated[
        str | None,
        typer.Option(metavar="FUNDS", help="Bank full tables with this many dollars instead."),
    ] = None,
    engine: Engine = False,
    chart: Chart = None,
    workers: Annotated[
        int | None,
        typer.Option(help="Processes; 1 uses this one only. Default: one per CPU."),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler to run the work on.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Show no progress.")] = False,
    as_json: AsJson = False,
) -> None:
    """Simulate rounds and compare their mean with the exact value.

    Exits with 1 if the mean is outside its interval. Other modes play sessions with a bankroll, run
    meters until they are hit, or bank a full table; each can draw a chart.
    """
    rules = resolve(load(rulebook, context.obj), parse_selections(select or ()))
    given = {"rounds": rounds, "seats": seats, "bet": bet, "strategy": strategy}
    _check(
        chart,
        {**given, "session": session, "bankroll": bankroll, "bank": bank},
        meter_run=meter_run,
        engine=engine,
    )
    asked = Asked(
        rules=rules,
        bet=parse_amounts(bet, "--bet"),
        meters=parse_amounts(meter, "--meter"),
        strategy=strategy,
        rounds=_rounds(rounds, bank=bank is not None, engine=engine),
        seed=_seed(seed),
        seats=seats,
        session=session,
        sessions=sessions,
        bankroll=bankroll,
        meter_run=meter_run,
        bank=bank,
        workers=0 if workers is None else _workers(workers),
        cluster=cluster,
        quiet=quiet,
        engine=engine,
    )
    whole = {"rulebook": rules.rulebook, "selections": plain(dict(rules.selections))}
    if session is None and bank is None and not meter_run:
        _deal(asked, whole, as_json=as_json)
    else:
        _spread(asked, whole, chart, as_json=as_json)


def _check(
    chart: Path | None, given: Mapping[str, object], *, meter_run: bool, engine: bool
) -> None:
    """Refuse options that don't go together, before any work is done."""
    said = {f"--{name}" for name, value in given.items() if value is not None}
    said |= {"--meter-run"} if meter_run else set()
    said |= {"--engine"} if engine else set()
    modes = [mode for mode in _MODES if mode in said]
    for mode in modes:
        for other in (*_MODES[mode], *modes):
            if other in said and other != mode:
                raise UserError(f"can't be combined with {mode}", field=other)
    if "--bankroll" in said and "--session" not in said:
        raise UserError("needs --session", field="--bankroll")
    if chart and (engine or not modes):
        raise UserError(f"needs one of {', '.join([*_MODES][:-1])}", field="--chart")
    if chart and chart.suffix != ".svg":
        raise UserError(f"{quoted(chart.name)} must end in .svg", field="--chart")


def _rounds(given: int | None, *, bank: bool, engine: bool) -> int:
    if given is not None:
        return given
    return BANK_ROUNDS if bank else ENGINE_ROUNDS if engine else ROUNDS


def _seed(seed: int | None) -> int:
    if seed is None:
        return secrets.randbits(32)
    if not 0 <= seed < SEED_MAX:
        raise UserError(f"{quoted(seed)} is not from 0 to {SEED_MAX - 1}", field="--seed")
    return seed


def _workers(workers: int) -> int:
    if not 1 <= workers <= WORKERS_MAX:
        raise UserError(f"{workers} is not from 1 to {WORKERS_MAX}", field="--workers")
    return workers


@contextmanager
def _working(asked: Asked, total: int, what: str, *, seconds: float) -> Iterator[dict[str, Any]]:
    """Yield what a simulation takes: the seed, who works, and how progress is shown.

    `seconds` is how long one process would take.
    """
    team = asked.workers or (cores() if seconds > _SECONDS_ALONE else 1)
    with (
        executor(team, asked.cluster) as workers,
        progress(total, what=what, quiet=asked.quiet) as report,
    ):
        yield {"seed": asked.seed, "executor": workers, "report": report}


# ---------------------------------------------------------------- rounds


def _deal(asked: Asked, whole: dict[str, Any], *, as_json: bool) -> None:
    """Simulate rounds, or play them through the engine, and compare them with the exact values."""
    from croupier.odds.analysis import analyses
    from croupier.simulation.playing import play_rounds
    from croupier.simulation.simulation import simulate, simulations

    rules, bet, seats = asked.rules, asked.bet, 1 if asked.seats is None else asked.seats
    is_one = asked.engine or bet or asked.strategy
    total = asked.rounds * (1 if is_one else len(analyses(rules, meters=asked.meters)))
    expected = _ENGINE_ROUNDS_A_SECOND if asked.engine else _ROUNDS_A_SECOND
    start = perf_counter()
    with _working(asked, total, "rounds", seconds=total * seats / expected) as work:
        work |= {"rounds": asked.rounds, "seats": seats, "meters": asked.meters}
        if is_one:
            one = play_rounds if asked.engine else simulate
            found: Sequence[Any] = [one(rules, bet, strategy=asked.strategy, **work)]
        else:
            found = simulations(rules, **work)
    speed = total / (perf_counter() - start)
    if as_json:
        ran = {"rounds": asked.rounds, "seed": asked.seed, "seats": seats}
        listed = [each.as_json() for each in found]
        print_json({**whole, **ran, "rounds_per_second": speed, "analyses": listed})
    else:
        print_lines(rules.title)
        if asked.engine:
            show_played(found[0])
        else:
            show_simulation(found)
        ran_words = f"{asked.rounds:,} rounds, seats {seats}, seed {asked.seed}"
        print_lines(f"{ran_words}, {speed:,.0f} rounds a second")
    outside = [each for each in found if each.is_outside]
    if outside and asked.engine:
        tell("the rounds played lie outside the interval of the exact value")
    elif outside:
        names = ", ".join(" + ".join(each.exact.bet) for each in outside)
        tell(f"the simulation lies outside its interval: {names}")
    if outside:
        raise typer.Exit(1)


# ---------------------------------------------------------------- sessions, meters, bank


def _spread(asked: Asked, whole: dict[str, Any], chart: Path | None, *, as_json: bool) -> None:
    """Run a mode that shows a spread, and print it."""
    key, result, drawn, show = _spreads(asked)
    if chart:
        write_whole(chart, drawn().encode())
        tell(f"wrote {chart}")
    if as_json:
        nothing = {"rounds": 0, "seed": asked.seed, "rounds_per_second": 0, "analyses": []}
        print_json({**whole, **nothing, key: result})
        return
    print_lines(asked.rules.title)
    show()
    print_lines(f"seed {asked.seed}")


def _spreads(asked: Asked) -> tuple[str, Any, Any, Any]:
    """Return the JSON key, its value, and the functions that draw and print it."""
    if asked.session is not None:
        found = _sessions(asked, asked.session)
        return "session", found.as_json(), found.chart, lambda: show_sessions(found)
    if asked.meter_run:
        from croupier.simulation.meter_runs import meters_chart

        runs = _meters(asked)
        listed = [run.as_json() for run in runs]
        return "meter_runs", listed, lambda: meters_chart(runs), lambda: show_meters(runs)
    banked = _bank(asked)
    return "bank", banked.as_json(), banked.chart, lambda: show_bank(banked)


def _analysis(asked: Asked) -> "Analysis":
    from croupier.odds.analysis import analyze

    return analyze(asked.rules, asked.bet, meters=asked.meters, strategy=asked.strategy)


def _sessions(asked: Asked, rounds: int) -> Any:
    from croupier.simulation.sessions import play_sessions

    exact, count = _analysis(asked), asked.sessions
    seconds = rounds * count / _SESSION_ROUNDS_A_SECOND
    with _working(asked, count, "sessions", seconds=seconds) as work:
        return play_sessions(exact, rounds=rounds, count=count, bankroll=asked.bankroll, **work)


def _meters(asked: Asked) -> Any:
    from croupier.simulation.meter_runs import run_meters

    total, seats = asked.sessions * len(asked.rules.meters), asked.seats or 1
    with _working(asked, total, "runs", seconds=total / _SESSION_ROUNDS_A_SECOND) as work:
        starts = asked.meters
        return run_meters(asked.rules, count=asked.sessions, seats=seats, starts=starts, **work)


def _bank(asked: Asked) -> Any:
    from croupier.simulation.banking import bank_rounds

    exact, rounds = _analysis(asked), asked.rounds
    with _working(asked, rounds, "rounds", seconds=rounds / _BANK_ROUNDS_A_SECOND) as work:
        funds = parse_money(asked.bank or "0", "--bank")
        return bank_rounds(exact, funds=funds, rounds=rounds, seats=asked.seats, **work)
