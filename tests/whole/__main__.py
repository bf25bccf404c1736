"""Simulate a whole house on many seeds: `python -m tests.whole --hours 8 --seeds 100`."""

import argparse
from collections import Counter

from tests.whole.house import PEOPLE_S, house_of, simulate


def main() -> int:
    """Print what came of each seed, and of all; exit with 1 if anything was found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hours", type=float, default=8.0)
    parser.add_argument("--tables", type=int, default=20)
    parser.add_argument("--seats", type=int, default=7)
    parser.add_argument("--nodes", type=int, default=3)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first", type=int, default=1)
    given = parser.parse_args()
    house, reached, found = house_of(given.tables), Counter[object](), 0
    simulated_s = took_s = 0.0
    for seed in range(given.first, given.first + given.seeds):
        outcome = simulate(
            house,
            str(seed),
            hours=given.hours,
            nodes=given.nodes,
            seats=given.seats,
            think_s=PEOPLE_S,
        )
        print(outcome, flush=True)
        reached += outcome.reached
        found += len(outcome.findings)
        simulated_s, took_s = simulated_s + outcome.simulated_s, took_s + outcome.took_s
    print(
        f"{given.seeds} seeds, {simulated_s / 3600:.1f} simulated hours in {took_s / 3600:.2f} h "
        f"(x {simulated_s / took_s:.0f}), {len(reached)} states reached, {found} findings"
    )
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
