"""Decide a command: return the events that follow, or refuse it with the clause.

Each command's checks run in a fixed order: is it time, is it this seat's turn, is it offered, is it
allowed. A refused command changes nothing.
"""

from collections.abc import Container, Mapping
from typing import assert_never

from croupier.errors import Refused, quoted
from croupier.money import micros
from croupier.round import commands
from croupier.round import events as happened
from croupier.round.bets import check_bet, check_seats, fees, rises
from croupier.round.by_hand import enter
from croupier.round.commands import Command
from croupier.round.corrections import correct_choice, correct_stake
from croupier.round.dealing import deal_plan
from croupier.round.duties import check_before, check_duties, next_duty
from croupier.round.events import Event
from croupier.round.evolve import evolve
from croupier.round.faces import (
    check_doubt,
    correct_card,
    count_stub,
    found_in_shoe,
    misread,
    read_card,
    stub_facts,
)
from croupier.round.irregularity import check_late, check_time, consequence_of
from croupier.round.plan import plan_of
from croupier.round.settling import close, return_everything, settle_all, settle_seat
from croupier.round.stages import Stage
from croupier.round.state import Duty, Round, about_seat
from croupier.rules.game import Consequence
from croupier.rules.vocabulary import ACTION, StepKind


def decide(round: Round, command: Command) -> tuple[Event, ...]:
    """Return the events that a command causes, or raise Refused."""
    if round.closed and not isinstance(command, commands.Declare):
        raise Refused("round_over", "the round is over")
    if round.doubt:
        check_doubt(round, command)
    if round.todo:
        check_duties(round, command)
    match command:
        case commands.Show():
            return _show(round, command)
        case commands.Bet():
            return _bet(round, command)
        case commands.Choose():
            return _choose(round, command)
        case commands.Settle():
            return _settle(round, command)
        case commands.Open():
            return _open(round, command)
        case commands.CloseBets():
            return _close_bets(round, command)
        case commands.Deal():
            return _deal(round)
        case commands.Close():
            return _close(round)
        case commands.Validate():
            return (_validate(round, command),)
        case commands.Read():
            return read_card(round, command)
        case commands.Misread():
            return misread(round, command)
        case commands.Correct():
            return correct_card(round, command)
        case commands.CountStub():
            return count_stub(round, command)
        case commands.CorrectStake():
            return (correct_stake(round, command),)
        case commands.CorrectChoice():
            return (correct_choice(round, command),)
        case commands.ByHand():
            return enter(round, command, decide)
        case commands.Bank():
            return _bank(round, command)
        case commands.TakeDown():
            return _take_down(round, command)
        case commands.Declare():
            return _declare(round, command)
        case commands.CallOff():
            return _call_off(round, command)
        case commands.Confirm():
            return _confirm(round, command)
    assert_never(command)


def _expect(round: Round, do: StepKind) -> Stage:
    """Return the current step, or refuse a command that it doesn't take."""
    stage = round.stage
    if stage and stage.do == do and not round.void:
        return stage
    if round.void:
        raise Refused("void", "the round is void", clause=round.void.clause or None)
    if stage is None:
        raise Refused("wrong_step", "the round isn't open yet")
    raise Refused("wrong_step", _UNTIL[stage.do], clause=stage.step.clause)


_UNTIL: dict[StepKind, str] = {
    "bets": "betting is still open",
    "deal": "the cards have yet to be dealt",
    "decide": "players are still deciding",
    "reveal": "cards have yet to be turned up",
    "settle": "the round has yet to be settled",
}
"""The refusal in each kind of step of a command that is too early or too late."""


# ---------------------------------------------------------------- bets


def _open(round: Round, command: commands.Open) -> tuple[Event, ...]:
    if round.stage:
        raise Refused("already_open", "the round is open already")
    if command.meters:
        _check_meters(round, command.meters)
    shown: dict[str, int] = {}
    for id, meter in round.rules.meters.items():
        if id in command.meters:
            shown[id] = command.meters[id]
        elif meter.initial is not None:
            shown[id] = micros(meter.initial)
    rules = round.rules
    return (happened.Opened(command.round, rules.rulebook, rules.digest, shown, command.counts),)


