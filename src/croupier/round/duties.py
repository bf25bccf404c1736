"""The guided clauses that are due in a round: what brings them, what they block, what ends them.

A table without a dealer has none (T9), so nothing here runs there.
"""

from collections.abc import Collection, Iterator

from msgspec import structs

from croupier.errors import Refused
from croupier.round import commands
from croupier.round import events as happened
from croupier.round.commands import Command
from croupier.round.events import Event
from croupier.round.plan import plan_of
from croupier.round.state import Duty, Round, about_seat, was_chosen
from croupier.rules.game import counts_stub
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK, Keeping, Occasion, StepKind

AT_ONCE: tuple[Keeping | None, ...] = ("open", "close bets", "shuffle", "cut")
"""The acts that bring the very moment of their clause: it is done as soon as it is due."""
_TURNING = (commands.Show, commands.Read)
_DONE_BY: dict[Keeping | None, tuple[type[Command], ...]] = {
    "first card": (commands.Deal,),
    "count": (commands.Declare,),
    "show": _TURNING,
    "validate": (commands.Validate,),
}
"""The commands that are the confirmation of a clause; nobody confirms it separately."""
BLOCKED: dict[Occasion, tuple[type[Command], ...]] = {
    "no more bets": (commands.Deal,),
    "deal": (commands.Deal,),
    "stub count": (commands.Choose, *_TURNING, commands.Settle),
    "dealt": (commands.Choose, *_TURNING, commands.Settle),
    "examine": (commands.Choose, *_TURNING, commands.Settle),
    "decide": (commands.Choose, *_TURNING, commands.Settle),
    "decided": (*_TURNING, commands.Settle),
    "reveal": (*_TURNING, commands.Settle),
    "settle": (commands.Settle, commands.Close),
    "progressive won": (commands.Settle, commands.Close),
}
"""What can't be done before the clauses of a moment are."""


def duties_of(
    rules: TableRules, moment: Occasion, about: str = "", *, came: Collection[Occasion] = ()
) -> Iterator[Duty]:
    """Yield the duties of a moment, whatever wager or choice they are for.

    `came` holds the moments that came before, which some clauses ask for and others rule out.
    """
    for name in rules.guided.get(moment, ()):
        clause = rules.clauses[name]
        if clause.force != "task" or clause.act in AT_ONCE:
            continue
        if (clause.after and clause.after not in came) or clause.unless in came:
            continue
        yield Duty(name, moment, about, clause.by)


def todo_after(before: Round, event: Event, after: Round) -> tuple[Duty, ...]:
    """Return what is left to do after an event, given the rounds before and after it."""
    if after.void or after.closed:
        return ()
    if after.by_hand and not before.by_hand:
        return ()  # Whatever was done was done without the program.
    left = _left(before.todo, event, after)
    return (*left, *_brought(before, event, after))


def after_first_card(round: Round) -> Round:
    """Return a round without the duties that the first card keeps; the table knows of that card."""
    clauses = round.rules.clauses
    left = tuple(duty for duty in round.todo if clauses[duty.clause].act != "first card")
    return structs.replace(round, todo=left)


def _left(todo: tuple[Duty, ...], event: Event, after: Round) -> Iterator[Duty]:
    """Yield the duties that an event doesn't end."""
    rules = after.rules
    for duty in todo:
        act = rules.clauses[duty.clause].act
        match event:
            case happened.Confirmed(clause, _, about) if (clause, about) == (
                duty.clause,
                duty.about,
            ):
                if duty.by[1:]:
                    yield duty._replace(by=duty.by[1:])
            case happened.Dealt() if act == "first card":
                pass
            case happened.Declared() if act == "count" and counts_stub(
                rules.irregularities[event.kind]
            ):
                pass
            case happened.Shown() if act == "show" and not _hidden(after, duty):
                pass
            case happened.ChoiceCorrected(seat) if duty.about == about_seat(seat) and (
                duty.moment != "settle" or not _hidden(after, duty)
            ):
                pass
            case happened.Declared() if "abandon seat" in event.effects and _is_unseen(after, duty):
                pass  # Nobody turns up a hand that is lost by now.
            case happened.Validated(seat, wager) if duty.about == about_seat(seat, wager):
                pass
            case _:
                yield duty


def _hidden(round: Round, duty: Duty) -> bool:
    """Whether a card of the seat that a duty is about has yet to be shown."""
    return any(
        set(box.cards) & set(round.due)
        for box in round.boxes.values()
        if about_seat(box.seat) == duty.about
    )


def _is_unseen(round: Round, duty: Duty) -> bool:
    """Whether a duty of the settlement is about a seat whose cards are never turned up."""
    return duty.moment == "settle" and any(
        about_seat(box.seat) == duty.about and not set(box.cards) & {*round.due, *round.faces}
        for box in round.boxes.values()
    )


