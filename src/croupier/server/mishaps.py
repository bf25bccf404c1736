"""What goes wrong at a practice table: chosen by a seed from what the book says of such a table.

The book's irregularities come in turn, each at a step at which it can happen; and beside them what
people contest or hand out wrongly, which no book lists.
"""

import random
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from croupier.errors import Refused
from croupier.house.proposals import preview, proposable
from croupier.house.standing import Standing
from croupier.round.commands import Declare
from croupier.round.order import is_read
from croupier.round.state import Line, Round, is_walk_in
from croupier.rules.game import counts_stub
from croupier.rules.table_rules import TableRules, fits, is_there
from croupier.rules.vocabulary import StepKind
from croupier.rules.words import counted, dollars
from croupier.table.commands import Dispute, Mispay
from croupier.table.crew import Approvers
from croupier.table.tray import CHIPS_CENTS

MOMENTS: tuple[StepKind, ...] = ("deal", "decide", "settle")
"""The steps at which something goes wrong, as far as the book lets it happen there."""
CONTESTED, MISPAID = Dispute.__name__, Mispay.__name__
CARDS_MAX = 2
"""How many cards are found at most."""


class Happening(NamedTuple):
    """Something that goes wrong by the script, and what the book makes of it."""

    round: str
    says: str
    clause: str | None
    command: Mapping[str, Any]
    """The command that declares or notes it."""
    of: str = "round"
    returns: Mapping[int, int] = {}
    """The cents that each seat gets back by the book."""
    calls: bool = False
    """Whether only the floor may declare it, so that the dealer has to call the floor."""
    cents: int = 0
    """What somebody is short of until it is noted."""

    @property
    def told(self) -> str:
        """What goes wrong, as a sentence of its own."""
        return self.says[:1].upper() + self.says[1:]

    @property
    def waits(self) -> bool:
        """Whether the round may go on before it is noted."""
        return self.of != "round"

    def cost(self, paid: Mapping[int, int]) -> int:
        """Return by how much what the seats got differs from what the book gives them."""
        lacks = (abs(paid.get(seat, 0) - cents) for seat, cents in self.returns.items())
        return self.cents + sum(lacks)

    def is_named_by(self, of: object, command: Mapping[str, Any]) -> bool:
        """Whether a command declares or notes this; words are free."""
        named = {key: value for key, value in self.command.items() if key != "about"}
        given = {**command, "facts": dict(command.get("facts") or {})}
        return of == self.of and all(given.get(key) == value for key, value in named.items())


class Mishap(NamedTuple):
    """What is to go wrong in a round: an irregularity or a mistake, and at which step."""

    kind: str
    moment: StepKind


def kinds_of(rules: TableRules) -> list[str]:
    """Return what can go wrong at a table with these rules and things.

    A count of the stub has its own moment, and a card read twice is seen as it is read.
    """
    listed = [
        kind
        for kind, one in rules.irregularities.items()
        if fits(one.if_, rules.selections)
        and is_there(one.needs, rules.things)
        and (is_read(rules) or not one.reading)
        and not counts_stub(one)
    ]
    return [*listed, CONTESTED, *([MISPAID] if "chips" in rules.things else [])]


def planned(rules: TableRules, seed: int, number: int, faulty: float) -> Mishap | None:
    """Return what goes wrong in a round; each kind comes once before any comes again."""
    draws = random.Random(f"{seed}/{number}/wrong")
    if draws.random() >= faulty:
        return None
    kinds = kinds_of(rules)
    kind = random.Random(seed).sample(kinds, len(kinds))[number % len(kinds)]
    if kind in (CONTESTED, MISPAID):
        return Mishap(kind, "settle")
    one = rules.irregularities[kind]
    steps = {step.do for _, step in rules.sequence} | {"deal"}
    moments = [m for m in MOMENTS if m in steps and (not one.during or m in one.during)]
    # What was to stay hidden lies open once seats are settled.
    early = [m for m in moments if m != "settle" or not one.hidden]
    return Mishap(kind, draws.choice(early or moments))


