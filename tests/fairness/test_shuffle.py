"""The shuffle: every draw is exactly even, and every order has exactly one series of draws."""

import inspect
import subprocess
import sys
from collections import Counter
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.cards import DECK, Card
from croupier.errors import Bug
from croupier.fairness.shuffle import REJECTED_MAX, Entropy, draw, shuffled
from tests.fairness.arrays import WORDS_A_DECK, counted, words_of_the_system
from tests.fairness.deals import source

Sampler = Callable[[Entropy, int], int]


def unevenness(sampler: Sampler, below: int, *, bytes_a_word: int = 1) -> int:
    """Over every single word: by how much the accepted counts per value differ."""
    counts = Counter(dict.fromkeys(range(below), 0))
    for word in range(256**bytes_a_word):
        try:
            counts[sampler(source(word.to_bytes(bytes_a_word, "big")), below)] += 1
        except Bug:  # It was rejected, and there is no other.
            continue
    assert len(counts) == below
    return max(counts.values()) - min(counts.values())


def remainder(entropy: Entropy, below: int) -> int:
    return entropy(1)[0] % below


def wide_remainder(entropy: Entropy, below: int) -> int:
    return int.from_bytes(entropy(2), "big") % below


def off_by_one(entropy: Entropy, below: int) -> int:
    word = entropy(1)[0]
    if word > 256 - 256 % below:
        raise Bug("rejected")
    return word % below


def test_every_draw_is_exactly_even_over_all_words() -> None:
    assert [below for below in range(1, 257) if unevenness(draw, below)] == []


def test_more_than_half_of_all_words_are_accepted() -> None:
    # So REJECTED_MAX rejections in a row are less likely than one in 2 ** REJECTED_MAX.
    assert all(256 % below < 128 for below in range(1, 257))


@pytest.mark.parametrize("sampler", [remainder, off_by_one])
def test_uneven_samplers_are_found(sampler: Sampler) -> None:
    uneven = [below for below in range(2, 53) if unevenness(sampler, below)]
    assert uneven == [below for below in range(2, 53) if 256 % below]


@pytest.mark.parametrize("below", [3, 43, 52])
def test_the_remainder_of_two_bytes_is_found_uneven_as_well(below: int) -> None:
    assert unevenness(wide_remainder, below, bytes_a_word=2) == 1


@pytest.mark.parametrize("below", range(2, 53))
def test_a_rejected_word_leaves_no_trace(below: int) -> None:
    rejected = range(256 - 256 % below, 256)
    after = [draw(source(bytes([word, 7])), below) for word in rejected]
    assert after == [7 % below] * len(rejected)


def test_a_source_that_repeats_itself_is_found_out() -> None:
    with pytest.raises(Bug, match="repeats itself"):
        draw(lambda count: b"\xff" * count, 52)
    assert draw(source(b"\xff" * (REJECTED_MAX - 1) + b"\x05"), 52) == 5


def test_a_source_that_ends_is_found_out() -> None:
    with pytest.raises(Bug, match="gave 0 bytes instead of 1"):
        shuffled(source(b"\x00" * 50))
    assert len(shuffled(source(b"\x00" * 51))) == 52


@pytest.mark.parametrize("below", [-1, 0, 257])
def test_a_draw_that_does_not_fit_a_word_is_refused(below: int) -> None:
    with pytest.raises(Bug, match="does not fit"):
        draw(source(bytes(9)), below)


def draws_for(deck: tuple[Card, ...]) -> list[int]:
    """The only draws that can have led to a deck."""
    cards, draws = list(DECK), []
    for last in range(51, 0, -1):
        chosen = cards.index(deck[last])
        assert chosen <= last
        draws.append(chosen)
        cards[last], cards[chosen] = cards[chosen], cards[last]
    return draws


@given(st.tuples(*(st.integers(0, last) for last in range(51, 0, -1))))
def test_every_series_of_draws_has_its_own_order(draws: tuple[int, ...]) -> None:
    # There are as many series as orders, 52!, so every order has exactly one: with even draws
    # all are equally likely.
    deck = shuffled(source(bytes(draws)))
    assert sorted(deck) == list(DECK)
    assert draws_for(deck) == list(draws)


@given(st.permutations(DECK))
def test_every_order_can_be_drawn(order: list[Card]) -> None:
    assert shuffled(source(bytes(draws_for(tuple(order))))) == tuple(order)


def test_the_shuffle_over_arrays_is_the_same_word_for_word() -> None:
    words = words_of_the_system(2_000)
    decks, used = counted(words)
    alone = []
    for row in words:
        entropy = source(row.tobytes())
        deck = shuffled(entropy)
        alone.append((list(deck), WORDS_A_DECK - len(entropy(WORDS_A_DECK))))
    assert [(list(deck), n) for deck, n in zip(decks.tolist(), used.tolist(), strict=True)] == alone
    assert np.unique(used).size > 5  # Words were rejected on the way.


def test_the_deck_depends_on_entropy_and_nothing_else() -> None:
    assert list(inspect.signature(shuffled).parameters) == ["entropy"]
    words = words_of_the_system(1)[0].tobytes()
    assert len({shuffled(source(words)) for _ in range(100)}) == 1


FORKS = """
import os, sys
from croupier.fairness.shuffle import shuffled
shuffled(os.urandom)
for _ in range(int(sys.argv[1])):
    if not os.fork():
        os.write(1, bytes(shuffled(os.urandom)))
        os._exit(0)
    os.wait()
"""


def test_processes_forked_from_one_deal_different_decks() -> None:
    done = subprocess.run([sys.executable, "-c", FORKS, "1000"], capture_output=True, check=True)
    decks = {done.stdout[start : start + 52] for start in range(0, len(done.stdout), 52)}
    assert len(decks) == 1_000
    assert all(sorted(deck) == list(range(52)) for deck in decks)