def _brought(before: Round, event: Event, after: Round) -> Iterator[Duty]:
    """Yield the duties of the moments that an event brings."""
    rules = after.rules
    if after.by_hand and not isinstance(event, happened.AwardFound):
        return
    came: tuple[Occasion, ...] = ("stub count",) if after.counts else ()
    match event:
        case happened.BetsClosed():
            yield from _staked(after, "no more bets")
            yield from duties_of(rules, "deal")
        case happened.Dealt():
            if came:
                yield from duties_of(rules, "stub count")
            yield from duties_of(rules, "dealt", came=came)
            yield from duties_of(rules, "examine")
        case happened.Chose(seat, step, option) | happened.ChoiceCorrected(seat, step, _, option):
            for duty in duties_of(rules, "decide", about_seat(seat)):
                if rules.clauses[duty.clause].on == f"{step}.{option}":
                    yield duty
        case happened.AwardFound(seat, wager):
            for duty in duties_of(rules, "progressive won", about_seat(seat, wager)):
                if rules.clauses[duty.clause].on in (None, wager):
                    yield duty
    if after.stage is not before.stage:
        yield from _entered(before, after)
    elif isinstance(event, happened.ChoiceCorrected) and _do(after) == "settle":
        more = set(after.due) - set(before.due)
        yield from duties_of(rules, "settle", about_seat(event.seat)) if more else ()


def _do(round: Round) -> StepKind | None:
    return round.stage.do if round.stage else None


def _staked(round: Round, moment: Occasion) -> Iterator[Duty]:
    """Yield the duties of a moment whose wagers were made, if they are for any."""
    rules, boxes = round.rules, round.boxes.values()
    for duty in duties_of(rules, moment):
        wagers = rules.clauses[duty.clause].if_staked
        spots = {spot for wager in wagers for spot in rules.spots.get(wager, ())}
        if not wagers or any(spots & box.stakes.keys() for box in boxes):
            yield duty


def _entered(before: Round, after: Round) -> Iterator[Duty]:
    """Yield the duties that come with the next step."""
    rules, left = after.rules, before.stage
    step = after.stage.name if after.stage else ""
    if _do(after) == "decide":
        for duty in duties_of(rules, "decide"):
            if rules.clauses[duty.clause].on in (None, step):
                yield duty
    if _decides(before) and not _decides(after):
        for duty in duties_of(rules, "decided"):
            on = rules.clauses[duty.clause].on
            if on is None or any(was_chosen(box, on) for box in after.boxes.values()):
                yield duty
    if left and left.do == "reveal":
        for duty in duties_of(rules, "reveal"):
            clause = rules.clauses[duty.clause]
            if clause.on in (None, left.name) and (_plays(after) or not clause.if_plays):
                yield duty
    if _do(after) == "settle":
        for box in after.boxes.values():
            if set(box.cards) & set(after.due):
                yield from duties_of(rules, "settle", about_seat(box.seat))


def _plays(round: Round) -> bool:
    """Whether the bank's hand lies open and qualifies."""
    plan, faces = plan_of(round.rules), round.faces
    cards = tuple(faces[at] for at in round.places.get(BANK, ()) if at in faces)
    return plan.has_bank and len(cards) >= 3 and plan.strength(cards) >= plan.qualifying


def _decides(round: Round) -> bool:
    """Whether a decision is open or still to come."""
    stage = round.stage
    return stage is not None and any(one.do == "decide" for one in (stage, *stage.later))


# ---------------------------------------------------------------- deciding


def check_duties(round: Round, command: Command) -> None:
    """Refuse a command that a clause must precede, citing the clause."""
    seat = command.seat if isinstance(command, commands.Settle) else None
    for duty in round.todo:
        act = round.rules.clauses[duty.clause].act
        if seat is not None and not duty.concerns(seat):
            continue  # It is due at another seat.
        if isinstance(command, BLOCKED.get(duty.moment, ())) and not (
            act in _DONE_BY and isinstance(command, _DONE_BY[act])
        ):
            raise open_duty(round.rules, duty)


def check_before(round: Round, about: str) -> None:
    """Refuse to validate a win before what the book has done about it first."""
    for duty in round.todo:
        if duty.about == about and round.rules.clauses[duty.clause].act != "validate":
            raise open_duty(round.rules, duty)


def open_duty(rules: TableRules, duty: Duty) -> Refused:
    """Return the refusal of what a duty must precede."""
    message = f"this comes first: {rules.clauses[duty.clause].says}"
    return Refused("prompt_open", message, clause=duty.clause)


def next_duty(rules: TableRules, todo: Collection[Duty], wanted: Duty) -> Duty:
    """Return a duty that may be confirmed now, or refuse; `wanted` says what is done by whom."""
    mine = [duty for duty in todo if duty.about == wanted.about]
    clause, by = wanted.clause, wanted.by[0]
    if clause not in [duty.clause for duty in mine]:
        raise Refused("not_due", f"{clause!r} isn't to be confirmed now", field="clause")
    first = mine[0]
    if first.clause != clause:
        message = f"this comes first: {rules.clauses[first.clause].says}"
        raise Refused("not_yet", message, clause=first.clause)
    if rules.clauses[clause].act in _DONE_BY:
        message = "this is confirmed by doing it"
        raise Refused("done_by_act", message, field="clause", clause=clause)
    if by != first.by[0]:
        message = f"the {first.by[0]} confirms it, not the {by}"
        raise Refused("wrong_person", message, field="by", clause=clause)
    return first
