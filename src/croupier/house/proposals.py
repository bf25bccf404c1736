"""What an act would do, and acts that take two people: proposed by one, approved by another.

A preview is decided by the same functions as the act itself, and nothing of it is stored, so what
people are shown before they agree is what happens.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from typing import Any, NamedTuple

from croupier.errors import Refused
from croupier.house.standing import Act, Standing, round_before
from croupier.ledger.events import BalanceAdjusted, LedgerEvent, MeterAdjusted, ledger_event_from
from croupier.ledger.journal import canonical
from croupier.reading.reader import reader_of, run
from croupier.round.awards import validating
from croupier.round.codec import command_from as round_command_from
from croupier.round.codec import to_plain
from croupier.round.commands import ByHand, Declare, Settle
from croupier.round.commands import Command as RoundCommand
from croupier.round.decide import decide
from croupier.round.events import ByHand as EnteredByHand
from croupier.round.events import (
    CardCorrected,
    ChoiceCorrected,
    Declared,
    SeatSettled,
    StakeCorrected,
    Validated,
)
from croupier.round.faces import is_acted_on
from croupier.round.order import is_read
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules
from croupier.table import commands as at_table
from croupier.table.codec import command_from as table_command_from
from croupier.table.commands import Command as TableCommand
from croupier.table.commands import DeckFate, Of, Preview, Time
from croupier.table.crew import Approvers, Role, Who
from croupier.table.events import (
    ChipsMoved,
    Corrected,
    HandRecalled,
    Mispaid,
    PayCorrected,
    TappedIn,
)
from croupier.table.rounds import undo_of

_PLAIN = reader_of(Mapping[str, object])


class Proposable(NamedTuple):
    """A command, and the vocabulary it belongs to."""

    of: Of
    command: RoundCommand | TableCommand | LedgerEvent

    @property
    def plain(self) -> Mapping[str, object]:
        """The command as the journal gives it back."""
        read: Mapping[str, object] = run(_PLAIN, to_plain(self.command))
        return read


def proposable(of: Of, plain: Mapping[str, Any]) -> Proposable:
    """Read a command from plain data, with tuples where JSON has lists."""
    plain = _with_lists(plain)
    match of:
        case "round":
            return Proposable(of, round_command_from(plain))
        case "table":
            return Proposable(of, table_command_from(plain))
        case "ledger":
            return Proposable(of, ledger_event_from(plain))


def _with_lists(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _with_lists(item) for key, item in value.items()}
    return [*map(_with_lists, value)] if isinstance(value, tuple | list) else value


def deal_by_hand(act: Act) -> None:
    """Note the first card of a round that was dealt by hand, as old as the deck was then."""
    table = act.standing.table
    if table.round and not table.round.dealt and table.time:
        act.at_table(at_table.DealFirstCard(table.time))


def do(act: Act, what: Proposable) -> None:
    """Do something that one person may do, or that two have agreed on."""
    command = what.command
    if isinstance(command, ByHand):
        deal_by_hand(act)
    if isinstance(command, Declare) and _undoes_last(act.standing, command):
        act.at_table(undo_of(act.round))
    if isinstance(command, RoundCommand):
        act.in_round(command)
    elif isinstance(command, TableCommand):
        act.at_table(command)
    else:
        act.in_ledger(command)


def _undoes_last(standing: Standing, command: Declare) -> bool:
    """Whether a declaration makes a round void that is over (Singapore 5.4)."""
    round = standing.round
    if round is None or not round.closed:
        return False
    return any(isinstance(event, SeatSettled) for event in decide(round, command))


# ---------------------------------------------------------------- previews


class TwoPeople(NamedTuple):
    """Who proposes an act, who approves it, and whether the book demands it."""

    propose: tuple[Role, ...]
    approve: tuple[Role, ...]
    stands: bool = False


ALONE = TwoPeople((), ())


def preview(standing: Standing, what: Proposable, approvers: Approvers) -> Preview:
    """Return what a command would do now, without storing anything, or refuse it."""
    trial = Act(standing)
    do(trial, what)
    events = [happened.event for happened in trial.happened]
    clause, ruling = _cited(standing.table.rules, events)
    said = standing.table.rules.clauses.get(clause)
    declared = next((event for event in events if isinstance(event, Declared)), None)
    people = two_people(standing, events, approvers)
    digest = sha256(canonical([to_plain(event) for event in events]).encode()).hexdigest()
    return Preview(
        events=digest,
        clause=clause,
        says=said.says if said else "",
        ruling=ruling,
        adjusts=sum(e.micros for e in events if isinstance(e, MeterAdjusted | BalanceAdjusted)),
        returns=_returns(trial.standing.round, events, declared),
        undoes=_undoes(standing.round, trial.standing.round),
        deck=_fate(declared),
        voids=declared is not None and "void" in declared.effects,
        stands=people.stands,
        propose=people.propose,
        approve=people.approve,
    )


def _cited(rules: TableRules, events: Sequence[object]) -> tuple[str, str | None]:
    """Return the clause, or '', and the ruling by which events happen."""
    for event in events:
        if isinstance(event, Validated):  # It keeps the clause, and doesn't cite it.
            clause = validating(rules, event.wager)
            return clause or "", None if clause else rules.ruling_on("validation")
    clauses = (getattr(event, "clause", "") for event in events)
    rulings = (getattr(event, "ruling", None) for event in events)
    return next(filter(None, clauses), ""), next(filter(None, rulings), None)


def two_people(standing: Standing, events: Sequence[object], approvers: Approvers) -> TwoPeople:
    """Return who has to agree to these events (T11), by what the house has configured."""
    round = standing.round
    either: tuple[Role, ...] = ("dealer", "floor")
    forms = [event for event in events if isinstance(event, EnteredByHand)]
    for event in events:
        match event:
            case Declared() if "void" in event.effects and _is_dealt(standing, forms):
                witnessed = round is not None and _progressive_turned(round, forms)
                approve = approvers.void_turned if witnessed else approvers.void
                return TwoPeople(either, approve, stands=True)
            case Validated() if round and _needs_two(round, event):
                return TwoPeople(("floor",), approvers.award, stands=True)
            case StakeCorrected() | ChoiceCorrected() if round and _plays_for_meter(round, event):
                return TwoPeople(either, approvers.award)
            case ChipsMoved() if event.why != "sale":
                return TwoPeople(("floor",), ("dealer",))
            case MeterAdjusted() | BalanceAdjusted():
                return TwoPeople(("floor",), approvers.meter)
            case HandRecalled(hidden=True):
                return TwoPeople(("surveillance",), approvers.correction)
            case TappedIn() if event.agreed:
                return TwoPeople(either, either)
        if _corrects(standing, event):
            return TwoPeople(either, approvers.correction)
    return TwoPeople(either, approvers.correction) if forms else ALONE


def _corrects(standing: Standing, event: object) -> bool:
    """Whether an event corrects what was acted on already."""
    round = standing.round
    match event:
        case CardCorrected():
            return round is not None and is_acted_on(round, event.position)
        case StakeCorrected() | ChoiceCorrected():
            return round is not None
        case Mispaid() | PayCorrected():
            return _is_next_dealt(standing, event.round)
        case Corrected():
            return True
    return False


def _plays_for_meter(round: Round, event: StakeCorrected | ChoiceCorrected) -> bool:
    """Whether a correction is of a wager that plays for a meter, or of the hand beside one."""
    wagers = {meter.wager for meter in round.rules.meters.values()}
    if isinstance(event, StakeCorrected):
        return event.wager in wagers
    return bool(wagers & round.boxes[event.seat].stakes.keys())


def _needs_two(round: Round, event: Validated) -> bool:
    """Whether two people give this answer to a progressive win (M21)."""
    is_large = round.awards[event.seat, event.wager].two
    return event.answer == "reject" or (event.answer == "pay" and is_large)


def _is_next_dealt(standing: Standing, id: str) -> bool:
    """Whether cards of a round after this one are out, or were."""
    round = standing.round
    if round is None or round.id == id:
        return False
    is_next = standing.in_play is not None and round_before(round.id) == id
    return _is_dealt(standing) if is_next else True


def _is_dealt(standing: Standing, forms: Sequence[EnteredByHand] = ()) -> bool:
    """Whether the first card has left the deck; a real one leaves it before that is recorded."""
    playing, round = standing.table.round, standing.in_play
    if forms or (standing.round and standing.round.closed):
        return True
    if round and is_read(round.rules) and round.at > 0:
        return True
    return playing is not None and playing.dealt


def _progressive_turned(round: Round, forms: Sequence[EnteredByHand]) -> bool:
    """Whether the hand of a seat that plays for a meter has been turned up, by a form or here."""
    wagers = {meter.wager for meter in round.rules.meters.values()}
    on_form = {name for form in forms for name, cards in form.cards.items() if cards}
    return any(
        wagers & box.stakes.keys()
        and (str(seat) in on_form or (box.cards and round.faces.keys() >= set(box.cards)))
        for seat, box in round.boxes.items()
    )


def _returns(
    round: Round | None, events: Iterable[object], declared: Declared | None
) -> Mapping[int, int]:
    """Return the cents that come back to each seat that the events decide."""
    if round and round.void and declared and not round.closed:
        events = decide(round, Settle())
    settled = [event for event in events if isinstance(event, SeatSettled)]
    if declared and "abandon seat" in declared.effects and round:
        # M13: what was withdrawn before stays withdrawn, and nothing else comes back.
        return {int(str(declared.facts["seat"])): 0}
    return {one.seat: sum(line.paid + line.returned for line in one.lines) for one in settled}


def _undoes(before: Round | None, after: Round | None) -> Mapping[int, int]:
    """Return the cents that each settled seat was given, and gives back in a void round (T13)."""
    if before is None or after is None or before.void or not after.void:
        return {}
    sums: Counter[int] = Counter()
    for line in before.lines:
        sums[line.seat] += line.paid + line.returned
    return {seat: cents for seat, cents in sorted(sums.items()) if cents}


def _fate(declared: Declared | None) -> DeckFate:
    effects = declared.effects if declared else ()
    if "remove all decks" in effects:
        return "all removed"
    if "remove deck" in effects:
        return "removed"
    return "reshuffled" if "reshuffle" in effects else "stays"


# ---------------------------------------------------------------- two people


def propose(
    act: Act,
    what: Proposable,
    why: str,
    *,
    by: Who,
    time: Time,
    approvers: Approvers,
) -> None:
    """Propose a command; what it would do is kept with it."""
    found = preview(act.standing, what, approvers)
    act.who = (by.person,)
    act.at_table(at_table.Propose(what.of, what.plain, why, by, time, found))


def approve(act: Act, id: str, *, by: Who, time: Time, approvers: Approvers) -> None:
    """Approve a proposal and do it, if it still does what it did when it was proposed."""
    found = next((one for one in act.standing.table.proposals if one.id == id), None)
    if found is None:
        raise Refused("no_such_proposal", f"no proposal {id!r} is open", field="id")
    what = proposable(found.of, found.command)
    try:
        now = preview(act.standing.without_proposal(id), what, approvers)
    except Refused as refused:
        message = f"the table has changed since, and this can't be done any more: {refused.message}"
        raise Refused("changed", message, field="id", clause=refused.clause) from None
    act.at_table(at_table.Approve(id, by, time, now))
    act.who = (found.by.person, by.person)
    if isinstance(what.command, at_table.TapIn):
        what = what._replace(command=replace(what.command, agreed=by.person))
    do(act, what)


def check_alone(standing: Standing, what: Proposable, approvers: Approvers) -> None:
    """Refuse a command that takes two people."""
    found = preview(standing, what, approvers)
    if found.approve:
        message = f"{' or '.join(found.approve)} has to approve this; propose it"
        raise Refused("needs_approval", message, clause=found.clause or found.ruling)
