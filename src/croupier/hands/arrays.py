"""Strengths of whole arrays of hands with NumPy, equal to those of single hands.

Suits matter only in flushes, about one hand in five hundred, so hands are looked up by their ranks
and the suited ones looked up again. The ranks of three cards make one of 455 combinations and those
of two cards one of 91. Two small tables map each part of a five-card hand to its combination, and a
table of 455 × 91 strengths, small enough to stay in the cache, holds the answer. Everything before
the last lookup is byte arithmetic, a column of cards at a time, in chunks that also fit in the
cache; checking the cards there costs almost nothing.

Cards are `uint8` arrays of shape `(n, size)`, one hand per row; contiguous columns (Fortran order)
save a copy.
"""

from collections.abc import Callable, Iterable
from functools import cache
from itertools import chain, combinations, combinations_with_replacement, permutations
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from croupier.errors import ParseError
from croupier.hands.lookup import refusal
from croupier.hands.ranking import ACE, SHAPES, STANDARD, SUPER_ROYAL, Ranking, category

Cards = NDArray[np.uint8]
Strengths = NDArray[np.int32]
Ranks = NDArray[np.uint8]

_CHUNK = 1 << 16
_NINE = 7


def three_cards(cards: Cards, ranking: Ranking = STANDARD) -> Strengths:
    """Return the strength of every row, refusing rows that aren't three different cards."""
    return _in_chunks(cards, 3, lambda columns: _three(columns, _three_tables(ranking)))


def five_cards(cards: Cards, ranking: Ranking = STANDARD) -> Strengths:
    """Return the strength of every row, refusing rows that aren't five different cards."""
    return _in_chunks(cards, 5, lambda columns: _five(columns, _five_tables(ranking)))


def six_cards(cards: Cards, ranking: Ranking = STANDARD) -> Strengths:
    """Return the strength of the best five of each row's six cards, or of its super royal."""
    return _in_chunks(cards, 6, lambda columns: _six(columns, _five_tables(ranking)))


def _in_chunks(cards: Cards, size: int, strengths: Callable[[Cards], Strengths]) -> Strengths:
    """Check the cards and evaluate them in chunks of columns."""
    if not isinstance(cards, np.ndarray) or cards.dtype != np.uint8:
        given = getattr(cards, "dtype", type(cards).__name__)
        raise ParseError(f"cards come as a uint8 array, not as {given}")
    if cards.ndim != 2 or cards.shape[1] != size:
        raise ParseError(f"the array of cards has the shape {cards.shape}, not (n, {size})")
    result = np.empty(len(cards), np.int32)
    for start in range(0, len(cards), _CHUNK):
        columns = np.ascontiguousarray(cards[start : start + _CHUNK].T)
        wrong = columns[0] > 51
        for column in columns[1:]:
            wrong |= column > 51
        for one, other in combinations(columns, 2):
            wrong |= one == other
        if wrong.any():
            row = start + int(wrong.argmax())
            raise ParseError(f"row {row}: {refusal(cards[row].tolist(), size)}")
        result[start : start + _CHUNK] = strengths(columns)
    return result


class _Tables(NamedTuple):
    """The strengths of hands of one size under one ranking.

    Three cards are indexed by their ranks, four bits each. Five are indexed by the combination of
    three ranks × 91 + that of the other two or, if suited, by their set of ranks, one bit each.
    """

    plain: Strengths
    suited: Strengths


def _three(columns: Cards, tables: _Tables) -> Strengths:
    index = _rank_index(columns)
    result = tables.plain[index]
    suited = np.flatnonzero(_are_suited(columns))
    result[suited] = tables.suited[index[suited]]
    return result


def _five(columns: Cards, tables: _Tables) -> Strengths:
    result = tables.plain[_rank_combination(columns)]
    suited = np.flatnonzero(_are_suited(columns))
    result[suited] = tables.suited[_rank_set(columns[:, suited])]
    return result


def _six(columns: Cards, tables: _Tables) -> Strengths:
    result = _five(columns[1:], tables)
    for left_out in range(1, 6):
        np.maximum(result, _five(np.delete(columns, left_out, axis=0), tables), out=result)
    # A royal flush with a sixth card of its suit, the nine, is a super royal (M1).
    royal = np.flatnonzero(result >> 20 == category(SUPER_ROYAL, 6) - 1)
    cards = columns[:, royal]
    is_super = _are_suited(cards) & (cards.min(axis=0) >> 2 == _NINE)
    result[royal[is_super]] = SUPER_ROYAL
    return result


def _rank_index(columns: Cards) -> NDArray[np.uint16]:
    """Pack the ranks of two or three columns, four bits each."""
    index: NDArray[np.uint16] = (columns[0] >> 2).astype(np.uint16)
    for column in columns[1:]:
        index <<= 4
        index |= column >> 2
    return index


