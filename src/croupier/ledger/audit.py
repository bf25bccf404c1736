"""Audits a journal: the entries recomputed from its events must match those posted.

It works on stored bytes and entries in order, and knows no database.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from croupier.errors import CroupierError, UserError
from croupier.fairness.commitment import Commitment
from croupier.fairness.cut import NO_CUT, check_event
from croupier.fairness.events import Contributed, DeckCommitted
from croupier.fairness.events import event_from as fairness_event_from
from croupier.ledger.accounts import Account
from croupier.ledger.awards import Award, awards_in, proposals_after
from croupier.ledger.chips import ABOUT, audited, chips_moves
from croupier.ledger.entries import Entry, Posting, Setting, Unlike, numbered, post
from croupier.ledger.events import (
    AwardProposed,
    LedgerEvent,
    TableSet,
    ledger_event_from,
    moves_of,
)
from croupier.ledger.journal import Record, StoredEvent, StreamFault, decode
from croupier.ledger.two_people import Attribution
from croupier.money import format_micros
from croupier.round.codec import event_from
from croupier.round.events import Dealt, Opened
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules, as_edition
from croupier.rules.vocabulary import Thing
from croupier.table.codec import event_from as table_event_from
from croupier.table.tray import NO_TRAY

RulesOf = Callable[[str, Mapping[str, Any], Collection[Thing]], TableRules]
"""Finds a book by its id, and resolves its selections for what there is to handle."""


def rules_set(event: TableSet, rules_of: RulesOf) -> TableRules:
    """Return the rules that a table was set to, under the digest that it was set with.

    An edition of the book that settles every round alike may have had another digest.
    """
    rules = as_edition(rules_of(event.rulebook, event.given, event.things), event.digest)
    if rules is None:
        raise Unlike("its table rules have another digest than the books here give")
    return rules


def no_rules(rulebook: str, *_: object) -> TableRules:
    """Refuse to find rules, for a stream that has no table."""
    raise UserError(f"this stream has no table, and so no rules: {rulebook}")


class Posted(NamedTuple):
    """A stored entry, with the event it derives from."""

    stream: str
    number: int
    entry: Entry
    line: int
    """Its place among the entries of its event, from 1."""

    def as_json(self) -> dict[str, Any]:
        """Return the entry as JSON data."""
        id, debit, credit, micros, code = self.entry
        return {
            "stream": self.stream,
            "event": self.number,
            "id": id,
            "debit": debit,
            "credit": credit,
            "dollars": format_micros(micros),
            "code": code,
        }


class Auditor:
    """Replays one stream, event by event, and computes the entries of each."""

    __slots__ = (
        "awards",
        "commitment",
        "cut",
        "posting",
        "rules",
        "rules_of",
        "setting",
        "stream",
        "tray",
    )

    def __init__(self, stream: str, rules_of: RulesOf) -> None:
        self.stream, self.rules_of = stream, rules_of
        self.setting = Setting(stream)
        self.rules: TableRules | None = None
        self.posting: Posting | None = None
        self.commitment: DeckCommitted | None = None
        self.cut = NO_CUT
        self.tray = NO_TRAY
        self.awards: Mapping[str, AwardProposed] = {}
        """What is proposed about awards, and waits for a second person."""

    def __copy__(self) -> "Auditor":
        """Return an independent copy at the same event; every command takes one."""
        twin = Auditor.__new__(Auditor)
        twin.stream, twin.rules_of, twin.setting = self.stream, self.rules_of, self.setting
        twin.rules, twin.posting = self.rules, self.posting
        twin.commitment, twin.cut, twin.awards = self.commitment, self.cut, self.awards
        twin.tray = self.tray
        return twin

    def entries(self, record: Record) -> tuple[Entry, ...]:
        """Return the entries of the next record."""
        match record.of:
            case "round":
                event = event_from(record.event)
                if isinstance(event, Dealt) and self.cut.contributions and not self.cut.is_made:
                    raise Unlike("the cards were dealt without the players' cut")
                if isinstance(event, Opened):
                    self.open(event)
                self.posting, entries = post(self.posting, event)
                round = self.posting.round.id
                if round != record.subject:
                    raise Unlike(f"it happened in round {round}, not {record.subject}")
                return entries
            case "ledger":
                return self.ledger_entries(record.number, ledger_event_from(record.event))
            case "fairness":
                self._check_fairness(record.event)
                return ()
            case "table":
                return self._at_table(record)
            case "house":
                return ()

    def _at_table(self, record: Record) -> tuple[Entry, ...]:
        """Return the entries of an event at a table, and follow its tray."""
        if record.event.get("type") not in ABOUT:
            return ()
        if self.rules is None or not self.rules.things:
            return ()
        round = self.posting.round if self.posting else None
        self.tray = audited(self.tray, record.event, self.rules, round)
        return self.table_entries(record.number, table_event_from(record.event))

    def table_entries(self, number: int, event: object) -> tuple[Entry, ...]:
        """Return the entries of an event at a table, by its number in the stream."""
        return numbered(f"{self.stream}#{number}", chips_moves(self.stream, event))

    def _check_fairness(self, plain: Mapping[str, Any]) -> None:
        """Check that a contribution, its reveal and the cut follow from what was before."""
        event = fairness_event_from(plain)
        if isinstance(event, DeckCommitted):
            self.commitment, self.cut = event, NO_CUT
            return
        made, round = self.commitment, self.posting.round if self.posting else None
        if made is None or round is None or not made.round == round.id == event.round:
            raise Unlike("it belongs to another round than the one in play")
        stage = round.stage.do if round.stage else ""
        if stage != ("bets" if isinstance(event, Contributed) else "deal"):
            raise Unlike(f"the round is at another step: {stage}")
        check_event(self.cut, event)
        self.cut = self.cut.after(event, Commitment(made.round, made.rules, made.root))

    def is_by_machine(self, record: Record) -> bool:
        """Whether a record says that cards were handled at a table with virtual ones.

        Older automatic tables recorded such acts; they count as the machine's, not a person's.
        """
        handled = record.of in ("round", "table") and record.event.get("type") in HANDLED
        return handled and not (self.rules and "dealer" in self.rules.things)

    def ledger_entries(self, number: int, event: LedgerEvent) -> tuple[Entry, ...]:
        """Return the entries of an event outside any round, by its number in the stream."""
        if isinstance(event, TableSet):
            self._set(event)
        self.awards = proposals_after(self.awards, event)
        return numbered(f"{self.stream}#{number}", moves_of(event))

    def open(self, event: Opened) -> None:
        """Go on with a new round, whose first event this is."""
        if self.rules is None or self.rules.digest != event.digest:
            raise Unlike("the round was opened under other rules than the table's")
        self.posting = Posting(self.setting, Round(self.rules))

    def _set(self, event: TableSet) -> None:
        self.rules = rules_set(event, self.rules_of)
        self.tray = self.tray if event.equipment else NO_TRAY
        self.setting = Setting(
            self.stream,
            event.meters,
            validated_cents=event.validated_cents,
            witnessed_cents=event.witnessed_cents,
        )


RELEASING = ("AwardValidated", "AwardRejected")
HANDLED = ("Received", "Confirmed", "Counted", "Secured")
"""The events that say what a person did with cards or devices."""


class Totals:
    """Account balances, added up entry by entry."""

    def __init__(self) -> None:
        self.micros: dict[Account, int] = {}
        self.count = 0
        self.by_machine = 0
        """How many acts of handling are the machine's."""
        self.by_hand: list[str] = []
        """The rounds that were finished by hand and entered later."""
        self.awards: dict[str, Award] = {}
        """All awards that tables left pending."""
        self.released: list[tuple[str, LedgerEvent]] = []

    def add(self, entry: Entry) -> None:
        self.count += 1
        self.micros[entry.debit] = self.micros.get(entry.debit, 0) - entry.micros
        self.micros[entry.credit] = self.micros.get(entry.credit, 0) + entry.micros

    def note(self, auditor: "Auditor", record: Record, entries: Iterable[Entry]) -> None:
        """Note the awards that an event leaves pending, and those that it releases."""
        if record.of == "ledger" and record.event.get("type") in RELEASING:
            at = f"{record.stream} event {record.number}"
            self.released.append((at, ledger_event_from(record.event)))
        if record.event.get("type") == "ByHand":
            self.by_hand.append(record.subject or "")
        if record.of == "round" and auditor.posting:
            players = {n: box.player for n, box in auditor.posting.round.boxes.items()}
            for award in awards_in(entries, players, auditor.setting.witnessed_cents):
                self.awards[award.id] = award._replace(table=record.stream)

    def faults(self, stored: Mapping[Account, int]) -> Iterator[str]:
        """Yield the balances that differ from the sum of their entries."""
        for account in sorted(self.micros.keys() | stored.keys()):
            if (there := stored.get(account, 0)) != (summed := self.micros.get(account, 0)):
                yield f"{account} stands at {there} micros, and its entries add up to {summed}"
        if sum(stored.values()):
            yield f"all accounts together add up to {sum(stored.values())} micros, not to zero"


