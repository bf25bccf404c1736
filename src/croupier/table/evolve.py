"""Apply events to a table. This is total: an event is never refused."""

from collections.abc import Iterable
from dataclasses import replace
from functools import reduce
from typing import assert_never

from croupier.round.duties import duties_of
from croupier.round.state import Banker, Duty, is_walk_in
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import Occasion
from croupier.table import events as happened
from croupier.table.commands import Time
from croupier.table.events import Event
from croupier.table.past import past_after
from croupier.table.state import (
    CARDS,
    BankTurn,
    Deck,
    InPlay,
    Life,
    Outage,
    Table,
    about_deck,
    bank_order,
    elapsed_s,
    has_shuffler,
    initial_meters,
    new_table,
    virtual_decks,
)
from croupier.table.tray import SIGNS, Tray, TrayFigure

_LifeEvent = (
    happened.TrayCounted
    | happened.TrayAgreed
    | happened.ChipsMoved
    | happened.TableOpened
    | happened.TableClosing
    | happened.TableClosed
)
_HANDLING: tuple[Occasion, ...] = ("shuffle", "cut")


def replay(rules: TableRules, events: Iterable[Event], others: Iterable[TableRules] = ()) -> Table:
    """Return the table after a history of events."""
    return reduce(evolve, events, new_table(rules, others))


def evolve(table: Table, event: Event) -> Table:
    """Return the table after one event."""
    after = _evolved(table, event)
    past = past_after(table.past, event, table.rules, table.crew)
    return after if past is table.past else replace(after, past=past)


def _evolved(table: Table, event: Event) -> Table:
    """Return the table after one event, but for the history of its decks."""
    match event:
        case happened.Joined():
            return _joined(table, event)
        case happened.Mispaid() | happened.PayCorrected():
            return _mispaid(table, event)
        case happened.HandRecalled():
            return table
        case happened.Disputed() | happened.Stands() | happened.Corrected():
            return _disputed(table, event)
        case happened.Left():
            return _left(table, event)
        case happened.Received():
            return _received(table, event)
        case happened.Confirmed():
            deck = table.decks[event.deck]
            return _with_deck(table, event.deck, replace(deck, todo=confirmed(deck.todo, event)))
        case happened.Shuffled():
            return _shuffled(table, event)
        case happened.CutMade():
            return _cut_made(table, event)
        case happened.Counted():
            table = replace(table, uncounted=0)
            return _with_deck(table, event.deck, _unshuffled(table.decks[event.deck]))
        case happened.DeckRemoved():
            decks = {number: deck for number, deck in table.decks.items() if number != event.deck}
            return replace(table, decks={**virtual_decks(table.rules), **decks})
        case happened.ShuffleOrdered():
            return _with_deck(table, event.deck, _unshuffled(table.decks[event.deck]))
        case happened.Idled():
            return _spread_all(table)
        case happened.Failed():
            return _failed(table, event)
        case happened.Secured():
            secured = table.out[event.device]._replace(secured=event.clause)
            return replace(table, out={**table.out, event.device: secured})
        case happened.Restored():
            return _restored(table, event)
        case happened.Changed():
            return _changed(table, event)
        case happened.BankTaken():
            return replace(table, banker=Banker(event.seat, event.player, event.funds))
        case happened.BankPassed():
            return _again(replace(table, banker=None, passed=(*table.passed, event.player)))
        case happened.RoundStarted():
            return round_started(table, event)
        case happened.FirstCardDealt():
            in_play = table.round and replace(table.round, dealt=True)
            return replace(_aged(table, event.time), round=in_play)
        case happened.RoundEnded() | happened.RoundUndone():
            return round_ended(table, event)
        case (
            happened.TrayCounted()
            | happened.TrayAgreed()
            | happened.ChipsMoved()
            | happened.TableOpened()
            | happened.TableClosing()
            | happened.TableClosed()
        ):
            return _lived(table, event)
        case happened.TappedIn():
            return replace(table, crew=table.crew.with_(event.post, event.person))
        case happened.TappedOut():
            return replace(table, crew=table.crew.without(event.person))
        case happened.Proposed():
            return _proposed(table, event)
        case happened.Approved() | happened.Withdrawn() | happened.Declined() | happened.Lapsed():
            proposals = tuple(one for one in table.proposals if one.id != event.id)
            return replace(table, proposals=proposals)
    assert_never(event)


# ---------------------------------------------------------------- people, opening and closing


def _proposed(table: Table, event: happened.Proposed) -> Table:
    return replace(table, proposals=(*table.proposals, event), proposed=table.proposed + 1)


def tray_after(tray: Tray, event: Event, rules: TableRules) -> Tray:
    """Return a tray after an event at its table; a player's bank is never the tray."""
    house = rules.banked_by == "house"
    match event:
        case happened.TrayCounted(by, cents, chips):
            return tray.after_figure(TrayFigure(by, cents, chips))
        case happened.TrayAgreed(cents):
            return tray.after_count(cents)
        case happened.ChipsMoved(why, cents):
            return tray.after_move(SIGNS[why] * cents)
        case happened.Mispaid() if house:
            return tray.after_move(event.due - event.paid)
        case happened.PayCorrected() if house:
            return tray.after_move(-event.cents)
        case happened.Corrected() if is_walk_in(event.player):
            return tray.after_move(-event.cents)
        case happened.RoundEnded():
            return tray.after_move(event.chips)
        case happened.RoundUndone():
            return tray.after_move(-event.chips)
    return tray


