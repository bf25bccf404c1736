"""Simulated rounds: the same for a seed in any process, and true to the exact values."""

import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from math import sqrt
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest

from croupier.errors import UserError
from croupier.odds.analysis import analyze
from croupier.odds.combinations import pairs, triples, turned_triples
from croupier.odds.seats import SEATS, WEIGHTS
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from croupier.simulation import simulation
from croupier.simulation.blocks import generator
from croupier.simulation.draws import apart, classes
from croupier.simulation.simulation import BLOCK, Simulation, simulate, simulations
from croupier.simulation.simulator import SimulationTask, Simulator
from tests.cli.running import run, spawn
from tests.odds.played import random_game
from tests.reference.paytables import CALIFORNIA, FLORIDA, MARYLAND, RIDE, SINGAPORE

BOOKS = (MARYLAND, CALIFORNIA, SINGAPORE, FLORIDA, RIDE)
ERRORS_MAX = 4.5
LONG = [pytest.param(seed, marks=pytest.mark.long) for seed in range(303, 330)]

ENVY = {"pair": 2, "straight flush": 30, "royal flush": 500}
FIVE = {
    "five_card_progressive": "A",
    "five_card_progressive_rate": "0.2",
    "five_card_progressive_reset": 10_000,
    "five_card_envy": ENVY,
}
AMENDED = {"mini royal": 100, "straight flush": "37.5", "three of a kind": 25, "straight": 5}

Case = tuple[str, dict[str, Any], dict[str, Any], dict[str, Any]]
CASES: list[Case] = [
    (MARYLAND, {}, {"ante": 1}, {}),
    (MARYLAND, {"ante_bonus": "C", "pair_plus": "E"}, {"ante": "1/3", "pair_plus": "5/2"}, {}),
    (MARYLAND, {"version": "7.G(1)"}, {"ante": 1, "pair_plus": 1}, {}),
    (MARYLAND, {"version": "7.G(3)", "pair_plus": "B"}, {"ante": 1, "pair_plus": 2}, {}),
    (MARYLAND, {"progressive": "A"}, {"ante": 1, "progressive": 1}, {"seats": 4}),
    (MARYLAND, {"progressive": "C"}, {"progressive": 1}, {"seats": 7}),
    (MARYLAND, {"six_card_bonus": "A"}, {"ante": 1, "six_card_bonus": 1}, {}),
    (MARYLAND, {"six_card_bonus": "A"}, {"six_card_bonus": 1}, {"seats": 3}),
    (MARYLAND, FIVE, {"ante": 1, "five_card_progressive": 1}, {"seats": 5}),
    (MARYLAND, {"format": "electronic", "progressive": "B"}, {"ante": 1, "progressive": 1}, {}),
    (
        MARYLAND,
        {"format": "electronic", "progressive": "B"},
        {"ante": 1, "progressive": 1},
        {"seats": 5},
    ),
    (CALIFORNIA, {}, {"ante": 1}, {}),
    (CALIFORNIA, {}, {"ante": 1, "pair_plus": 100}, {}),
    (CALIFORNIA, {}, {"ante": 2, "pair_plus": 1}, {"seats": 7}),
    (SINGAPORE, {}, {"ante": 1}, {}),
    (SINGAPORE, {}, {"ante": 1, "progressive": "5/2"}, {"meters": {"progressive": 40000}}),
    (
        SINGAPORE,
        {},
        {"ante": 1, "pair_plus": 3, "progressive": "5/2"},
        {"seats": 6, "meters": {"progressive": "12345.67"}},
    ),
    (FLORIDA, {}, {"ante": 1, "pair_plus": 1}, {}),
    (FLORIDA, {"pair_plus": AMENDED}, {"ante": 1, "pair_plus": 5}, {}),
    (FLORIDA, {"pair_plus_when_beaten": "push"}, {"pair_plus": 1}, {"seats": 3}),
    (RIDE, {}, {"let_it_ride": 1}, {}),
    (RIDE, {"let_it_ride": "C", "payout_limit": 20}, {"let_it_ride": 1}, {"seats": 7}),
    (
        RIDE,
        {"three_card_bonus": "A", "five_card_bonus": "B"},
        {"let_it_ride": 1, "three_card_bonus": 2, "five_card_bonus": 1},
        {},
    ),
    (RIDE, {"six_card_bonus": "A"}, {"let_it_ride": 1, "six_card_bonus": 1}, {}),
    (
        RIDE,
        {"progressive": "A", "progressive_rate": "0.3"},
        {"let_it_ride": 1, "progressive": 1},
        {"seats": 4},
    ),
]


