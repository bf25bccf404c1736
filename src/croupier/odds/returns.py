"""How often each line of a seat ends in each way, and what that adds to the expected value."""

from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np

from croupier.odds.counts import STATES
from croupier.odds.paths import Exact
from croupier.odds.payoffs import Payoffs, PricedLine, cards_of, rows_by_code
from croupier.odds.seats import HANDS
from croupier.odds.solve import Numbers, Solved
from croupier.round.judge import verdict_of
from croupier.rules.game import Bonus
from croupier.rules.words import hand_says, number, payout_says

_SHOWDOWN = {
    "always": "whatever the hand",
    "higher": "higher than the bank",
    "lower": "lower than the bank",
    "equal": "equal to the bank",
    "unopposed": "the bank does not qualify",
}
_DOES = {"lose": "lost", "push": "returned", "push listed": "returned"}
_TABLE = ("table", "push listed")

Ending = tuple[str, str]
"""What happened and what it pays, in words."""


@dataclass(frozen=True, slots=True)
class Return:
    """One result of a line: its deals out of all deals, and what it adds to the value."""

    line: str
    says: str
    pays: str
    combinations: int
    of: int
    contribution: Fraction

    @property
    def probability(self) -> Fraction:
        return Fraction(self.combinations, self.of)

    @property
    def one_in(self) -> Fraction | None:
        """The N of "1 in N"."""
        return Fraction(self.of, self.combinations) if self.combinations else None

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON data."""
        return {
            "line": self.line,
            "says": self.says,
            "pays": self.pays,
            "combinations": self.combinations,
            "of": self.of,
            "probability": str(self.probability),
            "contribution": str(self.contribution),
        }


def returns_of(solved: Solved, payoffs: Payoffs) -> tuple[Return, ...]:
    """Return all results of all lines; they add up to the value without envy."""
    found: list[Return] = []
    for number_, one in enumerate(solved.model.judged):
        endings = _Endings(solved, payoffs, one)
        for path in range(len(solved.model.paths)):
            endings.add(path, number_)
        found += endings.returns()
    return tuple(found)


def row_counts(solved: Solved, one: PricedLine) -> list[int]:
    """Count deals by row, for a line that no choice and no bank's hand affects."""
    endings = _Endings(solved, Payoffs(solved.model.rules, {}), one)
    turns = range(len(solved.model.turns))
    counts = sum(endings._counts(solved.reach[turn][0], turn) for turn in turns)
    return [int(count) for count in np.asarray(counts)[0]]


