"""Server-rendered pages that need no live table: rulebooks, odds, and what they are dressed in."""

from collections.abc import Sequence
from pathlib import Path

from fastapi import FastAPI

from croupier.server.pages import odds, rulebooks, static
from croupier.server.pages.desk import Desk


def mount(app: FastAPI, folders: Sequence[Path] = ()) -> Desk:
    """Put the pages into an application; the desk that comes back is to be closed with it."""
    desk = app.state.desk = Desk(folders)
    for router in (static.router, rulebooks.router, odds.router):
        app.include_router(router)
    return desk
