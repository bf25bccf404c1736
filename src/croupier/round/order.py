"""Turn order: the orders of seats, the seats still to decide, the cards due."""

from collections.abc import Mapping

from croupier.round.plan import plan_of
from croupier.round.stages import Stage
from croupier.round.state import Box, Round
from croupier.rules.game import Envy
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import SEATS, Order


def seats_in(round: Round, order: Order | None) -> tuple[int, ...]:
    """Return the seats that play, in one of the orders that books use.

    Seat 1 is farthest to the dealer's left and numbers rise clockwise. Once bets have closed, boxes
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
            # C6: if no seat is named, the action is at the banker's left.
            after = round.banker.seat + 1 if round.banker else 1
            return _from(seats, round.action or after)
    return seats


def _from(seats: tuple[int, ...], first: int) -> tuple[int, ...]:
    return tuple([seat for seat in seats if seat >= first] + [s for s in seats if s < first])


def positions_of(round: Round, box: Box) -> tuple[int, ...]:
    """Return the deck positions of a box's cards: its own, or the shared hand it bets on (M9)."""
    if box.hand is None:
        return box.cards
    name = round.rules.shared_place
    size = round.rules.places[name].hand_size
    return round.places.get(name, ())[size * (box.hand - 1) : size * box.hand]


def hand_with(round: Round, position: int) -> tuple[int, int] | None:
    """Return the shared hand that a card belongs to, and which of its cards it is (M9)."""
    lie = round.places.get(round.rules.shared_place, ())
    if round.rules.shared is None or position not in lie:
        return None
    hand, card = divmod(lie.index(position), round.rules.shared.hand_size)
    return hand + 1, card + 1


def seats_to_ask(round: Round) -> tuple[int, ...]:
    """Compute from the boxes alone the seats still to decide in this step, in turn."""
    if round.stage is None or round.void:
        return ()
    return asked_in(round, round.stage) if round.stage.do == "decide" else ()


def asked_in(round: Round, stage: Stage) -> tuple[int, ...]:
    """Return the seats that a decision step asks and that haven't answered, in turn."""
    asked: list[int] = []
    name, spot = stage.name, stage.asks
    for seat in seats_in(round, stage.order):
        box = round.boxes[seat]
        stake = box.stakes.get(spot)
        out = box.folded or box.abandoned or name in box.chose
        if stake and stake.fate == "live" and not out:
            asked.append(seat)
    return tuple(asked)


def cards_to_show(round: Round) -> tuple[int, ...]:
    """Compute from the steps alone the positions due to be shown now."""
    if round.stage is None or round.void:
        return ()
    due = turned_up(round.rules, round.places)
    if is_read(round.rules):
        due = round.discarded + due  # 13.A: a card found face up is seen by all.
    for stage in plan_of(round.rules).stages[: round.at + 1]:
        due += due_in(round, stage)
    return tuple([position for position in dict.fromkeys(due) if position not in round.faces])


def is_read(rules: TableRules) -> bool:
    """Whether a dealer reads real cards as they are turned up (T12)."""
    return "cards" in rules.things and "dealer" in rules.things


def turned_up(rules: TableRules, places: Mapping[str, tuple[int, ...]]) -> tuple[int, ...]:
    """Return the positions turned up as they are dealt."""
    due: tuple[int, ...] = ()
    for place, cards in plan_of(rules).turned_up:
        due += places.get(place, ())[:cards]
    return due


def due_in(round: Round, stage: Stage) -> tuple[int, ...]:
    """Return the positions that a step turns up, in order."""
    due: tuple[int, ...] = ()
    for place, cards in stage.turns:
        if place == SEATS:
            due += _hands(round, stage)
        else:
            due += round.places.get(place, ())[cards]
    return due


def _hands(round: Round, stage: Stage) -> tuple[int, ...]:
    """Return the positions of all hands turned up for the settlement."""
    due: list[int] = []
    for seat in seats_in(round, stage.order):
        box = round.boxes[seat]
        if is_shown(round, box):
            due += box.cards
    return tuple(due)


def is_shown(round: Round, box: Box) -> bool:
    """Whether a hand is turned up to settle: it has a live stake, or others may envy it."""
    for stake in box.stakes.values():
        if stake.fate == "live":
            return True
    return any(may_be_envied(box, envy) for envy in round.rules.envies.values())


def may_be_envied(holder: Box, envy: Envy) -> bool:
    """Whether others may be paid for a hand, if it is high enough."""
    holders = envy.holders
    if holder.abandoned or (holder.folded and not holders.folded):
        return False
    return holders.needs is None or holders.needs in holder.stakes
