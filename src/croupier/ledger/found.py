"""One round as the journal records it: its events, settlement and entries."""

from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import takewhile
from typing import Any, NamedTuple

from croupier.errors import UserError
from croupier.ledger.accounts import account
from croupier.ledger.audit import Posted, RulesOf, rules_set
from croupier.ledger.awards import Award, awards_in, won_at
from croupier.ledger.entries import Unlike
from croupier.ledger.events import TableSet, ledger_event_from
from croupier.ledger.journal import Record, StoredEvent, decode
from croupier.ledger.store import View
from croupier.money import format_micros
from croupier.round.codec import event_from
from croupier.round.events import (
    CalledOff,
    Dealt,
    Declared,
    Event,
    Opened,
    PartSettled,
    SeatSettled,
    Shown,
)
from croupier.round.evolve import evolve
from croupier.round.file import Played
from croupier.round.result import result_of
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import SEATS

AWARD_ENTRIES = 2
"""The entries by which awards are left pending and released."""


class FoundRound(NamedTuple):
    """The record of a round."""

    records: tuple[Record, ...]
    table: TableSet
    told: tuple[tuple[Round, Event], ...]
    """Every event, with the round after it."""
    entries: list[Posted]

    @property
    def played(self) -> Played:
        round = self.told[-1][0]
        return Played(round, tuple(event for _, event in self.told), round.faces)

    def as_json(self) -> dict[str, Any]:
        """Return the whole record as JSON data."""
        first = self.records[0]
        played = self.played
        return {
            "round": first.subject,
            "stream": first.stream,
            "rulebook": self.table.rulebook,
            "selections": dict(self.table.selections),
            "digest": self.table.digest,
            "events": [
                {"number": r.number, "time_ms": r.time_ms, "of": r.of, "event": r.event}
                for r in self.records
            ],
            "settlement": result_of(played) if played.round.closed else None,
            "entries": [
                # "micros" is the older name of "dollars".
                {**posted.as_json(), "micros": format_micros(posted.entry.micros)}
                for posted in self.entries
            ],
        }


def round_found(view: View, id: str, rules_of: RulesOf) -> FoundRound:
    """Return the record of a round; refuse an unknown id."""
    stored = view.about(id)
    records = tuple(decode(row.data) for row in stored)
    events = [event_from(record.event) for record in records if record.of == "round"]
    if not events or not isinstance(events[0], Opened):
        raise UserError(f"there is no round {id}", field="ID")
    table = _table(view, events[0].digest, stored[0])
    round, told = Round(_rules(table, rules_of)), []
    for event in events:
        round = evolve(round, event)
        told.append((round, event))
    first, last = stored[0], stored[-1]
    posted = view.posted(first.stream, after=first.number - 1)
    entries = list(takewhile(lambda row: row.number <= last.number, posted))
    return FoundRound(records, table, tuple(told), entries)


def player_at(view: View, round: str, seat: int) -> str:
    """Return the last player who bet at a seat in a round; seats can change hands."""
    events = [decode(row.data).event for row in view.about(round)]
    bets = [one for one in events if one["type"] == "BetMade" and one["seat"] == seat]
    if not bets:
        raise UserError(f"nobody played at seat {seat} in {round}", field="ID")
    return str(bets[-1]["player"])


class PastHand(NamedTuple):
    """Who had a hand of a past round, and what each of its wagers was settled for."""

    player: str
    due: Mapping[str, int]
    """Cents by wager, the stake that came back included; nothing in a void round."""
    hidden: bool = False
    """Whether a card of the hand was never turned up."""


def hand_at(view: View, round: str, seat: int) -> PastHand:
    """Return the hand that a seat had in a round, whichever rules it was played by."""
    records = (decode(row.data) for row in view.about(round))
    events = [event_from(record.event) for record in records if record.of == "round"]
    due: Counter[str] = Counter()
    for event in events:
        for line in event.lines if isinstance(event, SeatSettled | PartSettled) else ():
            if line.seat == seat:
                due[line.wager] += line.paid + line.returned
        if isinstance(event, CalledOff) or (
            isinstance(event, Declared) and "void" in event.effects
        ):
            due.clear()
            break
    return PastHand(player_at(view, round, seat), due, hidden=_is_hidden(events, seat))


def _is_hidden(events: Iterable[Event], seat: int) -> bool:
    """Whether a card that was dealt to a seat was never turned up."""
    own: set[int] = set()
    for event in events:
        if isinstance(event, Dealt):
            own = {position for position, place, at in event.cards if place == SEATS and at == seat}
        elif isinstance(event, Shown):
            own.discard(event.position)
    return bool(own)


def recalled_by(view: View, found: FoundRound, person: str) -> frozenset[int]:
    """Return the seats whose virtual hands of a round that is over a person recalled."""
    last = found.records[-1]
    rows = view.stream(last.stream, after=last.number) if found.played.round.closed else ()
    events = (decode(row.data) for row in rows if _RECALLED in row.data)
    return frozenset(
        record.event["seat"]
        for record in events
        if record.event["round"] == last.subject and person in record.who
    )


_RECALLED = b'"type":"HandRecalled"'


def award_found(view: View, id: str, rules_of: RulesOf) -> Award:
    """Return an award that a table left pending, by its round, seat and wager."""
    of = account("pending", id)
    rows = [row for row in view.history(of, limit=AWARD_ENTRIES) if row.entry.credit == of]
    if not rows:
        raise UserError(f"there is no award {id}", field="award")
    first = rows[0]
    round, _, _ = won_at(id)
    found = round_found(view, round, rules_of)
    players = {n: box.player for n, box in found.played.round.boxes.items()}
    entries = [
        row.entry
        for row in found.entries
        if (row.stream, row.number) == (first.stream, first.number)
    ]
    awards = awards_in(entries, players, found.table.witnessed_cents)
    award = next(award for award in awards if award.id == id)
    seat, wager = id.split("/")[-2:]
    won = found.played.round.awards.get((int(seat), wager))
    return award._replace(
        table=first.stream,
        at_table=not found.played.round.closed,
        validated=won is not None and won.answer == "pay",
    )


def _table(view: View, digest: str, first: StoredEvent) -> TableSet:
    """Return the last setting of a round's table before the round's first event."""
    found: TableSet | None = None
    for row in view.about(digest):
        event = ledger_event_from(decode(row.data).event)
        before = row.stream == first.stream and row.number < first.number
        if isinstance(event, TableSet) and (found is None or before):
            found = event
    if found is None:
        raise UserError(f"the journal does not say which rules {digest[:12]}… are")
    return found


def _rules(table: TableSet, rules_of: RulesOf) -> TableRules:
    try:
        return rules_set(table, rules_of)
    except Unlike:
        message = f"{table.rulebook} is not the book that the round was played by"
        raise UserError(message) from None
