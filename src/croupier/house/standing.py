"""How a live table stands, and acts: what one command does to it, gathered until it is stored.

Nothing here reads a clock or draws a card. A standing follows from the table's journal alone, so
reading the journal again gives the same standing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from croupier.errors import Bug, Refused
from croupier.fairness.commitment import Commitment, Committed
from croupier.fairness.cut import NO_CUT, PlayersCut, check_event
from croupier.fairness.events import CutEvent, DeckCommitted, DeckCut, FairnessEvent
from croupier.ledger.events import LedgerEvent, TableSet
from croupier.ledger.scribe import Happened
from croupier.ledger.store import SealedDeck
from croupier.round.commands import CallOff, Open
from croupier.round.commands import Command as RoundCommand
from croupier.round.decide import decide
from croupier.round.events import Declared
from croupier.round.evolve import evolve
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules
from croupier.table.commands import Change
from croupier.table.commands import Command as TableCommand
from croupier.table.decide import decide as decide_at_table
from croupier.table.events import RoundStarted
from croupier.table.evolve import evolve as evolve_table
from croupier.table.proposals import check_not_stopped
from croupier.table.state import Table, new_table


class CutTally(NamedTuple):
    """Contributions to all cuts since the rules were set, and how many of them were withheld."""

    contributed: int = 0
    withheld: int = 0

    def after(self, cut: PlayersCut) -> "CutTally":
        """Return the tally after one more cut."""
        return CutTally(
            self.contributed + len(cut.contributions), self.withheld + len(cut.withheld)
        )


NO_TALLY = CutTally()


@dataclass(frozen=True)
class Standing:
    """A table, and the round that is in play at it or was played last."""

    table: Table
    round: Round | None = None
    declared: tuple[Declared, ...] = ()
    """The irregularities of the round, which the table needs when it ends."""
    commitment: Commitment | None = None
    cut: PlayersCut = NO_CUT
    """What players have contributed to the order of the deck."""
    tally: CutTally = NO_TALLY

    @property
    def in_play(self) -> Round | None:
        """The round that is not over yet."""
        return self.round if self.round and not self.round.closed else None

    def with_ways(self, others: Iterable[TableRules]) -> "Standing":
        """Return the standing of a table that can use other equipment as well."""
        new = {way.digest: way for way in others if way.digest not in self.table.ways}
        return replace(self, table=replace(self.table, ways={**self.table.ways, **new}))

    def without_proposal(self, id: str) -> "Standing":
        """Return the standing as if a proposal were answered."""
        proposals = tuple(one for one in self.table.proposals if one.id != id)
        return replace(self, table=replace(self.table, proposals=proposals))

    def after(self, of: str, event: Any) -> "Standing":
        """Return the standing after an event of the journal, other than new rules."""
        match of:
            case "round" if self.round is not None:
                new = (event,) if isinstance(event, Declared) else ()
                round = evolve(self.round, event)
                declared = self.declared + new
                return Standing(self.table, round, declared, self.commitment, self.cut, self.tally)
            case "table":
                table = evolve_table(self.table, event)
                if isinstance(event, RoundStarted):
                    return Standing(table, Round(table.rules), tally=self.tally)
                return replace(self, table=table)
            case "fairness":
                return self._after_fairness(event)
            case "ledger":
                return self
        raise Bug(f"{type(event).__name__} can't happen at this table")

    def _after_fairness(self, event: FairnessEvent) -> "Standing":
        if isinstance(event, DeckCommitted):
            return replace(self, commitment=Commitment(event.round, event.rules, event.root))
        if self.commitment is None:
            raise Bug("a deck is cut that nobody committed to")
        cut = self.cut.after(event, self.commitment)
        tally = self.tally.after(cut) if isinstance(event, DeckCut) else self.tally
        return replace(self, cut=cut, tally=tally)


def new_standing(rules: TableRules, before: Standing | None = None) -> Standing:
    """Return an empty table; one that played by other rules before keeps its people.

    They are still at their posts. Disputes and proposals still wait, except proposals about a
    round.
    """
    table = new_table(rules)
    if before is None or "dealer" not in rules.things:
        return Standing(table)
    was = before.table
    waiting = tuple(one for one in was.proposals if one.of != "round")
    return Standing(
        replace(
            table,
            crew=was.crew,
            proposals=waiting,
            proposed=was.proposed,
            disputes=was.disputes,
            disputed=was.disputed,
        )
    )


class Returned(NamedTuple):
    """Bets that went back to a player because they could not stand, and why."""

    player: str
    why: Refused


class Act:
    """What one command does to a table. Until it is stored, the table hasn't changed."""

    def __init__(self, standing: Standing) -> None:
        self.standing = standing
        self.happened: list[Happened] = []
        self.who: tuple[str, ...] = ()
        """The persons whose sessions made it; nobody where the program did."""
        self.sealed: list[SealedDeck] = []
        self.readings: Mapping[str, int] = {}
        """What meters show while they are locked, by their ids in the rules."""
        # What the table takes over when the act is stored.
        self.opened = False
        """Whether the act opens a round."""
        self.deck: Committed | None = None
        """The deck of a round that the act opens; none where the cards are real."""
        self.setting: TableSet | None = None
        """The rules that the act sets."""
        self.returned: Returned | None = None
        """Bets that the act gives back to a player."""

    @property
    def round(self) -> Round:
        if self.standing.round is None:
            raise Bug("no round was opened")
        return self.standing.round

    def at_table(self, command: TableCommand) -> None:
        """Do something between rounds, or around one."""
        for event in decide_at_table(self.standing.table, command):
            self._note("table", event)

    def in_round(self, command: RoundCommand) -> Round:
        """Do something in the round, and return it."""
        if self.standing.table.proposals and not isinstance(command, CallOff):
            check_not_stopped(self.standing.table)
        for event in decide(self.round, command):
            self._note("round", event)
        return self.round

    def open_betting(self, meters: Mapping[str, int]) -> None:
        """Open the round that was started, with what the meters show now."""
        for command in self.standing.table.opening():
            if isinstance(command, Open):
                command = replace(command, meters=dict(meters))
            self.in_round(command)

    def commit(self, committed: Committed, sealed: bytes) -> None:
        """Publish the commitment to a deck, and keep the deck sealed."""
        public = committed.commitment
        event = DeckCommitted(public.round, public.rules, public.root, public.digest)
        self._note("fairness", event, public.round)
        self.sealed.append(SealedDeck(public.round, sealed))
        self.deck = committed

    def in_cut(self, event: CutEvent) -> None:
        """Record a contribution to the cut, its reveal, or the cut itself."""
        check_event(self.standing.cut, event)
        self._note("fairness", event, event.round)

    def in_ledger(self, event: LedgerEvent) -> None:
        """Record a ledger event that belongs to no round."""
        self._note("ledger", event)

    def set_rules(
        self, rules: TableRules, event: TableSet, others: Iterable[TableRules] = ()
    ) -> None:
        """Open the table under other rules, with empty seats and new decks."""
        self.happened.append(Happened("ledger", event))
        self.setting = event
        self.standing = new_standing(rules, self.standing).with_ways(others)

    def set_equipment(self, event: TableSet) -> None:
        """Go on with other equipment, which the table knows."""
        self.in_ledger(event)
        self.at_table(Change(event.digest))

    def _note(self, of: Any, event: Any, subject: str = "") -> None:
        self.standing = self.standing.after(of, event)
        self.opened |= isinstance(event, RoundStarted)
        round = self.standing.round if of == "round" else None
        self.happened.append(Happened(of, event, subject, round))


def round_before(id: str) -> str:
    """Return the id of the round before another one, '' if there is none."""
    stem, _, number = id.rpartition("-")
    return f"{stem}-{int(number) - 1}" if number.isdecimal() and int(number) > 1 else ""


def seats_of(standing: Standing, player: str) -> tuple[int, ...]:
    """Return a player's seats."""
    return tuple(sorted(s for s, who in standing.table.seats.items() if who == player))


def staked_meters(standing: Standing) -> tuple[str, ...]:
    """Return the meters, by their ids in the rules, that a wager of the open round is made on."""
    round, rules = standing.in_play, standing.table.rules
    if round is None or round.void:
        return ()
    staked = {spot for box in round.boxes.values() for spot in box.stakes}
    return tuple(i for i, m in rules.meters.items() if staked & {*rules.spots.get(m.wager, ())})
