"""Exact means, variances and covariances of what a seat nets, line by line.

A *column* is the net of one line on one unit of each wager, or what a line gains for each dollar
that a meter shows. The net of any bet is a sum of columns, each times a coefficient; so these few
figures price every bet of a table. Means and the moments of one seat are counted exactly, in
integers. Two seats of a round share the cards of the bank or the community and a deck, so their
nets are correlated; these covariances are counted too, over all deals to two seats.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
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
Check = Callable[[], None]
"""Called now and then during long work, to break it off with an exception."""
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

    def __init__(
        self, rules: TableRules, bet: Mapping[str, Fraction], check: Check = lambda: None
    ) -> None:
        self.rules, self._check = rules, check
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
                self._check()
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
    def ignores_suits(self) -> bool:
        """Whether the strategy is the same for all suits, whatever rows pay for some of them."""
        first = self.solved.reach[0]
        return all(
            np.array_equal(mask, other)
            for reach in self.solved.reach
            for mask, other in zip(reach, first, strict=True)
        )

    @cached_property
    def case_nets(self) -> Floats:
        """The net of every column in every case, in cents."""
        return self._case_nets(0)

    def _case_nets(self, turn: int) -> Floats:
        nets = [self.cases.nets_by(one, turn) / (one.scale // 100) for one in self._priced]
        return np.array(nets, np.float64).reshape(len(self.columns), -1)

    @cached_property
    def by_suits(self) -> "CaseNets":
        """The actual nets, for a strategy that tells suits apart."""
        return _case_nets(self.case_nets, np.zeros(self.case_nets.shape[1], bool))

    @cached_property
    def averages(self) -> "CaseNets":
        """The nets on average over all suits."""
        turns = np.array([self._case_nets(turn) for turn in range(len(self.model.turns))])
        return _case_nets(turns.mean(axis=0), (turns != turns[0]).any(axis=(0, 1)))

    def case_of(self, hands: NDArray[np.int64], numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the case of every hand, given the number of the shared cards."""
        return self.cases.number(hands, {p.group.place: (p, numbers) for p in self.places})


class CaseNets(NamedTuple):
    """What cases net; few of them differ."""

    nets: Floats
    """The distinct combinations of nets, column by column."""
    of: NDArray[np.int64]
    """The place in `nets` of every case."""
    suited: NDArray[np.bool_]
    """The cases whose actual nets depend on their suits."""


def _case_nets(nets: Floats, suited: NDArray[np.bool_]) -> CaseNets:
    distinct, of = np.unique(nets, axis=1, return_inverse=True)
    return CaseNets(distinct, of.reshape(-1), suited)


class DealtHands(NamedTuple):
    """The hands that a seat may be dealt beside some shared cards; few of them differ in nets."""

    nets: Floats
    """The net of every column in every case that comes up."""
    cases: NDArray[np.int64]
    """The case of every hand, by its place in `nets`."""
    sums: tuple[Floats, Floats, Floats]
    """The columns over all hands, over those with each card, and over those with each pair."""


def dealt_hands(nets: Floats, hands: NDArray[np.int64], case: NDArray[np.int64]) -> DealtHands:
    """Return hands by the few cases that come up among them, given what each case nets."""
    there = np.flatnonzero(np.bincount(case, minlength=nets.shape[1]))
    place = np.zeros(nets.shape[1], np.int64)
    place[there] = np.arange(len(there))
    cases, nets, pairs = place[case], nets[:, there], comb(_DECK, 2)
    numbers = (cases[:, None] * pairs + _pairs_of()[hands]).ravel()
    counts = np.bincount(numbers, minlength=len(there) * pairs).reshape(-1, pairs)
    by_pair = nets @ counts.astype(np.float64)
    by_card = by_pair @ _cards_in() / 2
    return DealtHands(nets, cases, (by_card.sum(axis=1, keepdims=True) / 3, by_card, by_pair))


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


def between(one: Moments, other: Moments, check: Check = lambda: None) -> Floats | None:
    """Return the covariance of the columns of two seats in a round; None if it isn't counted.

    It is not where a bet depends on two groups of cards besides the seat's, and where two bets
    depend on different ones.
    """
    shared = [*one.places, *other.places]
    same_draw = all(place.draw is shared[0].draw for place in shared)
    if len({place.group.place for place in shared}) > 1 or not same_draw:
        return None
    if not shared:
        hands = np.arange(len(triples().masks))
        mine, theirs = (
            dealt_hands(of.case_nets, hands, of.case_of(hands, hands)) for of in (one, other)
        )
        total, deals, left = apart(mine, theirs), 1, _DECK
    else:
        place = shared[0]
        total = _over_draws(one, other, place.draw, check)
        deals, left = len(place.draw.masks), _DECK - place.size
    pairs = deals * comb(left, _HAND) * comb(left - _HAND, _HAND)
    means = np.outer([float(x) for x in one.means], [float(x) for x in other.means])
    found: Floats = total / pairs - means
    return found


def _over_draws(one: Moments, other: Moments, draw: Combinations, check: Check) -> Floats:
    """Sum the products of columns over all draws of the shared cards and both seats' hands.

    A net is its average over all orders of suits and a rest, which is 0 except for the few hands
    whose suits a row asks for. Draws that differ only in suits have the same averages, and an
    average times a rest sums to 0. So averages are summed over one of these draws, and only rests
    over all of them.
    """
    even = one.ignores_suits and other.ignores_suits
    orders = [*permutations(range(len(SUITS)))] if even else symmetries(one, other)
    seat = _Seat(one, draw, orders, averages=even)
    second = seat if other is one else _Seat(other, draw, orders, averages=even)
    total = np.zeros((len(one.columns), len(other.columns)))
    for number, times in up_to_suits(draw, orders):
        check()
        mine = seat.beside(number)
        theirs = mine if second is seat else second.beside(number)
        total += times * apart(mine.dealt, theirs.dealt)
        if mine.rests and theirs.rests:
            total += times / len(orders) * _rests_apart(mine.rests, theirs.rests)
    return total


