"""Decide a command at a table: return the events that follow, or refuse it.

Each command's checks run in a fixed order, and a refused command changes nothing. Before a round
they cover: a round in play, the players, the devices, then the deck (its turn, presence, age,
confirmations, shuffle and cut), the count of the stub, and the bank.
"""

from typing import assert_never

from croupier.errors import Refused
from croupier.round.duties import next_duty, open_duty
from croupier.round.irregularity import consequence_of
from croupier.round.state import Duty, Round
from croupier.rules.game import counts_stub
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import Device
from croupier.table import commands
from croupier.table import events as happened
from croupier.table.commands import Command, Time
from croupier.table.crew import check_post
from croupier.table.disputes import decide_dispute
from croupier.table.events import Event
from croupier.table.life import check_open, decide_life
from croupier.table.prompts import DEVICE, due
from croupier.table.proposals import check_stranger, decide_proposal
from croupier.table.state import (
    HOUR_S,
    Deck,
    InPlay,
    Table,
    about_deck,
    bank_order,
    has_banked_enough,
    is_cut_due,
    right,
    uses,
)
from croupier.table.walkins import decide_pay, next_walk_in


def decide(table: Table, command: Command) -> tuple[Event, ...]:
    """Return the events that a command causes, or raise Refused."""
    match command:
        case commands.Join():
            return (_join(table, command),)
        case commands.SeatWalkIn():
            return (_join(table, commands.Join(command.seat, next_walk_in(table))),)
        case commands.Recall():
            return (_recall(table, command),)
        case commands.Mispay() | commands.CorrectPay():
            return (decide_pay(table, command),)
        case commands.Dispute() | commands.LetStand() | commands.SetRight():
            return (decide_dispute(table, command),)
        case commands.Leave():
            _player_at(table, command.seat)
            return (happened.Left(command.seat),)
        case commands.Receive():
            return (_receive(table, command),)
        case commands.Confirm():
            return (_confirm(table, command),)
        case commands.Shuffle():
            return _shuffle(table, command)
        case commands.Cut():
            return (_cut(table, command),)
        case commands.Recut():
            return (_recut(table, command),)
        case commands.Count():
            return _count(table, command)
        case commands.OrderShuffle():
            return (_order_shuffle(table, command),)
        case commands.Idle():
            return (_say_idle(table, command),)
        case commands.Fail():
            return (_fail(table, command.device, usable=command.usable),)
        case commands.Secure():
            return (_secure(table, command),)
        case commands.Restore():
            _check_out(table, command.device)
            return (happened.Restored(command.device),)
        case commands.Change():
            return (_change(table, command),)
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
        case (
            commands.CountTray()
            | commands.OpenTable()
            | commands.CloseTable()
            | commands.MoveChips()
        ):
            return decide_life(table, command)
        case commands.TapIn():
            return (_tap_in(table, command),)
        case commands.TapOut():
            return (_tap_out(table, command),)
        case (
            commands.Propose()
            | commands.Approve()
            | commands.Withdraw()
            | commands.Decline()
            | commands.Lapse()
        ):
            return decide_proposal(table, command)
    assert_never(command)


# ---------------------------------------------------------------- seats


def _join(table: Table, command: commands.Join) -> happened.Joined:
    seats, seat = table.rules.table, command.seat
    if not 1 <= seat <= seats.seats:
        message = f"there is no seat {seat}; they are 1 to {seats.seats}"
        raise Refused("no_such_seat", message, field="seat", clause=seats.clause)
    if seat in table.seats:
        raise Refused("seat_taken", f"seat {seat} is taken", field="seat")
    return happened.Joined(seat, command.player)


def _player_at(table: Table, seat: int) -> str:
    if seat not in table.seats:
        raise Refused("seat_empty", f"nobody sits at seat {seat}", field="seat")
    return table.seats[seat]


# ---------------------------------------------------------------- the crew


def _tap_in(table: Table, command: commands.TapIn) -> happened.TappedIn:
    crew, person, post = table.crew, command.person, command.post
    if "dealer" not in table.rules.things:
        cited = table.rules.ruling_on("things")
        raise Refused("no_people", "nobody works at an automatic table", clause=cited)
    check_stranger(table, person)
    if (own := crew.post_of(person)) is not None:
        raise Refused("tapped_in", f"you work here already, as the {own}", field="post")
    if post == "clerk" and not crew.dealer:
        raise Refused("no_dealer", "a clerk helps a dealer, and nobody deals here", field="post")
    if outgoing := crew.at(post):
        if post == "dealer" and table.round and table.round.dealt:
            message = "the dealer hands over before 'no more bets', or after the round"
            raise Refused("round_open", message, field="post")
        if command.agreed == person or command.agreed not in (outgoing, crew.floor):
            message = f"the {post} who is here, or the floorperson, has to agree to a handover"
            raise Refused("needs_approval", message, field="post")
    return happened.TappedIn(person, post, command.agreed if outgoing else "")


