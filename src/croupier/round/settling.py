"""Settle a round: every wager at once, or seat by seat in the order of the book.

Without a dealer, one command settles everything. A dealer settles one seat after another, as soon
as the cards that decide it are turned up, and then closes the round. Both ways come to the same
lines and meters.
"""

from collections.abc import Mapping
from dataclasses import replace

from croupier.errors import Refused
from croupier.round.awards import awards_found, check_answered
from croupier.round.commands import Settle
from croupier.round.cover import LOST, covered
from croupier.round.events import Closed, Event, MetersRead, PartSettled, SeatSettled
from croupier.round.order import positions_of, seats_in
from croupier.round.plan import plan_of
from croupier.round.rake import rakes
from croupier.round.settlement import Settlement, void_lines
from croupier.round.state import NOTHING, BankResult, Line, Round
from croupier.rules.game import Envy
from croupier.rules.vocabulary import SEAT

CLOSED = Closed()
Part = SeatSettled | PartSettled


def settle_all(round: Round, readings: Mapping[str, int]) -> tuple[Event, ...]:
    """Return the settlement of every seat, and the end of the round."""
    settlement = Settlement(round, {**round.meters, **readings})
    seats: dict[int, tuple[Line, ...]] = {}
    meters: dict[int, Mapping[str, int]] = {}
    for seat in settlement.order:
        before = settlement.meters
        seats[seat] = settlement.seat_lines(seat)
        if settlement.meters is not before:
            meters[seat] = _moved(before, settlement.meters)
    bank = None
    if round.banker and round.rules.bank.cover:
        owed = [line for lines in seats.values() for line in lines]
        lines, bank = covered(round.rules, round.banker, owed)
        seats = {seat: tuple([line for line in lines if line.seat == seat]) for seat in seats}
    raked, banker_fee = rakes(round, seats)
    events: list[Event] = [MetersRead(readings)] if readings else []
    for seat, settled in seats.items():
        charged = round.boxes[seat].fee + raked.get(seat, 0)
        shown = meters.get(seat, NOTHING)
        events.append(SeatSettled(seat, settled, charged, shown))
    events.append(Closed(replace(bank, fee=banker_fee)) if bank else CLOSED)
    return tuple(events)


def _moved(before: Mapping[str, int], after: Mapping[str, int]) -> Mapping[str, int]:
    return {id: micros for id, micros in after.items() if micros != before[id]}


def return_everything(round: Round) -> tuple[Event, ...]:
    """Return every stake of a void round, and the fees (C8); no meter moves."""
    seats = [SeatSettled(seat, tuple(void_lines(round, seat))) for seat in sorted(round.boxes)]
    banker = round.banker
    bank = BankResult(banker.seat, banker.funds, 0, 0, 0) if banker else None
    return (*seats, Closed(bank))


# ---------------------------------------------------------------- seat by seat


def next_seat(round: Round) -> int | None:
    """Return the seat to settle next, or None if all are settled or the round is void."""
    if round.void:
        return None
    if round.banker and not round.due:
        return next((step.seat for step in _steps(round)), None)
    seats = seats_in(round, plan_of(round.rules).order)
    return next((seat for seat in seats if seat not in round.order), None)


def settle_seat(round: Round, command: Settle) -> tuple[Event, ...]:
    """Return the settlement of the seat whose turn it is, or refuse another one."""
    seat, step = command.seat, round.step
    clause = step.clause if step else None
    turn = next_seat(round)
    if turn is None:
        raise Refused("no_decision", "every seat is settled; close the round", clause=clause)
    if seat != turn:
        message = f"seat {turn} is settled next"
        raise Refused("not_yet", message, field="seat", clause=clause)
    if hidden := len(hidden_from(round, turn)):
        cards = "a card has" if hidden == 1 else f"{hidden} cards have"
        raise Refused("cards_hidden", f"{cards} yet to be turned up", clause=clause)
    if not round.banker:
        check_answered(round, turn)
        if found := awards_found(round, command):
            return found
    return paid_at(round, turn, command.meters)


def paid_at(round: Round, seat: int, meters: Mapping[str, int]) -> tuple[Event, ...]:
    """Return the settlement of the seat whose turn it is, without a stop at a progressive win."""
    if round.banker:
        return (_steps(round)[0],)
    read: tuple[Event, ...] = (MetersRead(meters),) if meters else ()
    settlement = Settlement(round, {**round.meters, **meters})
    before, lines = settlement.meters, settlement.own_lines(seat)
    moved = _moved(before, settlement.meters)
    settled = SeatSettled(seat, lines, round.boxes[seat].fee, moved or NOTHING)
    # T10: envy is paid to all when the envied hand is settled.
    envy = (PartSettled(to, paid) for to, paid in settlement.envy_for(seat).items())
    return (*read, settled, *envy)


def hidden_from(round: Round, seat: int) -> tuple[int, ...]:
    """Return the positions to turn up before a seat is settled, in order.

    These are its own cards and then the shared ones that its wagers need, or that decide who envies
    it (M25); where a player banks, all of them, because what the bank covers depends on every hand.
    """
    if round.banker:
        return round.due
    box, staked = round.boxes[seat], {s for b in round.boxes.values() for s in b.stakes}
    own, needed = positions_of(round, box), set[int]()
    for part in plan_of(round.rules).parts:
        if part.stake in (staked if isinstance(part.what, Envy) else box.stakes):
            for place in part.of:
                needed.update(round.places.get(place, ()) if place != SEAT else ())
    mine = [position for position in round.due if position in own]
    return (*mine, *(at for at in round.due if at in needed and at not in own))


def _steps(round: Round) -> list[Part]:
    """Return what is left to settle where a player banks, in order.

    If the book collects first (C3), the lost wagers of every seat are taken before any is paid.
    """
    whole = [event for event in settle_all(round, {}) if isinstance(event, SeatSettled)]
    cover = round.rules.bank.cover
    steps: list[Part] = [*whole]
    if cover and cover.collects == "first":
        lost = {e.seat: tuple([ln for ln in e.lines if ln.outcome in LOST]) for e in whole}
        losers = [e for e in whole if e.lines and lost[e.seat] == e.lines]
        takes = [
            e if e in losers else PartSettled(e.seat, lost[e.seat]) for e in whole if lost[e.seat]
        ]
        pays = [
            e._replace(lines=tuple([line for line in e.lines if line.outcome not in LOST]))
            for e in whole
            if e not in losers
        ]
        steps = [*takes, *pays]
    return [step for step in steps if not _is_done(round, step)]


def _is_done(round: Round, step: Part) -> bool:
    if isinstance(step, SeatSettled):
        return step.seat in round.order
    return step.lines[0] in round.lines


def close(round: Round) -> tuple[Event, ...]:
    """Return the end of a round whose seats are all settled; a void one returns everything."""
    if round.void:
        return return_everything(round)
    if (seat := next_seat(round)) is not None:
        clause = round.step.clause if round.step else None
        raise Refused("not_yet", f"seat {seat} has yet to be settled", clause=clause)
    return settle_all(round, {})[-1:] if round.banker else (CLOSED,)
