"""Exact counts of each outcome, for every class of seats.

The cards outside the seat are drawn as a *group*: the bank's three cards, two community cards, or
the three cards of a box. An `OutcomeCounts` says how many of a group's hands end in each of a few
outcomes, for everything that may be known about it at a decision: nothing, or one of its cards.
Counts depend on the order of hands and on what rows ask for, never on what they pay, so they are
cached.

Hands against hands are counted by inclusion and exclusion: of all hands below a strength, subtract
those with one of the seat's cards, and add back those with two.
"""

from collections.abc import Callable, Iterator
from functools import cache, lru_cache
from itertools import combinations
from math import comb
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from croupier.hands.arrays import three_cards
from croupier.hands.ranking import Ranking, strength_of_ranks
from croupier.odds.codes import (
    PAIRS,
    TRIPLES,
    VIEWS,
    five_by_ranks,
    near_flushes,
    pair_codes,
    six_by_ranks,
    suited_pair_codes,
    suited_pairs,
    threes,
    threes_of,
    triple_codes,
)
from croupier.odds.seats import REST, SEATS, Cards, Codes, Ints, codes_of, plays, seat_codes

STATES = ("higher", "lower", "equal", "unopposed")
"""How a seat's hand may compare with the bank's; the order of outcomes in counts."""

N = len(SEATS)
KEPT_MAX = 64
"""How many counts are kept of those that depend on a paytable; a server prices any number."""


class OutcomeCounts(NamedTuple):
    """How many hands of a group end in each outcome, for each *entry*: a seat and what it sees.

    Entries of one seat are adjacent; equal ones are stored once, with their number of `times`.
    Equal rows of counts are stored once as well.
    """

    seat: Ints
    """The seat class of every entry."""
    times: Ints
    """How many exposed cards lead to it."""
    shown: Ints
    """The rank of the exposed card, or -1."""
    row: Ints
    """The index of its row of counts."""
    rows: Ints
    """Counts by outcome."""
    code: Ints
    """The code of the seat's hand, for every row."""
    first: Ints
    """The first entry of each seat."""
    total: int
    """The sum of every row."""
    views: int
    """How many cards may be shown to a seat; 1 if none is."""
    where: Ints | None = None
    """The entry of each seat and exposed card."""


def _counted(
    counts: Ints, ranking: Ranking, shown: NDArray[np.integer] | None = None
) -> OutcomeCounts:
    """Store counts of the suit classes."""
    return counted(counts, seat_codes(ranking), shown)


def counted(counts: Ints, codes: Codes, shown: NDArray[np.integer] | None = None) -> OutcomeCounts:
    """Store counts by seat, or by seat and exposed card, without duplicates.

    `codes` are those of the seats' hands, `shown` the ranks of the cards that each may see.
    """
    n = len(codes)
    if shown is None:
        rows, row = unique_rows(np.column_stack([codes, counts]))
        seat, times = np.arange(n), np.ones(n, np.int64)
        none = np.full(n, -1)
        total = int(counts[0].sum())
        return OutcomeCounts(seat, times, none, row, rows[:, 1:], rows[:, 0], seat, total, 1)
    views = shown.shape[1]
    flat = counts.reshape(n * views, -1)
    seats = np.repeat(np.arange(n), views)
    rows, row = unique_rows(np.column_stack([codes[seats], flat]))
    keys = (seats * 13 + shown.ravel()) * len(rows) + row
    entries, where, times = np.unique(keys, return_inverse=True, return_counts=True)
    seat_and_shown, row = np.divmod(entries, len(rows))
    seat, rank = np.divmod(seat_and_shown, 13)
    first = np.searchsorted(seat, np.arange(n))
    total = int(flat[0].sum())
    return OutcomeCounts(
        seat, times, rank, row, rows[:, 1:], rows[:, 0], first, total, views,
        where.reshape(n, views),
    )  # fmt: skip