def _tap_out(table: Table, command: commands.TapOut) -> happened.TappedOut:
    post = check_post(table.crew, command.person, ("dealer", "clerk", "floor"))
    if post == "dealer" and table.round and table.round.dealt:
        raise Refused("round_open", "finish the round first, or hand over before it")
    return happened.TappedOut(command.person)


# ---------------------------------------------------------------- decks


def _check_real(table: Table) -> None:
    """Refuse to handle cards where they are virtual (T9)."""
    if "cards" not in table.rules.things:
        cited = table.rules.ruling_on("things")
        raise Refused("no_cards", "the cards of this table are virtual", clause=cited)


def _receive(table: Table, command: commands.Receive) -> happened.Received:
    _check_real(table)
    _check_number(table, command.deck)
    return happened.Received(command.deck, command.time)


def _recall(table: Table, command: commands.Recall) -> happened.HandRecalled:
    _check_real(table)
    if len({*command.cards}) != len(command.cards):
        raise Refused("card_doubled", "names a card twice", field="cards")
    return happened.HandRecalled(command.round, command.seat, command.cards)


def _check_number(table: Table, number: int) -> None:
    """Refuse a deck that the table doesn't have, or whose cards are in play."""
    rules = table.rules
    if not 1 <= number <= rules.deck.decks:
        message = f"there is no deck {number}; the table has {rules.deck.decks}"
        clause = rules.deck.alternates or rules.deck.clause
        raise Refused("no_such_deck", message, field="deck", clause=clause)
    if table.round and table.round.dealt and table.round.deck == number:
        message = f"deck {number} is in play"
        raise Refused("deck_in_play", message, field="deck", clause=rules.deck.clause)


def _deck(table: Table, number: int) -> Deck:
    """Return a deck that may be handled now."""
    _check_number(table, number)
    if number not in table.decks:
        message = f"deck {number} has to be brought to the table first"
        raise Refused("no_deck", message, field="deck", clause=table.rules.deck.clause)
    return table.decks[number]


def _check_age(table: Table, number: int, time: Time) -> None:
    change = table.rules.deal.change
    if change is not None and table.age_s(number, time) > change.hours * HOUR_S:
        message = f"deck {number} is more than {change.hours} hours old and has to be changed"
        raise Refused("deck_too_old", message, field="deck", clause=change.clause)


def _check_confirmed(table: Table, deck: Deck, *, shuffling: bool = False) -> None:
    """Refuse to use a deck with confirmations outstanding."""
    for duty in deck.todo:
        if not (shuffling and duty.moment in ("shuffle", "cut")):
            raise open_duty(table.rules, duty)


def _check_shuffled(table: Table, deck: Deck) -> None:
    # 5.A: before every round, unless the cards came shuffled and haven't been dealt since.
    if table.rules.deck.shuffle and deck.stack is None:
        clause = table.rules.deck.shuffle.clause
        raise Refused("not_shuffled", "the deck must be shuffled first", clause=clause)


def _check_ready(table: Table, number: int, time: Time) -> Deck:
    """Refuse to deal from a deck that isn't ready."""
    deck, rules = _deck(table, number), table.rules
    _check_age(table, number, time)
    _check_confirmed(table, deck)
    _check_shuffled(table, deck)
    if rules.deck.cut and is_cut_due(rules, deck) and not deck.depth:
        raise Refused("not_cut", "the cards must be cut first", clause=rules.deck.cut.clause)
    return deck


def _confirm(table: Table, command: commands.Confirm) -> happened.Confirmed:
    wanted = Duty(command.clause, "shuffle", about_deck(command.deck), (command.by,))
    next_duty(table.rules, due(table), wanted)
    return happened.Confirmed(command.deck, command.clause, command.by)


