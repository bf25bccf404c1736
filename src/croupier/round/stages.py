"""The steps of a round with what rounds need of them, computed once."""

from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass, field
from sys import maxsize
from typing import NamedTuple

from croupier.rules.game import Option, Step
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import SEATS, Order, StepKind

DealOrder = tuple[tuple[int, str, int], ...]
"""Position, place and seat of every card of a deal, in dealing order."""


@dataclass(frozen=True)
class Stage:
    """A step of the round, with what a round needs of it."""

    at: int
    name: str
    step: Step
    do: StepKind
    asks: str
    """The spot of the stake to decide on, or ''."""
    order: Order | None
    turns: tuple[tuple[str, slice], ...]
    """The places it turns up, each with the slice of cards that no earlier step turned up."""
    stakes: Mapping[str, Container[int]]
    """The cents that each wager takes, regardless of other bets."""
    seats: int
    """The number of seats at the table."""
    shared: bool
    """Whether players bet on shared hands."""
    later: tuple["Stage", ...] = field(repr=False, compare=False)


class OptionEffect(NamedTuple):
    """What an option does to a box."""

    folds: bool
    ends: tuple[tuple[str, tuple[str, str, str | None]], ...]
    """The spots whose stakes end, each with its fate, clause and ruling."""
    places: str
    """The spot that gets a stake, or ''; then the spot whose stake it matches, and how many times.
    """
    equals: str
    times: int
    keeps: tuple[tuple[str, str, str | None], ...] = ()
    """The spots whose stakes stay by a ruling, unless another spot has a stake."""


def _stakes(rules: TableRules, name: str) -> Container[int]:
    wager, limits = rules.wagers[name], rules.limits.get(name)
    meters = [meter for meter in rules.meters.values() if meter.wager == name]
    declared = all(meter.rate is not None and meter.reset is not None for meter in meters)
    if wager.placed == "by decision" or not declared:
        return ()
    cents = range(max(limits.min, 1), limits.max + 1) if limits else range(1, maxsize)
    return [size for size in wager.sizes.of if size in cents] if wager.sizes else cents


def choices_of(rules: TableRules) -> dict[tuple[str, str], OptionEffect]:
    """Return the choices by the names of step and option."""
    return {
        (step, name): _choice(rules, option)
        for step, made in rules.steps.items()
        for name, option in made.option.items()
    }


def _choice(rules: TableRules, option: Option) -> OptionEffect:
    ends = tuple(
        (spot, (stake.fate, stake.clause, stake.ruling))
        for spot, stake in option.stakes.items()
        if stake.fate != "keep"
    )
    keeps = tuple(
        (spot, rules.spots[stake.beside][0], stake.ruling)
        for spot, stake in option.stakes.items()
        if stake.fate == "keep" and stake.beside
    )
    places = option.places if option.places and option.equals else ""
    return OptionEffect(option.folds, ends, places, option.equals or "", option.times, keeps)


def stages_of(rules: TableRules) -> tuple[Stage, ...]:
    """Return the steps as stages, each of which holds the later ones."""
    stakes = {name: _stakes(rules, name) for name in rules.wagers}
    turns = list(_turns(rules))
    stages: tuple[Stage, ...] = ()
    for at, (name, step) in reversed(list(enumerate(rules.sequence))):
        stage = Stage(
            at=at,
            name=name,
            step=step,
            do=step.do,
            asks=step.asks or "",
            order=step.order,
            turns=turns[at],
            stakes=stakes if step.do == "bets" else {},
            seats=rules.table.seats,
            shared=rules.shared is not None,
            later=stages,
        )
        stages = (stage, *stages)
    return stages


def _turns(rules: TableRules) -> Iterator[tuple[tuple[str, slice], ...]]:
    """Yield the cards that each step turns up; the settlement turns up the remaining hands."""
    up: dict[str, int] = {}
    for line in rules.deal.cards:
        up[line.to] = max(up.get(line.to, 0), line.shows)
    revealed: dict[str, int] = {}
    for step in rules.steps.values():
        turns = []
        for place in (*step.shows, SEATS) if step.do == "settle" else step.shows:
            revealed[place] = revealed.get(place, 0) + (step.cards or 0)
            upto = rules.deck.cards if step.cards is None else revealed[place]
            if upto > up.get(place, 0):
                turns.append((place, slice(up.get(place, 0), upto)))
                up[place] = upto
        yield tuple(turns)
