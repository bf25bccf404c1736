"""What must hold after every command, whatever was asked for.

Each invariant has a name, by which a mutant of the engine says who is to find it. Those that look
at one event are told by the ledger; the others compare the round with it here.
"""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields

from croupier.cards import Card
from croupier.errors import Refused
from croupier.money import parse_money
from croupier.round import view as views
from croupier.round.codec import to_plain
from croupier.round.commands import Choose, Command, Show
from croupier.round.events import Event, SeatSettled, Shown
from croupier.round.evolve import replay
from croupier.round.file import Played
from croupier.round.result import result_of
from croupier.round.state import Line, Round
from croupier.rules.table_rules import TableRules
from tests.round.engine import decide
from tests.round.ledger import CENT, FORFEITS, ORDER, Ledger
from tests.rules.books import CALIFORNIA, FLORIDA, LET_IT_RIDE

CARD = re.compile(r"\b[2-9TJQKA][shdc]\b")
OUTCOMES = {"win", "lose", "push", "forfeit", "withdrawn", "uncovered", "void"}
STATE = [field.name for field in fields(Round) if field.name != "rules"]


class Broken(AssertionError):
    """An invariant does not hold."""

    def __init__(self, invariant: str, found: str) -> None:
        super().__init__(f"{invariant}: {found}")
        self.invariant = invariant


class Play:
    """A round that is played by commands, and all that the invariants look at."""

    def __init__(self, rules: TableRules, only: str | None = None) -> None:
        self.rules = rules
        self.only = only
        """The one invariant that is looked at, or None for all of them."""
        self.round = Round(rules)
        self.ledger = Ledger(rules)
        self.deck: dict[int, Card] = {}
        """Every face, which nobody but the test knows."""
        self.commands: list[Command] = []
        self.events: list[Event] = []
        self.news: tuple[Event, ...] = ()
        self.refused: Refused | None = None

    def do(self, command: Command) -> bool:
        """Ask for something, see that everything holds, and say whether it was done."""
        before, told = self.round, fingerprint(self.round)
        self.commands.append(command)
        self.news, self.refused = (), None
        try:
            self.news = decide(before, command)
        except Refused as refused:
            self.refused = refused
        except Exception as error:
            raise Broken("total", f"{command}: {error!r}") from error
        self._happen(command)
        if self.wants("frozen") and fingerprint(before) != told:
            raise Broken("frozen", f"{command} changed the round before it")
        self.check()
        return bool(self.news)

    def _happen(self, command: Command) -> None:
        readings = getattr(command, "meters", {})
        if any(isinstance(event, SeatSettled) for event in self.news) and not self.ledger.void:
            self.ledger.meters.update(readings)
        for event in self.news:
            try:
                self.round = EVOLVE(self.round, event)
            except Exception as error:
                raise Broken("total", f"{event}: {error!r}") from error
            self.events.append(event)
            self.ledger.take(event)

    def wants(self, invariant: str) -> bool:
        return self.only in (None, invariant)

    def check(self) -> None:
        for invariant, found in self.ledger.faults:
            if self.wants(invariant):
                raise Broken(invariant, found)
        for invariant, check in CHECKS.items():
            if self.wants(invariant):
                for found in check(self):
                    raise Broken(invariant, found)


def EVOLVE(round: Round, event: Event) -> Round:
    from tests.round.engine import evolve

    return evolve(round, event)


def fingerprint(round: Round) -> str:
    """Everything that a round says, so that a change in place is seen."""
    return repr([getattr(round, name) for name in STATE])


def cards_in(value: object) -> set[str]:
    """The cards that are named anywhere in a value."""
    return set(CARD.findall(json.dumps(value)))
