"""Walk-ins: people at the felt without an account, whose chips the dealer enters.

A walk-in is paid by hand, so a dealer can hand out another sum than is due. The journal keeps what
is owed; a mispay keeps both figures beside it until it is put right.
"""

from croupier.errors import Refused
from croupier.round.state import WALK_IN, is_walk_in
from croupier.table import commands
from croupier.table import events as happened
from croupier.table.state import Table


def next_walk_in(table: Table) -> str:
    """Return the name of the next walk-in, or refuse one where there are no chips."""
    if "chips" not in table.rules.things:
        message = "this table has no chips, so everyone plays on a screen"
        raise Refused("no_chips", message, field="seat", clause=table.rules.ruling_on("things"))
    return f"{WALK_IN}{table.walk_ins + 1}"


def walk_in_at(table: Table, seat: int) -> str:
    """Return the walk-in at a seat; other players act on their own screens."""
    player = table.seats.get(seat, "")
    if not player:
        raise Refused("seat_empty", f"nobody sits at seat {seat}", field="seat")
    if not is_walk_in(player):
        raise Refused("player_decides", f"the player at seat {seat} has a screen", field="seat")
    return player


def mispay(table: Table, command: commands.Mispay) -> happened.Mispaid:
    """Return a mispay of a walk-in, unless the sum is what was due."""
    player = command.player
    if not is_walk_in(player):
        message = f"the player of seat {command.seat} has a screen, and is paid there"
        raise Refused("player_decides", message, field="seat")
    if command.paid < 0:
        raise Refused("no_money", "can't be negative", field="paid")
    if command.paid == command.due:
        raise Refused("not_due", "that is what was due", field="paid")
    if _found(table, command.round, command.seat, command.wager):
        message = "this was noted already; say that it was put right first"
        raise Refused("not_due", message, field="wager")
    if _from_tray(table) and command.paid - command.due > (table.tray.expected or 0):
        message = "by the journal the tray doesn't hold that much"
        raise Refused("no_money", message, field="paid")
    place = command.round, command.seat, player, command.wager
    return happened.Mispaid(*place, command.due, command.paid, posted=_from_tray(table))


def correct_pay(table: Table, command: commands.CorrectPay) -> happened.PayCorrected:
    """Return the correction of a mispay that was noted."""
    found = _found(table, command.round, command.seat, command.wager)
    if found is None:
        raise Refused("not_due", "no such mispay was noted", field="wager")
    place = found.round, found.seat, found.player, found.wager
    return happened.PayCorrected(*place, found.due - found.paid, posted=found.posted)


def _from_tray(table: Table) -> bool:
    """Whether winners are paid from the tray; a player's bank is never the tray."""
    return table.rules.banked_by == "house"


def _found(table: Table, round: str, seat: int, wager: str) -> happened.Mispaid | None:
    wanted = round, seat, wager
    return next((o for o in table.mispaid if (o.round, o.seat, o.wager) == wanted), None)
