"""What players may ask of a live table, beyond what its rules say of a round."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from croupier.errors import Bug, Refused
from croupier.ledger.entries import FROM_PLAYERS, at_stake
from croupier.ledger.store import NOT_ENOUGH
from croupier.round import commands as in_round
from croupier.round.bets import Lack, check_box, check_boxes, lack_of, seat_fee
from croupier.round.state import Round
from croupier.rules.words import dollars
from croupier.server import dealer
from croupier.server.config import TableConfig
from croupier.server.messages import Bank, Bet, Choose, Leave, Message, Pass, Sit, TakeDown
from croupier.server.standing import Act, Standing, seats_of
from croupier.table import commands as at_table


class Asking(NamedTuple):
    """Who asks, with what in the purse, at which table, and which wagers are closed there."""

    player: str
    config: TableConfig
    purse_cents: Callable[[], int]
    closed: Callable[[], Mapping[str, str]]


def perform(act: Act, message: Message, asking: Asking) -> None:
    """Do what a player asks, or refuse it."""
    player = asking.player
    if isinstance(message, Sit):
        _sit(act, message.seat, asking)
        return
    check_seat(act.standing, getattr(message, "seat", 0), player)
    match message:
        case Leave(_, seat):
            _leave(act, seat)
        case Bet(_, seat):
            _check_open(act)
            _bet(act, message, asking)
        case TakeDown(_, seat, wager):
            _check_open(act)
            act.in_round(in_round.TakeDown(seat, wager))
            if box := act.round.boxes.get(seat):
                check_box(act.standing.rules, box)
        case Choose(_, seat, option):
            _check_open(act)
            act.in_round(in_round.Choose(seat, option))
        case Bank(_, seat, funds):
            _check_funds(act.standing, funds, asking.purse_cents())
            act.at_table(at_table.TakeBank(seat, funds))
        case Pass(_, seat):
            act.at_table(at_table.PassBank(seat))
        case _:
            raise Bug(f"a table does not do {type(message).__name__}")


def check_seat(standing: Standing, seat: int, player: str) -> None:
    """Refuse to act for a seat that is somebody else's."""
    if standing.table.seats.get(seat) != player:
        raise Refused("not_your_seat", f"you do not sit at seat {seat}", field="seat")


def _check_open(act: Act) -> None:
    if act.standing.in_play is None:
        raise Refused("no_round", "no round is open; the next one will be soon")


def _sit(act: Act, seat: int, asking: Asking) -> None:
    config, rules = asking.config, act.standing.rules
    if seat > config.seats:
        message = f"there is no seat {seat}; they are 1 to {config.seats}"
        raise Refused("no_such_seat", message, field="seat", clause=rules.table.clause)
    mine = seats_of(act.standing, asking.player)
    # One box is everybody's; more only where they are declared.
    most = rules.table.boxes_max or 1
    if len(mine) >= most:
        message = f"a player has {most} {'box' if most == 1 else 'boxes'} here at most"
        raise Refused("too_many_boxes", message, field="seat", clause=rules.cited.get(BOXES))
    if mine and seat not in (min(mine) - 1, max(mine) + 1):
        message = "the boxes of one player are adjacent"
        raise Refused("boxes_apart", message, field="seat", clause=rules.cited.get(BOXES))
    act.at_table(at_table.Join(seat, asking.player))


def _bet(act: Act, message: Bet, asking: Asking) -> None:
    """Make bets that can stand beside what lies there, all of them or none."""
    seat, player, closed = message.seat, asking.player, asking.closed()
    before = act.round
    for wager, cents in message.stakes.items():
        if why := closed.get(wager):
            raise Refused("meter_out", why, field=wager)
        act.in_round(in_round.Bet(seat, player, wager, cents, message.hand))
    rules = act.standing.rules
    check_box(rules, act.round.boxes[seat])
    if rules.fee or rules.rake:
        more = at_stake(act.round)[player] - at_stake(before).get(player, 0)
        _check_charges(act.round, player, asking.purse_cents() - more)