def _rank_combination(columns: Cards) -> NDArray[np.int32]:
    """Return the index of each five-card hand's combination of ranks."""
    combination = _TRIPLE[_rank_index(columns[:3])]
    combination += _PAIR[_rank_index(columns[3:])]
    return combination


def _rank_set(columns: Cards) -> NDArray[np.intp]:
    """Return the set of ranks of each row, one bit per rank."""
    bits: NDArray[np.intp] = (1 << (columns >> 2).astype(np.intp)).sum(axis=0)
    return bits


def _are_suited(columns: Cards) -> NDArray[np.bool_]:
    """Return which hands are all of one suit."""
    differences = columns[0] ^ columns[1]
    for column in columns[2:]:
        differences |= columns[0] ^ column
    suited: NDArray[np.bool_] = differences & 3 == 0
    return suited


def _table(
    index: Callable[[Cards], NDArray[np.integer]], hands: Ranks, values: ArrayLike
) -> NDArray[np.int32]:
    """Return a table of hand values for all orders of the ranks, given one order of each."""
    columns = (hands.T << 2).astype(np.uint8)
    indices = [index(columns[list(order)]) for order in _orders(index, len(columns))]
    table = np.zeros(np.max(indices) + 1, np.int32)
    for hands_in_order in indices:
        table[hands_in_order] = values
    return table


def _orders(index: object, size: int) -> Iterable[tuple[int, ...]]:
    """Return the orders of a hand's ranks that the index tells apart."""
    if index is _rank_set:
        return [tuple(range(size))]
    if index is _rank_combination:
        splits = combinations(range(size), 3)
        return [(*three, *(rank for rank in range(size) if rank not in three)) for three in splits]
    return permutations(range(size))


def _ranks(hands: Iterable[tuple[int, ...]], size: int) -> Ranks:
    """Return the ranks of hands, one hand per row."""
    return np.fromiter(chain.from_iterable(hands), np.uint8).reshape(-1, size)


_TWO_RANKS = _ranks(combinations_with_replacement(range(13), 2), 2)
_THREE_RANKS = _ranks(combinations_with_replacement(range(13), 3), 3)
_PAIR = _table(_rank_index, _TWO_RANKS, range(len(_TWO_RANKS)))
_TRIPLE = len(_TWO_RANKS) * _table(_rank_index, _THREE_RANKS, range(len(_THREE_RANKS)))


@cache
def _three_tables(ranking: Ranking) -> _Tables:
    suited = _ranks(combinations(range(13), 3), 3)
    return _Tables(
        plain=_table(_rank_index, _THREE_RANKS, _strengths(_THREE_RANKS, ranking, suited=False)),
        suited=_table(_rank_index, suited, _strengths(suited, ranking, suited=True)),
    )


@cache
def _five_tables(ranking: Ranking) -> _Tables:
    plain = _ranks(combinations_with_replacement(range(13), 5), 5)
    plain = plain[plain[:, 0] != plain[:, 4]]
    suited = _ranks(combinations(range(13), 5), 5)
    return _Tables(
        plain=_table(_rank_combination, plain, _strengths(plain, ranking, suited=False)),
        suited=_table(_rank_set, suited, _strengths(suited, ranking, suited=True)),
    )


def _strengths(hands: Ranks, ranking: Ranking, *, suited: bool) -> Strengths:
    """Compute `strength_of_ranks` for many hands at once."""
    values = np.sort(hands + 2)[:, ::-1]
    size, names = values.shape[1], ranking.names(values.shape[1])
    times = (values[:, :, None] == values[:, None, :]).sum(axis=2)
    digits = np.sort(times << 4 | values)[:, ::-1] & 15
    # The sum tells the shapes of as many cards apart.
    classes = {sum(shape): name for shape, name in SHAPES.items() if len(shape) == size}
    shapes = times.sum(axis=1)
    numbers = [names.index(name) for name in classes.values()]
    strengths = np.select([shapes == shape for shape in classes], numbers)
    if size == 3 or ranking.wheel:
        digits[(values == [ACE, *range(size, 1, -1)]).all(axis=1)] = range(size, 0, -1)
    straight = (shapes == size) & (digits[:, 0] - digits[:, -1] == size - 1)
    if suited:
        strengths[:] = names.index("flush")
        strengths[straight] = names.index("straight flush")
        strengths[straight & (digits[:, 0] == ACE)] = len(names) - 1
    else:
        strengths[straight] = names.index("straight")
    for place in (values if ranking.card_by_card and size == 3 else digits).T:
        strengths = strengths << 4 | place
    return strengths.astype(np.int32)
