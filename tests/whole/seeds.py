"""Many seeds of a simulated house: `python -m tests.whole --hours 8 --seeds 100`.

With `--out FILE`, each seed that is done is a line of JSON there, and the next run goes on after
them. A line names the code that it was made by. With `--again`, the seeds that this code made there
are simulated once more, and must come out the same.
"""

import argparse
import gc
import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any, NamedTuple

from croupier.server.doorway import GARBAGE
from tests.rules.books import ROOT
from tests.whole.house import MUST, PEOPLE_S, house_of, simulate

REACHED_MIN = 10
"""How often a run must reach each of the states that it must reach."""
CODE = (
    *(f"src/croupier/**/*.{ending}" for ending in ("py", "toml", "sql")),
    *("tests/whole/*.py", "tests/server/durability/tables.py"),
)
"""The files that determine a seed's outcome."""
Line = dict[str, Any]


class Size(NamedTuple):
    """The size of a house, and for how long it is simulated."""

    hours: float
    tables: int
    seats: int
    nodes: int


def code() -> str:
    """Return the digest of the simulated code: a seed repeats itself only on the same code."""
    files = sorted(file for pattern in CODE for file in ROOT.glob(pattern))
    return sha256(b"".join(sha256(file.read_bytes()).digest() for file in files)).hexdigest()[:12]


def simulated(size: Size, seed: int) -> Line:
    """Simulate one seed; return the line with its outcome."""
    gc.freeze()
    gc.set_threshold(*GARBAGE)  # As servers do.
    began_s, made_by = time.process_time(), code()
    outcome = simulate(
        house_of(size.tables),
        str(seed),
        hours=size.hours,
        nodes=size.nodes,
        seats=size.seats,
        think_s=PEOPLE_S,
    )
    return {
        "seed": seed,
        "code": made_by,
        **size._asdict(),
        "digest": outcome.digest,
        "findings": outcome.findings,
        "simulated_s": round(outcome.simulated_s, 3),
        "took_s": round(outcome.took_s, 3),
        "cpu_s": round(time.process_time() - began_s, 3),
        "acknowledged": outcome.acknowledged,
        "frames": outcome.frames,
        "reached": {_name(state): count for state, count in sorted_by_name(outcome.reached)},
    }


def sorted_by_name(reached: Counter[object]) -> list[tuple[object, int]]:
    return sorted(reached.items(), key=lambda pair: _name(pair[0]))


def _name(state: object) -> str:
    return " ".join(str(part) for part in state) if isinstance(state, tuple) else str(state)


def all_simulated(size: Size, seeds: Iterable[int], workers: int) -> Iterator[Line]:
    """Yield the lines of seeds as they finish; each has a process of its own."""
    spawn = get_context("spawn")
    with ProcessPoolExecutor(workers, mp_context=spawn, max_tasks_per_child=1) as pool:
        for done in as_completed(pool.submit(simulated, size, seed) for seed in seeds):
            yield done.result()


def said(line: Line) -> str:
    """Return the outcome of a seed as one readable line."""
    reached = line["reached"]
    faults = {name[6:]: count for name, count in reached.items() if name.startswith("fault ")}
    return (
        f"seed {line['seed']}: {line['simulated_s'] / 3600:.2f} h in {line['took_s']:.0f} s "
        f"(x {line['simulated_s'] / line['took_s']:.0f}), {line['cpu_s']:.0f} s of CPU "
        f"(x {line['simulated_s'] / line['cpu_s']:.0f}), "
        f"{line['acknowledged']:,} acknowledged, {line['frames']:,} frames, "
        f"{len(reached)} states reached, faults {faults}, "
        f"{reached.get('taken up', 0)} times a table was taken up, "
        f"{len(line['findings'])} findings {line['findings'][:3]}, {line['digest'][:16]} by code "
        f"{line['code']}"
    )


def summary(lines: Iterable[Line], *, least: int = REACHED_MIN) -> tuple[str, bool]:
    """Return the outcome of all seeds, and whether all is well."""
    lines, reached = list(lines), Counter[str]()
    for line in lines:
        reached.update(line["reached"])
    simulated_s, took_s, cpu_s = (
        max(sum(line[key] for line in lines), 1e-9) for key in ("simulated_s", "took_s", "cpu_s")
    )
    found = [f"seed {line['seed']}: {one}" for line in lines for one in line["findings"]]
    seldom = [f"{state}: {reached[state]}" for state in MUST if reached[state] < least]
    words = (
        f"{len(lines)} seeds, {simulated_s / 3600:.1f} simulated hours in {took_s / 3600:.2f} h "
        f"(x {simulated_s / took_s:.0f}), {cpu_s / 3600:.2f} h of CPU "
        f"(x {simulated_s / cpu_s:.0f}), "
        f"{sum(line['acknowledged'] for line in lines):,} acknowledged, {len(reached)} states "
        f"reached, {len(found)} findings"
    )
    made = Counter(line["code"] for line in lines)
    words += "".join(f"\nby code {code}: {count} seeds" for code, count in made.items())
    words += "".join(f"\n{state}: {reached[state]}" for state in MUST)
    words += "".join(f"\nfound: {one}" for one in found)
    words += "".join(f"\nreached less than {least} times: {one}" for one in seldom)
    return words, not found and not seldom


def lines_of(file: Path, size: Size) -> dict[int, Line]:
    """Return the lines of finished seeds for a house of this size."""
    texts = file.read_text().splitlines() if file.exists() else []
    lines = [json.loads(text) for text in texts]
    others = [line for line in lines if Size(*(line[key] for key in Size._fields)) != size]
    if others:
        raise SystemExit(f"{file} has seeds of another house; take another file")
    return {line["seed"]: line for line in lines}


def main() -> int:
    """Print the outcome of each seed and of all; exit with 1 if anything was found or missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=8.0)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--seats", type=int, default=7)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--least", type=int, default=REACHED_MIN)
    given = parser.parse_args()
    size = Size(given.hours, given.tables, given.seats, given.nodes)
    seeds = range(given.first, given.first + given.seeds)
    known = lines_of(given.out, size) if given.out else {}
    lines = {seed: known[seed] for seed in seeds if seed in known}
    if given.again:
        wanted = [seed for seed, line in lines.items() if line["code"] == code()]
    else:
        wanted = [seed for seed in seeds if seed not in lines]
    for line in all_simulated(size, wanted, given.workers):
        print(said(line), flush=True)
        before = lines.get(line["seed"], line)
        if before["digest"] != line["digest"]:
            line["findings"].append("it came out differently from before")
        elif given.out and not given.again:
            with given.out.open("a") as file:
                file.write(json.dumps(line) + "\n")
        lines[line["seed"]] = line
    words, is_well = summary(lines.values(), least=given.least)
    print(words)
    return 0 if is_well else 1
