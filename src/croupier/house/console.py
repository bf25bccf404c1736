"""What the people who work at a table may ask of it: dealer, clerk, floor, surveillance.

A command arrives as the round and the table know it. What chance, time and meters decide is filled
in here: cards come from the deck that was committed to, never from a message.
"""

from dataclasses import replace
from typing import assert_never

from croupier.errors import Bug, Refused
from croupier.fairness.commitment import Committed
from croupier.house import dealer, proposals, said, shoe, walkins
from croupier.house.asking import StaffAsking
from croupier.house.authority import (
    OPENING,
    answering,
    check_declares,
    check_may,
    check_proposer,
    working,
)
from croupier.house.handover import check_handover, tap_in, tap_out
from croupier.house.proposals import Proposable, preview, proposable
from croupier.house.standing import Act, Standing
from croupier.ledger.events import BalanceAdjusted, MeterAdjusted, TableSet
from croupier.round import bots
from croupier.round import commands as in_round
from croupier.round.faces import shown_next
from croupier.round.order import is_read
from croupier.round.state import is_walk_in
from croupier.rules.table_rules import TableRules
from croupier.table import commands as at_table
from croupier.table.commands import Preview
from croupier.table.crew import PERSON

SECONDED = (
    in_round.Declare,
    in_round.Validate,
    in_round.Correct,
    in_round.CorrectStake,
    in_round.CorrectChoice,
    in_round.ByHand,
    at_table.Mispay,
    at_table.CorrectPay,
    at_table.Recall,
    at_table.SetRight,
    at_table.MoveChips,
    MeterAdjusted,
    BalanceAdjusted,
)
"""The commands that take two people, at times or always."""
SEVERAL = (in_round.Bet, in_round.Choose)
"""The commands of which several are given at once: what walk-ins bet and decide."""


def perform(act: Act, message: said.StaffCommand, asking: StaffAsking) -> None:
    """Carry out or refuse a staff member's request."""
    match message:
        case said.TapIn(_, post):
            tap_in(act, post, asking)
        case said.TapOut():
            tap_out(act, asking)
        case said.Do(_, of, command):
            _act(act, proposable(of, command), asking)
        case said.DoAll(_, commands):
            for command in commands:
                what = proposable("round", command)
                _check_several(what)
                _act(act, what, asking)
        case said.Propose(_, of, command, why):
            what = proposable(of, command)
            by = working(act, asking, what.command)
            check_may(act, what, asking)
            what = _filled(act.standing, what, asking)
            approvers = asking.config.approvers
            seen = preview(act.standing, what, approvers)
            check_declares(act, what, asking, approve=seen.approve)
            proposals.propose(act, what, why, by=by, time=asking.time, approvers=approvers)
        case said.Approve(_, proposal):
            check_proposer(act.standing, proposal, asking)
            check_handover(act.standing, proposal, asking)
            by = answering(act.standing, proposal, asking)
            approvers = asking.config.approvers
            proposals.approve(act, proposal, by=by, time=asking.time, approvers=approvers)
        case said.Withdraw(_, proposal):
            act.who = (asking.person,)
            act.at_table(at_table.Withdraw(proposal, working(act, asking)))
        case said.Decline(_, proposal, why):
            act.who = (asking.person,)
            by = answering(act.standing, proposal, asking)
            act.at_table(at_table.Decline(proposal, by, why))
        case _:
            assert_never(message)


def preview_of(standing: Standing, message: said.Preview, asking: StaffAsking) -> Preview:
    """Return what a command would do now, or refuse it as it would be refused."""
    act, what = Act(standing), proposable(message.of, message.command)
    check_may(act, what, asking)
    if isinstance(what.command, at_table.CountTray):
        # What it would do depends on the other's figure, so somebody could guess until it fits.
        raise Refused("not_allowed", "nobody is told the other's figure", field="command")
    return proposals.preview(standing, _filled(standing, what, asking), asking.config.approvers)


def _check_several(what: Proposable) -> None:
    """Refuse a command that is given alone."""
    if not isinstance(what.command, SEVERAL):
        name = type(what.command).__name__
        message = f"{name} can't be combined with other commands; send it by itself"
        raise Refused("not_allowed", message, field="commands")


