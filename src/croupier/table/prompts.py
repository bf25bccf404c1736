"""The guided clauses of a book as prompts: those of a moment, and those due now."""

from dataclasses import dataclass

from croupier.round.events import Closed, Declared, Event, SeatSettled
from croupier.round.evolve import evolve
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import Device, Do, Moment, Person
from croupier.table.state import Table

_ENDS: dict[Do, tuple[Moment, ...]] = {
    "bets": ("no more bets",),
    "deal": ("dealt", "examine"),
    "decide": ("decided",),
}
"""The moments at the end of a step; those at its beginning have the step's name."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """A guided clause to confirm: by whom and, at a table, for which deck or device."""

    moment: Moment
    clause: str
    says: str
    by: Person
    deck: int | None = None
    device: Device | None = None


def prompts(rules: TableRules, moment: Moment) -> tuple[Prompt, ...]:
    """Return the guided clauses of a moment that apply at a table."""
    return tuple(
        Prompt(moment, id, rules.clauses[id].says, rules.clauses[id].by)
        for id in rules.guided.get(moment, ())
    )


def due(table: Table) -> tuple[Prompt, ...]:
    """Return what must be confirmed now, each deck's prompts in order.

    For a failed device one prompt is enough: it is covered, or it is marked.
    """
    found = [
        Prompt(p.moment, p.clause, p.says, p.by, device=device)
        for device, outage in table.out.items()
        if not outage.secured
        for p in prompts(table.rules, "device fails")
    ]
    for number, deck in sorted(table.decks.items()):
        for moment, id in deck.todo:
            # 4.C: the first player looks at the cards before they are turned and washed.
            if moment == "first player" and not table.seats:
                break
            clause = table.rules.clauses[id]
            found.append(Prompt(moment, id, clause.says, clause.by, deck=number))
    return tuple(found)


def moments(round: Round, event: Event, *, count_due: bool = False) -> tuple[Moment, ...]:
    """Return the moments that an event brings to a round; `round` is the round before it.

    With `count_due`, the deal also brings the moment to count the stub.
    """
    found: list[Moment] = []
    match event:
        case Closed():
            return ("settled",)
        case SeatSettled(lines=lines):
            metered = {spot for m in round.rules.meters.values() for spot in _spots(round, m.wager)}
            if any(line.wager in metered and line.outcome == "win" for line in lines):
                found.append("progressive won")
        case Declared(kind=kind, effects=effects):
            if round.rules.irregularities[kind].device:
                found.append("device fails")
            if "void" in effects:
                found.append("misdeal")
    before, after = round.step, evolve(round, event)
    if after.at != round.at and after.step:
        found += _ENDS.get(before.do, ()) if before else ()
        if count_due and "dealt" in found:
            found.insert(found.index("dealt") + 1, "stub count")
        found.append(after.step.do)
    return tuple(found)


def _spots(round: Round, wager: str) -> tuple[str, ...]:
    return round.rules.spots.get(wager, (wager,))
