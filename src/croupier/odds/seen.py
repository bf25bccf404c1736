"""Cards that a player has seen although the book doesn't show them.

They belong to the bank if it has a hand, besides any that the book shows; otherwise they are the
first community cards. With some cards fixed, suits are no longer equivalent, so everything is
counted over actual hands; only suits without any of these cards, and that no row tells apart, may
still be exchanged.
"""

from collections.abc import Iterator, Sequence
from itertools import chain, permutations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from croupier.cards import SUITS, Card
from croupier.errors import UserError
from croupier.hands.ranking import Ranking
from croupier.odds.combinations import Combinations, joined, pairs, strengths, triples
from croupier.odds.counts import STATES, OutcomeCounts, counted
from croupier.odds.payoffs import place_cards
from croupier.odds.seats import Ints, Seats, codes_of, plays
from croupier.rules.game import Paytable
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import BANK

_CHUNK = 1 << 21
"""How many combinations of hands and other cards are processed at a time."""


class SeenCards(NamedTuple):
    """Cards that were seen, and their place."""

    place: str
    cards: tuple[Card, ...]

    def knows(self, place: str, shown: int) -> bool:
        """Whether the book shows nothing at a place that wasn't seen already."""
        return place == self.place != BANK and shown <= len(self.cards)


def parse_seen(rules: TableRules, cards: Sequence[Card]) -> SeenCards | None:
    """Return the cards seen with their place; refuse cards that can't be there."""
    if not cards:
        return None
    place = place_seen(rules)
    shown = sum(line.shows for line in rules.deal.cards if line.to == place == BANK)
    most = place_cards(rules, place) - shown
    if len(cards) > most:
        besides = " besides the one that is shown" if shown else ""
        message = f"{len(cards)} are too many: there are {most}{besides}"
        raise UserError(message, field="seen")
    if len({*cards}) < len(cards):
        twice = next(card for card in cards if [*cards].count(card) > 1)
        raise UserError(f"{twice} appears twice", field="seen")
    return SeenCards(place, tuple(cards))


def place_seen(rules: TableRules) -> str:
    """Return the place whose cards may have been seen: the bank's, or the community's."""
    if any(line.to == BANK for line in rules.deal.cards):
        return BANK
    places = [name for name, place in rules.places.items() if not place.hands]
    if not places:
        raise UserError("this table has no cards of a bank or a community", field="seen")
    return places[0]


class Drawn(NamedTuple):
    """Cards of one place, and what tells their outcomes apart."""

    place: str
    cards: int
    ranking: Ranking
    groups: bytes
    high: int | None = None
    """The lowest high card with which an opposing bank plays."""
    alone: bool = False
    """Whether the cards are a hand by themselves, or with the seat's."""
    shown: bool = False
    """Whether one more of them is exposed at a decision."""

    @property
    def depth(self) -> int:
        return (max(self.groups) + 1) * (1 if self.high is None else len(STATES))


