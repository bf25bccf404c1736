"""D1: what was acknowledged survives `kill -9` of the real server, on SQLite."""

from pathlib import Path

import pytest

from tests.server.durability.houses import House
from tests.server.durability.killing import PARTS, Outcome, killed
from tests.server.durability.tables import tables_text


def run(folder: Path, kills: int, mutant: str = "", *, part: str = "") -> Outcome:
    with House(folder, tables_text(), mutant=mutant) as house:
        outcome = killed(house, kills, seed=f"sqlite {kills} {mutant}{part}")
    print(f"kill -9, SQLite {mutant}: {outcome}")
    return outcome


def test_nothing_acknowledged_is_lost_to_kills(tmp_path: Path) -> None:
    outcome = run(tmp_path, 20)
    assert outcome.faults == []
    assert outcome.kills == 20 < outcome.acknowledged
    assert outcome.rounds > 20 and outcome.compared > 0 and outcome.rises > 5


@pytest.mark.long
@pytest.mark.parametrize("part", PARTS)
def test_nothing_acknowledged_is_lost_to_many_kills(tmp_path: Path, part: str) -> None:
    outcome = run(tmp_path, 100, part=part)
    assert outcome.faults == []
    assert outcome.kills == 100 < outcome.acknowledged


@pytest.mark.parametrize("mutant", ["hasty", "forgetful"])
def test_the_kills_find_a_server_that_lies(tmp_path: Path, mutant: str) -> None:
    assert run(tmp_path, 12, mutant).faults != []
