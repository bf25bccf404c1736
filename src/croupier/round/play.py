"""Play a round: apply commands, turn cards up, and stop where a seat must decide.

The terminal, the gym, simulations and round files play through here, and a table's dealer finds out
here what is due. Only `known_to` and `own_faces` decide who may see which hidden cards.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import reduce

from croupier.cards import Card
from croupier.round.commands import Command, Face, Settle, Show
from croupier.round.decide import decide
from croupier.round.events import Event
from croupier.round.evolve import evolve
from croupier.round.order import positions_of
from croupier.round.state import Round


class Play:
    """A round in play, with the cards at its positions."""

    def __init__(
        self, round: Round, faces: Mapping[int, Card], salt: Callable[[int], str] = lambda _: ""
    ) -> None:
        """Continue a round as it stands; `salt` gives the salt of a position's commitment."""
        self.round = round
        self.faces = faces
        self.salt = salt
        self.events: list[Event] = []

    def do(self, *commands: Command) -> tuple[Event, ...]:
        """Apply commands and return their events, or raise the first refusal."""
        happened: tuple[Event, ...] = ()
        for command in commands:
            events = decide(self.round, command)
            self.take(events)
            happened += events
        return happened

    def take(self, events: Sequence[Event]) -> None:
        """Apply events that were already decided."""
        self.round = reduce(evolve, events, self.round)
        self.events += events

    def due(self) -> Show | None:
        """Return the command that turns up the cards that are due, or None."""
        faces, salt, due = self.faces, self.salt, self.round.due
        return Show(tuple([Face(at, faces[at], salt(at)) for at in due])) if due else None

    def show(self) -> tuple[Event, ...]:
        """Turn up the cards that are due."""
        command = self.due()
        return self.do(command) if command else ()

    def to_decision(self) -> int | None:
        """Turn cards up until a seat must decide, and return that seat.

        None means that no decision is left. The hands to be turned up for the settlement are still
        face down then.
        """
        while (stage := self.round.stage) and stage.do != "settle" and self.round.due:
            self.show()
        return self.round.asked[0] if self.round.asked else None

    def settle(self, meters: Mapping[str, int] | None = None) -> tuple[Event, ...]:
        """Turn up the hands and settle every wager; `meters` holds the current shared meters."""
        return self.show() + self.do(Settle(meters or {}))

    def known_to(self, seat: int) -> dict[int, Card]:
        """Return the cards that a seat may see, by position: its own and those turned up."""
        round, faces = self.round, self.faces
        own = positions_of(round, round.boxes[seat])
        return {**round.faces, **{position: faces[position] for position in own}}


def own_faces(
    round: Round,
    player: str | None,
    faces: Mapping[int, Card],
    recalled: Collection[int] = (),
) -> dict[int, Card]:
    """Return the cards of a player's own hands and of shared hands the player bet on, by position.

    Faces that aren't there are left out. `recalled` are seats whose hands were laid out again.
    """
    boxes = [
        box
        for box in round.boxes.values()
        if (player is not None and box.player == player) or box.seat in recalled
    ]
    own = {position for box in boxes for position in positions_of(round, box)}
    return {position: faces[position] for position in sorted(own) if position in faces}
