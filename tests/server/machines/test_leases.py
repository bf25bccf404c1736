"""A stream has one node that may write it, whatever others believe; others are told at once."""

import asyncio
import json
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from resource import RLIMIT_NOFILE, getrlimit, setrlimit
from typing import Any

import psycopg
import pytest
from psycopg_pool import ConnectionPool
from psycopg_pool.base import AttemptWithBackoff

from croupier.client import Client
from croupier.errors import Refused, UserError
from croupier.ledger import tenure
from croupier.ledger.checkpoints import sign
from croupier.ledger.journal import START
from croupier.ledger.store import Answer, NotOwner, Request, Unavailable, Work
from croupier.ledger.stores import leasing
from croupier.ledger.stores.batch import Batch
from croupier.ledger.stores.leasing import Leasing
from croupier.ledger.stores.postgres import APPEND, FENCE, PostgresSession, PostgresStore
from croupier.ledger.tenure import CHECKPOINT
from tests.ledger.contract import EVENT, SECRET, claim, everything, moving, settle_all
from tests.ledger.servers import new_database
from tests.server.durability.databases import Database, database
from tests.server.durability.floors import Floor
from tests.server.durability.houses import House
from tests.server.durability.tables import tables_text

BACKENDS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
    "WHERE datname = current_database() AND pid <> pg_backend_pid() "
    "AND pid NOT IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory')"
)
HOLDER = (
    "SELECT pg_terminate_backend(pid) FROM pg_locks "
    "WHERE locktype = 'advisory' AND objid = %s AND granted AND database = "
    "(SELECT oid FROM pg_database WHERE datname = current_database())"
)
EXPIRE = "UPDATE nodes SET expires = clock_timestamp() - interval '1 second' WHERE node = %s"
SOON_S = 120.0
"""How long a busy machine may take for what only has to happen at some time."""

pytestmark = pytest.mark.usefixtures("unhurried")


@contextmanager
def node(url: str, *, of: str = "s", place: str = "") -> Iterator[PostgresStore]:
    """A node that has a stream, if nobody else has it."""
    store = PostgresStore(url, make=True, node="", place=place)
    try:
        store.tenure.claim([of])
        yield store
    finally:
        store.close()


def asleep(store: PostgresStore) -> None:
    """Let a node sleep: it renews nothing, and others find that it has expired."""
    held = store.tenure
    assert isinstance(held, Leasing)
    held.stop()
    # Its own clock would stop it, before anybody else.
    held.renewed_ms = leasing.now_ms() + 3_600_000


def run(url: str, sql: str, *parameters: object) -> list[Any]:
    with psycopg.connect(url, autocommit=True) as connection:
        found = connection.execute(sql, parameters)
        return found.fetchall() if found.description else []


def eventually(holds: Callable[[], bool]) -> None:
    """Wait until something holds."""
    began = time.monotonic()
    while not holds():
        assert time.monotonic() - began < SOON_S
        time.sleep(0.02)


def goes_on(store: PostgresStore) -> None:
    """Wait until a node has renewed its row again."""
    held = store.tenure
    assert isinstance(held, Leasing)
    before_ms = held.renewed_ms
    eventually(lambda: held.renewed_ms > before_ms)


def answers(store: PostgresStore) -> bool:
    try:
        store.check()
    except Unavailable:
        return False
    return True


# ---------------------------------------------------------------- one owner


def test_a_stream_is_one_nodes_until_that_is_gone(server: str) -> None:
    url = new_database(server)
    with node(url) as first, node(url) as second:
        assert first.tenure.owned == {"s": 1} and second.tenure.owned == {}
        first.append(claim("a"), moving(5))
        before = everything(first)
        with pytest.raises(NotOwner):
            second.append(claim("b", 1), moving(7, "2"))
        with pytest.raises(NotOwner):
            _settled(second, Request(claim("c", 1), (), lambda _: moving(7, "2")))
        assert everything(first) == before
        assert first.tenure.roster().owner("s") == second.tenure.roster().nodes[first.tenure.name]
        first.tenure.release(["s"])
        assert second.tenure.claim(["s"]) == {"s"} and second.tenure.owned == {"s": 2}
        assert second.append(claim("b", 1), moving(7, "2")).number == 2
        with pytest.raises(NotOwner):
            first.append(claim("d", 2), moving(9, "3"))
    assert run(url, "SELECT number, epoch FROM events ORDER BY number") == [(1, None), (2, None)]