class SeenCounts:
    """All hands of a seat given the cards seen, with the counts of outcomes."""

    def __init__(self, seen: SeenCards, tables: Sequence[Paytable]) -> None:
        self.seen = seen
        self.mask = np.uint64(sum(1 << int(card) for card in seen.cards))
        free = np.flatnonzero((triples().masks & self.mask) == 0)
        self.hands, weights = _apart(free, [*_exchanges(seen.cards, tables)])
        cards = triples().cards[self.hands]
        masks = triples().masks[self.hands] | self.mask
        left = (masks[:, None] >> np.arange(52, dtype=np.uint64)) & np.uint64(1) == 0
        rest = np.nonzero(left)[1].astype(np.uint8).reshape(len(cards), -1)
        self.seats = Seats(cards, weights, rest)

    def counted(self, drawn: Drawn) -> OutcomeCounts:
        """Count the outcomes of a place for every hand, and for every card that may be exposed."""
        codes = codes_of(self.seats.cards, drawn.ranking)
        if not drawn.shown:
            return counted(self._counts(drawn), codes)
        return counted(self._counts_shown(drawn), codes, self.seats.rest >> 2)

    def _counts(self, drawn: Drawn) -> Ints:
        found = np.zeros((len(self.hands), drawn.depth), np.int64)
        for rows, seat, _, outcome in self._outcomes(drawn):
            size = len(found[rows]) * drawn.depth
            counts = np.bincount(seat * drawn.depth + outcome, minlength=size)
            found[rows] = counts.reshape(-1, drawn.depth)
        return found

    def _counts_shown(self, drawn: Drawn) -> Ints:
        """Count each draw once for every unseen card in it: any may be the exposed one."""
        cards = self._draw(drawn).cards[self._numbers(drawn)]
        own = self.seen.cards if drawn.place == self.seen.place else ()
        unseen = cards[~np.isin(cards, own)].reshape(len(cards), -1)
        views = self.seats.rest.shape[1]
        place = np.zeros((len(self.hands), 52), np.int64)
        np.put_along_axis(place, self.seats.rest.astype(np.int64), np.arange(views)[None], axis=1)
        found = np.zeros((len(self.hands), views, drawn.depth), np.int64)
        for rows, seat, number, outcome in self._outcomes(drawn):
            size = len(found[rows]) * views * drawn.depth
            for card in unseen[number].T:
                at = (seat * views + place[rows][seat, card]) * drawn.depth + outcome
                counts = np.bincount(at, minlength=size)
                found[rows] += counts.reshape(-1, views, drawn.depth)
        return found

    def joint(self, one: Drawn, other: Drawn) -> NDArray[np.int64]:
        """Count the joint outcomes of two places, for every hand."""
        first, second = (self._draw(d).masks[self._numbers(d)] for d in (one, other))
        apart = ((first[:, None] & second) == 0).astype(np.float32)
        result = np.zeros((len(self.hands), one.depth, other.depth), np.int64)
        for seat in range(len(self.hands)):
            ones, others = (self._one_hot(d, seat) for d in (one, other))
            result[seat] = np.rint(ones.T @ (apart @ others))
        return result

    def _one_hot(self, drawn: Drawn, seat: int) -> NDArray[np.float32]:
        numbers = self._numbers(drawn)
        free = np.flatnonzero(
            (self._draw(drawn).masks[numbers] & triples().masks[self.hands[seat]]) == 0
        )
        hot = np.zeros((len(numbers), drawn.depth), np.float32)
        hands = np.full(len(free), self.hands[seat])
        hot[free, self._outcome(drawn, hands, numbers[free])] = 1
        return hot

    # ------------------------------------------------------------ possible draws

    def _draw(self, drawn: Drawn) -> Combinations:
        return pairs() if drawn.cards == 2 else triples()

    def _numbers(self, drawn: Drawn) -> Ints:
        """Return the draws that contain all cards seen at their place, and none seen elsewhere."""
        draw = self._draw(drawn)
        own = self.mask if drawn.place == self.seen.place else np.uint64(0)
        fits = (draw.masks & self.mask) == own
        if drawn.cards == 2:  # Pairs come in both orders; here one is enough.
            fits &= draw.cards[:, 0] < draw.cards[:, 1]
        return np.flatnonzero(fits)

    def _outcomes(self, drawn: Drawn) -> Iterator[tuple[slice, Ints, Ints, Ints]]:
        """Yield for some seats at a time: the row, draw and outcome of each that fits."""
        draw, numbers = self._draw(drawn), self._numbers(drawn)
        step = max(1, _CHUNK // len(numbers))
        for start in range(0, len(self.hands), step):
            rows = slice(start, min(start + step, len(self.hands)))
            masks = triples().masks[self.hands[rows]]
            seat, number = np.nonzero((masks[:, None] & draw.masks[numbers]) == 0)
            outcome = self._outcome(drawn, self.hands[rows][seat], numbers[number])
            yield rows, seat, number, outcome

    def _outcome(self, drawn: Drawn, hands: Ints, numbers: Ints) -> Ints:
        draw, ranking = self._draw(drawn), drawn.ranking
        outcome = np.zeros(len(hands), np.int64)
        if max(drawn.groups):
            if drawn.alone:
                lut = np.frombuffer(drawn.groups, np.uint8)
                outcome += lut[codes_of(draw.cards, ranking)][numbers]
            else:
                outcome += joined(ranking, 3 + drawn.cards, drawn.groups)(hands, numbers, draw)
        if drawn.high is not None:
            seat, bank = strengths(ranking)[hands], strengths(ranking)[numbers]
            playing = plays(strengths(ranking), drawn.high)[numbers]
            number = [STATES.index(state) for state in ("unopposed", "higher", "lower", "equal")]
            state = np.select([~playing, seat > bank, seat < bank], number[:3], number[3])
            outcome += state * (max(drawn.groups) + 1)
        return outcome


def _exchanges(cards: Sequence[Card], tables: Sequence[Paytable]) -> Iterator[tuple[int, ...]]:
    """Yield the suit permutations that change none of these cards and no row's match."""
    asked = [row.suits for table in tables for row in table.rows if row.suits]
    kinds: dict[tuple[object, ...], list[int]] = {}
    for suit, letter in enumerate(SUITS):
        ranks = tuple(sorted(card.rank for card in cards if card.suit == suit))
        kinds.setdefault((ranks, *(letter in suits for suits in asked)), []).append(suit)
    suits = [*chain(*kinds.values())]
    for orders in product(*map(permutations, kinds.values())):
        to = dict(zip(suits, chain(*orders), strict=True))
        yield tuple(to[suit] for suit in range(len(SUITS)))


def _apart(hands: Ints, exchanges: Sequence[tuple[int, ...]]) -> tuple[Ints, Ints]:
    """Return one hand of each class under the suit exchanges, and the sizes of the classes."""
    cards = triples().cards[hands].astype(np.int64)
    lowest = np.full(len(hands), 52**3)
    for order in exchanges:
        turned = np.sort(cards >> 2 << 2 | np.array(order)[cards & 3], axis=1)
        lowest = np.minimum(lowest, (turned[:, 0] * 52 + turned[:, 1]) * 52 + turned[:, 2])
    _, first, count = np.unique(lowest, return_index=True, return_counts=True)
    return hands[first], count.astype(np.int64)
