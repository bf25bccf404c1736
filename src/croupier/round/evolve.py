"""Apply events to a round. This is total: an event is never refused."""

from collections.abc import Iterable, Mapping
from functools import lru_cache, reduce
from typing import assert_never

from msgspec.structs import replace

from croupier.money import micros
from croupier.round import events as happened
from croupier.round.duties import todo_after
from croupier.round.events import Event
from croupier.round.order import asked_in, cards_to_show, due_in, seats_to_ask, turned_up
from croupier.round.plan import plan_of
from croupier.round.stages import DealOrder, OptionEffect
from croupier.round.state import NOTHING, Banker, Box, FoundAward, Round, Stake, Void, was_chosen
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import SEATS


def replay(rules: TableRules, events: Iterable[Event]) -> Round:
    """Return the round after a history of events."""
    return reduce(evolve, events, Round(rules))


def evolve(round: Round, event: Event) -> Round:
    """Return the round after one event. The most frequent kinds come first."""
    match event:
        case happened.Shown():
            position, card, _, _ = event
            due, faces = _without(round.due, position), {**round.faces, position: card}
            after = _moved(replace(round, due=due, faces=faces))
        case happened.BetMade():
            after = _bet(round, event)
        case happened.Chose():
            after = _chose(round, event)
        case happened.SeatSettled():
            after = _settled(round, event)
        case happened.Dealt():
            after = _dealt(round, event)
        case happened.Opened():
            after = _opened(round, event)
        case happened.BetsClosed():
            after = _bets_closed(round, event)
        case happened.Closed():
            after = replace(round, stage=None, bank_result=event.bank, closed=True)
        case happened.BetTakenDown():
            after = _taken_down(round, event)
        case happened.Banked():
            after = replace(round, banker=Banker(event.seat, event.player, event.funds))
        case happened.AwardFound():
            after = _found(round, event)
        case happened.Validated():
            after = _validated(round, event)
        case happened.MetersRead():
            after = _meters_read(round, event)
        case happened.Declared():
            after = _declared(round, event)
        case happened.CalledOff():
            void = Void("", "", event.ruling or None, event.because)
            after = replace(_voided(round, void), asked=(), due=())
        case happened.PartSettled():
            after = replace(round, lines=round.lines + event.lines)
        case happened.Confirmed():
            after = _confirmed(round, event)
        case happened.Doubted():
            after = replace(round, doubt=(event.position, event.card))
        case happened.Misread():
            after = replace(round, doubt=None)
        case happened.CardCorrected():
            after = replace(round, faces={**round.faces, event.position: event.card})
        case happened.ByHand():
            after = replace(round, by_hand=True)
        case happened.StakeCorrected():
            after = _stake_corrected(round, event)
        case happened.ChoiceCorrected():
            box = round.boxes[event.seat]
            box = replace(box, chose={**box.chose, event.step: event.option})
            after = _due_again(_with_box(round, restaked(round.rules, box)))
            after = replace(after, collected=round.collected - {event.seat})
        case happened.StubCounted():
            after = replace(round, stub=event.cards)
        case _:
            assert_never(event)
    return _attended(round, event, after) if "dealer" in round.rules.things else after


def _attended(round: Round, event: Event, after: Round) -> Round:
    """Return the round with what a dealer has to do now."""
    if isinstance(event, happened.Chose):
        after = replace(after, firm=len(after.faces))
    return replace(after, todo=todo_after(round, event, after))


# ---------------------------------------------------------------- bets


def _opened(round: Round, event: happened.Opened) -> Round:
    first, shown = plan_of(round.rules).stages[0], event.meters
    return replace(
        round, id=event.round, stage=first, meters=shown, meters_before=shown, counts=event.counts
    )


def _bet(round: Round, event: happened.BetMade) -> Round:
    seat, player, wager, cents, hand = event
    box = round.boxes.get(seat)
    stakes = {**box.stakes} if box else {}
    for spot in round.rules.spots[wager]:
        stakes[spot] = _stake(cents)
    return _with_box(round, replace(box, stakes=stakes) if box else Box(seat, player, hand, stakes))


def _taken_down(round: Round, event: happened.BetTakenDown) -> Round:
    box = round.boxes[event.seat]
    spots = round.rules.spots[event.wager]
    stakes = {spot: stake for spot, stake in box.stakes.items() if spot not in spots}
    if stakes:
        return _with_box(round, replace(box, stakes=stakes))
    return replace(round, boxes={s: b for s, b in round.boxes.items() if s != event.seat})


