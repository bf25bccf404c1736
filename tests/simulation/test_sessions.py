"""Sessions, bankrolls, meters and banks: spreads that agree with what can be worked out."""

import json
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor
from fractions import Fraction
from math import sqrt
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

from croupier.errors import UserError
from croupier.odds.analysis import Analysis, analyze
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import parse_rulebook
from croupier.simulation.banking import bank_rounds
from croupier.simulation.histogram import Histogram
from croupier.simulation.meter_runs import run_meters
from croupier.simulation.sessions import play_sessions
from tests.cli.running import run
from tests.reference.paytables import CALIFORNIA, FLORIDA, MARYLAND, RIDE
from tests.rules.books import swapped, text_of

ERRORS_MAX = 4.5
SVG = "{http://www.w3.org/2000/svg}"


def exact(book: str, bet: dict[str, Any] | None = None, **selections: Any) -> Analysis:
    return analyze(resolve(load(book), selections), bet)


@pytest.fixture(scope="module")
def pool() -> Iterator[Executor]:
    with ProcessPoolExecutor(2, get_context("spawn")) as found:
        yield found


# ---------------------------------------------------------------- spreads


def test_a_spread_knows_its_middle_and_its_ends() -> None:
    spread = Histogram({-200: 1, 300: 2, 100: 7}, 100)
    assert [spread.least, spread.most, spread.mean] == [-2, 3, Fraction(11, 10)]
    parts = [Fraction(1, 10), Fraction(11, 100), Fraction(8, 10), Fraction(9, 10), Fraction(1)]
    assert [spread.quantile(part) for part in parts] == [-2, 1, 1, 3, 3]
    assert spread.standard_deviation == pytest.approx(sqrt((4 + 18 + 7) / 10 - 1.21))


def test_bins_hold_everything_and_have_round_ends() -> None:
    spread = Histogram({n * n: 1 for n in range(-500, 500)}, 10)
    bins = spread.bins()
    assert sum(times for *_, times in bins) == spread.count
    assert len(bins) <= 21
    assert {high - low for low, high, _ in bins} == {Fraction(2000)}


# ---------------------------------------------------------------- sessions


def after_rounds(analysis: Analysis, rounds: int) -> dict[Fraction, Fraction]:
    """The exact distribution of a short session, by adding one round after another."""
    found = {Fraction(0): Fraction(1)}
    for _ in range(rounds):
        longer: dict[Fraction, Fraction] = {}
        for sum_, chance in found.items():
            for net, also in analysis.distribution:
                longer[sum_ + net] = longer.get(sum_ + net, Fraction(0)) + chance * also
        found = longer
    return found


def test_short_sessions_end_as_they_must() -> None:
    analysis = exact(MARYLAND)
    count = 200_000
    found = play_sessions(analysis, rounds=3, count=count, seed=2)
    expected = after_rounds(analysis, 3)
    scale = found.results.scale
    for net, chance in expected.items():
        times = found.results.counts.get(int(net * scale), 0)
        error = sqrt(count * chance * (1 - chance))
        assert abs(times - count * chance) <= ERRORS_MAX * error + 3
    ahead = sum(chance for net, chance in expected.items() if net > 0)
    assert abs(float(found.ahead - ahead)) < ERRORS_MAX * sqrt(ahead * (1 - ahead) / count)
    assert found.risk_of_ruin is None


@pytest.mark.parametrize("book", [MARYLAND, RIDE, CALIFORNIA, FLORIDA])
def test_long_sessions_have_the_mean_and_the_deviation_of_so_many_rounds(book: str) -> None:
    analysis = exact(book)
    found = play_sessions(analysis, rounds=200, count=5_000, seed=3)
    deviation = sqrt(200 * analysis.variance)
    assert found.expected == 200 * analysis.expected_value
    apart = float(found.results.mean - found.expected) / (deviation / sqrt(5_000))
    assert abs(apart) < ERRORS_MAX
    # How far a deviation may be off depends on how dear the rarest payouts are.
    mean = analysis.expected_value
    fourth = sum(float(chance * (net - mean) ** 4) for net, chance in analysis.distribution)
    spread = 200 * fourth + (3 * 200 * 199 - 200**2) * float(analysis.variance) ** 2
    apart = (found.results.standard_deviation**2 - deviation**2) / sqrt(spread / 5_000)
    assert abs(apart) < ERRORS_MAX


def ruined_within(analysis: Analysis, *, bankroll: int, needed: int, rounds: int) -> float:
    """The risk of ruin by following all bankrolls at once."""
    nets = np.array([int(net) for net, _ in analysis.distribution])
    chances = np.array([float(chance) for _, chance in analysis.distribution])
    held = np.zeros(bankroll + rounds * nets.max() + 1)
    held[bankroll] = 1
    ruined = 0.0
    for _ in range(rounds - 1):  # After the last round nothing is needed.
        held = sum(np.roll(held, net) * p for net, p in zip(nets, chances, strict=True))
        ruined += held[:needed].sum()
        held[:needed] = 0
    return ruined


