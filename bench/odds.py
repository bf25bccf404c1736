"""Measures the mathematics: exact analyses, and simulated rounds with other ways beside them.

.venv/bin/python bench/odds.py

All on one core, and every figure is that of the best of many short passes, so that other work on
the machine matters little. The peer deals as most NumPy simulations do: a random key for each of
the 52 cards, the first cards in the order of the keys are the deal. It only ranks the hands and
counts by the result, for a queen-six-four strategy; ours plays the best strategy of any bet.
PokerKit deals and ranks two hands of three cards a round.
"""

import random
import subprocess
import sys
from collections.abc import Callable
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from croupier.hands.arrays import five_cards, three_cards
from croupier.odds.analysis import analyze
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.simulation.blocks import generator
from croupier.simulation.simulator import SimulationTask, Simulator

try:
    from pokerkit import Card, RhodeIslandHoldemHand
except ImportError as error:
    sys.exit(f"{error.name} is not installed: pip install pokerkit")

PASSES = 25
ROUNDS = 1 << 18
ROUNDS_BY_KEYS = 1 << 15
ROUNDS_POKERKIT = 500
THREE, RIDE, SHOWN = (
    "maryland-three-card-poker",
    "maryland-let-it-ride",
    "california-three-card-poker",
)
Q_6_4 = np.array([[10 << 2, 4 << 2 | 1, 2 << 2 | 2]], np.uint8)


def per_second(count: int, work: Callable[[], object], *, passes: int = PASSES) -> float:
    """Return the speed of the best pass."""
    best = float("inf")
    for _ in range(passes):
        start = perf_counter()
        work()
        best = min(best, perf_counter() - start)
    return count / best


# ---------------------------------------------------------------- simulation


def ours(book: str, seats: int = 1) -> float:
    """Rounds a second of the opening game of a book, counted by every outcome."""
    exact = analyze(resolve(load(book), {}))
    task = SimulationTask(exact.rules, exact.bet, exact.meters, None, seats)
    simulator = Simulator(task, exact)
    rng = generator((1, 0))
    rounds = ROUNDS // seats
    return per_second(rounds, lambda: simulator.block(rng, rounds))


def by_keys(cards: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Deal the first cards of so many shuffled decks."""
    keys = rng.random((ROUNDS_BY_KEYS, 52), np.float32)
    dealt = np.argpartition(keys, cards, axis=1)[:, :cards]
    return dealt.astype(np.uint8)


def ante_and_play_by_keys() -> float:
    rng = np.random.default_rng(1)
    least = three_cards(Q_6_4)[0]

    def work() -> None:
        dealt = by_keys(6, rng)
        seat, bank = three_cards(dealt[:, :3]), three_cards(dealt[:, 3:])
        plays = (bank >> 12 > 0) | (bank >> 8 & 15 >= 12)
        net = np.where(plays, 2 * np.sign(seat - bank), 1)
        net[seat < least] = -1
        np.bincount(net + 2)

    return per_second(ROUNDS_BY_KEYS, work)


def let_it_ride_by_keys() -> float:
    rng = np.random.default_rng(1)

    def work() -> None:
        np.bincount(five_cards(by_keys(5, rng)) >> 20)

    return per_second(ROUNDS_BY_KEYS, work)


def pokerkit_rounds() -> float:
    deck = list(Card.parse("".join(rank + suit for rank in "23456789TJQKA" for suit in "shdc")))

    def work() -> None:
        for _ in range(ROUNDS_POKERKIT):
            dealt = random.sample(deck, 6)
            RhodeIslandHoldemHand(dealt[:3])
            RhodeIslandHoldemHand(dealt[3:])

    return per_second(ROUNDS_POKERKIT, work, passes=3)


def report(what: str, speed: float, peers: dict[str, float]) -> None:
    print(f"{what:34} {speed / 1e6:8.2f} million rounds/s", end="")
    for name, theirs in peers.items():
        print(f"   {name} {theirs / 1e6:.3f}, {speed / theirs:,.0f} times", end="")
    print()


def simulation() -> None:
    """Print rounds a second, ours and others'."""
    keys, kit = ante_and_play_by_keys(), pokerkit_rounds()
    report("ante and play", ours(THREE), {"by keys": keys, "PokerKit": kit})
    report("ante and play, a card shown", ours(SHOWN), {"by keys": keys})
    report("ante and play, seven seats", ours(THREE, 7), {})
    report("Let It Ride", ours(RIDE), {"by keys": let_it_ride_by_keys()})


# ---------------------------------------------------------------- exact analysis


def microseconds(work: Callable[[], object], *, passes: int = 400) -> float:
    """Return the time of the best pass; the first one fills the tables of counts."""
    work()
    best = float("inf")
    for _ in range(passes):
        start = perf_counter()
        work()
        best = min(best, perf_counter() - start)
    return 1e6 * best


def cold_seconds(code: str, *, passes: int = 15) -> float:
    """Return the time of the best of some processes that run this code."""
    best = float("inf")
    for _ in range(passes):
        start = perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
        best = min(best, perf_counter() - start)
    return best


def analysis() -> None:
    """Print what an analysis takes with its counts kept, and the first answer of a process."""
    three, ride, shown = (resolve(load(book)) for book in (THREE, RIDE, SHOWN))
    first = analyze(three, {"pair_plus": 1})
    other = resolve(load(THREE), {"pair_plus": "C"})
    for what, work in {
        "ante and play, 407,170,400 deals": lambda: analyze(three).expected_value,
        "a bank card shown": lambda: analyze(shown).expected_value,
        "Let It Ride": lambda: analyze(ride).expected_value,
        "another paytable, counts kept": lambda: first.value_at(other),
    }.items():
        print(f"{what:34} {microseconds(work):8.0f} µs")
    numpy_alone = cold_seconds("import numpy")
    print(f"{'import numpy, a fresh process':34} {1e3 * numpy_alone:8.0f} ms")
    for book in (THREE, RIDE, SHOWN):
        code = "from croupier import analyze, load, resolve"
        code += f"; print(analyze(resolve(load({book!r}))).expected_value)"
        first_answer = cold_seconds(code)
        ratio = first_answer / numpy_alone
        print(f"{'first answer, ' + book:40} {1e3 * first_answer:8.0f} ms  {ratio:.2f} times")


def main() -> None:
    random.seed(3)
    analysis()
    simulation()


if __name__ == "__main__":
    main()
