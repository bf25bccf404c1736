"""Acknowledged commands, cards and money survive whatever happens to servers of one house."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.durability.databases import Database, database
from tests.server.machines.nemesis import Machines, Outcome, afflicted


@pytest.fixture(scope="module")
def own_database() -> Iterator[Database]:
    with database() as made:
        yield made


def run(
    folder: Path,
    own: Database,
    *mutants: str,
    servers: int,
    faults: int,
    only: str | None = None,
) -> Outcome:
    machines = Machines(folder, own, servers, mutants=mutants)
    seed = " ".join((str(servers), *mutants))
    outcome = asyncio.run(afflicted(machines, faults, seed=seed, only=only))
    print(f"nemesis, {servers} servers {' '.join(mutants)}: {outcome}")
    return outcome


@pytest.mark.parametrize(("servers", "faults"), [(2, 8), (3, 12)])
def test_nothing_is_lost_among_servers(
    tmp_path: Path, own_database: Database, servers: int, faults: int
) -> None:
    outcome = run(tmp_path, own_database, servers=servers, faults=faults)
    assert outcome.findings == []
    assert outcome.faults == faults < outcome.taken_up
    assert outcome.acknowledged > 4 * faults and outcome.cards > faults
    assert outcome.revealed > faults // 2, "the players' cut is made under faults too"
    assert outcome.contributed > faults // 2, "and meters rise"


@pytest.mark.long
def test_nothing_is_lost_in_a_thousand_faults(tmp_path: Path, own_database: Database) -> None:
    outcome = run(tmp_path, own_database, servers=3, faults=1_000)
    assert outcome.findings == [] and outcome.faults == 1_000


@pytest.mark.long
@pytest.mark.parametrize(
    ("mutants", "only"),
    [
        (("stubborn",), "freeze"),  # An owner that doesn't step down.
        (("numbered",), "freeze"),  # A fence by number only.
        (("unlocked",), "nap"),  # No lock on leases, and no limit to how long a transaction waits.
    ],
)
def test_the_faults_find_a_house_without_a_part_of_its_fence(
    tmp_path: Path, own_database: Database, mutants: tuple[str, ...], only: str
) -> None:
    assert run(tmp_path, own_database, *mutants, servers=2, faults=10, only=only).findings != []


@pytest.mark.long
@pytest.mark.parametrize("mutant", ["patient", "hurried"])
def test_a_lock_without_a_limit_keeps_a_house_right_but_waiting(
    tmp_path: Path, own_database: Database, mutant: str
) -> None:
    machines = Machines(tmp_path, own_database, 2, mutants=(mutant,))
    machines.sleeps_s = 6
    outcome = asyncio.run(afflicted(machines, 4, seed=mutant, only="nap"))
    assert outcome.findings == [] and machines.naps > 0
    assert (machines.kept > 0) == (mutant == "patient"), "a take-over waits until it wakes"
