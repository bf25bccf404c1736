"""A process that serves a felt is killed, and the next one goes on where the journal stands."""

import asyncio
import subprocess
import sys
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import pytest

from croupier.house.desk import desk_of
from croupier.ledger.audit import Posted
from croupier.ledger.verify import verify
from tests.house.floor import pit_at, rules_of
from tests.house.killed import CONFIG, desks_of, shift

ROOT = Path(__file__).parents[2]
KILLED = -9


class Undisturbed(NamedTuple):
    """A shift that nothing happened to: its desks by event, its entries, its commits."""

    desks: dict[int, Any]
    entries: list[Posted]
    commits: int


@cache
def undisturbed() -> Undisturbed:
    async def run(file: Path) -> Undisturbed:
        async with pit_at(file, CONFIG) as pit:
            desks = desks_of(pit.tables["t"])
            await shift(pit)
            entries = await pit.books.read(lambda view: [*view.posted("t")])
            return Undisturbed(desks, entries, pit.books.commits.done)

    with TemporaryDirectory() as folder:
        return asyncio.run(run(Path(folder) / "ledger.db"))


def killed(file: Path, commits: int, *words: str) -> None:
    command = [sys.executable, "-m", "tests.house.killed", str(file), str(commits), *words]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, check=False, timeout=300)
    assert ended.returncode == KILLED, ended.stderr.decode()[-2000:]


async def restarted(file: Path) -> int:
    """Take the table up in another process, compare it, and return its last event."""
    whole = undisturbed()
    async with pit_at(file, CONFIG) as pit:
        table = pit.tables["t"]
        number = table.number
        same = desk_of(table.place.standing) == whole.desks[number]
        assert same, f"the desk says something else after event {number}"
        entries = await pit.books.read(lambda view: [*view.posted("t")])
        assert entries == [one for one in whole.entries if one.number <= number]
        found = await pit.books.read(lambda view: verify(view, rules_of))
        assert found.faults == () and sum(pit.books.balances().values()) == 0
    return number


def check(folder: Path, commits: int) -> None:
    """Kill a process after a commit, and another in the middle of it."""
    after, midst = folder / f"{commits}.db", folder / f"{commits}-midst.db"
    killed(after, commits)
    killed(midst, commits, "midst")
    stored, lost = asyncio.run(restarted(after)), asyncio.run(restarted(midst))
    assert lost <= stored


def test_a_shift_goes_on_after_a_kill(tmp_path: Path) -> None:
    """The desk says the same next step, and the money is exact."""
    commits = undisturbed().commits
    for part in (0.5, 0.9):
        check(tmp_path, int(commits * part))


@pytest.mark.long
def test_a_shift_goes_on_after_a_kill_at_every_commit(tmp_path: Path) -> None:
    for commits in range(1, undisturbed().commits + 1):
        check(tmp_path, commits)