def unique_rows(table: Ints) -> tuple[Ints, Ints]:
    """Return the distinct rows of a table, sorted by the first column, and each row's index.

    Many rows equal the one before. The others are compared by a checksum first, and then in full.
    """
    new = np.ones(len(table), bool)
    new[1:] = (table[1:] != table[:-1]).any(axis=1)
    rows = table[new]
    width = table.shape[1] - 1
    factors = np.array([1 << 52, *(pow(0x9E3779B1, k + 1, 1 << 30) for k in range(width))])
    _, first, where = np.unique(rows @ factors, return_index=True, return_inverse=True)
    if not np.array_equal(rows[first][where], rows):
        _, first, where = np.unique(rows, axis=0, return_index=True, return_inverse=True)
    return rows[first].astype(np.int64), where[np.cumsum(new) - 1]


# ---------------------------------------------------------------- the bank's hand


class _Below(NamedTuple):
    """How many playing hands are below each strength: in all, with one card, with two cards.

    Hands with one card are indexed by its rank, hands with two by their ranks and whether they
    share a suit.
    """

    strengths: Ints
    plays: NDArray[np.bool_]
    all: Ints
    one: NDArray[np.int16]
    two: NDArray[np.int16]


def _pair_class(one: Any, other: Any) -> Any:
    """Return an index for the ranks of two cards and whether they share a suit."""
    ranks = (np.maximum(one, other) >> 2) * np.int16(13) + (np.minimum(one, other) >> 2)
    return ranks * 2 + (one & 3 == other & 3)


@cache
def _below(ranking: Ranking, high: int) -> _Below:
    deck = threes_of(52)
    strengths, place = np.unique(three_cards(deck.astype(np.uint8), ranking), return_inverse=True)
    playing = plays(strengths, high)
    size = len(strengths) + 1
    at_play = playing[place]
    cards, at = deck[at_play], place[at_play] + 1
    alike = np.bincount(_pair_class(*np.indices((52, 52)).reshape(2, -1)), minlength=338) // 2
    one, two = np.zeros((13, size), np.int64), np.zeros((338, size), np.int64)
    for i in range(3):
        held = cards[:, i] // 4 * size + at
        one += np.bincount(held, minlength=one.size).reshape(one.shape)
    for i, j in combinations(range(3), 2):
        held = _pair_class(cards[:, i], cards[:, j]) * size + at
        two += np.bincount(held, minlength=two.size).reshape(two.shape)
    # All cards of a rank, and all pairs of a class, are in equally many hands.
    one //= 4
    two //= np.maximum(alike, 1)[:, None]
    return _Below(
        strengths.astype(np.int64),
        playing,
        np.cumsum(np.bincount(at, minlength=size)),
        np.cumsum(one, axis=-1, dtype=np.int16),
        np.cumsum(two, axis=-1, dtype=np.int16),
    )


def _states(below: Ints, upto: Ints, ends: tuple[Ints, int]) -> Ints:
    """Return counts by state from the hands below, those below or equal, and the totals."""
    playing, total = ends
    return np.stack([below, playing - upto, upto - below, total - playing], axis=-1)


@cache
def bank(ranking: Ranking, high: int) -> OutcomeCounts:
    """Count the bank's hands by state."""
    return _counted(_bank_states(ranking, high), ranking)


def _bank_states(ranking: Ranking, high: int) -> Ints:
    known = _below(ranking, high)
    own = np.searchsorted(known.strengths, three_cards(SEATS, ranking))
    cards = SEATS.astype(np.intp)

    def available(limit: Ints) -> Ints:
        """How many playing hands without a card of the seat are below a limit."""
        count = known.all[limit]
        for i in range(3):
            count -= known.one[cards[:, i] >> 2, limit]
        for i, j in combinations(range(3), 2):
            count += known.two[_pair_class(cards[:, i], cards[:, j]), limit]
        return count - (known.plays[own] & (own < limit))

    every = np.full(N, len(known.strengths))
    return _states(available(own), available(own + 1), (available(every), TRIPLES))


