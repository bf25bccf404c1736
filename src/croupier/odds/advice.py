"""The value of every choice with given cards, by enumerating all cards that may follow.

This uses real cards and none of the cached counts, so it is also an independent check of the
figures of an analysis.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from croupier.cards import DECK, Card
from croupier.errors import UserError
from croupier.hands.arrays import three_cards
from croupier.odds.bets import Units, opening, parse_bet, parse_meters
from croupier.odds.counts import STATES
from croupier.odds.paths import Decision, Path, PathNode, leaves, tree
from croupier.odds.payoffs import Payoffs, PricedLine, cards_of, judged, place_cards, rows_by_code
from croupier.odds.seats import codes_of, plays
from croupier.odds.seen import SeenCards, parse_seen
from croupier.odds.solve import bank_high
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK

Known = Mapping[str, tuple[Card, ...]]
_SEAT_CARDS = 3


@dataclass(frozen=True, slots=True)
class OptionValue:
    """An option and its value, all wagers included."""

    name: str
    label: str
    value: Fraction


@dataclass(frozen=True, slots=True)
class Advice:
    """The value of every choice, and the best one; among equals, the one that wagers less."""

    step: str
    choices: tuple[OptionValue, ...]
    best: str

    @property
    def cost(self) -> Mapping[str, Fraction]:
        """What each choice costs compared with the best one."""
        most = max(choice.value for choice in self.choices)
        return {choice.name: most - choice.value for choice in self.choices}

    def as_json(self) -> dict[str, Any]:
        choices = [{"choice": c.name, "value": str(c.value)} for c in self.choices]
        return {"choices": choices, "best": self.best}


def advise(
    rules: TableRules,
    cards: Sequence[Card],
    *,
    shown: Sequence[Card] = (),
    community: Sequence[Card] = (),
    seen: Sequence[Card] = (),
    bet: Mapping[str, Units] | None = None,
    meters: Mapping[str, Units] | None = None,
) -> Advice:
    """Return the value of every choice with these cards, in units of the opening wager.

    `shown` is the bank's exposed card, `community` the exposed community cards, and `seen` more
    cards of the bank, or the next of the community, that the player has known since the deal.
    Earlier decisions are assumed to have been the best ones.
    """
    stakes = parse_bet(rules, bet)
    known = _known(rules, cards, {"shown": shown, "community": community, "seen": seen})
    root = tree(rules, stakes)
    values = _Values(rules, root, Payoffs(rules, parse_meters(rules, meters, stakes)))
    values.seat, values.seen = tuple(cards), _seen(rules, known, seen)
    node = _decision(root, known, values)
    all_known = values.with_seen(known)
    unit = 100 * stakes.get(opening(rules), Fraction(1))
    options = rules.steps[node.step].option
    whatever = values.whatever(all_known)
    worth = [(n, (values.of(child, all_known) + whatever) / unit) for n, child in node.options]
    best = max(worth, key=lambda pair: pair[1])[0]
    order = {name: number for number, name in enumerate(options)}
    choices = tuple(
        OptionValue(name, options[name].label, value)
        for name, value in sorted(worth, key=lambda pair: order[pair[0]])
    )
    return Advice(node.step, choices, best)


def _known(
    rules: TableRules, cards: Sequence[Card], seen: Mapping[str, Sequence[Card]]
) -> dict[str, tuple[Card, ...]]:
    """Return the exposed cards by place; refuse an impossible combination."""
    if len(cards) != _SEAT_CARDS:
        raise UserError(f"a seat has {_SEAT_CARDS} cards, not {len(cards)}", field="cards")
    every = [*cards, *seen["shown"], *seen["community"], *seen["seen"]]
    if len({*every}) != len(every):
        twice = next(card for card in every if every.count(card) > 1)
        raise UserError(f"{twice} appears twice", field="cards")
    places = [place for place in rules.places if not rules.places[place].hands]
    known: dict[str, tuple[Card, ...]] = {}
    if seen["shown"]:
        known[BANK] = tuple(seen["shown"])
    if seen["community"]:
        if not places:
            raise UserError("this table has no community cards", field="community")
        known[places[0]] = tuple(seen["community"])
    return known


def _seen(rules: TableRules, known: Known, cards: Sequence[Card]) -> SeenCards | None:
    """Return the cards seen besides the exposed ones."""
    seen = parse_seen(rules, cards)
    if seen and len(known.get(seen.place, ())) + len(cards) > place_cards(rules, seen.place):
        raise UserError("there aren't that many cards besides the exposed ones", field="seen")
    return seen


def _decision(root: PathNode, known: Known, values: "_Values") -> Decision:
    """Return the decision with exactly these cards exposed, after the best earlier choices."""
    node = root
    values.up = {place: len(cards) for place, cards in known.items()}
    while isinstance(node, Decision):
        if node.sees == {place: len(cards) for place, cards in known.items()}:
            return node
        earlier = {place: known.get(place, ())[:n] for place, n in node.sees.items()}
        if any(len(cards) < node.sees[place] for place, cards in earlier.items()):
            break
        worth = [values.of(child, values.with_seen(earlier)) for _, child in node.options]
        node = node.options[worth.index(max(worth))][1]
    if not isinstance(root, Decision):
        raise UserError("there is nothing to decide with this bet", field="bet")
    place = "shown" if BANK in {*root.sees, *known} else "community"
    raise UserError(_what_is_up(values.rules, root), field=place)


def _what_is_up(rules: TableRules, root: Decision) -> str:
    """Describe the cards that a seat sees when it decides."""
    node: PathNode = root
    views = []
    while isinstance(node, Decision):
        seen = [
            f"{n} card{'s' if n > 1 else ''} of "
            f"{rules.places[place].label if place in rules.places else rules.bank.label}"
            for place, n in node.sees.items()
        ]
        views.append(" and ".join(seen) or "none but the seat's own")
        node = node.options[-1][1]
    return "the cards up at a decision are " + ", or ".join(dict.fromkeys(views))


class _Values:
    """Computes expected nets with real cards, in cents."""

    def __init__(self, rules: TableRules, root: PathNode, payoffs: Payoffs) -> None:
        self.rules = rules
        self.paths = list(leaves(root))
        self.payoffs = payoffs
        lines = judged(rules, self.paths)
        # Lines that no choice changes are the same on every path, so they are computed once.
        self.fixed = [one for one in lines if self._is_fixed(one)]
        self.lines = [one for one in lines if one not in self.fixed]
        self.seat: tuple[Card, ...] = ()
        self.seen: SeenCards | None = None
        self.up: Mapping[str, int] = {}
        """How many cards of each place are exposed at the decision in question."""
        self._kept: dict[
            tuple[tuple[str, ...], tuple[tuple[str, tuple[Card, ...]], ...]], Fraction
        ] = {}

    def of(self, node: PathNode, known: Known) -> Fraction:
        """Return the expected net of a node, with the best choices from here on."""
        if isinstance(node, Path):
            return self._path(node, known)
        for place, count in node.sees.items():
            up = known.get(place, ())
            if len(up) < count + self._besides(place):
                following = [c for c in DECK if c not in self.seat and not _in(c, known)]
                worth = [self.of(node, {**known, place: (*up, card)}) for card in following]
                return sum(worth, Fraction(0)) / len(worth)
        return max(self.of(child, known) for _, child in node.options)

    def with_seen(self, known: Known) -> Known:
        """Return the known cards, including those seen."""
        if self.seen is None:
            return known
        place = self.seen.place
        return {**known, place: (*known.get(place, ()), *self.seen.cards)}

    def _besides(self, place: str) -> int:
        """How many of the cards seen at a place aren't among those that the book shows first."""
        if self.seen is None or place != self.seen.place:
            return 0
        return len(self.seen.cards) if place == BANK or self.up.get(place) else 0

    def whatever(self, known: Known) -> Fraction:
        """Return the expected net of the lines that no choice changes."""
        return sum((self._line(one, self.paths[0], known) for one in self.fixed), Fraction(0))

    def _is_fixed(self, one: PricedLine) -> bool:
        nets = [self.payoffs.nets(one, path) for path in self.paths]
        return all(net == nets[0] for net in nets)

    def _path(self, path: Path, known: Known) -> Fraction:
        key = path.chose, tuple(sorted(known.items()))
        if key not in self._kept:
            self._kept[key] = sum((self._line(o, path, known) for o in self.lines), Fraction(0))
        return self._kept[key]

    def _line(self, one: PricedLine, path: Path, known: Known) -> Fraction:
        """Return the expected net of one line on a path."""
        fixed, table = self.payoffs.nets(one, path)
        if not table:
            return Fraction(fixed)
        states, rows = self._outcomes(one, known)
        cases, times = np.unique(np.stack([states, rows]), axis=1, return_counts=True)
        total = Fraction(0)
        for (state, row), count in zip(cases.T.tolist(), times.tolist(), strict=True):
            total += count * table[state][row]
        return fixed + total / int(times.sum())

    def _outcomes(self, one: PricedLine, known: Known) -> tuple[NDArray[Any], NDArray[Any]]:
        """Return the state and the row of every possible draw."""
        place = BANK if len(one.states) > 1 else one.place
        drawn = self._draws(place, known) if place else np.zeros((1, 0), np.uint8)
        seat = np.tile(np.array(self.seat, np.uint8), (len(drawn), 1))
        states = self._states(seat, drawn) if len(one.states) > 1 else np.zeros(len(drawn), int)
        if one.table is None:
            return states, np.zeros(len(drawn), int)
        hands = np.concatenate([seat, drawn], axis=1) if one.place and not one.alone else seat
        hands = drawn if one.alone else hands
        codes = codes_of(np.ascontiguousarray(hands), self.rules.ranking)
        size = cards_of(self.rules, one)
        return states, rows_by_code(one.table, size, self.rules.ranking)[0][codes]

    def _draws(self, place: str, known: Known) -> NDArray[np.uint8]:
        """Return every way to fill a place from the unseen cards."""
        up = known.get(place, ())
        rest = [c for c in DECK if c not in self.seat and not _in(c, known)]
        missing = place_cards(self.rules, place) - len(up)
        ways = list(combinations(rest, missing))
        drawn = np.array(ways, np.uint8).reshape(len(ways), missing)
        known_cards = np.tile(np.array(up, np.uint8), (len(drawn), 1)).reshape(len(drawn), -1)
        return np.concatenate([known_cards, drawn], axis=1)

    def _states(self, seat: NDArray[np.uint8], bank: NDArray[np.uint8]) -> NDArray[Any]:
        ranking = self.rules.ranking
        own, other = three_cards(seat, ranking), three_cards(bank, ranking)
        number = {state: STATES.index(state) for state in STATES}
        return np.select(
            [~plays(other, bank_high(self.rules)), own > other, own < other],
            [number["unopposed"], number["higher"], number["lower"]],
            number["equal"],
        )


def _in(card: Card, known: Known) -> bool:
    return any(card in cards for cards in known.values())
