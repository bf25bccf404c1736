"""A real server on the loopback, for tests that knock at its doors."""

import io
import json
import logging
import ssl
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from argon2 import PasswordHasher
from fastapi import APIRouter, FastAPI, Request, WebSocket
from fastapi.responses import PlainTextResponse
from starlette.types import ASGIApp
from websockets.sync.client import ClientConnection, connect

from croupier.house.config import TableConfig
from croupier.house.log import LOGGERS, log_to
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.server.doorway import Doorway, serve_config
from croupier.server.faults import answer_errors
from croupier.server.guard import Guard, Policy
from croupier.server.limits import Rate
from croupier.server.passwords import Passwords
from croupier.server.people import People
from croupier.server.routes import access, staff
from croupier.server.staff import Staff

OWN = {"X-Croupier": "1"}
NO_TLS = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""Nothing is encrypted here, and a client that reads all certificates does little else."""
LARGE_BYTES = 20_000_000
GENEROUS = Policy(requests=Rate(10_000, 10_000), costly=Rate(10_000, 10_000))
CHEAP = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)
"""For tests that are not about how dear a hash is."""


class Clock:
    """A clock that a test moves."""

    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now

    def ms(self) -> int:
        return int(self.now * 1000)


@contextmanager
def serving(app: ASGIApp, doorway: Doorway | None = None) -> Iterator[int]:
    """Serve an application from a thread; yield the port."""
    server = uvicorn.Server(serve_config(app, port=0, doorway=doorway))
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        for _ in range(1_000):
            if server.started:
                break
            assert thread.is_alive()
            time.sleep(0.01)
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def logged() -> Iterator[io.StringIO]:
    """Collect what is logged."""
    loggers = [logging.getLogger(name) for name in LOGGERS]
    before = [(one, one.handlers, one.propagate, one.level) for one in loggers]
    lines = io.StringIO()
    log_to(lines)
    try:
        yield lines
    finally:
        for one, handlers, propagate, level in before:
            one.handlers, one.propagate = handlers, propagate
            one.setLevel(level)


def events(lines: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in lines.getvalue().splitlines()]


@dataclass
class Pit:
    """Notes who was given chips."""

    issued: list[str] = field(default_factory=list)

    @property
    def cage(self) -> "Pit":
        return self

    async def issue(self, person: str) -> None:
        self.issued.append(person)

    @property
    def catalogue(self) -> "Pit":
        return self

    def new(self, text: str) -> TableConfig:
        raise NotImplementedError(text)

    async def take_new(self) -> None:
        """There are no tables."""

    @property
    def acts(self) -> "Pit":
        return self

    async def look(self) -> None:
        """Nobody follows acts here."""

    async def mind(self) -> None:
        """There are no seats and no posts."""


@dataclass
class House:
    """A server with people and without tables."""

    url: str
    people: People
    pit: Pit
    clock: Clock
    lines: io.StringIO
    app: FastAPI
    ended: list[str] = field(default_factory=list)

    def visitor(self, **options: Any) -> httpx.Client:
        """Return somebody's browser, without the browser."""
        return httpx.Client(base_url=self.url, headers=OWN, verify=NO_TLS, **options)


crashing = APIRouter()


@crashing.get("/api/crash")
async def crash() -> None:
    raise ValueError("the secret is 1234")


def application(people: People) -> FastAPI:
    app = FastAPI()
    app.include_router(access.router)
    app.include_router(staff.router)
    app.include_router(crashing)
    answer_errors(app)
    app.state.people, app.state.pit = people, Pit()
    app.state.staff, app.state.quotas = Staff(people, app.state.pit.catalogue.new), None
    return app


@contextmanager
def house(folder: Path, policy: Policy = GENEROUS) -> Iterator[House]:
    store = SqliteStore(folder / "ledger.db", make=True)
    clock = Clock()
    passwords = Passwords(made_by=CHEAP)
    people = People(store, passwords=passwords, now_ms=clock.ms, clock=clock)
    app = application(people)
    with logged() as lines, serving(Guard(app, policy, clock=clock)) as port:
        url = f"http://127.0.0.1:{port}"
        made = House(url, people, app.state.pit, clock, lines, app)
        people.sessions.on_ended = made.ended.append
        yield made
    people.close()
    store.close()


def small_app() -> FastAPI:
    """Says who asks, takes anything, echoes over a socket, and fails."""
    app = FastAPI()
    answer_errors(app)

    @app.get("/who")
    async def who(request: Request) -> dict[str, Any]:
        assert request.client
        return {"address": request.client.host, "scheme": request.url.scheme}

    @app.get("/kept")
    async def kept() -> PlainTextResponse:
        return PlainTextResponse("x", headers={"Cache-Control": "max-age=60"})

    @app.get("/crash")
    async def crash() -> None:
        raise ValueError("the password is 1234")

    @app.get("/large")
    async def large() -> PlainTextResponse:
        return PlainTextResponse("x" * LARGE_BYTES)

    @app.post("/take")
    async def take(request: Request) -> int:
        return len(await request.body())

    @app.websocket("/socket")
    async def echo(socket: WebSocket) -> None:
        await socket.accept()
        async for text in socket.iter_text():
            if text == "crash":
                raise ValueError("the password is 1234")
            await socket.send_text(text)

    return app


@contextmanager
def guarded(policy: Policy = GENEROUS, *, doorway: Doorway | None = None) -> Iterator[int]:
    with serving(Guard(small_app(), policy), doorway) as port:
        yield port


def knock(port: int, **options: Any) -> ClientConnection:
    made: ClientConnection = connect(f"ws://127.0.0.1:{port}/socket", compression=None, **options)
    return made
