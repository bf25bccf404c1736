"""Whose turn it is: the orders of seats, who is still to be asked, which cards are due."""

from collections.abc import Iterator

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
    """Return the seats that have still to decide in this step, in turn.

    A round holds the answer as `asked`; here it is worked out, when a step is entered.
    """
    step = round.step
    if step is None or step.do != "decide":
        return ()
    name = round.rules.sequence[round.at][0]
    return tuple(
        seat
        for seat in seats_in(round, step.order)
        if _is_asked(round.boxes[seat], step) and name not in round.boxes[seat].chose
    )


def _is_asked(box: Box, step: Step) -> bool:
    stake = box.stakes.get(step.asks or "")
    return stake is not None and stake.fate == "live" and not box.abandoned


def to_show(round: Round) -> tuple[int, ...]:
    """Return the positions that are due to be shown now; a round holds them as `due`."""
    step = round.step
    if step is None or round.void or not round.next_position:
        return ()
    return tuple(p for p in dict.fromkeys(_due(round, step)) if p not in round.faces)


def _due(round: Round, step: Step) -> Iterator[int]:
    for place, cards in _turned_up(round):
        yield from round.places.get(place, ())[:cards]
    for _, earlier in round.rules.sequence[: round.at + 1]:
        if earlier.do in ("reveal", "settle"):
            for place in earlier.shows:
                yield from _shown_by(round, earlier, place)
    if step.do == "settle":
        for seat in seats_in(round, step.order):
            if is_shown(round, round.boxes[seat]):
                yield from round.boxes[seat].cards


def _turned_up(round: Round) -> Iterator[tuple[str, int]]:
    """Yield the places whose cards are turned up as they are dealt, and how many."""
    for line in round.rules.deal.cards:
        if line.shows:
            yield line.to, line.shows


def _shown_by(round: Round, step: Step, place: str) -> Iterator[int]:
    if place == SEATS:
        for seat in seats_in(round, step.order):
            if is_shown(round, round.boxes[seat]):
                yield from round.boxes[seat].cards
    elif step.cards is None:
        yield from round.places.get(place, ())
    else:
        yield from round.places.get(place, ())[: _cards_shown(round, step, place)]


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
    if any(stake.fate == "live" for stake in box.stakes.values()):
        return True
    return box.folded and any(
        envy.holders.folded and (envy.holders.needs is None or envy.holders.needs in box.stakes)
        for envy in round.rules.envies.values()
    )
