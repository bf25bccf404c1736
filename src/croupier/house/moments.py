"""The rest of a desk: how the present things are done, and what is due by when."""

from collections.abc import Iterator
from typing import Any

from croupier.house.standing import Standing
from croupier.round.state import Round
from croupier.rules.book import Clause
from croupier.rules.vocabulary import Occasion, StepKind
from croupier.table.commands import Time
from croupier.table.prompts import due
from croupier.table.state import HOUR_S, Table, right

_DURING: dict[StepKind, tuple[Occasion, ...]] = {
    "bets": ("bets",),
    "deal": ("deal",),
    "decide": ("dealt", "examine", "decide"),
    "reveal": ("decided", "reveal"),
    "settle": ("settle",),
}
"""The moments that last as long as a step. The others last while their duties are open."""
_BETWEEN: tuple[Occasion, ...] = ("shuffle", "cut")


def moments_of(standing: Standing) -> tuple[Occasion, ...]:
    """Return the current moments: those of the step, and those whose duties are open."""
    table, round = standing.table, standing.in_play
    open_ = [duty.moment for duty in (*due(table), *(round.todo if round else ()))]
    if round is None:
        # 5.H: nobody plays, and the cards lie there for the next player.
        lies = table.life == "open" and table.decks and not open_
        idle: tuple[Occasion, ...] = ("idle",) if lies else ()
        return tuple(dict.fromkeys((*open_, *(_BETWEEN if table.seats else idle))))
    lasting = _DURING[round.stage.do] if round.stage and not round.void else ()
    return tuple(dict.fromkeys((*open_, *lasting)))


def manners(standing: Standing) -> Iterator[dict[str, Any]]:
    """Yield the clauses that say how the present things are done, or what may be asked for."""
    rules, round = standing.table.rules, standing.in_play
    names = [
        name
        for moment in moments_of(standing)
        for name in rules.guided.get(moment, ())
        if rules.clauses[name].force == "manner"
    ]
    for name in (*names, *_rights(standing.table)):
        clause = rules.clauses[name]
        if round is None or _concerns(round, clause):
            yield {"clause": name, "says": clause.says, "force": clause.force}


def _rights(table: Table) -> Iterator[str]:
    """Yield the clauses by which the floor may ask for something with the decks as they are.

    5.A(3) and 5.G hold until a card is dealt, of cards that are shuffled or cut. Virtual cards are
    shuffled and cut by the program, and nobody asks it to (T9).
    """
    if "cards" not in table.rules.things or (table.round and table.round.dealt):
        return
    decks = table.decks.values()
    asked: dict[Occasion, bool] = {
        "shuffle": any(deck.stack for deck in decks),
        "cut": any(deck.depth for deck in decks),
    }
    for moment, can in asked.items():
        if can and (name := right(table.rules, moment)):
            yield name


def _concerns(round: Round, clause: Clause) -> bool:
    """Whether the wager or the step that a clause is for is there."""
    staked = {spot for box in round.boxes.values() for spot in box.stakes}
    spots = [spot for wager in clause.if_staked for spot in round.rules.spots.get(wager, ())]
    if clause.if_staked and staked.isdisjoint(spots):
        return False
    step = clause.on.partition(".")[0] if clause.on else None
    return step not in round.rules.steps or (round.stage is not None and round.stage.name == step)


def countdowns(table: Table, time: Time) -> Iterator[dict[str, Any]]:
    """Yield how much is left until decks are changed, and until the stub is counted."""
    change, count = table.rules.deal.change, table.rules.deck.stub_count
    for number, deck in table.decks.items() if change else ():
        if change and deck.stack is not None:
            whole = change.hours * HOUR_S
            left = max(whole - table.age_s(number, time), 0)
            yield _countdown(f"Deck {number}", change.clause, "seconds", (left, whole))
    if count is not None:
        left = max(count.every_rounds - table.uncounted, 0)
        yield _countdown("Stub count", count.clause, "rounds", (left, count.every_rounds))


def _countdown(says: str, clause: str, unit: str, parts: tuple[int, int]) -> dict[str, Any]:
    left, whole = parts
    return {"says": says, "clause": clause, "unit": unit, "left": left, "of": whole}
