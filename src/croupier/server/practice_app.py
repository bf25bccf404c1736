"""The application behind `croupier practice`: one practice table, the books, and nothing else."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import FastAPI
from starlette.responses import RedirectResponse

from croupier.ledger.audit import RulesOf
from croupier.server.faults import answer_errors
from croupier.server.guard import MESSAGES
from croupier.server.pages import practice as pages
from croupier.server.pages.mount import mount
from croupier.server.practices import Practices, PracticeWanted


def practice_app(
    rules_of: RulesOf,
    wanted: PracticeWanted,
    *,
    folders: Sequence[Path],
    opened: Callable[[str], None],
) -> FastAPI:
    """Return the application; it calls `opened` with the path of its practice table."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        practice = await practices.open(wanted)
        opened(f"/practice/{practice.token}")
        try:
            yield
        finally:
            app.state.report = practice.report()
            await practices.close()
            desk.close()

    app = FastAPI(title="Croupier", lifespan=lifespan, docs_url=None, redoc_url=None)
    practices = app.state.practices = Practices(rules_of)
    app.state.messages = MESSAGES
    answer_errors(app)
    app.include_router(pages.router)
    app.include_router(pages.api)

    @app.get("/", include_in_schema=False)
    async def home() -> RedirectResponse:
        return RedirectResponse("/practice")

    desk = mount(app, folders)
    return app