@cache
def bank_card_shown(ranking: Ranking, high: int) -> OutcomeCounts:
    """Count the bank's hands by state, for each of its cards that may be shown."""
    known = _below(ranking, high)
    own = np.searchsorted(known.strengths, three_cards(SEATS, ranking))[:, None]
    rank = REST >> 2
    with_one = [_pair_class(REST, SEATS[:, i, None]) for i in range(3)]
    with_two = []
    for i, j in combinations(range(3), 2):
        hands = np.stack(np.broadcast_arrays(REST, SEATS[:, i, None], SEATS[:, j, None]), axis=-1)
        strength = three_cards(hands.reshape(-1, 3), ranking).reshape(N, VIEWS)
        with_two.append(np.searchsorted(known.strengths, strength))

    def available(limit: Ints) -> Ints:
        """How many playing hands with the exposed card and none of the seat's are below a limit."""
        count = known.one[rank, limit]
        for pair in with_one:
            count -= known.two[pair, limit]
        for strength in with_two:
            count += known.plays[strength] & (strength < limit)
        return np.asarray(count)

    every = np.full((N, 1), len(known.strengths))
    hands = (VIEWS - 1) * (VIEWS - 2) // 2
    counts = _states(available(own), available(own + 1), (available(every), hands))
    return _counted(counts, ranking, rank)


# ---------------------------------------------------------------- two community cards


@lru_cache(maxsize=KEPT_MAX)
def pair(ranking: Ranking, groups: bytes) -> OutcomeCounts:
    """Count pairs by groups of codes."""
    group = np.frombuffer(groups, np.uint8)[pair_codes(ranking)].astype(np.int64)
    width = max(groups) + 1
    at = group + width * np.arange(N)[:, None]
    return _counted(np.bincount(at.ravel(), minlength=N * width).reshape(N, width), ranking)


@lru_cache(maxsize=KEPT_MAX)
def pair_card_shown(ranking: Ranking, groups: bytes) -> OutcomeCounts:
    """Count the second cards by groups of codes, for each first card.

    Counts by rank first, regardless of suit, then corrects where the seat's suit comes twice more.
    """
    lut = np.frombuffer(groups, np.uint8).astype(np.int64)
    width = max(groups) + 1
    two, codes = five_by_ranks(ranking)
    group = lut[codes[:, two]]
    left = 4 - (threes().ranks[:, :, None] == np.arange(13)).sum(axis=1)
    times = np.maximum(left[:, None, :] - np.eye(13, dtype=np.int64), 0)
    at = np.arange(len(left) * 13).reshape(-1, 13, 1) * width + group
    by_rank = np.bincount(at.ravel(), times.ravel(), len(left) * 13 * width)
    own = threes().number[tuple((SEATS >> 2).T)]
    table = np.rint(by_rank).astype(np.int64).reshape(-1, 13, width)
    counts = table[own[:, None], REST >> 2]
    seat, pairs = suited_pairs()
    exact = lut[suited_pair_codes(ranking)]
    ranks = REST[seat[:, None], PAIRS[pairs]] >> 2
    plain = group[own[seat], ranks[:, 0], ranks[:, 1]]
    for first in PAIRS[pairs].T:
        np.subtract.at(counts, (seat, first, plain), 1)
        np.add.at(counts, (seat, first, exact), 1)
    return _counted(counts, ranking, REST >> 2)


# ---------------------------------------------------------------- three cards that make six


@lru_cache(maxsize=KEPT_MAX)
def triple(ranking: Ranking, groups: bytes, high: int | None = None) -> OutcomeCounts:
    """Count triples by groups of codes; a bank's by state and group."""
    by_code = _triple_counts(ranking, high)
    lut = np.frombuffer(groups, np.uint8)
    counts = np.zeros((N, by_code.shape[1], max(groups) + 1), np.int64)
    for code in np.flatnonzero(by_code.any(axis=(0, 1))):
        counts[:, :, lut[code]] += by_code[:, :, code]
    return _counted(counts.reshape(N, -1), ranking)


@cache
def _triple_counts(ranking: Ranking, high: int | None) -> NDArray[np.int32]:
    """Count triples by code of the six cards, and by state if there is a bank."""
    states = 1 if high is None else len(STATES)
    own = threes().number[tuple((SEATS >> 2).T)]
    size = N * states * 256
    counts = np.zeros(size)
    seats = np.arange(N)[:, None]
    for times, number, state in _triple_classes(ranking, high):
        at = (seats * states + state) * 256 + six_by_ranks(ranking)[own[:, None], number]
        counts += np.bincount(at.ravel(), times.ravel(), size)
    seat, others = near_flushes()
    plain = six_by_ranks(ranking)[own[seat], threes().number[tuple((others >> 2).T)]]
    exact = codes_of(np.concatenate([SEATS[seat], others], axis=1), ranking)
    strength = _table(three_cards, ranking)[tuple(others.T)]
    state = _state(SEATS[seat], strength, (ranking, high))
    for codes, sign in ((plain, -1), (exact, 1)):
        counts += sign * np.bincount((seat * states + state) * 256 + codes, minlength=size)
    return np.rint(counts).astype(np.int32).reshape(N, states, 256)


