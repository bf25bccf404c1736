"""Two processes of one house on one database: who works where, and whose files were changed."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path
from shutil import copytree
from typing import Any

import pytest

from croupier.errors import Refused
from croupier.gallery.outbox import Viewer
from croupier.house import leases, open_tables
from croupier.house.books import Books
from croupier.house.build import Build, approve_build
from croupier.house.config import Config, parse_config
from croupier.house.keeping import Recalled
from croupier.house.keys import Keys
from croupier.house.pit import Pit
from croupier.house.recall import recall
from croupier.ledger.acts import HOUSE_STREAM, BuildChecked, KeysSet, acts_in
from croupier.ledger.audit import RulesOf
from croupier.ledger.checkpoints import public_key
from croupier.ledger.store import View
from croupier.ledger.stores import leasing
from croupier.ledger.stores.jotting import begin_journal
from croupier.ledger.stores.leasing import TAKE_FLOOR
from croupier.ledger.stores.postgres import PostgresStore
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.tenure import heir
from tests.house.floor import KEY, answered, rules_of
from tests.house.test_build import TIME, one_byte, package
from tests.ledger.servers import new_database
from tests.rules.books import LET_IT_RIDE, MARYLAND

__all__ = ["package"]
SECRET = bytes(range(32))
LATER_S = 120.0
"""How long a busy machine may take for what only has to happen at some time."""

pytestmark = pytest.mark.usefixtures("unhurried")


def house(*ids: str, things: str = "[]") -> Config:
    """A house of two tables, with one table for a floorperson."""
    tables = zip(ids, (MARYLAND, LET_IT_RIDE), strict=True)
    text = "floor_tables = 1\n" + "".join(
        f'[[table]]\nid = "{id}"\nrulebook = "{book}"\nthings = {things}\n' for id, book in tables
    )
    return parse_config(text, rules_of)


@asynccontextmanager
async def two_pits(
    url: str, *builds: Build, things: str = "[]"
) -> AsyncIterator[tuple[Pit, Pit, list[str]]]:
    """Two processes, each with one of the two tables of a house; the builds are their files."""
    stores = [PostgresStore(url, make=True, node="") for _ in range(2)]
    nodes = [store.tenure.name for store in stores]
    ids = [next(id for n in count() if heir(id := f"t-{n}", nodes) == node) for node in nodes]
    config = house(*ids, things=things)
    books = [Books(store, KEY) for store in stores]
    files = builds or (None, None)
    open = [
        Pit(config, one, rules_of, nodes=2, build=build)
        for one, build in zip(books, files, strict=True)
    ]
    await asyncio.gather(*(pit.start(deals=False) for pit in open))
    try:
        yield open[0], open[1], ids
    finally:
        await asyncio.gather(*(pit.stop() for pit in open))
        for one, store in zip(books, stores, strict=True):
            one.close()
            store.close()


ASKED = count()


async def tap(pit: Pit, id: str, person: str, *, out: bool = False) -> dict[str, Any]:
    """Tap in as the floorperson of a table, or out, and return the answer."""
    table, viewer = pit.tables[id], Viewer(person, person, plays=False)
    viewer.roles = frozenset({"floor"})
    asks = {"type": "tap_out"} if out else {"type": "tap_in", "post": "floor"}
    text = json.dumps({**asks, "id": f"{table.id}-{person}-{next(ASKED)}"})
    said: dict[str, Any] = json.loads(await answered(table, viewer, text))
    return said


def test_a_floorperson_has_so_many_tables_whichever_processes_have_them(server: str) -> None:
    async def main() -> None:
        async with two_pits(new_database(server), things='["dealer"]') as (one, other, ids):
            assert [[*pit.tables] for pit in (one, other)] == [[id] for id in ids]
            assert (await tap(one, ids[0], "f1"))["type"] == "done"
            refused = await tap(other, ids[1], "f1")
            assert (refused["type"], refused["code"]) == ("refused", "too_many_tables")
            assert (await tap(one, ids[0], "f2"))["type"] == "done", "a handover is proposed"
            assert (await tap(other, ids[1], "f2"))["code"] == "too_many_tables"
            with other.books.store.tenure.connected() as connection:  # type: ignore[attr-defined]
                connection.execute(TAKE_FLOOR, ("a-table-that-is-gone", "f3"))
            assert (await tap(other, ids[1], "f3"))["type"] == "done"

    asyncio.run(main())


async def tap_at_one_instant(places: list[tuple[Pit, str]], person: str) -> None:
    """Tap in at two tables, of which one is allowed, and out again."""
    said = await asyncio.gather(*(tap(*place, person) for place in places))
    assert sorted(frame["type"] for frame in said) == ["done", "refused"], said
    (there,) = [place for place, frame in zip(places, said, strict=True) if "v" in frame]
    assert (await tap(*there, person, out=True))["type"] == "done"


def test_of_two_taps_at_one_instant_one_is_refused(server: str) -> None:
    async def main() -> None:
        async with two_pits(new_database(server), things='["dealer"]') as (one, other, ids):
            for turn in range(10):
                await tap_at_one_instant([(one, ids[0]), (other, ids[1])], f"f{turn}")
            assert (await tap(one, ids[0], "f1"))["type"] == "done"
            await one.leases.drain()
            async with asyncio.timeout(LATER_S):
                while {*other.tables} != {*ids}:
                    await asyncio.sleep(0.02)
            refused = await tap(other, ids[1], "f1")
            assert refused["code"] == "too_many_tables", "the table counts for its next owner"
            assert (await tap(other, ids[0], "f1", out=True))["type"] == "done"
            for _ in range(5):
                await tap_at_one_instant([(other, id) for id in ids], "f1")

    asyncio.run(main())


def test_every_process_knows_who_sits_at_a_table(server: str) -> None:
    async def main() -> None:
        async with two_pits(new_database(server), things='["dealer"]') as (one, other, ids):
            table = one.tables[ids[0]]
            assert await other.everywhere.seated_at(table.id) == frozenset()
            await one.cage.fill("p1", 1_000_00)
            text = json.dumps({"type": "sit", "id": "1", "seat": 3})
            said = json.loads(await answered(table, Viewer("p1", "p1"), text))
            assert said["type"] == "done", said
            assert await other.everywhere.seated_at(table.id) == {"p1"}
            assert (await other.everywhere.states())[table.id].seats == {3: "p1"}

    asyncio.run(main())


@pytest.mark.parametrize("shared", [False, True])
def test_a_table_that_cannot_be_opened_keeps_no_other_closed(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, shared: bool
) -> None:
    broken = {"t-1"}

    def recalled(view: View, stream: str, rules_of: RulesOf) -> Recalled:
        if stream in broken:
            raise ValueError("a journal that nobody can read")
        return recall(view, stream, rules_of)

    monkeypatch.setattr(open_tables, "recall", recalled)
    url, file = new_database(server), tmp_path / "ledger.db"

    async def main() -> None:
        store: Store = (
            PostgresStore(url, make=True, node="") if shared else SqliteStore(file, make=True)
        )
        books = Books(store, KEY)
        pit = Pit(house("t-1", "t-2"), books, rules_of)
        await pit.start(deals=False)
        assert [*pit.tables] == ["t-2"]
        with pytest.raises(Refused, match="could not be opened"):
            pit.closed.check("t-1")
        if shared:
            assert "t-1" not in store.tenure.owned, "another process may be able to"
            broken.clear()
            monkeypatch.setattr(leases, "BROKEN_MS", 0)
            async with asyncio.timeout(LATER_S):
                while not pit.has("t-1"):
                    await asyncio.sleep(0.05)
        await pit.stop()
        books.close()
        store.close()

    asyncio.run(main())


def sql(pit: Pit, text: str, *values: object) -> list[Any]:
    with pit.books.store.tenure.connected() as connection:  # type: ignore[attr-defined]
        found = connection.execute(text, values)
        return list(found.fetchall()) if found.description else []


def test_a_process_that_lost_an_idle_table_unawares_stops_showing_it(server: str) -> None:
    async def main() -> None:
        async with two_pits(new_database(server)) as (one, other, (three, _)):
            taken = "UPDATE leases SET node = %s, epoch = epoch + 1 WHERE stream = %s"
            sql(one, taken, other.tenure.name, three)
            async with asyncio.timeout(LATER_S):
                while one.has(three) or not other.has(three):
                    await asyncio.sleep(0.02)
            assert three not in one.tables and three not in one.tenure.owned

    asyncio.run(main())


@pytest.mark.parametrize("hint", [leasing.HINT, "SELECT 1"])
def test_a_table_is_handed_over_at_once_and_within_a_second_if_the_hint_is_lost(
    server: str, monkeypatch: pytest.MonkeyPatch, hint: str
) -> None:
    """Requests meanwhile wait three seconds before they are refused."""
    assert leases.LOOK_S <= 1
    monkeypatch.setattr(leasing, "HINT", hint)
    if hint.startswith("NOTIFY"):  # Nobody looks without it.
        monkeypatch.setattr(leases, "LOOK_S", 2 * LATER_S)

    async def main() -> None:
        async with two_pits(new_database(server)) as (one, other, (three, _)):
            draining = asyncio.create_task(one.leases.drain())
            async with asyncio.timeout(LATER_S):
                while three not in other.tables:
                    await asyncio.sleep(0.005)
            await draining
            await asyncio.sleep(1.2)
            assert not one.tables, "who drains takes nothing back"

    asyncio.run(main())


def test_after_a_failover_every_table_is_soon_somebodys_and_stays_there(server: str) -> None:
    """Leases of another timeline are nobody's, although their owners are alive."""

    async def main() -> None:
        async with two_pits(new_database(server)) as (one, other, (three, ride)):
            sql(one, "UPDATE leases SET timeline = '000000FF'")
            # Everything is claimed again, the signing of checkpoints too.
            lost = "SELECT 1 FROM leases WHERE timeline <> timeline() AND node <> ''"
            async with asyncio.timeout(LATER_S):
                while sql(one, lost):
                    await asyncio.sleep(0.02)
                while not (one.has(three) and other.has(ride)):
                    await asyncio.sleep(0.02)
            leases = "SELECT stream, node, epoch FROM leases ORDER BY stream"
            before = sql(one, leases)
            await asyncio.sleep(3)
            assert sql(one, leases) == before, "no table changes hands again and again"
            assert one.has(three) and other.has(ride)

    asyncio.run(main())


