"""What people do at a table around its rounds: open it, handle its decks, and close it.

Everything follows from the table's standing and the book's data.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from croupier.house.step import NO_TIME, NextStep
from croupier.round.state import Duty
from croupier.rules.vocabulary import Device
from croupier.rules.words import dollars
from croupier.table import commands as at_table
from croupier.table.commands import Time
from croupier.table.decks import old
from croupier.table.life import has_sign, has_tray, needs_floor
from croupier.table.prompts import DEVICE, due
from croupier.table.state import Table, about_deck, is_cut_due, right, uses
from croupier.table.tray import CHIPS_CENTS, COINS_CENTS

FLOOR, DEALER = ("floorperson",), ("dealer",)
STAFF = ("dealer", "floorperson")
CENTS = {"field": "cents", "kind": "money", "says": "The sum in dollars"}
BY_CHIPS = tuple(
    {"field": f"chips.{cents}", "kind": "number", "says": f"{dollars(cents)} chips or coins"}
    for cents in (*reversed(CHIPS_CENTS), *reversed(COINS_CENTS))
)
"""How many of each chip somebody counted; the sum follows."""
COUNT = {"field": "cards", "kind": "number", "says": "How many cards there are"}
BY_MACHINE = {**COUNT, "says": "The shuffler's count"}
SIGN = {"field": "sign", "kind": "text", "says": "The code on the sign"}


def life_step(table: Table) -> NextStep | None:
    """Return the next step of opening or closing; None while rounds may be played."""
    if table.life == "open" or table.round:
        return None
    if needs_floor(table.rules) and not table.crew.floor:
        return NextStep("A floorperson has to tap in.", FLOOR)
    tray = table.tray
    if has_tray(table.rules) and table.life != "counted":
        again = " again: the two figures differed" if tray.differed else ""
        who = tray.missing[0]
        opens = "open" if table.life == "closed" else "close"
        says = (
            f"To {opens} the table, count the chip tray{again}. Nobody is told the other's figure."
        )
        return _at_table(says, (who,), at_table.CountTray(who, 0), takes=CENTS)
    if table.life == "closing":
        return _at_table("Close the table.", DEALER, at_table.CloseTable())
    sign = table.rules.table.sign or ""
    if has_sign(table.rules):
        says = "Open the table: enter the code that the sign shows."
        return _at_table(says, DEALER, at_table.OpenTable(), sign, SIGN)
    return _at_table("Open the table.", DEALER, at_table.OpenTable())


def _at_table(
    says: str,
    by: tuple[str, ...],
    command: at_table.Command,
    clause: str = "",
    takes: Mapping[str, str] | None = None,
) -> NextStep:
    return NextStep(says, by, clause, "table", command, takes)


# ---------------------------------------------------------------- devices and decks


def device_step(table: Table) -> NextStep | None:
    """Return the next step about a faulty device: is it usable, and if not, what replaces it?"""
    for device, outage in table.out.items():
        if outage.doubted:
            says = f"The {device} had a fault. Say that it can't be used, or that it can."
            return _at_table(says, STAFF, at_table.Fail(device), outage.clause)
        if outage.secured and uses(table.rules, device):
            return _instead(table, device, outage.clause)
    return None


def _instead(table: Table, device: Device, clause: str) -> NextStep:
    """Return the step to equipment without a device, or else to the device's repair."""
    for digest, rules in table.ways.items():
        if not uses(rules, device):
            says = f"Go on without the {device}."
            return _at_table(says, FLOOR, at_table.Change(digest), clause)
    says = f"The {device} has to work again: this table has no other equipment."
    return _at_table(says, FLOOR, at_table.Restore(device), clause)


def duty_step(table: Table, duty: Duty) -> NextStep:
    """Return the step that keeps a clause about a deck or a device."""
    by, says = duty.by[:1], table.rules.clauses[duty.clause].says
    deck = duty.about.removeprefix("deck ")
    if deck != duty.about:
        confirm = at_table.Confirm(int(deck), duty.clause, duty.by[0])
        return _at_table(says, by, confirm, duty.clause)
    device: Any = duty.about
    secure = at_table.Secure(device, duty.clause, duty.by[0])
    return _at_table(says, by, secure, duty.clause)


def deck_step(table: Table, time: Time | None) -> NextStep | None:
    """Return what the next deck needs before it is dealt; None if it is ready, or waits.

    Without a time, a deck is as old as it was at the last event.
    """
    rules, playing = table.rules.deck, table.round
    if "cards" not in table.rules.things or (playing and playing.dealt):
        return None  # T9: virtual decks are shuffled and cut by the program.
    for number in (playing.deck,) if playing else range(1, rules.decks + 1):
        receive, says = at_table.Receive(number, NO_TIME), f"Bring deck {number} to the table."
        if number not in table.decks:
            return _at_table(says, DEALER, receive, rules.clause)
        if change := old(table, number, time):
            says = f"Deck {number} is more than {change.hours} hours old: bring another one."
            return _at_table(says, DEALER, receive, change.clause)
    number = playing.deck if playing else table.deck_turn
    deck = table.decks[number]
    if deck.todo:
        return None  # It waits for the first player to look at it.
    if not playing and table.count_due and rules.stub_count:
        says, clause = f"Count the cards of deck {number}.", rules.stub_count.clause
        return _at_table(says, DEALER, at_table.Count(number, 0), clause, COUNT)
    if rules.shuffle and deck.stack is None:
        takes = BY_MACHINE if rules.machine_count else None
        clause = rules.shuffle.clause
        says = f"Shuffle deck {number}."
        return _at_table(says, DEALER, at_table.Shuffle(number), clause, takes)
    if rules.cut and is_cut_due(table.rules, deck) and not deck.depth:
        # Nobody counts the depth of a real cut: the dealer attests it.
        says = f"Cut deck {number}: at least {rules.cut.cards_min} cards in."
        return _at_table(says, DEALER, at_table.Cut(number), rules.cut.clause)
    return None


