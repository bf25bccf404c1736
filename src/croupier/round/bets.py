"""Checks of bets: each wager when it is made, and all of a seat's wagers when bets close."""

from fractions import Fraction
from typing import NamedTuple

from croupier.errors import Refused
from croupier.money import contribution, part_of
from croupier.round.plan import plan_of
from croupier.round.state import Box, Round
from croupier.rules.game import Condition, Fee
from croupier.rules.table_rules import TableRules
from croupier.rules.words import dollars, listed

LIMITS, BOXES = "limits", "adjacent_boxes"
"""The selections whose clauses are cited when a stake or a box is refused."""


def check_bet(rules: TableRules, name: str, cents: int) -> None:
    """Refuse a wager that the table doesn't take, regardless of the seat's other bets."""
    wager = rules.wagers.get(name)
    if wager is None:
        known = [id for id, other in rules.wagers.items() if other.placed == "before the deal"]
        message = f"this table doesn't offer it; it offers {listed(known)}"
        raise Refused("not_offered", message, field=name)
    if wager.placed == "by decision":
        message = f"{wager.label} is made by a decision, not before the deal"
        raise Refused("by_decision", message, field=name, clause=wager.clause)
    if cents <= 0:
        raise Refused("no_money", "must be more than zero", field=name)
    if wager.sizes and cents not in wager.sizes.of:
        sizes = listed([dollars(size) for size in wager.sizes.of], last="or")
        message = f"a {wager.label} is {sizes}, not {dollars(cents)}"
        raise Refused("wrong_size", message, field=name, clause=wager.sizes.clause)
    limits = rules.limits.get(name)
    if limits and not limits.min <= cents <= limits.max:
        message = f"{dollars(cents)} is not from {dollars(limits.min)} to {dollars(limits.max)}"
        raise Refused("outside_limits", message, field=name, clause=rules.cited.get(LIMITS))
    for meter in rules.meters.values():
        if meter.wager == name and (meter.rate is None or meter.reset is None):
            undeclared = {"rate": meter.rate, "reset": meter.reset}
            missing = " and ".join(name for name, value in undeclared.items() if value is None)
            message = f"can't be made until the operator declares the meter's {missing}"
            clause = rules.cited.get(f"{name}_rate")
            raise Refused("meter_undeclared", message, field=name, clause=clause)


def check_seats(round: Round) -> None:
    """Refuse to close bets while a seat's wagers do not fit together."""
    rules = round.rules
    taken = len(round.boxes) + (round.banker is not None)
    if not round.boxes:
        raise Refused("nobody_bets", "no wager has been made", clause=rules.table.clause)
    if rules.banked_by == "player" and round.banker is None:
        raise Refused(
            "no_banker", "nobody has taken the bank of this round", clause=rules.bank.clause
        )
    if taken < rules.table.seats_min:
        message = f"at least {rules.table.seats_min} seats must play"
        raise Refused("too_few", message, clause=rules.table.clause)
    for box in round.boxes.values():
        if lack := lack_of(rules, box):
            raise lack.refusal
    if rules.table.boxes_max is not None:
        check_boxes(round, rules.table.boxes_max)


def opening_stakes(rules: TableRules, box: Box) -> dict[str, int]:
    """Return each wager of a box with the size of one of its stakes."""
    stakes = box.stakes
    return {name: stakes[s[0]].cents for name, s in rules.spots.items() if s[0] in stakes}


class Lack(NamedTuple):
    """A wager whose conditions the seat's other bets don't meet."""

    wager: str
    others: frozenset[str]
    """The wagers of which one is missing; empty if one is there but too small."""
    refusal: Refused


