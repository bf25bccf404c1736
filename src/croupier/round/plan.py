"""What is worked out of table rules once, and asked in every round.

A plan says nothing that the rules do not say, only sooner.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from sys import maxsize
from typing import Any, NamedTuple

from croupier.errors import Bug
from croupier.hands import ALSO, Hand
from croupier.money import odds
from croupier.round.settle import fits, is_high_enough, judge, shared_place, verdict_of
from croupier.rules.game import Bonus, Envy, Option, Row, Step, Wager
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK, SEAT, SEATS, Do, Order

PLANS_MAX, JUDGED_MAX = 256, 10_000
"""How many plans are kept, and how many judgements of each part."""

_STATES = ("always", "higher", "lower", "equal", "unopposed")
# The verdicts for which a hand is looked up in a paytable.
_BY_TABLE = ("table", "push listed")


Rows = tuple[tuple[Row, bool], ...]
"""Rows of a paytable that a hand may fit, in order, and whether it surely does."""


class Judged(NamedTuple):
    """What a stake comes to."""

    line: tuple[Any, ...]
    """The fields of its line, from the stake on."""
    paid: int
    meter: str | None
    part: Fraction


class Part:
    """A wager, a bonus or an envy, and what its lines are settled by."""

    def __init__(self, rules: TableRules, name: str) -> None:
        self.rules, self.name = rules, name
        self.what: Wager | Bonus | Envy
        self.spots = rules.spots.get(name, ())
        if name in rules.wagers:
            self.what, self.stake = rules.wagers[name], self.spots[0]
        elif name in rules.bonuses:
            self.what, self.stake = rules.bonuses[name], rules.bonuses[name].on
        else:
            self.what, self.stake = rules.envies[name], rules.envies[name].makers
        self.table = rules.paytables[self.what.paytable] if self.what.paytable else None
        self.of = self.table.of if self.table else (SEAT,)
        settle = None if isinstance(self.what, Envy) else self.what.settle
        self.state = "always" if settle and settle.always else ""
        """The state of the showdown where that does not matter."""
        verdicts = {state: getattr(settle, state, None) for state in _STATES}
        self.by_table = {s for s, v in verdicts.items() if v and self.table and v.does in _BY_TABLE}
        """The states in which the paytable is asked."""
        limit = self.what.payout_limit if isinstance(self.what, Wager) else None
        self.limit = limit if limit and limit.amount is not None else None
        """The most that a hand is paid, where one is declared."""
        self._rows: dict[int, Rows] = {}
        self._judged: dict[tuple[str, int, int], Judged] = {}

    def rows(self, hand: Hand) -> Rows:
        """Return the rows that a hand may fit.

        They are remembered by its strength, which says all about a hand but its suits.
        """
        rows = self._rows.get(hand.strength)
        if rows is None:
            name = hand.name
            names = name, *ALSO.get(name, ())
            listed = self.table.rows if self.table else ()
            rows = self._rows[hand.strength] = tuple(
                (row, not row.suits and row.stake is None)
                for row in listed
                if row.hand in names and is_high_enough(row, hand)
            )
        return rows

    def row(self, hand: Hand, stake: int) -> Row | None:
        """Return the first row of the paytable that a hand fits, or None."""
        for row, surely in self.rows(hand):
            if surely or fits(row, hand, stake):
                return row
        return None

    def judged(self, state: str, hand: Hand | None, stake: int) -> Judged:
        """Return what a stake comes to; what was asked before is remembered.

        The hand is asked for where the paytable is.
        """
        row = self.row(hand, stake) if hand else None
        key = state, id(row), stake
        return self._judged.get(key) or self._remember(key, self._judge(state, row, stake))

    def _judge(self, state: str, row: Row | None, stake: int) -> Judged:
        if isinstance(self.what, Envy):
            raise Bug("an envy has no stake to judge")
        verdict = verdict_of(self.what.settle, state)
        owed = judge(self.what, self.table, verdict, stake=stake, row=row, state=state, pay=odds)
        ruling = said(self.rules, owed.ruling)
        line = (stake, *owed[:3], owed.clause, ruling, None, owed.because)
        if isinstance(self.what, Bonus):  # No stake of its own lies there, and none comes back.
            line = (0, owed.outcome, owed.paid, 0, *line[4:])
        return Judged(line, owed.paid, owed.meter, owed.part)

    def _remember(self, key: tuple[str, int, int], judged: Judged) -> Judged:
        if len(self._judged) >= JUDGED_MAX:
            self._judged.clear()
        self._judged[key] = judged
        return judged


def said(rules: TableRules, ruling: str | None) -> str | None:
    """Return what a line names of a ruling: nothing of one that all books share."""
    return None if ruling is None or rules.rulings[ruling].common else ruling


Dealing = tuple[tuple[int, str, int], ...]
"""Position, place and seat of every card of a deal, in its order."""


class Stakes(NamedTuple):
    """What may be staked on a wager, whatever else lies there: from, to, and its only sizes."""

    least: int
    most: int
    only: tuple[int, ...] | None = None


NO_STAKES = Stakes(1, 0)


@dataclass(frozen=True)
class Stage:
    """A step of the round, with what a round asks of it."""

    at: int
    name: str
    step: Step
    do: Do
    asks: str
    """The spot whose stake it asks about, or ''."""
    order: Order | None
    turns: tuple[tuple[str, slice], ...]
    """The places that it turns cards up of, and which: those that no step before turned up."""
    stakes: Mapping[str, Stakes]
    """What may be staked on each wager."""
    seats: int
    """How many seats the table has."""
    shared: str
    """The place whose cards are hands to bet on, or ''."""
    later: tuple["Stage", ...] = field(repr=False, compare=False)


class Choice(NamedTuple):
    """What becomes of a box when an option is taken."""

    folds: bool
    ends: tuple[tuple[str, tuple[str, str, str | None]], ...]
    """The spots whose stakes do not stay, each with its fate, clause and ruling."""
    places: str
    """The spot where a stake is made, or '', and the one whose stake it equals."""
    equals: str


class Plan:
    """What every round asks of its table rules."""

    def __init__(self, rules: TableRules) -> None:
        self.rules = rules
        settle = next(step for step in rules.steps.values() if step.do == "settle")
        self.order = settle.order
        self.parts = tuple(Part(rules, name) for name in settle.lines)
        first = next(iter(rules.wagers.values()))
        self.main = rules.paytables[first.paytable].of if first.paytable else (SEAT,)
        """The places whose cards make the hand of the main game: its first wager's."""
        self.conditions = [
            (name, spots[0], {rules.spots[other][0] for other in condition.needs}, condition)
            for name, spots in rules.spots.items()
            for condition in rules.wagers[name].conditions
        ]
        """What wagers need beside them: a wager, its spot, the spots that it needs one of."""
        meters = [meter for meter in rules.meters.values() if meter.rate is not None]
        self.metered = {
            name: (spots[0], [meter for meter in meters if meter.wager == name])
            for name, spots in rules.spots.items()
            if name in [meter.wager for meter in meters]
        }
        """The wagers that raise meters: where they lie, and which."""
        self.turned_up = [(line.to, line.shows) for line in rules.deal.cards if line.shows]
        """Of which places how many cards are turned up as they are dealt."""
        self.stages = _stages(rules)
        self.choices = {
            (step, name): _choice(option)
            for step, made in rules.steps.items()
            for name, option in made.option.items()
        }
        """What may be chosen, by the names of the step and the option."""
        lines = enumerate(rules.deal.cards)
        self.deal_if = [(i, line) for i, line in lines if line.if_staked]
        """The lines of the deal for which a wager must have been made, with their places."""
        self.has_bank = any(line.to == BANK for line in rules.deal.cards)
        self.deals: dict[tuple[tuple[int, ...], tuple[int, ...]], Dealing] = {}
        """Where the cards go, by the seats that play and the lines of the deal left out."""


