"""A dealer and a floorperson who do what a table refuses to go on without."""

from typing import Any

from croupier.errors import Refused
from croupier.table.commands import (
    Command,
    Confirm,
    Count,
    Cut,
    DealFirstCard,
    Fail,
    Receive,
    Secure,
    Shuffle,
    StartRound,
    Time,
)
from croupier.table.decide import decide
from croupier.table.prompts import due
from croupier.table.state import Table, about_deck


def chore(table: Table, time: Time, depth: int) -> Command | None:
    """Return the command that removes the first obstacle to the next deal.

    Return None if there is no obstacle, or none that they can remove: missing
    players, a bank that nobody took, a device to replace. `depth` is the depth of a cut, if one is
    due.
    """
    rules = table.rules.deck
    number = table.round.deck if table.round else table.deck_turn
    try:
        decide(table, DealFirstCard(time) if table.round else StartRound("", time))
    except Refused as refused:
        match refused.code:
            case "no_deck" | "deck_too_old":
                return Receive(number, time)
            case "prompt_open":
                asked = [duty for duty in due(table) if duty.about == about_deck(number)]
                return Confirm(number, asked[0].clause, asked[0].by[0]) if asked else None
            case "device_open":
                asked = [duty for duty in due(table) if duty.moment == "device fails"]
                device: Any = asked[0].about
                return Secure(device, asked[0].clause, asked[0].by[0])
            case "device_doubted":
                doubted: Any = next(d for d, outage in table.out.items() if outage.doubted)
                return Fail(doubted)
            case "not_shuffled":
                return Shuffle(number, rules.cards if rules.machine_count else None)
            case "not_cut":
                return Cut(number, depth)
            case "count_due":
                return Count(number, rules.cards)
    return None
