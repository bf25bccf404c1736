"""The record of a round: its events, with the digest of the book and selections.

A record is checked by replaying it: each event must be what the engine decides at that point.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import takewhile
from typing import Any, NamedTuple, cast, get_args

from msgspec import structs

from croupier.errors import ParseError, Refused, UserError
from croupier.reading.reader import read
from croupier.round import commands
from croupier.round import events as happened
from croupier.round.codec import event_from, to_plain
from croupier.round.commands import Command
from croupier.round.decide import decide
from croupier.round.events import Event
from croupier.round.evolve import evolve
from croupier.round.settlement import REJECTED
from croupier.round.settling import paid_at
from croupier.round.state import Round, about_seat
from croupier.rules.rulebook import digest_of
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import FELT, Keeper, Thing

FORMAT = 1


class RoundRecord(NamedTuple):
    """What the record of a round holds, for the strict reader."""

    format: int
    rulebook: str
    selections: Mapping[str, Any]
    digest: str
    events: tuple[Any, ...]
    seal: str
    things: tuple[Thing, ...] = ()
    """What there was to handle; a round on a felt leaves it out."""


def record_of(rules: TableRules, given: dict[str, Any], events: Iterable[Event]) -> dict[str, Any]:
    """Return the record of a round; `given` holds the selections as the operator wrote them."""
    record: dict[str, Any] = {
        "format": FORMAT,
        "rulebook": rules.rulebook,
        "selections": given,
        "digest": rules.digest,
        "events": [to_plain(event) for event in events],
    }
    if rules.things != FELT:
        record["things"] = [*rules.things]
    return {**record, "seal": digest_of(record)}


def open_record(data: Any) -> dict[str, Any]:
    """Return a record that matches its seal, or refuse it."""
    record: RoundRecord = read(RoundRecord, data, ("record",))
    if record.format != FORMAT:
        raise UserError(f"must be {FORMAT}", field="record.format")
    sealed: dict[str, Any] = data
    body = {key: value for key, value in sealed.items() if key != "seal"}
    if digest_of(body) != record.seal:
        raise UserError("does not match its seal: the record was changed", field="record.seal")
    return sealed


def things_of(record: dict[str, Any]) -> tuple[Thing, ...]:
    """Return what there was to handle in the round of a record.

    Older records don't say it; the system could call their rounds off, so the cards were virtual.
    """
    off = any(isinstance(e, dict) and e.get("type") == "CalledOff" for e in record["events"])
    return tuple(record.get("things", () if off else FELT))


def events_of(rules: TableRules, record: dict[str, Any]) -> tuple[Event, ...]:
    """Return the events of a record made under these rules, or refuse it."""
    if record["digest"] != rules.digest:
        raise UserError("was made under other rules than these", field="record.digest")
    try:
        return tuple(event_from(data) for data in record["events"])
    except ParseError as error:
        raise UserError(str(error), field="record.events") from None


def rounds_of(rules: TableRules, events: tuple[Event, ...]) -> Iterator[Round]:
    """Yield the round after each event, or refuse an event that the engine wouldn't decide."""
    round = Round(rules)
    void = any(
        isinstance(event, happened.CalledOff)
        or (isinstance(event, happened.Declared) and "void" in event.effects)
        for event in events
    )
    expected: list[Event] = []
    confirmed: set[str] = set()
    for number, event in enumerate(events, 1):
        if isinstance(event, happened.Confirmed) and _is_older(round, event):
            confirmed.add(event.about)
            yield round
            continue
        if not expected and not (void and isinstance(event, happened.Chose)):
            # In a void round, decisions may be incomplete and out of turn.
            command = _command_for(event)
            if isinstance(command, commands.Settle) and "dealer" in rules.things and not round.void:
                command = _settling(events[number - 1 :])
            expected = _decided(_as_older(round, command), command, number)
            expected = _unstopped(round, expected, events[number - 1 :], confirmed) or expected
        if void and isinstance(event, happened.Chose):
            _check_choice(round, event, number)
        if expected and not _is_same(expected.pop(0), event):
            raise UserError("does not follow from the events before it", field=f"events[{number}]")
        round = evolve(round, event)
        yield round
    if expected or not round.closed:
        raise UserError("ends before the round does", field="record.events")


def _as_older(round: Round, command: Command) -> Round:
    """Return the round in which older versions took a command: settled seats were abandoned too."""
    return structs.replace(round, order=()) if isinstance(command, commands.Declare) else round


def _is_older(round: Round, event: happened.Confirmed) -> bool:
    """Whether this confirmation is one that only older versions had; it changes nothing.

    Automatic tables recorded confirmations that nobody made. A dealer's progressive win didn't stop
    its seat: what M21 requires was confirmed when the seat's turn came. Clauses about a bank that
    plays were confirmed even if it didn't.
    """
    if "dealer" not in round.rules.things:
        return True
    clause = round.rules.clauses.get(event.clause)
    is_due = any((duty.clause, duty.about) == (event.clause, event.about) for duty in round.todo)
    was_due = clause is not None and (clause.at == "progressive won" or clause.if_plays)
    return was_due and not is_due


def _unstopped(
    round: Round, expected: list[Event], events: tuple[Event, ...], confirmed: Collection[str]
) -> list[Event]:
    """Return how older versions settled a seat that stops for a win today, if they settled this.

    Its wins had been confirmed by then. A hand that is only envied needed nothing.
    """
    wins = [event for event in expected if isinstance(event, happened.AwardFound)]
    if not wins or any(isinstance(e, happened.AwardFound) for e in takewhile(_is_finding, events)):
        return []
    for win in wins:
        if (win.cents or win.meter) and about_seat(win.seat, win.wager) not in confirmed:
            return []
    return list(paid_at(round, wins[0].seat, _readings(events)))


