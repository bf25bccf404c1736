"""Blocks of rounds, each with a random generator of its own, played here or by any workers.

A block's generator is seeded with the seed and the block's place, and results are summed as
integers. So the figures of a seed don't depend on which worker plays a block, nor on the order in
which blocks finish.
"""

import pickle
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, wait
from functools import lru_cache
from typing import Any

from numpy.random import PCG64DXSM, Generator, SeedSequence

from croupier.errors import UserError

_IN_FLIGHT = 64

Key = tuple[int, ...]
"""The seed of a generator: the user's, then the place of the block."""
Job = tuple[Any, Key, int]
"""A block: the task, its key, and how many rounds it has."""
BlockPlayer = Callable[[Any, Key, int], Any]
Report = Callable[[int], None]


def blocks(count: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the number and the size of every block."""
    return ((n, min(size, count - at)) for n, at in enumerate(range(0, count, size)))


def played(
    play: BlockPlayer, jobs: Iterable[Job], *, executor: Executor | None, report: Report | None
) -> Iterator[Any]:
    """Play blocks, here or on an executor, and yield the result of each as it finishes."""
    done = _shared_out(executor, play, jobs) if executor else ((play(*job), job[2]) for job in jobs)
    for result, count in done:
        yield result
        if report:
            report(count)


def _shared_out(
    executor: Executor, play: BlockPlayer, jobs: Iterable[Job]
) -> Iterator[tuple[Any, int]]:
    """Submit jobs to an executor, not too many ahead, and yield results as they finish."""
    waiting: dict[Future[Any], int] = {}
    try:
        for job in jobs:
            waiting[executor.submit(play, *job)] = job[2]
            if len(waiting) >= _IN_FLIGHT:
                yield from _done(waiting)
        while waiting:
            yield from _done(waiting)
    finally:
        for future in waiting:
            future.cancel()


def _done(waiting: dict[Future[Any], int]) -> Iterator[tuple[Any, int]]:
    for future in wait(waiting, return_when=FIRST_COMPLETED).done:
        yield future.result(), waiting.pop(future)


def packed(player: type, *given: object) -> bytes:
    """Return a task for `play_packed`: a class with a method `block`, and what it is made with."""
    return pickle.dumps((player, given))


def play_packed(task: bytes, key: Key, count: int) -> Any:
    """Play a block of a packed task, in any process."""
    return player_of(task).block(generator(key), count)


@lru_cache(maxsize=4)
def player_of(task: bytes) -> Any:
    """Return what plays the blocks of a packed task."""
    player, given = pickle.loads(task)
    return player(*given)


def generator(key: Key) -> Generator:
    """Return the generator of a block."""
    seed, *place = key
    return Generator(PCG64DXSM(SeedSequence(seed, spawn_key=place)))


def check_range(name: str, value: int, most: int) -> None:
    """Refuse a number below 1 or above the maximum."""
    if not 1 <= value <= most:
        raise UserError(f"{value} is not from 1 to {most}", field=name)
