"""Rounds played through the engine, for any book that plays.

Cards are shuffled, every seat makes the bet and chooses by a strategy from what it sees, and the
engine settles. Nothing here is priced, so this is a way to a value where the odds do not cover a
table, and a check of the odds where they do.
"""

import pickle
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from typing import Any

from numpy.random import Generator

from croupier.cards import DECK, Card
from croupier.errors import UserError
from croupier.hands import Hand
from croupier.odds.analysis import Analysis, analyze
from croupier.odds.bets import Units, parse_meters, parse_stakes, unit_of
from croupier.odds.paths import Decision, Node, Path, tree
from croupier.odds.scope import outside
from croupier.odds.simulation import ALARM, Report, generator
from croupier.odds.simulator import strategy_paths
from croupier.odds.spread import Histogram, all_done, blocks, check_range, merged
from croupier.odds.strategy import BEST, named_strategy
from croupier.round import bots
from croupier.round.bets import rises
from croupier.round.commands import (
    Bank,
    Bet,
    Choose,
    CloseBets,
    Command,
    Deal,
    Face,
    Open,
    Settle,
    Show,
)
from croupier.round.decide import decide
from croupier.round.evolve import evolve
from croupier.round.order import positions_of, to_ask, to_show
from croupier.round.settle import shared_place
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import SEATS

BLOCK = 500
"""Rounds of one generator. Another size gives other figures for the same seed."""
POSTED = "posted"
"""The strategy by which the computer plays a seat."""
_ROUNDS_MAX = 10**9
_STREAM = 4
_FUNDS = 10**15
_MICROS = 10**6

Known = Mapping[int, Card]
Chooser = Callable[[Round, int, Known], str]


def play_rounds(
    rules: TableRules,
    bet: Mapping[str, Units] | None = None,
    *,
    rounds: int,
    seed: int,
    seats: int = 1,
    meters: Mapping[str, Units] | None = None,
    strategy: str | None = None,
    executor: Executor | None = None,
    report: Report | None = None,
) -> "Played":
    """Play so many rounds in which every seat makes the same bet and plays it alike.

    Without a bet it is the first wager, one unit, with what it needs. The strategy is one by name
    or, without one, the posted rule of the computer's seats. Every round begins with the same
    meters; limits, fees and rake are left out, and a player's bank never runs short.
    """
    check_range("rounds", rounds, _ROUNDS_MAX)
    stakes = parse_stakes(rules, bet or {name: unit_of(rules, name) for name in bots.bets(rules)})
    task = _Task(rules, stakes, parse_meters(rules, meters, stakes), strategy or POSTED, seats)
    _Player(task).opened()  # Refuses what cannot be bet before anything is played.
    exact = None
    if task.strategy != POSTED and outside(rules) is None:
        exact = analyze(rules, stakes, meters=task.meters, strategy=task.strategy)
    packed = pickle.dumps(task)
    jobs = [((packed, (seed, _STREAM, n), count), count) for n, count in blocks(rounds, BLOCK)]
    done = all_done(_block, jobs, executor=executor, report=report)
    nets, totals = (merged([one[part] for one in done]) for part in (0, 1))
    return Played(task, nets, totals, rounds, exact)


@dataclass(frozen=True)
class _Task:
    """What is played: all that a process somewhere else needs to know."""

    rules: TableRules
    bet: Mapping[str, Fraction]
    meters: Mapping[str, Fraction]
    strategy: str
    seats: int


