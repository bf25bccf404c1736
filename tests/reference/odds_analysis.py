"""Exact odds by brute force: what `croupier analyze` and `croupier advise` must find."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tests.reference import hands, odds_ride, odds_three
from tests.reference.odds_figures import Distribution, Figures, figures
from tests.reference.odds_rules import STANDARD, Game, Reading, dependent, exact, opened
from tests.reference.paytables import RIDE


def game_of(
    book: str,
    selections: Mapping[str, Any],
    bet: Mapping[str, object],
    *,
    meters: Mapping[str, object] | None = None,
    reading: Reading = STANDARD,
) -> Game:
    stakes = dependent(book, {wager: exact(stake) for wager, stake in bet.items()})
    return opened(Game(book, selections, stakes, reading=reading), meters or {})


def analyze(game: Game, *, others: int = 0) -> Figures:
    """All figures of one bet at one seat, under the strategy that is best for it."""
    choose = odds_ride.choose if game.book == RIDE else odds_three.choose
    return figures(game, choose, others)


def by_wager(game: Game) -> dict[str, Distribution]:
    """The chance of each net of each wager, under the strategy that is best for all of them."""
    return odds_ride.by_wager(game) if game.book == RIDE else odds_three.by_wager(game)


def advise(game: Game, cards: str, *, shown: str = "", community: str = "") -> dict[str, Fraction]:
    """The value of each choice with the seat's cards and what else is seen."""
    own = tuple(map(hands.DECK.index, hands.parse(cards)))
    seen = [hands.DECK.index(card) for card in hands.parse(shown or community)]
    place = seen[0] if seen else None
    if game.book == RIDE:
        return odds_ride.advice(game, own, place)
    return odds_three.advice(game, own, place)
