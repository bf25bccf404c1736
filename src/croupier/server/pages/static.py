"""Styles, ES modules and pictures that ship with the package.

Each file is read and made lean once, when the pages are mounted, and compressed when it is first
requested.
"""

import gzip
import mimetypes
from collections.abc import Callable
from functools import cache, partial
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import NamedTuple

import brotli
from fastapi import APIRouter, HTTPException, Request, Response

from croupier.server.pages.bundles import lean, tight, together
from croupier.server.pages.render import accepts, packed, respond
from croupier.svg import deck_svg

router = APIRouter(include_in_schema=False)

_KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
CARDS, ICON = "cards.svg", "favicon.svg"
SHEETS = {
    "site.css": ("style.css", "head.css", "pieces.css"),
    "layout.css": ("style.css", "felt.css", "seats.css", "table.css"),
    "over.css": ("pieces.css", "drawers.css", "bank.css"),
}
"""Styles that are always needed together, as one: of a page, of a table, of what opens over it.

Compressed together they are smaller.
"""
BUNDLES = {
    "core": (
        *("api", "money", "hands", "dom", "motion", "state", "places", "view", "shown"),
        *("messages", "elements", "seat", "shared", "socket", "felt"),
    ),
    "table": ("bets", "care", "commands", "extras", "ring", "settings", "speech", "table"),
    "cut": ("proof", "cut"),
}
"""Modules that a table's page always needs together, as one: to watch, to play, with a seat.

Under `table/` its modules import from these; for other pages each module is a file of its own.
"""


class File(NamedTuple):
    """A static file, plain and compressed."""

    plain: bytes
    kind: str


@router.get("/static/{path:path}")
def static(request: Request, path: str) -> Response:
    """Return a file; browsers revalidate their copy each time."""
    file = shipped().get(path)
    if file is None:
        raise HTTPException(404)
    return _send(request, file)


@router.get("/cards.svg")
def cards(request: Request) -> Response:
    """Return all cards in one SVG."""
    return _send(request, shipped()[CARDS])


@router.get("/favicon.ico")
def icon(request: Request) -> Response:
    """Return the icon that browsers request on their own."""
    return _send(request, shipped()[ICON])


def _send(request: Request, file: File) -> Response:
    accepted = request.headers.get("Accept-Encoding", "")
    coding = next((coding for coding in _CODINGS if accepts(accepted, coding)), None)
    if coding:
        response = packed(request, _compressed(file.plain, coding), file.kind, coding=coding)
    else:
        response = respond(request, file.plain, file.kind)
    response.headers["Vary"] = "Accept-Encoding"
    return response


_CODINGS: dict[str, Callable[[bytes], bytes]] = {
    "br": brotli.compress,
    # Without a timestamp, a file has the same bytes and the same ETag on every machine.
    "gzip": partial(gzip.compress, mtime=0),
}
"""How files are compressed, the smallest first."""


@cache
def _compressed(body: bytes, coding: str) -> bytes:
    return _CODINGS[coding](body)


@cache
def shipped() -> dict[str, File]:
    """Return every static file by its path; no other path is served."""
    found = {CARDS: _file(CARDS, deck_svg().encode())}

    def walk(folder: Traversable, above: str) -> None:
        for entry in folder.iterdir():
            if entry.is_dir():
                walk(entry, f"{above}{entry.name}/")
            else:
                found[above + entry.name] = _file(entry.name, _sent(entry))

    walk(files("croupier.web") / "static", "")
    for name, parts in SHEETS.items():
        found[name] = _file(name, b"".join(found[part].plain for part in parts))
    modules = {
        path.removeprefix("js/").removesuffix(".js"): file.plain.decode()
        for path, file in found.items()
        if path.startswith("js/") and path.endswith(".js")
    }
    homes = {part: name for name, parts in BUNDLES.items() for part in parts}
    for name in {*modules, *BUNDLES}:
        text = together(BUNDLES.get(name, (name,)), modules, homes)
        found[f"table/{name}.js"] = _file(f"{name}.js", text.encode())
    return found


def _sent(entry: Traversable) -> bytes:
    """Return what of a file is sent."""
    shorten = {"js": lean, "css": tight}.get(entry.name.rpartition(".")[2])
    return shorten(entry.read_text("utf-8")).encode() if shorten else entry.read_bytes()


def _file(name: str, body: bytes) -> File:
    return File(body, _kind_of(name))


def _kind_of(name: str) -> str:
    """Return a file's media type; text is UTF-8."""
    ending = f".{name.rpartition('.')[2]}"
    kind = _KINDS.get(ending) or mimetypes.types_map.get(ending, "application/octet-stream")
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
