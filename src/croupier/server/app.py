"""The application: pages, the JSON routes and the sockets, around one pit."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI

from croupier import __version__
from croupier.gallery.galleries import Galleries
from croupier.house.pit import Pit
from croupier.ledger.store import Unavailable
from croupier.server import sockets
from croupier.server.bots import house_players
from croupier.server.faults import answer_errors
from croupier.server.guard import MESSAGES, Guard, Policy
from croupier.server.limits import Rate
from croupier.server.pages import mount
from croupier.server.pages import player as player_pages
from croupier.server.pages import tables as table_pages
from croupier.server.people import People
from croupier.server.quotas import Quotas
from croupier.server.registry import PLAYER
from croupier.server.reviews import Reviews
from croupier.server.routes import access, health, tables


def make_app(
    pit: Pit,
    people: People,
    *,
    folders: Sequence[Path] = (),
    messages: Rate = MESSAGES,
    quotas: Quotas | None = None,
) -> FastAPI:
    """Return the application, whose lifespan starts and stops the pit."""
    galleries = Galleries(pit)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await pit.start()
        galleries.open()
        await _learn_names(galleries, people)
        players = [asyncio.create_task(player.run()) for player in house_players(galleries)]
        try:
            yield
        finally:
            for task in players:
                task.cancel()
            for task in players:
                with contextlib.suppress(asyncio.CancelledError):
                    await task
            app.state.open_rounds = await pit.stop()
            galleries.close()
            desk.close()

    # FastAPI's documentation pages load scripts from other hosts; ours load none.
    app = FastAPI(
        title="Croupier",
        version=__version__,
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    app.state.pit, app.state.people, app.state.messages = pit, people, messages
    app.state.galleries, app.state.reviews = galleries, Reviews(pit)
    app.state.quotas = quotas
    people.on_ended = galleries.end
    people.on_named = galleries.name
    people.on_changed = _Rechecking(galleries, people).check
    pit.acts.listeners.append(people.hear)
    answer_errors(app)
    pages = table_pages.router, player_pages.router
    for router in (access.router, health.router, tables.router, sockets.router, *pages):
        app.include_router(router)
    desk = mount(app, folders)
    return app


def guarded(app: FastAPI, policy: Policy | None = None) -> Guard:
    """Wrap the application in its guard."""
    return Guard(app, policy)


async def _learn_names(galleries: Galleries, people: People) -> None:
    """Look up the names of the players who sit at the tables."""
    tables = galleries.pit.tables.values()
    seated = {p for table in tables for p in table.place.standing.table.seats.values()}
    for player in sorted(seated):
        if person := await people.find(player):
            galleries.names[player] = person.name
            plays = PLAYER in person.roles
            galleries.pit.bar(player, disabled=person.disabled, plays=plays)


class _Rechecking:
    """Closes sockets whose sessions ended in another process, once it is heard of here."""

    def __init__(self, galleries: Galleries, people: People) -> None:
        self._galleries, self._people = galleries, people
        self._tasks: set[asyncio.Task[None]] = set()

    def check(self, person: str) -> None:
        if self._galleries.has(person):
            task = asyncio.create_task(self._check(person))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

    async def _check(self, person: str) -> None:
        try:
            self._galleries.keep(person, await self._people.sessions_of(person))
        except Unavailable:
            self._galleries.end(person)  # They can come back once the database is.