def _bets_closed(round: Round, event: happened.BetsClosed) -> Round:
    boxes, meters = round.boxes, round.meters
    if len(boxes) > 1:
        boxes = dict(sorted(boxes.items()))
    if event.fees:
        boxes = {s: replace(box, fee=event.fees.get(s, box.fee)) for s, box in boxes.items()}
    if event.rises:
        meters = {id: micros + event.rises.get(id, 0) for id, micros in meters.items()}
    # In every book the deal follows the bets.
    deal = plan_of(round.rules).stages[1]
    return replace(round, boxes=boxes, meters=meters, action=event.action, stage=deal)


_stake = lru_cache(maxsize=4096)(Stake)
"""A stake, live unless its fate is given. Cached, because the same stakes recur at all tables."""


# ---------------------------------------------------------------- cards and choices


def _dealt(round: Round, event: happened.Dealt) -> Round:
    hands, places = _lying(event.cards)
    boxes = {seat: replace(box, cards=hands.get(seat, ())) for seat, box in round.boxes.items()}
    last, _, _ = event.cards[-1]
    due = turned_up(round.rules, places)
    return _next_step(replace(round, boxes=boxes, places=places, next_position=last + 1, due=due))


@lru_cache(maxsize=1024)
def _lying(cards: DealOrder) -> tuple[Mapping[int, tuple[int, ...]], Mapping[str, tuple[int, ...]]]:
    """Return where dealt cards lie: the hands of the seats, and the other places."""
    hands: dict[int, tuple[int, ...]] = {}
    places: dict[str, tuple[int, ...]] = {}
    for position, place, seat in cards:
        if place == SEATS:
            hands[seat] = (*hands.get(seat, ()), position)
        else:
            places[place] = (*places.get(place, ()), position)
    return hands, places


def _without(numbers: tuple[int, ...], number: int) -> tuple[int, ...]:
    if numbers and numbers[0] == number:
        return numbers[1:]
    return tuple([other for other in numbers if other != number])


def _chose(round: Round, event: happened.Chose) -> Round:
    seat, step, name, _ = event
    choice = plan_of(round.rules).choices[step, name]
    box = round.boxes[seat]
    stakes, chose = _stakes_after(box.stakes, choice), {**box.chose, step: name}
    box = replace(box, stakes=stakes, chose=chose, folded=box.folded or choice.folds)
    asked = _without(round.asked, seat)
    return _moved(replace(round, boxes={**round.boxes, seat: box}, asked=asked))


def _stakes_after(stakes: Mapping[str, Stake], choice: OptionEffect) -> Mapping[str, Stake]:
    """Return a box's stakes after a choice: one placed, others forfeited or taken back."""
    if not (choice.ends or choice.keeps or choice.places):
        return stakes
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


# ---------------------------------------------------------------- corrections


def _stake_corrected(round: Round, event: happened.StakeCorrected) -> Round:
    box = replace(round.boxes[event.seat], fee=event.fee)
    sums = dict.fromkeys(round.rules.spots[event.wager], event.cents)
    meters = {id: micros + event.rises.get(id, 0) for id, micros in round.meters.items()}
    after = _with_box(round, restaked(round.rules, box, sums))
    return _due_again(replace(after, meters=meters))


def restaked(rules: TableRules, box: Box, sums: Mapping[str, int] = NOTHING) -> Box:
    """Return a box whose stakes follow from its bets before the deal and from its choices.

    `sums` are other cents of such bets, by spot; 0 for one that wasn't made.
    """
    before = {
        spot
        for wager, spots in rules.spots.items()
        if rules.wagers[wager].placed == "before the deal"
        for spot in spots
    }
    made_before = {spot: stake.cents for spot, stake in box.stakes.items() if spot in before}
    cents = {**made_before, **sums}
    stakes: Mapping[str, Stake] = {spot: _stake(sum) for spot, sum in cents.items() if sum}
    folded, choices = False, plan_of(rules).choices
    for made in box.chose.items():
        stakes, folded = _stakes_after(stakes, choices[made]), folded or choices[made].folds
    return replace(box, stakes=stakes, folded=folded)


def _confirmed(round: Round, event: happened.Confirmed) -> Round:
    """Return the round with the forfeited wagers that keeping a clause has taken in."""
    kept = round.rules.clauses.get(event.clause)
    if kept is None or not kept.collects:
        return round
    folded = frozenset(seat for seat, box in round.boxes.items() if was_chosen(box, kept.on))
    return replace(round, collected=folded)


