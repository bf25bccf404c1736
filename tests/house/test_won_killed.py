"""P7: a process that is really killed during an award loses nothing and pays nothing twice."""

import asyncio
import multiprocessing
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.verify import verify
from tests.house.floor import one_table, pit_at, rules_of
from tests.house.staff import SELECTIONS, Staff
from tests.house.test_won import METER, PAY, SETTLE, Pit, at_the_win
from tests.rules.books import MARYLAND

MORE = "witnessed = 500"
APPENDS = ("found", "proposed", "approved", "paid")
"""What the appends of an award store, in order."""


def killed(folder: Path, at: int, *, stored: bool) -> None:
    """Go through an award, and be killed at one of its appends: before or after it is stored."""
    patch, committed, appends = pytest.MonkeyPatch(), SqliteStore.committed, 0

    def dies(store: SqliteStore, results: list[Any]) -> list[Any]:
        nonlocal appends
        is_last, appends = appends == at, appends + 1
        if is_last and not stored:
            os.kill(os.getpid(), signal.SIGKILL)
        answer = committed(store, results)
        if is_last:
            os.kill(os.getpid(), signal.SIGKILL)
        return answer

    async def scenario(table: Pit) -> None:
        patch.setattr(SqliteStore, "committed", dies)
        await award(table)

    at_the_win(folder, patch, scenario, more=MORE)


async def award(table: Pit) -> None:
    """Go through an award from wherever it stands, until the round is over."""
    if not table.round.awards:
        await table.dealer.do(SETTLE)
    if any(not one.answer for one in table.round.awards.values()):
        if not table.pit.tables["t"].place.standing.table.proposals:
            await table.floor.say("propose", of="round", command=PAY, why="seen")
        await table.eye.say("approve", proposal="1")
    await table.finish()


def gone_on(folder: Path, at: int, *, stored: bool) -> tuple[object, ...]:
    """Open the house again, go on, and return who holds what in the end."""
    config = one_table(MARYLAND, SELECTIONS[MARYLAND], more=f'things = ["dealer"]\n{MORE}')
    held: list[object] = []

    async def main() -> None:
        async with pit_at(folder / "ledger.db", config) as pit:
            table = Pit(pit)
            table.dealer, table.floor = Staff(pit, "d1", "dealer"), Staff(pit, "f1", "floor")
            table.eye = Staff(pit, "s1", "surveillance")
            for one in (table.dealer, table.floor, table.eye):
                one.number = 100  # A new session has new command ids.
            there = APPENDS[: at + stored]
            pending = f"pending:{table.round.id}/2/progressive"
            waits = "found" in there and "paid" not in there
            assert (table.micros(pending) > 0) == waits
            await award(table)
            assert table.micros(pending) == 0
            types = [record.event["type"] for record in await table.records()]
            assert [types.count(one) for one in ("AwardFound", "Validated", "Closed")] == [1, 1, 1]
            found = await pit.books.read(lambda view: verify(view, rules_of))
            assert found.faults == ()
            held.extend([table.cents("p2"), table.micros(METER), table.micros("inventory:t")])

    asyncio.run(main())
    return tuple(held)


def test_a_process_killed_at_any_append_of_an_award_pays_it_once(tmp_path: Path) -> None:
    processes = multiprocessing.get_context("forkserver")
    processes.set_forkserver_preload([__name__])
    ends = set()
    for at, name in enumerate(APPENDS):
        for stored in (False, True):
            folder = tmp_path / f"{name}-{stored}"
            folder.mkdir()
            child = processes.Process(target=killed, args=(folder, at), kwargs={"stored": stored})
            child.start()
            child.join(60)
            assert child.exitcode == -signal.SIGKILL
            ends.add(gone_on(folder, at, stored=stored))
    assert len(ends) == 1, "the money ends up alike, whenever the process died"