def lack_of(rules: TableRules, box: Box) -> Lack | None:
    """Return the first wager of a box whose conditions are not met."""
    stakes = box.stakes
    for name, spot, needed, condition in plan_of(rules).conditions:
        if spot not in stakes:
            continue
        others: frozenset[str] = frozenset()
        if needed and needed.isdisjoint(stakes):
            labels = listed([rules.wagers[w].label for w in condition.needs], last="or")
            code = "needs_wager"
            others = frozenset(condition.needs)
            message = f"needs {labels} at the same seat"
        elif condition.of and stakes[spot].cents > _most(rules, box, condition):
            label = rules.wagers[condition.of].label
            code = "ratio"
            times = "" if condition.at_most == 1 else f"{condition.at_most} times "
            message = f"is more than {times}the {label}"
            if rules.spots[condition.of][0] not in stakes:
                others = frozenset({condition.of})
        else:
            continue
        field, message = f"seat {box.seat}.{name}", f"{rules.wagers[name].label} {message}"
        return Lack(name, others, Refused(code, message, field=field, clause=condition.clause))
    return None


def makeable(rules: TableRules, *, without: str) -> set[str]:
    """Return the wagers that can stand together without this one."""
    left = {*rules.spots} - {without}
    while True:
        lonely = {
            name
            for name in left
            for condition in rules.wagers[name].conditions
            if condition.needs and left.isdisjoint(condition.needs)
        }
        if not lonely:
            return left
        left -= lonely


def _most(rules: TableRules, box: Box, condition: Condition) -> Fraction | int:
    """Return the largest size that a condition allows a wager."""
    other = box.stakes.get(rules.spots[condition.of or ""][0])
    return (condition.at_most or 0) * (other.cents if other else 0)


def check_boxes(round: Round, most: int, *, player: str | None = None) -> None:
    """Refuse a player's boxes that aren't adjacent or exceed the declared number (Maryland 7.H)."""
    players: dict[str, list[int]] = {}
    for seat, box in round.boxes.items():
        if player in (None, box.player):
            players.setdefault(box.player, []).append(seat)
    clause = round.rules.cited.get(BOXES)
    for seats in players.values():
        if len(seats) == 1 <= most:
            continue
        field = f"seat {seats[-1]}"
        if len(seats) > most:
            message = f"{len(seats)} boxes of one player, and {most} is the most"
            raise Refused("too_many_boxes", message, field=field, clause=clause)
        if max(seats) - min(seats) >= len(seats):
            message = "a player's boxes must be adjacent"
            raise Refused("boxes_apart", message, field=field, clause=clause)


def rises(round: Round) -> dict[str, int]:
    """Return each meter's rise when bets close, in micros (M8).

    Each meter's share is rounded down to the micro; the first meter takes the remainder.
    """
    metered = plan_of(round.rules).metered
    result: dict[str, int] = {}
    if not metered:
        return result
    staked: dict[str, int] = {}
    for box in round.boxes.values():
        for spot in metered:
            if spot in box.stakes:
                staked[spot] = staked.get(spot, 0) + box.stakes[spot].cents
    for spot, cents in staked.items():
        rate, shares = metered[spot]
        left = rise = contribution(cents, rate)
        for id, share in shares.items():
            result[id] = part_of(rise, share)
            left -= result[id]
        result[next(iter(shares))] += left
    return result


def fees(round: Round) -> dict[int, int]:
    """Return the fee of each seat: a flat sum per wager by its size, before the deal (C7)."""
    fee = round.rules.fee
    if fee is None or not fee.brackets:
        return {}
    return {seat: seat_fee(round.rules, box) for seat, box in round.boxes.items()}


def seat_fee(rules: TableRules, box: Box) -> int:
    """Return the fee of a seat's bets, or refuse a bet above the last bracket (C7)."""
    fee = rules.fee
    if fee is None or not fee.brackets:
        return 0
    return sum(
        _fee_of(fee, f"seat {box.seat}.{name}", cents)
        for name, cents in opening_stakes(rules, box).items()
        if name in fee.wagers
    )


def _fee_of(fee: Fee, field: str, cents: int) -> int:
    for bracket in fee.brackets:
        if cents <= bracket.up_to:
            return bracket.fee
    message = f"{dollars(cents)} is above the last fee bracket"
    raise Refused("above_brackets", message, field=field, clause=fee.clause)
