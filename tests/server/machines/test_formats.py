"""Two releases that serve one house together, and a format that only the newer one reads."""

from contextlib import closing

import pytest

from croupier.errors import UserError
from croupier.ledger.store import Lost
from croupier.ledger.stores import formats, postgres
from croupier.ledger.stores.formats import format_of, raise_format
from croupier.ledger.stores.postgres import PostgresStore
from tests.cli.running import run as croupier
from tests.ledger.contract import claim, moving
from tests.ledger.servers import new_database
from tests.server.machines.test_leases import eventually, node, run

NEXT = postgres.SCHEMA + 1
KEYS = "INSERT INTO house VALUES (1, repeat('a', 32), repeat('b', 64))"


def newer_release(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    """Become the next release, whose schema is one further and which reads one format more."""
    monkeypatch.setattr(formats, "READS", 2)
    run(url, "INSERT INTO migrations VALUES (%s, 'next') ON CONFLICT DO NOTHING", NEXT)


def test_two_releases_serve_a_house_together(server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    url = new_database(server)
    with node(url, of="a") as old:
        run(url, KEYS)
        with monkeypatch.context() as later:
            newer_release(later, url)
            with node(url, of="b") as new:
                assert old.append(claim("1", stream="a"), moving(1, "1")).number == 1
                assert new.append(claim("2", stream="b"), moving(1, "2")).number == 1
                with (
                    pytest.raises(UserError, match=r"upgrade every server first: .*reads format 1"),
                    new.writing() as session,
                ):
                    raise_format(session)
                with new.snapshot() as session:
                    assert format_of(session) == 1
        with node(url, of="c") as again:  # The older one can still be started.
            assert again.append(claim("3", stream="c"), moving(1, "3")).number == 1


def test_an_older_release_is_kept_out_of_a_house_that_was_raised(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    url = new_database(server)
    with node(url, of="a") as old:
        run(url, KEYS)
        with monkeypatch.context() as later:
            newer_release(later, url)
            with closing(PostgresStore(url)) as tool, tool.writing() as session:
                session.run("DELETE FROM nodes")  # It seems dead, and is not counted.
                assert raise_format(session) == (1, 2)
                assert raise_format(session) == (2, 2)
            with node(url, of="b") as new:
                assert new.append(claim("1", stream="b"), moving(1, "1")).number == 1
        eventually(lambda: is_lost(old))
        for options in ({"node": ""}, {}):
            with pytest.raises(UserError, match=r"was raised to format 2, .* reads format 1"):
                PostgresStore(url, **options)  # type: ignore[arg-type]


def is_lost(store: PostgresStore) -> bool:
    try:
        store.check()
    except Lost as lost:
        return "reads format 1" in str(lost)
    except Exception:
        return False
    return False


def test_a_house_is_raised_by_command(server: str) -> None:
    url = new_database(server)
    PostgresStore(url, make=True).close()
    run(url, KEYS)
    done = croupier("ledger", "raise-format", "--database", url)
    assert done.out == "the format of the house is 1 already\n"
