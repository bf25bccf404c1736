"""Compares what a command costs an automatic table here and at an older commit.

.venv/bin/python bench/automatic.py COMMIT [FOLDER]

In turns a server of this tree and one of the commit's start with the same tables, and bots play
whole rounds at all seats. Each turn has a server of its own, because those who played before keep
their seats for a while. What a turn used of the CPU is read from the system and divided by the
commands that the bots were answered. The figure is the median over the turns; the machine's own ups
and downs hit both alike. A dealer, real cards and chips may cost the tables that have none of them
5 % at most.
"""

import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.server import SEATS, cpu_s, tables

ROOT = Path(__file__).resolve().parents[1]
TABLES, TURNS, TURN_S = 10, 20, 4
MOST = 0.05


class Served(NamedTuple):
    """A server, and the tree that it runs."""

    tree: Path
    pid: int
    address: str


def croupier(tree: Path, *words: str) -> dict[str, Any]:
    """Return what starts a command of a tree, with the packages of this one."""
    run = [sys.executable, "-m", "croupier", *words]
    env = {**os.environ, "PYTHONPATH": str(tree / "src")}
    return {"args": run, "env": env, "stdout": subprocess.PIPE, "text": True}


@contextmanager
def checked_out(commit: str, folder: Path) -> Iterator[Path]:
    """Check an older commit out beside this tree."""
    tree = folder / "older"
    git = ["git", "-C", str(ROOT), "worktree"]
    subprocess.run([*git, "add", "--detach", "--quiet", str(tree), commit], check=True)
    try:
        yield tree
    finally:
        subprocess.run([*git, "remove", "--force", str(tree)], check=True)


@contextmanager
def serving(tree: Path, folder: Path) -> Iterator[Served]:
    """Run the server of a tree."""
    folder.mkdir()
    file = folder / "tables.toml"
    file.write_text(tables(TABLES, bets_s=5))
    run = croupier(
        tree, "serve", "--no-limits", "--port", "0", "--data", str(folder), "--tables", str(file)
    )
    process = subprocess.Popen(**run, stderr=subprocess.DEVNULL)
    assert process.stdout is not None
    try:
        found = re.search(r"http://[\d.:]+", process.stdout.readline())
        assert found, f"the server of {tree} did not start"
        yield Served(tree, process.pid, found[0])
    finally:
        process.terminate()
        process.wait(30)


def turn(server: Served) -> float:
    """Return the CPU time that a command took, in seconds, over one turn."""
    before = cpu_s(server.pid)
    asked = ("bots", server.address, "--seats", str(SEATS), "--seconds", str(TURN_S), "--json")
    run = croupier(server.tree, *asked)
    said = json.loads(subprocess.run(**run, stderr=subprocess.DEVNULL, check=True).stdout)
    return (cpu_s(server.pid) - before) / int(said["commands"])


def compared(older: Path, folder: Path) -> tuple[float, float]:
    """Return the median cost of a command by both trees, taken in turns."""
    seen: dict[Path, list[float]] = {ROOT: [], older: []}
    for number in range(TURNS):
        # Who goes first changes, so that neither always follows the other's turn.
        for tree in (ROOT, older) if number % 2 else (older, ROOT):
            with serving(tree, folder / f"{number}-{tree.name}") as server:
                seen[tree].append(turn(server))
    return statistics.median(seen[ROOT]), statistics.median(seen[older])


def main() -> None:
    if len(sys.argv) < 2:
        raise SystemExit("usage: bench/automatic.py COMMIT [FOLDER]")
    base = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(tempfile.gettempdir())
    with tempfile.TemporaryDirectory(dir=base) as name, checked_out(sys.argv[1], Path(name)) as old:
        now, then = compared(old, Path(name))
    more = now / then - 1
    print(f"CPU a command here           {now * 1e6:8.0f} us")
    print(f"CPU a command at {sys.argv[1][:10]:10}  {then * 1e6:8.0f} us")
    print(f"more by                      {more:8.1%}   ({MOST:.0%} at most, median of {TURNS})")
    raise SystemExit(more > MOST)


if __name__ == "__main__":
    main()
