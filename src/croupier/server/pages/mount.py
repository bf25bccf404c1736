"""Mounts the pages that need no live table: rulebooks, odds, templates and styles."""

from collections.abc import Sequence
from pathlib import Path

from fastapi import FastAPI

from croupier.server.pages import odds, rulebooks, static
from croupier.server.pages.shelf import Shelf


def mount(app: FastAPI, folders: Sequence[Path] = ()) -> Shelf:
    """Add the pages to an application; close the shelf that is returned along with it."""
    shelf = app.state.shelf = Shelf(folders)
    static.shipped()
    for router in (static.router, rulebooks.router, odds.router):
        app.include_router(router)
    return shelf
