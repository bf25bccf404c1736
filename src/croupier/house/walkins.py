"""What dealer and clerk enter for walk-ins: seats, bets, the bank; and what they handed wrongly."""

from collections.abc import Mapping
from dataclasses import replace

from croupier.errors import Refused
from croupier.house import players
from croupier.house.standing import Act
from croupier.round import commands as in_round
from croupier.table import commands as at_table
from croupier.table.walkins import walk_in_at


def bet(act: Act, command: in_round.Bet, closed: Mapping[str, str]) -> None:
    """Make a wager with the chips that a walk-in put down."""
    if act.standing.in_play is None:
        raise Refused("no_round", "no round is open yet")
    player = walk_in_at(act.standing.table, command.seat)
    if why := closed.get(command.wager):
        raise Refused("meter_out", why, field=command.wager)
    act.in_round(command._replace(player=player))
    players.check_box(act.standing.table.rules, act.round.boxes[command.seat])


def leave(act: Act, seat: int) -> None:
    """Free the seat of a walk-in who goes away."""
    walk_in_at(act.standing.table, seat)
    players.leave(act, seat)


def bank(act: Act, command: at_table.TakeBank | at_table.PassBank) -> None:
    """Take or pass the bank for a walk-in who says so."""
    walk_in_at(act.standing.table, command.seat)
    act.at_table(command)


def mispay(act: Act, command: at_table.Mispay) -> None:
    """Note what a walk-in was handed in the round in play, or in the one that was played last."""
    round = act.standing.round
    lines = [
        line
        for line in (round.lines if round and not round.void else ())
        if (line.seat, line.wager) == (command.seat, command.wager)
    ]
    if round is None or not lines:
        message = "this wager hasn't been settled in this round or the one before it"
        raise Refused("not_due", message, field="wager")
    due = sum(line.paid + line.returned for line in lines)
    act.at_table(replace(command, round=round.id, due=due))
