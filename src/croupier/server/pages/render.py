"""Pages as HTML and their JSON counterparts.

Templates escape all values, and a missing name is an error. Every response has an ETag, so a
browser with a current copy gets a 304.

A page is compressed if its URL has no query: nothing that a stranger put into a link is in it, so
its length tells them nothing about what else the page says. JSON is never compressed.
"""

import gzip
import hashlib
import json
import re
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from croupier import __version__
from croupier.errors import Breaches, CroupierError, UserError
from croupier.server.pages.desk import Busy

HTML, JSON = "text/html; charset=utf-8", "application/json"
_KINDS = {"bad_query": 400, "not_found": 404, "busy": 503}
Fault = dict[str, str | None]
"""A fault: the query field, a sentence, and the clause that it breaks."""
FRAGMENT = "X-Fragment"
"""The header with which a script requests just the part of a page that changes."""


@cache
def environment() -> Environment:
    """Return the template environment, with the filters that the pages share."""
    made = Environment(
        loader=PackageLoader("croupier.web"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    made.filters["anchor"] = anchor
    made.filters["sentence"] = sentence
    made.filters["plainly"] = plainly
    made.globals["query"] = query
    made.globals["version"] = __version__
    return made


def anchor(clause: str) -> str:
    """Return the HTML id of a clause on its book's page: `clause-7.F(2)`."""
    return f"clause-{re.sub(r'[^A-Za-z0-9./()_-]', '-', clause)}"


def sentence(text: str) -> str:
    """Capitalize the first letter."""
    return text[:1].upper() + text[1:]


def plainly(name: str) -> str:
    """Return a name from the data in plain words: `five_card` as `five card`."""
    return name.replace("_", " ")


def query(path: str, items: Any) -> str:
    """Return a URL with a query string, leaving out empty values."""
    pairs = items.items() if isinstance(items, dict) else items
    words = urlencode([(k, v) for k, v in pairs if v != ""], safe="/()[]", quote_via=quote)
    return f"{path}?{words}" if words else path


def page(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """Return a page; `json` among the values is the URL of its JSON counterpart."""
    made = environment().get_template(f"{template}.html")
    context = {"here": request.url.path, "json": None, **values}
    body = made.render(context).encode()
    accepted = request.headers.get("Accept-Encoding", "")
    if request.url.query or not accepts_gzip(accepted):
        return respond(request, body, HTML, status=status)
    return packed(request, gzip.compress(body, mtime=0), HTML, status=status)


def document(request: Request, value: Any, *, status: int = 200) -> Response:
    """Return a JSON document, formatted as on the command line."""
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    return respond(request, text.encode(), JSON, status=status)


def respond(request: Request, body: bytes, kind: str, *, status: int = 200) -> Response:
    """Return bytes with their ETag, or a 304 if the browser has them."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache", "Vary": f"Accept-Encoding, {FRAGMENT}"}
    if status == 200 and etag in request.headers.get("If-None-Match", ""):
        return Response(status_code=304, headers=headers)
    return Response(body, status_code=status, media_type=kind, headers=headers)


def packed(request: Request, gzipped: bytes, kind: str, *, status: int = 200) -> Response:
    """Return bytes that are gzip-compressed already, with their ETag."""
    response = respond(request, gzipped, kind, status=status)
    if response.status_code != 304:
        response.headers["Content-Encoding"] = "gzip"
    return response


def accepts_gzip(header: str) -> bool:
    """Return whether an Accept-Encoding header names gzip, with a weight above zero."""
    for part in header.lower().split(","):
        coding, _, weight = part.partition(";")
        if coding.strip() == "gzip":
            return weight.replace(" ", "").rstrip("0.") != "q="
    return False


# ---------------------------------------------------------------- errors


def status_of(error: Exception) -> int:
    """Return the HTTP status for an error."""
    return _KINDS[_kind(error)]


def _kind(error: Exception) -> str:
    match error:
        case UserError(field="rulebook"):
            return "not_found"
        case UserError():
            return "bad_query"
        case _:
            return "busy"


def faults_of(error: Exception) -> list[Fault]:
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


def refused(request: Request, error: CroupierError | Busy) -> Response:
    """Show what is wrong with a request, as a page or as JSON."""
    faults, status = faults_of(error), status_of(error)
    if request.url.path.endswith(".json"):
        first = {"code": _kind(error), **faults[0]}
        return document(request, {"error": first, "faults": faults}, status=status)
    return page(request, "refused", status=status, faults=faults)
