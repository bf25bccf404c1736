"""A table is the same whether taken up from its snapshot or from its whole journal."""

import asyncio
import json
from functools import partial
from pathlib import Path

import pytest

from croupier.house import table as house_table
from croupier.house.config import Config
from croupier.house.keeping import Recalled, as_kept, to_keep
from croupier.house.recall import recall, wrong_standings
from croupier.ledger.journal import Head
from croupier.ledger.scribe import Scribe
from croupier.ledger.store import Kept, View
from croupier.ledger.stores.protocol import Store
from croupier.ledger.verify import KEPT, verify
from tests.house.floor import OpenPit, one_table, pit_at, play, rules_of
from tests.house.staff import crew as people
from tests.house.test_table import SELECTED
from tests.house.test_turns import two_rounds
from tests.rules.books import IDS, MARYLAND


class Without:
    """A ledger without snapshots."""

    def __init__(self, view: View) -> None:
        self._view = view

    def __getattr__(self, name: str) -> object:
        return getattr(self._view, name)

    def kept(self) -> dict[str, Kept]:
        return {}


def facts(recalled: Recalled) -> tuple[object, ...]:
    """Return everything that a table goes on from."""
    auditor = recalled.scribe.auditor
    head, posting = recalled.scribe.head, auditor.posting
    return (*recalled[:2], recalled.rounds, head, auditor.rules, auditor.setting, posting)


def kept_in(view: View) -> dict[str, Kept]:
    return view.kept()


async def until_kept(pit: OpenPit) -> None:
    """Wait until all snapshots under way are stored."""
    last = pit.tables["t"].kept
    while last not in {k.head.number for k in (await pit.books.read(kept_in)).values()}:
        await asyncio.sleep(0.001)


@pytest.mark.parametrize("id", IDS)
def test_a_table_is_taken_up_from_where_it_is_kept(
    id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house_table, "KEEP_EVERY", 1)

    async def scenario(pit: OpenPit) -> None:
        await two_rounds(pit)
        await until_kept(pit)
        with pit.books.store.reading() as view:
            kept = view.kept()["t"]
            assert 0 < kept.head.number < view.heads()["t"].number
            quick = recall(view, "t", rules_of)
            whole = recall(Without(view), "t", rules_of)  # type: ignore[arg-type]
            assert quick.kept == kept.head.number and whole.kept == 0
            assert facts(quick) == facts(whole)
            assert quick.standing == pit.tables["t"].place.standing
            assert to_keep(as_kept("t", rules_of, kept)) == kept
            found = verify(view, rules_of, standings=partial(wrong_standings, rules_of=rules_of))
            assert KEPT in found.proved and not found.faults

    play(tmp_path, one_table(id, SELECTED.get(id, "")), scenario)


def test_what_is_kept_wrongly_is_found_and_what_is_of_another_journal_is_not_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(house_table, "KEEP_EVERY", 1)

    async def scenario(pit: OpenPit) -> None:
        await two_rounds(pit)
        await until_kept(pit)
        store = pit.books.store
        with store.reading() as view:
            head, data = view.kept()["t"]
        changed = json.loads(data)
        changed["table"]["seats"]["7"] = "a thief"
        with store.writing() as session:
            session.run("UPDATE standings SET data = ?", (json.dumps(changed),))
        with store.reading() as view:
            found = verify(view, rules_of, standings=partial(wrong_standings, rules_of=rules_of))
            assert (
                f"the snapshot of t at event {head.number} differs from its journal" in found.faults
            )
            left_out = verify(view, rules_of)
            assert any(KEPT in one for one in left_out.unproved) and not left_out.faults
        store.keep("t", Kept(Head(head.number - 1, head.hash), data))
        with store.reading() as view:
            assert view.kept()["t"].head == head, "something later is kept"
        with store.writing() as session:
            session.run("UPDATE standings SET hash = ?", ("00" * 32,))
        with store.reading() as view:
            assert recall(view, "t", rules_of).kept == 0

    play(tmp_path, one_table(MARYLAND), scenario)


@pytest.mark.parametrize(
    ("crew", "faults"),
    [
        ({"dealer": "d1", "clerk": "", "floor": "f1"}, 0),
        ({"dealer": "", "clerk": "", "floor": ""}, 0),
        ({"dealer": "a thief", "clerk": "", "floor": "f1"}, 1),
    ],
    ids=["as today", "as older versions kept it", "changed"],
)
def test_where_a_table_stood_under_other_rules_verifies(
    tmp_path: Path, crew: dict[str, str], faults: int
) -> None:
    def at(limits: str) -> Config:
        return one_table(MARYLAND, f"limits = {{ ante = {limits} }}", more='things = ["dealer"]')

    async def main() -> None:
        async with pit_at(tmp_path / "ledger.db", at("[5, 100]")) as pit:
            await people(pit)
        async with pit_at(tmp_path / "ledger.db", at("[10, 100]")) as pit:
            store = pit.books.store
            with store.reading() as view:
                kept = to_keep(recall(view, "t", rules_of))
            assert kept is not None
            data = json.loads(kept.data)
            data["table"]["crew"] = crew
            store.keep("t", Kept(kept.head, json.dumps(data)))
            with store.reading() as view:
                assert len([*wrong_standings(view, rules_of)]) == faults

    asyncio.run(main())


def test_a_table_is_kept_no_more_often_than_needed(tmp_path: Path) -> None:
    async def scenario(pit: OpenPit) -> None:
        await two_rounds(pit)
        assert await pit.books.read(lambda view: view.kept()) == {}
        assert to_keep(Recalled(None, None, Scribe("t", rules_of), 0)) is None

    play(tmp_path, one_table(MARYLAND), scenario)


def test_both_databases_keep_the_latest(store: Store) -> None:
    with store.reading() as view:
        assert view.kept() == {}
    for number in (5, 9, 7):
        store.keep("t", Kept(Head(number, bytes([number]) * 32), f"é {number}"))
    store.keep("u", Kept(Head(1, bytes(32)), "{}"))
    with store.reading() as view:
        assert view.kept() == {
            "t": Kept(Head(9, bytes([9]) * 32), "é 9"),
            "u": Kept(Head(1, bytes(32)), "{}"),
        }