def _lived(table: Table, event: _LifeEvent) -> Table:
    tray = tray_after(table.tray, event, table.rules)
    match event:
        case happened.TrayAgreed():
            life: Life = "counted" if table.life == "closed" else table.life
            return replace(table, life=life, tray=tray)
        case happened.TrayCounted() | happened.ChipsMoved():
            return replace(table, tray=tray)
        case happened.TableOpened():
            return replace(table, life="open")
        case happened.TableClosing():
            return replace(table, life="closing")
        case happened.TableClosed():
            return replace(table, life="closed", decks=virtual_decks(table.rules))
    assert_never(event)


# ---------------------------------------------------------------- decks


def confirmed(todo: tuple[Duty, ...], event: happened.Confirmed) -> tuple[Duty, ...]:
    """Return a deck's duties after a confirmation; one of two people leaves the other's."""
    mine = ((duty, duty.by[1:] if duty.clause == event.clause else duty.by) for duty in todo)
    return tuple(duty._replace(by=by) for duty, by in mine if by)


def _aged(table: Table, time: Time) -> Table:
    """Age every deck to this time; virtual decks have no age."""
    if "cards" not in table.rules.things:
        return replace(table, time=time)
    passed_s = elapsed_s(table.time, time)
    decks = {n: replace(deck, age_s=deck.age_s + passed_s) for n, deck in table.decks.items()}
    return replace(table, time=time, decks=decks)


def _cut_made(table: Table, event: happened.CutMade) -> Table:
    deck = _without(table.decks[event.deck], ("cut",))
    todo = (*deck.todo, *_duties(table, event.deck, "cut"))
    # A real cut isn't counted: the dealer attests that it is deep enough.
    depth = event.depth or (table.rules.deck.cut.cards_min if table.rules.deck.cut else 1)
    return _reordered(table, event.deck, replace(deck, depth=depth, todo=todo))


def _with_deck(table: Table, number: int, deck: Deck) -> Table:
    return replace(table, decks={**table.decks, number: deck})


def _reordered(table: Table, number: int, deck: Deck) -> Table:
    """Store a deck with a new order number, never used before."""
    order = table.orders + 1
    return _with_deck(replace(table, orders=order), number, replace(deck, order=order))


def _duties(table: Table, number: int, *moments: Occasion) -> tuple[Duty, ...]:
    """Return what must be done with a deck at these moments, one after the other."""
    about = about_deck(number)
    return tuple(
        duty for moment in moments for duty in duties_of(table.rules, moment, about, came=moments)
    )


def _without(deck: Deck, moments: tuple[Occasion, ...]) -> Deck:
    return replace(deck, todo=tuple(task for task in deck.todo if task.moment not in moments))


def _unshuffled(deck: Deck) -> Deck:
    """Return a deck that must be shuffled before it is dealt."""
    return replace(_without(deck, _HANDLING), stack=None, depth=0)


def _received(table: Table, event: happened.Received) -> Table:
    rules, shuffle = table.rules, table.rules.deck.shuffle
    moments: tuple[Occasion, ...] = ("deck change",) if event.deck in table.decks else ()
    real = "cards" in rules.things
    if real and shuffle and rules.selections.get(CARDS) in shuffle.unless:
        # 4.F: cards that come inspected and shuffled skip the opening routine.
        todo = _duties(table, event.deck, *moments, "cards received")
        deck = Deck(todo=todo, stack="preshuffled")
    else:
        opening = (*moments, "cards received", "first player", "looked")
        deck = Deck(todo=_duties(table, event.deck, *opening))
    return _reordered(_aged(table, event.time), event.deck, deck)


def _shuffled(table: Table, event: happened.Shuffled) -> Table:
    deck = _unshuffled(table.decks[event.deck])
    deck = replace(
        deck,
        stack="shuffled by machine" if has_shuffler(table.rules) else "shuffled by hand",
        todo=(*deck.todo, *_duties(table, event.deck, "shuffle")),
    )
    table = replace(table, uncounted=0) if event.counted else table
    return _reordered(table, event.deck, deck)


def _idle(table: Table) -> Table:
    """Spread the cards if no players are left and the book has a routine for it (5.H)."""
    if table.seats or table.round or not table.rules.guided.get("idle"):
        return table
    return _spread_all(table)


def _spread_all(table: Table) -> Table:
    return replace(table, decks={n: _spread(table, n, deck) for n, deck in table.decks.items()})


