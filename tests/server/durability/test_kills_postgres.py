"""D1: what was acknowledged survives `kill -9` of the real server, on PostgreSQL."""

from pathlib import Path

import pytest

from tests.ledger.servers import new_database
from tests.server.durability.houses import House
from tests.server.durability.killing import PARTS, Outcome, killed
from tests.server.durability.tables import tables_text


def run(folder: Path, server: str, *, kills: int, mutant: str = "", part: str = "") -> Outcome:
    database = new_database(server)
    hurried = f"hurried {mutant}".strip()  # After each kill, the leases of the dead must expire.
    with House(folder, tables_text(), database=database, mutant=hurried) as house:
        outcome = killed(house, kills, seed=f"postgres {kills} {mutant}{part}")
    print(f"kill -9, PostgreSQL {mutant}: {outcome}")
    return outcome


def test_nothing_acknowledged_is_lost_to_kills(tmp_path: Path, server: str) -> None:
    outcome = run(tmp_path, server, kills=20)
    assert outcome.faults == []
    assert outcome.kills == 20 < outcome.acknowledged
    assert outcome.rounds > 20 and outcome.compared > 0


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_nothing_acknowledged_is_lost_to_many_kills(tmp_path: Path, server: str, part: str) -> None:
    outcome = run(tmp_path, server, kills=100, part=part)
    assert outcome.faults == []
    assert outcome.kills == 100 < outcome.acknowledged


@pytest.mark.parametrize("mutant", ["hasty", "forgetful"])
def test_the_kills_find_a_server_that_lies(tmp_path: Path, server: str, mutant: str) -> None:
    assert run(tmp_path, server, kills=12, mutant=mutant).faults != []
