"""Error responses: one sentence, a code, the field, the clause; browsers get a page.

Input is never echoed: it may be a password. An internal error is a 500 that says only that it is
ours.
"""

import json
from collections.abc import Callable, Coroutine, Mapping, Sequence
from http import HTTPStatus
from math import ceil
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from croupier.errors import Code, CroupierError, Refused, UserError, quoted_field
from croupier.ledger.store import Unavailable
from croupier.server.limits import TooMany
from croupier.server.pages.errors import (
    FieldFault,
    code_of,
    error_page,
    faults_of,
    status_of,
    wants_page,
)
from croupier.server.pages.shelf import Busy

AGAIN_S = 2.0


class Fault(BaseModel):
    code: str
    message: str
    field: str | None = None
    clause: str | None = None


class FaultBody(BaseModel):
    """The body of every response with a status of 400 or more."""

    error: Fault
    faults: list[dict[str, str | None]] | None = None
    """All faults of a question in an address; left out elsewhere."""


RESPONSES: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": FaultBody, "description": "What is wrong, in one sentence."},
    "503": {"model": FaultBody, "description": "The ledger does not answer; try again."},
}
"""For routers: declares the error responses in OpenAPI."""


def answer(
    request: Request,
    status: int,
    fault: Fault,
    headers: Mapping[str, str] | None = None,
    *,
    faults: Sequence[FieldFault] = (),
) -> Response:
    """Return an error response: a page for a browser, JSON for a program.

    A question can have several faults; `fault` is then the first of them.
    """
    if wants_page(request):
        # Refusals are whole sentences; other faults go on from the name of their field.
        field = fault.field if fault.code == Code.INVALID else None
        shown = faults or [{**fault.model_dump(), "field": field}]
        response = error_page(request, status, shown)
        response.headers.update(headers or {})
        return response
    more = {"faults": [*faults]} if faults else {}
    body = json.dumps({"error": fault.model_dump(), **more}).encode()
    return Response(body, status, headers, "application/json")


def refused(request: Request, error: CroupierError | Busy) -> Response:
    """Say everything that is wrong with a question in an address."""
    faults = faults_of(error)
    first = Fault.model_validate({"code": code_of(error), **faults[0]})
    return answer(request, status_of(error), first, faults=faults)


class QuestionRoute(APIRoute):
    """A route that refuses a question in an address with everything that is wrong with it."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def answered(request: Request) -> Response:
            try:
                return await handle(request)
            except (CroupierError, Busy) as error:
                return refused(request, error)

        return answered


def unreachable(request: Request, message: str) -> Response:
    """Say that a request can't be answered now, and when to try again."""
    fault = Fault(code=Code.UNAVAILABLE, message=message)
    return answer(request, Code.UNAVAILABLE.status, fault, wait_header(AGAIN_S))


def wait_header(wait_s: float) -> dict[str, str]:
    """Return the Retry-After header."""
    return {"retry-after": str(max(1, ceil(wait_s)))}


def answer_errors(app: FastAPI) -> None:
    """Make an application answer every error in the same format."""
    app.add_exception_handler(UserError, _refused)
    app.add_exception_handler(
        Unavailable, lambda request, _: unreachable(request, Code.UNAVAILABLE.says)
    )
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    # The guard logs it.
    app.add_exception_handler(
        Exception, lambda request, _: answer(request, Code.INTERNAL.status, OURS)
    )


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, UserError)
    code = error.code if isinstance(error, Refused) else Code.INVALID
    status = code.status if isinstance(code, Code) else HTTPStatus.CONFLICT
    field = quoted_field(error.field) if error.field else None
    fault = Fault(code=code, message=error.message, field=field, clause=error.clause)
    wait = wait_header(error.wait_s) if isinstance(error, TooMany) else None
    return answer(request, status, fault, wait)


def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    # The first part is the place: body, path, query.
    path = ".".join(str(part) for part in first["loc"][1:])
    field = quoted_field(path) if path else None
    fault = Fault(code=Code.INVALID, message=_invalid_says(first), field=field)
    return answer(request, Code.INVALID.status, fault)


_INVALID = {
    "missing": "is missing",
    "extra_forbidden": "isn't known here",
    "json_invalid": "isn't JSON",
    "bool_parsing": "must be true or false",
    "bool_type": "must be true or false",
    "int_parsing": "must be a whole number",
    "int_type": "must be a whole number",
    "int_from_float": "must be a whole number",
    "float_parsing": "must be a number",
    "float_type": "must be a number",
    "string_type": "must be text",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "isn't written as expected",
    "list_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "too_long": "must have at most {max_length} entries",
    "too_short": "must have at least {min_length} entries",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    "greater_than": "must be more than {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be less than {lt}",
    "less_than_equal": "must be at most {le}",
}
"""What is said after the name of a field, by pydantic's kind of error and with its bounds."""


def _invalid_says(error: Mapping[str, Any]) -> str:
    """Say what is wrong with a field; what was given is never repeated."""
    if said := _INVALID.get(error["type"]):
        return said.format(**error.get("ctx", {}))
    message = str(error["msg"])
    return message[:1].lower() + message[1:]


def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.detail, dict):
        fault = Fault(**error.detail)
    else:
        phrase = HTTPStatus(error.status_code).phrase.lower()
        fault = Fault(code=phrase.replace(" ", "_"), message=phrase)
    return answer(request, error.status_code, fault, error.headers)


OURS = Fault(code=Code.INTERNAL, message=Code.INTERNAL.says)
