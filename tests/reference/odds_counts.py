"""Count the deals that lead to each outcome, for each hand that a seat may hold.

Deals are counted over the bank's cards, the community cards and the six card box, all of them.
Nothing here knows a paytable.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np

from tests.reference.odds_cards import (
    FIVES,
    THREE,
    THREES,
    TWOS,
    Array,
    classes,
    five_codes,
    places_without,
    qualifies,
    strengths,
    three_code,
    three_codes,
)

# How a hand that stays in stands against the bank's.
WIN, LOSE, TIE, UNOPPOSED = range(4)
OUTCOMES = 4

Cards = tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Situations:
    """The moments at which a seat of Three Card Poker decides, and what may follow.

    `counts` has four axes: the situation, the outcome of the contest, the code of six cards and
    the code of five cards; an axis that isn't needed has length one.
    """

    weights: Array
    codes: Array  # Of the seat's three cards, places in `THREE`.
    counts: Array


@dataclass(frozen=True)
class Asked:
    """What the counts must distinguish."""

    order: str = "t1"
    wheel: bool = True
    six: bool = False
    five: bool = False
    shown: bool = False


def place_of(cards: Cards) -> int:
    """Return the index of a hand in `THREES`."""
    return int(np.flatnonzero(THREES.bits == sum(1 << card for card in cards))[0])


def outcomes(cards: Cards, bank: Array, order: str) -> Array:
    strength = strengths(order)
    mine, theirs = strength[place_of(cards)], strength[bank]
    met = np.where(mine > theirs, WIN, np.where(mine < theirs, LOSE, TIE))
    return np.where(qualifies()[bank], met, UNOPPOSED)


def avoiding(groups: Array, keys: Array, kinds: int) -> Array:
    """For each two cards, count the groups of three that hold neither, by the groups' keys.

    All groups, minus those with either card, plus those with both, which were subtracted twice.
    """
    every = np.bincount(keys, minlength=kinds)
    one = np.zeros((52, kinds), dtype=np.int64)
    both = np.zeros((52, 52, kinds), dtype=np.int64)
    for a in range(3):
        at = groups[:, a] * kinds + keys
        one += np.bincount(at, minlength=one.size).reshape(one.shape)
        for b in range(a):
            at = (groups[:, b] * 52 + groups[:, a]) * kinds + keys
            both += np.bincount(at, minlength=both.size).reshape(both.shape)
    # Groups are sorted, so that each pair was met in one order only.
    both += both.swapaxes(0, 1)
    found: Array = every - one[:, None] - one[None, :] + both
    return found


def indicator(codes: Array) -> Array:
    """A row for each place of `FIVE`, with ones where a code is that place."""
    return np.equal(codes, np.arange(FIVES)[:, None]).astype(np.int64)


def contest_counts(cards: Cards, asked: Asked) -> Array:
    """The deals for one hand by outcome, code of six cards and code of five cards."""
    bank = places_without(THREES, cards)
    keys = outcomes(cards, bank, asked.order)
    sixes = FIVES if asked.six else 1
    if asked.six:
        keys = keys * FIVES + five_codes(cards, THREES, bank, wheel=asked.wheel)
    kinds = OUTCOMES * sixes
    if not asked.five:
        return np.bincount(keys, minlength=kinds).reshape(OUTCOMES, sixes, 1)
    community = places_without(TWOS, cards)
    codes = five_codes(cards, TWOS, community, wheel=asked.wheel)
    first, second = TWOS.cards[community].T
    left = avoiding(THREES.cards[bank], keys, kinds)[first, second]
    by_code: Array = indicator(codes) @ left
    return by_code.T.reshape(OUTCOMES, sixes, FIVES)


def shown_counts(cards: Cards, order: str) -> Array:
    """The deals by the bank's card that is seen, each of its three equally likely, and outcome."""
    bank = places_without(THREES, cards)
    keys = outcomes(cards, bank, order)
    found = np.zeros(52 * OUTCOMES, dtype=np.int64)
    for seen in THREES.cards[bank].T:
        found += np.bincount(seen * OUTCOMES + keys, minlength=52 * OUTCOMES)
    return found.reshape(52, OUTCOMES)


@cache
def situations(asked: Asked) -> Situations:
    weights, codes, counts = [], [], []
    for cards, weight in classes():
        if asked.shown:
            assert not asked.six and not asked.five
            rest = [card for card in range(52) if card not in cards]
            found = shown_counts(cards, asked.order)[rest][:, :, None, None]
        else:
            found = contest_counts(cards, asked)[None]
        weights += [weight] * len(found)
        codes += [three_code(cards)] * len(found)
        counts.append(found)
    return Situations(np.array(weights), np.array(codes), np.concatenate(counts))


@dataclass(frozen=True, eq=False)
class Rides:
    """Let It Ride: the seat's hands, and what community cards and box make of them.

    `counts` has four axes: the hand, the first community card, the code of five cards, the code
    of six cards (one place only where nobody asked for it).
    """

    weights: Array
    codes: Array
    counts: Array


def ride_counts(cards: Cards, *, six: bool) -> Array:
    """The deals for one hand by first community card, code of five and code of six cards."""
    codes = np.full((52, 52), -1, dtype=np.int64)
    community = places_without(TWOS, cards)
    first, second = TWOS.cards[community].T
    codes[first, second] = codes[second, first] = five_codes(cards, TWOS, community)
    # The axes here: first card, code of five cards, second card.
    following = np.equal(codes[:, None, :], np.arange(FIVES)[None, :, None]).astype(np.int64)
    found: Array = following.sum(axis=2)[:, :, None]
    if not six:
        return found
    boxes = places_without(THREES, cards)
    keys = five_codes(cards, THREES, boxes)
    found = following @ avoiding(THREES.cards[boxes], keys, FIVES)
    return found


@cache
def rides(*, six: bool) -> Rides:
    found = [ride_counts(cards, six=six).astype(np.int32) for cards, _ in classes()]
    return Rides(
        np.array([weight for _, weight in classes()]),
        np.array([three_code(cards) for cards, _ in classes()]),
        np.stack(found).astype(np.int32),
    )


@cache
def three_frequencies() -> list[int]:
    """How many of the 22,100 hands stand at each place of `THREE`."""
    return [int(count) for count in np.bincount(three_codes(), minlength=len(THREE))]


@cache
def five_frequencies(*, wheel: bool = True) -> list[int]:
    """The same for `FIVE`, of all 25,989,600 deals of three cards and two more."""
    found = np.zeros(FIVES, dtype=np.int64)
    for cards, weight in classes():
        codes = five_codes(cards, TWOS, places_without(TWOS, cards), wheel=wheel)
        found += weight * np.bincount(codes, minlength=FIVES)
    return [int(count) for count in found]
