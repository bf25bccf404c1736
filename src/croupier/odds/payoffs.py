"""The payoff of every line of a seat on every path, from the function that settles rounds.

A line's payoff depends on at most two things: how the hand compares with the bank's (its state),
and the row of a paytable that some cards fit. So each line is a small table, states by rows, and
whole arrays of deals are priced by lookup.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from croupier.hands.ranking import Ranking
from croupier.odds.counts import KEPT_MAX, STATES
from croupier.odds.paths import Exact, Path
from croupier.odds.seats import CODES, TURNS, label, turned
from croupier.round.judge import Judgement, judge, row_for, verdict_of
from croupier.rules.game import Bonus, Paytable, Settle, Wager
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import SEAT

ALWAYS = ("always",)
_SEAT_CARDS = 3


class PricedLine(NamedTuple):
    """A wager or a bonus, its paytable, and the states that affect it."""

    name: str
    what: Wager | Bonus
    table: Paytable | None
    states: tuple[str, ...]

    @property
    def place(self) -> str | None:
        """The place whose cards join the seat's in the paytable's hand, if any."""
        others = [place for place in self.table.of if place != SEAT] if self.table else []
        return others[0] if others else None

    @property
    def alone(self) -> bool:
        """Whether the paytable looks only at that place's cards, such as the bank's hand."""
        return self.table is not None and SEAT not in self.table.of


def judged(rules: TableRules, paths: Sequence[Path]) -> list[PricedLine]:
    """Return every line settled on any of the paths, in the book's order."""
    stakes = {spot: laid.cents for path in paths for spot, laid in path.stakes.items()}
    found: list[PricedLine] = []
    for name, wager in rules.wagers.items():
        if rules.spots[name][0] in stakes:
            found.append(_judged(rules, name, (wager, stakes[rules.spots[name][0]])))
    for name, bonus in rules.bonuses.items():
        if bonus.on in stakes and bonus.needs in stakes:
            found.append(_judged(rules, name, (bonus, stakes[bonus.on])))
    return found


def _judged(rules: TableRules, name: str, staked: tuple[Wager | Bonus, Exact]) -> PricedLine:
    what, cents = staked
    table = _at_stake(rules.paytables[what.paytable], cents) if what.paytable else None
    return PricedLine(name, what, table, states_of(what.settle))


def _at_stake(table: Paytable, cents: Exact) -> Paytable:
    """Return a paytable without the rows for stakes of another size."""
    if all(row.stake is None for row in table.rows):
        return table
    rows = tuple(replace(row, stake=None) for row in table.rows if row.stake in (None, cents))
    return replace(table, rows=rows)


def judged_as(one: PricedLine, rules: TableRules) -> PricedLine | None:
    """Return the same wager at another table, or None if its paytable asks for other hands."""
    wager = rules.wagers.get(one.name)
    if wager is None or wager.paytable is None or one.table is None:
        return None
    table = rules.paytables[wager.paytable]
    if any(row.stake is not None for row in table.rows):
        return None
    same = table.of == one.table.of
    if table is not one.table and not (same and _asked(table) == _asked(one.table)):
        return None
    return PricedLine(one.name, wager, table, one.states)


def _asked(table: Paytable) -> tuple[Any, ...]:
    """Return what a paytable's rows ask for, whatever they pay, and the hands left out."""
    lost = tuple(name for name, unnamed in table.unnamed.items() if unnamed.does == "lose")
    return lost, *((row.hand, row.suits, row.least) for row in table.rows)


def states_of(settle: Settle) -> tuple[str, ...]:
    """Return the states that affect a wager; `always` if none does."""
    if settle.always is not None:
        return ALWAYS
    verdicts = {(v.does, v.to) for v in (verdict_of(settle, state) for state in STATES)}
    return STATES if len(verdicts) > 1 else STATES[:1]


def exact(stake: Any, times: Fraction) -> Any:
    """Pay without rounding: prices are not money (T4 is about payments)."""
    return stake * (times.numerator if times.denominator == 1 else times)


