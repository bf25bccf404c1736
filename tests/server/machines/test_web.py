"""`serve --web`: a process that serves pages and sockets, and never has a table."""

import asyncio
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from itertools import count
from pathlib import Path
from shutil import copy

import psycopg
import pytest

from croupier.cli.serve import read_link
from croupier.errors import UserError
from croupier.ledger.stores.postgres import PostgresStore
from croupier.ledger.tenure import to_claim
from tests.ledger.servers import new_database
from tests.server.machines.test_leases import SOON_S, eventually, run
from tests.server.machines.test_workers import TABLES, nodes_of, owners_of, serving, visited


def free_ports(count: int) -> int:
    """Return the first of some ports in a row that nobody listens at."""
    while True:
        with ExitStack() as stack:
            first = stack.enter_context(socket.create_server(("127.0.0.1", 0))).getsockname()[1]
            with suppress(OSError, OverflowError):
                for port in range(first + 1, first + count):
                    stack.enter_context(socket.create_server(("127.0.0.1", port)))
                return int(first)


def croupier(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "croupier", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def folders(tmp_path: Path) -> Iterator[Path]:
    for name in count():
        folder = tmp_path / f"{name}"
        folder.mkdir()
        yield folder


def test_a_web_server_serves_the_tables_of_others_and_holds_no_key_to_a_deck(
    tmp_path: Path, server: str
) -> None:
    url = new_database(server)
    first, second = (folder for folder, _ in zip(folders(tmp_path), range(2), strict=False))
    key = second / "data" / "link.key"
    with serving(first, "--database", url) as (owner, _):
        eventually(lambda: {*TABLES} <= {*owners_of(url)})
        key.parent.mkdir()
        assert croupier("ledger", "link-key", "--data", first / "data", "-o", key).returncode == 0
        (name,) = {*owners_of(url).values()}
        with serving(second, "--database", url, "--web") as (web, address):
            eventually(lambda: len(nodes_of(url)) == 2)
            assert asyncio.run(visited(address))["tables"] == [*TABLES]
            assert not [*key.parent.glob("master*"), *key.parent.glob("signing*")]
            assert {*owners_of(url).values()} == {name}
            owner.send_signal(signal.SIGTERM)  # There is nobody to hand tables over to.
            out, _ = owner.communicate(timeout=SOON_S)
            assert owner.returncode == 0 and "Closed" in out
            eventually(lambda: len(nodes_of(url)) == 1)
            assert {*owners_of(url).values()} <= {name}, "it takes over nothing"
            web.send_signal(signal.SIGINT)
            _, errors = web.communicate(timeout=SOON_S)
            assert web.returncode == 0 and '"crash"' not in errors


def test_a_node_without_tables_is_nobodys_heir(server: str) -> None:
    url = new_database(server)
    with (
        closing(PostgresStore(url, make=True, node="")) as owner,
        closing(PostgresStore(url, node="", owns=False)) as web,
    ):
        roster = web.tenure.roster()
        assert roster.heirs == [owner.tenure.name]
        assert to_claim(roster, web.tenure.name, ["a"], waited=["a"]) == []
        run(url, "DELETE FROM nodes WHERE node = %s", web.tenure.name)
        eventually(lambda: web.tenure.name in web.tenure.roster().nodes)
        assert web.tenure.roster().heirs == [owner.tenure.name], "nor after it came back"


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((), "--web: needs a PostgreSQL --database"),
        (("--database",), "link.key: is missing from"),
        (("--database", "master.key"), "link.key: this is the master key, which opens decks"),
        (("--database", "signing.key"), ", and the house's link key is "),
    ],
)
def test_a_web_server_says_what_it_needs(
    tmp_path: Path, server: str, given: tuple[str, ...], says: str
) -> None:
    data = tmp_path / "web"
    options = ["serve", "--web", "-p", "0", "--data", str(data)]
    if given:
        url = new_database(server)
        options += ["--database", url]
        with serving(tmp_path, "--database", url) as (process, _):
            process.send_signal(signal.SIGINT)
            process.wait()
    data.mkdir()
    for name in given[1:]:
        copy(tmp_path / "data" / name, data / "link.key")
    done = croupier(*options)
    assert done.returncode == 2 and says in done.stderr


def test_workers_are_reached_at_the_ports_after_the_first(tmp_path: Path, server: str) -> None:
    url, port = new_database(server), free_ports(2)
    link = f"127.0.0.1:{port}"
    with serving(tmp_path, "--database", url, "--workers", "2", "--link", link) as (_, address):
        eventually(lambda: len(nodes_of(url)) == 2 and {*TABLES} <= {*owners_of(url)})
        with psycopg.connect(url) as connection:
            rows = connection.execute("SELECT address FROM nodes ORDER BY address").fetchall()
        assert rows == [(link,), (f"127.0.0.1:{port + 1}",)]
        assert asyncio.run(visited(address))["tables"] == [*TABLES]


@pytest.mark.parametrize("link", ["nowhere", "host:", ":1", "host:0", "host:65535", "a b:1"])
def test_a_place_for_links_that_cannot_be_is_refused(link: str) -> None:
    with pytest.raises(UserError, match=r"^--link: must"):
        read_link(link, 2)
    assert read_link("host:65534", 2) == ("host", 65534)
