"""Prices bets by the moments of their table rules, which are kept by the rules' digest.

The strategy is the one that is best for one unit on each of the bet's wagers, with meters at their
resets. A bet that does not pay in proportion, because a limit cuts it, is priced by the strategy
that is best for that very bet.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from croupier.errors import UserError
from croupier.odds.bets import offered, unit_of
from croupier.odds.paths import leaves, tree
from croupier.odds.payoffs import Payoffs, judged
from croupier.odds.scope import outside
from croupier.rules.table_rules import TableRules
from croupier.theory.moments import Floats, Moments, Nets, between, line_nets

StakedBet = tuple[tuple[str, int], ...]
"""The wagers of a hand that were made before the deal, each with its stake in cents."""
KEPT_MAX = 4_096


class PricedBet(NamedTuple):
    """A bet as multiples of the lines of its moments."""

    moments: Moments
    times: tuple[Fraction, ...]
    """The coefficient of each column; a meter's is per dollar."""

    def weights(self, meters: Mapping[str, Fraction]) -> tuple[Fraction, ...]:
        """Return the coefficients of the columns, given what the meters show in dollars."""
        return tuple(
            times * meters[column.meter] if times and column.meter else times
            for times, column in zip(self.times, self.moments.columns, strict=True)
        )

    @property
    def meters(self) -> frozenset[str]:
        """The meters that the bet may be paid from."""
        columns = zip(self.times, self.moments.columns, strict=True)
        return frozenset(column.meter for times, column in columns if times and column.meter)


class WeighedHand(NamedTuple):
    """What is bet on one hand of cards: its moments, and the coefficients of their columns."""

    moments: Moments
    weights: tuple[Fraction, ...]
    cards: int | None = None
    """The number of the cards, where seats share hands."""


class Variance(NamedTuple):
    """The variance of a round's result, in square cents: of all lines, and of each."""

    whole: float
    lines: Mapping[str, float]
    is_counted: bool
    """False if seats are correlated in a way that isn't counted; then these are upper bounds."""


class Stopped(Exception):
    """Raised by a theory that was told to stop."""


class Theory:
    """Prices bets and keeps what it has worked out."""

    def __init__(self) -> None:
        self._is_stopped = False
        self._moments: dict[tuple[str, tuple[tuple[str, Fraction], ...]], Moments] = {}
        self._between: dict[tuple[Moments, Moments], Floats | None] = {}
        self._bets: dict[tuple[str, StakedBet], PricedBet | str] = {}
        self._units: dict[tuple[str, tuple[str, ...]], Moments] = {}
        self._variances: dict[tuple[Any, ...], Variance] = {}

    def stop(self) -> None:
        """Break off what is being priced in another thread, for good."""
        self._is_stopped = True

    def check(self) -> None:
        if self._is_stopped:
            raise Stopped

    def priced(self, rules: TableRules, bet: StakedBet) -> PricedBet | str:
        """Return the price of a bet, or why the odds don't give one."""
        key = rules.digest, bet
        if key not in self._bets:
            if len(self._bets) >= KEPT_MAX:
                self._bets.clear()
            try:
                self._bets[key] = self._price(rules, bet)
            except UserError as error:
                self._bets[key] = str(error)
        return self._bets[key]

    def variance(self, hands: Sequence[WeighedHand]) -> Variance:
        """Return the variance of a round; players often bet the same again."""
        key = tuple((h.moments, h.cards, h.weights) for h in hands)
        if key not in self._variances:
            if len(self._variances) >= KEPT_MAX:
                self._variances.clear()
            self._variances[key] = variance_of(self, hands)
        return self._variances[key]

    def between(self, one: Moments, other: Moments) -> Floats | None:
        """Return the covariance of two seats' columns, or None if it isn't counted."""
        key = one, other
        if key not in self._between:
            found = between(one, other, self.check)
            self._between[key] = found
            self._between[key[::-1]] = None if found is None else found.T
        return self._between[key]

    def _price(self, rules: TableRules, bet: StakedBet) -> PricedBet:
        stakes = {name: Fraction(cents, 100) for name, cents in bet}
        moments = self._at_units(rules, tuple(stakes))
        times = _times(moments, rules, stakes)
        if times is None:
            moments = self._kept(rules, stakes)
            times = tuple(Fraction(1) for _ in moments.columns)
        return PricedBet(moments, times)

    def _at_units(self, rules: TableRules, wagers: tuple[str, ...]) -> Moments:
        """Return the moments of one unit on each of some wagers.

        They are those of all wagers that the table offers, if the others change nothing: then the
        seats of a round have the same moments, and what they share is counted once.
        """
        key = rules.digest, wagers
        if key not in self._units:
            reason = outside(rules)
            if reason:
                raise UserError(f"the odds do not cover this table: {reason}")
            own = self._kept(rules, {name: unit_of(rules, name) for name in wagers})
            try:
                whole = self._kept(rules, {name: unit_of(rules, name) for name in offered(rules)})
            except UserError:  # Such as wagers that the odds don't price together.
                whole = own
            self._units[key] = whole if _is_within(own, whole) else own
        return self._units[key]

    def _kept(self, rules: TableRules, bet: Mapping[str, Fraction]) -> Moments:
        key = rules.digest, tuple(bet.items())
        if key not in self._moments:
            self._moments[key] = Moments(rules, bet, self.check)
        return self._moments[key]