class _Endings:
    """Collects the results of one line."""

    def __init__(self, solved: Solved, payoffs: Payoffs, one: PricedLine) -> None:
        self.solved, self.payoffs, self.one = solved, payoffs, one
        self.counts: dict[Ending, int] = {}
        self.values: dict[Ending, Fraction] = {}

    def add(self, path: int, line: int) -> None:
        """Add the line's results on one path."""
        fixed, table = self.solved.priced.lines[path][line]
        for turn in range(len(self.solved.model.turns)):
            mask = self.solved.reach[turn][path]
            if not mask.any():
                continue
            if not table:
                self._note(self._gone(path, fixed), self._deals(mask), fixed)
                continue
            counts = self._counts(mask, turn)
            for (state, row), times in np.ndenumerate(counts):
                if times:
                    ending = self._ending(self.one.states[state], row)
                    self._note(ending, int(times), fixed + table[state][row])

    def returns(self) -> list[Return]:
        whole = sum(self.counts.values())
        natural = self._natural()
        times = whole // natural if whole % natural == 0 else 1
        if any(count % times for count in self.counts.values()):
            times = 1
        cents = 100 * whole
        return [
            Return(self.one.name, *ending, count // times, whole // times, value / cents)
            for ending, count in sorted(self.counts.items(), key=self._order)
            for value in (self.values[ending],)
        ]

    def _order(self, item: tuple[Ending, int]) -> tuple[int, int]:
        """Sort rows as the paytable lists them, and everything else after them."""
        table = self.one.table
        rows = [hand_says(row) for row in table.rows] if table else []
        ending = item[0]
        place = rows.index(ending[0]) if ending[0] in rows else len(rows)
        return place, list(self.counts).index(ending)

    def _note(self, ending: Ending, times: int, cents: Exact) -> None:
        self.counts[ending] = self.counts.get(ending, 0) + times
        self.values[ending] = self.values.get(ending, Fraction(0)) + times * cents

    def _deals(self, mask: Numbers) -> int:
        """How many deals of this line's cards the entries stand for."""
        model = self.solved.model
        group = model.side if self._is_side else model.main
        deals = int((self.solved.weights * mask).sum())
        return deals * group.counted.total if group else deals

    @property
    def _is_side(self) -> bool:
        side = self.solved.model.side
        return side is not None and self.one.place == side.place

    def _counts(self, mask: Numbers, turn: int) -> Numbers:
        """Count deals by the states and rows of this line."""
        model, one = self.solved.model, self.one
        states = len(one.states)
        rows = len(one.table.rows) + 1 if one.table else 1
        result = np.zeros((states, rows), np.int64)
        cases = self._side_cases(mask)[None, None] if self._is_side else self.solved.cases(mask)
        if one.table is None:
            row = np.zeros(1, np.int64)
        else:
            by_code = rows_by_code(one.table, cards_of(model.rules, one), model.ranking)[turn]
            row = by_code[self._codes()]
        all_states = len(STATES) if model.main and model.main.contested else 1
        if not self._is_side:
            cases = cases.reshape(len(cases), all_states, -1)
        for place, state in enumerate(one.states):
            part = cases[:, STATES.index(state)] if states > 1 else cases.sum(axis=1)
            by_row = part.sum(axis=1) if one.place is None else part.sum(axis=0)
            if one.table is None:
                result[place, -1] += by_row.sum()
            else:
                np.add.at(result[place], row[: len(by_row)], by_row)
        return result

    def _codes(self) -> Numbers:
        model = self.solved.model
        if self.one.place is None:
            return np.arange(128)
        group = model.side if self._is_side else model.main
        return group.groups.examples if group else np.arange(1)

    def _side_cases(self, mask: Numbers) -> Numbers:
        side, main = self.solved.model.side, self.solved.model.main
        if side is None or main is None:
            return np.zeros(1, np.int64)
        weights = np.bincount(main.counted.seat, self.solved.weights * mask)
        rows = side.counted.rows[side.counted.row]
        cases: Numbers = (np.rint(weights).astype(np.int64)[:, None] * rows).sum(axis=0)
        return cases

    def _natural(self) -> int:
        """How many deals there are of the cards that this line looks at."""
        one, model = self.one, self.solved.model
        if len(one.states) > 1:
            return HANDS * comb(49, 3)
        return comb(52, cards_of(model.rules, one))

    def _ending(self, state: str, row: int) -> Ending:
        one = self.one
        verdict = verdict_of(one.what.settle, state)
        if one.table is None or verdict.does not in _TABLE:
            pays = _DOES.get(verdict.does) or f"{number(verdict.to or Fraction(0))} to 1"
            return _SHOWDOWN[state], pays
        if row == len(one.table.rows):
            return "not listed", "nothing" if isinstance(one.what, Bonus) else "lost"
        listed = one.table.rows[row]
        if verdict.does in _DOES:
            return f"{hand_says(listed)}, {_SHOWDOWN[state]}", _DOES[verdict.does]
        return hand_says(listed), payout_says(one.table, listed)

    def _gone(self, path: int, fixed: Exact) -> Ending:
        """Describe the end of a line that isn't settled on a path."""
        if fixed:
            return "given up", "lost"
        spots = self.solved.model.rules.spots.get(self.one.name, ())
        stakes = self.solved.model.paths[path].stakes
        if any(spot in stakes for spot in spots):
            return "taken back", "returned"
        return "not made", "nothing"
