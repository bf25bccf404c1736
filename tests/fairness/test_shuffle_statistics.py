"""Many shuffles, measured; shuffles with a fault must fail by the same measures.

Five measures share one level of 0.01, and what fails is tried once more with fresh shuffles. An
honest shuffle fails both times once in 10,000 runs.
"""

import numpy as np
import pytest

from tests.fairness.arrays import (
    Shuffle,
    fisher_yates,
    modulo,
    naive,
    sattolo,
    seeded,
    sorted_by_key,
    words_of_the_system,
)
from tests.fairness.measures import (
    chi_square_above,
    eulerian,
    faults,
    rejected,
    tally,
    two_sided,
    two_tails,
)


def test_shuffles_are_even_by_every_measure() -> None:
    assert faults(fisher_yates, 1_000_000) == []


@pytest.mark.long
@pytest.mark.timeout(1_800)
def test_ten_million_shuffles_are_even_by_every_measure() -> None:
    assert faults(fisher_yates, 10_000_000) == []


@pytest.mark.parametrize(
    ("shuffle", "measure"),
    [(naive, "positions"), (sattolo, "positions"), (modulo, "positions"), (sorted_by_key, "runs")],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_a_faulty_shuffle_fails_with_ten_thousand(shuffle: Shuffle, measure: str) -> None:
    assert measure in faults(shuffle, 10_000)


def repeats(shuffle: Shuffle, count: int) -> int:
    """How many decks came before; eleven cards are enough to tell two decks apart."""
    decks = shuffle(words_of_the_system(count))[:, :11].astype(np.int64)
    return count - len(np.unique(decks @ 52 ** np.arange(11)))


def test_no_deck_comes_twice() -> None:
    assert repeats(fisher_yates, 300_000) == 0


def test_a_generator_with_a_short_seed_repeats_itself() -> None:
    # 2 ** 32 orders look even by every other measure; 300,000 of them repeat about ten times.
    assert repeats(seeded, 300_000) > 0


def test_the_measures_themselves_are_even() -> None:
    # P-values of an honest shuffle lie evenly between 0 and 1: 100 of each, in five parts. A
    # chi-square of four degrees is above 40 once in 20 million times.
    values = [tally(fisher_yates, 1_000).p_values() for _ in range(100)]
    parts = {name: np.histogram([v[name] for v in values], 5, (0, 1))[0] for name in values[0]}
    squares = {name: float(((counts - 20) ** 2).sum()) / 20 for name, counts in parts.items()}
    assert {name: value for name, value in squares.items() if value > 40} == {}


@pytest.mark.parametrize(
    ("squares", "degrees", "above"),
    [(3.841459, 1, 0.05), (18.307038, 10, 0.05), (3.940299, 10, 0.95), (2771.7, 2601, 0.01)],
)
def test_chi_squares_are_as_in_the_tables(squares: float, degrees: int, above: float) -> None:
    assert chi_square_above(squares, degrees) == pytest.approx(above, abs=1e-5)
    assert two_sided(squares, degrees) == pytest.approx(2 * min(above, 1 - above), abs=2e-5)


def test_normal_values_and_runs_are_as_in_the_tables() -> None:
    assert two_tails(-1.959964) == pytest.approx(0.05, abs=1e-6)
    falls = np.arange(52)
    assert float(eulerian() @ falls) == pytest.approx(51 / 2)
    assert float(eulerian() @ (falls - 25.5) ** 2) == pytest.approx(53 / 12)


def test_measures_are_rejected_by_holms_method() -> None:
    assert rejected({"a": 0.004, "b": 0.006, "c": 0.5}) == []
    assert rejected({"a": 0.003, "b": 0.005, "c": 0.5}) == ["a", "b"]
    assert rejected({"a": 0.003, "b": 0.006, "c": 0.5}) == ["a"]