def table(book: str, selections: dict[str, Any] | None = None) -> TableRules:
    return resolve(load(book), selections or {})


def figures(found: Simulation) -> tuple[Any, ...]:
    return found.mean, found.variance, found.counts


def words(case: Case) -> str:
    return " ".join(str(part) for part in case if part)


# ---------------------------------------------------------------- true to the exact values


def surprise(found: Simulation) -> float:
    """How many deviations the frequencies lie from the exact ones, by chi-square.

    Nets that are expected fewer than ten times are taken together.
    """
    times = found.rounds * found.seats
    rare, statistic, groups = [0.0, 0.0], 0.0, 0
    for net, chance in found.exact.distribution:
        expected = float(chance) * times
        observed = found.counts.get(int(net * found.scale), 0)
        if expected < 10:
            rare[0] += expected
            rare[1] += observed
        else:
            statistic += (observed - expected) ** 2 / expected
            groups += 1
    if rare[0] >= 10:
        statistic += (rare[1] - rare[0]) ** 2 / rare[0]
        groups += 1
    free = groups - 1
    return (float((statistic / free) ** (1 / 3)) - (1 - 2 / (9 * free))) / sqrt(2 / (9 * free))


@pytest.mark.parametrize("case", CASES, ids=words)
def test_means_and_nets_lie_near_the_exact_values(case: Case) -> None:
    book, selections, bet, more = case
    found = simulate(table(book, selections), bet, rounds=60_000, seed=11, **more)
    assert abs(found.errors_apart) < ERRORS_MAX
    assert not found.is_outside
    assert sum(found.counts.values()) == found.rounds * found.seats
    total = sum(net * times for net, times in found.counts.items())
    assert Fraction(total, found.rounds * found.seats * found.scale) == found.mean
    if found.seats == 1:  # Nets of seats that share a bank go together.
        known = {net for net, _ in found.exact.distribution}
        assert {net for net, _ in found.distribution} <= known
        assert surprise(found) < ERRORS_MAX


@pytest.mark.parametrize("book", BOOKS)
@pytest.mark.parametrize("seed", [301, 302, *LONG])
def test_means_of_random_tables_lie_near_the_exact_values(book: str, seed: int) -> None:
    game = random_game(book, seed, seats=1 + seed % 3)
    bet = {name: Fraction(cents, 100) for name, cents in game.bet.items()}
    meters = {
        id: Fraction(cents, 100)
        for id, cents in game.meters.items()
        if game.rules.meters[id].wager in bet
    }
    found = simulate(game.rules, bet, rounds=60_000, seed=seed, seats=game.seats, meters=meters)
    assert abs(found.errors_apart) < ERRORS_MAX


@pytest.mark.parametrize("book", BOOKS)
def test_named_strategies_are_simulated(book: str) -> None:
    for strategy in ("always ride", "always withdraw") if book == RIDE else ("Q-6-4", "A-2-3"):
        found = simulate(table(book), rounds=100_000, seed=5, strategy=strategy)
        best = analyze(table(book)).expected_value
        assert abs(found.errors_apart) < ERRORS_MAX
        assert found.expected_value == analyze(table(book), strategy=strategy).expected_value
        assert found.expected_value <= best


