"""Simulates a player's bank: full tables, settled by the engine with its rules of cover.

What a bank with limited funds owes depends on all seats of a round and their order, so nothing is
priced here: every round is played through `croupier.round`, with the strategy of the analysis.
"""

from collections.abc import Iterator, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
from numpy.random import Generator

from croupier.cards import DECK, Card
from croupier.errors import UserError
from croupier.odds.analysis import Analysis
from croupier.odds.combinations import triples
from croupier.odds.paths import Path
from croupier.round import commands
from croupier.round.play import Play
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK
from croupier.simulation.blocks import (
    Report,
    blocks,
    check_range,
    packed,
    play_packed,
    played,
    player_of,
)
from croupier.simulation.draws import apart
from croupier.simulation.histogram import Frequencies, Histogram, merged
from croupier.simulation.simulator import SimulationTask, Simulator

BLOCK = 250
"""Rounds per random generator."""
_ROUNDS_MAX = 10**9
_STREAM = 3


@dataclass(frozen=True)
class BankRun:
    """The results of a bank, round by round; every round begins with the same funds."""

    analysis: Analysis
    seats: int
    funds: int
    results: Histogram
    """The banker's net result of a round in dollars, after the house's charges."""
    short: int
    """Rounds in which some winner was not paid in full."""
    uncovered: int
    """Lines that weren't covered at all."""
    unpaid: Fraction
    """What winners were owed but not paid, in dollars a round."""

    @property
    def rounds(self) -> int:
        return self.results.count

    @property
    def standard_error(self) -> float:
        return self.results.standard_deviation / sqrt(self.rounds)

    @property
    def expected(self) -> Fraction:
        """The average net of a bank with unlimited funds in a round, before charges."""
        return -self.seats * self.analysis.expected_value

    def chart(self) -> str:
        """Draw the banker's net results."""
        words = f"a bank of ${Fraction(self.funds, 100)} against {self.seats} seats"
        desc = f"Net of {self.rounds:,} rounds in dollars; {self.short:,} ran short."
        return self.results.chart(title=f"A round of {words}", desc=desc)

    def _repr_svg_(self) -> str:
        return self.chart()

    def as_json(self) -> dict[str, Any]:
        return {
            "bet": {name: str(units) for name, units in self.analysis.bet.items()},
            "rounds": self.rounds,
            "seats": self.seats,
            "funds": str(Fraction(self.funds, 100)),
            "net": self.results.as_json(),
            "standard_error": self.standard_error,
            "expected_value_covered": str(self.expected),
            "short": str(Fraction(self.short, self.rounds)),
            "uncovered_lines": self.uncovered,
            "unpaid": str(self.unpaid),
        }


def bank_rounds(
    analysis: Analysis,
    *,
    funds: int,
    rounds: int,
    seed: int,
    seats: int | None = None,
    executor: Executor | None = None,
    report: Report | None = None,
) -> BankRun:
    """Bank rounds with these funds, in cents, against seats that all make the same bet."""
    rules = analysis.rules
    if rules.banked_by != "player":
        raise UserError("the house banks this game", field="bank", clause=rules.bank.clause)
    check_range("rounds", rounds, _ROUNDS_MAX)
    most = rules.table.seats - 1
    seats = most if seats is None else seats
    check_range("seats", seats, most)
    task = SimulationTask(rules, analysis.bet, analysis.meters, analysis.named, seats)
    for name, units in analysis.bet.items():
        if (units * 100).denominator != 1:
            raise UserError("is not a sum of whole cents", field=f"bet {name}")
    banking = packed(_Bank, task, funds)
    player_of(banking).opened()  # Let the table refuse the bet before any work starts.
    jobs = ((banking, (seed, _STREAM, n, 0), many) for n, many in blocks(rounds, BLOCK))
    done = [*played(play_packed, jobs, executor=executor, report=report)]
    return BankRun(
        analysis,
        seats,
        funds,
        results=Histogram(merged([nets for nets, *_ in done]), 100),
        short=sum(short for _, short, _, _ in done),
        uncovered=sum(lines for _, _, lines, _ in done),
        unpaid=Fraction(sum(unpaid for *_, unpaid in done), 100 * rounds),
    )


