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
    lines = _as_far_as_funds_go(cover, banker.funds, owed)
    clauses = {
        spot: rules.wagers[name].uncovered or cover.clause
        for name, spots in rules.spots.items()
        for spot in spots
    }
    # A changed line cites the cover rule, not the odds; the order of hands is unchanged.
    # A bonus has no stake to give back: if there is no money for it, it has no line.
    lines = [
        line
        if line == due
        else line._replace(clause=clauses.get(line.wager, cover.clause), ruling=cover.ruling)
        for due, line in zip(owed, lines, strict=True)
        if line.stake or line.paid
    ]
    paid = sum(line.paid for line in lines)
    return list(lines), BankResult(banker.seat, banker.funds, _lost(lines), paid, 0)


def _as_far_as_funds_go(cover: Cover, funds: int, owed: Sequence[Line]) -> list[Line]:
    """Settle hand by hand, or wager by wager, while the banker's money lasts (C3, F4, F5)."""
    first, adds = cover.collects == "first", cover.from_ == "wager and collections"
    left = funds + (_lost(owed) if first and adds else 0)
    result: list[Line] = []
    for part in _hands(owed) if cover.unit == "hand" else [[line] for line in owed]:
        match cover.unit:
            case "hand":
                lines = _hand(part, left, first=first)
            case "wager":
                lines = [_wager(part[0], left, in_part=cover.in_part)]
            case _:
                assert_never(cover.unit)
        left += _lost(lines) if adds and not first else 0
        left -= sum(line.paid for line in lines)
        result += lines
    return result


def _hand(lines: list[Line], left: int, *, first: bool) -> list[Line]:
    """Return a hand's lines, uncovered if the money is short.

    At its turn a called hand needs cover for its stakes too, win or lose (F4). Where lost stakes
    were collected before, only its wins come back.
    """
    short = left < sum(line.paid for line in lines)
    if first:
        return [_uncovered(line) if short and line.paid else line for line in lines]
    folded = any(line.outcome == "forfeit" for line in lines)
    short = short or left < sum(line.stake for line in lines)
    return [*map(_uncovered, lines)] if short and not folded else lines


def _wager(line: Line, left: int, *, in_part: bool) -> Line:
    if line.paid <= left:
        return line
    return line._replace(paid=left) if left and in_part else _uncovered(line)


def _lost(lines: Sequence[Line]) -> int:
    return sum(line.stake for line in lines if line.outcome in LOST)


def _hands(lines: Sequence[Line]) -> list[list[Line]]:
    hands: dict[int, list[Line]] = {}
    for line in lines:
        hands.setdefault(line.seat, []).append(line)
    return list(hands.values())


def _uncovered(line: Line) -> Line:
    returned = line.stake
    return line._replace(outcome="uncovered", paid=0, returned=returned, because="uncovered")
