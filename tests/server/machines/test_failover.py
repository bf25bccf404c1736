"""A real streaming pair: the standby takes over, and nothing that was acknowledged is missing."""

import logging
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from croupier.ledger.store import NotOwner, Unavailable, Unsure
from croupier.ledger.stores.postgres import PostgresStore
from tests.ledger.contract import claim, everything, moving
from tests.ledger.servers import new_database
from tests.server.durability.databases import Database, database

SOON_S = 120.0
WARNED = "standbys_asynchronous"


@contextmanager
def standby_of(primary: Database) -> Iterator[Database]:
    """A standby that streams from another server."""
    folder = Path(tempfile.mkdtemp(prefix="ledger-"))
    made: Database | None = None
    try:
        made = Database(folder, copied_from=primary.folder)
        yield made
    finally:
        if made:
            made.down()
        shutil.rmtree(folder)


def run(where: str, sql: str) -> list[tuple[object, ...]]:
    with psycopg.connect(f"{where} dbname=postgres", autocommit=True) as connection:
        done = connection.execute(sql)
        return done.fetchall() if done.description else []


def wait(where: str, sql: str) -> None:
    """Wait until a server answers a question with yes."""
    end = time.monotonic() + SOON_S
    while run(where, sql) != [(True,)]:
        assert time.monotonic() < end, sql
        time.sleep(0.05)


@pytest.fixture
def pair() -> Iterator[tuple[Database, Database]]:
    with database() as primary, standby_of(primary) as standby:
        wait(primary.where, "SELECT EXISTS (SELECT FROM pg_stat_replication)")
        yield primary, standby


def test_a_standby_that_takes_over_has_everything_and_binds_no_old_lease(
    pair: tuple[Database, Database],
) -> None:
    primary, standby = pair
    run(primary.where, "ALTER SYSTEM SET synchronous_standby_names = '*'")
    run(primary.where, "SELECT pg_reload_conf()")
    wait(primary.where, "SELECT current_setting('synchronous_standby_names') = '*'")
    name = new_database(primary.where).rpartition("=")[2]
    hosts = f"host={primary.folder},{standby.folder} user=postgres dbname={name}"
    before = PostgresStore(f"{hosts} target_session_attrs=read-write", make=True, node="")
    try:
        before.tenure.claim(["s"])
        assert before.append(claim("a"), moving(5)).number == 1
        primary.down()
        run(standby.where, "SELECT pg_promote()")
        after = PostgresStore(f"{standby.where} dbname={name}", node="")
        try:
            assert after.tenure.roster().owner("s") is None
            assert after.tenure.claim(["s"]) == {"s"}
            assert after.append(claim("a"), moving(5)).repeated
            assert after.append(claim("b", 1), moving(5, "2")).number == 2
            with pytest.raises((NotOwner, Unavailable, Unsure)):
                before.append(claim("c", 2), moving(5, "3"))
            assert everything(after)["heads"]["s"].number == 2
        finally:
            after.close()
    finally:
        before.close()


def test_standbys_that_may_lack_the_last_commits_are_warned_of(
    pair: tuple[Database, Database], caplog: pytest.LogCaptureFixture
) -> None:
    primary, _ = pair
    url = new_database(primary.where)
    with caplog.at_level(logging.WARNING):
        PostgresStore(url, make=True, node="").close()
        assert [record.message for record in caplog.records] == [WARNED]
        caplog.clear()
        run(primary.where, "ALTER SYSTEM SET synchronous_standby_names = '*'")
        run(primary.where, "SELECT pg_reload_conf()")
        wait(primary.where, "SELECT current_setting('synchronous_standby_names') = '*'")
        PostgresStore(url, node="").close()
        assert caplog.records == []
