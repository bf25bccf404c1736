"""What players may ask of a live table, and the house's own rules besides those of a round."""

from collections.abc import Callable, Mapping
from typing import NamedTuple, assert_never

from croupier.errors import Refused
from croupier.fairness.cut import CONTRIBUTIONS_MAX
from croupier.fairness.events import Contributed, Revealed
from croupier.house import dealer, said
from croupier.house.config import TableConfig
from croupier.house.seat_codes import CodeOf, check_code
from croupier.house.standing import Act, Returned, Standing, seats_of
from croupier.ledger.entries import FROM_PLAYERS, at_stake
from croupier.ledger.events import SeatFreed
from croupier.ledger.store import NOT_ENOUGH
from croupier.round import commands as in_round
from croupier.round.bets import BOXES, Lack, check_boxes, lack_of, makeable, seat_fee
from croupier.round.state import Box, Round
from croupier.rules.table_rules import TableRules
from croupier.rules.words import dollars
from croupier.table import commands as at_table


class Asking(NamedTuple):
    """Who asks, at which table, and what the decision depends on besides its standing."""

    player: str
    config: TableConfig
    purse_cents: Callable[[], int]
    closed: Callable[[], Mapping[str, str]]
    code_of: CodeOf


def perform(act: Act, message: said.Command, asking: Asking) -> None:
    """Do what a player asks, or refuse it."""
    if act.standing.table.rules.things:
        act.who = (asking.player,)
    if not isinstance(message, said.Sit | said.Contribute | said.Reveal):
        check_seat(act.standing, message.seat, asking.player)
    match message:
        case said.Sit(_, seat, code):
            _sit(act, seat, code, asking)
        case said.Leave(_, seat):
            leave(act, seat)
        case said.Bet():
            _bet(act, message, asking)
        case said.TakeDown(_, seat, wager):
            _open_round(act)
            if box := act.in_round(in_round.TakeDown(seat, wager)).boxes.get(seat):
                check_box(act.standing.table.rules, box)
        case said.Choose(_, seat, option):
            _open_round(act)
            act.in_round(in_round.Choose(seat, option))
        case said.Bank(_, seat, funds):
            _check_funds(act.standing, funds, asking.purse_cents())
            act.at_table(at_table.TakeBank(seat, funds))
        case said.Pass(_, seat):
            act.at_table(at_table.PassBank(seat))
        case said.Contribute():
            _contribute(act, message, asking.player)
        case said.Reveal():
            _reveal(act, message, asking.player)
        case _:
            assert_never(message)


def check_seat(standing: Standing, seat: int, player: str) -> None:
    """Refuse to act for a seat that isn't the player's."""
    if standing.table.seats.get(seat) != player:
        raise Refused("not_your_seat", f"you aren't sitting at seat {seat}", field="seat")


def _open_round(act: Act) -> Round:
    """Return the round that is open, or refuse what needs one."""
    round = act.standing.round
    if round is None or round.closed:
        raise Refused("no_round", "no round is open yet; the next one starts soon")
    return round


def _contribute(act: Act, message: said.Contribute, player: str) -> None:
    """Take the hash of a contribution to the cut, while bets are open."""
    if not seats_of(act.standing, player):
        raise Refused("not_your_seat", "take a seat to contribute to the cut", field="round")
    if _named_round(act, message.round).at > 0:
        raise Refused("bets_closed", "betting has closed; contribute to the next round")
    _check_room(act.standing, player)
    act.in_cut(Contributed(message.round, player, message.hash))


def _check_room(standing: Standing, player: str) -> None:
    """Leave room in the cut for everybody who took a seat before.

    Otherwise people who pass one seat on, and contribute in turn, could keep the others out.
    """
    cut, seated = standing.cut, [*dict.fromkeys(standing.table.seats.values())]
    before = seated[: seated.index(player)]
    waiting = sum(cut.of(other) is None for other in before)
    if cut.of(player) is None and len(cut.contributions) + waiting >= CONTRIBUTIONS_MAX:
        message = (
            f"a round takes at most {CONTRIBUTIONS_MAX} contributions, and the last places are "
            "kept for players who had a seat before you"
        )
        raise Refused("cut_full", message, field="hash")


def _reveal(act: Act, message: said.Reveal, player: str) -> None:
    """Take a contribution to the cut, from betting's close until the cards are dealt."""
    if _named_round(act, message.round).at == 0:
        raise Refused("bets_open", "keep your contribution to yourself until betting has closed")
    act.in_cut(Revealed(message.round, player, message.value))


def _named_round(act: Act, id: str) -> Round:
    """Return the round that is open, or refuse if a player named another."""
    round = _open_round(act)
    if round.id != id:
        message = f"{round.id} is in play, not the round you named"
        raise Refused("other_round", message, field="round")
    return round


def _sit(act: Act, seat: int, code: str, asking: Asking) -> None:
    config, rules = asking.config, act.standing.table.rules
    if seat > config.seats:
        message = f"this table has no seat {seat}; its seats are 1 to {config.seats}"
        raise Refused("no_such_seat", message, field="seat", clause=rules.table.clause)
    check_code(rules, seat, code, asking.code_of)
    mine = seats_of(act.standing, asking.player)
    # More than one box only where the rules say so.
    most = rules.table.boxes_max or 1
    if len(mine) >= most:
        message = f"you may play {most} {'box' if most == 1 else 'boxes'} at most here"
        raise Refused("too_many_boxes", message, field="seat", clause=rules.cited.get(BOXES))
    if mine and seat not in (min(mine) - 1, max(mine) + 1):
        message = "a player's boxes must be adjacent"
        raise Refused("boxes_apart", message, field="seat", clause=rules.cited.get(BOXES))
    act.at_table(at_table.Join(seat, asking.player))