@lru_cache(maxsize=KEPT_MAX)
def alone(ranking: Ranking, groups: bytes, high: int | None = None) -> OutcomeCounts:
    """Count triples without the seat's cards by groups of codes; a bank's by state too."""
    lut = np.frombuffer(groups, np.uint8).astype(np.int64)
    states, width = 1 if high is None else len(STATES), max(groups) + 1
    counts = np.zeros(N * states * width)
    seats = np.arange(N)[:, None]
    for suit, (times, number, state) in enumerate(_triple_classes(ranking, high), -1):
        group = lut[_class_codes(ranking, suit)][number]
        at = (seats * states + state) * width + group
        counts += np.bincount(at.ravel(), times.ravel(), len(counts))
    return _counted(np.rint(counts).astype(np.int64).reshape(N, -1), ranking)


def _class_codes(ranking: Ranking, suit: int) -> NDArray[np.uint8]:
    """Return the codes of any three ranks: of mixed suits (-1), or of one suit."""
    ranks = threes().ranks
    suits = np.array((0, 1, 2) if suit < 0 else (suit,) * 3, np.uint8)
    codes = np.zeros(len(ranks), np.uint8)
    possible = np.ones(len(ranks), bool) if suit < 0 else (ranks[:, 1:] < ranks[:, :-1]).all(axis=1)
    cards = (ranks << 2 | suits).astype(np.uint8)
    codes[possible] = codes_of(cards[possible], ranking)
    return codes


@lru_cache(maxsize=KEPT_MAX)
def triple_card_shown(
    ranking: Ranking, groups: bytes, high: int | None, *, alone: bool
) -> OutcomeCounts:
    """Count triples as `triple` and `alone` do, for each of their cards that may be shown."""
    depth = (max(groups) + 1) * (1 if high is None else len(STATES))
    counts = np.zeros((N, VIEWS, depth), np.int64)
    for seat in range(N):
        outcome = _triple_outcomes(seat, groups, (ranking, high), alone=alone)
        for card in threes_of(VIEWS).T:
            found = np.bincount(card * depth + outcome, minlength=VIEWS * depth)
            counts[seat] += found.reshape(VIEWS, depth)
    return _counted(counts, ranking, REST >> 2)


def _triple_classes(ranking: Ranking, high: int | None) -> Iterator[tuple[Ints, Any, Ints]]:
    """Yield classes of triples: how many each seat leaves, three ranks, and the state.

    Those of mixed suits come first, by rank, then those of each suit.
    """
    ranks = threes().ranks
    left = np.full((N, 13), 4) - (SEATS[:, :, None] >> 2 == np.arange(13)).sum(axis=1)
    wanted = (ranks[:, :, None] == np.arange(13)).sum(axis=1)
    choose = np.array([[comb(n, k) for k in range(4)] for n in range(5)])
    ways: Ints = np.ones((N, len(ranks)), np.int64)
    for rank in range(13):
        ways = ways * choose[left[:, rank, None], wanted[None, :, rank]]
    different = np.flatnonzero(wanted.max(axis=1) == 1)
    free = np.ones((N, 52), bool)
    np.put_along_axis(free, SEATS.astype(np.int64), False, axis=1)
    suited = []
    for suit in range(4):
        cards = ranks[different] << 2 | suit
        suited.append(np.asarray(free[:, cards].all(axis=2), np.int64))
        ways[:, different] -= suited[-1]
    strength = [
        np.array([strength_of_ranks(three, suited=s, ranking=ranking) for three in of])
        for of, s in ((ranks.tolist(), False), (ranks[different].tolist(), True))
    ]
    every = SEATS[:, None]
    every_three: Ints = np.arange(len(ranks), dtype=np.int64)[None, :]
    yield ways, every_three, _state(every, strength[0], (ranking, high))
    for times in suited:
        yield times, different[None, :], _state(every, strength[1], (ranking, high))


