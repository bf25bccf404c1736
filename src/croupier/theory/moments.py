"""Exact means, variances and covariances of what a seat nets, line by line.

A *column* is the net of one line on one unit of each wager, or what a line gains for each dollar
that a meter shows. The net of any bet is a sum of columns, each times a coefficient; so these few
figures price every bet of a table. Means and the moments of one seat are counted exactly, in
integers. Two seats of a round share the cards of the bank or the community and a deck, so their
nets are correlated; these covariances are counted too, over all deals to two seats.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache, cached_property
from itertools import permutations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from croupier.cards import SUITS
from croupier.errors import UserError
from croupier.odds.analysis import Analysis
from croupier.odds.combinations import Combinations, triples
from croupier.odds.paths import Exact, Path
from croupier.odds.payoffs import Payoffs
from croupier.odds.solve import Model, PricedModel
from croupier.rules.table_rules import TableRules
from croupier.simulation.simulator import Cases, SharedCards

Floats = NDArray[np.float64]
Nets = tuple[Exact, list[list[Exact]]]
"""What a line nets on a path in any case, and additionally by state and row."""

_DECK, _HAND = 52, 3
_FAR = Fraction(10**9)


class Column(NamedTuple):
    """A line, and the meter whose dollars it counts; None is what it nets with meters at zero."""

    line: str
    meter: str | None = None


class Moments:
    """The moments of all lines of one bet, by the strategy that is best for that bet."""

    def __init__(self, rules: TableRules, bet: Mapping[str, Fraction]) -> None:
        self.rules = rules
        own = {id: meter for id, meter in rules.meters.items() if meter.wager in bet}
        resets = {id: Fraction(meter.reset or 0, 100) for id, meter in own.items()}
        self.analysis = Analysis(rules, bet, resets)
        self.solved = self.analysis.solved
        priced = dict(_columns(self.model, [*own]))
        self.columns = tuple(priced)
        self._priced = tuple(priced.values())
        self.means, self.seconds = self._counted()

    @property
    def model(self) -> Model:
        return self.solved.model

    def _counted(self) -> tuple[tuple[Fraction, ...], list[list[Fraction]]]:
        """Return the mean of every column, and of every product of two, in cents."""
        solved, size = self.solved, len(self.columns)
        firsts = [0] * size
        products = [[0] * size for _ in range(size)]
        deals = 0
        for turn in range(len(self.model.turns)):
            for number in range(len(self.model.paths)):
                mask = solved.reach[turn][number]
                if not mask.any():
                    continue
                count = solved.joint(mask) if self.model.side else solved.cases(mask)
                at = np.nonzero(count)
                times = count[at].astype(object)
                deals += int(times.sum())
                nets = [_nets_on(priced, turn, number)[at] for priced in self._priced]
                for i in range(size):
                    weighed = times * nets[i]
                    firsts[i] += int(weighed.sum())
                    for j in range(i, size):
                        products[i][j] += int((weighed * nets[j]).sum())
        scales = [priced.scale // 100 for priced in self._priced]
        means = tuple(Fraction(n, deals * s) for n, s in zip(firsts, scales, strict=True))
        return means, [
            [Fraction(products[min(i, j)][max(i, j)], deals * scales[i] * scales[j])
             for j in range(size)] for i in range(size)
        ]  # fmt: skip

    @cached_property
    def covariance(self) -> Floats:
        """The covariance of every two columns at one seat, in square cents."""
        size = range(len(self.columns))
        means, seconds = self.means, self.seconds
        return np.array(
            [[float(seconds[i][j] - means[i] * means[j]) for j in size] for i in size]
        ).reshape(len(size), len(size))

    @cached_property
    def places(self) -> list[SharedCards]:
        """The cards besides the seats' own that a net depends on."""
        groups = [group for group in (self.model.main, self.model.side) if group]
        return [SharedCards(self.solved, group) for group in groups]

    @cached_property
    def cases(self) -> Cases:
        return Cases(self.solved, self.places)

    @cached_property
    def case_nets(self) -> list[Floats]:
        """The net of every column in every case, in cents."""
        return [
            self.cases.nets_by(one).astype(np.float64) / (one.scale // 100) for one in self._priced
        ]

    def dealt(self, hands: NDArray[np.int64], number: int) -> Floats:
        """Return every hand's columns, given the shared cards' number; zero where not dealt."""
        numbers = np.full(len(hands), number)
        case = self.cases.number(hands, {p.group.place: (p, numbers) for p in self.places})
        found = np.zeros((len(self.columns), len(triples().masks)))
        for column, nets in zip(found, self.case_nets, strict=True):
            column[hands] = np.take(nets, case)
        return found


def _nets_at(model: Model, meters: Mapping[str, Fraction]) -> dict[str, dict[Any, Nets]]:
    return line_nets(Payoffs(model.rules, meters), model.paths, model.judged)


def line_nets(
    pays: Payoffs, paths: Sequence[Path], judged: Sequence[Any]
) -> dict[str, dict[Any, Nets]]:
    """Return what lines net on paths, by line and by what was chosen on the path."""
    return {one.name: {path.chose: pays.nets(one, path) for path in paths} for one in judged}


def _columns(model: Model, meters: Sequence[str]) -> Iterator[tuple[Column, PricedModel]]:
    """Yield every column with its payoffs."""
    zero = dict.fromkeys(meters, Fraction(0))
    base = _nets_at(model, zero)
    for name, nets in base.items():
        yield Column(name), _alone(model, name, nets)
    for id in meters:
        once = _nets_at(model, {**zero, id: Fraction(1)})
        far = _nets_at(model, {**zero, id: _FAR})
        for name in base:
            gains = {chose: _less(once[name][chose], nets) for chose, nets in base[name].items()}
            if not any(x for _, table in gains.values() for row in table for x in row):
                continue
            if any(_less(far[name][c], base[name][c]) != _times(gains[c], _FAR) for c in gains):
                raise UserError(f"what {name} pays does not rise evenly with the meter {id}")
            yield Column(name, id), _alone(model, name, gains)


def _alone(model: Model, name: str, nets: Mapping[Any, Nets]) -> PricedModel:
    """Return payoffs in which only one line counts."""
    nothing: Nets = (0, [])
    return model.priced(
        [
            [nets[path.chose] if one.name == name else nothing for one in model.judged]
            for path in model.paths
        ]
    )


def _less(one: Nets, other: Nets) -> Nets:
    rows = zip(one[1], other[1], strict=True)
    return one[0] - other[0], [[x - y for x, y in zip(a, b, strict=True)] for a, b in rows]


def _times(nets: Nets, times: Fraction) -> Nets:
    return nets[0] * times, [[x * times for x in row] for row in nets[1]]


def _nets_on(priced: PricedModel, turn: int, path: int) -> NDArray[Any]:
    """Return the nets on a path by the seat's code and the outcomes of both groups of cards."""
    mains, sides = priced.turned[turn]
    nets: NDArray[Any] = mains[path][:, :, None] + sides[path][None, None, :]
    return nets.astype(object)


# ---------------------------------------------------------------- two seats of a round


def between(one: Moments, other: Moments) -> Floats | None:
    """Return the covariance of the columns of two seats in a round; None if it isn't counted.

    It is not where a bet depends on two groups of cards besides the seat's, and where two bets
    depend on different ones.
    """
    shared = [*one.places, *other.places]
    draws = {id(place.draw) for place in shared}
    if len({place.group.place for place in shared}) > 1 or len(draws) > 1:
        return None
    total = np.zeros((len(one.columns), len(other.columns)))
    hands = np.arange(len(triples().masks))
    if not shared:
        total += _apart(one.dealt(hands, 0), other.dealt(hands, 0))
        deals, left = 1, _DECK
    else:
        place = shared[0]
        deals, left = len(place.draw.masks), _DECK - place.size
        for number, times in _up_to_suits(place.draw, _fixed_suits(one, other)):
            free = hands[(triples().masks & place.draw.masks[number]) == 0]
            mine = one.dealt(free, number)
            theirs = mine if other is one else other.dealt(free, number)
            total += times * _apart(mine, theirs)
    pairs = deals * comb(left, _HAND) * comb(left - _HAND, _HAND)
    means = np.outer([float(x) for x in one.means], [float(x) for x in other.means])
    found: Floats = total / pairs - means
    return found


def _apart(mine: Floats, theirs: Floats) -> Floats:
    """Sum the products of columns over all pairs of hands that have no card in common.

    By inclusion and exclusion: all pairs, less those that share a card, plus those that share two,
    less those that share all three.
    """
    found = -(mine @ theirs.T)
    first = _sums(mine)
    second = first if theirs is mine else _sums(theirs)
    for sign, a, b in zip((1, -1, 1), first, second, strict=True):
        found += sign * (a @ b.T)
    return found


def _sums(columns: Floats) -> tuple[Floats, Floats, Floats]:
    """Sum columns over all hands, over those with each card, and over those with each pair."""
    pairs = comb(_DECK, 2)
    numbers = _pairs_in(len(columns))
    weights = np.repeat(columns, _HAND, axis=0).ravel()
    summed: Floats = np.bincount(numbers, weights, len(columns) * pairs).astype(np.float64)
    by_pair = summed.reshape(-1, pairs)
    by_card = by_pair @ _cards_in() / 2
    return by_card.sum(axis=1, keepdims=True) / 3, by_card, by_pair


@cache
def _pairs_in(columns: int) -> NDArray[np.int64]:
    """Return the numbers of the three pairs of cards in every hand, for each of some columns."""
    pairs = comb(_DECK, 2)
    number = np.zeros((_DECK, _DECK), np.int64)
    number[np.triu_indices(_DECK, 1)] = np.arange(pairs)
    a, b, c = triples().cards.T
    once = np.concatenate([number[a, b], number[a, c], number[b, c]])
    return np.concatenate([once + pairs * column for column in range(columns)])


@cache
def _cards_in() -> Floats:
    """Return which cards are in every pair."""
    found = np.zeros((comb(_DECK, 2), _DECK))
    for cards in np.triu_indices(_DECK, 1):
        found[np.arange(len(cards)), cards] = 1
    return found


def _fixed_suits(*moments: Moments) -> frozenset[int]:
    """Return the suits that some row asks for."""
    tables = [table for one in moments for table in one.model.tables]
    return frozenset(SUITS.index(s) for table in tables for row in table.rows for s in row.suits)


def _up_to_suits(draw: Combinations, fixed: frozenset[int]) -> Iterator[tuple[int, int]]:
    """Yield one of all draws that differ only in suits that no row tells apart, and their number.

    Which card is drawn first matters unless every hand is listed once.
    """
    cards, ordered = draw.cards.astype(np.int64), 0 if draw is triples() else 1
    keys = []
    for order in permutations(range(len(SUITS))):
        if all(order[suit] == suit for suit in fixed):
            there = (cards >> 2 << 2) | np.array(order)[cards & 3]
            key = np.zeros(len(there), np.int64)
            there[:, ordered:].sort(axis=1)
            for column in there.T:
                key = key * _DECK + column
            keys.append(key)
    _, number, times = np.unique(np.min(keys, axis=0), return_index=True, return_counts=True)
    yield from zip(number.tolist(), times.tolist(), strict=True)
