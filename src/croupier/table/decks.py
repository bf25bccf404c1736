"""Decide what is done to the decks of a table: receive, inspect, shuffle, cut, count, recall."""

from typing import assert_never

from croupier.errors import Refused
from croupier.round.duties import next_duty, open_duty
from croupier.round.irregularity import consequence_of
from croupier.round.state import Duty, Round
from croupier.rules.game import DeckChange, counts_stub
from croupier.rules.table_rules import TableRules
from croupier.table import commands
from croupier.table import events as happened
from croupier.table.commands import Time
from croupier.table.devices import check_devices, check_works
from croupier.table.events import Event
from croupier.table.life import check_between
from croupier.table.prompts import due
from croupier.table.state import HOUR_S, Deck, Table, about_deck, is_cut_due, right, uses

DeckCommand = (
    commands.Receive
    | commands.Confirm
    | commands.Shuffle
    | commands.Cut
    | commands.Recut
    | commands.Count
    | commands.OrderShuffle
    | commands.Recall
)


def decide_deck(table: Table, command: DeckCommand) -> tuple[Event, ...]:
    """Return the events that a command about a deck causes, or refuse it."""
    match command:
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
        case commands.Recall():
            return (_recall(table, command),)
    assert_never(command)


def check_real(table: Table) -> None:
    """Refuse to handle cards where they are virtual (T9)."""
    if "cards" not in table.rules.things:
        cited = table.rules.ruling_on("things")
        raise Refused("no_cards", "the cards of this table are virtual", clause=cited)


def _receive(table: Table, command: commands.Receive) -> happened.Received:
    check_real(table)
    _check_number(table, command.deck)
    return happened.Received(command.deck, command.time)


def _recall(table: Table, command: commands.Recall) -> happened.HandRecalled:
    if "cards" not in table.rules.things:
        _check_virtual(table, command)
    if len({*command.cards}) != len(command.cards):
        raise Refused("card_doubled", "names a card twice", field="cards")
    return happened.HandRecalled(command.round, command.seat, command.cards, command.hidden)


def _check_virtual(table: Table, command: commands.Recall) -> None:
    """Refuse to name virtual cards, or to look into a round that isn't over."""
    if command.cards:
        message = "the cards of this table are virtual; they are shown to those who recall them"
        raise Refused("no_cards", message, field="cards", clause=table.rules.ruling_on("things"))
    if table.round and table.round.id == command.round:
        raise Refused("round_open", "the round isn't over", field="round")


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


def old(table: Table, number: int, time: Time | None) -> DeckChange | None:
    """Return the rule by which a deck is too old, if it is."""
    change = table.rules.deal.change
    age_s = table.age_s(number, time) if time else table.decks[number].age_s
    return change if change and age_s > change.hours * HOUR_S else None


def _check_age(table: Table, number: int, time: Time) -> None:
    if change := old(table, number, time):
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


def check_ready(table: Table, number: int, time: Time) -> Deck:
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
    check_devices(table)
    if uses(rules, "shuffler"):
        check_works(table, "shuffler")
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
    check_real(table)
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
    check_real(table)
    _deck(table, command.deck)
    if clause is None:
        raise Refused("not_allowed", "under this book nobody can order a shuffle", field="deck")
    if command.by != "floorperson":
        message = f"a floorperson orders a shuffle, not the {command.by}"
        raise Refused("wrong_person", message, field="by", clause=clause)
    return happened.ShuffleOrdered(command.deck, clause, command.by)


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
    check_real(table)
    check_between(table)
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
