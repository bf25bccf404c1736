"""The history of a real deck: it stands where no commitment can prove the order of the cards."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import Keeper
from croupier.table import events as happened
from croupier.table.crew import Crew
from croupier.table.events import Event

BETWEEN = "between rounds"
"""Where a deck was counted, if not in a round."""


@dataclass(frozen=True)
class DeckPast:
    """What people did with a deck since it came to the table."""

    received_s: int = 0
    """By the wall clock."""
    inspected: tuple[str, ...] = ()
    """The persons who confirmed that they inspected it."""
    shuffled: str = ""
    """The dealer of the last shuffle."""
    machine_counted: bool = False
    """Whether the shuffler counted the cards then."""
    cut: str = ""
    """The person of the last cut after that shuffle."""
    counted: str = ""
    """The round in which the cards were last counted."""
    uncounted: int = 0
    """Rounds since then, including the current one."""


NEW = DeckPast()
Pasts = Mapping[int, DeckPast]


def past_after(pasts: Pasts, event: Event, rules: TableRules, crew: Crew) -> Pasts:
    """Return the histories of a table's decks after an event; virtual decks have none."""
    if "cards" not in rules.things:
        return pasts
    match event:
        case happened.Received(deck, time):
            return {**pasts, deck: DeckPast(time.wall_s)}
        case happened.TableClosed():
            return {}
        case happened.DeckRemoved(deck, _):
            return {number: past for number, past in pasts.items() if number != deck}
        case happened.Confirmed(deck, clause, by) if rules.clauses[clause].at == "cards received":
            inspected = (*pasts.get(deck, NEW).inspected, _person(crew, by))
            return _with(pasts, deck, inspected=tuple(dict.fromkeys(inspected)))
        case happened.Shuffled(deck, counted):
            pasts = _with(pasts, deck, shuffled=crew.dealer, machine_counted=counted, cut="")
            return _with(pasts, deck, uncounted=0) if counted else pasts
        case happened.CutMade(deck, _, by):
            return _with(pasts, deck, cut=_person(crew, by))
        case happened.Counted(deck, _):
            return _with(pasts, deck, counted=BETWEEN, uncounted=0)
        case happened.RoundStarted():
            return _with(pasts, event.deck, uncounted=pasts.get(event.deck, NEW).uncounted + 1)
        case happened.RoundEnded() if event.counted:
            return _with(pasts, event.deck, counted=event.round, uncounted=0)
    return pasts


def _with(pasts: Pasts, deck: int, **changes: object) -> Pasts:
    return {**pasts, deck: replace(pasts.get(deck, NEW), **changes)}  # type: ignore[arg-type]


def _person(crew: Crew, by: Keeper) -> str:
    return crew.floor if by == "floorperson" else crew.dealer