def _nets(rules: TableRules, bet: Mapping[str, Fraction]) -> dict[str, dict[Any, Nets]]:
    """Return what every line of a bet nets on every path, with meters at zero."""
    paths = tuple(leaves(tree(rules, bet)))
    pays = Payoffs(rules, dict.fromkeys(rules.meters, Fraction(0)))
    return line_nets(pays, paths, judged(rules, paths))


def _is_within(own: Moments, whole: Moments) -> bool:
    """Whether other wagers of a bet change nothing about some: neither strategy nor results."""
    if not {*own.columns} <= {*whole.columns}:
        return False
    at = [whole.columns.index(column) for column in own.columns]
    same = own.means == tuple(whole.means[i] for i in at)
    return same and own.seconds == [[whole.seconds[i][j] for j in at] for i in at]


def _times(
    moments: Moments, rules: TableRules, stakes: Mapping[str, Fraction]
) -> tuple[Fraction, ...] | None:
    """Return how often a bet has each column, or None if it is no multiple of the unit bet."""
    nets, units = _nets(rules, stakes), _nets(rules, {n: unit_of(rules, n) for n in stakes})
    metered = {column.line for column in moments.columns if column.meter}
    found = {}
    for line in dict.fromkeys(column.line for column in moments.columns):
        times = _multiple(nets[line], units[line]) if line in nets else Fraction(0)
        # A meter pays the same on every stake.
        if times is None or (line in metered and times not in (0, 1)):
            return None
        found[line] = times
    if nets.keys() - found.keys():
        return None
    return tuple(found[column.line] for column in moments.columns)


def _multiple(nets: Mapping[Any, Nets], unit: Mapping[Any, Nets]) -> Fraction | None:
    """Return how many times one unit's nets these are, or None if they aren't in proportion."""
    pairs = []
    for chose, (fixed, table) in nets.items():
        other_fixed, other = unit[chose]
        if [len(row) for row in table] != [len(row) for row in other]:
            return None
        pairs.append((fixed, other_fixed))
        for row, other_row in zip(table, other, strict=True):
            pairs += zip(row, other_row, strict=True)
    times = next((Fraction(x) / y for x, y in pairs if y), Fraction(0))
    return times if all(x == times * y for x, y in pairs) else None


# ---------------------------------------------------------------- the hands of a round


def variance_of(theory: Theory, hands: Sequence[WeighedHand]) -> Variance:
    """Return the variance of the total result of one round's hands."""
    staked = [hand for hand in hands if any(hand.weights)]
    names = [*dict.fromkeys(c.line for hand in staked for c in hand.moments.columns)]
    groups = [_Group(staked, moments, names) for moments in _distinct(staked)]
    numbers = [hand.cards for hand in staked if hand.cards is not None]
    lines = np.zeros(len(names))
    whole, is_counted = 0.0, len({*numbers}) == len(numbers)
    for place, one in enumerate(groups):
        for other in groups[place:]:
            together = one.together(other, theory) if is_counted else None
            if together is None:
                return _bound(groups, names)
            whole += together.sum()
            lines += ((one.lines @ together) * other.lines).sum(axis=1)
    return Variance(float(whole), dict(zip(names, lines.tolist(), strict=True)), is_counted=True)


class _Group:
    """The hands of a round that share their moments, added up: then few products are to be made."""

    def __init__(
        self, hands: Sequence[WeighedHand], moments: Moments, names: Sequence[str]
    ) -> None:
        self.moments = moments
        own = [hand.weights for hand in hands if hand.moments is moments]
        self.weights = np.array([[float(weight) for weight in one] for one in own])
        self.lines = np.array([[c.line == n for c in moments.columns] for n in names], np.float64)
        """Which columns belong to which line."""

    def together(self, other: "_Group", theory: Theory) -> Floats | None:
        """Return what every two columns add to the variance; None if that isn't counted."""
        whole, others = self.weights.sum(axis=0), other.weights.sum(axis=0)
        if other is not self:
            shared = theory.between(self.moments, other.moments)
            return None if shared is None else 2 * np.outer(whole, others) * shared
        each: Floats = self.weights.T @ self.weights
        if len(self.weights) == 1:
            return each * self.moments.covariance
        shared = theory.between(self.moments, self.moments)
        if shared is None:
            return None
        return each * (self.moments.covariance - shared) + np.outer(whole, whole) * shared


def _distinct(hands: Sequence[WeighedHand]) -> list[Moments]:
    return [*dict.fromkeys(hand.moments for hand in hands)]


def _bound(groups: Sequence[_Group], names: Sequence[str]) -> Variance:
    """Return the variance of hands that always win and lose together, which is the highest."""
    whole, lines = 0.0, np.zeros(len(names))
    for group in groups:
        for own in group.weights:
            alone = np.outer(own, own) * group.moments.covariance
            whole += sqrt(max(alone.sum(), 0))
            lines += np.sqrt(np.maximum(((group.lines @ alone) * group.lines).sum(axis=1), 0))
    return Variance(whole**2, dict(zip(names, (lines**2).tolist(), strict=True)), is_counted=False)