@pytest.mark.parametrize(("bankroll", "rounds"), [(10, 40), (4, 5)])
def test_the_risk_of_ruin_is_what_following_all_bankrolls_says(bankroll: int, rounds: int) -> None:
    analysis = exact(MARYLAND)
    found = play_sessions(analysis, rounds=rounds, count=50_000, seed=4, bankroll=bankroll)
    risk = ruined_within(analysis, bankroll=bankroll, needed=2, rounds=rounds)
    assert found.risk_of_ruin is not None
    assert 0.1 < risk < 0.8
    error = sqrt(risk * (1 - risk) / 50_000)
    assert abs(float(found.risk_of_ruin) - risk) < ERRORS_MAX * error
    assert found.results.least >= -bankroll


def test_a_ruined_session_stops_where_it_cannot_go_on() -> None:
    """Ante and Play take two units, so a player with one left is out, and never below zero."""
    found = play_sessions(exact(MARYLAND), rounds=500, count=2_000, seed=4, bankroll=5)
    assert found.ruined is not None
    left = {net + 5 * found.results.scale for net in found.results.counts}
    assert min(left) == 0
    assert found.results.part(lambda net: net <= -4 * found.results.scale) >= (
        found.risk_of_ruin or 0
    )
    assert found.ruined.most <= 499


def test_a_bankroll_below_one_round_is_refused() -> None:
    with pytest.raises(UserError, match="one round, which takes 3"):
        play_sessions(exact(RIDE), rounds=5, count=5, seed=1, bankroll=2)


def test_sessions_do_not_depend_on_who_plays_them(pool: Executor) -> None:
    words: dict[str, Any] = {"rounds": 50, "count": 4_500, "seed": 6, "bankroll": 20}
    here = play_sessions(exact(RIDE), **words)
    there = play_sessions(exact(RIDE), executor=pool, **words)
    assert here.as_json() == there.as_json()
    assert here.as_json() != play_sessions(exact(RIDE), **{**words, "seed": 7}).as_json()


# ---------------------------------------------------------------- meters


def test_a_meter_runs_as_far_as_its_rate_and_its_hit_say() -> None:
    rules = resolve(load(MARYLAND), {"progressive": "A", "progressive_rate": "0.2"})
    (run_,) = run_meters(rules, count=20_000, seed=1)
    assert run_.hit == Fraction(1, 22_100)  # A mini royal in one suit.
    assert run_.rise == Fraction(1, 5)
    mean = 22_100
    apart = float(run_.wagers.mean - mean) / (mean / sqrt(20_000))
    assert abs(apart) < ERRORS_MAX
    # With one wager a round, every one of them has raised the meter from its reset.
    assert run_.amounts.mean == 1000 + run_.wagers.mean * run_.rise


def test_all_wagers_of_a_round_raise_the_meter_before_it_is_paid() -> None:
    rules = resolve(load(MARYLAND), {"progressive": "A", "progressive_rate": "0.2"})
    (run_,) = run_meters(rules, count=2_000, seed=1, seats=5)
    assert {cents % 100 for cents in run_.amounts.counts} == {0}


def test_what_a_part_takes_is_missing_at_the_hit() -> None:
    rules = resolve(load(RIDE), {"progressive": "A", "progressive_rate": "0.3"})
    runs = {one.meter.id: one for one in run_meters(rules, count=2_000, seed=1)}
    (one,) = [one for one in runs.values() if one.paid_in_part]
    assert one.hit == Fraction(1, 649_740)
    untouched = float(one.meter.reset or 0) / 100 + float(one.wagers.mean * one.rise)
    assert float(one.amounts.mean) < 0.9 * untouched


def test_a_meter_without_a_rate_is_refused() -> None:
    rules = resolve(load(MARYLAND), {"progressive": "C"})
    with pytest.raises(UserError, match="has no rate"):
        run_meters(rules, count=5, seed=1)


def test_meter_runs_do_not_depend_on_who_makes_them(pool: Executor) -> None:
    rules = resolve(load(MARYLAND), {"progressive": "C", "progressive_rate": "0.3"})
    here, there = (run_meters(rules, count=2_500, seed=1, executor=e) for e in (None, pool))
    assert [one.as_json() for one in here] == [one.as_json() for one in there]


# ---------------------------------------------------------------- banks


@pytest.mark.parametrize("book", [CALIFORNIA, FLORIDA])
def test_a_bank_that_covers_all_nets_what_its_seats_lose(book: str) -> None:
    analysis = exact(book, {"ante": 10, "pair_plus": 5})
    found = bank_rounds(analysis, funds=10**9, rounds=1_000, seed=1)
    assert found.seats == 7
    assert found.short == 0
    assert found.unpaid == 0
    apart = float(found.results.mean - found.expected) / found.standard_error
    assert abs(apart) < ERRORS_MAX


