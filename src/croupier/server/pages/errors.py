"""Errors for people: a page in plain words for browsers, JSON for programs.

A browser says that it accepts HTML. Paths under `/api/` and those that end in `.json` are data
for browsers too.
"""

from base64 import b64encode
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from http import HTTPStatus
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import quote

from fastapi import Request, Response

from croupier.errors import Breaches, Code, UserError
from croupier.server.headers import POLICY
from croupier.server.pages.render import page
from croupier.server.pages.shelf import Busy

FieldFault = Mapping[str, str | None]
"""A fault of one field: its name, a sentence, and the clause that it breaks."""


class Words(NamedTuple):
    """What an error page says."""

    title: str
    says: str
    again: bool = False
    """Whether the same request may work in a moment."""


_WORDS = {
    400: Words("We can't read that address", "Part of it is missing, mistyped or out of range."),
    401: Words("Sign in first", "This page is for players who are signed in."),
    403: Words("You can't open this", "You aren't allowed to, or the link doesn't work any more."),
    404: Words("There is no such page", "It may have closed, or the address is mistyped."),
    405: Words("That isn't how this page works", "Open it from its link instead."),
    409: Words("Not right now", "What you asked for isn't possible at this moment."),
    413: Words("That is too much at once", "Send less, and it will work."),
    415: Words("We can't read that", "The request isn't in a format that we know."),
    421: Words(
        "This server has another name", "Use the address that it printed when it was started."
    ),
    422: Words("We can't read that address", "Part of it is missing, mistyped or out of range."),
    429: Words("One moment, please", "Too many requests have come from your address.", again=True),
    500: Words(
        "Something broke on our side",
        "It wasn't your doing, and it has been logged. Bets and payouts are stored before you see "
        "them, so no chips are lost.",
        again=True,
    ),
    503: Words(
        "We can't answer right now",
        "The server is busy. Your chips and your seat are safe.",
        again=True,
    ),
}
_OTHER = Words("That didn't work", "The server refused the request.")
_ALONE = (421, 429)
"""Where the style sheets of a page would be refused like the page, it carries its own."""


def wants_page(request: Request) -> bool:
    """Whether a browser asks for a page, rather than a program for data."""
    path: str = request.scope["path"]
    is_data = path.startswith("/api/") or path.endswith(".json")
    return not is_data and "text/html" in request.headers.get("accept", "")


def error_page(request: Request, status: int, faults: Sequence[FieldFault]) -> Response:
    """Return a page that explains an error in plain words and offers a way on."""
    words = _WORDS.get(status, _OTHER)
    phrase = HTTPStatus(status).phrase.lower()  # A fault like `not found` says no more.
    response = page(
        request,
        "error",
        status=status,
        code=status,
        words=words,
        faults=[one for one in faults if one["message"] != phrase],
        again=_again(request) if words.again and request.method in ("GET", "HEAD") else None,
        style=_style() if status in _ALONE else "",
    )
    response.headers["Cache-Control"] = "no-store"
    if status in _ALONE:
        digest = b64encode(sha256(_style().encode()).digest()).decode()
        allowed = POLICY.replace("style-src 'self'", f"style-src 'self' 'sha256-{digest}'")
        response.headers["Content-Security-Policy"] = allowed
    return response


@cache
def _style() -> str:
    return files("croupier.web").joinpath("static/alone.css").read_text()


def _again(request: Request) -> str:
    """Return the address of a request; never one on another host, which `//host` would be."""
    path: str = request.scope["path"]
    asked = request.scope["query_string"].decode("latin-1")
    return "/" + quote(path.lstrip("/\\")) + (f"?{asked}" if asked else "")


# ---------------------------------------------------------------- questions that have no answer


def code_of(error: Exception) -> Code:
    """Return the code for a question that has no answer."""
    match error:
        case UserError(field="rulebook"):
            return Code.NOT_FOUND
        case UserError():
            return Code.BAD_QUERY
        case _:
            return Code.BUSY


def status_of(error: Exception) -> int:
    """Return the HTTP status for a question that has no answer.

    A server with too many questions waiting is a 503; `busy` is a 429 where it is the caller who
    asks too much.
    """
    code = code_of(error)
    return Code.UNAVAILABLE.status if code is Code.BUSY else code.status


def faults_of(error: Exception) -> list[FieldFault]:
    """Return each fault with its query field and clause."""
    match error:
        case Breaches(breaches=breaches):
            return [
                {"field": f"select.{b.selection}", "message": b.message, "clause": b.clause}
                for b in breaches
            ]
        case UserError(message=message, field=field, clause=clause):
            name = field.replace(" ", ".", 1) if field else None
            return [{"field": name, "message": message, "clause": clause}]
        case Busy():
            message = "The server is busy with other questions. Try again shortly."
            return [{"field": None, "message": message, "clause": None}]
        case _:
            return [{"field": None, "message": str(error), "clause": None}]
