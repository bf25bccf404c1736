"""Where each card of the deck goes, by the dealing procedure of the table."""

from collections.abc import Iterator

from croupier.round.order import seats_in
from croupier.round.state import Round
from croupier.rules.game import DealLine
from croupier.rules.vocabulary import SEATS


def deal_plan(round: Round) -> tuple[tuple[int, str, int], ...]:
    """Return position, place and seat of every card of the deal, in its order.

    A card that was found face up is passed over (Maryland 13.A).
    """
    positions = (p for p in range(round.rules.deck.cards) if p not in round.discarded)
    return tuple((next(positions), place, seat) for place, seat in _places(round))


def _places(round: Round) -> Iterator[tuple[str, int]]:
    """Yield the place, and the seat where it is one, that each card in turn goes to."""
    seats = seats_in(round, round.rules.deal.order)
    for line in round.rules.deal.cards:
        if not _is_dealt(round, line):
            continue
        if line.to == SEATS:
            for seat in seats:
                yield from ((line.to, seat) for _ in range(line.cards))
        else:
            yield from ((line.to, 0) for _ in range(line.cards))


def _is_dealt(round: Round, line: DealLine) -> bool:
    """Whether a line of the procedure applies: the wager that it is for was made."""
    if line.if_staked is None:
        return True
    return any(line.if_staked in box.stakes for box in round.boxes.values())
