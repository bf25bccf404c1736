"""The best strategy, and how often each outcome occurs under it.

`Model` combines the counts and payoffs of one seat with its wagers: a *main* group of cards, of
which one may be seen at a decision, and perhaps a *side* group. It prices every path in integers,
finds the best option at every decision by backward induction, and records which path every entry
takes.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from croupier.errors import UserError
from croupier.odds import counts
from croupier.odds.counts import STATES, OutcomeCounts
from croupier.odds.paths import Exact, Path, PathNode, decisions, leaves
from croupier.odds.payoffs import (
    Groups,
    Payoffs,
    PricedLine,
    cards_of,
    each_turn,
    grouped,
    judged,
    place_cards,
    rows_by_code,
)
from croupier.odds.scope import MORE_SEEN, NotModelled, not_covered
from croupier.odds.seats import EVERY, WEIGHTS, codes_of, seat_codes
from croupier.odds.seen import Drawn, SeenCards, SeenCounts
from croupier.round.plan import plan_of
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK
from croupier.rules.words import listed

Numbers = NDArray[Any]
Choices = dict[str, Numbers]
"""By the earlier options and the decision, the number of the option that each entry takes."""

_SAFE = 1 << 62
_SEAT_CODES = 128


class Group(NamedTuple):
    """A group of cards outside the seat: its place, what tells its hands apart, its counts."""

    place: str
    contested: bool
    alone: bool
    """Whether the hands are the group's own, or those that it makes with the seat's cards."""
    groups: Groups
    counted: OutcomeCounts

    @property
    def outcomes(self) -> int:
        return self.groups.count * (len(STATES) if self.contested else 1)


def bank_high(rules: TableRules) -> int:
    """Return the lowest strength with which the bank plays."""
    return plan_of(rules).qualifying


class Model:
    """One seat with its wagers at a table."""

    def __init__(self, rules: TableRules, root: PathNode, seen: SeenCards | None) -> None:
        self.rules = rules
        self.sight = SeenCounts(seen, [*rules.paytables.values()]) if seen else None
        self.seats = self.sight.seats if self.sight else EVERY
        self.root = root
        self.paths = tuple(leaves(root))
        self.number = {path.chose: number for number, path in enumerate(self.paths)}
        self.judged = judged(rules, self.paths)
        self.tables = [one.table for one in self.judged if one.table]
        self.turns = (0,) if seen else tuple(each_turn(self.tables))
        self.ranking = rules.ranking
        self.shown = _shown(root, seen)
        self.main, self.side = self._groups()

    # ------------------------------------------------------------ counts

    def _groups(self) -> tuple[Group | None, Group | None]:
        contested = any(len(one.states) > 1 for one in self.judged)
        places = dict.fromkeys(one.place for one in self.judged if one.place)
        if contested:
            places = {BANK: None, **places}
        ordered = sorted(places, key=lambda place: (place != self.shown, place != BANK))
        if self.shown and self.shown not in places:
            self.shown = None  # The exposed card affects no wager of this seat.
        if len(ordered) > 2:
            raise NotModelled("wagers on three groups of cards besides the seat's can't be priced")
        sizes = [place_cards(self.rules, place) for place in ordered]
        if len(sizes) == 2 and ({*sizes} != {2, 3} or (self.shown and sizes[0] == 3)):
            labels = listed([self._label(place) for place in ordered])
            raise NotModelled(f"wagers on {labels} can't be priced together")
        made = [self._group(place, contested=contested and place == BANK) for place in ordered]
        main, side = [*made, None, None][:2]
        if side and self.shown and self._depends(side):
            raise NotModelled(
                "a decision on cards that are seen in part can't be priced with these"
            )
        return main, side

    def _label(self, place: str) -> str:
        """Name a place that has cards besides the seats'."""
        rules = self.rules
        return rules.places[place].label if place in rules.places else rules.bank.label

    def _group(self, place: str, *, contested: bool) -> Group:
        cards = place_cards(self.rules, place)
        lines = [one for one in self.judged if one.place == place]
        tables = [one.table for one in lines if one.table]
        alone = any(one.alone for one in lines)
        if alone and not all(one.alone for one in lines):
            message = f"wagers on the hand of {self._label(place)} alone and on six cards"
            raise NotModelled(f"{message} can't be priced together")
        groups = grouped(tables, cards if alone else 3 + cards, self.ranking)
        high = self.high if contested else None
        shown = place == self.shown
        of, ranking = groups.of, self.ranking
        if self.sight:
            drawn = Drawn(place, cards, ranking, of, high, alone, shown)
            counted = self.sight.counted(drawn)
        elif contested and not tables:
            counted = (counts.bank_card_shown if shown else counts.bank)(ranking, self.high)
        elif cards == 2:
            counted = (counts.pair_card_shown if shown else counts.pair)(ranking, of)
        elif shown:
            counted = counts.triple_card_shown(ranking, of, high, alone=alone)
        else:
            counted = (counts.alone if alone else counts.triple)(ranking, of, high)
        return Group(place, contested, alone, groups, counted)

    @property
    def high(self) -> int:
        """The lowest strength with which the bank plays."""
        return bank_high(self.rules)

    def _depends(self, group: Group) -> bool:
        """Whether a choice affects the lines on a group of cards."""
        return any(
            len({self._fates(path, one.name) for path in self.paths}) > 1
            for one in self.judged
            if one.place == group.place
        )

    def _fates(self, path: Path, name: str) -> tuple[str, ...]:
        spots = [spot for spot in self.rules.spots[name] if spot in path.stakes]
        return tuple(path.stakes[spot].fate for spot in spots)

    # ------------------------------------------------------------ payoffs

    def payoffs(self, meters: Mapping[str, Fraction]) -> "PricedModel":
        """Return the payoff of every path, in integers."""
        pays = Payoffs(self.rules, meters)
        return self.priced([[pays.nets(one, path) for one in self.judged] for path in self.paths])

    def priced(self, lines: Sequence[Sequence[Any]]) -> "PricedModel":
        """Return payoffs in integers, given those of each line on each path in cents."""
        scale = lcm(
            *(
                n.denominator
                for path in lines
                for fixed, table in path
                for n in (fixed, *(x for row in table for x in row))
            )
        )
        return PricedModel(self, lines, 100 * scale)

    @cached_property
    def seat_codes(self) -> Numbers:
        return codes_of(self.seats.cards, self.ranking) if self.sight else seat_codes(self.ranking)

    @cached_property
    def hands(self) -> int:
        """How many hands a seat may have."""
        return int(self.seats.weights.sum())

    def drawn(self, group: Group) -> Drawn:
        """Return what tells the outcomes of a group apart, given cards that were seen."""
        cards = place_cards(self.rules, group.place)
        high = self.high if group.contested else None
        return Drawn(group.place, cards, self.ranking, group.groups.of, high, group.alone)

    @property
    def total(self) -> int:
        """How many equally likely ways there are to continue from a seat's three cards."""
        if self.main is None:
            return 1
        totals = [group.counted.total for group in (self.main, self.side) if group]
        return lcm(*totals) * self.main.counted.views