def _act(act: Act, what: Proposable, asking: StaffAsking) -> None:
    post, command = check_may(act, what, asking), what.command
    act.who = (asking.person,)
    if asking.stopped and isinstance(command, OPENING):
        raise Refused("table_closed", f"no round starts here: {asking.stopped}")
    match command:
        case at_table.StartRound():
            if not act.standing.table.crew.dealer:
                raise Refused("no_dealer", "no round starts before a dealer has tapped in")
            _open_round(act, asking)
        case at_table.DealFirstCard():
            _deal_first(act, asking)
        case in_round.Deal():
            if is_read(act.standing.table.rules):
                shoe.deal(act)
            else:
                dealer.deal(act, _deck(act, asking), time=asking.time)
        case in_round.Read():
            shoe.read(act, command, post=post, config=asking.config)
        case in_round.Bet():
            walkins.bet(act, command, asking.closed())
        case at_table.Dispute(seat, id):
            _check_past(command, asking)
            act.at_table(replace(command, player=_player_of(act.standing, id, seat, asking)))
        case at_table.Leave(seat):
            walkins.leave(act, seat)
        case at_table.TakeBank() | at_table.PassBank():
            walkins.bank(act, command)
        case in_round.Show():
            _show(act, _deck(act, asking))
        case in_round.Choose():
            _choose(act, command, asking)
        case in_round.Settle():
            if command.seat is None:
                raise Refused("no_such_seat", "name the seat to settle", field="seat")
            shoe.settle(act, command, config=asking.config)
        case in_round.Close():
            shoe.close(act)
        case in_round.Confirm():
            act.in_round(replace(command, by=PERSON[post]))
        case in_round.TakeDown() | in_round.CloseBets() | in_round.Misread() | in_round.CountStub():
            act.in_round(command)
        case _ if isinstance(command, SECONDED):
            what = _filled(act.standing, what, asking)
            proposals.check_alone(act.standing, what, asking.config.approvers)
            check_declares(act, what, asking)
            proposals.do(act, what)
        case (
            at_table.Confirm()
            | at_table.Recut()
            | at_table.OrderShuffle()
            | at_table.Idle()
            | at_table.Secure()
            | at_table.CountTray()
        ):
            act.at_table(replace(command, by=PERSON[post]))
        case at_table.Receive():
            act.at_table(replace(command, time=asking.time))
        case at_table.Change(digest):
            _change(act, asking.config.equipment_set(digest))
        case _:
            act.at_table(_alone(command, act.standing.table.rules))


def _alone(command: object, rules: TableRules) -> at_table.Command:
    """Return a command of the table that has no fields to fill in."""
    match command:
        case at_table.Shuffle() | at_table.Cut() if "cards" not in rules.things:
            cited = rules.ruling_on("things")
            raise Refused("no_cards", "the program shuffles and cuts virtual cards", clause=cited)
        case (
            at_table.SeatWalkIn()
            | at_table.Shuffle()
            | at_table.Cut()
            | at_table.Count()
            | at_table.Fail()
            | at_table.Restore()
            | at_table.OpenTable()
            | at_table.CloseTable()
            | at_table.LetStand()
        ):
            return command
    raise Bug(f"nothing is done about {type(command).__name__}")


def _filled(standing: Standing, what: Proposable, asking: StaffAsking) -> Proposable:
    """Return a command with what the house knows and nobody enters."""
    if isinstance(what.command, at_table.Recall):
        _check_past(what.command, asking)
        virtual = "cards" not in standing.table.rules.things
        hidden = virtual and asking.past is not None and asking.past.hidden
        return what._replace(command=replace(what.command, hidden=hidden))
    if not isinstance(what.command, at_table.Mispay):
        return what
    if what.command.round:
        _check_past(what.command, asking)
    command = walkins.mispaid(standing, what.command, asking.past)
    return what._replace(command=command)


def _player_of(standing: Standing, round: str, seat: int, asking: StaffAsking) -> str:
    """Return whose hand a round had at a seat; another player may sit there by now."""
    last = standing.round
    box = last.boxes.get(seat) if last and last.id == round else None
    if box:
        return box.player
    if asking.past is None:
        message = f"nobody is known to have played at seat {seat} in {round}"
        raise Refused("seat_empty", message, field="seat")
    return asking.past.player