def _check_meters(round: Round, readings: Mapping[str, int]) -> None:
    for id, reading in readings.items():
        if id not in round.rules.meters:
            raise Refused("no_such_meter", "is not a meter of this table", field=f"meters.{id}")
        if reading < 0:
            raise Refused("no_money", "can't be negative", field=f"meters.{id}")


def _bets_open(round: Round, *, withdraws: bool = False) -> Stage:
    stage = round.stage
    if stage and not round.void:
        if stage.at == 0:
            return stage
        _, bets = round.rules.sequence[0]
        clause = bets.stands if withdraws and bets.stands else bets.closed
        raise Refused("bets_closed", "betting has closed", clause=clause)
    return _expect(round, "bets")


def _bank(round: Round, command: commands.Bank) -> tuple[Event, ...]:
    _bets_open(round)
    rules = round.rules
    if rules.banked_by == "house":
        raise Refused("house_banks", "the house banks this game", clause=rules.bank.clause)
    if not 1 <= command.seat <= rules.table.seats:
        raise _no_such_seat(round, command.seat)
    if command.seat in round.boxes:
        message = f"seat {command.seat} bets, so it can't bank"
        raise Refused("banker_bets", message, clause=rules.bank.clause)
    if round.banker and round.banker.player != command.player:
        message = f"seat {round.banker.seat} banks already"
        raise Refused("bank_taken", message, field="seat", clause=rules.bank.clause)
    if any(box.player == command.player for box in round.boxes.values()):
        raise Refused("banker_bets", "a player who bets can't bank", clause=rules.bank.clause)
    if command.funds <= 0:
        raise Refused("no_money", "the banker must put up funds", field="funds")
    return (happened.Banked(command.seat, command.player, command.funds),)


def _no_such_seat(round: Round, seat: int) -> Refused:
    table = round.rules.table
    message = f"there is no seat {seat}; seats go from 1 to {table.seats}"
    return Refused("no_such_seat", message, field="seat", clause=table.clause)


def _bet(round: Round, command: commands.Bet) -> tuple[Event, ...]:
    seat, player, wager, cents, hand = command
    if cents not in _box_open(round, seat, player, hand=hand).get(wager, ()):
        check_bet(round.rules, wager, cents)
    return (happened.BetMade(*command),)


def decide_bets(
    round: Round, box: tuple[int, str, int | None], wagers: Mapping[str, int]
) -> list[Event]:
    """Return the events of several bets of one box, as if each were decided by itself.

    The box is given by its seat, its player and the shared hand that it bets on.
    """
    seat, player, hand = box
    stakes = _box_open(round, seat, player, hand=hand)
    made: list[Event] = []
    for wager, cents in wagers.items():
        if cents not in stakes.get(wager, ()):
            check_bet(round.rules, wager, cents)
        made.append(happened.BetMade(seat, player, wager, cents, hand))
    return made


def _box_open(
    round: Round, seat: int, player: str, *, hand: int | None
) -> Mapping[str, Container[int]]:
    """Return the stakes that each wager takes, or refuse any bet by this player at this seat."""
    stage, banker = round.stage, round.banker
    if stage is None or stage.at > 0 or round.void:
        stage = _bets_open(round)  # This refuses with the reason.
    if not 1 <= seat <= stage.seats:
        raise _no_such_seat(round, seat)
    if banker and seat == banker.seat:
        message = f"seat {seat} banks, so it can't bet"
        raise Refused("banker_bets", message, clause=round.rules.bank.clause)
    if banker and player == banker.player:
        message = "the banker can't bet at another seat"
        raise Refused("banker_bets", message, clause=round.rules.bank.clause)
    box = round.boxes.get(seat)
    if box is None:
        if hand is not None or stage.shared:
            _check_hand(round, hand)
    elif box.player != player or box.hand != hand:
        raise Refused("seat_taken", f"seat {seat} is taken", field="seat")
    return stage.stakes


