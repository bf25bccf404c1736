"""D3, D6: a fault at every point of what is stored; then all of it is there, or nothing is."""

import asyncio
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

from croupier.errors import CroupierError
from croupier.house import automatic
from croupier.house.table import Table
from croupier.ledger.store import Answer, Claim, Decide, Finish, Request, Result
from croupier.ledger.stores import statements
from croupier.ledger.stores.postgres import PostgresStore
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.verify import verify
from tests.ledger.contract import everything
from tests.ledger.failing import failing_at
from tests.ledger.power import Disk
from tests.ledger.servers import new_database
from tests.server.durability.floors import Floor, run
from tests.server.durability.tables import rules_of

SEED = "faults"
Failing = Callable[[int], AbstractContextManager[list[str]]]


class Broken(Exception):
    """A fault that a test has made."""


@contextmanager
def postgres_failing(at: int) -> Iterator[list[str]]:
    run: list[str] = []

    def broken(method: Any) -> Any:
        def run_it(cursor: Any, sql: Any, *args: Any, **options: Any) -> Any:
            run.append(sql)
            if len(run) > at:
                raise Broken(sql)
            return method(cursor, sql, *args, **options)

        return run_it

    with pytest.MonkeyPatch.context() as patch:
        for name in ("execute", "executemany"):
            patch.setattr(psycopg.Cursor, name, broken(getattr(psycopg.Cursor, name)))
        yield run


def failing_of(store: Store) -> Failing:
    if isinstance(store, SqliteStore):
        return lambda at: failing_at(store, at, Broken)
    return postgres_failing


# ---------------------------------------------------------------- every statement


class OneByOne:
    """A store that is given commands together, and takes them one at a time."""

    def settle(self, claim: Claim, meters: Sequence[str], decide: Decide) -> Answer:
        raise NotImplementedError

    def begin_all(self, requests: Sequence[Request]) -> Finish:
        return partial(self._settle_all, requests)

    def _settle_all(self, requests: Sequence[Request]) -> list[Result]:
        results: list[Result] = []
        for request in requests:
            try:
                results.append(self.settle(*request))
            except Exception as error:
                results.append(error)
        return results


