"""Pages as HTML and their twins as JSON: one environment of templates, one way to respond.

Whatever is put into a template is escaped, and a name that is missing is a fault. Every response
carries the hash of its body, so that a browser that has it already is told so in a few bytes.
"""

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
"""What is wrong: the field of the address, a sentence, and the clause that it breaks."""
FRAGMENT = "X-Fragment"
"""The header by which a module asks for the changing part of a page alone."""


@cache
def environment() -> Environment:
    """Return the templates of the pages, with the few words that they share."""
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
    """Return the id under which a clause stands on its book's page: `clause-7.F(2)`."""
    return f"clause-{re.sub(r'[^A-Za-z0-9./()_-]', '-', clause)}"


def sentence(text: str) -> str:
    """Begin with a capital letter."""
    return text[:1].upper() + text[1:]


def plainly(name: str) -> str:
    """Return a name of the data as people read it: `five_card` as `five card`."""
    return name.replace("_", " ")


def query(path: str, items: Any) -> str:
    """Return an address with a query; what is empty is left out."""
    pairs = items.items() if isinstance(items, dict) else items
    words = urlencode([(k, v) for k, v in pairs if v != ""], safe="/()[]", quote_via=quote)
    return f"{path}?{words}" if words else path


def page(request: Request, template: str, *, status: int = 200, **values: Any) -> Response:
    """Return a page; `json` among the values is the address of its twin."""
    made = environment().get_template(f"{template}.html")
    context = {"here": request.url.path, "json": None, **values}
    return respond(request, made.render(context).encode(), HTML, status=status)


def document(request: Request, value: Any, *, status: int = 200) -> Response:
    """Return one JSON document, written as the command line writes it."""
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    return respond(request, text.encode(), JSON, status=status)


def respond(request: Request, body: bytes, kind: str, *, status: int = 200) -> Response:
    """Return bytes with their hash, or word that the browser has them."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache", "Vary": f"Accept-Encoding, {FRAGMENT}"}
    if status == 200 and etag in request.headers.get("If-None-Match", ""):
        return Response(status_code=304, headers=headers)
    return Response(body, status_code=status, media_type=kind, headers=headers)


# ---------------------------------------------------------------- what goes wrong


def status_of(error: Exception) -> int:
    """Return the status that says what kind of fault it is."""
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
    """Return each fault with the field of the address that it is about, and its clause."""
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
            message = "Many questions are being worked out at this moment. Ask again shortly."
            return [{"field": None, "message": message, "clause": None}]
        case _:
            return [{"field": None, "message": str(error), "clause": None}]


def refused(request: Request, error: CroupierError | Busy) -> Response:
    """Say in a page, or in its twin, what is wrong with a request."""
    faults, status = faults_of(error), status_of(error)
    if request.url.path.endswith(".json"):
        first = {"code": _kind(error), **faults[0]}
        return document(request, {"error": first, "faults": faults}, status=status)
    return page(request, "refused", status=status, faults=faults)
