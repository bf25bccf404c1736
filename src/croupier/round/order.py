"""Whose turn it is: the orders of seats, who is still to be asked, which cards are due."""

from collections.abc import Iterable

from croupier.round.state import Box, Round
from croupier.rules.game import Step
from croupier.rules.vocabulary import SEATS, Order


def seats_in(round: Round, order: Order | None) -> tuple[int, ...]:
    """Return the seats that play, in one of the orders that books use.

    Seat 1 is farthest to the dealer's left and numbers rise clockwise.
    """
    seats = sorted(round.boxes)
    match order:
        case "counterclockwise":
            return tuple(reversed(seats))
        case "from the banker" if round.banker:
            return _from(seats, round.banker.seat + 1)
        case "from the action":
            # C6: where none is named, the action is at the banker's left.
            after = round.banker.seat + 1 if round.banker else 1
            return _from(seats, round.action or after)
    return tuple(seats)


def _from(seats: list[int], first: int) -> tuple[int, ...]:
    return tuple([seat for seat in seats if seat >= first] + [s for s in seats if s < first])


def to_ask(round: Round) -> tuple[int, ...]:
    """Return the seats that have still to decide in this step, in turn."""
    return round.asked


def to_show(round: Round) -> tuple[int, ...]:
    """Return the positions that are due to be shown now."""
    return round.due


def seats_to_ask(round: Round) -> tuple[int, ...]:
    """Work out from the boxes alone who has still to decide in this step, in turn."""
    if round.step is None or round.void:
        return ()
    return asked_in(round, *round.rules.sequence[round.at])


def asked_in(round: Round, name: str, step: Step) -> tuple[int, ...]:
    """Return the seats that a step asks and that have not answered, in turn."""
    if step.do != "decide":
        return ()
    boxes = round.boxes
    return tuple(
        [
            seat
            for seat in seats_in(round, step.order)
            if name not in boxes[seat].chose and _is_asked(boxes[seat], step)
        ]
    )


def _is_asked(box: Box, step: Step) -> bool:
    stake = box.stakes.get(step.asks or "")
    return stake is not None and stake.fate == "live" and not box.abandoned


def cards_to_show(round: Round) -> tuple[int, ...]:
    """Work out from the steps alone which positions are due to be shown now."""
    if round.step is None or round.void:
        return ()
    due = list(turned_up(round))
    for _, step in round.rules.sequence[: round.at + 1]:
        due += due_in(round, step)
    return unseen(round, due)


def unseen(round: Round, positions: Iterable[int]) -> tuple[int, ...]:
    """Return those of some positions that have not been shown, each once."""
    return tuple([p for p in dict.fromkeys(positions) if p not in round.faces])


def turned_up(round: Round) -> list[int]:
    """Return the positions that are turned up as they are dealt."""
    due: list[int] = []
    for line in round.rules.deal.cards:
        if line.shows:
            due += round.places.get(line.to, ())[: line.shows]
    return due


def due_in(round: Round, step: Step) -> list[int]:
    """Return the positions that a step turns up, in order."""
    due: list[int] = []
    for place in step.shows:
        if place == SEATS:
            due += _hands(round, step)
        elif step.cards is None:
            due += round.places.get(place, ())
        else:
            due += round.places.get(place, ())[: _cards_shown(round, step, place)]
    if step.do == "settle":
        due += _hands(round, step)
    return due


def _hands(round: Round, step: Step) -> list[int]:
    """Return the positions of all hands that are turned up to be settled."""
    due: list[int] = []
    for seat in seats_in(round, step.order):
        box = round.boxes[seat]
        if is_shown(round, box):
            due += box.cards
    return due


def _cards_shown(round: Round, step: Step, place: str) -> int:
    """How many cards of a place have been turned up with this step."""
    count = 0
    for other in round.rules.steps.values():
        if other.do == "reveal" and place in other.shows:
            count += other.cards or 0
        if other is step:
            break
    return count


def is_shown(round: Round, box: Box) -> bool:
    """Whether a hand is turned up to be settled: it has money on it, or others may envy it."""
    for stake in box.stakes.values():
        if stake.fate == "live":
            return True
    return box.folded and any(
        envy.holders.folded and (envy.holders.needs is None or envy.holders.needs in box.stakes)
        for envy in round.rules.envies.values()
    )
