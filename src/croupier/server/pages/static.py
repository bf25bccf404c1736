"""Styles, ES modules and pictures: what the package ships, read once, and nothing else."""

import mimetypes
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from fastapi import APIRouter, Request, Response

from croupier.server.pages.render import respond

router = APIRouter(include_in_schema=False)

_KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
ICON = "favicon.svg"


@router.get("/static/{path:path}")
def static(request: Request, path: str) -> Response:
    """Return a file; a browser asks each time whether its copy is still good."""
    body = shipped().get(path)
    if body is None:
        return Response("There is no such file.\n", status_code=404, media_type="text/plain")
    return respond(request, body, kind_of(path))


@router.get("/favicon.ico")
def icon(request: Request) -> Response:
    """Return the picture that browsers ask for unasked."""
    return respond(request, shipped()[ICON], kind_of(ICON))


@cache
def shipped() -> dict[str, bytes]:
    """Return every static file by its path; a path that is not here leads nowhere."""
    found: dict[str, bytes] = {}

    def walk(folder: Traversable, above: str) -> None:
        for entry in folder.iterdir():
            if entry.is_dir():
                walk(entry, f"{above}{entry.name}/")
            else:
                found[above + entry.name] = entry.read_bytes()

    walk(files("croupier.web") / "static", "")
    return found


def kind_of(path: str) -> str:
    """Return the media type of a file; texts are UTF-8."""
    ending = f".{path.rpartition('.')[2]}"
    kind = _KINDS.get(ending) or mimetypes.types_map.get(ending, "application/octet-stream")
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