@pytest.mark.parametrize("case", [CASES[0], CASES[4], CASES[11], CASES[20], CASES[24]], ids=words)
def test_every_hand_takes_the_path_of_its_class(case: Case) -> None:
    """By hand and card seen, not by class: as many take each path as the analysis counts."""
    book, selections, bet, _ = case
    exact = analyze(table(book, selections), bet)
    simulator = Simulator(SimulationTask(exact.rules, exact.bet, exact.meters), exact)
    cases = simulator.cases
    kinds = cases.kind.reshape(len(triples().cards), cases.views)
    if cases.views > 1:
        own = np.zeros(kinds.shape, bool)
        np.put_along_axis(own, triples().cards.astype(np.int64), True, axis=1)
        kinds = kinds[~own]
    taken = Counter(id(cases.paths[kind]) for kind in kinds.ravel().tolist())
    turns = len(exact.model.turns)
    expected = {
        id(path): weight // turns
        for path, weight in zip(exact.model.paths, exact.solved.path_weights, strict=True)
        if weight
    }
    assert taken == expected


def test_seats_of_a_round_go_together() -> None:
    """A bank's good hand beats all of them, so seven seats tell less than seven rounds."""
    found = simulate(table(MARYLAND), rounds=100_000, seed=1, seats=7)
    alone = sqrt(found.exact.variance / found.rounds / 7)
    assert found.standard_error > 1.2 * alone
    assert found.expected_value == found.exact.expected_value


def test_a_folded_hand_is_not_envied() -> None:
    """M6: what pairs would bring to others is lost where they fold."""
    rules = table(MARYLAND, FIVE)
    bet = {"ante": 1, "five_card_progressive": 1}
    found = simulate(rules, bet, rounds=200_000, seed=3, seats=5)
    in_play = analyze(rules, bet, others=4).expected_value
    assert found.expected_value < in_play
    assert abs(found.errors_apart) < ERRORS_MAX
    assert (float(found.mean) - float(in_play)) / found.standard_error < -20


# ---------------------------------------------------------------- the same in any process


@pytest.fixture(scope="module", params=[2, 3])
def pool(request: pytest.FixtureRequest) -> Iterator[Executor]:
    with ProcessPoolExecutor(request.param, get_context("spawn")) as found:
        yield found


@pytest.mark.parametrize("case", [CASES[0], CASES[8], CASES[20]], ids=words)
def test_figures_do_not_depend_on_the_number_of_workers(case: Case, pool: Executor) -> None:
    book, selections, bet, more = case
    rounds = (BLOCK * 5) // 2 if not more else BLOCK // 4
    here = simulate(table(book, selections), bet, rounds=rounds, seed=4, **more)
    there = simulate(table(book, selections), bet, rounds=rounds, seed=4, executor=pool, **more)
    assert figures(here) == figures(there)


class Backwards(Executor):
    """Does all work when somebody waits, the last first."""

    def __init__(self) -> None:
        self.threads = ThreadPoolExecutor(1)
        self.jobs: list[Any] = []

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        self.jobs.append((future, fn, args))
        if len(self.jobs) == 3:
            self.threads.submit(self.work)
        return future

    def work(self) -> None:
        for future, fn, args in reversed(self.jobs):
            future.set_result(fn(*args))


def test_figures_do_not_depend_on_the_order_of_blocks() -> None:
    rules = table(MARYLAND)
    here = simulate(rules, rounds=2 * BLOCK + 5, seed=9)
    backwards = Backwards()
    there = simulate(rules, rounds=2 * BLOCK + 5, seed=9, executor=backwards)
    backwards.threads.shutdown()
    assert figures(here) == figures(there)


def test_a_seed_gives_the_same_figures_and_another_one_others() -> None:
    rules = table(RIDE)
    one, again, other = (simulate(rules, rounds=50_000, seed=seed) for seed in (1, 1, 2))
    assert figures(one) == figures(again) != figures(other)


