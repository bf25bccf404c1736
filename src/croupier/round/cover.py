"""Limit what a player-banker pays to the funds put up, by the rules of the book.

Settling computes what each wager is owed. Where the house banks, that stands. Where a player banks,
the lines pass through here once, and some are paid in part or not at all.
"""

from collections.abc import Sequence
from typing import assert_never

from croupier.errors import Bug
from croupier.round.state import Banker, BankResult, Line
from croupier.rules.game import Cover
from croupier.rules.table_rules import TableRules

LOST = ("lose", "forfeit")


def covered(
    rules: TableRules, banker: Banker, owed: Sequence[Line]
) -> tuple[list[Line], BankResult]:
    """Return the lines as far as the banker's funds cover them, and the banker's result."""
    cover = rules.bank.cover
    if cover is None:
        raise Bug("a banker without a rule of cover")
    match cover.collects:
        case "first":
            lines = _collect_first(cover, banker.funds, owed)
        case "in turn":
            lines = _in_turn(cover, banker.funds, owed)
        case _:
            assert_never(cover.collects)
    clauses = {
        spot: rules.wagers[name].uncovered or cover.clause
        for name, spots in rules.spots.items()
        for spot in spots
    }
    # A changed line cites the cover rule, not the odds; the order of hands is unchanged.
    lines = [
        line if line == due else line._replace(clause=clauses[line.wager], ruling=cover.ruling)
        for due, line in zip(owed, lines, strict=True)
    ]
    collected = sum(line.stake for line in lines if line.outcome in LOST)
    paid = sum(line.paid for line in lines)
    return list(lines), BankResult(banker.seat, banker.funds, collected, paid, 0)


def _collect_first(cover: Cover, funds: int, lines: Sequence[Line]) -> list[Line]:
    """Collect every losing wager, then pay the winners in turn while the money lasts (C3)."""
    left = funds
    if cover.from_ == "wager and collections":
        left += sum(line.stake for line in lines if line.outcome in LOST)
    result = []
    for line in lines:
        if line.outcome == "win":
            paid = line.paid if line.paid <= left else left if cover.in_part else 0
            left -= paid
            line = _uncovered(line) if paid == 0 < line.paid else line._replace(paid=paid)
        result.append(line)
    return result


def _in_turn(cover: Cover, funds: int, lines: Sequence[Line]) -> list[Line]:
    """Settle hand by hand; a hand that the funds can't cover at its turn is dead (F4, F5)."""
    left = funds
    result: list[Line] = []
    for hand in _hands(lines):
        stakes, due = sum(line.stake for line in hand), sum(line.paid for line in hand)
        folded = any(line.outcome == "forfeit" for line in hand)
        if not folded and (left < stakes or left < due):
            result += [_uncovered(line) for line in hand]
            continue
        if cover.from_ == "wager and collections":
            left += sum(line.stake for line in hand if line.outcome in LOST)
        left -= due
        result += hand
    return result


def _hands(lines: Sequence[Line]) -> list[list[Line]]:
    hands: dict[int, list[Line]] = {}
    for line in lines:
        hands.setdefault(line.seat, []).append(line)
    return list(hands.values())


def _uncovered(line: Line) -> Line:
    returned = line.stake
    return line._replace(outcome="uncovered", paid=0, returned=returned, because="uncovered")
