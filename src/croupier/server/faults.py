"""What is answered when something is wrong: one sentence, a code, the field, the clause.

What was given is never repeated: it may be a password. An error of ours is a 500 that says nothing
but that it is ours.
"""

import json
from collections.abc import Mapping
from http import HTTPStatus
from math import ceil
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from croupier.errors import Refused, UserError, quoted_field
from croupier.ledger.store import Unavailable
from croupier.server.limits import TooMany

STATUS = {
    "bad_link": 403,
    "bad_name": 422,
    "bad_password": 422,
    "busy": 429,
    "locked": 429,
    "name_taken": 409,
    "no_such_meter": 404,
    "no_such_person": 404,
    "no_such_role": 422,
    "no_such_table": 404,
    "not_allowed": 403,
    "not_signed_in": 401,
    "too_many": 429,
    "wrong_password": 403,
    "wrong_sign_in": 401,
}
"""The status of a refusal by its code; of all others it is 409: not at this moment."""
REFUSED = 409
AGAIN_S = 2.0


class Fault(BaseModel):
    code: str
    message: str
    field: str | None = None
    clause: str | None = None


class FaultBody(BaseModel):
    """What every answer with a status from 400 on holds."""

    error: Fault


RESPONSES: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": FaultBody, "description": "What is wrong, in one sentence."},
    "503": {"model": FaultBody, "description": "The ledger does not answer; try again."},
}
"""For routers: their OpenAPI says what comes when something is wrong."""


def fault_bytes(fault: Fault) -> bytes:
    """Return the body of an answer."""
    return json.dumps({"error": fault.model_dump()}).encode()


def answer(status: int, fault: Fault, headers: Mapping[str, str] | None = None) -> Response:
    """Return an answer that says what is wrong."""
    return Response(fault_bytes(fault), status, headers, "application/json")


def wait_header(wait_s: float) -> dict[str, str]:
    """Return the header that says when to come again."""
    return {"retry-after": str(max(1, ceil(wait_s)))}


def answer_errors(app: FastAPI) -> None:
    """Let an application answer every error in the same way."""
    app.add_exception_handler(UserError, _refused)
    app.add_exception_handler(Unavailable, _unavailable)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _ours)


def _refused(_: Request, error: Exception) -> Response:
    assert isinstance(error, UserError)
    code = error.code if isinstance(error, Refused) else "invalid"
    status = STATUS.get(code, REFUSED) if isinstance(error, Refused) else 422
    field = quoted_field(error.field) if error.field else None
    fault = Fault(code=code, message=error.message, field=field, clause=error.clause)
    return answer(status, fault, wait_header(error.wait_s) if isinstance(error, TooMany) else None)


def _invalid(_: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    # The first part says where: body, path, query.
    path = ".".join(str(part) for part in first["loc"][1:])
    message = str(first["msg"])
    message = message[:1].lower() + message[1:]
    field = quoted_field(path) if path else None
    return answer(422, Fault(code="invalid", message=message, field=field))


def _http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if isinstance(error.detail, dict):
        fault = Fault(**error.detail)
    else:
        phrase = HTTPStatus(error.status_code).phrase
        fault = Fault(code=phrase.lower().replace(" ", "_"), message=phrase.lower())
    return answer(error.status_code, fault, error.headers)


def _unavailable(_: Request, __: Exception) -> Response:
    fault = Fault(code="unavailable", message="the ledger does not answer; try again in a moment")
    return answer(503, fault, wait_header(AGAIN_S))


OURS = Fault(code="internal", message="something went wrong here, and it was noted")


def _ours(_: Request, __: Exception) -> Response:
    return answer(500, OURS)  # The guard notes it.