def test_blocks_and_wagers_have_generators_of_their_own() -> None:
    keys = [(1, 0, 0), (1, 0, 1), (1, 1, 0), (2, 0, 0)]
    first = {int(generator(key).integers(0, 2**62)) for key in keys}
    assert len(first) == len(keys)


def test_progress_is_reported_in_rounds() -> None:
    told: list[int] = []
    simulate(table(MARYLAND), rounds=BLOCK + 7, seed=1, report=told.append)
    assert told == [BLOCK, 7]


# ---------------------------------------------------------------- draws


@pytest.mark.parametrize("draw", [triples(), pairs(), turned_triples()], ids=["3", "2", "1+2"])
def test_what_is_drawn_shares_no_card_and_is_drawn_evenly(draw: Any) -> None:
    rng = generator((3, 0))
    taken = np.zeros(200_000, np.uint64)
    first = apart(rng, triples(), taken)
    second = apart(rng, draw, taken)
    size = draw.cards.shape[1]
    assert (np.bitwise_count(taken) == 3 + size).all()
    ace = Counter((draw.cards[second] == 51).any(axis=1).tolist())[True]
    expected = len(second) * size / 52
    assert abs(ace - expected) < ERRORS_MAX * sqrt(expected)
    assert len(np.unique(first)) > 22_000


def test_every_hand_is_found_in_its_class() -> None:
    """Its class's example has its ranks, and is turned to the suit that the hand has most of."""
    hands, known = triples().cards, classes()
    assert (np.sort(SEATS[known.number] >> 2) == np.sort(hands >> 2)).all()
    assert (np.bincount(known.number) == WEIGHTS).all()
    held = (hands[:, :, None] & 3 == np.arange(4)).sum(axis=1)
    leads = held.max(axis=1) > 1
    assert (held.argmax(axis=1) == known.turn)[leads].all()


# ---------------------------------------------------------------- what is refused, what is said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"rounds": 0}, "rounds: 0 is not from 1"),
        ({"seed": -1}, "seed: -1 is negative"),
        ({"seats": 0}, "seats: 0 is not from 1 to 7"),
        ({"seats": 8}, "seats: 8 is not from 1 to 7"),
    ],
)
def test_numbers_out_of_range_are_refused(words: dict[str, Any], said: str) -> None:
    numbers: dict[str, Any] = {"rounds": 10, "seed": 1, **words}
    with pytest.raises(UserError) as refused:
        simulate(table(MARYLAND), **numbers)
    assert str(refused.value).startswith(said)


def test_a_seat_of_a_player_banked_table_is_the_bankers() -> None:
    with pytest.raises(UserError, match="from 1 to 7"):
        simulate(table(CALIFORNIA), rounds=10, seed=1, seats=8)


def test_a_mean_far_outside_is_found() -> None:
    found = simulate(table(MARYLAND), rounds=500_000, seed=1)
    assert not found.is_outside
    found.expected_value += Fraction(1, 50)
    assert found.is_outside


def test_a_rare_and_dear_payout_is_no_alarm() -> None:
    """Without one hit in sight the mean is far off by its own error, and still all is well."""
    rules = table(SINGAPORE)
    bet, meters = {"progressive": "5/2"}, {"progressive": 10**6}
    found = simulate(rules, bet, rounds=2_000, seed=1, meters=meters)
    assert max(found.counts) < 10**6 * found.scale
    assert abs(float(found.mean - found.expected_value)) > 20 * found.standard_error
    assert not found.is_outside


def test_every_wager_is_simulated_on_its_own_in_the_order_of_the_analysis() -> None:
    rules = table(MARYLAND, {"progressive": "A"})
    found = simulations(rules, rounds=1000, seed=1)
    assert [list(one.exact.bet) for one in found] == [["ante"], ["pair_plus"], ["progressive"]]
    assert figures(found[0]) == figures(simulate(rules, {"ante": 1}, rounds=1000, seed=1))