def _check_past(
    command: at_table.Recall | at_table.Dispute | at_table.Mispay, asking: StaffAsking
) -> None:
    """Refuse a hand of a round or a seat that the table never had."""
    seats = asking.config.rules.table
    if not 1 <= command.seat <= seats.seats:
        message = f"there is no seat {command.seat}"
        raise Refused("no_such_seat", message, field="seat", clause=seats.clause)
    stem, _, number = command.round.rpartition("-")
    next_ = int(asking.round.rpartition("-")[2])
    is_here = stem == asking.config.id or stem.startswith(f"{asking.config.id}-")
    if not (is_here and number.isdecimal() and 1 <= int(number) < next_):
        raise Refused("no_such_round", f"no round {command.round} was played here", field="round")


def _change(act: Act, setting: TableSet | None) -> None:
    """Go on with other equipment; the journal says by which rules."""
    if setting is None:
        raise Refused("no_such_rules", "the table has no such equipment", field="digest")
    act.set_equipment(setting)


def _open_round(act: Act, asking: StaffAsking) -> None:
    time, meters, id = asking.time, asking.meters(), asking.round
    if is_read(act.standing.table.rules):
        shoe.open_round(act, id, time=time, meters=meters)
    else:
        dealer.open_round(act, id, time=time, meters=meters, chance=asking.chance)


def _deal_first(act: Act, asking: StaffAsking) -> None:
    """Say that the first card is dealt; the program deals virtual cards at once."""
    rules = act.standing.table.rules
    if not is_read(rules):
        message = "the program deals virtual cards, all of them at once"
        raise Refused("no_cards", message, clause=rules.ruling_on("things"))
    if act.standing.in_play is None:
        raise Refused("no_round", "no round is open yet", clause=rules.sequence[0][1].clause)
    shoe.deal_first(act, time=asking.time)


def _show(act: Act, deck: Committed) -> None:
    """Turn up the cards that are due: at the settlement, those that the next seat needs."""
    due = shown_next(act.round)
    shown = dealer.play_of(act.standing, deck).due()
    faces = [face for face in shown.faces if face.position in due] if shown else []
    if not faces:
        clause = act.round.step.clause if act.round.step else None
        raise Refused("not_due", "no card is to be turned up now", clause=clause)
    act.in_round(in_round.Show(tuple(faces)))


def _choose(act: Act, command: in_round.Choose, asking: StaffAsking) -> None:
    """Enter what a walk-in says, or the posted choice of a player whose screen is gone (M13).

    Nobody has read the hand of such a player, so the posted choice there risks nothing more.
    """
    seat, rules = command.seat, act.standing.table.rules
    box = act.round.boxes.get(seat)
    if box and box.player in asking.present:
        raise Refused("player_decides", f"the player at seat {seat} is there and decides")
    if not is_read(rules):
        dealer.choose_for(act, seat, _deck(act, asking), rich=True, by=dealer.POSTED)
        return
    round = act.round
    is_gone = seat in round.asked and not is_walk_in(round.boxes[seat].player)
    act.in_round(command._replace(by=dealer.POSTED if is_gone else "dealer"))
    posted = bots.choose(round, seat, round.faces) if is_gone else command.option
    if command.option != posted:
        message = f"seat {seat}'s player is gone, so only the posted choice is made: {posted!r}"
        clause = rules.sequence[round.at][1].option[posted].clause
        raise Refused("player_decides", message, field="option", clause=clause)


def _deck(act: Act, asking: StaffAsking) -> Committed:
    """Return the deck of the round in play; an act that comes with another round's is too late."""
    if act.standing.in_play is None:
        raise Refused("no_round", "no round is open")
    if is_read(act.standing.table.rules):
        cited = act.standing.table.rules.ruling_on("reading")
        raise Refused("cards_there", "turn the cards up and read them one by one", clause=cited)
    if asking.deck is None or asking.deck.commitment.round != act.round.id:
        raise Refused("overtaken", "the table has moved on")
    return asking.deck
