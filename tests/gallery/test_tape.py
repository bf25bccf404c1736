"""The tape of a desk: the same lines, whether they happened here or are read from the journal."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from croupier.gallery.tape import TAPE_MAX
from croupier.ledger.store import Request, Result, Unsure
from croupier.ledger.stores.sqlite import SqliteStore
from tests.house.felt import FELT, manned, one_round
from tests.house.floor import pit_at
from tests.house.staff import Staff, attended, real
from tests.rules.books import IDS, MARYLAND, SINGAPORE


class Unheard(SqliteStore):
    """A store that doesn't answer to one of its commits."""

    silent = False

    def begin_all(self, requests: Sequence[Request]) -> Callable[[], list[Result]] | None:
        finish = super().begin_all(requests)
        if finish is None:
            return None

        def finished() -> list[Result]:
            results = finish()
            if Unheard.silent:
                Unheard.silent = False
                raise Unsure("nothing was heard")
            return results

        return finished


def lines(desk: dict[str, Any]) -> list[Any]:
    """What a tape says; a process notes the second in which it hears of something."""
    return [(one["n"], one["who"], one["says"], one["clause"]) for one in desk["tape"]]


@pytest.mark.parametrize("id", IDS)
def test_a_tape_is_the_same_after_a_restart(tmp_path: Path, id: str) -> None:
    async def main() -> None:
        config = real(id, FELT)
        async with pit_at(tmp_path / "ledger.db", config) as pit:
            players, staff, shoe = await manned(pit, 2, 3)
            await one_round(pit, players, staff, shoe)
            before = lines(await staff[0].look())
            assert 30 < len(before) <= TAPE_MAX
        async with pit_at(tmp_path / "ledger.db", config) as pit:
            assert lines(await Staff(pit, "d1", "dealer").look()) == before

    asyncio.run(main())


def test_what_was_stored_unheard_is_on_the_tape_once(tmp_path: Path) -> None:
    async def main() -> None:
        config = attended(MARYLAND)
        async with pit_at(tmp_path / "ledger.db", config, opens=Unheard) as pit:
            dealer = Staff(pit, "d1", "dealer")
            await dealer.say("tap_in", post="dealer")
            Unheard.silent = True
            with pytest.raises(Unsure):
                await dealer.do({"type": "OpenTable", "sign": ""}, "table")
            await dealer.say("tap_out")
            told = lines(await dealer.look())
            assert [line[0] for line in told] == sorted({line[0] for line in told})
            says = ["Tapped in: dealer.", "Table opened.", "Tapped out."]
            assert [line[2] for line in told] == says
            assert [line[1] for line in told] == [["d1"]] * 3

    asyncio.run(main())


def test_a_tape_begins_anew_with_other_rules(tmp_path: Path) -> None:
    """Clauses that were confirmed by another book aren't looked up in this one."""

    async def main() -> None:
        async with pit_at(tmp_path / "ledger.db", real(MARYLAND, FELT)) as pit:
            players, staff, shoe = await manned(pit, 2)
            await one_round(pit, players, staff, shoe)
        async with pit_at(tmp_path / "ledger.db", real(SINGAPORE, FELT)) as pit:
            assert lines(await Staff(pit, "d1", "dealer").look()) == []

    asyncio.run(main())