def _is_same(event: Event, other: Event) -> bool:
    """Whether two events are the same; tuple equality ignores the kind."""
    if type(event) is not type(other):
        return False
    return event == other or event == _uncited(other)


def _uncited(event: Event) -> Event:
    """Return an event without the rulings that older versions cited for every book.

    They are those by which wins were rejected and rounds called off.
    """
    match event:
        case happened.SeatSettled() | happened.PartSettled():
            lines = tuple(
                line._replace(ruling=None) if line.because == REJECTED else line
                for line in event.lines
            )
            return event._replace(lines=lines)
        case happened.CalledOff():
            return event._replace(ruling="")
    return event


def _check_choice(round: Round, event: happened.Chose, number: int) -> None:
    """Refuse a decision that couldn't have been made in any order."""
    step = round.rules.steps.get(event.step)
    box = round.boxes.get(event.seat)
    is_asked = box and step and step.asks in box.stakes and event.step not in box.chose
    if not is_asked or (step and event.option not in step.option):
        raise UserError("is a decision that no seat had to make", field=f"events[{number}]")


def _decided(round: Round, command: Command, number: int) -> list[Event]:
    try:
        return list(decide(round, command))
    except Refused as refused:
        field = f"events[{number}]"
        raise UserError(refused.message, field=field, clause=refused.clause) from None


def _command_for(event: Event) -> Command:
    """Return the command that must have caused an event."""
    match event:
        case happened.Opened():
            return commands.Open(event.round, event.meters, event.counts)
        case happened.Banked():
            return commands.Bank(event.seat, event.player, event.funds)
        case happened.BetMade():
            return commands.Bet(event.seat, event.player, event.wager, event.cents, event.hand)
        case happened.BetTakenDown():
            return commands.TakeDown(event.seat, event.wager)
        case happened.BetsClosed():
            return commands.CloseBets(event.action)
        case happened.Dealt():
            return commands.Deal()
        case happened.Shown() if event.source:
            return commands.Read(event.card, _source(event.source))
        case happened.Doubted():
            return commands.Read(event.card, _source(event.source))
        case happened.Misread():
            return commands.Misread(event.why)
        case happened.CardCorrected():
            return commands.Correct(event.position, event.card)
        case happened.StubCounted():
            return commands.CountStub(event.stub)
        case happened.ByHand():
            return commands.ByHand(*event)
        case happened.Shown():
            return commands.Show((commands.Face(event.position, event.card, event.salt),))
        case happened.Chose():
            return commands.Choose(event.seat, event.option, event.by)
        case happened.StakeCorrected():
            return commands.CorrectStake(event.seat, event.wager, event.cents)
        case happened.ChoiceCorrected():
            return commands.CorrectChoice(event.seat, event.step, event.option)
        case happened.Declared():
            return commands.Declare(event.kind, _as_given(event.facts))
        case happened.CalledOff():
            return commands.CallOff(event.cause, event.because)
        case happened.Confirmed():
            return commands.Confirm(event.clause, _person(event.by), event.about)
        case happened.MetersRead():
            return commands.Settle(event.meters)
        case happened.Validated():
            return commands.Validate(event.seat, event.wager, event.answer, event.why)
        case (
            happened.AwardFound()
            | happened.SeatSettled()
            | happened.PartSettled()
            | happened.Closed()
        ):
            return commands.Settle()


def _is_finding(event: Event) -> bool:
    """Whether an event belongs to finding a progressive win."""
    return isinstance(event, happened.MetersRead | happened.AwardFound)


def _readings(events: tuple[Event, ...]) -> Mapping[str, int]:
    """Return what the meters showed when a seat was settled."""
    return events[0].meters if isinstance(events[0], happened.MetersRead) else {}


def _settling(events: tuple[Event, ...]) -> Command:
    """Return the command with which a dealer settled a seat, or closed the round."""
    readings = _readings(events)
    found = [e for e in takewhile(_is_finding, events) if isinstance(e, happened.AwardFound)]
    if found:
        least = min(event.cents for event in found)
        witnessed = min((event.cents for event in found if event.two), default=None)
        return commands.Settle(readings, found[0].seat, least, witnessed)
    for event in events:
        if isinstance(event, happened.SeatSettled | happened.PartSettled):
            return commands.Settle(readings, event.seat)
        if isinstance(event, happened.Closed):
            break
    return commands.Close()


def _source(source: str) -> commands.Source:
    """Return how a card was read, or refuse any other word."""
    if source not in get_args(commands.Source):
        raise UserError(f"cards aren't {source!r}", field="record.events")
    return cast(commands.Source, source)


def _person(by: str) -> Keeper:
    """Return who confirmed a clause; refuse words that name no one."""
    if by not in get_args(Keeper):
        raise UserError(f"{by!r} can't confirm clauses", field="record.events")
    return cast(Keeper, by)


def _as_given(facts: Any) -> dict[str, Any]:
    """Return an irregularity's facts as people state them: positions count from 1."""
    given = dict(facts)
    positions = given.get("positions")
    if isinstance(positions, list | tuple):
        given["positions"] = [p + 1 if isinstance(p, int) else p for p in positions]
    return given