def _shuffle(table: Table, command: commands.Shuffle) -> tuple[Event, ...]:
    rules, number = table.rules, command.deck
    _check_devices(table)
    if uses(rules, "shuffler"):
        _check_works(table, "shuffler")
    _check_confirmed(table, _deck(table, number), shuffling=True)
    machine = rules.deck.machine_count
    if machine is None:
        if command.cards is not None:
            raise Refused("no_counter", "no shuffler here counts the cards", field="cards")
        _check_unshuffled(table, number)
        return (happened.Shuffled(number),)
    if command.cards is None:
        message = "the shuffler's count has to be read"
        raise Refused("no_count", message, field="cards", clause=machine.clause)
    _check_unshuffled(table, number)
    removed = command.cards != rules.deck.cards and "remove deck" in machine.does
    shuffled = happened.Shuffled(number, counted=True)
    return (shuffled, happened.DeckRemoved(number, machine.clause)) if removed else (shuffled,)


def _check_unshuffled(table: Table, number: int) -> None:
    # 5.A: cards are shuffled before play, after a round, and when the floor directs it.
    stack = table.decks[number].stack
    if "cards" in table.rules.things and stack not in (None, "preshuffled"):
        message = f"deck {number} is shuffled; only a floorperson has it shuffled again"
        clause = right(table.rules, "shuffle")
        raise Refused("already_shuffled", message, field="deck", clause=clause)


def _cut(table: Table, command: commands.Cut) -> happened.CutMade:
    deck, rules = _deck(table, command.deck), table.rules
    _check_confirmed(table, deck)
    _check_shuffled(table, deck)
    if not is_cut_due(rules, deck):
        clause = rules.deck.cut.clause if rules.deck.cut else rules.deck.clause
        raise Refused("no_cut", "this deck isn't cut", clause=clause)
    if deck.depth:
        message = "the cards are cut; only a floorperson has them cut again"
        raise Refused("already_cut", message, clause=right(rules, "cut"))
    check_depth(rules, command.depth)
    return happened.CutMade(command.deck, command.depth)


def _recut(table: Table, command: commands.Recut) -> happened.CutMade:
    # 5.G: after a cut, before any card, and only at a floorperson's request.
    _check_real(table)
    deck, rules = _deck(table, command.deck), table.rules
    if not deck.depth:
        message = "the cards were not cut yet, so they are not cut again"
        raise Refused("not_cut", message, clause=right(rules, "cut"))
    if command.by != "floorperson":
        message = f"a floorperson has the cards cut again, not the {command.by}"
        raise Refused("wrong_person", message, field="by", clause=right(rules, "cut"))
    check_depth(rules, command.depth)
    return happened.CutMade(command.deck, command.depth, command.by)


def _order_shuffle(table: Table, command: commands.OrderShuffle) -> happened.ShuffleOrdered:
    # 5.A(3): at any time before the cards are dealt; M18: the dealer then shuffles.
    clause = right(table.rules, "shuffle")
    _check_real(table)
    _deck(table, command.deck)
    if clause is None:
        raise Refused("not_allowed", "this book has nobody order a shuffle", field="deck")
    if command.by != "floorperson":
        message = f"a floorperson orders a shuffle, not the {command.by}"
        raise Refused("wrong_person", message, field="by", clause=clause)
    return happened.ShuffleOrdered(command.deck, clause, command.by)


def _say_idle(table: Table, command: commands.Idle) -> happened.Idled:
    # 5.H: players may keep their seats and not play.
    _check_real(table)
    _check_between(table)
    asked = table.rules.guided.get("idle", ())
    if not asked:
        raise Refused("not_due", "this book has no routine for an idle table")
    if command.by != "floorperson":
        message = f"a floorperson says that nobody plays, not the {command.by}"
        raise Refused("wrong_person", message, field="by", clause=asked[0])
    return happened.Idled(command.by)


def check_depth(rules: TableRules, depth: int | None) -> None:
    """Refuse a cover card too near the top of the stack, or with no card below it."""
    if depth is None and "cards" in rules.things:
        return
    least = rules.deck.cut.cards_min if rules.deck.cut else 1
    if depth is None or not least <= depth < rules.deck.cards:
        said = f", not {depth}" if depth is not None else ""
        message = f"the cover card goes {least} to {rules.deck.cards - 1} cards in{said}"
        clause = rules.deck.cut.clause if rules.deck.cut else None
        raise Refused("bad_cut", message, field="depth", clause=clause)


def _count(table: Table, command: commands.Count) -> tuple[Event, ...]:
    _check_real(table)
    _check_between(table)
    _deck(table, command.deck)
    kinds = table.rules.irregularities.items()
    kind = next((kind for kind, irregularity in kinds if counts_stub(irregularity)), None)
    if kind is None:
        raise Refused("no_count", "this book doesn't count the stub", field="cards")
    # The round is over, so no misdeal can be found any more: a wrong count removes the deck.
    facts = {"cards": command.cards, "misdealt": False}
    row, _ = consequence_of(Round(table.rules), kind, facts)
    counted = happened.Counted(command.deck, command.cards)
    if "remove deck" in row.does:
        return (counted, happened.DeckRemoved(command.deck, row.clause or ""))
    return (counted,)