def _spread(table: Table, number: int, deck: Deck) -> Deck:
    """Return a deck of an idle table; one that isn't inspected yet stays at its opening (M24)."""
    if any(duty.moment == "cards received" for duty in deck.todo):
        return deck
    cleared = tuple(duty for duty in deck.todo if duty.moment == "settled")
    todo = (*cleared, *_duties(table, number, "idle", "first player", "looked"))
    return replace(_unshuffled(deck), todo=todo)


# ---------------------------------------------------------------- devices and equipment


def _failed(table: Table, event: happened.Failed) -> Table:
    """Mark a device that can't be used; cards that may be in it must be reshuffled."""
    at_hand = table.round.deck if table.round else table.deck_turn
    if event.device == "shoe":
        inside = {at_hand}
    else:
        inside = {n for n, deck in table.decks.items() if deck.stack == "shuffled by machine"}
    if table.round and table.round.dealt:
        inside -= {at_hand}
    decks = {n: _unshuffled(deck) if n in inside else deck for n, deck in table.decks.items()}
    out = {device: outage for device, outage in table.out.items() if device != event.device}
    if event.usable is not True:
        out[event.device] = Outage(event.clause, doubted=event.usable is None)
    return replace(table, out=out, decks=decks)


def _restored(table: Table, event: happened.Restored) -> Table:
    out = {device: outage for device, outage in table.out.items() if device != event.device}
    return replace(table, out=out)


def _changed(table: Table, event: happened.Changed) -> Table:
    rules = table.ways[event.digest]
    decks = {
        number: replace(deck, todo=tuple(t for t in deck.todo if t.clause in rules.clauses))
        for number, deck in table.decks.items()
        if number <= rules.deck.decks
    }
    meters = {**initial_meters(rules), **table.meters}
    return replace(table, rules=rules, decks={**virtual_decks(rules), **decks}, meters=meters)


# ---------------------------------------------------------------- seats, bank and rounds


def _joined(table: Table, event: happened.Joined) -> Table:
    seats = {**table.seats, event.seat: event.player}
    return replace(table, seats=seats, walk_ins=table.walk_ins + is_walk_in(event.player))


def _mispaid(table: Table, event: happened.Mispaid | happened.PayCorrected) -> Table:
    tray = tray_after(table.tray, event, table.rules)
    if isinstance(event, happened.Mispaid):
        return replace(table, mispaid=(*table.mispaid, event), tray=tray)
    wrong = event.round, event.seat, event.wager
    left = (one for one in table.mispaid if (one.round, one.seat, one.wager) != wrong)
    return replace(table, mispaid=tuple(left), tray=tray)


def _disputed(table: Table, event: happened.DisputeEvent) -> Table:
    if isinstance(event, happened.Disputed):
        return replace(table, disputes=(*table.disputes, event), disputed=table.disputed + 1)
    disputes = tuple(one for one in table.disputes if one.id != event.dispute)
    tray = tray_after(table.tray, event, table.rules)
    return replace(table, disputes=disputes, tray=tray)


def _left(table: Table, event: happened.Left) -> Table:
    seats = {seat: player for seat, player in table.seats.items() if seat != event.seat}
    banker = table.banker if table.banker and table.banker.seat != event.seat else None
    return _idle(_again(replace(table, seats=seats, banker=banker)))


def _again(table: Table) -> Table:
    """Restart the bank's rotation if everyone has passed; no round is dealt meanwhile (C6)."""
    return table if bank_order(table) else replace(table, passed=())


def round_started(table: Table, event: happened.RoundStarted) -> Table:
    banker, last = event.banker, table.turn
    if banker:
        running = last.rounds if last and last.player == banker.player else 0
        last = BankTurn(banker.seat, banker.player, running + 1)
    return replace(
        _aged(table, event.time),
        round=InPlay(event.round, event.deck, banker=banker),
        # Journals from before tables were opened begin with a round.
        life="closing" if table.life == "closing" else "open",
        last_deck=event.deck,
        uncounted=table.uncounted + 1,
        banker=None,
        turn=last,
        passed=(),
    )


def round_ended(table: Table, event: happened.RoundEnded | happened.RoundUndone) -> Table:
    if isinstance(event, happened.RoundUndone):
        tray = tray_after(table.tray, event, table.rules)
        return replace(table, meters={**table.meters, **event.meters}, tray=tray)
    if event.deck in table.decks:
        deck = _unshuffled(table.decks[event.deck])
        if table.round and table.round.dealt:
            deck = replace(deck, todo=(*deck.todo, *_duties(table, event.deck, "settled")))
        table = _with_deck(table, event.deck, deck)
    turn, rotation = table.turn, table.rules.bank.rotation
    if turn and event.void and rotation and not rotation.void_counts:
        turn = turn._replace(rounds=turn.rounds - 1)  # C6
    return _idle(
        replace(
            table,
            round=None,
            turn=turn,
            uncounted=0 if event.counted else table.uncounted,
            meters={**table.meters, **event.meters},
            tray=tray_after(table.tray, event, table.rules),
            bets=event.bets,
            # Nothing can be done any more in a round that is over.
            proposals=tuple(one for one in table.proposals if one.of != "round"),
        )
    )
