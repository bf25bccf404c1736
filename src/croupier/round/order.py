"""Whose turn it is: the orders of seats, who is still to be asked, which cards are due."""

from croupier.round.plan import plan_of
from croupier.round.settle import shared_place
from croupier.round.stages import Stage
from croupier.round.state import Box, Round
from croupier.rules.vocabulary import SEATS, Order


def seats_in(round: Round, order: Order | None) -> tuple[int, ...]:
    """Return the seats that play, in one of the orders that books use.

    Seat 1 is farthest to the dealer's left and numbers rise clockwise. Since bets closed, boxes
    are in this order.
    """
    seats = tuple(round.boxes)
    if order is None or order == "clockwise":
        return seats
    match order:
        case "counterclockwise":
            return seats[::-1]
        case "from the banker" if round.banker:
            return _from(seats, round.banker.seat + 1)
        case "from the action":
            # C6: where none is named, the action is at the banker's left.
            after = round.banker.seat + 1 if round.banker else 1
            return _from(seats, round.action or after)
    return seats


def _from(seats: tuple[int, ...], first: int) -> tuple[int, ...]:
    return tuple([seat for seat in seats if seat >= first] + [s for s in seats if s < first])


def positions_of(round: Round, box: Box) -> tuple[int, ...]:
    """Return where a box's cards lie in the deck: its own, or the shared hand it bets on (M9)."""
    if box.hand is None:
        return box.cards
    name = shared_place(round.rules)
    size = round.rules.places[name].cards // round.rules.places[name].hands
    return round.places.get(name, ())[size * (box.hand - 1) : size * box.hand]


def to_ask(round: Round) -> tuple[int, ...]:
    """Return the seats that have still to decide in this step, in turn."""
    return round.asked


def to_show(round: Round) -> tuple[int, ...]:
    """Return the positions that are due to be shown now."""
    return round.due


def seats_to_ask(round: Round) -> tuple[int, ...]:
    """Work out from the boxes alone who has still to decide in this step, in turn."""
    if round.stage is None or round.void:
        return ()
    return asked_in(round, round.stage) if round.stage.do == "decide" else ()


def asked_in(round: Round, stage: Stage) -> tuple[int, ...]:
    """Return the seats that a decision asks and that have not answered, in turn."""
    asked: list[int] = []
    boxes, name, spot = round.boxes, stage.name, stage.asks
    for seat in seats_in(round, stage.order):
        box = boxes[seat]
        stake = box.stakes.get(spot)
        out = box.folded or box.abandoned or name in box.chose
        if stake and stake.fate == "live" and not out:
            asked.append(seat)
    return tuple(asked)


def cards_to_show(round: Round) -> tuple[int, ...]:
    """Work out from the steps alone which positions are due to be shown now."""
    if round.stage is None or round.void:
        return ()
    due = turned_up(round)
    for stage in plan_of(round.rules).stages[: round.at + 1]:
        due += due_in(round, stage)
    return tuple([position for position in dict.fromkeys(due) if position not in round.faces])


def turned_up(round: Round) -> tuple[int, ...]:
    """Return the positions that are turned up as they are dealt."""
    due: tuple[int, ...] = ()
    for place, cards in plan_of(round.rules).turned_up:
        due += round.places.get(place, ())[:cards]
    return due


def due_in(round: Round, stage: Stage) -> tuple[int, ...]:
    """Return the positions that a step turns up, in order."""
    due: tuple[int, ...] = ()
    for place, cards in stage.turns:
        due += _hands(round, stage) if place == SEATS else round.places.get(place, ())[cards]
    return due


def _hands(round: Round, stage: Stage) -> tuple[int, ...]:
    """Return the positions of all hands that are turned up to be settled."""
    due: list[int] = []
    for seat in seats_in(round, stage.order):
        box = round.boxes[seat]
        if is_shown(round, box):
            due += box.cards
    return tuple(due)


def is_shown(round: Round, box: Box) -> bool:
    """Whether a hand is turned up to be settled: it has money on it, or others may envy it."""
    for stake in box.stakes.values():
        if stake.fate == "live":
            return True
    return box.folded and any(
        envy.holders.folded and (envy.holders.needs is None or envy.holders.needs in box.stakes)
        for envy in round.rules.envies.values()
    )
