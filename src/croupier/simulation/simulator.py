"""Deals rounds of one bet by the strategy of its analysis, and counts how they end.

A deal is drawn as hand numbers (see `draws`), and everything that matters about it is one more
number, its *case*: the strategy's path, the code of the hand, and the outcomes of the other cards.
Rounds are counted by case; the net of a case is looked up afterwards, in the integers of the exact
analysis. So all sums are exact.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from croupier.errors import UserError
from croupier.odds.analysis import Analysis
from croupier.odds.combinations import (
    Combinations,
    Masks,
    joined,
    pairs,
    strengths,
    triples,
    turned_triples,
)
from croupier.odds.paths import Path
from croupier.odds.payoffs import place_cards
from croupier.odds.seats import CODES, Ints, codes_of, label, plays
from croupier.odds.solve import Group, PricedModel, Solved
from croupier.round.judge import row_for
from croupier.rules.game import Envy
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import SEAT
from croupier.simulation.draws import apart, classes, hand_codes

_CHUNK = 1 << 15
"""Rounds dealt at a time: few enough for the CPU cache."""
_UNOPPOSED = 3
_SAFE = 1 << 62

Dealt = Mapping[str, tuple["SharedCards", Ints]]
"""The cards of each place, by combination number."""


@dataclass(frozen=True, slots=True)
class SimulationTask:
    """What to simulate: everything a worker process needs."""

    rules: TableRules
    bet: Mapping[str, Fraction]
    meters: Mapping[str, Fraction]
    strategy: str | None = None
    seats: int = 1

    def analysis(self) -> Analysis:
        """Return the exact analysis of the bet at one seat, with nobody else playing."""
        return Analysis(self.rules, self.bet, self.meters, strategy=self.strategy)


@dataclass(slots=True)
class Tally:
    """How often each case came up, as integers that can be added in any order."""

    cases: Ints
    envied: dict[int, int] = field(default_factory=dict)
    """How often each net came up at a seat that was paid for another's hand."""
    totals: dict[int, int] = field(default_factory=dict)
    """How often each total net of all seats came up; empty with one seat."""

    def add(self, other: "Tally") -> None:
        self.cases += other.cases
        for mine, theirs in ((self.envied, other.envied), (self.totals, other.totals)):
            for net, times in theirs.items():
                mine[net] = mine.get(net, 0) + times


# ---------------------------------------------------------------- tables


class SharedCards:
    """A group of cards besides the seats' own: how it is drawn, and how it affects a hand."""

    def __init__(self, solved: Solved, group: Group) -> None:
        model = solved.model
        self.group = group
        self.size = place_cards(model.rules, group.place)
        self.is_shown = group.place == model.shown
        self.draw: Combinations = pairs() if self.size == 2 else triples()
        if self.size == 3 and self.is_shown:
            self.draw = turned_triples()
        self.first = self.draw.cards[:, 0].astype(np.int64)
        self.join = None
        if group.groups.count > 1 and not group.alone:
            self.join = joined(model.ranking, 3 + self.size, group.groups.of)
        self.own = None
        if group.groups.count > 1 and group.alone:
            codes = codes_of(self.draw.cards, model.ranking)
            self.own = np.frombuffer(group.groups.of, np.uint8)[codes].astype(np.int64)
        if group.contested:
            self.seats, self.bank = self._strengths(solved)

    def _strengths(self, solved: Solved) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
        """Return the rank of every hand in the order of hands: a seat's, and the bank's.

        A bank's hand that does not play ranks below all others (T3).
        """
        model = solved.model
        strength = strengths(model.ranking)
        order = np.unique(strength, return_inverse=True)[1].astype(np.int16)
        bank = np.where(plays(strength, model.high), order, np.int16(-1))
        return order, np.repeat(bank, 3) if self.is_shown else bank

    def outcome(self, hands: Ints, numbers: Ints) -> Ints:
        """Return the outcome of every hand against, or with, the place's cards."""
        outcome = np.zeros(len(hands), np.int64)
        if self.group.contested:
            seats = np.take(self.seats, hands, mode="clip")
            bank = np.take(self.bank, numbers, mode="clip")
            state = (bank > seats).view(np.uint8) + 2 * (bank == seats).view(np.uint8)
            state += _UNOPPOSED * (bank < 0).view(np.uint8)
            outcome += state
            outcome *= self.group.groups.count
        if self.own is not None:
            outcome += np.take(self.own, numbers, mode="clip")
        if self.join:
            outcome += self.join(hands, numbers, self.draw)
        return outcome


