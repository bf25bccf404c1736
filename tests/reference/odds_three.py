"""Three Card Poker at one seat: everything that may happen, priced hand by hand."""

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from fractions import Fraction
from functools import partial

import numpy as np

from tests.reference.odds_cards import FIVE_TITLES, THREE_TITLES, Array, Flags, three_code
from tests.reference.odds_counts import (
    OUTCOMES,
    Asked,
    Cards,
    Situations,
    contest_counts,
    shown_counts,
    situations,
)
from tests.reference.odds_figures import (
    Distribution,
    Evaluate,
    Numbers,
    Result,
    as_chances,
    scaled,
    weighed,
)
from tests.reference.odds_rules import Game
from tests.reference.paytables import CALIFORNIA


def asked(game: Game) -> Asked:
    """What the counts must distinguish; in California a player decides seeing a bank's card."""
    return Asked(
        order=game.reading.order,
        wheel=game.reading.wheel,
        six="six_card_bonus" in game.stakes,
        five="five_card_progressive" in game.stakes,
        shown=game.book == CALIFORNIA,
    )


def column(values: Iterable[Fraction], axis: int) -> Numbers:
    """Values along one of the four axes: three cards, outcome, six cards, five cards."""
    shape = [1, 1, 1, 1]
    shape[axis] = -1
    return np.array(list(values), dtype=object).reshape(shape)


def by_outcome(net: Callable[[int, list[str]], Fraction]) -> Numbers:
    """Values for every hand of three cards and every outcome of the contest."""
    found = [[net(outcome, titles) for outcome in range(OUTCOMES)] for titles in THREE_TITLES]
    return np.array(found, dtype=object)[:, :, None, None]


def staying(game: Game, outcome: int, titles: list[str]) -> Fraction:
    return game.contest(outcome) + game.ante_bonus(outcome, titles)


def part(game: Game, wager: str, *, fold: bool) -> Numbers:
    """The net of one wager, by all that it depends on."""
    if wager == "ante" and not fold:
        return by_outcome(partial(staying, game))
    if wager == "ante" or (fold and game.forfeits(wager)):
        return column([-game.stakes[wager]], 0)
    if wager == "pair_plus" and not fold:
        return by_outcome(game.pair_plus)
    titles, axis = {
        "pair_plus": (THREE_TITLES, 0),
        "progressive": (THREE_TITLES, 0),
        "six_card_bonus": (FIVE_TITLES, 2),
        "five_card_progressive": (FIVE_TITLES, 3),
    }[wager]
    return column([game.side(wager, each) for each in titles], axis)


def nets(game: Game, shape: tuple[int, ...], *, fold: bool = False) -> Numbers:
    """Return the net for every place in `THREE` and every cell of counts of this shape."""
    total = np.full((len(THREE_TITLES), *shape), Fraction(0), dtype=object)
    for wager in game.stakes:
        total = total + part(game, wager, fold=fold)
    return total


def totals(game: Game, table: Situations, *, fold: bool) -> tuple[Numbers, int]:
    """The sum of the nets of all deals of each situation, over a denominator."""
    whole, denominator = scaled(nets(game, table.counts.shape[1:], fold=fold))
    return weighed(table.counts, whole, table.codes), denominator


def best(game: Game, table: Situations) -> Flags:
    """Where to stay in; if both are worth the same, fold, which wagers less."""
    if "ante" not in game.stakes:
        return np.ones(len(table.weights), dtype=np.bool_)
    stay, by = totals(game, table, fold=False)
    fold, over = totals(game, table, fold=True)
    found: Flags = (stay.astype(object) * over > fold.astype(object) * by).astype(np.bool_)
    return found


def choose(game: Game) -> Evaluate:
    table = situations(asked(game))
    return partial(evaluate, table, best(game, table))


def tally(table: Situations, stays: Flags, by_cell: dict[bool, Numbers]) -> Distribution:
    """The chance of each net, where nets are given for hands that stay in and hands that fold."""
    found: Counter[Fraction] = Counter()
    for fold, values in by_cell.items():
        for code in range(len(THREE_TITLES)):
            rows = (table.codes == code) & (stays != fold)
            counts = np.tensordot(table.weights[rows], table.counts[rows], axes=1)
            for cell in zip(*np.nonzero(counts), strict=True):
                found[values[(code, *cell)]] += int(counts[cell])
    return as_chances(found)


def evaluate(table: Situations, stays: Flags, game: Game) -> Result:
    shape = table.counts.shape[1:]
    by_cell = {fold: nets(game, shape, fold=fold) for fold in (False, True)}
    wagered = sum(game.stakes.values(), Fraction(0))
    if "ante" in game.stakes:
        played = Fraction(int(table.weights[stays].sum()), int(table.weights.sum()))
        wagered += played * game.stakes["ante"]
    return Result(tally(table, stays, by_cell), wagered)


def by_wager(game: Game) -> dict[str, Distribution]:
    """Return the net of each wager by itself; the Ante includes Play and Ante Bonus."""
    table = situations(asked(game))
    stays, zero = best(game, table), nets(replace(game, stakes={}), table.counts.shape[1:])
    found = {}
    for wager in game.stakes:
        by_cell = {fold: zero + part(game, wager, fold=fold) for fold in (False, True)}
        found[wager] = tally(table, stays, by_cell)
    return found


def advice(game: Game, cards: Cards, shown: int | None) -> dict[str, Fraction]:
    """What each choice is worth with these cards, in units of the Ante."""
    counts: Array
    if game.book == CALIFORNIA:
        assert shown is not None
        counts = shown_counts(cards, game.reading.order)[shown].reshape(1, OUTCOMES, 1, 1)
    else:
        counts = contest_counts(cards, asked(game))[None]
    table = Situations(np.ones(1, dtype=np.int64), np.array([three_code(cards)]), counts)
    values = {}
    for choice in ("play", "fold"):
        total, denominator = totals(game, table, fold=choice == "fold")
        deals = int(counts.sum()) * denominator
        values[choice] = Fraction(int(total[0]), deals) / game.stakes["ante"]
    return values
