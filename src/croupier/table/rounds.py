"""What a closed round was for its table: how it ended, and what it won of walk-ins. Pure."""

from collections.abc import Iterable

from croupier.errors import Refused
from croupier.round.bets import opening_stakes
from croupier.round.events import Declared, Event
from croupier.round.state import Round, is_walk_in
from croupier.rules.game import counts_stub
from croupier.rules.vocabulary import Effect
from croupier.table.commands import EndRound, UndoRound

_REMOVING: frozenset[Effect] = frozenset(("remove deck", "remove all decks"))


def end_of(round: Round, events: Iterable[Event]) -> EndRound:
    """Summarize a closed round and its events for the table."""
    if not round.closed:
        raise Refused("round_not_over", "the round isn't over")
    declared = [event for event in events if isinstance(event, Declared)]
    kinds = [round.rules.irregularities[event.kind] for event in declared]
    removing = [event for event in declared if _REMOVING & {*event.effects}]
    return EndRound(
        round.id,
        void=round.void is not None,
        counted=any(map(counts_stub, kinds)),
        removed=next((event.clause for event in removing), None),
        all_decks=any("remove all decks" in event.effects for event in removing),
        failed=tuple(dict.fromkeys(kind.device for kind in kinds if kind.device)),
        meters={} if round.void else round.meters,
        chips=chips_won(round),
        bets=_walk_ins_bets(round),
    )


def undo_of(round: Round) -> UndoRound:
    """Say what a closed round did to its table, to be undone."""
    return UndoRound(round.id, round.meters_before, chips_won(round))


def _walk_ins_bets(round: Round) -> dict[str, dict[str, int]]:
    """Return what each walk-in bet before the deal, which the dealer may repeat."""
    rules = round.rules
    return {
        box.player: {
            wager: cents
            for wager, cents in opening_stakes(rules, box).items()
            if rules.wagers[wager].placed == "before the deal"
        }
        for box in round.boxes.values()
        if is_walk_in(box.player)
    }


def chips_won(round: Round) -> int:
    """Return what the tray won from walk-ins; a player's bank is never the tray."""
    felt = {seat for seat, box in round.boxes.items() if is_walk_in(box.player)}
    if round.rules.banked_by != "house" or not felt:
        return 0
    return deferred_cents(round) - sum(line.net for line in round.lines if line.seat in felt)


def deferred_cents(round: Round) -> int:
    """Return the awards of walk-ins that haven't been paid out yet."""
    waiting = {key for key, found in round.awards.items() if found.answer == "defer"}
    return sum(
        line.paid
        for line in round.lines
        if (line.seat, line.wager) in waiting and is_walk_in(round.boxes[line.seat].player)
    )