def test_a_stream_that_a_node_has_without_its_knowing_is_taken_back(server: str) -> None:
    url = new_database(server)
    with node(url) as one, node(url, of="t") as other:
        assert isinstance(one.tenure, Leasing)
        one.tenure.forget(["s"])  # As if the answer to its claim had been cut off.
        roster, me = one.tenure.roster(), one.tenure.name
        assert roster.leases["s"].node == me and not other.tenure.claim(["s"])
        assert tenure.to_take_back(roster, me, one.tenure.owned) == ["s"]
        assert one.tenure.claim(["s"]) == {"s"} and one.tenure.owned == {"s": 2}
        assert one.tenure.claim(["s"]) == set() and one.tenure.owned == {"s": 2}
        assert one.append(claim("a"), moving(5)).number == 1


def test_an_append_that_was_late_gives_up_no_later_claim(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A batch of a node that was declared dead meets the lease that it has claimed again."""
    with node(new_database(server), of="another") as store:
        fence = PostgresSession.rows

        def claimed_meanwhile(
            session: PostgresSession, sql: str, values: Sequence[object] = ()
        ) -> Any:
            if sql == FENCE and "s" not in store.tenure.owned:
                store.tenure.claim(["s"])
            return fence(session, sql, values)

        monkeypatch.setattr(PostgresSession, "rows", claimed_meanwhile)
        with pytest.raises(NotOwner):
            store.append(claim("a"), moving(5))
        assert store.tenure.owned == {"another": 1, "s": 1}
        assert store.append(claim("a"), moving(5)).number == 1


def test_a_server_that_starts_where_another_died_need_not_wait_for_its_leases(
    server: str,
) -> None:
    url = new_database(server)
    with (
        node(url, place="here") as dead,
        node(url, of="t", place="there") as other,
        node(url, place="here") as next,
    ):
        assert next.tenure.owned == {"s": 2}
        assert other.tenure.owned == {"t": 1} and not other.tenure.claim(["s"])
        with pytest.raises(NotOwner):
            dead.append(claim("a"), moving(5))


def _settled(store: PostgresStore, request: Request) -> Answer:
    [result] = settle_all(store, [request])
    if isinstance(result, BaseException):
        raise result
    return result


def test_batches_note_the_epoch_that_they_were_written_in(server: str) -> None:
    url = new_database(server)
    with node(url) as first:
        _settled(first, Request(claim("a"), (), lambda _: moving(5)))
    with node(url) as second:
        _settled(second, Request(claim("b", 1), (), lambda _: moving(5, "2")))
        together = [
            Request(claim("c", 2), (), lambda _: moving(5, "3")),
            Request(claim("x", stream="another's"), (), lambda _: moving(5, "x")),
        ]
        run(url, "INSERT INTO leases (stream, epoch, node) VALUES ('another''s', 4, 'other')")
        stored, refused = settle_all(second, together)
        assert stored == Answer("done 3", 3) and isinstance(refused, NotOwner)
    assert [epoch for (epoch,) in run(url, "SELECT epoch FROM events ORDER BY number")] == [1, 2, 2]


def test_a_node_that_sleeps_is_overtaken_and_stores_nothing_more(server: str) -> None:
    url = new_database(server)
    with node(url) as first:
        first.append(claim("a"), moving(5))
        asleep(first)
        with node(url) as second:
            assert second.tenure.owned == {}
            run(url, EXPIRE, first.tenure.name)
            assert second.tenure.claim(["s"]) == {"s"}
            before = everything(second)
            late = Request(claim("b", 1), (), lambda _: moving(7, "2"))
            assert isinstance(settle_all(first, [late])[0], NotOwner)
            with pytest.raises(NotOwner):
                first.append(claim("c", 1), moving(7, "2"))
            assert first.tenure.owned == {}, "it steps down"
            assert everything(second) == before
            assert _settled(second, late) == Answer("done 2", 2)


@pytest.mark.parametrize("times", [50, pytest.param(1_000, marks=pytest.mark.long)])
def test_A4_an_owner_that_was_paused_stores_nothing_however_often(server: str, times: int) -> None:
    """It is late by a take-over alone, or also by what the next owner has stored since."""
    url, head = new_database(server), START
    with (
        node(url) as one,
        node(url, of="another") as other,
        psycopg.connect(url, autocommit=True) as database,
    ):
        sleeper, next = one, other
        for turn in range(times):
            database.execute("UPDATE leases SET node = '' WHERE stream = 's'")
            assert next.tenure.claim(["s"]) == {"s"}
            late = Request(claim(f"late {turn}", head), (), partial(_moved, f"late {turn}"))
            if turn % 2:
                next.append(claim(f"{turn}", head), moving(1, f"{turn}"))
                head = head.after(EVENT)
            [refused] = settle_all(sleeper, [late])
            assert isinstance(refused, NotOwner) and "s" not in sleeper.tenure.owned
            sleeper, next = next, sleeper
        assert everything(other)["heads"]["s"] == head and head.number == times // 2


def _moved(id: str, _: object) -> Work:
    return moving(7, id)


def test_a_node_that_was_declared_dead_comes_back_under_another_name_and_owns_nothing(
    server: str,
) -> None:
    url = new_database(server)
    with node(url) as first:
        name = first.tenure.name
        run(url, EXPIRE, name)
        eventually(lambda: first.tenure.name != name)
        assert first.tenure.owned == {}
        assert [*first.tenure.roster().nodes] == [first.tenure.name]
        assert first.tenure.claim(["s"]) == {"s"} and first.tenure.owned == {"s": 2}


def test_a_node_stops_by_its_own_clock_before_it_expires(server: str) -> None:
    with node(new_database(server)) as store:
        asleep(store)
        held = store.tenure
        assert isinstance(held, Leasing)
        held.renewed_ms = leasing.now_ms() - tenure.TTL_MS * 6 // 10
        store.append(claim("a"), moving(5))
        held.renewed_ms = leasing.now_ms() - tenure.TTL_MS * 7 // 10
        with pytest.raises(Unavailable, match="does not answer"):
            store.append(claim("b", 1), moving(5, "2"))


def test_a_claim_that_had_to_wait_takes_nothing_from_a_node_that_joined_meanwhile(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(leasing, "BRIEFLY", f"SET LOCAL lock_timeout = '{SOON_S} s'")
    url = new_database(server)
    with node(url, of="x") as first:
        for stream in ("a", "b"):
            run(url, "INSERT INTO leases (stream, epoch, node) VALUES (%s, 1, 'dead')", stream)
        took: list[set[str]] = []
        with psycopg.connect(url) as late:  # An append of the dead owner is still under way.
            late.execute("SELECT FROM leases WHERE stream = 'a' FOR SHARE")
            claiming = threading.Thread(target=lambda: took.append(first.tenure.claim(["a", "b"])))
            claiming.start()
            eventually(lambda: is_waiting(url))
            second = PostgresStore(url, make=True, node="")
            assert second.tenure.claim(["b"]) == {"b"}
            late.commit()
            claiming.join()
        assert took == [{"a"}] and second.tenure.owned == {"b": 2}
        second.close()


def test_a_lease_of_another_timeline_is_nobodys(server: str) -> None:
    """As after a standby was promoted: what the old primary leased does not bind."""
    url = new_database(server)
    with node(url) as store:
        run(url, "UPDATE leases SET timeline = '000000FF'")
        with pytest.raises(NotOwner):
            store.append(claim("a"), moving(5))
        assert store.tenure.roster().owner("s") is None
        assert store.tenure.claim(["s"]) == {"s"} and store.tenure.owned == {"s": 2}
        store.append(claim("a"), moving(5))


def test_checkpoints_are_signed_by_one_node(server: str) -> None:
    url = new_database(server)
    with node(url, of=CHECKPOINT) as first, node(url) as second:
        second.append(claim("a"), moving(5))
        checkpoint = sign(SECRET, 1, everything(second)["heads"], time_ms=1)
        with pytest.raises(NotOwner):
            second.add_checkpoint(checkpoint)
        first.add_checkpoint(checkpoint)


# ---------------------------------------------------------------- forced races

UNLOCKED = "FOR SHARE"


def _unlocked(url: str) -> None:
    """Let appends read the lease without locking it."""
    [(source,)] = run(url, "SELECT pg_get_functiondef('append_v1(text, jsonb)'::regprocedure)")
    assert UNLOCKED in source
    run(url, source.replace(UNLOCKED, "").replace("%", "%%"))


def is_waiting(url: str) -> bool:
    """Whether a transaction waits for another one."""
    return bool(run(url, "SELECT 1 FROM pg_locks WHERE NOT granted"))


def _overtaken_within(url: str) -> tuple[bool, list[int]]:
    """Take a stream over while its owner is between an append and its commit.

    Return whether the take-over had to wait, and the epochs of the events in their order.
    """
    with node(url) as first, node(url) as second:
        asleep(first)
        held = first.tenure
        batch = Batch([Request(claim("a"), (), lambda _: moving(5))], {}, held.owned)
        with psycopg.connect(url) as slow:
            slow.execute(APPEND, (held.name, batch.document()))
            run(url, EXPIRE, held.name)

            def take() -> None:
                while not second.tenure.owned:
                    with suppress(Unavailable):  # It waited for long.
                        second.tenure.claim(["s"])

            taking = threading.Thread(target=take)
            taking.start()
            eventually(lambda: not taking.is_alive() or is_waiting(url))
            had_to_wait = taking.is_alive()
            slow.commit()
            taking.join()
        rows = run(url, "SELECT epoch FROM events ORDER BY number")
        return had_to_wait, [epoch for (epoch,) in rows]


def test_a_take_over_waits_for_an_append_in_progress(server: str) -> None:
    assert _overtaken_within(new_database(server)) == (True, [1])


def test_without_the_lock_an_append_lands_behind_the_next_owners_back(server: str) -> None:
    url = new_database(server)
    PostgresStore(url, make=True).close()
    _unlocked(url)
    had_to_wait, _ = _overtaken_within(url)
    assert not had_to_wait, "the next owner has read its journal by now"


def test_an_owner_that_pauses_within_a_transaction_keeps_nobody_waiting(server: str) -> None:
    """Its idle transaction is ended after a second, and stored nothing."""
    url = new_database(server)
    with node(url) as first, node(url) as second:
        first.append(claim("a"), moving(5))
        with pytest.raises(Unavailable), first.writing("s") as session:
            session.run("UPDATE accounts SET micros = micros + 1 WHERE account = 'player:ada'")
            run(url, EXPIRE, first.tenure.name)
            began = time.monotonic()
            while not second.tenure.owned:
                try:
                    second.tenure.claim(["s"])
                except Unavailable:
                    continue
            assert time.monotonic() - began < SOON_S
        assert everything(second)["balances"]["player:ada"] == 5


def test_an_older_server_and_nodes_keep_each_other_out(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Versions before leases reserve the whole database with a lock."""
    monkeypatch.setattr(leasing, "TAKING_S", 0.3)
    url = new_database(server)
    lock = "SELECT pg_try_advisory_lock(%s)"
    with psycopg.connect(url, autocommit=True) as older:
        assert older.execute(lock, (leasing.LOCK,)).fetchone() == (True,)
        with pytest.raises(UserError, match="an earlier version has this database open"):
            PostgresStore(url, make=True, node="")
    eventually(lambda: not run(url, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory'"))
    with node(url):
        assert run(url, lock, leasing.LOCK) == [(False,)]


# ---------------------------------------------------------------- the database goes away


def test_a_renewing_connection_that_breaks_is_noticed_and_made_again(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = new_database(server)
    with node(url) as store:
        store.append(claim("a"), moving(5))
        held = store.tenure
        assert isinstance(held, Leasing)
        coming, connect = threading.Event(), psycopg.connect

        def waits(*address: Any, **options: Any) -> Any:
            if threading.current_thread().name == "node":
                coming.wait()
            return connect(*address, **options)

        monkeypatch.setattr(psycopg, "connect", waits)
        run(url, HOLDER, leasing.LOCK)
        eventually(lambda: not answers(store))
        with pytest.raises(Unavailable):
            store.append(claim("b", 1), moving(5, "2"))
        with pytest.raises(Unavailable), store.writing():
            pass
        coming.set()
        eventually(lambda: answers(store))
        assert store.append(claim("b", 1), moving(5, "2")).number == 2


def test_a_database_that_lost_what_was_acknowledged_closes_the_table(server: str) -> None:
    """A standby that took over may lack the last commits: a table is a witness of its own."""
    url = new_database(server)

    async def failed_over() -> None:
        with node(url, of="md1") as store:
            floor = Floor(store, "md1", seed="failover")
            await floor.open()
            await floor.until("deal")
            number = floor.table.number
            run(url, "ALTER TABLE events DISABLE TRIGGER ALL")
            run(url, "ALTER TABLE entries DISABLE TRIGGER ALL")
            run(url, "DELETE FROM entries WHERE stream = 'md1' AND number = %s", number)
            run(url, "DELETE FROM events WHERE stream = 'md1' AND number = %s", number)
            run(
                url,
                "UPDATE streams SET number = number - 1, hash = (SELECT hash FROM events "
                "WHERE stream = 'md1' ORDER BY number DESC LIMIT 1) WHERE stream = 'md1'",
            )
            with pytest.raises(NotOwner):
                await floor.deal()
            async with asyncio.timeout(SOON_S):
                while "md1" not in floor.pit.closed.stopped:
                    await asyncio.sleep(0.05)
            assert floor.pit.closed.stopped["md1"].startswith(
                f"event {number} of md1 was acknowledged"
            )
            assert floor.books.lost is None, "other tables go on"
            await floor.close()

    asyncio.run(failed_over())


@pytest.fixture(scope="module")
def own_database() -> Iterator[Database]:
    with database() as made:
        yield made


def test_a_database_that_is_down_is_said_to_be_at_once_and_is_back_soon(
    own_database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A process that knows that it is down doesn't ask the pool, where it would wait.

    A pool that is left alone waits ever longer between two tries: here, for good after the first.
    """
    monkeypatch.setattr(AttemptWithBackoff, "DELAY_BACKOFF", 1e9)
    with node(new_database(own_database.where)) as store:
        store.append(claim("a"), moving(5))
        own_database.down()
        eventually(lambda: not answers(store))
        with monkeypatch.context() as patched:
            patched.setattr(ConnectionPool, "getconn", None)
            for _ in range(5):
                with pytest.raises(Unavailable):
                    store.append(claim("b", 1), moving(5, "2"))
                with pytest.raises(Unavailable), store.snapshot():
                    pass
        with monkeypatch.context() as patched:
            patched.setattr(Leasing, "check", lambda _: None)  # As before it is known.
            with pytest.raises(Unavailable):
                store.check()
        own_database.up()
        eventually(lambda: answers(store))
        assert store.append(claim("b", 1), moving(5, "2")).number == 2


def test_connections_that_broke_meanwhile_are_passed_over(server: str) -> None:
    url = new_database(server)
    with node(url) as store:
        store.append(claim("a"), moving(5))
        run(url, BACKENDS)
        assert store.append(claim("b", 1), moving(5, "2")).number == 2


@contextmanager
def descriptors_up(least: int) -> Iterator[None]:
    """Take the low numbers of descriptors, as the sockets of many players do."""
    soft, hard = getrlimit(RLIMIT_NOFILE)
    setrlimit(RLIMIT_NOFILE, (max(soft, 2 * least), hard))
    taken = [os.open(os.devnull, os.O_RDONLY) for _ in range(least)]
    try:
        yield
    finally:
        for each in taken:
            os.close(each)
        setrlimit(RLIMIT_NOFILE, (soft, hard))


def test_a_node_with_a_thousand_sockets_goes_on(
    server: str,
) -> None:
    url = new_database(server)
    with descriptors_up(1_100), node(url) as store:
        store.append(claim("a"), moving(5))
        run(url, BACKENDS)
        run(url, HOLDER, leasing.LOCK)
        eventually(lambda: store.tenure.returns == 1)
        goes_on(store)
        assert store.append(claim("b", 1), moving(5, "2")).number == 2


def test_an_error_that_nobody_expected_does_not_end_the_renewing(
    server: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    with node(new_database(server)) as store:
        now_ms, failed = leasing.now_ms, threading.Event()

        def fails_once() -> int:
            if not failed.is_set() and threading.current_thread().name == "node":
                failed.set()
                raise ValueError
            return now_ms()

        monkeypatch.setattr(leasing, "now_ms", fails_once)
        assert failed.wait(SOON_S)
        goes_on(store)
        assert answers(store)
    assert "crash" in caplog.messages


def test_a_house_whose_database_is_down_says_so_and_goes_on_when_it_is_back(
    own_database: Database, tmp_path: Path
) -> None:
    """A guest is refused with 503 within two seconds, and let in soon after; all in JSON lines."""
    own_database.down()
    own_database.up()
    url = new_database(own_database.where)

    async def enter(house: House) -> float:
        began = time.monotonic()
        try:
            await Client(house.address).guest()
        except Refused as refused:
            assert refused.code == "unavailable"
            return time.monotonic() - began
        return 0.0

    async def visited(house: House) -> None:
        await house.start()
        assert await enter(house) == 0.0
        own_database.down()
        waits_s = [await enter(house) for _ in range(3)]
        assert 0 < min(waits_s) < 4 and all(waits_s), waits_s  # One of them is not kept waiting.
        own_database.up()
        back = time.monotonic()
        while await enter(house):
            assert time.monotonic() - back < SOON_S
        assert "Closed" in await house.stop()

    with House(tmp_path, tables_text(), database=url) as house:
        asyncio.run(visited(house))
        lines = [json.loads(line) for line in house.complaints().splitlines()]
    assert {"database_gone", "database_back"} <= {line["event"] for line in lines}
    assert "crash" not in {line["event"] for line in lines}
