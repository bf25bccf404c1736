"""Plays rounds through the engine, for any playable book.

Cards are shuffled, every seat bets and follows a strategy given what it sees, and the engine
settles. Nothing is priced here, so this gives a value where the odds don't cover a table, and a
check of the odds where they do.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import sqrt
from typing import Any

from numpy.random import Generator

from croupier.cards import DECK, Card
from croupier.errors import UserError
from croupier.hands.hand import Hand
from croupier.odds.analysis import Analysis, analyze
from croupier.odds.bets import Units, parse_meters, parse_stakes, unit_of
from croupier.odds.paths import Decision, Path, PathNode, tree
from croupier.odds.scope import NotModelled
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
    Open,
)
from croupier.round.order import positions_of
from croupier.round.play import Play
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import SEATS
from croupier.simulation.blocks import (
    Report,
    blocks,
    check_range,
    packed,
    play_packed,
    played,
    player_of,
)
from croupier.simulation.histogram import Frequencies, merged
from croupier.simulation.simulation import ALARM
from croupier.simulation.simulator import strategy_paths

BLOCK = 500
"""Rounds per random generator. Another size gives other figures for the same seed."""
POSTED = "posted"
"""The strategy of computer-played seats."""
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
) -> "PlayedRounds":
    """Play rounds in which every seat makes the same bet and follows the same strategy.

    The default bet is one unit on the first wager, with whatever that requires. The default
    strategy is the best one where the odds cover the table, and otherwise the posted rule of
    computer-played seats. Every round begins with the same meters; limits, fees and rake are left
    out, and a player's bank never runs short.
    """
    check_range("rounds", rounds, _ROUNDS_MAX)
    check_range("seats", seats, rules.table.seats - (rules.banked_by == "player"))
    stakes = parse_stakes(rules, bet or bots.needed(rules, partial(unit_of, rules)))
    shown = parse_meters(rules, meters, stakes)
    exact = None
    if strategy != POSTED:
        exact = _exact(rules, stakes, meters=shown, strategy=strategy or BEST)
    task = _Task(rules, stakes, shown, strategy or (BEST if exact else POSTED), seats)
    playing = packed(_Player, task)
    player_of(playing).opened()  # Refuse an invalid bet before anything is played.
    jobs = ((playing, (seed, _STREAM, n), many) for n, many in blocks(rounds, BLOCK))
    done = [*played(play_packed, jobs, executor=executor, report=report)]
    nets, totals = (merged([one[part] for one in done]) for part in (0, 1))
    return PlayedRounds(task, nets, totals, rounds, exact)


def _exact(
    rules: TableRules,
    stakes: Mapping[str, Fraction],
    *,
    meters: Mapping[str, Fraction],
    strategy: str,
) -> Analysis | None:
    """Analyse the bet, if the odds model it at this table."""
    try:
        return analyze(rules, stakes, meters=meters, strategy=strategy)
    except NotModelled:
        return None


@dataclass(frozen=True)
class _Task:
    """What to play: everything a worker process needs."""

    rules: TableRules
    bet: Mapping[str, Fraction]
    meters: Mapping[str, Fraction]
    strategy: str
    seats: int


@dataclass(frozen=True)
class PlayedRounds:
    """The results of played rounds, in cents."""

    task: _Task
    nets: Frequencies
    """How often a seat had each net."""
    totals: Frequencies
    """How often all seats of a round together had each net."""
    rounds: int
    exact: Analysis | None
    """The exact analysis of the same bet and strategy, where the odds cover the table."""

    @property
    def bet(self) -> Mapping[str, Fraction]:
        return self.task.bet

    @property
    def mean(self) -> Fraction:
        """The average net of a seat, in units."""
        whole = sum(net * times for net, times in self.totals.items())
        return Fraction(whole, 100 * self.rounds * self.task.seats)

    @property
    def standard_error(self) -> float:
        """The standard error of the mean; seats of one round are correlated, so rounds count."""
        first = sum(net * times for net, times in self.totals.items())
        second = sum(net * net * times for net, times in self.totals.items())
        spread = Fraction(second * self.rounds - first * first, max(self.rounds - 1, 1))
        return sqrt(spread) / self.rounds / (100 * self.task.seats)

    @property
    def errors_apart(self) -> float | None:
        """How many standard errors the mean is from the exact value, if there is one."""
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
        """Every net of a seat that came up, in units, and its frequency."""
        whole = self.rounds * self.task.seats
        return tuple(
            (Fraction(net, 100), Fraction(times, whole)) for net, times in sorted(self.nets.items())
        )

    def as_json(self) -> dict[str, Any]:
        """Return the results as JSON data."""
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


class _Player:
    """Plays rounds of one task."""

    def __init__(self, task: _Task) -> None:
        # Stakes are in units here, so the table's limits and charges don't apply.
        self.rules = replace(task.rules, limits={}, fee=None, rake=None)
        self.task = task
        self.choose = _chooser(self.rules, task)

    def opened(self) -> Round:
        """Return a dealt round, with its meters at the given values."""
        rise = rises(self._closed({}))
        shown = {id: int(amount * _MICROS) for id, amount in self.task.meters.items()}
        before = {id: micros - rise.get(id, 0) for id, micros in shown.items()}
        play = Play(self._closed(before), {})
        play.do(Deal())
        return play.round

    def _closed(self, meters: Mapping[str, int]) -> Round:
        rules, task = self.rules, self.task
        commands: list[Command] = [Open("", meters)]
        if rules.banked_by == "player":
            commands.append(Bank(rules.table.seats, "banker", _FUNDS))
        for seat in range(1, task.seats + 1):
            hand = rules.hand_at(seat)
            for name, units in task.bet.items():
                commands.append(Bet(seat, f"player {seat}", name, _cents(name, units), hand))
        play = Play(Round(rules), {})
        play.do(*commands, CloseBets())
        return play.round

    def block(self, rng: Generator, rounds: int) -> tuple[Frequencies, Frequencies]:
        """Play a block of rounds; return the nets of seats, and of whole rounds."""
        opened = self.opened()
        nets: Frequencies = {}
        totals: Frequencies = {}
        for _ in range(rounds):
            deck = {at: DECK[card] for at, card in enumerate(rng.permutation(len(DECK)))}
            found = dict.fromkeys(opened.boxes, 0)
            for line in self._played(opened, deck).lines:
                found[line.seat] += line.net
            whole = sum(found.values())
            totals[whole] = totals.get(whole, 0) + 1
            for net in found.values():
                nets[net] = nets.get(net, 0) + 1
        return nets, totals

    def _played(self, round: Round, deck: Mapping[int, Card]) -> Round:
        """Play a dealt round to its end."""
        play = Play(round, deck)
        while (seat := play.to_decision()) is not None:
            play.do(Choose(seat, self.choose(play.round, seat, play.known_to(seat))))
        play.settle()
        return play.round


def _cents(name: str, units: Fraction) -> int:
    cents = units * 100
    if cents.denominator != 1:
        raise UserError("is no whole number of cents, as the engine takes", field=f"bet {name}")
    return cents.numerator


# ---------------------------------------------------------------- choosing


def _chooser(rules: TableRules, task: _Task) -> Chooser:
    """Return the function that chooses for a seat."""
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


def _asked(root: PathNode, chose: Mapping[str, str]) -> Decision:
    """Return the decision that follows these choices."""
    node = root
    while isinstance(node, Decision) and node.step in chose:
        node = dict(node.options)[chose[node.step]]
    if not isinstance(node, Decision):
        raise UserError("there is nothing left to decide", field="strategy")
    return node


def _best(rules: TableRules, task: _Task) -> Chooser:
    """Choose by the best strategy, where the odds can find it."""
    exact = analyze(rules, task.bet, meters=task.meters)
    paths, numbers = strategy_paths(exact.solved)
    shown = exact.model.shown

    def choose(round: Round, seat: int, known: Known) -> str:
        hand = _cards(round, seat, known)
        up = [*_up(round, shown)] if shown else []
        # Before a card is exposed, the choice doesn't depend on it.
        view = up[0] if up else next(c for c in range(len(DECK)) if c not in hand)
        at = int(paths[numbers[tuple(sorted(hand))], view if shown else 0])
        path: Path = exact.model.paths[at]
        return path.chose[len(round.boxes[seat].chose)]

    return choose


def _up(round: Round, place: str) -> Iterator[int]:
    for at in round.places.get(place, ()):
        if at in round.faces:
            yield int(round.faces[at])