def _bet(act: Act, message: said.Bet, asking: Asking) -> None:
    """Make bets that can stand beside those already made: all of them, or none."""
    seat, player, rules = message.seat, asking.player, act.standing.table.rules
    round = before = _open_round(act)
    closed = asking.closed() if rules.meters else {}
    for wager, cents in (message.wagers or {message.wager: message.cents}).items():
        if why := closed.get(wager):
            raise Refused("meter_out", why, field=wager)
        round = act.in_round(in_round.Bet(seat, player, wager, cents, message.hand))
    check_box(rules, round.boxes[seat])
    if rules.fee or rules.rake:
        more = at_stake(round)[player] - at_stake(before).get(player, 0)
        _check_charges(round, player, asking.purse_cents() - more)


def check_box(rules: TableRules, box: Box) -> None:
    """Refuse a seat's bets if they can't stand after a change to one of them.

    If two wagers need each other (Maryland 7.G(3)), the first may stand alone until bets close. A
    required wager that could have been made first is demanded at once.
    """
    lack = lack_of(rules, box)
    if lack and (not lack.others or lack.others & makeable(rules, without=lack.wager)):
        raise lack.refusal
    if rules.fee:
        seat_fee(rules, box)  # It refuses a bet above the last bracket.


def _check_charges(round: Round, player: str, left: int) -> None:
    """Refuse bets that leave too little for the house's charges when betting closes."""
    rules = round.rules
    boxes = [box for box in round.boxes.values() if box.player == player]
    fees = sum(seat_fee(rules, box) for box in boxes)
    raked = rules.rake.amount if rules.rake and rules.rake.payer in FROM_PLAYERS else 0
    if 0 <= left < fees + raked:  # Below zero, the store refuses the stake itself.
        due = rules.fee if fees else rules.rake
        text = f"you need {dollars(fees + raked)} more than your bets, for the house's charges"
        raise Refused(NOT_ENOUGH, text, field="purse", clause=due.clause if due else None)


def check_ready(standing: Standing, seat: int) -> None:
    """Refuse to close the bets of a seat while one of them can't stand."""
    if lack := lack_at(standing, seat):
        raise lack.refusal
    round, most = standing.in_play, standing.table.rules.table.boxes_max
    if round and most is not None and seat in round.boxes:
        check_boxes(round, most, player=round.boxes[seat].player)


def lack_at(standing: Standing, seat: int) -> Lack | None:
    """Return what a seat's bets still lack, while betting is open."""
    round = standing.in_play
    box = round.boxes.get(seat) if round and round.at == 0 else None
    return lack_of(standing.table.rules, box) if box else None


def leave(act: Act, seat: int) -> None:
    """Give a seat up; bets without cards come back."""
    if hand := hand_at(act.standing, seat):
        raise Refused("hand_in_play", hand, field="seat")
    round = act.standing.in_play
    if round and round.banker and round.banker.seat == seat:
        raise Refused("hand_in_play", "you bank the round in play", field="seat")
    if round and seat in round.boxes:
        dealer.take_down(act, seat)
    act.at_table(at_table.Leave(seat))


def hand_at(standing: Standing, seat: int) -> str:
    """Return why a seat can't be given up now, or an empty text."""
    round = standing.in_play
    if round and round.banker and round.banker.seat == seat and round.boxes:
        return "you bank the round in play"
    if round and seat in round.boxes and round.at > 0:
        return "a hand is in play at that seat; leave when the round is over"
    return ""


def clear(act: Act, seat: int, player: str, *, by: str = "") -> None:
    """Free a player's seat, for an operator if one is named; bets without cards come back."""
    if act.standing.table.seats.get(seat) != player:
        return  # The player has left meanwhile.
    round = act.standing.in_play
    if round and round.banker and round.banker.seat == seat and not round.boxes:
        # Its funds go back.
        dealer.call_off(act, "bank gone", "the banker left before anybody had bet")
    if by:
        act.in_ledger(SeatFreed(seat, player, by))
    leave(act, seat)


def _check_funds(standing: Standing, funds: int, purse: int) -> None:
    """Refuse a banker who can't put up the funds and pay the house's charges."""
    rules = standing.table.rules
    fee, rake = rules.fee, rules.rake
    raked = rake.amount if rake and rake.payer != "players" else 0
    if funds + (fee.banker if fee else 0) + raked > purse:
        message = "you don't have enough chips, fees included"
        raise Refused(NOT_ENOUGH, message, field="funds")


def put_right(act: Act, refused: Refused) -> None:
    """Return the bets that keep betting from being closed, or call the round off."""
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
        act.returned = Returned(player, refused)
        return
    if refused.code == NOT_ENOUGH:
        # This player can't pay a fee or the rake, so none of their bets stands.
        player = field.removeprefix("player:")
        for number, box in round.boxes.items():
            if box.player == player:
                dealer.take_down(act, number)
        if not (round.banker and round.banker.player == player):
            fee = act.standing.table.rules.fee or act.standing.table.rules.rake
            text = "you no longer have enough chips for the house's charges"
            why = Refused(NOT_ENOUGH, text, clause=fee.clause if fee else None)
            act.returned = Returned(player, why)
            return
    cause: in_round.Cause = "bank gone" if refused.code == NOT_ENOUGH else "interrupted"
    dealer.call_off(act, cause, f"the bets could not be closed: {refused.message}")
