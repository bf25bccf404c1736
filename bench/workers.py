"""Measures what a second worker adds: bets a second on PostgreSQL with one worker and with two.

.venv/bin/python bench/workers.py [WORKERS]

A PostgreSQL with fsync on and two houses, each with a database of its own, one with a single worker
and one with more, run in turns with 20 tables of 7 players who bet flat out. Sockets come to any
worker and are passed on to the one that has the table. Run nothing else meanwhile.

Besides, it prints what shows where the CPU goes: how much of the servers' is in their event loops
and how much in the threads that wait for the database, what they use while nobody bets, how many
bets go into a commit, and how much more CPU time the same piece of Python takes while all cores are
busy, which is no part of what a second worker costs.
"""

import asyncio
import os
import re
import statistics
import sys
import tempfile
from contextlib import ExitStack, suppress
from multiprocessing import Event, Process
from multiprocessing.synchronize import Event as Ended
from pathlib import Path
from time import perf_counter, process_time
from typing import NamedTuple
from urllib.request import urlopen

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.load import Line
from bench.postgres import CLONE, database_cpu_s, serving
from bench.server import BURST_TABLES, SEATS, flat_out, quiet, seated
from tests.ledger import servers

TURNS, TURN_S = 8, 2.0
SETTLED_S = 8.0
"""How long tables may move between workers that have just started, and rounds take to open."""
PIECE, PIECES = 100_000, 20
IDLE_S = 5.0


class Figures(NamedTuple):
    """Bets a second, the µs of CPU that one takes, and how many go into a commit."""

    rate: float
    loops: float
    threads: float
    database: float
    size: float


def family_cpu_s(pid: int) -> tuple[float, float]:
    """Return the CPU time of a server with its workers: of event loops, and of other threads."""
    loops = threads = 0.0
    for thread in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):  # It has ended.
            used_s = int((thread / "schedstat").read_text().split()[0]) / 1e9
            loops, threads = (
                (loops + used_s, threads) if thread.name == str(pid) else (loops, threads + used_s)
            )
    for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        more = family_cpu_s(int(child))
        loops, threads = loops + more[0], threads + more[1]
    return loops, threads


def commits(address: str) -> float:
    """Return how many commits all workers have made."""
    with urlopen(f"{address}/metrics") as answer:
        said = answer.read().decode()
    return sum(map(float, re.findall(r"^croupier_commit_seconds_count\S* (\S+)$", said, re.M)))


async def turn(pid: int, address: str, lines: list[Line]) -> Figures:
    """Let players bet flat out for a while."""
    made = await asyncio.to_thread(commits, address)
    before, began = (*family_cpu_s(pid), database_cpu_s()), perf_counter()
    asked = await flat_out(lines, TURN_S)
    took, after = perf_counter() - began, (*family_cpu_s(pid), database_cpu_s())
    used = [(now - then) * 1e6 / asked for then, now in zip(before, after, strict=True)]
    made = await asyncio.to_thread(commits, address) - made
    loops, threads, database = used
    return Figures(asked / took, loops, threads, database, asked / made)


async def idle(pid: int) -> float:
    """Return the CPU that a server with its workers uses while nobody bets: ms a second."""
    before = sum(family_cpu_s(pid))
    await asyncio.sleep(IDLE_S)
    return (sum(family_cpu_s(pid)) - before) * 1e3 / IDLE_S


def piece() -> float:
    """Return the CPU seconds that a piece of Python takes."""
    began = process_time()
    held: dict[str, int] = {}
    for number in range(PIECE):
        held[str(number % 1_000)] = number
    return process_time() - began


def on_and_on(ended: Ended) -> None:
    while not ended.is_set():
        piece()


def crowding() -> float:
    """Return how many times as much CPU Python takes while all cores are busy."""
    alone = min(piece() for _ in range(PIECES))
    ended = Event()
    others = [Process(target=on_and_on, args=[ended]) for _ in range((os.cpu_count() or 1) - 1)]
    for other in others:
        other.start()
    together = statistics.median(piece() for _ in range(PIECES))
    ended.set()
    for other in others:
        other.join()
    return together / alone


async def in_turns(opened: dict[int, tuple[int, str]]) -> dict[int, list[Figures]]:
    await asyncio.sleep(SETTLED_S)
    players = BURST_TABLES * SEATS
    lines = {workers: await seated(address, players) for workers, (_, address) in opened.items()}
    await asyncio.sleep(SETTLED_S)  # A bet that comes before its round is opened is refused.
    for workers, (pid, _) in opened.items():
        print(f"{workers} idle: {await idle(pid):.0f} ms of CPU a second")
    seen: dict[int, list[Figures]] = {workers: [] for workers in opened}
    for at in range(TURNS + 1):
        for workers, (pid, address) in opened.items():
            figures = await turn(pid, address, lines[workers])
            if at:  # The first turn warms up.
                seen[workers].append(figures)
    for each in lines.values():
        quiet(each)
    return seen


def main() -> None:
    print(f"while all cores are busy, the same Python takes {crowding():.2f} times as much CPU")
    most = int(sys.argv[1]) if len(sys.argv) > 1 else 2
    servers.OPTIONS[:] = ["-c", "max_connections=100", "-c", "listen_addresses="]
    with servers.postgres() as where, ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        opened = {
            workers: stack.enter_context(
                serving(CLONE, folder, servers.new_database(where), "--workers", str(workers))
            )
            for workers in (1, most)
        }
        seen = asyncio.run(in_turns(opened))
    heads = ("workers", "bets/s", "loops µs", "threads µs", "database µs", "all µs", "bets/commit")
    print("".join(f"{head:>13}" for head in heads))
    for workers, turns in seen.items():
        rate, *used, size = map(statistics.median, zip(*turns, strict=True))
        print("".join(f"{figure:13,.0f}" for figure in (workers, rate, *used, sum(used), size)))
    ratios = [more[0] / one[0] for one, more in zip(*seen.values(), strict=True)]
    low, high = min(ratios), max(ratios)
    print(f"{statistics.median(ratios):.2f} times as many bets a second ({low:.2f} to {high:.2f})")


if __name__ == "__main__":
    main()