class Apart(OneByOne):
    """A store that takes commands one at a time, and is otherwise another one."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def settle(self, claim: Claim, meters: Sequence[str], decide: Decide) -> Answer:
        return self.store.settle(claim, meters, decide)


def by_statement(store: Store) -> Any:
    """A store whose commands take a statement for each thing that they write."""
    return store if isinstance(store, SqliteStore) else Apart(store)


async def do(floor: Floor, asked: Any) -> None:
    """Let the same thing be done that was not done before."""
    if asked is None:
        assert await floor.deal()
    else:
        assert (await floor.say(*asked))["type"] == "done"


async def broken_everywhere(floor: Floor, failing: Failing) -> list[int]:
    """Do the next thing with a fault at its first statement, at its second, until there is none."""
    points = 0
    asked = next(floor.moves(), None)
    while True:
        before, standing = everything(floor.store), floor.table.place.standing
        said = sum(screen.viewer.waiting for screen in floor.screens.values())
        try:
            with failing(points) as run:
                await do(floor, asked)
        except (Broken, CroupierError):
            assert everything(floor.store) == before, f"a part of it is stored: {run[-1]}"
            await floor.sure()
            assert not floor.table.unsure and floor.table.place.standing == standing
            heard = sum(screen.viewer.waiting for screen in floor.screens.values())
            assert heard == said, "somebody heard of what is not stored"
            points += 1
            continue
        assert everything(floor.store)["heads"] != before["heads"]
        for screen in (*floor.screens.values(), floor.watcher):
            screen.look()
        return [points]


async def broken_round(store: Store, id: str, *, only: str = "") -> list[int]:
    points: list[int] = []
    async with Floor(store, id, seed=SEED).opened() as floor:
        if only:
            await floor.until(only)
            return await broken_everywhere(floor, failing_of(store))
        while floor.table.rounds < 1 or floor.table.place.standing.in_play:
            points += await broken_everywhere(floor, failing_of(store))
    return points


@pytest.mark.parametrize("id", ["md1", "ca"])
def test_a_fault_at_any_statement_of_a_round_leaves_nothing(store: Store, id: str) -> None:
    """Not only of the settlement: of every act of a round, and each is done afterwards."""
    points = run(broken_round(by_statement(store), id))
    print(
        f"faults, {type(store).__name__}: {id}, {sum(points)} points in {len(points)} acts, 0 bad"
    )
    assert points[-1] >= 12, "the settlement is the last act"
    with store.reading() as view:
        assert verify(view, rules_of).faults == ()
        assert set(view.balances("layout").values()) == {0}


def test_the_faults_find_a_settlement_in_two_transactions(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    post = statements.Pen.post

    def split(pen: statements.Pen, rows: Any) -> None:
        post(pen, rows)
        pen.session.run("COMMIT")
        pen.session.run("BEGIN")

    monkeypatch.setattr(statements.Pen, "post", split)
    with pytest.raises(AssertionError, match="a part of it is stored"):
        run(broken_round(by_statement(store), "md1", only="settle"))


BREAK = """
CREATE OR REPLACE FUNCTION breaks() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'broken'; END $$;
CREATE TRIGGER breaks AFTER INSERT OR UPDATE ON {} FOR EACH STATEMENT EXECUTE FUNCTION breaks();
"""


@pytest.mark.parametrize("table", ["accounts", "streams", "events", "entries", "decks", "commands"])
def test_a_fault_within_a_batch_on_postgres_leaves_nothing(server: str, table: str) -> None:
    """A batch is one statement; here the database fails in the middle of it."""
    store = PostgresStore(new_database(server), make=True)

    async def broken() -> None:
        async with Floor(store, "md1", seed=SEED).opened() as floor:
            await floor.until("settle" if table != "decks" else "open")
            with store.writing() as session:
                session.script(BREAK.format(table))
            before = everything(store)
            with pytest.raises(psycopg.Error, match="broken"):
                await floor.deal()
            assert everything(store) == before
            with store.writing() as session:
                session.script(f"DROP TRIGGER breaks ON {table}")
            await floor.sure()
            assert await floor.deal()
            assert everything(store)["heads"] != before["heads"]

    run(broken())
    store.close()


# ---------------------------------------------------------------- stored, and nobody heard of it


class Deaf(OneByOne):
    """A store of which nobody hears that it has committed, at times."""

    def __init__(self, store: Store) -> None:
        self.store, self.deaf = store, False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.store, name)

    def settle(self, claim: Claim, meters: Sequence[str], decide: Decide) -> Answer:
        answer = self.store.settle(claim, meters, decide)
        if self.deaf:
            raise Broken("the line broke after the commit")
        return answer


async def unheard(store: Store, id: str) -> int:
    """Let every act be stored without anybody hearing of it; then it is asked for again."""
    deaf, times = Deaf(store), 0
    async with Floor(deaf, id, seed=SEED).opened() as floor:
        while floor.table.rounds < 2 or floor.table.place.standing.in_play:
            asked = next(floor.moves(), None)
            number = floor.table.number
            deaf.deaf = True
            with pytest.raises(Broken):
                await do(floor, asked)
            deaf.deaf = False
            times += 1
            if asked is not None and times % 2:
                await do(floor, asked)  # The player asks again, before anything else happens.
            else:
                await floor.sure()
            assert floor.table.number > number
            other = type(floor.watcher)(floor.galleries, floor.id, None)
            other.enter()
            assert other.view == floor.watcher.view
            other.leave()
        deaf.deaf = True
        with pytest.raises(Broken):
            await floor.pit.cage.fill("carl", 700)
        deaf.deaf = False
        await floor.pit.cage.fill("carl", 900)
        purses = dict(floor.books.balances())
    with store.reading() as view:
        assert {n: m for n, m in view.balances().items() if m} == {
            name: micros for name, micros in purses.items() if micros
        }
        assert verify(view, rules_of).faults == ()
        assert set(view.balances("layout").values()) == {0}
    return times


@pytest.mark.parametrize("id", ["md1", "ride", "fl"])
def test_what_was_stored_unheard_is_found_and_done_once(store: Store, id: str) -> None:
    times = run(unheard(store, id))
    print(f"unheard commits, {type(store).__name__}: {id}, {times} acts, 0 doubled, seed {SEED!r}")
    assert times > 15


def test_a_table_that_does_not_look_again_is_found(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def sure_of_itself(table: Table) -> None:
        table.unsure = False

    monkeypatch.setattr(Table, "catch_up", sure_of_itself)
    with pytest.raises(AssertionError):
        run(unheard(store, "md1"))


# ---------------------------------------------------------------- a disk that fails


async def on_broken_disk(store: Store, disk: Disk, faults: int) -> tuple[int, int, int]:
    """Break the disk again and again, each time a little later; return how many acts were done,
    how many failed, and how many of these were stored all the same."""
    done = failed = unheard = 0
    acknowledged: dict[str, int] = {}
    async with Floor(store, "md1", seed=SEED).opened() as floor:
        for at in range(faults):
            disk.log.broken_from = len(disk.log) + at
            try:
                while True:
                    asked = next(floor.moves(), None)
                    if asked is None:
                        assert await floor.deal()
                    else:
                        said = await floor.say(*asked)
                        assert said["type"] == "done"
                        acknowledged[f"{asked[0]}/{said['id']}"] = said["v"]
                    done += 1
            except (apsw.FullError, apsw.IOError):
                failed += 1
            disk.log.broken_from = None
            with store.reading() as view:
                for command, number in acknowledged.items():
                    answer = view.answer(command)
                    assert answer and answer.number == number
            known = floor.table.number
            await floor.sure()
            unheard += floor.table.number > known
            assert await floor.act(), "it goes on when the disk is back"
        await floor.rounds(floor.table.rounds)
    return done, failed, unheard


def test_a_table_goes_on_when_its_disk_is_back(tmp_path: Path) -> None:
    disk = Disk("durability")
    try:
        store = SqliteStore(tmp_path / "ledger.db", make=True, vfs=disk.vfs)
        # Small enough that the log is carried over into the file again and again.
        store.writer.execute("PRAGMA wal_autocheckpoint = 20")
        done, failed, unheard = run(on_broken_disk(store, disk, 60))
        print(f"broken disks: {failed} faults, {done} acts between, {unheard} stored all the same")
        assert failed == 60
        with store.reading() as view:
            assert verify(view, rules_of).faults == ()
            assert set(view.balances("layout").values()) == {0}
        store.close()
    finally:
        disk.unregister()


# ---------------------------------------------------------------- a store that fails at random


class Flaky(Deaf):
    """A store that fails before or after the commit, now and then."""

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.rng, self.failed = random.Random(SEED), 0

    def settle(self, claim: Claim, meters: Sequence[str], decide: Decide) -> Answer:
        if self.rng.random() < 0.2:
            self.failed += 1
            raise Broken("before the commit")
        answer = self.store.settle(claim, meters, decide)
        if self.rng.random() < 0.2:
            self.failed += 1
            raise Broken("after the commit")
        return answer


async def on_flaky_store(store: Store, rounds: int) -> int:
    """Let a dealer deal by himself, and players ask again until they are answered."""
    floor = Floor(store, "md1", seed=SEED)
    await floor.open()
    flaky = Flaky(store)
    floor.books.store = flaky
    floor.clock.now_s = 0.0
    dealing = asyncio.create_task(floor.pit.dealers["md1"].run())
    async with asyncio.timeout(120):
        while floor.table.rounds < rounds or floor.table.place.standing.in_play:
            assert not dealing.done()
            floor.clock.now_s += 1  # Whatever is waited for comes soon.
            for asked in list(floor.moves())[:1]:
                await _asked_again(floor, asked)
            floor.pit.dealers["md1"].wake()
            await asyncio.sleep(0.001)
    dealing.cancel()
    await asyncio.gather(dealing, return_exceptions=True)
    floor.books.store = store
    await floor.close()
    return flaky.failed


async def _asked_again(floor: Floor, asked: tuple[str, dict[str, Any]]) -> None:
    while True:
        try:
            await floor.say(*asked)
            return
        except Broken:
            continue


def test_a_dealer_deals_on_through_all_failures(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(automatic, "RETRY_S", 0.001)
    failed = run(on_flaky_store(store, 8))
    print(f"flaky {type(store).__name__}: {failed} failures in 8 rounds, seed {SEED!r}")
    assert failed > 20
    with store.reading() as view:
        assert verify(view, rules_of).faults == ()
        assert set(view.balances("layout").values()) == {0}
