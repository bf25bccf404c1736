"""The exact figures of a bet: `analyze` and its result."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from croupier.cards import Card
from croupier.errors import UserError
from croupier.odds import envy
from croupier.odds.bets import Units, check_others, offered, parse_bet, parse_meters, unit_of
from croupier.odds.paths import Exact, decisions, tree
from croupier.odds.payoffs import Payoffs, PricedLine, judged_as
from croupier.odds.seen import SeenCards, parse_seen
from croupier.odds.solve import Choices, Model, Solved
from croupier.odds.strategy import parse_strategy
from croupier.rules.table_rules import TableRules

if TYPE_CHECKING:
    from croupier.odds.returns import Return

_STEPS_MAX = 100


def analyze(
    rules: TableRules,
    bet: Mapping[str, Units] | None = None,
    *,
    meters: Mapping[str, Units] | None = None,
    others: int = 0,
    strategy: str | None = None,
    seen: Sequence[Card] = (),
) -> "Analysis":
    """Return the exact figures of a bet at one seat, under the best strategy for it.

    Stakes are in units; a unit is a dollar where a fixed sum or a meter is paid. The default bet is
    one unit on the opening wager. `meters` are the meters' values when they are paid, by default
    their resets; `others` is the number of other players, for envy; `seen` are cards of the bank,
    or the first of the community, that the player knows before deciding.
    """
    stakes = parse_bet(rules, bet)
    shown = parse_meters(rules, meters, stakes)
    known = parse_seen(rules, seen)
    check_others(others, rules.table)
    return Analysis(rules, stakes, shown, others=others, strategy=strategy, seen=known)


def analyses(
    rules: TableRules,
    *,
    meters: Mapping[str, Units] | None = None,
    others: int = 0,
    seen: Sequence[Card] = (),
) -> tuple["Analysis", ...]:
    """Return an analysis of every offered wager on its own, the opening one first.

    A wager whose meter has no reset is left out unless the meter is given.
    """
    given = meters or {}
    known = {id for id, meter in rules.meters.items() if meter.reset is not None} | given.keys()
    parse_meters(rules, given, dict.fromkeys(rules.wagers, Fraction(1)), complete=False)
    found = []
    for name in offered(rules):
        needed = {id for id, meter in rules.meters.items() if meter.wager == name}
        if needed <= known:
            own = {id: amount for id, amount in given.items() if id in needed}
            found.append(on_its_own(rules, name, meters=own, others=others, seen=seen))
    return tuple(found)


def on_its_own(
    rules: TableRules,
    name: str,
    *,
    meters: Mapping[str, Units] | None = None,
    others: int = 0,
    seen: Sequence[Card] = (),
) -> "Analysis":
    """Return the figures of one unit on a wager, whatever else the table requires with it.

    A wager that is settled by another one's showdown includes that wager.
    """
    stakes = parse_bet(rules, {name: unit_of(rules, name)}, together=False)
    shown = parse_meters(rules, meters, stakes)
    known = parse_seen(rules, seen)
    return Analysis(rules, stakes, shown, others=check_others(others, rules.table), seen=known)


class Analysis:
    """The exact figures of one bet; slow ones are computed on first use."""

    def __init__(
        self,
        rules: TableRules,
        bet: Mapping[str, Fraction],
        meters: Mapping[str, Fraction],
        *,
        others: int = 0,
        strategy: str | None = None,
        seen: SeenCards | None = None,
    ) -> None:
        self.rules = rules
        self.seen = seen
        self.bet = bet
        self.meters = meters
        self.others = others
        self.model = Model(rules, tree(rules, bet), seen)
        self.named = strategy
        self._choices: list[Choices] | None = None
        if strategy is not None:
            self._choices = parse_strategy(strategy, self.model)
        self.solved = self._solve(meters, self._choices)

    def _solve(self, meters: Mapping[str, Fraction], choices: list[Choices] | None) -> Solved:
        return Solved(self.model.payoffs(meters), choices)

    def value_at(self, rules: TableRules) -> Fraction:
        """Return the expected value of the same bet at another table, without envy.

        Without decisions, and if the paytables ask for the same hands, it is priced from cached
        counts, which takes microseconds.
        """
        path = self.model.paths[0]
        pays = Payoffs(rules, self.meters)
        cents: Exact = 0
        for one, counts, deals in self._kept:
            other = judged_as(one, rules)
            if other is None:
                break
            fixed, (nets,) = pays.nets(other, path)
            won = sum([count * net for count, net in zip(counts, nets, strict=True)])
            cents += fixed + Fraction(won, deals)
        else:
            if self._kept and rules.ranking == self.rules.ranking:
                return Fraction(cents, 100)
        seen = self.seen.cards if self.seen else ()
        there = analyze(rules, self.bet, meters=self.meters, seen=seen)
        return there.solved.expected_cents / 100

    @cached_property
    def _kept(self) -> list[tuple[PricedLine, list[int], int]]:
        """The lines with their counts by row; empty where a choice or a bank's hand matters."""
        from croupier.odds.returns import row_counts

        lines = self.model.judged
        if len(self.model.paths) > 1 or any(len(one.states) > 1 or not one.table for one in lines):
            return []
        counts = [row_counts(self.solved, one) for one in lines]
        return [(one, rows, sum(rows)) for one, rows in zip(lines, counts, strict=True)]

    @cached_property
    def envy(self) -> Fraction:
        """What Envy Bonuses add, in units: one chance for every other hand in play."""
        return envy.expected(self.rules, self.bet, others=self.others, sight=self.model.sight)

    @cached_property
    def expected_value(self) -> Fraction:
        """The net of all wagers, in units."""
        return self.solved.expected_cents / 100 + self.envy

    @property
    def opening_wagers(self) -> Fraction:
        """What is bet before the deal; several equal bets count once."""
        return sum(self.bet.values(), Fraction(0))

    @property
    def house_edge(self) -> Fraction:
        return -self.expected_value / self.opening_wagers

    @cached_property
    def average_wagered(self) -> Fraction:
        weights = self.solved.path_weights
        wagered = [path.wagered for path in self.model.paths]
        whole = sum(w * x for w, x in zip(weights, wagered, strict=True))
        return Fraction(whole) / (100 * sum(weights))

    @property
    def element_of_risk(self) -> Fraction:
        return -self.expected_value / self.average_wagered

    @cached_property
    def distribution(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """Every net in units and its probability, the worst first, without envy."""
        nets = self.solved.nets
        deals, scale = self.solved.deals, self.solved.priced.scale
        return tuple((Fraction(n, scale), Fraction(nets[n], deals)) for n in sorted(nets))

    @cached_property
    def variance(self) -> Fraction:
        nets, deals = self.solved.nets, self.solved.deals
        first = sum(n * times for n, times in nets.items())
        second = sum(n * n * times for n, times in nets.items())
        return Fraction(second * deals - first * first, (deals * self.solved.priced.scale) ** 2)

    @property
    def standard_deviation(self) -> float:
        return sqrt(self.variance)

    @property
    def hit_frequency(self) -> Fraction:
        """The probability of a net above zero."""
        nets = self.solved.nets
        return Fraction(sum(n for net, n in nets.items() if net > 0), self.solved.deals)

    @cached_property
    def break_even(self) -> dict[str, Fraction | None] | None:
        """The value of each meter at which the expected value is zero, other meters unchanged."""
        if not self.meters:
            return None
        return {id: self._break_even(id) for id in self.meters}

    def _break_even(self, id: str) -> Fraction | None:
        """Follow the expected value, which is convex and piecewise linear, to its zero."""
        amount = self.meters[id]
        for _ in range(_STEPS_MAX):
            solved = self._solve({**self.meters, id: amount}, self._choices)
            value = solved.expected_cents / 100 + self.envy
            more = self._solve({**self.meters, id: amount + 1}, solved.choices)
            slope = more.expected_cents / 100 + self.envy - value
            if not slope:
                return None
            if not value:
                return amount
            amount -= value / slope
        raise UserError("no break-even was found", field=f"meter {id}")

    @cached_property
    def strategy(self) -> tuple[str, ...]:
        """What to do, in sentences; empty if there is nothing to decide."""
        if not any(decisions(self.model.root)):
            return ()
        from croupier.odds.words import strategy_words

        return strategy_words(self.solved)

    @cached_property
    def returns(self) -> "tuple[Return, ...]":
        """How often each line ends in each way, and what that adds to the expected value."""
        from croupier.odds.returns import returns_of

        return returns_of(self.solved, Payoffs(self.rules, self.meters))

    def as_json(self) -> dict[str, Any]:
        """Return the analysis as JSON data."""
        even = self.break_even
        return {
            "bet": {name: str(units) for name, units in self.bet.items()},
            "expected_value": str(self.expected_value),
            "house_edge": float(self.house_edge),
            "average_wagered": str(self.average_wagered),
            "element_of_risk": float(self.element_of_risk),
            "standard_deviation": self.standard_deviation,
            "hit_frequency": str(self.hit_frequency),
            "distribution": [
                {"net": str(net), "probability": str(chance)} for net, chance in self.distribution
            ],
            "break_even": even and {id: x if x is None else str(x) for id, x in even.items()},
            "strategy": list(self.strategy),
            "returns": [one.as_json() for one in self.returns],
        }

    def arrays(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the nets and their probabilities as floats, for plotting."""
        nets, chances = zip(*self.distribution, strict=True)
        return np.array(nets, np.float64), np.array(chances, np.float64)

    def _repr_html_(self) -> str:
        from croupier.odds.show import analysis_html  # Imported late: few use notebooks.

        return analysis_html(self)

    def _repr_svg_(self) -> str:
        from croupier.odds.show import distribution_svg

        return distribution_svg(self)

    def __repr__(self) -> str:
        bet = " + ".join(f"{units} {name}" for name, units in self.bet.items())
        return f"<Analysis of {bet}: {float(self.house_edge):.4%} of {self.rules.rulebook}>"
