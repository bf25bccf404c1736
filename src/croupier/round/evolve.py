"""Makes the next round from an event. It is total: what has happened is never refused.

A round changes with every event, so the next one is put together from a slice of the one before or
from a draft, its fields as a list: that takes a sixth of the time of `_replace`.
"""
# ruff: noqa: RUF005
# To unpack slices into a tuple, as the linter would have it, takes half as long again.

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache, reduce
from itertools import groupby
from typing import Any

from croupier.cards import Card
from croupier.round.events import (
    Banked,
    BetMade,
    BetsClosed,
    BetTakenDown,
    CalledOff,
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
from croupier.round.order import asked_in, cards_to_show, due_in, seats_to_ask, turned_up
from croupier.round.plan import plan_of
from croupier.round.stages import Choice, Dealing
from croupier.round.state import Banker, Box, Round, Stake, Void, box_of, round_of
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import SEATS

# Where the fields lie, in slices and drafts. The last ones are `lines`, `order`, `stage`, `boxes`,
# `asked`, `due` and `faces`.
_at = Round._fields.index
_LINES, _ORDER, _STAGE = map(_at, ("lines", "order", "stage"))
_BOXES, _ASKED, _DUE = map(_at, ("boxes", "asked", "due"))
_ID, _ACTION, _NEXT, _PLACES = map(_at, ("id", "action", "next_position", "places"))
_METERS, _BEFORE = map(_at, ("meters", "meters_before"))
_BANK, _CLOSED = map(_at, ("bank_result", "closed"))
_STAKES, _CARDS, _CHOSE, _FOLDED = map(Box._fields.index, ("stakes", "cards", "chose", "folded"))
_EMPTY = Box(0, "")[_CARDS:]


def replay(rules: TableRules, events: Iterable[Event]) -> Round:
    """Return the round that a history of events comes to."""
    return reduce(evolve, events, Round(rules))


def evolve(round: Round, event: Event) -> Round:
    """Return the round after one event."""
    return _AFTER[type(event)](round, event)


def evolve_all(round: Round, events: Sequence[Event]) -> Round:
    """Return the round after the events of one command, or after the bets of several.

    It comes to the same as `evolve` for each, but makes fewer rounds on the way.
    """
    if len(events) == 1:
        return _AFTER[type(events[0])](round, events[0])
    for kind, alike in groupby(events, type):
        if kind in _TOGETHER:
            round = _TOGETHER[kind](round, *alike)
        else:
            round = reduce(evolve, alike, round)
    return round


def _opened(round: Round, event: Opened) -> Round:
    draft = [*round]
    draft[_ID], draft[_STAGE] = event.round, plan_of(round.rules).stages[0]
    draft[_METERS] = draft[_BEFORE] = event.meters
    return round_of(draft)


def _closed(round: Round, event: Closed) -> Round:
    draft = [*round]
    draft[_STAGE], draft[_BANK], draft[_CLOSED] = None, event.bank, True
    return round_of(draft)


def _shown(round: Round, event: Shown) -> Round:
    position, card, _ = event
    due = round.due
    due = due[1:] if due and due[0] == position else _without(due, position)
    faces = {**round.faces, position: card}
    return round_of(round[:_DUE] + (due, faces)) if due else _turned(round, due, faces)


def _all_shown(round: Round, *events: Shown) -> Round:
    faces = {position: card for position, card, _ in events}
    due = tuple([position for position in round.due if position not in faces])
    return _turned(round, due, {**round.faces, **faces})


def _turned(round: Round, due: tuple[int, ...], faces: Mapping[int, Card]) -> Round:
    """Return the round with these cards turned up, in the next step if nothing is left to do."""
    if due or not _is_passed(round, due):
        return round_of(round[:_DUE] + (due, faces))
    return _entered(round, due, faces)


def _bet(round: Round, *events: BetMade) -> Round:
    boxes, spots = {**round.boxes}, round.rules.spots
    made: dict[int, dict[str, Stake]] = {}
    for seat, player, wager, cents, hand in events:
        stakes = made.get(seat)
        if stakes is None:
            box = boxes.get(seat)
            stakes = made[seat] = {**box.stakes} if box else {}
            own = box[:_STAKES] if box else (seat, player, hand)
            boxes[seat] = box_of(own + (stakes,) + (box[_CARDS:] if box else _EMPTY))
        for spot in spots[wager]:
            stakes[spot] = _stake(cents)
    draft = [*round]
    draft[_BOXES] = boxes
    return round_of(draft)


def _taken_down(round: Round, event: BetTakenDown) -> Round:
    box = round.boxes[event.seat]
    spots = round.rules.spots[event.wager]
    stakes = {spot: stake for spot, stake in box.stakes.items() if spot not in spots}
    if stakes:
        return _with_box(round, box._replace(stakes=stakes))
    return round._replace(boxes={s: b for s, b in round.boxes.items() if s != event.seat})


def _bets_closed(round: Round, event: BetsClosed) -> Round:
    boxes, fees = round.boxes, event.fees
    if len(boxes) > 1:
        boxes = dict(sorted(boxes.items()))
    if fees:
        boxes = {s: box._replace(fee=fees.get(s, box.fee)) for s, box in boxes.items()}
    meters = round.meters
    if event.rises:
        meters = {id: micros + event.rises.get(id, 0) for id, micros in meters.items()}
    draft = [*round]
    draft[_BOXES], draft[_METERS], draft[_ACTION] = boxes, meters, event.action
    return _entered(round_of(draft), (), round.faces)


def _dealt(round: Round, event: Dealt) -> Round:
    hands, places = _lying(event.cards)
    boxes: dict[int, Box] = {}
    for seat, box in round.boxes.items():
        fields = [*box]
        fields[_CARDS] = hands.get(seat, ())
        boxes[seat] = box_of(fields)
    draft = [*round]
    draft[_BOXES], draft[_PLACES], draft[_NEXT] = boxes, places, event.cards[-1][0] + 1
    round = round_of(draft)
    return _entered(round, turned_up(round), round.faces)


@lru_cache(maxsize=1024)
def _lying(cards: Dealing) -> tuple[Mapping[int, tuple[int, ...]], Mapping[str, tuple[int, ...]]]:
    """Return where the cards of a deal lie: the hands of the seats, and the other places."""
    hands: dict[int, tuple[int, ...]] = {}
    places: dict[str, tuple[int, ...]] = {}
    for position, place, seat in cards:
        if place == SEATS:
            hands[seat] = (*hands.get(seat, ()), position)
        else:
            places[place] = (*places.get(place, ()), position)
    return hands, places


def _chose(round: Round, event: Chose) -> Round:
    seat, step, name, _ = event
    choice = plan_of(round.rules).choices[step, name]
    box = round.boxes[seat]
    fields = [*box]
    if choice.ends or choice.places or choice.keeps:
        fields[_STAKES] = _stakes_after(box.stakes, choice)
    if choice.folds:
        fields[_FOLDED] = True
    fields[_CHOSE] = {**box.chose, step: name}
    asked = round.asked
    asked = asked[1:] if asked and asked[0] == seat else _without(asked, seat)
    draft = [*round]
    draft[_BOXES], draft[_ASKED] = {**round.boxes, seat: box_of(fields)}, asked
    return round_of(draft) if asked else _passed(round_of(draft))


def _stakes_after(stakes: Mapping[str, Stake], choice: Choice) -> dict[str, Stake]:
    """Return a box's stakes after a choice: one placed, others forfeited or taken back."""
    after = {**stakes}
    for spot, why in choice.ends:
        if spot in stakes:
            after[spot] = _stake(stakes[spot].cents, *why)
    for spot, beside, ruling in choice.keeps:
        if spot in stakes and beside not in stakes:
            after[spot] = stakes[spot]._replace(ruling=ruling)
    if choice.places:
        after[choice.places] = _stake(stakes[choice.equals].cents * choice.times)
    return after


def _declared(round: Round, event: Declared) -> Round:
    kind, count = event.kind, event.facts.get("count")
    round = round._replace(irregular=(*round.irregular, kind))
    if isinstance(count, int):
        counted = {**round.counted, kind: round.counted.get(kind, 0) + count}
        round = round._replace(counted=counted)
    for effect in event.effects:
        match effect:
            case "void":
                void = Void(event.kind, event.clause, event.ruling)
                round = round._replace(void=round.void or void, meters=round.meters_before)
            case "discard card":
                positions = event.facts.get("positions", ())
                found = tuple(positions) if isinstance(positions, tuple | list) else ()
                round = round._replace(discarded=(*round.discarded, *found))
            case "abandon seat":
                box = round.boxes[int(str(event.facts["seat"]))]
                left = Stake(0, "abandoned", event.clause, event.ruling)
                stakes = {
                    spot: stake if stake.fate == "take back" else left._replace(cents=stake.cents)
                    for spot, stake in box.stakes.items()
                }
                round = _with_box(round, box._replace(abandoned=True, stakes=stakes))
    return _passed(round._replace(asked=seats_to_ask(round), due=cards_to_show(round)))


def _called_off(round: Round, event: CalledOff) -> Round:
    void = Void("", "", event.ruling, event.because)
    round = round._replace(void=void, meters=round.meters_before)
    return _passed(round._replace(asked=seats_to_ask(round), due=cards_to_show(round)))


def _meters_read(round: Round, event: MetersRead) -> Round:
    """Take over what shared meters show; what others moved is no change of this round's."""
    before = {
        id: micros + event.meters.get(id, round.meters[id]) - round.meters[id]
        for id, micros in round.meters_before.items()
    }
    return round._replace(meters={**round.meters, **event.meters}, meters_before=before)


def _settled(round: Round, *events: SeatSettled) -> Round:
    lines, order = round.lines, round.order
    for seat, settled, fee, meters in events:
        lines, order = lines + settled, order + (seat,)
        if fee != round.boxes[seat].fee:
            round = _with_box(round, round.boxes[seat]._replace(fee=fee))
        if meters:
            round = round._replace(meters={**round.meters, **meters})
    draft = [*round]
    draft[_LINES], draft[_ORDER] = lines, order
    return round_of(draft)


def _with_box(round: Round, box: Box) -> Round:
    return round._replace(boxes={**round.boxes, box.seat: box})


_stake = lru_cache(maxsize=4096)(Stake)
"""A stake, live if nothing is said of its fate: the same ones lie on all tables."""


def _without(numbers: tuple[int, ...], number: int) -> tuple[int, ...]:
    return tuple(other for other in numbers if other != number)


def _passed(round: Round) -> Round:
    """Go on to the next step if nothing is left to do in this one."""
    due = round.due
    return _entered(round, due, round.faces) if _is_passed(round, due) else round


def _is_passed(round: Round, due: tuple[int, ...]) -> bool:
    """Whether nothing is left to do in this step when only these cards are still due."""
    stage = round.stage
    if stage is None or round.void:
        return False
    return not round.asked if stage.do == "decide" else stage.do == "reveal" and not due


def _entered(round: Round, due: tuple[int, ...], faces: Mapping[int, Card]) -> Round:
    """Enter the next step with something to do; some cards may be due already."""
    asked: tuple[int, ...] = ()
    stage = left = round.stage
    for stage in left.later if left else ():
        if stage.turns:
            due += due_in(round, stage)
        if stage.do == "decide":
            asked = asked_in(round, stage)
            if asked:
                break
        elif due or stage.do != "reveal":
            break
    return round_of(round[:_STAGE] + (stage, round.boxes, asked, due, faces))


def _banked(round: Round, event: Banked) -> Round:
    return round._replace(banker=Banker(event.seat, event.player, event.funds))


def _confirmed(round: Round, _: Confirmed) -> Round:
    return round


_AFTER: Mapping[type[Event], Callable[[Round, Any], Round]] = {
    Opened: _opened,
    Banked: _banked,
    BetMade: _bet,
    BetTakenDown: _taken_down,
    BetsClosed: _bets_closed,
    Dealt: _dealt,
    Shown: _shown,
    Chose: _chose,
    Declared: _declared,
    CalledOff: _called_off,
    Confirmed: _confirmed,
    MetersRead: _meters_read,
    SeatSettled: _settled,
    Closed: _closed,
}
_TOGETHER: Mapping[type[Event], Callable[..., Round]] = {
    BetMade: _bet,
    Shown: _all_shown,
    SeatSettled: _settled,
}
