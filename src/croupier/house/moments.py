"""What a desk shows beside the next step: how things are done at this moment, and countdowns."""

from collections.abc import Iterator
from typing import Any

from croupier.house.authority import KEEPS
from croupier.house.standing import Standing
from croupier.house.step import NextStep
from croupier.round.commands import Deal
from croupier.round.dealing import deal_says
from croupier.round.order import is_read
from croupier.round.state import Round, is_walk_in
from croupier.rules.book import Clause
from croupier.rules.vocabulary import Occasion, StepKind
from croupier.rules.words import dollars, listed
from croupier.table.commands import DealFirstCard, Time
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
        # 5.H: nobody is playing, and the cards lie ready for the next player.
        lies = table.life == "open" and table.decks and not open_ and not table.seats
        idle: tuple[Occasion, ...] = ("idle",) if lies else ()
        shuffles = table.seats and len(table.decks) == table.rules.deck.decks
        return tuple(dict.fromkeys((*open_, *(_BETWEEN if shuffles else idle))))
    lasting = _DURING[round.stage.do] if round.stage and not round.void else ()
    return tuple(dict.fromkeys((*open_, *lasting)))


def kept_by(standing: Standing, step: NextStep) -> Iterator[dict[str, Any]]:
    """Yield the clauses that are kept by doing a step, except those that it quotes."""
    rules, round, act = standing.table.rules, standing.in_play, KEEPS.get(type(step.command))
    for name in (name for names in rules.guided.values() for name in names) if act else ():
        clause = rules.clauses[name]
        if clause.act != act or clause.says in step.says:
            continue
        if round is None or _concerns(round, clause):
            yield {"clause": name, "says": clause.says, "force": clause.force}


def deal_order(standing: Standing, step: NextStep) -> Iterator[dict[str, Any]]:
    """Yield to whom real cards are dealt, and how many at a time, while the deal comes next."""
    round, deals = standing.in_play, isinstance(step.command, DealFirstCard | Deal)
    if round and deals and is_read(round.rules):
        yield {"clause": round.rules.deal.clause, "says": deal_says(round), "force": "manner"}


def fees_due(standing: Standing, step: NextStep) -> Iterator[dict[str, Any]]:
    """Yield the chips that a dealer collects as fees before the first card (C7)."""
    round, rules = standing.in_play, standing.table.rules
    if round is None or rules.fee is None or not isinstance(step.command, DealFirstCard):
        return
    due = {seat: box.fee for seat, box in round.boxes.items() if is_walk_in(box.player)}
    if round.banker and is_walk_in(round.banker.player):
        due[round.banker.seat] = rules.fee.banker
    sums = [f"{dollars(cents)} from seat {seat}" for seat, cents in due.items() if cents]
    if sums:
        says = f"Collect the fees before the deal: {listed(sums)}."
        yield {"clause": rules.fee.clause, "says": says, "force": "manner"}


def manners(standing: Standing) -> Iterator[dict[str, Any]]:
    """Yield the clauses on how things are done at this moment, and on what may be asked for."""
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
    """Yield the clauses by which the floor may order something with the decks as they lie.

    5.A(3) and 5.G apply to shuffled or cut cards until one is dealt. The program shuffles and cuts
    virtual cards by itself (T9).
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
    """Whether a clause's wager is staked and its step is current, where it names them."""
    staked = {spot for box in round.boxes.values() for spot in box.stakes}
    spots = [spot for wager in clause.if_staked for spot in round.rules.spots.get(wager, ())]
    if clause.if_staked and staked.isdisjoint(spots):
        return False
    step = clause.on.partition(".")[0] if clause.on else None
    return step not in round.rules.steps or (round.stage is not None and round.stage.name == step)


def countdowns(table: Table, time: Time) -> Iterator[dict[str, Any]]:
    """Yield the time until each deck is changed, and the rounds until the stub is counted."""
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
