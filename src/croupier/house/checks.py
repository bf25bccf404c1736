"""What precedes the payment of a progressive win: its checks, and the validation."""

from collections.abc import Iterator
from typing import Any

from croupier.house.step import NextStep
from croupier.round import commands as in_round
from croupier.round.awards import open_awards, validating
from croupier.round.duties import duties_of
from croupier.round.settlement import Settlement
from croupier.round.state import FoundAward, Round, about_seat
from croupier.rules.words import dollars

DEALER = ("dealer",)


def validates(round: Round, found: FoundAward) -> NextStep:
    """Return the step that answers a progressive win where only the house has it validated."""
    label = round.rules.wagers[found.wager].label
    says = f"Validate seat {found.seat}'s {label}: {found.hand}, {dollars(found.cents)}."
    command = in_round.Validate(found.seat, found.wager)
    ruling = round.rules.ruling_on("validation")
    return NextStep(says, ("floorperson",), ruling or "", command=command)


def awards_seen(round: Round) -> Iterator[dict[str, Any]]:
    """Yield the wins that stop their seats, each with the checks that come before it is paid."""
    for found in open_awards(round):
        label = round.rules.wagers[found.wager].label
        yield {**found._asdict(), "label": label, "checks": [*_checks(round, found)]}


def _checks(round: Round, found: FoundAward) -> Iterator[dict[str, Any]]:
    rules, about = round.rules, about_seat(found.seat, found.wager)
    left = {duty.clause for duty in round.todo if duty.about == about}
    for duty in duties_of(rules, "progressive won", about):
        clause = rules.clauses[duty.clause]
        if clause.on in (None, found.wager):
            yield _check(clause.says, duty.clause, duty.by, done=duty.clause not in left)
    if validating(rules, found.wager) is None:
        step = validates(round, found)
        yield _check(step.says, step.clause, step.by, done=False)
    yield from _then(round, found)


def _then(round: Round, found: FoundAward) -> Iterator[dict[str, Any]]:
    """Yield what is paid once a win is validated: the wager, and then the envy that it brings."""
    settlement = Settlement(round, round.meters)
    for line in settlement.own_lines(found.seat):
        if line.wager == found.wager and found.cents:
            says = f"Then pay seat {found.seat} {dollars(found.cents)}."
            yield _check(says, line.clause, DEALER)
    for seat, lines in settlement.envy_for(found.seat).items():
        if cents := sum(line.paid for line in lines):
            yield _check(f"Then envy: seat {seat} gets {dollars(cents)}.", lines[0].clause, DEALER)


def _check(says: str, clause: str, by: tuple[str, ...], *, done: bool = False) -> dict[str, Any]:
    return {"says": says, "clause": clause, "by": [*by], "done": done}
