"""Progressive wins at a table with a dealer: each stops its seat before it is paid (M21).

When one is found, its sum leaves the meter and waits, and the meter is reset at once. The floor
answers it, and then the seat is settled.
"""

from collections.abc import Iterator

from croupier.errors import Refused
from croupier.round.commands import Settle
from croupier.round.events import AwardFound, Event, MetersRead
from croupier.round.plan import Part, plan_of
from croupier.round.settlement import Settlement
from croupier.round.state import FoundAward, Round
from croupier.rules.table_rules import TableRules


def open_awards(round: Round) -> tuple[FoundAward, ...]:
    """Return the progressive wins that wait for the floor."""
    return tuple(found for found in round.awards.values() if not found.answer)


def check_answered(round: Round, seat: int) -> None:
    """Refuse to settle a seat whose progressive win has yet to be answered."""
    for found in open_awards(round):
        if found.seat == seat:
            clause = validated_by(round.rules, found.wager)
            message = f"seat {seat}'s progressive win has to be validated first"
            raise Refused("award_open", message, field="seat", clause=clause)


def validating(rules: TableRules, wager: str) -> str | None:
    """Return the clause by which every win of a progressive wager is validated, if there is one."""
    for name in rules.guided.get("progressive won", ()):
        clause = rules.clauses[name]
        if (clause.act, clause.on) == ("validate", wager):
            return name
    return None


def validated_by(rules: TableRules, wager: str) -> str | None:
    """Return the clause by which wins of a wager are validated, or else the book's ruling on it."""
    return validating(rules, wager) or rules.ruling_on("validation")


def awards_found(round: Round, command: Settle) -> tuple[Event, ...]:
    """Return the progressive wins that stop a seat before it is paid, with the meters read.

    The book says which, or else the house's sum (M21). A hand that is only envied stops its seat
    too (T10).
    """
    seat = command.seat or 0
    settlement = Settlement(round, {**round.meters, **command.meters})
    lines = {line.wager: line for line in settlement.own_lines(seat) if line.outcome == "win"}
    envied = settlement.envied_by(seat)
    found: list[Event] = []
    for wager, part in _progressives(round):
        line = lines.get(wager)
        cents = line.paid if line else 0
        by_book, least = validating(round.rules, wager) is not None, command.validated
        if line is None:
            stops = by_book and wager in envied
        else:
            stops = by_book or (least is not None and cents >= least)
        if stops and (seat, wager) not in round.awards:
            meter = settlement.meter_of(line) if line else None
            shows = settlement.meters[meter] if meter else 0
            hand = settlement.hand(round.boxes[seat], part.of).name
            two = command.witnessed is not None and cents >= command.witnessed
            found.append(AwardFound(seat, wager, hand, cents, meter, shows, two))
    read: list[Event] = [MetersRead(command.meters)] if command.meters else []
    return (*read, *found) if found else ()


def _progressives(round: Round) -> Iterator[tuple[str, Part]]:
    """Yield the wagers that play for a meter, in the order of the book."""
    wagers = {meter.wager for meter in round.rules.meters.values()}
    for part in plan_of(round.rules).parts:
        yield from ((spot, part) for spot in part.spots if part.name in wagers)