def _check_hand(round: Round, hand: int | None) -> None:
    """Require the shared hand that a seat bets on where hands are shared, and only there."""
    place = round.rules.shared
    if place is None:
        if hand is not None:
            raise Refused("no_shared_hands", "this table has no shared hands", field="hand")
        return
    if hand is None or not 1 <= hand <= place.hands:
        message = f"must be the number of a shared hand, 1 to {place.hands}"
        raise Refused("no_such_hand", message, field="hand", clause=place.clause)


def _take_down(round: Round, command: commands.TakeDown) -> tuple[Event, ...]:
    _bets_open(round, withdraws=True)
    box = round.boxes.get(command.seat)
    spots = round.rules.spots.get(command.wager, ())
    if box is None or not any(spot in box.stakes for spot in spots):
        raise Refused("no_such_bet", "there is no such wager to take down", field=command.wager)
    return (happened.BetTakenDown(command.seat, command.wager),)


def _close_bets(round: Round, command: commands.CloseBets) -> tuple[Event, ...]:
    _expect(round, "bets")
    check_seats(round)
    if command.action is not None:
        if plan_of(round.rules).order != ACTION:
            raise Refused("no_action", "this book has no action seat", field="action")
        if command.action not in round.boxes:
            raise Refused("no_action", f"seat {command.action} has no wager", field="action")
    return (happened.BetsClosed(rises(round), fees(round), command.action),)


# ---------------------------------------------------------------- cards and choices


def _deal(round: Round) -> tuple[Event, ...]:
    stage = _expect(round, "deal")
    if round.due:
        message = "the card that was found face up has yet to be read"
        raise Refused("cards_hidden", message, clause=stage.step.clause)
    return (happened.Dealt(deal_plan(round)),)


def _show(round: Round, command: commands.Show) -> tuple[Event, ...]:
    faces, due, seen = command.faces, [*round.due], {*round.faces.values()}
    for position, card, _, _ in faces:
        if position not in due:
            message = f"the card at position {position + 1} isn't due to be shown"
            clause = round.step.clause if round.step else None
            raise Refused("not_due", message, clause=clause)
        if card in seen:
            raise Refused("card_doubled", f"{card} has been shown before", field="cards")
        due.remove(position)
        seen.add(card)
    return faces


def _choose(round: Round, command: commands.Choose) -> tuple[Event, ...]:
    stage = _expect(round, "decide")
    step = stage.step
    if round.due:
        raise Refused("cards_hidden", "a card has yet to be turned up", clause=step.clause)
    seat, option, by = command
    asked = round.asked
    if seat not in asked:
        message = f"seat {seat} has nothing to decide"
        raise Refused("no_decision", message, field="seat", clause=step.clause)
    if asked[0] != seat:
        message = f"it is seat {asked[0]}'s turn, not seat {seat}'s"
        raise Refused("not_your_turn", message, field="seat", clause=step.clause)
    if option not in step.option:
        options = " or ".join(map(repr, step.option))
        message = f"{quoted(option)} isn't a choice; choose {options}"
        raise Refused("no_such_choice", message, field="option", clause=step.clause)
    return (happened.Chose(seat, stage.name, option, by),)


# ---------------------------------------------------------------- the end


def _settle(round: Round, command: commands.Settle) -> tuple[Event, ...]:
    if round.void:
        return return_everything(round)
    stage = _expect(round, "settle")
    if command.meters:
        _check_meters(round, command.meters)
    if command.seat is not None:
        return settle_seat(round, command)
    if "dealer" in round.rules.things:
        message = "a dealer settles one seat after another"
        raise Refused("wrong_step", message, field="seat", clause=stage.step.clause)
    if round.due:
        cards = "a card has" if len(round.due) == 1 else f"{len(round.due)} cards have"
        message = f"{cards} yet to be shown"
        raise Refused("cards_hidden", message, clause=stage.step.clause)
    return settle_all(round, command.meters)