# ---------------------------------------------------------------- irregularities


def _declared(round: Round, event: happened.Declared) -> Round:
    kind, count = event.kind, event.facts.get("count")
    round = replace(round, irregular=(*round.irregular, kind), doubt=None)
    if isinstance(count, int):
        counted = {**round.counted, kind: round.counted.get(kind, 0) + count}
        round = replace(round, counted=counted)
    for effect in event.effects:
        match effect:
            case "void":
                void = Void(event.kind, event.clause, event.ruling)
                round = _voided(round, void)
            case "discard card":
                positions = event.facts.get("positions", ())
                found = tuple(positions) if isinstance(positions, tuple | list) else ()
                round = replace(round, discarded=(*round.discarded, *found))
            case "abandon seat":
                box = round.boxes[int(str(event.facts["seat"]))]
                left = Stake(0, "abandoned", event.clause, event.ruling)
                stakes = {
                    spot: stake if stake.fate == "take back" else left._replace(cents=stake.cents)
                    for spot, stake in box.stakes.items()
                }
                round = _with_box(round, replace(box, abandoned=True, stakes=stakes))
    return round if round.closed else _due_again(round)


def _voided(round: Round, void: Void) -> Round:
    """Return the round as void; seats that were settled are so no longer."""
    meters = round.meters_before
    return replace(
        round, void=round.void or void, meters=meters, lines=(), order=(), awards=NOTHING
    )


# ---------------------------------------------------------------- the settlement


def _meters_read(round: Round, event: happened.MetersRead) -> Round:
    """Take over shared meter readings; other tables' changes don't count as this round's."""
    before = {
        id: micros + event.meters.get(id, round.meters[id]) - round.meters[id]
        for id, micros in round.meters_before.items()
    }
    return replace(round, meters={**round.meters, **event.meters}, meters_before=before)


def _found(round: Round, event: happened.AwardFound) -> Round:
    """Keep a progressive win apart, with its meter as it is after it."""
    seat, wager, hand, cents, meter, shows, two = event
    reset, meters = 0, round.meters
    if meter is not None:
        reset = shows - (meters[meter] - micros(cents))
        meters = {**meters, meter: shows}
    found = FoundAward(seat, wager, hand, cents, meter, reset, two)
    return replace(round, awards={**round.awards, (seat, wager): found}, meters=meters)


def _validated(round: Round, event: happened.Validated) -> Round:
    key = event.seat, event.wager
    found, meters = round.awards[key]._replace(answer=event.answer), round.meters
    if event.answer == "reject" and found.meter is not None:
        shows = meters[found.meter] + micros(found.cents) - found.reset
        meters = {**meters, found.meter: shows}
    return replace(round, awards={**round.awards, key: found}, meters=meters)


def _settled(round: Round, event: happened.SeatSettled) -> Round:
    seat, lines, fee, moved = event
    if moved:
        round = replace(round, meters={**round.meters, **moved})
    if fee != round.boxes[seat].fee:
        round = _with_box(round, replace(round.boxes[seat], fee=fee))
    return replace(round, lines=round.lines + lines, order=(*round.order, seat))


def _with_box(round: Round, box: Box) -> Round:
    return replace(round, boxes={**round.boxes, box.seat: box})


# ---------------------------------------------------------------- from step to step


def _moved(round: Round) -> Round:
    """Return the round in the next step if nothing is left to do in this one."""
    stage = round.stage
    if stage is None or round.void:
        return round
    left = round.asked if stage.do == "decide" else round.due or stage.do != "reveal"
    return round if left else _next_step(round)


def _due_again(round: Round) -> Round:
    """Return the round with the seats asked and the cards due computed from its boxes."""
    return _moved(replace(round, asked=seats_to_ask(round), due=cards_to_show(round)))


def _next_step(round: Round) -> Round:
    """Return the round in the next step with something to do.

    Some of its cards may be due already.
    """
    asked: tuple[int, ...] = ()
    stage = left = round.stage
    due = round.due
    for stage in left.later if left else ():
        if stage.turns:
            due += due_in(round, stage)
        if stage.do == "decide":
            asked = asked_in(round, stage)
            if asked:
                break
        elif due or stage.do != "reveal":
            break
    return replace(round, stage=stage, asked=asked, due=due)
