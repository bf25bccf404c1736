"""The dealer of an automatic table: its next action on the way to a deal."""

from croupier.errors import Refused
from croupier.table import commands
from croupier.table.commands import Command, Time
from croupier.table.decide import decide
from croupier.table.prompts import due
from croupier.table.state import Table


def chore(table: Table, time: Time, depth: int) -> Command | None:
    """Return the command that removes the first obstacle to the next deal.

    Return None if there is no obstacle, or none that a dealer of virtual cards can remove: missing
    players, a bank that nobody took, a device to replace. `depth` is the depth of a cut, if one is
    due.
    """
    rules = table.rules.deck
    number = table.round.deck if table.round else table.deck_turn
    try:
        decide(
            table, commands.DealFirstCard(time) if table.round else commands.StartRound("", time)
        )
    except Refused as refused:
        match refused.code:
            case "no_deck" | "deck_too_old":
                return commands.Receive(number, time)
            case "prompt_open":
                asked = [prompt for prompt in due(table) if prompt.deck == number]
                return commands.Confirm(number, asked[0].clause, asked[0].by) if asked else None
            case "device_open":
                asked = [prompt for prompt in due(table) if prompt.device]
                device = asked[0].device
                return commands.Secure(device, asked[0].clause, asked[0].by) if device else None
            case "not_shuffled":
                return commands.Shuffle(number, rules.cards if rules.machine_count else None)
            case "not_cut":
                return commands.Cut(number, depth)
            case "count_due":
                return commands.Count(number, rules.cards)
    return None
