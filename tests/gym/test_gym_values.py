"""Good play in the environments comes to what the games are worth, exactly known."""

from collections.abc import Callable
from fractions import Fraction
from math import sqrt
from typing import Any

import pytest

from croupier.cards import DECK, RANKS
from croupier.gym import UNSEEN, RoundEnv
from croupier.hands.hand import Hand
from tests.rules.books import LET_IT_RIDE, MARYLAND

Seen = dict[str, Any]
SIGMAS = 4.5
TEN = RANKS.index("T")
LEAST = Hand.parse("Qs 6h 4d")


def plays(seen: Seen) -> int:
    """Play queen-six-four or better: the well-known best strategy of Three Card Poker."""
    hand = Hand(tuple(DECK[card] for card in seen["seat"]))
    return 1 if LEAST.beats(hand) else 0


def rides(seen: Seen) -> int:
    """The basic strategy of Let It Ride, as the Wizard of Odds gives it."""
    cards = [int(card) for card in (*seen["seat"], *seen["community"]) if card != UNSEEN]
    ranks = sorted(card >> 2 for card in cards)
    sets = {rank for rank in ranks if ranks.count(rank) > 1}
    if sets:  # What is paid already: tens or better, two pair, three of a kind.
        return 0 if max(sets) >= TEN or len(ranks) - len(set(ranks)) > 1 else 1
    suited = len({card & 3 for card in cards}) == 1
    spread, high = ranks[-1] - ranks[0] + 1, sum(rank >= TEN for rank in ranks)
    if len(cards) == 4:  # A flush, or a straight open at both ends with a high card.
        return 0 if suited or (spread == 4 and high) else 1
    # Three of a straight flush: in a row but not 2-3-4, or with one high card for each gap.
    return 0 if suited and spread <= 5 and high >= spread - 3 and ranks != [0, 1, 2] else 1


# Both values are those of full enumeration: 407,170,400 deals of Three Card Poker, 51,979,200 of
# Let It Ride with the order of its community cards.
GAMES: dict[str, tuple[Callable[[Seen], int], Fraction, Fraction]] = {
    MARYLAND: (
        plays,
        Fraction(-686689, 20358520),
        Fraction(1113741108698391, 414469336590400),
    ),
    LET_IT_RIDE: (
        rides,
        Fraction(-37963, 1082900),
        Fraction(31209912356731, 1172672410000),
    ),
}


@pytest.mark.parametrize("episodes", [6_000, pytest.param(300_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("id", GAMES)
def test_the_best_strategy_earns_the_exact_value(id: str, episodes: int) -> None:
    policy, value, variance = GAMES[id]
    env, total = RoundEnv(id), 0.0
    env.reset(seed=2)
    for _ in range(episodes):
        (seen, _), over = env.reset(), False
        while not over:
            seen, reward, over, _, _ = env.step(policy(seen))
            total += reward
    error = total / episodes - float(value)
    assert abs(error) < SIGMAS * sqrt(variance / episodes), f"{error:+.5f}"