def _why_not(error: Exception) -> str:
    if isinstance(error, UserError) and error.field == "rulebook":
        return f"can't be checked without its book (name the folder with --books): {error.message}"
    return f"can't have happened: {error}"


def audit_stream(
    auditor: Auditor, stored: Iterable[StoredEvent], posted: Iterable[Posted], *, totals: Totals
) -> StreamFault | None:
    """Compare the entries of a stream with those its events give; return the first fault."""
    stream = auditor.stream
    rows, people = iter(posted), Attribution()
    row = next(rows, None)
    number = 0
    for _, number, _, _, data, _ in stored:
        try:
            record = decode(data)
            people.check(record, auditor.posting.round if auditor.posting else None)
            expected = auditor.entries(record)
            totals.by_machine += auditor.is_by_machine(record)
            totals.note(auditor, record, expected)
        except (CroupierError, LookupError, TypeError, ValueError, AttributeError) as error:
            # A forged event may break anything in the engine, so catch every error.
            return StreamFault(stream, number, _why_not(error))
        for line, entry in enumerate(expected, 1):
            if row is None or row.number != number:
                return StreamFault(stream, number, f"entry {entry.id} is missing")
            if row.line != line:
                return StreamFault(stream, number, f"entry {entry.id} is kept as line {row.line}")
            if row.entry != entry:
                return StreamFault(stream, number, f"entry {row.entry.id} should be {_said(entry)}")
            totals.add(entry)
            row = next(rows, None)
        if row is not None and row.number <= number:
            return StreamFault(stream, number, f"entry {row.entry.id} follows from no event")
    if row is not None:
        return StreamFault(stream, row.number, f"entry {row.entry.id} follows from no event")
    return None


def _said(entry: Entry) -> str:
    return f"{entry.micros} micros from {entry.debit} to {entry.credit} ({entry.code})"
