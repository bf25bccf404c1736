"""Rounds dealt from a seed, played by the best strategy and put into a journal in memory."""

import random
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from typing import Any

from croupier.cards import DECK
from croupier.ledger.events import Bought, TableSet
from croupier.ledger.scribe import Scribe
from croupier.odds.analysis import analyze
from croupier.round.commands import Bet, Choose, CloseBets, Command, Deal, Face, Open, Settle, Show
from croupier.round.decide import decide
from croupier.round.events import Event
from croupier.round.evolve import evolve
from croupier.round.order import positions_of
from croupier.round.play import Play
from croupier.round.state import Round
from croupier.simulation.simulator import strategy_paths
from tests.ledger.memory import Memory
from tests.ledger.tables import PURSE, TIME, of_ledger, of_round, rules_of

Stakes = Mapping[str, int]
"""The stakes of a seat by wager, in cents."""


@cache
def _strategy(rulebook: str, selections: str, bet: tuple[tuple[str, int], ...]) -> Any:
    rules = rules_of(rulebook, dict(eval(selections)))
    units = {name: Fraction(cents, 100) for name, cents in bet}
    solved = analyze(rules, units, meters=dict.fromkeys(rules.meters, 1000) or None).solved
    return solved.model, *strategy_paths(solved)


class Felt:
    """A table in a journal."""

    def __init__(
        self, memory: Memory, table: str, rulebook: str, selections: dict[str, Any] | None = None
    ) -> None:
        self.memory, self.selections = memory, selections or {}
        self.rules = rules_of(rulebook, self.selections)
        self.scribe = Scribe(table, rules_of)
        self.rounds: list[Round] = []
        set_ = TableSet(rulebook, self.selections, self.rules.digest)
        self.scribe = memory.put(self.scribe, of_ledger(set_))
        for seat in range(1, 8):
            self.scribe = memory.put(self.scribe, of_ledger(Bought(f"{table} p{seat}", PURSE)))

    def play(self, bets: Mapping[int, Stakes], rng: random.Random, *, time_ms: int = TIME) -> Round:
        """Play a round in which seats bet as given and choose as is best."""
        deck = dict(enumerate(rng.sample(DECK, len(DECK))))
        round, events = Round(self.rules), list[Event]()
        meters = dict.fromkeys(self.rules.meters, 1000000000)

        def do(command: Command) -> None:
            nonlocal round
            for event in decide(round, command):
                round = evolve(round, event)
                events.append(event)

        name = self.scribe.stream
        do(Open(f"{name}-{len(self.rounds)}", meters))
        for seat, stakes in bets.items():
            for wager, cents in stakes.items():
                do(Bet(seat, f"{name} p{seat}", wager, cents))
        do(CloseBets())
        do(Deal())
        while round.due or round.asked:
            if round.due:
                do(Show(tuple(Face(p, deck[p]) for p in round.due)))
            else:
                seat = round.asked[0]
                do(Choose(seat, self._choice(Play(round, deck), seat, bets[seat])))
        do(Settle())
        self.scribe = self.memory.put(self.scribe, of_round(events), time_ms=time_ms)
        self.rounds.append(round)
        return round

    def _choice(self, play: Play, seat: int, stakes: Stakes) -> str:
        key = self.rules.rulebook, repr(self.selections), tuple(stakes.items())
        model, paths, numbers = _strategy(*key)
        round, known = play.round, play.known_to(seat)
        hand = sorted(int(known[p]) for p in positions_of(round, round.boxes[seat]))
        up = [int(round.faces[p]) for p in round.places.get(model.shown, ()) if p in round.faces]
        view = (up or [c for c in range(len(DECK)) if c not in hand])[0] if model.shown else 0
        path = model.paths[int(paths[numbers[tuple(hand)], view])]
        return str(path.chose[len(round.boxes[seat].chose)])
