"""Decide a command at a table: return the events that follow, or refuse it.

Each command's checks run in a fixed order, and a refused command changes nothing. Before a round
they cover: a round in play, the players, the devices, then the deck (its turn, presence, age,
confirmations, shuffle and cut), the count of the stub, and the bank.
"""

from typing import assert_never

from croupier.errors import Refused
from croupier.rules.table_rules import TableRules
from croupier.table import commands, devices, disputes, life, walkins
from croupier.table import events as happened
from croupier.table.commands import Command
from croupier.table.crew import POSTS, check_post
from croupier.table.decks import DeckCommand, check_ready, check_real, decide_deck
from croupier.table.devices import check_devices, check_works
from croupier.table.events import Event
from croupier.table.life import check_between, check_open
from croupier.table.proposals import (
    ProposalCommand,
    check_not_stopped,
    check_stranger,
    decide_proposal,
)
from croupier.table.state import InPlay, Table, bank_order, has_banked_enough, uses


def decide(table: Table, command: Command) -> tuple[Event, ...]:
    """Return the events that a command causes, or raise Refused."""
    if isinstance(command, DeckCommand):
        return decide_deck(table, command)
    if isinstance(command, ProposalCommand):
        return decide_proposal(table, command)
    match command:
        case commands.Join():
            return (_join(table, command),)
        case commands.SeatWalkIn():
            return (_join(table, commands.Join(command.seat, walkins.next_walk_in(table))),)
        case commands.Mispay():
            return (walkins.mispay(table, command),)
        case commands.CorrectPay():
            return (walkins.correct_pay(table, command),)
        case commands.Dispute():
            return (disputes.dispute(table, command),)
        case commands.LetStand():
            return (disputes.let_stand(table, command),)
        case commands.SetRight():
            return (disputes.set_right(table, command),)
        case commands.Leave():
            return (_leave(table, command),)
        case commands.Idle():
            return (_say_idle(table, command),)
        case commands.Fail(device, usable):
            return (devices.fail(table, device, usable=usable),)
        case commands.Secure():
            return (devices.secure(table, command),)
        case commands.Restore():
            return (devices.restore(table, command.device),)
        case commands.Change():
            return (devices.change(table, command),)
        case commands.TakeBank():
            return (_take_bank(table, command),)
        case commands.PassBank():
            return (_pass_bank(table, command),)
        case commands.StartRound():
            return (_start(table, command),)
        case commands.DealFirstCard():
            return (_deal_first(table, command),)
        case commands.EndRound():
            return _end(table, command)
        case commands.UndoRound():
            return (_undo(table, command),)
        case commands.CountTray():
            return life.count_tray(table, command)
        case commands.OpenTable():
            return (life.open_table(table, command.sign),)
        case commands.CloseTable():
            return (life.close_table(table),)
        case commands.MoveChips():
            return (life.move_chips(table, command),)
        case commands.TapIn():
            return (_tap_in(table, command),)
        case commands.TapOut():
            return (_tap_out(table, command),)
    assert_never(command)


# ---------------------------------------------------------------- seats


def _join(table: Table, command: commands.Join) -> happened.Joined:
    seats, seat = table.rules.table, command.seat
    if not 1 <= seat <= seats.seats:
        message = f"there is no seat {seat}; they are 1 to {seats.seats}"
        raise Refused("no_such_seat", message, field="seat", clause=seats.clause)
    if seat in table.seats:
        raise Refused("seat_taken", f"seat {seat} is taken", field="seat")
    if table.crew.post_of(command.player):
        raise Refused("plays_here", "you work at this table, so you can't play at it")
    return happened.Joined(seat, command.player)


def _leave(table: Table, command: commands.Leave) -> happened.Left:
    _player_at(table, command.seat)
    return happened.Left(command.seat)


def _player_at(table: Table, seat: int) -> str:
    if seat not in table.seats:
        raise Refused("seat_empty", f"nobody sits at seat {seat}", field="seat")
    return table.seats[seat]


# ---------------------------------------------------------------- the crew


def _tap_in(table: Table, command: commands.TapIn) -> happened.TappedIn:
    crew, person, post = table.crew, command.person, command.post
    if "dealer" not in table.rules.things:
        cited = table.rules.ruling_on("things")
        raise Refused("no_people", "an automatic table has no staff", clause=cited)
    check_stranger(table, person)
    if (own := crew.post_of(person)) is not None:
        raise Refused("tapped_in", f"you work here already, as the {own}", field="post")
    if post == "clerk" and not crew.dealer:
        raise Refused(
            "no_dealer", "a clerk helps a dealer, and this table has none now", field="post"
        )
    if outgoing := crew.at(post):
        if post == "dealer" and table.round and table.round.dealt:
            message = "the dealer hands over before 'no more bets', or after the round"
            raise Refused("round_open", message, field="post")
        # A floorperson who isn't there any more is relieved by any other.
        agrees = command.agreed in (outgoing, crew.floor) or (post == "floor" and command.agreed)
        if command.agreed == person or not agrees:
            message = f"the {post} who is here, or the floorperson, has to agree to a handover"
            raise Refused("needs_approval", message, field="post")
    return happened.TappedIn(person, post, command.agreed if outgoing else "")