@pytest.mark.parametrize("book", [CALIFORNIA, FLORIDA])
def test_a_small_bank_runs_short_and_never_pays_more_than_it_may(book: str) -> None:
    analysis = exact(book, {"ante": 10, "pair_plus": 5})
    found = bank_rounds(analysis, funds=100_00, rounds=500, seed=1)
    assert found.short > 0
    assert found.unpaid > 0
    assert found.uncovered > 0
    assert found.results.least >= -100


def test_a_bank_is_played_where_cards_are_dealt_that_no_wager_needs() -> None:
    burnt = (
        '{ to = "bank",  cards = 3, clause = "3", ruling = "F6" },',
        '{ to = "bank",  cards = 3, clause = "3", ruling = "F6" },\n'
        '  { to = "discard", cards = 1, clause = "3", ruling = "F6" },',
    )
    rules = resolve(parse_rulebook(swapped(text_of(FLORIDA), burnt), id="burnt", file="burnt.toml"))
    words: dict[str, Any] = {"funds": 100_00, "rounds": 200, "seed": 1, "seats": 2}
    found = bank_rounds(analyze(rules, {"ante": 10}), **words)
    whole = bank_rounds(exact(FLORIDA, {"ante": 10}), **words)
    assert found.results.least >= -100
    assert found.results.mean == whole.results.mean, "a burnt card changes nothing"


def test_a_bank_with_wager_alone_pays_no_more_than_its_wager() -> None:
    """C3: by the other selection collections do not add to what the bank pays from."""
    bet = {"ante": 10, "pair_plus": 5}
    both = [
        bank_rounds(exact(CALIFORNIA, bet, payoff_limit=limit), funds=50_00, rounds=300, seed=1)
        for limit in ("wager_and_collections", "wager")
    ]
    assert both[1].unpaid > both[0].unpaid
    assert both[1].short > both[0].short


def test_banked_rounds_do_not_depend_on_who_plays_them(pool: Executor) -> None:
    analysis = exact(FLORIDA, {"ante": 10})
    words: dict[str, Any] = {"funds": 90_00, "rounds": 600, "seed": 1, "seats": 3}
    here = bank_rounds(analysis, **words)
    there = bank_rounds(analysis, executor=pool, **words)
    assert here.as_json() == there.as_json()


def test_where_the_house_banks_nobody_else_does() -> None:
    with pytest.raises(UserError, match="the house banks"):
        bank_rounds(exact(MARYLAND), funds=1, rounds=1, seed=1)


def test_a_bet_of_parts_of_a_cent_cannot_be_banked() -> None:
    with pytest.raises(UserError, match="whole cents"):
        bank_rounds(exact(FLORIDA, {"ante": "1/3"}), funds=100, rounds=1, seed=1)


# ---------------------------------------------------------------- how they look


def test_sessions_meters_and_banks_draw_themselves_in_notebooks() -> None:
    rules = resolve(load(MARYLAND), {"progressive": "A", "progressive_rate": "0.2"})
    (meter,) = run_meters(rules, count=20, seed=1)
    sessions = play_sessions(exact(MARYLAND), rounds=5, count=20, seed=1)
    bank = bank_rounds(exact(FLORIDA, {"ante": 10}), funds=90_00, rounds=20, seed=1)
    drawn = [ElementTree.fromstring(one._repr_svg_()) for one in (sessions, meter, bank)]
    assert [one.findtext(f"{SVG}title") for one in drawn] == [
        "How 20 sessions of 5 rounds end",
        "How far a meter runs before it is hit",
        "A round of a bank of $90 against 7 seats",
    ]


# ---------------------------------------------------------------- the command

COMMANDS = {
    "session": (MARYLAND, "--session", "100", "--sessions", "500", "--bankroll", "20"),
    "meter_runs": (
        *(MARYLAND, "--select", "progressive=C", "--select", "progressive_rate=0.3"),
        *("--meter-run", "--sessions", "500"),
    ),
    "bank": (CALIFORNIA, "--bank", "100", "--bet", "ante=10", "--rounds", "50"),
}


@pytest.mark.parametrize("key", COMMANDS)
def test_the_command_answers_in_json_and_draws_a_chart(key: str, tmp_path: Path) -> None:
    chart = tmp_path / "chart.svg"
    words = ("--seed", "1", "--json", "--chart", str(chart))
    ran = run("simulate", *COMMANDS[key], *words)
    assert (ran.code, ran.err) == (0, f"croupier: wrote {chart}\n")
    data = json.loads(ran.out)
    assert data[key]
    assert data["analyses"] == []
    drawn = ElementTree.parse(chart).getroot()
    assert drawn.tag == f"{SVG}svg"
    assert drawn.findtext(f"{SVG}title")
    assert drawn.findtext(f"{SVG}desc")


@pytest.mark.parametrize("key", COMMANDS)
def test_the_command_prints_spreads_for_people(key: str) -> None:
    ran = run("simulate", *COMMANDS[key], "--seed", "1")
    assert (ran.code, ran.err) == (0, "")
    assert "50%" in ran.out
    assert ran.out.endswith("seed 1\n")
