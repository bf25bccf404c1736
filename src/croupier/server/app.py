"""The application: pages, the JSON routes and the sockets, around one pit."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import cast

from fastapi import Depends, FastAPI

from croupier import __version__
from croupier.gallery.galleries import Galleries
from croupier.house.pit import Pit
from croupier.house.tasks import Tasks
from croupier.ledger.store import Unavailable
from croupier.server import sockets
from croupier.server.attendance import Attendance
from croupier.server.faults import answer_errors
from croupier.server.guard import MESSAGES
from croupier.server.limits import Rate
from croupier.server.pages import player as player_pages
from croupier.server.pages import practice as practice_pages
from croupier.server.pages import staff as staff_pages
from croupier.server.pages import tables as table_pages
from croupier.server.pages.mount import mount
from croupier.server.passing import nowhere
from croupier.server.people import People
from croupier.server.practices import Practices
from croupier.server.quotas import Quotas
from croupier.server.reviews import Reviews
from croupier.server.routes import access, awards, health, staff, tables
from croupier.server.routes import pit as pit_routes
from croupier.server.staff import Staff
from croupier.server.state import AppState
from croupier.server.tapes import ActsTape, Winnings
from croupier.server.voids import VoidCounts


def make_app(
    pit: Pit,
    people: People,
    *,
    folders: Sequence[Path] = (),
    messages: Rate = MESSAGES,
    quotas: Quotas | None = None,
) -> FastAPI:
    """Return the application, whose lifespan starts and stops the pit."""
    galleries, tasks = Galleries(pit), Tasks()
    attendance = Attendance(galleries, people)

    def recheck(person: str) -> None:
        if galleries.has(person):
            tasks.begin(_recheck(galleries, people, person))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        galleries.open()  # Before: other processes ask for a table as soon as it is taken up.
        await pit.start()
        for table in pit.tables.values():
            attendance.come(table)
        pit.open.on_open.append(attendance.come)
        pit.open.on_close.append(attendance.leave)
        await attendance.settled()
        try:
            yield
        finally:
            state.winnings.stop()
            await attendance.stop()
            await state.practices.close()
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
        dependencies=[Depends(access.spend)],
    )
    state = cast(AppState, app.state)
    state.pit, state.people, state.messages = pit, people, messages
    state.galleries, state.reviews = galleries, Reviews(pit)
    state.quotas, state.staff = quotas, Staff(people, pit.catalogue.new)
    if quotas and pit.tenure.is_shared:
        quotas.share = people.counting
    state.voids = VoidCounts(pit)
    state.practices = Practices(pit.rules_of, node=lambda: pit.tenure.name)
    state.tape, state.winnings = ActsTape(pit), Winnings(pit)
    state.everywhere = nowhere
    people.sessions.on_ended = galleries.end
    people.sessions.on_named = galleries.name
    people.sessions.on_changed = recheck
    pit.acts.listeners.append(people.sessions.hear)
    answer_errors(app)
    pages = table_pages.router, player_pages.router, staff_pages.router
    practice = practice_pages.router, practice_pages.api
    first = access.router, staff.router, awards.router, pit_routes.router
    routes = *first, health.router, tables.router
    for router in (*routes, sockets.router, *practice, *pages):
        app.include_router(router)
    desk = mount(app, folders)
    return app


async def _recheck(galleries: Galleries, people: People, person: str) -> None:
    """Close a person's sockets whose sessions ended in another process."""
    try:
        galleries.keep(person, await people.sessions.of(person))
    except Unavailable:
        galleries.end(person)  # They can come back once the database is.
