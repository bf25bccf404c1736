"""Moments of bets: the figures of an analysis, and those of two seats that share cards."""

import random
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest

from croupier.odds.analysis import analyze
from croupier.odds.combinations import triples
from croupier.simulation.simulator import SimulationTask, Simulator
from croupier.theory.moments import (
    Moments,
    apart,
    between,
    dealt_hands,
    symmetries,
    up_to_suits,
)
from croupier.theory.pricing import PricedBet, Stopped, Theory, WeighedHand
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
    hands = np.array(rng.sample(range(len(triples().masks)), 300))
    nets = np.array([[rng.randrange(-9, 10) for _ in range(7)] for _ in range(5)], np.float64)
    mine, theirs = (np.array([rng.randrange(7) for _ in hands]) for _ in range(2))
    brute = np.zeros((5, 5))
    for a, b in permutations(range(len(hands)), 2):
        if not int(triples().masks[hands[a]]) & int(triples().masks[hands[b]]):
            brute += np.outer(nets[:, mine[a]], nets[:, theirs[b]])
    dealt = (dealt_hands(nets, hands, case) for case in (mine, theirs))
    assert np.allclose(apart(*dealt), brute)


def test_suits_that_no_row_tells_apart_change_places() -> None:
    """One row pays spades and another the rest: 6 of the 24 orders of suits keep them."""
    plain = priced(MARYLAND, {}, {"ante": 500}).moments
    spades = priced(MARYLAND, PROGRESSIVE, {"ante": 1_000, "progressive": 100}).moments
    assert (len(symmetries(plain)), len(symmetries(spades))) == (24, 6)
    counted = [list(up_to_suits(triples(), symmetries(one))) for one in (plain, spades)]
    assert [len(found) for found in counted] == [1_755, 5_252]
    assert all(sum(times for _, times in found) == 22_100 for found in counted)


class Telling(Moments):
    """Moments whose every hand is counted in its actual suits."""

    ignores_suits = False


def test_averages_over_suits_and_rests_give_the_covariance_of_actual_suits() -> None:
    """A row pays spades more: few draws and rare hands come to what all draws do."""
    rules = rules_of(MARYLAND, PROGRESSIVE)
    bet = {"ante": Fraction(5), "progressive": Fraction(1)}
    few, all = Moments(rules, bet), Telling(rules, bet)
    found, counted = between(few, few), between(all, all)
    assert few.averages.suited.any()
    assert found is not None and counted is not None
    assert np.allclose(found, counted, rtol=1e-12, atol=0)


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


def test_a_theory_that_is_stopped_breaks_off_what_takes_long() -> None:
    theory = Theory()
    one = theory.priced(rules_of(MARYLAND, {}), (("ante", 500),))
    assert isinstance(one, PricedBet)
    hand = WeighedHand(one.moments, one.weights({}))
    theory.stop()
    with pytest.raises(Stopped):
        theory.variance([hand, hand])
    with pytest.raises(Stopped):
        theory.priced(rules_of(LET_IT_RIDE, {}), (("let_it_ride", 500),))
