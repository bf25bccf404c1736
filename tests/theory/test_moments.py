"""Moments of bets: the figures of an analysis, and those of two seats that share cards."""

import random
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest

from croupier.odds import analyze
from croupier.odds.combinations import triples
from croupier.simulation.simulator import SimulationTask, Simulator
from croupier.theory.moments import _apart
from croupier.theory.pricing import PricedBet, Theory, WeighedHand
from tests.ledger.tables import rules_of
from tests.rules.books import LET_IT_RIDE, MARYLAND, SINGAPORE

THEORY = Theory()
"""Kept for all tests of this file: what two seats share takes seconds to count."""
PROGRESSIVE = {"progressive": "A", "progressive_reset": 1000}
BETS = [
    (MARYLAND, {}, {"ante": 500}, {}),
    (MARYLAND, {}, {"ante": 1_500, "pair_plus": 2_500}, {}),
    (MARYLAND, {}, {"pair_plus": 700}, {}),
    (MARYLAND, PROGRESSIVE, {"ante": 1_000, "progressive": 100}, {"progressive": 1_234}),
    (MARYLAND, PROGRESSIVE, {"ante": 1_000, "progressive": 100}, {"progressive": 87_654}),
    (LET_IT_RIDE, {}, {"let_it_ride": 1_000}, {}),
    (SINGAPORE, {}, {"ante": 2_500, "pair_plus": 1_000}, {}),
]


def priced(rulebook: str, selections: dict[str, object], bet: dict[str, int]) -> PricedBet:
    found = THEORY.priced(rules_of(rulebook, selections), tuple(bet.items()))
    assert isinstance(found, PricedBet), found
    return found


@pytest.mark.parametrize(("book", "selections", "bet", "meters"), BETS)
def test_moments_give_the_figures_of_an_analysis(
    book: str, selections: dict[str, object], bet: dict[str, int], meters: dict[str, int]
) -> None:
    rules = rules_of(book, selections)
    units = {name: Fraction(cents, 100) for name, cents in bet.items()}
    exact = analyze(rules, units, meters=meters or None)
    one = priced(book, selections, bet)
    weights = one.weights({id: Fraction(dollars) for id, dollars in meters.items()})
    by_line: dict[str, Fraction] = {}
    for column, mean, times in zip(one.moments.columns, one.moments.means, weights, strict=True):
        if times:
            by_line[column.line] = by_line.get(column.line, Fraction(0)) + mean * times / 100
    expected: dict[str, Fraction] = {}
    for part in exact.returns:
        expected[part.line] = expected.get(part.line, Fraction(0)) + part.contribution
    assert by_line == expected
    assert sum(by_line.values()) == exact.expected_value
    whole = THEORY.variance([WeighedHand(one.moments, weights)]).whole / 10_000
    assert whole == pytest.approx(float(exact.variance), rel=1e-9)


def test_published_edges() -> None:
    """An Ante costs 3.373 % by the best strategy, Let It Ride 3.506 % of one bet."""
    for book, wager, percent in ((MARYLAND, "ante", 3.373), (LET_IT_RIDE, "let_it_ride", 3.506)):
        one = priced(book, {}, {wager: 100})
        means = zip(one.moments.means, one.weights({}), strict=True)
        assert -float(sum(mean * times for mean, times in means)) == pytest.approx(
            percent, abs=5e-4
        )


def test_bets_of_any_size_share_their_moments() -> None:
    assert (
        priced(MARYLAND, {}, {"ante": 500}).moments
        is priced(MARYLAND, {}, {"pair_plus": 500}).moments
        is priced(MARYLAND, {}, {"ante": 1_500, "pair_plus": 2_500}).moments
    )


def test_hands_without_a_common_card_are_paired() -> None:
    """The sum over pairs of hands, against going through them one by one."""
    rng = random.Random(5)
    hands = rng.sample(range(len(triples().masks)), 300)
    columns = np.zeros((2, len(triples().masks)))
    for column in columns:
        column[hands] = [rng.randrange(-9, 10) for _ in hands]
    brute = np.zeros((2, 2))
    for a, b in combinations(hands, 2):
        if not int(triples().masks[a]) & int(triples().masks[b]):
            brute += np.outer(columns[:, a], columns[:, b])
            brute += np.outer(columns[:, b], columns[:, a])
    assert np.allclose(_apart(columns, columns), brute)


def test_seats_that_share_cards_vary_together() -> None:
    """The variance of four seats against the same bank, against rounds drawn at random."""
    one, rounds = priced(MARYLAND, {}, {"ante": 100}), 400_000
    hand = WeighedHand(one.moments, one.weights({}))
    found, alone = THEORY.variance([hand] * 4), THEORY.variance([hand])
    simulator = Simulator(
        SimulationTask(rules_of(MARYLAND, {}), {"ante": Fraction(1)}, {}, seats=4)
    )
    totals = simulator.block(np.random.default_rng(1), rounds).totals
    mean = sum(net * times for net, times in totals.items()) / rounds
    drawn = sum(net**2 * times for net, times in totals.items()) / rounds - mean**2
    assert found.is_counted
    assert found.whole / 10_000 == pytest.approx(drawn / simulator.scale**2, rel=0.02)
    assert found.whole > 1.4 * 4 * alone.whole
    assert found.lines["pair_plus"] == 0