# ---------------------------------------------------------------- devices


def _check_devices(table: Table) -> None:
    """Refuse to shuffle or deal while a failed device is neither covered nor marked."""
    for device, outage in table.out.items():
        asked = table.rules.guided.get(DEVICE, ())
        if outage.doubted:
            message = f"the {device} had a fault: say whether it can still be used"
            raise Refused("device_doubted", message, field=device, clause=outage.clause)
        if asked and not outage.secured:
            message = f"the {device} is out of order and has to be covered or marked first"
            raise Refused("device_open", message, field=device, clause=asked[0])


def _check_works(table: Table, device: Device) -> None:
    if device in table.out:
        message = f"the {device} is out of order: another equipment has to be used"
        raise Refused("device_out", message, field=device, clause=table.out[device].clause)


def _fail(table: Table, device: Device, *, usable: bool | None) -> happened.Failed:
    """Return the failure of a device; what can still be used needs no cover (13.F, 13.H)."""
    rules = table.rules
    rows = [i.rows[0] for i in rules.irregularities.values() if i.device == device]
    if not rows or not uses(rules, device):
        raise Refused("no_such_device", f"this table uses no such {device}", field="device")
    if device in table.out and not table.out[device].doubted:
        raise Refused("already_out", f"the {device} is out of order already", field="device")
    return happened.Failed(device, rows[0].clause or "", usable)


def _check_out(table: Table, device: Device) -> None:
    if device not in table.out or table.out[device].doubted:
        raise Refused("not_out", f"the {device} isn't out of order", field="device")


def _secure(table: Table, command: commands.Secure) -> happened.Secured:
    device = command.device
    _check_out(table, device)
    for duty in due(table):
        if (duty.about, duty.clause) == (device, command.clause):
            # Either of its clauses will do, so there is no first among them.
            wanted = Duty(command.clause, DEVICE, device, (command.by,))
            next_duty(table.rules, (duty,), wanted)
            return happened.Secured(device, command.clause, command.by)
    message = f"{command.clause!r} is not to be confirmed of the {device} now"
    raise Refused("not_due", message, field="clause")


def _change(table: Table, command: commands.Change) -> happened.Changed:
    _check_between(table)
    if command.digest not in table.ways:
        raise Refused("no_such_rules", "the table has no rules of this digest", field="digest")
    # 13.H: cover or mark the device before shuffling or dealing another way.
    _check_devices(table)
    return happened.Changed(command.digest)


# ---------------------------------------------------------------- the bank


def _bank_clause(rules: TableRules) -> str:
    return rules.bank.rotation.clause if rules.bank.rotation else rules.bank.clause


def _check_turn(table: Table, seat: int) -> str:
    """Return the player at a seat whose turn it is to bank, or refuse."""
    _check_between(table)
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


def _check_between(table: Table) -> None:
    if table.round:
        raise Refused("round_open", "a round is in play")


def _start(table: Table, command: commands.StartRound) -> happened.RoundStarted:
    rules, number = table.rules, table.deck_turn
    _check_between(table)
    check_open(table)
    if len(table.seats) < rules.table.seats_min:
        message = f"at least {rules.table.seats_min} seats must be taken"
        raise Refused("too_few", message, clause=rules.table.clause)
    _check_dealing(table)
    if command.deck not in (None, number):
        message = f"it is deck {number}'s turn, not deck {command.deck}'s"
        clause = rules.deck.alternates or rules.deck.clause
        raise Refused("wrong_deck", message, field="deck", clause=clause)
    deck = _check_ready(table, number, command.time)
    if rules.deck.stub_count and table.count_due:
        message = "the stub has to be counted before another round is dealt from this deck"
        raise Refused("count_due", message, clause=rules.deck.stub_count.clause)
    if rules.banked_by == "player" and table.banker is None:
        raise Refused("no_banker", "nobody has taken the bank", clause=_bank_clause(rules))
    return happened.RoundStarted(command.round, command.time, number, deck.order, table.banker)


def _check_dealing(table: Table) -> None:
    _check_devices(table)
    if uses(table.rules, "shoe"):
        _check_works(table, "shoe")


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
    deck = _check_ready(table, playing.deck, command.time)
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
    return (*events, *(_fail(table, device, usable=None) for device in failed))
