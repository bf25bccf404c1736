"""Where each card of the deck goes, by the table's dealing procedure."""

from collections.abc import Iterator
from itertools import groupby

from croupier.errors import Bug
from croupier.round.order import seats_in
from croupier.round.plan import plan_of
from croupier.round.stages import DealOrder
from croupier.round.state import Round
from croupier.rules.game import DealLine
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK, SEATS
from croupier.rules.words import listed

Dealt = tuple[str, int]
"""A place, or the seats, and how many cards each gets at a time."""


def deal_plan(round: Round) -> DealOrder:
    """Return the position, place and seat of every card, in dealing order.

    Cards found face up are skipped (Maryland 13.A). If there are none, the deal depends only on the
    seats that play and the lines of the procedure that apply.
    """
    plan = plan_of(round.rules)
    seats = seats_in(round, round.rules.deal.order)
    skipped: tuple[int, ...] = ()
    if plan.deal_if:
        skipped = tuple([i for i, line in plan.deal_if if not is_dealt(round, line)])
    if round.discarded:
        return _deal(round, seats, skipped)
    dealt = plan.deals.get((seats, skipped))
    if dealt is None:
        dealt = plan.deals[seats, skipped] = _deal(round, seats, skipped)
    return dealt


def _deal(round: Round, seats: tuple[int, ...], skipped: tuple[int, ...]) -> DealOrder:
    deck, discarded = range(round.rules.deck.cards), round.discarded
    positions = [position for position in deck if position not in discarded]
    places: list[tuple[str, int]] = []
    for i, line in enumerate(round.rules.deal.cards):
        if i not in skipped:
            for seat in seats if line.to == SEATS else (0,):
                places += [(line.to, seat)] * line.cards
    if len(places) > len(positions):
        raise Bug(f"{len(places)} cards are to be dealt, and {len(positions)} are left")
    dealt = zip(positions, places, strict=False)
    return tuple([(position, place, seat) for position, (place, seat) in dealt])


def deal_says(round: Round) -> str:
    """Say to whom the cards are dealt, in order: "One card each to seat 1 and Dealer, 3 times."."""
    rules, seats = round.rules, seats_in(round, round.rules.deal.order)
    lines: list[Dealt] = [(one.to, one.cards) for one in rules.deal.cards if is_dealt(round, one)]
    says = []
    for block, times in _repeats(lines):
        for cards, some in groupby(block, lambda line: line[1]):
            each = [name for to, _ in some for name in _receivers(rules, to, seats)]
            many = "1 card" if cards == 1 else f"{cards} cards"
            again = f", {times} times" if times > 1 else ""
            says.append(f"{many} {'each ' if len(each) > 1 else ''}to {listed(each)}{again}")
    return f"{'; then '.join(says)}."


def _receivers(rules: TableRules, to: str, seats: tuple[int, ...]) -> list[str]:
    """Return who gets cards by a line of the procedure: the seats in turn, or a place."""
    if to == SEATS:
        return [f"seat {seat}" for seat in seats]
    return [rules.bank.label if to == BANK else rules.places[to].label]


def _repeats(lines: list[Dealt]) -> Iterator[tuple[list[Dealt], int]]:
    """Yield a procedure's lines in blocks, each with how many times it comes in a row.

    Lines that don't come again are one block.
    """
    alone: list[Dealt] = []
    while lines:
        sizes = range(1, len(lines) // 2 + 1)
        size = next((n for n in sizes if lines[:n] == lines[n : 2 * n]), 0)
        if not size:
            alone.append(lines.pop(0))
            continue
        if alone:
            yield alone, 1
        alone, block, times = [], lines[:size], 0
        while lines[:size] == block:
            del lines[:size]
            times += 1
        yield block, times
    if alone:
        yield alone, 1


def is_dealt(round: Round, line: DealLine) -> bool:
    """Whether a line of the procedure applies: the wager that it is for was made."""
    return line.if_staked is None or any(
        line.if_staked in box.stakes for box in round.boxes.values()
    )