class Payoffs:
    """Prices lines on paths, with meters at given values."""

    def __init__(self, rules: TableRules, meters: Mapping[str, Fraction]) -> None:
        self.rules = rules
        self.meters = meters

    def judgement(self, one: PricedLine, cents: Exact, case: tuple[str, int]) -> Judgement:
        """Judge a stake in a state, with a row of the paytable by its number, or none (-1)."""
        state, row = case
        table = one.table
        verdict = verdict_of(one.what.settle, state)
        return judge(
            one.what,
            table,
            verdict,
            stake=cast(int, cents),
            row=table.rows[row] if table and row >= 0 else None,
            state=state,
            pay=exact,
        )

    def nets(self, one: PricedLine, path: Path) -> tuple[Exact, list[list[Exact]]]:
        """Return what a line nets on a path in any case, and additionally by state and row.

        The last row is for hands that aren't listed. Money is in cents.
        """
        fixed: Exact = 0
        if isinstance(one.what, Bonus):
            both = [path.stakes.get(spot) for spot in (one.what.on, one.what.needs)]
            made = [stake.cents for stake in both if stake and stake.fate == "live"]
            live = made[:1] if len(made) == len(both) else []
            staked: Exact = 0
        else:
            laid = [path.stakes[s] for s in self.rules.spots[one.name] if s in path.stakes]
            live = [stake.cents for stake in laid if stake.fate == "live"]
            fixed -= sum(stake.cents for stake in laid if stake.fate == "forfeit")
            staked = sum(live)
        if not live:
            return fixed, []
        rows = range(len(one.table.rows)) if one.table else range(0)

        def net(state: str, row: int) -> Exact:
            return self._won(self.judgement(one, live[0], (state, row)), one, len(live)) - staked

        return fixed, [[net(state, row) for row in (*rows, -1)] for state in one.states]

    def _won(self, judged: Judgement, one: PricedLine, spots: int) -> Exact:
        """Return all that comes back on this many equal stakes; a limit caps what is paid (L6)."""
        paid: Exact = spots * judged.paid
        if judged.meter:
            paid = spots * 100 * self.meters[judged.meter] * judged.part
        limit = one.what.payout_limit if isinstance(one.what, Wager) else None
        if limit and limit.amount is not None:
            paid = min(paid, limit.amount)
        return paid + spots * judged.returned


# ---------------------------------------------------------------- rows and groups of hands


def rows_by_code(table: Paytable, size: int, ranking: Ranking) -> NDArray[np.int64]:
    """Return the row number that every code fits, or -1, for every turn of the suits."""
    return _rows_by_code(_Asked(table), size, ranking)


class _Asked:
    """A paytable by what its rows ask for, regardless of what they pay."""

    def __init__(self, table: Paytable) -> None:
        self.table = table
        self.asked = _asked(table)

    def __hash__(self) -> int:
        return hash(self.asked)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Asked) and self.asked == other.asked


@lru_cache(maxsize=KEPT_MAX)
def _rows_by_code(asked: _Asked, size: int, ranking: Ranking) -> NDArray[np.int64]:
    table, rows = asked.table, asked.table.rows
    labels = [label(code, size, ranking) for code in range(CODES)]
    turns = TURNS if tells_suits([table]) else 1
    found = [
        [rows.index(row) if (row := row_for(table, turned(one, turn))) else -1 for one in labels]
        for turn in range(turns)
    ]
    return np.array(found * (TURNS // turns))


def tells_suits(tables: Sequence[Paytable]) -> bool:
    """Whether any row asks for a suit."""
    return any(row.suits for table in tables for row in table.rows)


@dataclass(frozen=True, slots=True, eq=False)
class Groups:
    """Codes that no row in play tells apart, as a byte per code, with an example of each group."""

    of: bytes
    examples: NDArray[np.int64]

    @property
    def count(self) -> int:
        return len(self.examples)


ONE_GROUP = Groups(bytes(CODES), np.zeros(1, np.int64))


def grouped(tables: Sequence[Paytable], size: int, ranking: Ranking) -> Groups:
    """Return the groups of codes that these paytables tell apart."""
    return _grouped(tuple([_Asked(table) for table in tables]), size, ranking)


@lru_cache(maxsize=KEPT_MAX)
def _grouped(tables: tuple[_Asked, ...], size: int, ranking: Ranking) -> Groups:
    if not tables:
        return ONE_GROUP
    stacked = np.concatenate([_rows_by_code(asked, size, ranking) for asked in tables])
    _, examples, group = np.unique(stacked, axis=1, return_index=True, return_inverse=True)
    return Groups(group.astype(np.uint8).tobytes(), examples)


def cards_of(rules: TableRules, one: PricedLine) -> int:
    """Return how many cards make the hand that a paytable looks at."""
    seat = 0 if one.alone else _SEAT_CARDS
    return seat + (place_cards(rules, one.place) if one.place else 0)


def place_cards(rules: TableRules, place: str) -> int:
    """Return how many cards a place holds; a bank has as many as a seat."""
    return rules.places[place].cards if place in rules.places else _SEAT_CARDS


def each_turn(tables: Sequence[Paytable]) -> Iterator[int]:
    """Yield the turns of the suits that must be priced separately."""
    yield from range(TURNS if tells_suits(tables) else 1)