def _tap_out(table: Table, command: commands.TapOut) -> happened.TappedOut:
    post = check_post(table.crew, command.person, POSTS)
    if post == "dealer" and table.round and table.round.dealt and not command.dismissed:
        raise Refused("round_open", "finish the round first, or hand over before it")
    return happened.TappedOut(command.person)


def _say_idle(table: Table, command: commands.Idle) -> happened.Idled:
    # 5.H: players may keep their seats and not play.
    check_real(table)
    check_between(table)
    asked = table.rules.guided.get("idle", ())
    if not asked:
        raise Refused("not_due", "this book has no routine for an idle table")
    if command.by != "floorperson":
        message = f"only a floorperson can note that the table is idle, not the {command.by}"
        raise Refused("wrong_person", message, field="by", clause=asked[0])
    return happened.Idled(command.by)


# ---------------------------------------------------------------- the bank


def _bank_clause(rules: TableRules) -> str:
    return rules.bank.rotation.clause if rules.bank.rotation else rules.bank.clause


def _check_turn(table: Table, seat: int) -> str:
    """Return the player at a seat whose turn it is to bank, or refuse."""
    check_between(table)
    rules = table.rules
    if rules.banked_by == "house":
        raise Refused("house_banks", "the house banks this game", clause=rules.bank.clause)
    player, clause = _player_at(table, seat), _bank_clause(rules)
    rotation = rules.bank.rotation
    if rotation and not rotation.stays and has_banked_enough(table, player):
        message = f"{player} has banked {rotation.rounds_max} rounds running"
        raise Refused("banked_enough", message, field="seat", clause=clause)
    # A player who has taken the bank keeps it, even if somebody sits down ahead of them.
    order = (table.banker.seat,) if table.banker else bank_order(table)
    if order[:1] != (seat,):
        turn = f"seat {order[0]}'s turn" if order else "nobody's turn"
        raise Refused("not_your_turn", f"it is {turn} to bank", field="seat", clause=clause)
    return player


def _take_bank(table: Table, command: commands.TakeBank) -> happened.BankTaken:
    player = _check_turn(table, command.seat)
    if command.funds <= 0:
        raise Refused("no_money", "the banker must put up funds", field="funds")
    return happened.BankTaken(command.seat, player, command.funds)


def _pass_bank(table: Table, command: commands.PassBank) -> happened.BankPassed:
    player, rotation = _check_turn(table, command.seat), table.rules.bank.rotation
    if rotation and not rotation.passes:
        raise Refused("no_pass", "this book doesn't let you pass the bank", clause=rotation.clause)
    return happened.BankPassed(command.seat, player)


# ---------------------------------------------------------------- rounds


def _start(table: Table, command: commands.StartRound) -> happened.RoundStarted:
    rules, number = table.rules, table.deck_turn
    check_between(table)
    check_not_stopped(table)
    check_open(table)
    if len(table.seats) < rules.table.seats_min:
        message = f"at least {rules.table.seats_min} seats must be taken"
        raise Refused("too_few", message, clause=rules.table.clause)
    _check_dealing(table)
    if command.deck not in (None, number):
        message = f"it is deck {number}'s turn, not deck {command.deck}'s"
        clause = rules.deck.alternates or rules.deck.clause
        raise Refused("wrong_deck", message, field="deck", clause=clause)
    deck = check_ready(table, number, command.time)
    if rules.deck.stub_count and table.count_due:
        message = "the stub has to be counted before another round is dealt from this deck"
        raise Refused("count_due", message, clause=rules.deck.stub_count.clause)
    if rules.banked_by == "player" and table.banker is None:
        raise Refused("no_banker", "nobody has taken the bank", clause=_bank_clause(rules))
    return happened.RoundStarted(command.round, command.time, number, deck.order, table.banker)


def _check_dealing(table: Table) -> None:
    check_devices(table)
    if uses(table.rules, "shoe"):
        check_works(table, "shoe")


def _in_play(table: Table) -> InPlay:
    if table.round is None:
        raise Refused("no_round", "no round was started")
    return table.round


def _deal_first(table: Table, command: commands.DealFirstCard) -> happened.FirstCardDealt:
    playing = _in_play(table)
    if playing.dealt:
        raise Refused("already_dealt", "the first card of the round is dealt")
    # Betting took time, and the deck may have been recut: check everything again.
    _check_dealing(table)
    deck = check_ready(table, playing.deck, command.time)
    return happened.FirstCardDealt(playing.id, command.time, playing.deck, deck.order)


def _end(table: Table, command: commands.EndRound) -> tuple[Event, ...]:
    playing = _in_play(table)
    if command.round != playing.id:
        message = f"the round in play is {playing.id!r}"
        raise Refused("no_round", message, field="round")
    meters = {} if command.void else command.meters
    events: list[Event] = [
        happened.RoundEnded(
            playing.id,
            playing.deck,
            command.void,
            command.counted,
            meters,
            command.chips,
            command.bets,
        )
    ]
    for number in table.decks if command.removed else ():
        if command.all_decks or number == playing.deck:
            events.append(happened.DeckRemoved(number, command.removed or ""))
    failed = (d for d in command.failed if uses(table.rules, d) and d not in table.out)
    return (*events, *(devices.fail(table, device, usable=None) for device in failed))


def _undo(table: Table, command: commands.UndoRound) -> happened.RoundUndone:
    check_between(table)
    return happened.RoundUndone(command.round, command.meters, command.chips)