def _close(round: Round) -> tuple[Event, ...]:
    if not round.void:
        _expect(round, "settle")
    return close(round)


def _validate(round: Round, command: commands.Validate) -> happened.Validated:
    seat, wager = command.seat, command.wager
    found = round.awards.get((seat, wager))
    if found is None or found.answer:
        message = f"no progressive win of seat {seat} waits for the floor"
        raise Refused("no_such_award", message, field="wager")
    if command.answer == "defer" and found.meter is None:
        message = "only an award from a meter can wait; this one is paid or rejected now"
        raise Refused("not_allowed", message, field="answer")
    if command.answer == "reject" and not command.why.strip():
        raise Refused("bad_fact", "say why the award is rejected", field="why")
    if command.answer == "pay":
        check_before(round, about_seat(seat, wager))
    return happened.Validated(seat, wager, command.answer, command.why)


def _declare(round: Round, command: commands.Declare) -> tuple[Event, ...]:
    if not round.rules.things:
        # With virtual cards and nobody to handle them, nothing of the kind can happen.
        message = "nobody is at this table to see an irregularity; a system fault is called off"
        raise Refused("no_people", message, field="kind")
    if round.at < 0:
        raise Refused("wrong_step", "the round isn't open")
    if round.closed:
        check_late(round, command.kind)
    given = stub_facts(round, command.kind, command.facts)
    row, facts = consequence_of(round, command.kind, given)
    if round.at == 0 and "seat" in command.facts:
        raise Refused(
            "wrong_step", "betting is still open", clause=round.rules.sequence[0][1].clause
        )
    if "dealer" in round.rules.things:  # A round file states facts without a time.
        check_time(round, command.kind, row, facts.get("seat"))
        _check_noticed(facts, row)
    _check_found(round, facts.get("positions"))
    facts = found_in_shoe(round, row.does, facts)
    ruling: str | None = row.ruling
    if "void" in row.does and round.lines and not ruling:
        ruling = round.rules.ruling_on("undone")
    declared = happened.Declared(command.kind, facts, tuple(row.does), row.clause or "", ruling)
    if round.closed and "void" in row.does:
        return (declared, *return_everything(evolve(round, declared)))
    return (declared,)


def _check_noticed(facts: Mapping[str, object], row: Consequence) -> None:
    """Refuse to call something noticed in a later round, which can't have begun yet."""
    if facts.get("noticed_late"):
        message = "the next round hasn't started, so it wasn't noticed too late"
        raise Refused("bad_fact", message, field="noticed_late", clause=row.clause or row.ruling)


def _call_off(round: Round, command: commands.CallOff) -> tuple[Event, ...]:
    if round.at < 0:
        raise Refused("wrong_step", "the round isn't open")
    if round.void:
        raise Refused("void", "the round is void already")
    ruling = round.rules.ruling_on("system failure")
    if "cards" in round.rules.things:
        message = "the cards lie on the table, so the round is finished by hand"
        raise Refused("cards_there", message, field="cause", clause=ruling)
    return (happened.CalledOff(command.because, ruling or "", command.cause),)


def _check_found(round: Round, positions: object) -> None:
    """Refuse a card that was already found face up or dealt."""
    for position in positions if isinstance(positions, tuple) else ():
        if position in round.discarded or position < round.next_position:
            message = f"the card at position {position + 1} has left the deck already"
            raise Refused("bad_fact", message, field="positions")


def _confirm(round: Round, command: commands.Confirm) -> tuple[Event, ...]:
    clause = round.rules.clauses.get(command.clause)
    if clause is None or clause.kept != "guided" or clause.force != "task":
        raise Refused("not_guided", f"{command.clause!r} is not a clause to confirm")
    wanted = Duty(command.clause, clause.at or "bets", command.about, (command.by,))
    duty = next_duty(round.rules, round.todo, wanted)
    return (happened.Confirmed(duty.clause, command.by, duty.about),)
