"""Makes the next round from an event. It is total: what has happened is never refused."""

from collections.abc import Iterable
from functools import reduce
from typing import assert_never

from croupier.round.events import (
    Banked,
    BetMade,
    BetsClosed,
    BetTakenDown,
    Chose,
    Closed,
    Confirmed,
    Dealt,
    Declared,
    Event,
    MetersRead,
    Opened,
    SeatSettled,
    Shown,
)
from croupier.round.order import (
    asked_in,
    cards_to_show,
    due_in,
    seats_to_ask,
    turned_up,
    unseen,
)
from croupier.round.state import Banker, Box, Round, Stake, Void, changed
from croupier.rules.game import Option, Step
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import SEATS


def replay(rules: TableRules, events: Iterable[Event]) -> Round:
    """Return the round that a history of events comes to."""
    return reduce(evolve, events, Round(rules))


def evolve(round: Round, event: Event) -> Round:
    """Return the round after one event."""
    match event:  # The most frequent ones come first.
        case Shown():
            return _shown(round, event)
        case BetMade():
            return _bet(round, event)
        case Chose():
            return _chose(round, event)
        case SeatSettled():
            return _settled(round, event)
        case Dealt():
            return _dealt(round, event)
        case BetsClosed():
            return _bets_closed(round, event)
        case Declared():
            return _declared(round, event)
        case Opened():
            return changed(
                round, id=event.round, at=0, meters=event.meters, meters_before=event.meters
            )
        case BetTakenDown():
            return _taken_down(round, event)
        case Banked():
            return changed(round, banker=Banker(event.seat, event.player, event.funds))
        case Closed():
            last = len(round.rules.steps)
            return changed(round, at=last, bank_result=event.bank, closed=True)
        case MetersRead():
            return _meters_read(round, event)
        case Confirmed():
            return round
    assert_never(event)


def _shown(round: Round, event: Shown) -> Round:
    position = event.position
    due = _without(round.due, position)
    round = changed(round, faces={**round.faces, position: event.card}, due=due)
    return round if due else _passed(round)


def _bet(round: Round, event: BetMade) -> Round:
    stakes = dict.fromkeys(round.rules.spots[event.wager], Stake(event.cents))
    box = round.boxes.get(event.seat)
    if box is None:
        box = Box(event.seat, event.player, event.hand, stakes)
    else:
        box = changed(box, stakes={**box.stakes, **stakes})
    return changed(round, boxes={**round.boxes, event.seat: box})


def _taken_down(round: Round, event: BetTakenDown) -> Round:
    box = round.boxes[event.seat]
    spots = round.rules.spots[event.wager]
    stakes = {spot: stake for spot, stake in box.stakes.items() if spot not in spots}
    if stakes:
        return _with_box(round, changed(box, stakes=stakes))
    return changed(round, boxes={s: b for s, b in round.boxes.items() if s != event.seat})


def _bets_closed(round: Round, event: BetsClosed) -> Round:
    boxes = {
        seat: changed(box, fee=event.fees[seat]) if seat in event.fees else box
        for seat, box in sorted(round.boxes.items())
    }
    meters = {id: micros + event.rises.get(id, 0) for id, micros in round.meters.items()}
    return _entered(changed(round, boxes=boxes, meters=meters, action=event.action), 1, ())


def _dealt(round: Round, event: Dealt) -> Round:
    hands: dict[int, list[int]] = {}
    places: dict[str, list[int]] = {}
    for position, place, seat in event.cards:
        if place == SEATS:
            hands.setdefault(seat, []).append(position)
        else:
            places.setdefault(place, []).append(position)
    round = changed(
        round,
        boxes={
            seat: changed(b, cards=tuple(hands.get(seat, ()))) for seat, b in round.boxes.items()
        },
        places={place: tuple(cards) for place, cards in places.items()},
        next_position=event.cards[-1][0] + 1,
    )
    return _entered(round, round.at + 1, unseen(round, turned_up(round)))