class _Bank:
    """Plays rounds against one banker."""

    def __init__(self, task: SimulationTask, funds: int) -> None:
        self.rules: TableRules = task.rules
        self.simulator = Simulator(task)
        self.bet = {name: int(units * 100) for name, units in task.bet.items()}
        self.seats = range(1, task.seats + 1)
        self.funds = funds

    def opened(self, *, funds: int | None = None) -> Round:
        """Return a round after betting; the banker has the last seat."""
        banker = commands.Bank(
            self.rules.table.seats, "banker", self.funds if funds is None else funds
        )
        bets = [
            commands.Bet(seat, f"player {seat}", name, cents)
            for seat in self.seats
            for name, cents in self.bet.items()
        ]
        play = Play(Round(self.rules), {})
        play.do(commands.Open(""), banker, *bets, commands.CloseBets(), commands.Deal())
        return play.round

    def block(self, rng: Generator, rounds: int) -> tuple[Frequencies, int, int, int]:
        """Play a block of rounds; return the banker's nets, and what wasn't covered."""
        opened, covered = self.opened(), self.opened(funds=10**15)
        nets: Frequencies = {}
        short = uncovered = unpaid = 0
        for cards, paths in self._deals(rng, rounds):
            round = _played(opened, cards, paths)
            result = round.bank_result
            net = result.net if result else 0
            nets[net] = nets.get(net, 0) + 1
            missing = [line for line in round.lines if line.outcome == "uncovered"]
            paid = sum(line.paid for line in round.lines)
            if missing or paid >= self.funds:
                whole = _played(covered, cards, paths)
                owed = sum(line.paid for line in whole.lines)
                short += owed > paid
                uncovered += len(missing)
                unpaid += owed - paid
        return nets, short, uncovered, unpaid

    def _deals(
        self, rng: Generator, rounds: int
    ) -> Iterator[tuple[Mapping[str | int, list[Card]], dict[int, Path]]]:
        """Yield the cards of every place and seat, and every seat's path."""
        taken = np.zeros(rounds, np.uint64)
        draws = {place.group.place: place.draw for place in self.simulator.places}
        bank = {BANK: triples()} if BANK not in draws else {}
        numbers = {place: apart(rng, draw, taken) for place, draw in (draws | bank).items()}
        hands = [apart(rng, triples(), taken) for _ in self.seats]
        priced = self.simulator.priced(hands, numbers)
        held = {place: draw.cards[numbers[place]] for place, draw in (draws | bank).items()}
        for number in range(rounds):
            cards: dict[str | int, list[Card]] = {
                place: [DECK[card] for card in rows[number]] for place, rows in held.items()
            }
            for seat in self.seats:
                cards[seat] = [DECK[card] for card in triples().cards[hands[seat - 1][number]]]
            paths = {seat: priced[seat - 1][0][number] for seat in self.seats}
            yield cards, paths


def _played(
    round: Round, cards: Mapping[str | int, list[Card]], paths: Mapping[int, Path]
) -> Round:
    """Play a dealt round to its end."""
    faces: dict[int, Card] = {}
    for seat, box in round.boxes.items():
        faces.update(zip(box.cards, cards[seat], strict=True))
    known = [card for each in cards.values() for card in each]
    others = iter([card for card in DECK if card not in known])
    for place, positions in round.places.items():
        # No wager depends on the cards of a place that wasn't drawn, such as those discarded.
        drawn = cards.get(place) or [next(others) for _ in positions]
        faces.update(zip(positions, drawn, strict=True))
    chose = {seat: iter(path.chose) for seat, path in paths.items()}
    play = Play(round, faces)
    while (asked := play.to_decision()) is not None:
        play.do(commands.Choose(asked, next(chose[asked])))
    play.settle()
    return play.round
