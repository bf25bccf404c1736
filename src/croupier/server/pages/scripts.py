"""Modules and styles of the tables, without what only their readers need: comments, indentation.

There is nothing to build: a file is read from the package and cut once, when it is first asked
for. A table page stays small on a slow line.
"""

import re
from functools import cache

from fastapi import APIRouter, HTTPException, Request, Response

from croupier.server.pages.render import respond
from croupier.server.pages.static import kind_of, shipped

router = APIRouter(include_in_schema=False)

_BLOCK = re.compile(r"/\*(?:(?!\*/).)*\*/ ?", re.DOTALL)
_LINE = re.compile(r"^\s*//.*$", re.MULTILINE)
_INDENT = re.compile(r"\n\s+")
_OPEN = re.compile(r"(?<=[({\[,])\n")
"""The end of a line where nothing can end: after what opens, and after a comma."""
_AROUND = re.compile(r"\s*([{};,])\s+|(:)\s+")


@router.get("/js/{name}")
def script(request: Request, name: str) -> Response:
    """Return a module."""
    return _respond(request, f"js/{name}")


@router.get("/css/{name}")
def style(request: Request, name: str) -> Response:
    """Return a style sheet."""
    return _respond(request, name)


def _respond(request: Request, path: str) -> Response:
    if path not in shipped() or not path.endswith((".js", ".css")):
        raise HTTPException(404)
    return respond(request, cut(path), kind_of(path))


@cache
def cut(path: str) -> bytes:
    """Return a file without comments and indentation."""
    text = _BLOCK.sub("", shipped()[path].decode())
    if path.endswith(".css"):
        text = _AROUND.sub(lambda m: m[1] or m[2], text)
    lines = _INDENT.sub("\n", _LINE.sub("", text)).strip()
    return (_OPEN.sub("", lines) + "\n").encode()