class Cases:
    """The cases of a solved bet: the kind of every hand and exposed card, and each case's net."""

    def __init__(self, solved: Solved, places: list[SharedCards]) -> None:
        model = solved.model
        main, side = ([p.group.outcomes for p in places] + [1, 1])[:2]
        self.views = 52 if model.shown else 1
        self.width = main * side
        codes = hand_codes(model.ranking).astype(np.int64)
        key = strategy_paths(solved)[0] << 8 | codes[:, None]
        kinds, number = np.unique(key, return_inverse=True)
        self.kind = number.reshape(-1).astype(np.uint16)
        """The path and code by hand and exposed card; small, because it is looked up at random."""
        self.count = len(kinds) * self.width
        self.kinds: list[int] = kinds.tolist()
        self.nets = self.nets_by(solved.priced)
        self.paths = [model.paths[kind >> 8] for kind in self.kinds]
        self.folded = np.repeat([path.folded for path in self.paths], self.width)

    def nets_by(self, priced: PricedModel, turn: int = 0) -> NDArray[Any]:
        """Return the net of every case by payoffs of the same model; turn 0 is the actual suits."""
        mains, sides = priced.turned[turn]
        nets = [
            (mains[kind >> 8][kind & 255][:, None] + sides[kind >> 8][None, :]).ravel()
            for kind in self.kinds
        ]
        return np.concatenate(nets)

    def number(self, hands: Ints, dealt: Dealt) -> Ints:
        """Return the case of every hand with the cards of the places."""
        at = hands
        for place, numbers in dealt.values():
            if place.is_shown:
                at = hands * self.views + np.take(place.first, numbers, mode="clip")
        case = np.take(self.kind, at, mode="clip").astype(np.int64)
        for place, numbers in dealt.values():
            case *= place.group.outcomes
            case += place.outcome(hands, numbers)
        return case

    def paths_of(self, cases: Ints) -> list[Path]:
        """Return the paths that lead to the given cases."""
        return [self.paths[case // self.width] for case in cases.tolist()]


def strategy_paths(solved: Solved) -> tuple[Ints, dict[tuple[int, ...], int]]:
    """Return the path of every hand, by the card it sees; and hand numbers by cards."""
    model, known = solved.model, classes()
    turns = len(model.turns)
    by_turn = np.stack([np.stack(reach).argmax(axis=0) for reach in solved.reach])
    entry = known.number[:, None]
    if model.main and model.main.counted.where is not None:
        entry = model.main.counted.where[entry, known.views]
    numbers = {tuple(hand): number for number, hand in enumerate(triples().cards.tolist())}
    return by_turn[(known.turn % turns)[:, None], entry], numbers


class _Envied:
    """What a hand pays each of the others in envy, in integers of the nets' scale."""

    def __init__(self, task: SimulationTask, solved: Solved, envy: Envy) -> None:
        rules = task.rules
        table, ranking = rules.paytables[envy.paytable], rules.ranking
        others = [place for place in table.of if place != SEAT]
        self.place = others[0] if others else None
        self.size = 3 + sum(place_cards(rules, place) for place in others)
        if len(others) > 1 or self.size > 5:
            raise UserError(f"envy of hands of {self.size} cards can't be simulated")
        self.holders = envy.holders
        stake = int(task.bet[envy.makers] * 100)
        rows = (row_for(table, label(c, self.size, ranking), stake) for c in range(CODES))
        cents = [row.amount or 0 if row else 0 for row in rows]
        self.amounts = np.array(cents) * (solved.priced.scale // 100)
        self.codes = hand_codes(ranking)
        self.join = joined(ranking, 5, bytes(range(CODES)))

    def amount(self, hands: Ints, dealt: Dealt) -> Ints:
        """Return what every hand pays, folded or not."""
        if self.place is None:
            return self.amounts[self.codes[hands]]
        place, numbers = dealt[self.place]
        return self.amounts[self.join(hands, numbers, place.draw)]


# ---------------------------------------------------------------- rounds


class Simulator:
    """Deals and counts rounds of one task."""

    def __init__(self, task: SimulationTask, analysis: Analysis | None = None) -> None:
        solved = (analysis or task.analysis()).solved
        rules, model = task.rules, solved.model
        self.places = [SharedCards(solved, group) for group in (model.main, model.side) if group]
        self.cases = Cases(solved, self.places)
        self.scale = solved.priced.scale
        self.boxes = boxes(rules, task.seats)
        self.envies = [
            _Envied(task, solved, envy)
            for envy in rules.envies.values()
            if envy.makers in task.bet and (task.seats > 1 or envy.holders.own)
        ]
        self.adds_up = task.seats > 1 or bool(self.envies)
        """Whether rounds must be counted by the total net of all seats."""
        most = int(abs(self.cases.nets).max()) + sum(int(e.amounts.max()) for e in self.envies)
        self.nets = self.cases.nets
        if most * task.seats**2 < _SAFE:
            self.nets = self.nets.astype(np.int64)

    def block(self, rng: Generator, rounds: int) -> Tally:
        tally = Tally(np.zeros(self.cases.count, np.int64))
        for start in range(0, rounds, _CHUNK):
            self._chunk(rng, min(_CHUNK, rounds - start), tally)
        return tally

    def _chunk(self, rng: Generator, rounds: int, tally: Tally) -> None:
        taken: Masks = np.zeros(rounds, np.uint64)
        dealt = {p.group.place: (p, apart(rng, p.draw, taken)) for p in self.places}
        hands = [apart(rng, triples(), taken) for _ in self.boxes]
        cases = [self.cases.number(own, dealt) for own in hands]
        for times, case in zip(self.boxes, cases, strict=True):
            tally.cases += times * np.bincount(case, minlength=self.cases.count)
        if self.adds_up:
            self._add_up(cases, self._paid(hands, cases, dealt), tally)

    def priced(
        self, hands: list[Ints], numbers: Mapping[str, Ints]
    ) -> list[tuple[list[Path], NDArray[Any]]]:
        """Return the paths and nets of given deals, hand by hand, envy included.

        Hands and the cards of places are given by their combination numbers.
        """
        dealt = {p.group.place: (p, numbers[p.group.place]) for p in self.places}
        cases = [self.cases.number(own, dealt) for own in hands]
        paid = self._paid(hands, cases, dealt)
        return [
            (self.cases.paths_of(case), self.nets[case] + envy)
            for case, envy in zip(cases, paid, strict=True)
        ]

    # ------------------------------------------------------------ several seats

    def _paid(self, hands: list[Ints], cases: list[Ints], dealt: Dealt) -> list[Ints]:
        """Return what a seat on each hand is paid for other hands."""
        paid = [np.zeros(len(case), np.int64) for case in cases]
        for envied in self.envies:
            brings = [envied.amount(own, dealt) for own in hands]
            if not any(amount.any() for amount in brings):
                continue
            if not envied.holders.folded:  # M5
                for amount, case in zip(brings, cases, strict=True):
                    amount[self.cases.folded[case]] = 0
            whole = sum(n * amount for n, amount in zip(self.boxes, brings, strict=True))
            for number, times in enumerate(self.boxes):
                # No seat envies its own hand, except under one reading (S1).
                paid[number] += whole - (times - envied.holders.own) * brings[number]
        return paid

    def _add_up(self, cases: list[Ints], paid: list[Ints], tally: Tally) -> None:
        """Count the total nets of all seats, and the seats that were paid for other hands."""
        whole: NDArray[Any] = np.zeros(len(cases[0]), self.nets.dtype)
        for times, case, envy in zip(self.boxes, cases, paid, strict=True):
            net = np.take(self.nets, case, mode="clip") + envy
            whole += times * net
            if len(at := np.flatnonzero(envy)):
                tally.cases -= times * np.bincount(case[at], minlength=self.cases.count)
                _count(tally.envied, net[at], times)
        _count(tally.totals, whole, 1)

    # ------------------------------------------------------------ results

    def nets_of(self, tally: Tally) -> dict[int, int]:
        """Return how often a seat had each net."""
        found = dict(tally.envied)
        for case in np.flatnonzero(tally.cases).tolist():
            net = int(self.cases.nets[case])
            found[net] = found.get(net, 0) + int(tally.cases[case])
        return found

    @property
    def others(self) -> Fraction:
        """How many hands besides its own a seat may envy, on average over the seats."""
        seats = sum(self.boxes)
        return Fraction(sum(n * (seats - n) for n in self.boxes), seats)

    @property
    def not_envied(self) -> Fraction:
        """The average envy that one other hand loses by folding, in scaled units."""
        lost = Fraction(0)
        for envied in self.envies:
            if self.cases.folded.any() and not envied.holders.folded:
                lost += self._folded_envy(envied)
        return lost

    def _folded_envy(self, envied: _Envied) -> Fraction:
        """Sum over all hands that fold, with all cards that may join them."""
        kind = self.cases.kind.reshape(len(triples().cards), -1)[:, 0].astype(np.int64)
        hands = np.flatnonzero(self.cases.folded[kind * self.cases.width])
        place = next((p for p in self.places if p.group.place == envied.place), None)
        if place is None:
            return Fraction(int(envied.amount(hands, {}).sum()), len(kind))
        brought, deals, masks = 0, 0, triples().masks
        for number in np.flatnonzero(place.first < place.draw.cards[:, 1]).tolist():
            free = hands[(masks[hands] & place.draw.masks[number]) == 0]
            numbers = np.full(len(free), number)
            brought += int(envied.amount(free, {place.group.place: (place, numbers)}).sum())
            deals += comb(52 - place.size, 3)
        return Fraction(brought, deals)


def _count(counts: dict[int, int], values: NDArray[Any], times: int) -> None:
    """Count each of the values `times` times."""
    found, often = np.unique(values, return_counts=True)
    for value, count in zip(found.tolist(), often.tolist(), strict=True):
        counts[value] = counts.get(value, 0) + times * count


def boxes(rules: TableRules, seats: int) -> list[int]:
    """Return how many seats bet on each hand: one, unless hands are shared (M9)."""
    most = rules.table.seats - (rules.banked_by == "player")
    if not 1 <= seats <= most:
        raise UserError(f"{seats} is not from 1 to {most}, the seats that may bet", field="seats")
    hands = min(seats, rules.shared.hands if rules.shared else seats)
    return [len(range(hand, seats, hands)) for hand in range(hands)]
