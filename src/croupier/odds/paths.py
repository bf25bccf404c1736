"""The decision tree of a round: a seat's options, what it sees, and where stakes end up.

It is built from the steps of the table rules. Its leaves are paths; an option that wagers less
comes before one that wagers more, so that the first of two equal ones is taken.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import NamedTuple

from croupier.rules.game import Option, Step
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import SEATS

Exact = Fraction | int
"""An exact number; integers are faster."""


class Laid(NamedTuple):
    """A stake at the end of a path: live, forfeited or taken back."""

    cents: Exact
    fate: str = "live"


class Path(NamedTuple):
    """One way through the decisions, and the stakes it leaves on the layout."""

    chose: tuple[str, ...]
    stakes: Mapping[str, Laid]
    folded: bool = False

    @property
    def wagered(self) -> Exact:
        """Everything put at risk, in cents, including what was forfeited."""
        return sum(s.cents for s in self.stakes.values() if s.fate != "take back")


class Decision(NamedTuple):
    """A decision of the seat: what it sees besides its own cards, and where each option leads."""

    step: str
    sees: Mapping[str, int]
    """How many cards of each place are exposed."""
    options: tuple[tuple[str, "Decision | Path"], ...]


PathNode = Decision | Path


def tree(rules: TableRules, bet: Mapping[str, Fraction]) -> PathNode:
    """Return the decision tree of a seat with these wagers, in units of a dollar."""
    stakes = {
        spot: Laid(_cents(units)) for name, units in bet.items() for spot in rules.spots[name]
    }
    seen: dict[str, int] = {line.to: line.shows for line in rules.deal.cards if line.shows}
    return _from(rules, 0, (Path((), stakes), seen))


def _cents(units: Fraction) -> Exact:
    cents = 100 * units
    return cents.numerator if cents.denominator == 1 else cents


def _from(rules: TableRules, start: int, so_far: tuple[Path, Mapping[str, int]]) -> PathNode:
    """Return the tree from a step on, given the path so far and the exposed cards."""
    path, seen = so_far
    for at in range(start, len(rules.sequence)):
        name, step = rules.sequence[at]
        if step.do == "reveal":
            seen = {**seen, **_revealed(rules, step, seen)}
        elif step.do == "decide" and _is_asked(step, path):
            ways = [
                (option, _from(rules, at + 1, (_taken(path, option, it), seen)))
                for option, it in step.option.items()
            ]
            ways.sort(key=lambda way: min(path.wagered for path in leaves(way[1])))
            return Decision(name, seen, tuple(ways))
    return path


def _revealed(rules: TableRules, step: Step, seen: Mapping[str, int]) -> dict[str, int]:
    return {
        place: min(
            seen.get(place, 0) + (step.cards or 52),
            rules.places[place].cards if place in rules.places else 52,
        )
        for place in step.shows
        if place != SEATS
    }


def _is_asked(step: Step, path: Path) -> bool:
    stake = path.stakes.get(step.asks or "")
    return stake is not None and stake.fate == "live" and not path.folded


def _taken(path: Path, name: str, option: Option) -> Path:
    stakes = dict(path.stakes)
    if option.places and option.equals:
        stakes[option.places] = Laid(stakes[option.equals].cents * option.times)
    for spot, fate in option.stakes.items():
        if spot in stakes and fate.fate != "keep":
            stakes[spot] = Laid(stakes[spot].cents, fate.fate)
    return Path((*path.chose, name), stakes, path.folded or option.folds)


def leaves(node: PathNode) -> Iterator[Path]:
    """Yield the paths of a tree."""
    if isinstance(node, Path):
        yield node
    else:
        for _, child in node.options:
            yield from leaves(child)


def decisions(node: PathNode) -> Iterator[Decision]:
    """Yield the decisions of a tree, from the root."""
    if isinstance(node, Decision):
        yield node
        for _, child in node.options:
            yield from decisions(child)
