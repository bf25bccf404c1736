"""How a live table stands, and acts: what is decided at it, gathered until it is stored.

Nothing here looks at a clock or draws a card. A standing follows from the journal of its table
alone, so whoever reads the journal again stands where the table stood.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from croupier.errors import Bug
from croupier.fairness.commitment import Commitment
from croupier.fairness.events import DeckCommitted
from croupier.ledger.events import LedgerEvent, TableSet
from croupier.ledger.scribe import Happened
from croupier.ledger.store import SealedDeck
from croupier.round.commands import Command as RoundCommand
from croupier.round.commands import Confirm
from croupier.round.decide import decide
from croupier.round.events import BetMade, BetTakenDown, Closed, Declared
from croupier.round.events import Event as RoundEvent
from croupier.round.evolve import evolve
from croupier.round.order import positions_of
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import Moment
from croupier.table.commands import Command as TableCommand
from croupier.table.decide import decide as decide_at_table
from croupier.table.events import RoundStarted
from croupier.table.evolve import evolve as evolve_table
from croupier.table.prompts import moments
from croupier.table.state import Table, new_table

DEALER = "dealer"
QUIET = (BetMade, BetTakenDown)
"""Events that bring no moment of the procedure: a bet is the player's business."""


@dataclass(frozen=True)
class Standing:
    """A table, and the round that is played at it or was played last."""

    table: Table
    round: Round | None = None
    declared: tuple[Declared, ...] = ()
    """The irregularities of the round: what the table must know of it when it ends."""
    commitment: Commitment | None = None

    @property
    def rules(self) -> TableRules:
        return self.table.rules

    @property
    def in_play(self) -> Round | None:
        """The round that is not over yet."""
        return self.round if self.round and not self.round.closed else None

    def after(self, of: str, event: Any) -> "Standing":
        """Return how the table stands after an event of its journal, other than new rules."""
        match of:
            case "round" if self.round is not None:
                new = (event,) if isinstance(event, Declared) else ()
                round = evolve(self.round, event)
                return Standing(self.table, round, self.declared + new, self.commitment)
            case "table":
                table = evolve_table(self.table, event)
                if isinstance(event, RoundStarted):
                    return Standing(table, Round(table.rules))
                return replace(self, table=table)
            case "fairness":
                return replace(self, commitment=Commitment(event.round, event.rules, event.root))
            case "ledger":
                return self
        raise Bug(f"{type(event).__name__} cannot happen at this table")


def new_standing(rules: TableRules) -> Standing:
    """Return an empty table."""
    return Standing(new_table(rules))


class Procedure:
    """The guided clauses of a round that its dealer confirms, by the moment that they are due."""

    def __init__(self, rules: TableRules) -> None:
        self.asked: dict[Moment, list[str]] = {}
        for id, clause in rules.clauses.items():
            if clause.kept == "guided" and clause.by == DEALER and clause.at:
                self.asked.setdefault(clause.at, []).append(id)

    def due(self, round: Round, event: RoundEvent) -> list[str]:
        """Return the clauses that an event makes due, in a round as it stood before it."""
        if isinstance(event, QUIET):
            return []
        found = moments(round, event)
        return [clause for moment in found for clause in self.asked.get(moment, ())]


class Act:
    """What one command comes to at a table; refused or not stored, it has changed nothing."""

    def __init__(self, standing: Standing, procedure: Procedure) -> None:
        self.standing = standing
        self.procedure = procedure
        self.happened: list[Happened] = []
        self.sealed: list[SealedDeck] = []
        self.readings: Mapping[str, int] = {}
        """What meters show while they are locked, by their ids in the rules."""

    @property
    def round(self) -> Round:
        if self.standing.round is None:
            raise Bug("no round was opened")
        return self.standing.round

    def at_table(self, command: TableCommand) -> None:
        """Do something between rounds, or around one."""
        for event in decide_at_table(self.standing.table, command):
            self._note("table", event)

    def in_round(self, command: RoundCommand) -> None:
        """Do something in the round, and what the procedure asks of its dealer there."""
        for event in decide(self.round, command):
            due = self.procedure.due(self.round, event)
            if isinstance(event, Closed):  # A closed round takes no more notes.
                self._confirm(due)
                due = []
            self._note("round", event)
            self._confirm(due)

    def _confirm(self, clauses: list[str]) -> None:
        for clause in clauses:
            for event in decide(self.round, Confirm(clause, DEALER)):
                self._note("round", event)

    def commit(self, commitment: Commitment, sealed: bytes) -> None:
        """Publish the commitment to a deck, and keep the deck sealed."""
        event = DeckCommitted(
            commitment.round, commitment.rules, commitment.root, commitment.digest
        )
        self._note("fairness", event, commitment.round)
        self.sealed.append(SealedDeck(commitment.round, sealed))

    def in_ledger(self, event: LedgerEvent) -> None:
        """Note what happens to the table's books outside of its rounds."""
        self._note("ledger", event)

    def set_rules(self, rules: TableRules, event: TableSet) -> None:
        """Open the table anew under other rules: seats are empty and decks are brought again."""
        self.happened.append(Happened("ledger", event))
        self.standing = new_standing(rules)
        self.procedure = Procedure(rules)

    def _note(self, of: Any, event: Any, subject: str = "") -> None:
        self.standing = self.standing.after(of, event)
        round = self.standing.round if of == "round" else None
        self.happened.append(Happened(of, event, subject, round))


def own_positions(round: Round, player: str) -> tuple[int, ...]:
    """Return where the cards lie that are this player's to see before anybody else's."""
    boxes = [box for box in round.boxes.values() if box.player == player]
    return tuple(sorted({p for box in boxes for p in positions_of(round, box)}))


def seats_of(standing: Standing, player: str) -> tuple[int, ...]:
    """Return the seats where a player sits."""
    return tuple(sorted(s for s, who in standing.table.seats.items() if who == player))