def happening(
    plan: Mishap,
    standing: Standing,
    desk: Mapping[str, Any],
    draws: random.Random,
    approvers: Approvers,
) -> Happening | None:
    """Return what goes wrong now by a plan; None if it isn't the moment."""
    round, playing = standing.in_play, standing.table.round
    if round is None or round.void or round.stage is None or round.stage.do != plan.moment:
        return None
    if is_read(round.rules) and not (playing and playing.dealt):
        return None
    if plan.kind == CONTESTED:
        return _contested(round, draws)
    if plan.kind == MISPAID:
        return _mispaid(round, draws)
    found = [one for one in desk["irregularities"] if one["kind"] == plan.kind]
    return _declared(standing, found[0], draws, approvers) if found else None


def _declared(
    standing: Standing, one: Mapping[str, Any], draws: random.Random, approvers: Approvers
) -> Happening | None:
    answers = [_answered(ask, draws) for ask in one["asks"]]
    facts = {ask["fact"]: value for ask, (value, _) in zip(one["asks"], answers, strict=True)}
    where = ", ".join(says for _, says in answers)
    says = f"{where}: {one['says']}" if where else one["says"]
    return declared(standing, one["kind"], facts, says, one["by"], approvers)


def declared(
    standing: Standing,
    kind: str,
    facts: Mapping[str, Any],
    says: str,
    by: Sequence[str],
    approvers: Approvers,
) -> Happening | None:
    """Return an irregularity with what the book makes of it; None if it can't have happened."""
    command = {"type": Declare.__name__, "kind": kind, "facts": dict(facts)}
    try:
        seen = preview(standing, proposable("round", command), approvers)
    except Refused:
        return None
    calls = not seen.approve and "dealer" not in by
    clause, id = seen.clause or seen.ruling, standing.round.id if standing.round else ""
    return Happening(id, says, clause, command, returns=seen.returns, calls=calls)


def _answered(ask: Mapping[str, Any], draws: random.Random) -> tuple[Any, str]:
    """Return an answer to what is asked about an irregularity, and how the script says it."""
    if ask["answers"] is None:
        many = draws.randint(1, CARDS_MAX)
        return many, counted(many, "card")
    answer = draws.choice(ask["answers"])
    value, says = answer["value"], answer["says"]
    return value, f"{ask['says']} {says}" if isinstance(value, bool) else says


# ---------------------------------------------------------------- mistakes


def _contested(round: Round, draws: random.Random) -> Happening | None:
    """Let a player contest a hand that was settled, while others still wait for theirs."""
    settled = [seat for seat in round.order if seat in round.boxes]
    if not settled:
        return None
    seat = draws.choice(settled)
    says = f"The player at seat {seat} contests what was paid, and asks that it be noted"
    command = {"type": CONTESTED, "seat": seat, "round": round.id}
    clause = round.step.clause if round.step else None
    return Happening(round.id, says, clause, command, of="table")


def _mispaid(round: Round, draws: random.Random) -> Happening | None:
    """Let a walk-in be handed another sum than is due on a wager."""
    lines = [line for line in round.lines if is_walk_in(round.boxes[line.seat].player)]
    if not lines:
        return None
    line = draws.choice(lines)
    due = _due(lines, line)
    paid = due + draws.choice(CHIPS_CENTS[:2])
    label = round.rules.label(line.wager)
    says = f"Seat {line.seat} was handed {dollars(paid)} on {label}, where {dollars(due)} was due"
    command = {"type": MISPAID, "seat": line.seat, "wager": line.wager, "paid": paid}
    clause, cents = line.clause or line.ruling, paid - due
    return Happening(round.id, says, clause, command, of="table", cents=cents)


def _due(lines: Sequence[Line], about: Line) -> int:
    same = [one for one in lines if (one.seat, one.wager) == (about.seat, about.wager)]
    return sum(one.paid + one.returned for one in same)
