"""Measures what a second worker adds: bets a second on PostgreSQL with one worker and with two.

.venv/bin/python bench/workers.py [WORKERS]

A PostgreSQL with fsync on and two houses, each with a database of its own, one with a single worker
and one with more, run in turns with 20 tables of 7 players who bet flat out. Sockets come to any
worker and are passed on to the one that has the table. Run nothing else meanwhile.
"""

import asyncio
import statistics
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from time import perf_counter

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.load import Line
from bench.postgres import CLONE, Figures, database_cpu_s, serving
from bench.server import BURST_TABLES, SEATS, cpu_s, flat_out, quiet, seated
from tests.ledger import servers

TURNS, TURN_S = 8, 2.0
SETTLED_S = 8.0
"""How long tables may move between workers that have just started, and rounds take to open."""


def family_cpu_s(pid: int) -> float:
    """Return the CPU time of a server with its workers."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return cpu_s(pid) + sum(family_cpu_s(int(child)) for child in children)


async def turn(pid: int, lines: list[Line]) -> Figures:
    """Bets a second, and the µs of CPU that servers and database take for each."""
    server, database, began = family_cpu_s(pid), database_cpu_s(), perf_counter()
    asked = await flat_out(lines, TURN_S)
    took = perf_counter() - began
    used = (family_cpu_s(pid) - server) * 1e6, (database_cpu_s() - database) * 1e6
    return asked / took, used[0] / asked, used[1] / asked


async def in_turns(opened: dict[int, tuple[int, str]]) -> dict[int, list[Figures]]:
    await asyncio.sleep(SETTLED_S)
    players = BURST_TABLES * SEATS
    lines = {workers: await seated(address, players) for workers, (_, address) in opened.items()}
    await asyncio.sleep(SETTLED_S)  # A bet that comes before its round is opened is refused.
    seen: dict[int, list[Figures]] = {workers: [] for workers in opened}
    for at in range(TURNS + 1):
        for workers, (pid, _) in opened.items():
            figures = await turn(pid, lines[workers])
            if at:  # The first turn warms up.
                seen[workers].append(figures)
    for each in lines.values():
        quiet(each)
    return seen


def main() -> None:
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
    print(f"{'workers':12}{'bets/s':>10}{'server µs':>12}{'database µs':>13}{'both µs':>10}")
    for workers, turns in seen.items():
        rate, server, database = (statistics.median(turn[i] for turn in turns) for i in range(3))
        print(
            f"{workers:<12}{rate:10,.0f}{server:12,.0f}{database:13,.0f}{server + database:10,.0f}"
        )
    ratios = [more[0] / one[0] for one, more in zip(*seen.values(), strict=True)]
    low, high = min(ratios), max(ratios)
    print(f"{statistics.median(ratios):.2f} times as many bets a second ({low:.2f} to {high:.2f})")


if __name__ == "__main__":
    main()
