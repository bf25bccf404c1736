"""What is published about a deck: the commitment to it, and the players' cut."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple


class DeckCommitted(NamedTuple):
    """A deck was shuffled and committed to; its cards can no longer change."""

    round: str
    rules: str
    root: str
    commitment: str


class Contributed(NamedTuple):
    """A player committed to a contribution to the cut, while bets were open."""

    round: str
    player: str
    hash: str


class Revealed(NamedTuple):
    """A player revealed a contribution, after bets had closed."""

    round: str
    player: str
    value: str


class DeckCut(NamedTuple):
    """The revealed contributions permuted the deck; those not revealed were left out."""

    round: str
    withheld: tuple[str, ...]
    """The players who didn't reveal theirs."""


CutEvent = Contributed | Revealed | DeckCut
FairnessEvent = DeckCommitted | CutEvent

_EVENTS: dict[str, Callable[..., FairnessEvent]] = {
    event.__name__: event for event in (DeckCommitted, Contributed, Revealed, DeckCut)
}


def event_from(data: Mapping[str, Any]) -> FairnessEvent:
    """Return an event from plain data, as the journal holds it."""
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in data.items()
    }
    return _EVENTS[fields.pop("type")](**fields)