def _check_charges(round: Round, player: str, left: int) -> None:
    """Refuse bets that leave too little for what the house charges when betting closes."""
    rules = round.rules
    boxes = [box for box in round.boxes.values() if box.player == player]
    fees = sum(seat_fee(rules, box) for box in boxes)
    raked = rules.rake.amount if rules.rake and rules.rake.payer in FROM_PLAYERS else 0
    if 0 <= left < fees + raked:  # With less than nothing left the store refuses the stake.
        due = rules.fee if fees else rules.rake
        text = f"you need {dollars(fees + raked)} besides your bets for what the house charges"
        raise Refused(NOT_ENOUGH, text, field="purse", clause=due.clause if due else None)


def check_ready(standing: Standing, seat: int) -> None:
    """Refuse to close the bets of a seat while one of them cannot stand."""
    if lack := lack_at(standing, seat):
        raise lack.refusal
    round, most = standing.in_play, standing.rules.table.boxes_max
    if round and most is not None and seat in round.boxes:
        check_boxes(round, most, player=round.boxes[seat].player)


def lack_at(standing: Standing, seat: int) -> Lack | None:
    """Return what a seat's bets lack while bets are open."""
    round = standing.in_play
    box = round.boxes.get(seat) if round and round.at == 0 else None
    return lack_of(standing.rules, box) if box else None


BOXES = "adjacent_boxes"
"""The selection that says how many boxes one player may have."""


def _leave(act: Act, seat: int) -> None:
    if hand := hand_at(act.standing, seat):
        raise Refused("hand_in_play", hand, field="seat")
    round = act.standing.in_play
    if round and round.banker and round.banker.seat == seat:
        raise Refused("hand_in_play", "the bank is in play", field="seat")
    if round and seat in round.boxes:
        dealer.take_down(act, seat)
    act.at_table(at_table.Leave(seat))


def hand_at(standing: Standing, seat: int) -> str:
    """Say what is in play at a seat and cannot be left alone, or nothing."""
    round = standing.in_play
    if round and round.banker and round.banker.seat == seat and round.boxes:
        return "the bank is in play"
    if round and seat in round.boxes and round.at > 0:
        return "a hand is in play there; leave when the round is over"
    return ""


def clear(act: Act, seat: int, player: str) -> None:
    """Free the seat of a player who does not do so; bets that are not yet dealt for come back."""
    if act.standing.table.seats.get(seat) != player:
        return  # The seat was given up meanwhile.
    round = act.standing.in_play
    if round and round.banker and round.banker.seat == seat and not round.boxes:
        # Its funds go back.
        dealer.call_off(act, "the banker left before anybody had bet against the bank")
    _leave(act, seat)


def _check_funds(standing: Standing, funds: int, purse: int) -> None:
    """Whoever banks has the funds, and what the house charges a banker."""
    rules = standing.rules
    fee, rake = rules.fee, rules.rake
    raked = rake.amount if rake and rake.payer != "players" else 0
    if funds + (fee.banker if fee else 0) + raked > purse:
        message = "you do not have so many chips, fees included"
        raise Refused(NOT_ENOUGH, message, field="funds")


class Returned(NamedTuple):
    """Bets that were given back to a player because they could not stand, and why."""

    player: str
    refused: Refused


def put_right(act: Act, refused: Refused) -> Returned | None:
    """Take away what keeps bets from being closed: bets that do not fit, or the whole round."""
    round, field = act.round, refused.field or ""
    seat, _, wager = field.removeprefix("seat ").partition(".")
    if field.startswith("seat ") and int(seat) in round.boxes:
        player = round.boxes[int(seat)].player
        if wager:
            act.in_round(in_round.TakeDown(int(seat), wager))
            while lack := lack_at(act.standing, int(seat)):
                act.in_round(in_round.TakeDown(int(seat), lack.wager))
        else:
            dealer.take_down(act, int(seat))
        return Returned(player, refused)
    if refused.code == NOT_ENOUGH:
        # A fee or rake finds an empty purse: no bet of this player's stands.
        player = field.removeprefix("player:")
        for number, box in round.boxes.items():
            if box.player == player:
                dealer.take_down(act, number)
        if not (round.banker and round.banker.player == player):
            fee = act.standing.rules.fee or act.standing.rules.rake
            text = "you no longer have what the house charges for them"
            return Returned(player, Refused(NOT_ENOUGH, text, clause=fee.clause if fee else None))
    dealer.call_off(act, f"the bets could not be closed: {refused.message}")
    return None
