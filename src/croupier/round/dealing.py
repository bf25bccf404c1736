"""Where each card of the deck goes, by the dealing procedure of the table."""

from croupier.errors import Bug
from croupier.round.order import seats_in
from croupier.round.state import Round
from croupier.rules.game import DealLine
from croupier.rules.vocabulary import SEATS


def deal_plan(round: Round) -> tuple[tuple[int, str, int], ...]:
    """Return position, place and seat of every card of the deal, in its order.

    A card that was found face up is passed over (Maryland 13.A).
    """
    deck, discarded = range(round.rules.deck.cards), round.discarded
    positions = [p for p in deck if p not in discarded] if discarded else deck
    places = _places(round)
    if len(places) > len(positions):
        raise Bug(f"{len(places)} cards are to be dealt, and {len(positions)} are left")
    dealt = zip(positions, places, strict=False)
    return tuple([(position, place, seat) for position, (place, seat) in dealt])


def _places(round: Round) -> list[tuple[str, int]]:
    """Return the place, and the seat where it is one, that each card in turn goes to."""
    seats = seats_in(round, round.rules.deal.order)
    places: list[tuple[str, int]] = []
    for line in round.rules.deal.cards:
        if not _is_dealt(round, line):
            continue
        for seat in seats if line.to == SEATS else (0,):
            places += [(line.to, seat)] * line.cards
    return places


def _is_dealt(round: Round, line: DealLine) -> bool:
    """Whether a line of the procedure applies: the wager that it is for was made."""
    if line.if_staked is None:
        return True
    return any(line.if_staked in box.stakes for box in round.boxes.values())
