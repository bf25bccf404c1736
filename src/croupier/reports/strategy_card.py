"""The strategy card of a table: what to do with every hand, what each wager returns, and what the
usual mistakes cost. All of it follows from the rules of that table.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from croupier.errors import UserError
from croupier.odds.analysis import Analysis, analyses, analyze
from croupier.odds.bets import opening, unit_of
from croupier.odds.paths import decisions
from croupier.odds.scope import outside
from croupier.reports.figures import percent, short
from croupier.rules.table_rules import TableRules
from croupier.rules.words import listed


@dataclass(frozen=True, slots=True, kw_only=True)
class WagerReturn:
    """What a wager returns on average: of each dollar of it, and of each dollar put at risk."""

    wager: str
    label: str
    returns: str
    house_edge: str
    element_of_risk: str
    hit_frequency: str
    note: str
    """What the figures assume: other wagers beside it, or what a meter shows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherStrategy:
    """A bet under which something else is best, and what that is."""

    bet: str
    strategy: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Habit:
    """A simpler way to play, and what it costs compared with the best strategy."""

    says: str
    cost: str
    """As a share of the opening wager."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StrategyCard:
    """The strategy card of one table."""

    title: str
    place: str
    rulebook: str
    digest: str
    banked_by: str
    opening: str
    strategy: tuple[str, ...]
    others: tuple[OtherStrategy, ...]
    habits: tuple[Habit, ...]
    wagers: tuple[WagerReturn, ...]
    left_out: str
    """Why the card has no figures, if it has none."""

    def as_json(self) -> dict[str, Any]:
        """Return the card as JSON data."""
        return asdict(self)


def strategy_card(rules: TableRules) -> StrategyCard:
    """Return the card of a table; without figures if the odds don't cover its game."""
    title, _, place = rules.title.partition(", ")
    reason = outside(rules)
    best = None if reason else analyze(rules)
    first = "" if reason else opening(rules)
    return StrategyCard(
        title=title,
        place=place,
        rulebook=rules.rulebook,
        digest=rules.digest,
        banked_by=rules.banked_by,
        opening=rules.wagers[first].label if first else "",
        strategy=best.strategy if best else (),
        others=tuple(_others(rules, best)) if best else (),
        habits=tuple(_habits(rules, best)) if best else (),
        wagers=tuple(_return(rules, one) for one in analyses(rules)) if best else (),
        left_out=reason or "",
    )


def _return(rules: TableRules, one: Analysis) -> WagerReturn:
    """Write the figures of one wager on its own."""
    *beside, name = one.bet
    notes = [f"with an equal {rules.wagers[other].label}" for other in beside]
    even = one.break_even or {}
    for id, amount in one.meters.items():
        meter = " ".join(filter(None, [rules.meters[id].name, "meter"]))
        says = f"with the {meter} at ${short(amount, 2)}"
        zero = even.get(id)
        # Below zero the wager is worth it whatever this meter shows.
        even_at = f"; breaks even at ${short(zero, 0)}" if zero is not None and zero >= 0 else ""
        notes.append(says + even_at)
    return WagerReturn(
        wager=name,
        label=rules.wagers[name].label,
        returns=percent(1 - one.house_edge, 2),
        house_edge=percent(one.house_edge, 2),
        element_of_risk=percent(one.element_of_risk, 2),
        hit_frequency=percent(one.hit_frequency, 2),
        note=", ".join(notes),
    )


def _others(rules: TableRules, best: Analysis) -> Iterator[OtherStrategy]:
    """Yield bets of the opening wager and one more under which another strategy is best."""
    first = opening(rules)
    sides = [n for n, w in rules.wagers.items() if w.placed == "before the deal" and n != first]
    for name in sides:
        bet = {first: unit_of(rules, first), name: unit_of(rules, name)}
        strategy = _strategy(rules, bet)
        if strategy and strategy != best.strategy:
            labels = [rules.wagers[wager].label for wager in bet]
            yield OtherStrategy(bet=f"one unit each on {listed(labels)}", strategy=strategy)


def _strategy(rules: TableRules, bet: Mapping[str, Fraction]) -> tuple[str, ...]:
    try:
        return analyze(rules, bet).strategy
    except UserError:
        return ()  # Not taken together, not priced together, or a meter without a reset.


def _habits(rules: TableRules, best: Analysis) -> Iterator[Habit]:
    """Yield the simple ways to play: always the same, or as the bank does."""
    node = next(decisions(best.model.root), None)
    if node is None:
        return
    options = rules.steps[node.step].option
    named = {f"{options[name].label} every hand": f"always {name}" for name, _ in node.options}
    if rules.bank.qualifier:
        most = options[node.options[-1][0]].label
        named[f"{most} only what qualifies for the {rules.bank.label.lower()}"] = "mimic"
    for says, strategy in named.items():
        cost = best.expected_value - analyze(rules, strategy=strategy).expected_value
        yield Habit(says=says, cost=percent(cost / best.opening_wagers, 2))