@dataclass(frozen=True)
class Played:
    """What came of rounds that were played, in cents."""

    task: _Task
    nets: Histogram
    """How often a seat had each net."""
    totals: Histogram
    """How often all seats of a round had each net together."""
    rounds: int
    exact: Analysis | None
    """The same bet and strategy by counting, where the odds cover the table."""

    @property
    def bet(self) -> Mapping[str, Fraction]:
        return self.task.bet

    @property
    def mean(self) -> Fraction:
        """The net of a seat on average, in units."""
        whole = sum(net * times for net, times in self.totals.items())
        return Fraction(whole, 100 * self.rounds * self.task.seats)

    @property
    def standard_error(self) -> float:
        """The standard error of the mean; seats of one round go together, so rounds count."""
        first = sum(net * times for net, times in self.totals.items())
        second = sum(net * net * times for net, times in self.totals.items())
        spread = Fraction(second * self.rounds - first * first, max(self.rounds - 1, 1))
        return sqrt(spread) / self.rounds / (100 * self.task.seats)

    @property
    def errors_apart(self) -> float | None:
        """How many standard errors the mean lies from the exact value, where there is one."""
        if self.exact is None or (self.task.seats > 1 and self._envies):
            return None  # Seats are paid for each other's hands.
        alone = self.exact.standard_deviation / sqrt(self.rounds * self.task.seats)
        error = max(self.standard_error, alone)
        return float(self.mean - self.exact.expected_value) / error if error else 0.0

    @property
    def _envies(self) -> bool:
        return any(envy.makers in self.bet for envy in self.task.rules.envies.values())

    @property
    def is_outside(self) -> bool:
        """Whether the mean is too far from the exact value to be chance."""
        return abs(self.errors_apart or 0) > ALARM

    @property
    def distribution(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """Every net of a seat that came, in units, and how often of all times."""
        whole = self.rounds * self.task.seats
        return tuple(
            (Fraction(net, 100), Fraction(times, whole)) for net, times in sorted(self.nets.items())
        )

    def as_json(self) -> dict[str, Any]:
        """Return it as a program reads it."""
        whole = self.rounds * self.task.seats
        exact = self.exact if self.errors_apart is not None else None
        return {
            "bet": {name: str(units) for name, units in self.bet.items()},
            "strategy": self.task.strategy,
            "mean": float(self.mean),
            "standard_error": self.standard_error,
            "expected_value": str(exact.expected_value) if exact else None,
            "errors_apart": self.errors_apart,
            "distribution": [
                {"net": str(net), "probability": str(chance), "count": int(chance * whole)}
                for net, chance in self.distribution
            ],
        }


# ---------------------------------------------------------------- playing


def _block(packed: bytes, key: tuple[int, ...], rounds: int) -> tuple[Histogram, Histogram]:
    """Play a block of rounds; return what seats net, each and together."""
    return _player(packed).block(generator(key), rounds)


@lru_cache(maxsize=4)
def _player(packed: bytes) -> "_Player":
    return _Player(pickle.loads(packed))


class _Player:
    """Plays rounds of one task."""

    def __init__(self, task: _Task) -> None:
        # Stakes are units here: what a table takes and charges is not asked.
        self.rules = replace(task.rules, limits={}, fee=None, rake=None)
        self.task = task
        self.choose = _chooser(self.rules, task)

    def opened(self) -> Round:
        """Return a round with cards dealt, its meters where they are said to be."""
        rise = rises(self._closed({}))
        shown = {id: int(amount * _MICROS) for id, amount in self.task.meters.items()}
        before = {id: micros - rise.get(id, 0) for id, micros in shown.items()}
        return _after(self._closed(before), Deal())

    def _closed(self, meters: Mapping[str, int]) -> Round:
        rules, task = self.rules, self.task
        place = shared_place(rules)
        hands = rules.places[place].hands if place else 0
        commands: list[Command] = [Open("", meters)]
        if rules.banked_by == "player":
            commands.append(Bank(rules.table.seats, "banker", _FUNDS))
        for seat in range(1, task.seats + 1):
            hand = (seat - 1) % hands + 1 if hands else None
            for name, units in task.bet.items():
                commands.append(Bet(seat, f"player {seat}", name, _cents(name, units), hand))
        return _after(Round(rules), *commands, CloseBets())

    def block(self, rng: Generator, rounds: int) -> tuple[Histogram, Histogram]:
        opened = self.opened()
        nets: Histogram = {}
        totals: Histogram = {}
        for _ in range(rounds):
            deck = [DECK[card] for card in rng.permutation(len(DECK))]
            found = dict.fromkeys(opened.boxes, 0)
            for line in self._played(opened, deck).lines:
                found[line.seat] += line.net
            whole = sum(found.values())
            totals[whole] = totals.get(whole, 0) + 1
            for net in found.values():
                nets[net] = nets.get(net, 0) + 1
        return nets, totals

    def _played(self, round: Round, deck: list[Card]) -> Round:
        """Play a round that is dealt to its end."""
        while (due := to_show(round)) or to_ask(round):
            if due:
                command: Command = Show(tuple([Face(at, deck[at]) for at in due]))
            else:
                seat = to_ask(round)[0]
                own = positions_of(round, round.boxes[seat])
                known = {**round.faces, **{at: deck[at] for at in own}}
                command = Choose(seat, self.choose(round, seat, known))
            round = _after(round, command)
        return _after(round, Settle())


def _cents(name: str, units: Fraction) -> int:
    cents = units * 100
    if cents.denominator != 1:
        raise UserError("is no whole number of cents, as the engine takes", field=f"bet {name}")
    return cents.numerator


def _after(round: Round, *commands: Command) -> Round:
    for command in commands:
        for event in decide(round, command):
            round = evolve(round, event)
    return round


# ---------------------------------------------------------------- choosing


def _chooser(rules: TableRules, task: _Task) -> Chooser:
    """Return what chooses for a seat."""
    if task.strategy == POSTED:
        return bots.choose
    if task.strategy.strip().lower() == BEST:
        return _best(rules, task)
    root = tree(rules, task.bet)
    cards = sum(line.cards for line in rules.deal.cards if line.to == SEATS)
    named = named_strategy(task.strategy, rules, cards or 3)

    def choose(round: Round, seat: int, known: Known) -> str:
        node = _asked(root, round.boxes[seat].chose)
        if named.option:
            return named.of(node, rules)
        hand = Hand(_cards(round, seat, known), rules.ranking)
        return node.options[-1 if hand.strength >= named.least else 0][0]

    return choose


def _cards(round: Round, seat: int, known: Known) -> tuple[Card, ...]:
    return tuple(known[at] for at in positions_of(round, round.boxes[seat]))


def _asked(root: Node, chose: Mapping[str, str]) -> Decision:
    """Return the decision that comes after these choices."""
    node = root
    while isinstance(node, Decision) and node.step in chose:
        node = dict(node.options)[chose[node.step]]
    if not isinstance(node, Decision):
        raise UserError("there is nothing left to decide", field="strategy")
    return node


def _best(rules: TableRules, task: _Task) -> Chooser:
    """Choose by the best strategy, which the odds must be able to find."""
    exact = analyze(rules, task.bet, meters=task.meters)
    paths, numbers = strategy_paths(exact.solved)
    shown = exact.model.shown

    def choose(round: Round, seat: int, known: Known) -> str:
        hand = _cards(round, seat, known)
        up = [*_up(round, shown)] if shown else []
        # Before a card is up, the choice is the same whichever will be.
        view = up[0] if up else next(c for c in range(len(DECK)) if c not in hand)
        at = int(paths[numbers[tuple(sorted(hand))], view if shown else 0])
        path: Path = exact.model.paths[at]
        return path.chose[len(round.boxes[seat].chose)]

    return choose


def _up(round: Round, place: str) -> Iterator[int]:
    for at in round.places.get(place, ()):
        if at in round.faces:
            yield int(round.faces[at])
