"""The deck of a round from its journal: what was committed to, how it was cut, and its faces."""

from collections.abc import Callable

from croupier.cards import Card
from croupier.fairness.commitment import Commitment, Committed
from croupier.fairness.cut import NO_CUT, PlayersCut
from croupier.fairness.events import DeckCommitted
from croupier.fairness.events import event_from as fairness_event_from
from croupier.ledger.found import FoundRound


def fairness_of(found: FoundRound) -> tuple[Commitment | None, PlayersCut]:
    """Return the commitment to a round's deck, and the players' cut of it."""
    commitment, cut = None, NO_CUT
    for record in found.records:
        if record.of != "fairness":
            continue
        event = fairness_event_from(record.event)
        if isinstance(event, DeckCommitted):
            commitment, cut = Commitment(event.round, event.rules, event.root), NO_CUT
        elif commitment is not None:
            cut = cut.after(event, commitment)
    return commitment, cut


def faces_of(
    found: FoundRound, sealed: bytes | None, unsealed: Callable[[bytes, Commitment], Committed]
) -> dict[int, Card] | None:
    """Return all cards by the position they were dealt from; None while the round is open."""
    commitment, cut = fairness_of(found)
    if not found.told[-1][0].closed or sealed is None or commitment is None:
        return None
    return cut.dealt(unsealed(sealed, commitment).deck)