# ---------------------------------------------------------------- the command


def test_the_command_answers_in_the_format_of_the_contract() -> None:
    ran = run("simulate", MARYLAND, "--rounds", "20000", "--seed", "3", "--json")
    data = ran.data
    assert {"rounds", "rounds_per_second", "analyses"} <= data.keys()
    assert [one["bet"] for one in data["analyses"]] == [{"ante": "1"}, {"pair_plus": "1"}]
    for one in data["analyses"]:
        assert one["standard_error"] > 0
        nets = {Fraction(x["net"]): Fraction(x["probability"]) for x in one["distribution"]}
        assert sum(nets.values()) == 1
        assert float(sum(net * p for net, p in nets.items())) == pytest.approx(one["mean"])


def test_the_command_says_the_same_with_any_number_of_workers() -> None:
    words = ("simulate", MARYLAND, "--rounds", str(2 * BLOCK), "--seed", "3", "--json")
    answers = [json.loads(spawn(*words, "--workers", n).out) for n in "12"]
    for answer in answers:
        assert answer.pop("rounds_per_second") > 0
    assert answers[0] == answers[1]


def test_the_command_prints_a_table_for_people() -> None:
    words = ("--rounds", "20000", "--seed", "3", "--bet", "ante=1", "--seats", "2")
    ran = run("simulate", MARYLAND, *words)
    assert ran.code == 0
    assert ran.err == ""  # No bar off a terminal.
    assert "-0.033730" in ran.out
    assert "20,000 rounds, seats 2, seed 3" in ran.out


def test_a_simulation_outside_its_interval_ends_with_1(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = Fraction(1, 10)
    monkeypatch.setattr(simulation, "_expected", lambda *_: exact)
    ran = run("simulate", MARYLAND, "--rounds", "100000", "--seed", "3", "--bet", "ante=1")
    assert ran.code == 1
    assert "outside its interval: ante" in ran.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--rounds", "0"), "rounds: 0 is not"),
        (("--seed", "-1"), "--seed: -1 is not"),
        (("--seats", "9"), "seats: 9 is not from 1 to 7"),
        (("--workers", "0"), "--workers: 0 is not"),
        (("--bet", "mikado=1"), "bet mikado: this table doesn't offer it"),
        (("--bet", "ante"), "--bet: 'ante' must be written"),
        (("--strategy", "luck"), "strategy: 'luck' is not"),
        (("--bankroll", "5"), "--bankroll: needs --session"),
        (("--chart", "x.svg"), "--chart: needs one of"),
        (("--session", "5", "--chart", "x.png"), "--chart: 'x.png' must end in .svg"),
        (("--session", "5", "--bank", "100"), "--bank: can't be combined with --session"),
        (("--session", "5", "--rounds", "100"), "--rounds: can't be combined with --session"),
        (("--meter-run", "--bet", "ante=1"), "--bet: can't be combined with --meter-run"),
        (("--session", "0"), "session: 0 is not"),
        (("--session", "5", "--sessions", "0"), "sessions: 0 is not"),
        (("--session", "5", "--bankroll", "1"), "bankroll: does not suffice"),
        (("--meter-run",), "meter-run: this table has no meter"),
        (("--bank", "100"), "bank: the house banks"),
    ],
)
def test_mistakes_end_with_2_and_nothing_on_output(words: tuple[str, ...], said: str) -> None:
    ran = run("simulate", MARYLAND, *words)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"croupier: {said}")


def test_a_random_seed_is_said() -> None:
    data = run("simulate", MARYLAND, "--rounds", "1000", "--bet", "ante=1", "--json").data
    again = run(
        "simulate", MARYLAND, "--rounds", "1000", "--bet", "ante=1", "--seed", str(data["seed"]),
        "--json",
    ).data  # fmt: skip
    assert data["analyses"] == again["analyses"]
