"""Acknowledged commands, cards and money survive whatever happens to servers of one house."""

import asyncio
from pathlib import Path

import pytest

from tests.ledger.servers import new_database
from tests.server.machines.nemesis import Machines, Outcome, afflicted


def run(folder: Path, server: str, *, servers: int, faults: int, mutant: str = "") -> Outcome:
    machines = Machines(folder, new_database(server), servers, mutant=mutant)
    outcome = asyncio.run(afflicted(machines, faults, seed=f"{servers} {mutant}"))
    print(f"nemesis, {servers} servers {mutant}: {outcome}")
    return outcome


@pytest.mark.parametrize(("servers", "faults"), [(2, 8), (3, 12)])
def test_nothing_is_lost_among_servers(
    tmp_path: Path, server: str, servers: int, faults: int
) -> None:
    outcome = run(tmp_path, server, servers=servers, faults=faults)
    assert outcome.findings == []
    assert outcome.faults == faults < outcome.taken_up
    assert outcome.acknowledged > 4 * faults and outcome.cards > faults


@pytest.mark.long
def test_nothing_is_lost_in_a_thousand_faults(tmp_path: Path, server: str) -> None:
    outcome = run(tmp_path, server, servers=3, faults=1_000)
    assert outcome.findings == [] and outcome.faults == 1_000
