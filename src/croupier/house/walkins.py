"""What dealer and clerk enter for walk-ins: seats, bets, the bank, wrong payments."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from croupier.errors import Refused
from croupier.house import players
from croupier.house.standing import Act, Standing
from croupier.ledger.found import PastHand
from croupier.round import commands as in_round
from croupier.round.state import Round
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


def mispaid(standing: Standing, command: at_table.Mispay, past: PastHand | None) -> at_table.Mispay:
    """Return a mispay with its round, whose wager it was and what was due.

    It is of the round in play or the one that was played last, if it doesn't name another one;
    `past` is the hand of that one.
    """
    round, seat = standing.round, command.seat
    id = command.round or (round.id if round else "")
    found = _hand(round, seat) if round and round.id == id else past
    if found is None or command.wager not in found.due:
        message = f"this wager wasn't settled in {id or 'any round'}; name the round that it was in"
        raise Refused("not_due", message, field="wager")
    due = found.due[command.wager]
    return replace(command, round=id, due=due, player=found.player)


def _hand(round: Round, seat: int) -> PastHand | None:
    if round.void or seat not in round.boxes:
        return None
    due: Counter[str] = Counter()
    for line in round.lines:
        if line.seat == seat:
            due[line.wager] += line.paid + line.returned
    return PastHand(round.boxes[seat].player, due)
