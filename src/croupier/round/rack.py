"""The order of the discard rack after a round, which follows from its events (11.E).

Every card that left the shoe lies there hand by hand, so that any hand can be laid out again.
"""

from collections.abc import Iterable
from typing import NamedTuple

from croupier.round import events as happened
from croupier.round.events import Event
from croupier.round.state import Round
from croupier.rules.vocabulary import BANK


class Racked(NamedTuple):
    """The cards of one place in the rack, the first at the bottom."""

    place: str
    positions: tuple[int, ...]
    cards: tuple[str, ...]
    """The faces that were read; '??' where nobody read one."""


def rack_of(told: Iterable[tuple[Round, Event]]) -> tuple[Racked, ...]:
    """Return the rack after a round, from the bottom: found cards, folded hands, settled ones."""
    seats: dict[int, str] = {}
    round: Round | None = None
    for round, event in told:
        match event:
            case happened.Chose(seat) if round.boxes[seat].folded:
                seats.setdefault(seat, f"seat {seat}, folded")
            case happened.SeatSettled(seat):
                seats.setdefault(seat, f"seat {seat}")
    if round is None:
        return ()
    hands = [("found face up", round.discarded)]
    hands += [(place, round.boxes[seat].cards) for seat, place in seats.items()]
    for place, cards in round.places.items():
        named = round.rules.places.get(place)
        label = round.rules.bank.label if place == BANK else named.label if named else place
        hands.append((label, cards))
    faces = round.faces
    return tuple(
        Racked(place, cards, tuple(str(faces[p]) if p in faces else "??" for p in cards))
        for place, cards in hands
        if cards
    )