def forget_last(pit: Pit, id: str) -> int:
    """Take the last event of a table from the ledger, and return its number."""
    with pit.books.store.writing() as session:
        for table in ("events", "commands"):
            session.script(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
            where = f"WHERE stream = '{id}' AND number = "
            session.script(
                f"DELETE FROM {table} {where} (SELECT number FROM streams WHERE stream = '{id}')"
            )
        session.script(
            "UPDATE streams SET number = number - 1, hash = (SELECT hash FROM events "
            f"WHERE stream = '{id}' ORDER BY number DESC LIMIT 1) WHERE stream = '{id}'"
        )
    return pit.tables[id].number


@pytest.mark.parametrize(
    "failover",
    [
        "UPDATE leases SET timeline = '000000FF'; "
        "UPDATE nodes SET expires = clock_timestamp() - interval '1 second'",
        "UPDATE leases SET timeline = '000000FF'",
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' "
        "AND database = (SELECT oid FROM pg_database WHERE datname = current_database())",
    ],
    ids=["after its lease ended", "promoted", "the same timeline"],
)
def test_a_table_that_a_failover_robbed_of_an_acknowledged_event_closes_and_says_so(
    server: str, failover: str
) -> None:
    """Its owner is the only witness, and nobody plays there meanwhile."""

    async def main() -> None:
        async with two_pits(new_database(server)) as (one, other, (three, _)):
            await one.cage.fill("p1", 1_000_00)
            text = json.dumps({"type": "sit", "id": "1", "seat": 3})
            said = json.loads(await answered(one.tables[three], Viewer("p1", "p1"), text))
            assert said["type"] == "done"
            number = forget_last(one, three)
            assert number == said["v"]
            sql(one, failover)
            async with asyncio.timeout(LATER_S):
                while three not in one.closed.stopped or three not in other.closed.stopped:
                    await asyncio.sleep(0.05)
            lost = f"event {number} of {three} was acknowledged, and is not there any more"
            assert one.closed.stopped[three] == other.closed.stopped[three] == lost
            async with asyncio.timeout(LATER_S):
                while not (there := [pit for pit in (one, other) if pit.has(three)]):
                    await asyncio.sleep(0.05)
            assert not there[0].tables[three].notes.company.open

    asyncio.run(main())


def test_D10_one_changed_byte_stops_a_table_on_whichever_process(
    server: str, tmp_path: Path, package: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leases, "PATIENCE_MS", 0)
    monkeypatch.setattr(leases, "LOOK_S", 0.1)
    url, other_package = new_database(server), tmp_path / "other" / "croupier"
    copytree(package, other_package)
    store = PostgresStore(url, make=True, node="")
    with store.writing() as session:
        begin_journal(session, KeysSet("", public_key(SECRET).hex()), time_ms=TIME)
    approve_build(store, Keys(KEY, SECRET), Build((), package).files(), time_ms=TIME)
    store.close()
    book = f"rulebooks/{MARYLAND}.toml"
    one_byte(package / book)

    async def main() -> None:
        builds = Build((), package), Build((), other_package)
        async with two_pits(url, *builds) as (changed, sound, (three, ride)):
            async with asyncio.timeout(LATER_S):  # It takes over what its heir may not open.
                while {*sound.tables} != {three, ride}:
                    await asyncio.sleep(0.02)
            assert not changed.tables
            with pytest.raises(Refused, match=f"{MARYLAND}.toml was changed") as refused:
                changed.closed.check(three)
            assert refused.value.code == "unapproved"
            assert sound.tables[three].notes.company.open
            one_byte(other_package / book)
            await sound.check_build()
            dealt = [id for id, table in sound.tables.items() if table.notes.company.open]
            assert (dealt, [*changed.tables]) == ([ride], [])
            found = await sound.books.read(lambda view: list(acts_in(view.stream(HOUSE_STREAM))))
        checked = [act for _, act in found if isinstance(act, BuildChecked)]
        nodes = {changed.tenure.name, sound.tenure.name}
        assert {one.node for one in checked if one.differing} == nodes

    asyncio.run(main())