def _chose(round: Round, event: Chose) -> Round:
    box = round.boxes[event.seat]
    option = round.rules.steps[event.step].option[event.option]
    box = changed(
        box,
        stakes=_stakes_after(box, option),
        chose={**box.chose, event.step: event.option},
        folded=box.folded or option.folds,
    )
    asked = _without(round.asked, event.seat)
    round = changed(round, boxes={**round.boxes, event.seat: box}, asked=asked)
    return round if asked else _passed(round)


def _stakes_after(box: Box, option: Option) -> dict[str, Stake]:
    """Return a box's stakes after a choice: one placed, others forfeited or taken back."""
    stakes = dict(box.stakes)
    for spot, given in option.stakes.items():
        if spot in stakes and given.fate != "keep":
            stakes[spot] = Stake(stakes[spot].cents, given.fate, given.clause, given.ruling)
    if option.places and option.equals:
        stakes[option.places] = Stake(stakes[option.equals].cents)
    return stakes


def _declared(round: Round, event: Declared) -> Round:
    round = changed(round, irregular=(*round.irregular, event.kind))
    for effect in event.effects:
        match effect:
            case "void":
                void = Void(event.kind, event.clause, event.ruling)
                round = changed(round, void=round.void or void, meters=round.meters_before)
            case "discard card":
                positions = event.facts.get("positions", ())
                found = tuple(positions) if isinstance(positions, tuple | list) else ()
                count = event.facts.get("count", len(found))
                round = changed(
                    round,
                    discarded=(*round.discarded, *found),
                    found=round.found + (count if isinstance(count, int) else 0),
                )
            case "abandon seat":
                box = round.boxes[int(str(event.facts["seat"]))]
                left = Stake(0, "abandoned", event.clause, event.ruling)
                stakes = {
                    spot: stake if stake.fate == "take back" else left._replace(cents=stake.cents)
                    for spot, stake in box.stakes.items()
                }
                round = _with_box(round, changed(box, abandoned=True, stakes=stakes))
    return _passed(changed(round, asked=seats_to_ask(round), due=cards_to_show(round)))


def _meters_read(round: Round, event: MetersRead) -> Round:
    """Take over what shared meters show; what others moved is no change of this round's."""
    before = {
        id: micros + event.meters.get(id, round.meters[id]) - round.meters[id]
        for id, micros in round.meters_before.items()
    }
    return changed(round, meters={**round.meters, **event.meters}, meters_before=before)


def _settled(round: Round, event: SeatSettled) -> Round:
    box = round.boxes[event.seat]
    round = _with_box(round, changed(box, fee=event.fee)) if event.fee != box.fee else round
    meters = {**round.meters, **event.meters} if event.meters else round.meters
    lines, order = (*round.lines, *event.lines), (*round.order, event.seat)
    return changed(round, lines=lines, order=order, meters=meters)


def _with_box(round: Round, box: Box) -> Round:
    return changed(round, boxes={**round.boxes, box.seat: box})


def _without(numbers: tuple[int, ...], number: int) -> tuple[int, ...]:
    if numbers and numbers[0] == number:  # Seats and cards have their turn, mostly.
        return numbers[1:]
    return tuple(other for other in numbers if other != number)


def _passed(round: Round) -> Round:
    """Go on to the next step if nothing is left to do in this one."""
    step = round.step
    done = step is not None and not round.void and _is_done(step, round.asked, round.due)
    return _entered(round, round.at + 1, round.due) if done else round


def _entered(round: Round, at: int, due: tuple[int, ...]) -> Round:
    """Enter a step, or the first after it with something to do; some cards may be due already."""
    asked: tuple[int, ...] = ()
    for name, step in round.rules.sequence[at:]:
        asked = asked_in(round, name, step)
        if turned := due_in(round, step):
            due = unseen(round, (*due, *turned))
        if not _is_done(step, asked, due):
            break
        at += 1
    return changed(round, at=at, asked=asked, due=due)


def _is_done(step: Step, asked: tuple[int, ...], due: tuple[int, ...]) -> bool:
    return (step.do == "decide" and not asked) or (step.do == "reveal" and not due)