def _stakes(rules: TableRules, name: str) -> Stakes:
    wager, limits = rules.wagers[name], rules.limits.get(name)
    meters = [meter for meter in rules.meters.values() if meter.wager == name]
    declared = all(meter.rate is not None and meter.reset is not None for meter in meters)
    if wager.placed == "by decision" or not declared:
        return NO_STAKES
    least, most = (max(limits.min, 1), limits.max) if limits else (1, maxsize)
    return Stakes(least, most, wager.sizes.of if wager.sizes else None)


def _choice(option: Option) -> Choice:
    ends = tuple(
        (spot, (stake.fate, stake.clause, stake.ruling))
        for spot, stake in option.stakes.items()
        if stake.fate != "keep"
    )
    places = option.places if option.places and option.equals else ""
    return Choice(option.folds, ends, places, option.equals or "")


def _stages(rules: TableRules) -> tuple[Stage, ...]:
    """Return the steps as stages, each of which knows the later ones."""
    stakes = {name: _stakes(rules, name) for name in rules.wagers}
    turns = list(_turns(rules))
    stages: tuple[Stage, ...] = ()
    for at, (name, step) in reversed(list(enumerate(rules.sequence))):
        stage = Stage(
            at=at,
            name=name,
            step=step,
            do=step.do,
            asks=step.asks or "",
            order=step.order,
            turns=turns[at],
            stakes=stakes if step.do == "bets" else {},
            seats=rules.table.seats,
            shared=shared_place(rules),
            later=stages,
        )
        stages = (stage, *stages)
    return stages


def _turns(rules: TableRules) -> Iterator[tuple[tuple[str, slice], ...]]:
    """Yield what each step turns up; hands are turned up for the settlement, if not before."""
    up: dict[str, int] = {}
    for line in rules.deal.cards:
        up[line.to] = max(up.get(line.to, 0), line.shows)
    revealed: dict[str, int] = {}
    for step in rules.steps.values():
        turns = []
        for place in (*step.shows, SEATS) if step.do == "settle" else step.shows:
            revealed[place] = revealed.get(place, 0) + (step.cards or 0)
            upto = rules.deck.cards if step.cards is None else revealed[place]
            if upto > up.get(place, 0):
                turns.append((place, slice(up.get(place, 0), upto)))
                up[place] = upto
        yield tuple(turns)


_plans: dict[int, Plan] = {}


def plan_of(rules: TableRules) -> Plan:
    """Return the plan of table rules, the same one whenever it is asked for."""
    plan = _plans.get(id(rules))
    if plan is None:
        if len(_plans) >= PLANS_MAX:
            _plans.clear()
        # A plan holds its rules, so as long as it is here no others have their identity.
        plan = _plans[id(rules)] = Plan(rules)
    return plan
