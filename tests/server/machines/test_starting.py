"""A process that starts, or hands tables over, is asked about its tables all the same."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from croupier.errors import UserError
from croupier.house import folder
from croupier.house.books import Books
from croupier.house.build import Build
from croupier.house.config import parse_config
from croupier.house.folder import House, Opener, opened_house, patiently
from croupier.house.pit import Pit
from croupier.ledger.store import Unavailable
from croupier.ledger.stores.leasing import Leasing
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.server.app import make_app
from croupier.server.passwords import Passwords
from croupier.server.people import People
from tests.ledger.servers import new_database
from tests.server.attacks.houses import rules_of
from tests.server.doors import CHEAP
from tests.server.durability.tables import tables_text

TABLES = "md1", "ride"


@pytest.mark.usefixtures("unhurried")
@pytest.mark.parametrize("seed", range(3))
def test_a_start_goes_on_if_the_database_does_not_answer_now_and_then(
    server: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    """As when a node was declared dead before it had opened its tables, and is about to return."""
    check, silent, silences = Leasing.check, Random(seed), 0

    def seldom_silent(node: Leasing) -> None:
        nonlocal silences
        if silent.random() < 0.4:
            silences += 1
            raise Unavailable("the database does not answer")
        check(node)

    async def started(house: House) -> None:
        pit = Pit(config, house.books(), rules_of, signing=house.signing(), build=Build(()))
        await pit.start(deals=False)
        assert {*pit.tables} == {*TABLES}
        monkeypatch.undo()
        await pit.stop()
        pit.books.close()

    config = parse_config(tables_text(TABLES), rules_of)
    monkeypatch.setattr(Leasing, "check", seldom_silent)
    with opened_house(tmp_path, new_database(server), Opener("here")) as house:
        asyncio.run(started(house))
        assert silences


def test_a_start_does_not_go_on_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder, "START_S", 0)
    store: Any = SimpleNamespace(tenure=SimpleNamespace(is_shared=True))

    def silent() -> None:
        raise Unavailable("the database does not answer")

    with pytest.raises(UserError, match=r"^--database: the database does not answer"):
        patiently(store, silent)


@asynccontextmanager
async def asked(where: Path) -> AsyncIterator[tuple[FastAPI, Pit, httpx.AsyncClient]]:
    """A house that isn't open yet, and a way to ask it."""
    store = SqliteStore(where / "ledger.db", make=True)
    people = People(store, passwords=Passwords(made_by=CHEAP))
    pit = Pit(parse_config(tables_text(TABLES), rules_of), Books(store, bytes(32)), rules_of)
    app = make_app(pit, people)
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://h") as http:
        yield app, pit, http
    pit.books.close()
    store.close()
    people.close()
    app.state.shelf.close()


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/lobby.json",
        "/metrics",
        "/api/tables",
        "/api/tables/md1",
        "/api/tables/md1/voids",
        "/tables/md1",
        "/tables/md1.json",
        "/tables/md1/text",
        "/tables/md1/voids",
    ],
)
def test_a_process_that_starts_shows_the_tables_that_it_has_taken_up(
    tmp_path: Path, path: str
) -> None:
    async def main() -> None:
        async with asked(tmp_path) as (app, pit, http):
            reached, goes_on, start = asyncio.Event(), asyncio.Event(), pit.acts.start

            async def held() -> None:
                reached.set()
                await goes_on.wait()
                await start()

            pit.acts.start = held  # type: ignore[method-assign]
            lifespan = app.router.lifespan_context(app)
            starting = asyncio.create_task(lifespan.__aenter__())
            await reached.wait()
            assert {*pit.tables} == {*TABLES}
            answer = await http.get(path)
            assert answer.status_code == 200 and "md1" in answer.text
            goes_on.set()
            await starting
            await lifespan.__aexit__(None, None, None)

    asyncio.run(main())


@pytest.mark.parametrize("path", ["/api/tables/md1/socket", "/practice/0123/socket"])
def test_a_client_may_leave_before_its_socket_is_open(tmp_path: Path, path: str) -> None:
    """As when a busy server takes longer to answer than the client waits."""

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        assert message["type"] == "websocket.accept"
        raise ConnectionResetError

    scope: Any = {"type": "websocket", "path": path, "query_string": b"", "headers": []}

    async def main() -> None:
        async with asked(tmp_path) as (app, _, _), app.router.lifespan_context(app):
            await app({**scope, "scheme": "ws", "app": app}, receive, send)

    asyncio.run(main())


@pytest.mark.parametrize("path", ["/", "/lobby.json"])
def test_the_lobby_leaves_out_a_table_that_is_handed_over_meanwhile(
    tmp_path: Path, path: str
) -> None:
    async def main() -> None:
        async with asked(tmp_path) as (app, pit, http), app.router.lifespan_context(app):
            count = app.state.voids.of

            async def of(id: str) -> Any:
                if id == "md1":
                    pit.open.step_down(id)
                return await count(id)

            app.state.voids.of = of
            answer = await http.get(path)
            assert answer.status_code == 200
            assert "/ride" in answer.text or '"ride"' in answer.text
            assert "md1" not in answer.text

    asyncio.run(main())


def test_a_table_that_is_handed_over_while_it_is_asked_about_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with asked(tmp_path) as (app, pit, http), app.router.lifespan_context(app):

            async def nobody(_: Any) -> None:
                pit.open.step_down("md1")

            monkeypatch.setattr("croupier.server.routes.tables.signed_in_of", nobody)
            answer = await http.get("/api/tables/md1")
            assert answer.status_code == 503 and "retry-after" in answer.headers

    asyncio.run(main())