def rests(table: Table, number: int) -> bool:
    """Whether a deck rests while the cards of another one are out."""
    playing = table.round
    return playing is not None and playing.dealt and playing.deck != number


def resting_duty(table: Table, duty: Duty) -> bool:
    """Whether a duty is about a resting deck, so that the round doesn't wait for it."""
    return any(duty.about == about_deck(number) and rests(table, number) for number in table.decks)


def meanwhile(table: Table) -> Iterator[NextStep]:
    """Yield what is done with the resting deck while the round goes on (alternation of two decks).

    It is shuffled, and then the book's duties about it follow one by one. Nothing waits for them
    before the deck's own round.
    """
    rules = table.rules.deck
    for number, deck in sorted(table.decks.items()):
        if "cards" not in table.rules.things or not rests(table, number):
            continue
        if mine := [duty for duty in due(table) if duty.about == about_deck(number)]:
            yield duty_step(table, mine[0])
        elif deck.stack is None and not deck.todo and rules.shuffle:
            takes = BY_MACHINE if rules.machine_count else None
            shuffle, clause = at_table.Shuffle(number), rules.shuffle.clause
            yield _at_table(f"Shuffle deck {number}.", DEALER, shuffle, clause, takes)


# ---------------------------------------------------------------- what else may be done


def others(table: Table) -> Iterator[NextStep]:
    """Yield what the people here may do besides the next step."""
    rules, dealt = table.rules, table.round is not None and table.round.dealt
    step = life_step(table)
    if step and isinstance(step.command, at_table.CountTray):
        yield step._replace(says="Count it by chips.", takes=None, fields=BY_CHIPS)
    if has_tray(rules) and not dealt:
        drop = at_table.MoveChips("drop", 0)
        yield _at_table("Collect the drop box.", FLOOR, drop, takes=CENTS)
    if table.life == "open":
        if not dealt:  # While cards are out, hands and eyes belong to the round.
            yield _at_table("Close the table after this round.", STAFF, at_table.CloseTable())
        if has_tray(rules):
            fill, credit = at_table.MoveChips("fill", 0), at_table.MoveChips("credit", 0)
            sale = at_table.MoveChips("sale", 0)
            yield _at_table("Ask for a fill.", FLOOR, fill, takes=CENTS)
            yield _at_table("Send chips back to the cage.", FLOOR, credit, takes=CENTS)
            yield _at_table("Sell chips for cash.", DEALER, sale, takes=CENTS)
    if "cards" not in rules.things:
        return
    for number, deck in sorted(table.decks.items()):
        if dealt and table.round and table.round.deck == number:
            continue
        change = rules.deal.change.clause if rules.deal.change else rules.deck.clause
        receive = at_table.Receive(number, NO_TIME)
        yield _at_table(f"Change deck {number} for another.", DEALER, receive, change)
        ordered, recut = right(rules, "shuffle"), right(rules, "cut")
        if deck.stack and ordered:
            order = at_table.OrderShuffle(number, "floorperson")
            yield _at_table(f"Order a shuffle of deck {number}.", FLOOR, order, ordered)
        if deck.depth and recut:
            again = at_table.Recut(number, None, "floorperson")
            yield _at_table(f"Have deck {number} cut again.", FLOOR, again, recut)
    if not table.round and table.seats and (idle := rules.guided.get("idle")):
        yield _at_table("The table is idle.", FLOOR, at_table.Idle("floorperson"), idle[0])
    yield from _about_devices(table)


def _about_devices(table: Table) -> Iterator[NextStep]:
    """Yield what people may report about devices and do with them."""
    rules = table.rules
    for duty in due(table):
        if duty.moment == DEVICE:  # It is covered, or else marked.
            yield duty_step(table, duty)
    for digest, way in table.ways.items() if not table.round else ():
        if digest != rules.digest and not any(uses(way, device) for device in table.out):
            chosen = {name: v for name, v in way.selections.items() if v != rules.selections[name]}
            says = ", ".join(f"{name} {value}" for name, value in chosen.items())
            change = at_table.Change(digest)
            yield _at_table(f"Change the equipment: {says}.", FLOOR, change, way.deal.clause)
    devices: tuple[Device, ...] = ("shuffler", "shoe")
    for device in devices:
        if device in table.out and not table.out[device].doubted:
            restore = at_table.Restore(device)
            yield _at_table(f"The {device} works again.", FLOOR, restore)
        elif uses(rules, device) and _is_provided_for(table, device):
            jam, fail = at_table.Fail(device, usable=True), at_table.Fail(device)
            yield _at_table(f"The {device} had a fault and can be used.", STAFF, jam)
            yield _at_table(f"The {device} can't be used.", STAFF, fail)


def _is_provided_for(table: Table, device: Device) -> bool:
    """Whether the book says what follows when a device fails."""
    return any(one.device == device for one in table.rules.irregularities.values())


def tray_of(table: Table) -> dict[str, Any] | None:
    """Return what a desk shows of the tray: never a count before the other person has counted."""
    if not has_tray(table.rules):
        return None
    tray = table.tray
    counted = tray.agreed is not None
    return {
        "counting": [*tray.missing] if table.life in ("closed", "closing") else [],
        "differed": tray.differed,
        "agreed": tray.agreed if table.life in ("counted", "open") else None,
        "difference": tray.difference if counted else None,
    }
