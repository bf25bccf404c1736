"""Measures bets on PostgreSQL: how many a second, and what CPU server and database take for one.

.venv/bin/python bench/postgres.py [OTHER_CLONE]

A PostgreSQL with fsync on, and servers from this clone and another one (such as an older version),
each with a database of its own, run in turns with 20 tables of 7 players who bet flat out. Read the
ratios: other work on the machine affects both alike.
"""

import asyncio
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import perf_counter

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.load import Line
from bench.server import BURST_TABLES, SEATS, cpu_s, flat_out, quiet, seated, tables
from tests.ledger import servers

CLONE = Path(__file__).resolve().parents[1]
TURNS, TURN_S = 6, 2.0
Figures = tuple[float, float, float]


@contextmanager
def serving(clone: Path, folder: Path, database: str, *options: str) -> Iterator[tuple[int, str]]:
    """Run the server of a clone; give its process and address."""
    file = folder / "tables.toml"
    file.write_text(tables(BURST_TABLES, bets_s=3600))
    run = [sys.executable, "-m", "croupier", "serve", "--no-limits", "--port", "0"]
    run += ["--data", tempfile.mkdtemp(dir=folder), "--tables", str(file)]
    run += ["--database", database, *options]
    process = subprocess.Popen(
        run,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYTHONPATH": str(clone / "src")},
        cwd=folder,
    )
    assert process.stdout is not None
    try:
        found = re.search(r"http://[\d.:]+", process.stdout.readline())
        assert found, "the server did not start"
        yield process.pid, found[0]
    finally:
        process.terminate()
        process.wait(30)


def database_cpu_s() -> float:
    """Return the CPU time of all processes of PostgreSQL."""
    total = 0.0
    for status in Path("/proc").glob("[0-9]*/comm"):
        try:
            if status.read_text() == "postgres\n":
                total += cpu_s(int(status.parent.name))
        except OSError:
            continue  # It has ended.
    return total


async def turn(pid: int, lines: list[Line]) -> Figures:
    """Bets a second, and the µs of CPU that server and database take for each."""
    server, database, began = cpu_s(pid), database_cpu_s(), perf_counter()
    asked = await flat_out(lines, TURN_S)
    took = perf_counter() - began
    used = (cpu_s(pid) - server) * 1e6, (database_cpu_s() - database) * 1e6
    return asked / took, used[0] / asked, used[1] / asked


async def in_turns(opened: dict[str, tuple[int, str]]) -> dict[str, list[Figures]]:
    players = BURST_TABLES * SEATS
    lines = {name: await seated(address, players) for name, (_, address) in opened.items()}
    seen: dict[str, list[Figures]] = {name: [] for name in opened}
    for name, (pid, _) in opened.items():
        await turn(pid, lines[name])  # To warm up.
    for _ in range(TURNS):
        for name, (pid, _) in opened.items():
            seen[name].append(await turn(pid, lines[name]))
    for each in lines.values():
        quiet(each)
    return seen


def main() -> None:
    clones = {"this clone": CLONE}
    if len(sys.argv) > 1:
        clones["the other"] = Path(sys.argv[1]).resolve()
    servers.OPTIONS[:] = ["-c", "max_connections=60", "-c", "listen_addresses="]
    with servers.postgres() as where, ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        opened = {
            name: stack.enter_context(serving(clone, folder, servers.new_database(where)))
            for name, clone in clones.items()
        }
        seen = asyncio.run(in_turns(opened))
    print(f"{'':12}{'bets/s':>10}{'server µs':>12}{'database µs':>13}{'both µs':>10}")
    for name, turns in seen.items():
        rate, server, database = (statistics.median(turn[i] for turn in turns) for i in range(3))
        print(f"{name:12}{rate:10,.0f}{server:12,.0f}{database:13,.0f}{server + database:10,.0f}")
    if len(seen) > 1:
        pairs = list(zip(*seen.values(), strict=True))
        rates = statistics.median(a[0] / b[0] for a, b in pairs)
        cpu = statistics.median((b[1] + b[2]) / (a[1] + a[2]) for a, b in pairs)
        print(f"{rates:.2f} times as many bets a second, each with 1/{cpu:.2f} of the CPU")


if __name__ == "__main__":
    main()