class Rests(NamedTuple):
    """The hands whose suits a row asks for, and by how much their nets differ from the average."""

    hands: NDArray[np.int64]
    nets: Floats
    """The differences by column, order of suits and hand."""


class Beside(NamedTuple):
    """What a seat may be dealt beside some shared cards."""

    dealt: "DealtHands"
    rests: Rests | None


class _Seat:
    """A seat of a round with shared cards, in all orders of suits."""

    def __init__(
        self,
        moments: Moments,
        draw: Combinations,
        orders: Sequence[tuple[int, ...]],
        *,
        averages: bool,
    ) -> None:
        self.moments, self.draw = moments, draw
        self.nets = moments.averages if averages else moments.by_suits
        self.hands, self.draws = in_orders(triples(), orders), in_orders(draw, orders)

    def beside(self, number: int) -> Beside:
        """Return what the seat may be dealt beside a draw of the shared cards."""
        free = np.flatnonzero((triples().masks & self.draw.masks[number]) == 0)
        case = self.moments.case_of(free, np.full(len(free), number))
        of = self.nets.of[case]
        told = np.flatnonzero(self.nets.suited[case])
        rests = self._rests(free[told], of[told], number) if len(told) else None
        return Beside(dealt_hands(self.nets.nets, free, of), rests)

    def _rests(self, hands: NDArray[np.int64], of: NDArray[np.int64], number: int) -> Rests:
        there = self.hands[:, hands]
        draws = np.repeat(self.draws[:, number], len(hands))
        actual = self.moments.case_nets[:, self.moments.case_of(there.ravel(), draws)]
        return Rests(hands, actual.reshape(-1, *there.shape) - self.nets.nets[:, None, of])


def _rests_apart(mine: Rests, theirs: Rests) -> Floats:
    """Sum the products of rests over all orders of suits and pairs of disjoint hands."""
    masks = triples().masks
    disjoint = (masks[mine.hands][:, None] & masks[theirs.hands]) == 0
    found: Floats = np.tensordot(mine.nets @ disjoint, theirs.nets, ((1, 2), (1, 2)))
    return found


def apart(mine: DealtHands, theirs: DealtHands) -> Floats:
    """Sum the products of columns over all pairs of hands that have no card in common.

    By inclusion and exclusion: all pairs, less those that share a card, plus those that share two,
    less those that share all three.
    """
    sizes = mine.nets.shape[1], theirs.nets.shape[1]
    same = np.bincount(mine.cases * sizes[1] + theirs.cases, minlength=sizes[0] * sizes[1])
    found = -(mine.nets @ same.reshape(sizes) @ theirs.nets.T)
    for sign, a, b in zip((1, -1, 1), mine.sums, theirs.sums, strict=True):
        found += sign * (a @ b.T)
    return found


@cache
def _pairs_of() -> NDArray[np.int64]:
    """Return the numbers of the three pairs of cards in every hand."""
    number = np.zeros((_DECK, _DECK), np.int64)
    number[np.triu_indices(_DECK, 1)] = np.arange(comb(_DECK, 2))
    a, b, c = triples().cards.T
    return np.stack([number[a, b], number[a, c], number[b, c]], axis=1)


@cache
def _cards_in() -> Floats:
    """Return which cards are in every pair."""
    found = np.zeros((comb(_DECK, 2), _DECK))
    for cards in np.triu_indices(_DECK, 1):
        found[np.arange(len(cards)), cards] = 1
    return found


def symmetries(*moments: Moments) -> list[tuple[int, ...]]:
    """Return the orders of suits that no row tells apart: each keeps the suits that rows ask for.

    Where one row asks for spades and another for the rest, the rest may still change places.
    """
    tables = [table for one in moments for table in one.model.tables]
    asked = {frozenset(map(SUITS.index, row.suits)) for table in tables for row in table.rows}
    orders = permutations(range(len(SUITS)))
    return [o for o in orders if all({o[suit] for suit in suits} == suits for suits in asked)]


def up_to_suits(draw: Combinations, orders: Sequence[tuple[int, ...]]) -> Iterator[tuple[int, int]]:
    """Yield one of all draws that differ only in orders of suits, and their number."""
    _, number, times = np.unique(
        in_orders(draw, orders).min(axis=0), return_index=True, return_counts=True
    )
    yield from zip(number.tolist(), times.tolist(), strict=True)


def in_orders(draw: Combinations, orders: Sequence[tuple[int, ...]]) -> NDArray[np.int64]:
    """Return the number that every draw has in each order of suits; the first changes nothing.

    Which card is drawn first matters unless every hand is listed once.
    """
    cards, ordered = draw.cards.astype(np.int64), 0 if draw is triples() else 1
    keys = []
    for order in orders:
        there = (cards >> 2 << 2) | np.array(order)[cards & 3]
        key = np.zeros(len(there), np.int64)
        there[:, ordered:].sort(axis=1)
        for column in there.T:
            key = key * _DECK + column
        keys.append(key)
    known = np.argsort(keys[0])
    return known[np.searchsorted(keys[0][known], np.array(keys))]
