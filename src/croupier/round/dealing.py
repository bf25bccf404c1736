"""Where each card of the deck goes, by the table's dealing procedure."""

from croupier.errors import Bug
from croupier.round.order import seats_in
from croupier.round.plan import plan_of
from croupier.round.stages import DealOrder
from croupier.round.state import Round
from croupier.rules.game import DealLine
from croupier.rules.vocabulary import SEATS


def deal_plan(round: Round) -> DealOrder:
    """Return the position, place and seat of every card, in dealing order.

    Cards found face up are skipped (Maryland 13.A). If there are none, the deal depends only on the
    seats that play and the lines of the procedure that apply.
    """
    plan = plan_of(round.rules)
    seats = seats_in(round, round.rules.deal.order)
    skipped: tuple[int, ...] = ()
    if plan.deal_if:
        skipped = tuple([i for i, line in plan.deal_if if not is_dealt(round, line)])
    if round.discarded:
        return _deal(round, seats, skipped)
    dealt = plan.deals.get((seats, skipped))
    if dealt is None:
        dealt = plan.deals[seats, skipped] = _deal(round, seats, skipped)
    return dealt


def _deal(round: Round, seats: tuple[int, ...], skipped: tuple[int, ...]) -> DealOrder:
    deck, discarded = range(round.rules.deck.cards), round.discarded
    positions = [position for position in deck if position not in discarded]
    places: list[tuple[str, int]] = []
    for i, line in enumerate(round.rules.deal.cards):
        if i not in skipped:
            for seat in seats if line.to == SEATS else (0,):
                places += [(line.to, seat)] * line.cards
    if len(places) > len(positions):
        raise Bug(f"{len(places)} cards are to be dealt, and {len(positions)} are left")
    dealt = zip(positions, places, strict=False)
    return tuple([(position, place, seat) for position, (place, seat) in dealt])


def is_dealt(round: Round, line: DealLine) -> bool:
    """Whether a line of the procedure applies: the wager that it is for was made."""
    return line.if_staked is None or any(
        line.if_staked in box.stakes for box in round.boxes.values()
    )