def _state(seats: Cards, strength: Ints, of: tuple[Ranking, int | None]) -> Ints:
    """Return how seats compare with bank hands of the given strengths."""
    ranking, high = of
    if high is None:
        return np.zeros(1, np.int64)
    own = three_cards(seats.reshape(-1, 3), ranking).reshape(seats.shape[:-1])
    number = [STATES.index(state) for state in ("unopposed", "higher", "lower", "equal")]
    below, above = strength < own, strength > own
    return np.select([~plays(strength, high) | (own < 0), below, above], number[:3], number[3])


def _state_of(seat: int, of: tuple[Ranking, int]) -> Ints:
    """Return how a seat compares with all triples of the other cards."""
    strength = _table(three_cards, of[0])[tuple(REST[seat][threes_of(VIEWS)].T)]
    return _state(SEATS[seat], strength, of)


@cache
def _table(of: Callable[[NDArray[np.uint8], Ranking], NDArray[Any]], ranking: Ranking) -> Ints:
    """Return the strength of any three cards, lowest first, or their code."""
    deck = threes_of(52)
    found = of(deck.astype(np.uint8), ranking)
    table = np.zeros((52, 52, 52), found.dtype)
    table[tuple(deck.T)] = found
    return table


def _triple_outcomes(
    seat: int, groups: bytes, of: tuple[Ranking, int | None], *, alone: bool
) -> Ints:
    """Return the outcome of every triple of other cards: its group, or state and group."""
    ranking, high = of
    width = max(groups) + 1
    group = np.zeros(TRIPLES, np.int64)
    if width > 1:
        three = tuple(REST[seat][threes_of(VIEWS)].T)
        codes = _table(codes_of, ranking)[three] if alone else triple_codes(seat, ranking)
        group += np.frombuffer(groups, np.uint8)[codes]
    if high is None:
        return group
    return _state_of(seat, (ranking, high)) * width + group


# ---------------------------------------------------------------- a pair and three cards together


@lru_cache(maxsize=KEPT_MAX)
def pair_and_triple(
    ranking: Ranking,
    pair_groups: bytes,
    triple_groups: bytes,
    *,
    high: int | None,
    alone: bool,
    by_first: bool,
) -> NDArray[np.float64]:
    """Count both groups together: by seat, [first card of the pair,] group of each.

    Of the triples with an outcome, those without a pair's two cards are all, less those with
    either, plus those with both. Pairs come in both orders.
    """
    depth = (max(triple_groups) + 1) * (1 if high is None else len(STATES))
    width = max(pair_groups) + 1
    lut = np.frombuffer(pair_groups, np.uint8)
    shape = (N, VIEWS, width, depth) if by_first else (N, width, depth)
    result = np.zeros(shape)
    i, j = PAIRS.T
    for seat in range(N):
        outcome = _triple_outcomes(seat, triple_groups, (ranking, high), alone=alone)
        apart = _triples_without(outcome, depth)
        member = np.zeros((VIEWS, VIEWS, width))
        group = lut[pair_codes(ranking)[seat]]
        member[i, j, group] = member[j, i, group] = 1
        both = np.matmul(member.transpose(0, 2, 1), apart.transpose(1, 2, 0))
        result[seat] = both if by_first else both.sum(axis=0)
    return result


def _triples_without(outcome: Ints, depth: int) -> NDArray[np.float64]:
    """Return how many triples with an outcome lack two given cards, by outcome and cards."""
    everything = np.bincount(outcome, minlength=depth)
    triples = threes_of(VIEWS)
    one = np.zeros(depth * VIEWS)
    two = np.zeros(depth * VIEWS * VIEWS)
    for k in range(3):
        one += np.bincount(outcome * VIEWS + triples[:, k], minlength=len(one))
    for k, m in ((0, 1), (0, 2), (1, 2)):
        at = (outcome * VIEWS + triples[:, k]) * VIEWS + triples[:, m]
        two += np.bincount(at, minlength=len(two))
    with_one = one.reshape(depth, VIEWS)
    with_two = two.reshape(depth, VIEWS, VIEWS)
    with_two = with_two + with_two.transpose(0, 2, 1)
    without: NDArray[np.float64] = (
        everything[:, None, None] - with_one[:, :, None] - with_one[:, None, :] + with_two
    )
    return without