class PricedModel:
    """A model with the payoffs of every path, as integers over one denominator."""

    def __init__(self, model: Model, lines: Sequence[Sequence[Any]], scale: int) -> None:
        self.model = model
        self.lines = lines
        self.scale = scale
        most = sum(
            max((abs(x) for row in table for x in row), default=0) + abs(fixed)
            for path in lines
            for fixed, table in path
        )
        bound = int(most * scale // 100 + 1) * model.hands * model.total
        self.dtype: Any = np.int64 if bound < _SAFE else object
        self.turned = [self._arrays(turn) for turn in model.turns]

    def _arrays(self, turn: int) -> tuple[list[Numbers], list[Numbers]]:
        """Return each path's payoffs: the main group's by seat code and outcome, the side's."""
        model = self.model
        main, side = model.main, model.side
        states = len(STATES) if main and main.contested else 1
        width = main.groups.count if main else 1
        mains, sides = [], []
        for path_lines in self.lines:
            first = np.zeros((_SEAT_CODES, states, width), self.dtype)
            second = np.zeros(side.outcomes if side else 1, self.dtype)
            for one, (fixed, table) in zip(model.judged, path_lines, strict=True):
                first += int(fixed * (self.scale // 100))
                if table:
                    self._add(one, self._table(table), (first, second, turn))
            mains.append(first.reshape(_SEAT_CODES, -1))
            sides.append(second)
        return mains, sides

    def _add(self, one: PricedLine, table: Numbers, to: tuple[Numbers, Numbers, int]) -> None:
        """Add the payoffs of one line; its table has a row for each state."""
        first, second, turn = to
        model = self.model
        if one.table is None:
            first += table[:, -1][None, :, None]
            return
        size = cards_of(model.rules, one)
        rows = rows_by_code(one.table, size, model.ranking)[turn]
        if one.place is None:
            first += table.T[rows[:_SEAT_CODES]][:, :, None]
        elif model.main and one.place == model.main.place:
            first += table[:, rows[model.main.groups.examples]][None, :, :]
        elif model.side:
            second += table[0, rows[model.side.groups.examples]]

    def _table(self, table: Sequence[Sequence[Exact]]) -> Numbers:
        scale = self.scale // 100
        return np.array(
            [[x.numerator * (scale // x.denominator) for x in row] for row in table], self.dtype
        )


class Solved:
    """The path that every entry takes, by the best strategy or by given choices."""

    def __init__(self, priced: PricedModel, choices: Sequence[Choices] | None) -> None:
        self.priced = priced
        self.model = priced.model
        self.choices: list[Choices] = []
        self.reach: list[list[Numbers]] = []
        self.value = 0
        for number in range(len(priced.turned)):
            chosen: Choices = {}
            given = choices[number % len(choices)] if choices else None
            values = self.path_values(number)
            self.best_from(self.model.root, (values, given, chosen), ())
            reach = self._reach(chosen)
            weight = self.weights
            self.value += sum(
                int((weight * mask * v).sum()) for mask, v in zip(reach, values, strict=True)
            )
            self.choices.append(chosen)
            self.reach.append(reach)

    @property
    def expected_cents(self) -> Fraction:
        parts = self.model.hands * self.model.total * self.priced.scale * len(self.model.turns)
        return Fraction(self.value * 100, parts)

    @cached_property
    def weights(self) -> Numbers:
        """How many hands and exposed cards every entry stands for."""
        main = self.model.main
        if main is None:
            return self.model.seats.weights
        return self.model.seats.weights[main.counted.seat] * main.counted.times

    # ------------------------------------------------------------ values

    def path_values(self, turn: int) -> list[Numbers]:
        """Return the value of every path at every entry, summed over all ways to continue."""
        model, (mains, sides) = self.model, self.priced.turned[turn]
        main, side = model.main, model.side
        if main is None:
            return [first[model.seat_codes, 0] for first in mains]
        counted = main.counted
        values = []
        for first, second in zip(mains, sides, strict=True):
            by_row = (first[counted.code] * counted.rows).sum(axis=1)
            value = by_row[counted.row]
            if side:
                times = model.total // counted.total // counted.views
                value = value * times + self._side_value(side, second)[counted.seat]
            values.append(value)
        return values

    def _side_value(self, side: Group, second: Numbers) -> Numbers:
        counted, main = side.counted, self.model.main
        by_row = (second * counted.rows).sum(axis=1)
        views = main.counted.views if main else 1
        value: Numbers = by_row[counted.row] * (self.model.total // counted.total // views)
        return value

    def seat_sums(self, values: Numbers) -> Numbers:
        """Sum over the cards that may be shown to each seat."""
        main = self.model.main
        if main is None or main.counted.views == 1:
            return values
        return np.add.reduceat(values * main.counted.times, main.counted.first)

    def best_from(self, node: PathNode, work: Any, before: tuple[str, ...]) -> tuple[Numbers, bool]:
        """Return the value of a node, by entry or (true) by seat, and record the options taken."""
        values, given, chosen = work
        if isinstance(node, Path):
            return values[self.model.number[node.chose]], False
        results = [self.best_from(child, work, (*before, name)) for name, child in node.options]
        sees = bool(self.model.shown and node.sees.get(self.model.shown))
        by_seat = not sees or any(seat for _, seat in results)
        stack = [self.seat_sums(v) if by_seat and not seat else v for v, seat in results]
        key = ".".join((*before, node.step))
        best = given[key] if given else _first_best(stack)
        chosen[key] = best
        value = stack[0]
        for number in range(1, len(stack)):
            value = np.where(best == number, stack[number], value)
        return value, by_seat

    def _reach(self, chosen: Choices) -> list[Numbers]:
        """Return which entries take each path."""
        main = self.model.main
        seats = np.arange(len(self.model.seats.weights)) if main is None else main.counted.seat
        masks: list[Numbers] = []

        def walk(node: PathNode, mask: Numbers, before: tuple[str, ...]) -> None:
            if isinstance(node, Path):
                masks.append(mask)
                return
            best = chosen[".".join((*before, node.step))]
            if len(best) != len(seats):
                best = best[seats]
            for number, (name, child) in enumerate(node.options):
                walk(child, mask & (best == number), (*before, name))

        walk(self.model.root, np.ones(len(seats), bool), ())
        return masks

    # ------------------------------------------------------------ results

    @cached_property
    def path_weights(self) -> list[int]:
        """How many hands and exposed cards take each path, over all turns of the suits."""
        return [
            sum(int((self.weights * reach[p]).sum()) for reach in self.reach)
            for p in range(len(self.model.paths))
        ]

    @cached_property
    def nets(self) -> dict[int, int]:
        """How many deals end in each net, in integers of the payoffs' scale."""
        found: dict[int, int] = {}
        for turn, (mains, sides) in enumerate(self.priced.turned):
            for number, first in enumerate(mains):
                mask = self.reach[turn][number]
                if not mask.any():
                    continue
                count = self.joint(mask) if self.model.side else self.cases(mask)
                net = first[:, :, None] + sides[number][None, None, :]
                at = np.nonzero(count)
                for value, times in _summed(net[at], count[at]):
                    found[value] = found.get(value, 0) + times
        return found

    def cases(self, mask: Numbers) -> Numbers:
        """Count the deals of the masked entries by seat code and outcome."""
        main = self.model.main
        if main is None:
            counts = np.bincount(self.model.seat_codes, self.weights * mask, _SEAT_CODES)
            return np.rint(counts).astype(np.int64)[:, None, None]
        counted = main.counted
        by_row = np.bincount(counted.row, self.weights * mask, len(counted.rows))
        count = np.zeros((_SEAT_CODES, counted.rows.shape[1]), np.int64)
        np.add.at(count, counted.code, np.rint(by_row).astype(np.int64)[:, None] * counted.rows)
        return count[:, :, None]

    def joint(self, mask: Numbers) -> Numbers:
        """Count the deals of the masked entries by seat code and the outcomes of both groups."""
        model = self.model
        main, side = model.main, model.side
        if main is None or side is None:
            raise UserError("there is no second group of cards")
        if model.sight:
            return self._joint_seen(mask)
        pairs, triples = (main, side) if place_cards(model.rules, main.place) == 2 else (side, main)
        by_first = main.counted.where is not None
        together = counts.pair_and_triple(
            model.ranking,
            pairs.groups.of,
            triples.groups.of,
            high=model.high if triples.contested else None,
            alone=triples.alone,
            by_first=by_first,
        )
        weights = WEIGHTS * mask if main.counted.where is None else None
        if weights is None:
            weights = WEIGHTS[:, None] * mask[main.counted.where]
        count = np.zeros((_SEAT_CODES, *together.shape[-2:]))
        for code in np.unique(model.seat_codes):
            seats = model.seat_codes == code
            axes = weights[seats].ndim
            count[code] = np.tensordot(weights[seats], together[seats], axes)
        if pairs is side:
            count = count.transpose(0, 2, 1)
        whole: Numbers = np.rint(count).astype(np.int64)
        return whole

    def _joint_seen(self, mask: Numbers) -> Numbers:
        """Count the same, given cards that were seen."""
        count = np.zeros((_SEAT_CODES, *self._together.shape[1:]), np.int64)
        weighed = (self.weights * mask)[:, None, None] * self._together
        np.add.at(count, self.model.seat_codes, weighed)
        return count

    @cached_property
    def _together(self) -> Numbers:
        model = self.model
        if model.sight is None or model.main is None or model.side is None:
            raise UserError("there is no second group of cards")
        return model.sight.joint(model.drawn(model.main), model.drawn(model.side))

    @property
    def deals(self) -> int:
        """How many deals `nets` counts."""
        return sum(self.nets.values())


def _first_best(values: Sequence[Numbers]) -> Numbers:
    """Return the index of the first of the highest values."""
    best, most = np.zeros(len(values[0]), np.int8), values[0]
    for number, value in enumerate(values[1:], 1):
        above = value > most
        best[above] = number
        most = np.where(above, value, most)
    return best


def _summed(nets: Numbers, counts: Numbers) -> list[tuple[int, int]]:
    """Add up the counts of equal nets."""
    values, where = np.unique(nets, return_inverse=True)
    sums = np.zeros(len(values), np.int64)
    np.add.at(sums, where.ravel(), counts)
    return [(int(value), int(times)) for value, times in zip(values, sums, strict=True)]


def _shown(root: PathNode, seen: SeenCards | None) -> str | None:
    """Return the one place with a card exposed at a decision that wasn't seen before."""
    shown = {
        (place, n)
        for decision in decisions(root)
        for place, n in decision.sees.items()
        if not (seen and seen.knows(place, n))
    }
    if len(shown) > 1 or any(n != 1 for _, n in shown):
        raise not_covered(MORE_SEEN)
    return next((place for place, _ in shown), None)
