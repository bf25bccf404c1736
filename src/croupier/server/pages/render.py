"""Pages as HTML and their JSON counterparts.

Templates escape all values, and a missing name is an error. Every response has an ETag, so a
browser with a current copy gets a 304.

A page is compressed if its URL has no query, or one that is a fixed word: nothing that a stranger
put into a link is in it, so its length tells them nothing about what else the page says. JSON is
compressed only if it says the same to everybody.
"""

import gzip
import hashlib
import json
import re
from decimal import Decimal
from functools import cache
from typing import Any
from urllib.parse import quote, urlencode

from fastapi import Request, Response
from jinja2 import Environment, PackageLoader, StrictUndefined

from croupier import __version__
from croupier.rules.words import clause_says, edge_says

HTML, JSON = "text/html; charset=utf-8", "application/json"
FRAGMENT = "X-Fragment"
"""The header with which a script requests just the part of a page that changes."""

FIXED = (b"", b"play")
"""The queries in which nobody can say anything; `play` asks for a seat."""


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
    made.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}
    made.filters["anchor"] = anchor
    made.filters["clause"] = clause_says
    made.filters["edge"] = edge_says
    made.filters["money"] = money
    made.filters["signed"] = signed
    made.filters["sentence"] = sentence
    made.filters["plainly"] = plainly
    made.globals["query"] = query
    made.globals["zip"] = zip
    made.globals["version"] = __version__
    return made


def anchor(clause: str) -> str:
    """Return the HTML id of a clause on its book's page: `clause-7.F(2)`."""
    return f"clause-{re.sub(r'[^A-Za-z0-9./()_-]', '-', clause)}"


def money(dollars: str) -> str:
    """Write a sum as people do: `1000.00` as `$1,000`, `-2.50` as `−$2.50`."""
    sum = Decimal(dollars)
    said = f"{abs(sum):,.2f}".removesuffix(".00")
    return f"\N{MINUS SIGN}${said}" if sum < 0 else f"${said}"


def signed(dollars: str) -> str:
    """Write a sum with its sign: `+$5`."""
    return f"+{money(dollars)}" if Decimal(dollars) > 0 else money(dollars)


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
    context = {"here": request.scope["path"], "json": None, **values}
    return _fit(request, made.render(context).encode(), HTML, status=status)


def document(request: Request, value: Any, *, is_public: bool = False) -> Response:
    """Return a JSON document, formatted as on the command line.

    A public one says the same to everybody, and is compressed.
    """
    text = json.dumps(value, indent=2, ensure_ascii=False) + "\n"
    send = _fit if is_public else respond
    return send(request, text.encode(), JSON, status=200)


def _fit(request: Request, body: bytes, kind: str, *, status: int) -> Response:
    """Return bytes, compressed where that is accepted and tells a stranger nothing."""
    accepted = request.headers.get("Accept-Encoding", "")
    if request.scope["query_string"] not in FIXED or not accepts(accepted, "gzip"):
        return respond(request, body, kind, status=status)
    return packed(request, gzip.compress(body, mtime=0), kind, status=status)


def respond(request: Request, body: bytes, kind: str, *, status: int = 200) -> Response:
    """Return bytes with their ETag, or a 304 if the browser has them."""
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": etag, "Cache-Control": "no-cache", "Vary": f"Accept-Encoding, {FRAGMENT}"}
    if status == 200 and etag in request.headers.get("If-None-Match", ""):
        return Response(status_code=304, headers=headers)
    return Response(body, status_code=status, media_type=kind, headers=headers)


def packed(
    request: Request, body: bytes, kind: str, *, coding: str = "gzip", status: int = 200
) -> Response:
    """Return bytes that are compressed already, with their ETag."""
    response = respond(request, body, kind, status=status)
    if response.status_code != 304:
        response.headers["Content-Encoding"] = coding
    return response


def accepts(header: str, wanted: str) -> bool:
    """Return whether an Accept-Encoding header names a coding, with a weight above zero."""
    for part in header.lower().split(","):
        coding, _, weight = part.partition(";")
        if coding.strip() == wanted:
            return weight.replace(" ", "").rstrip("0.") != "q="
    return False
