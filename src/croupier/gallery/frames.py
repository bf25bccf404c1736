"""The frames that viewers are sent, as JSON."""

from typing import Any

import orjson

from croupier.errors import Code, Refused, UserError, quoted_field

PROTOCOL = 1


def encode(message: dict[str, Any]) -> str:
    """Write a frame."""
    return orjson.dumps(message).decode()


REFUSED = '{"type":"refused"'
"""How the frame of a refusal begins."""


def refused(id: str | None, error: UserError) -> str:
    """Answer a command that was refused and has changed nothing."""
    code = error.code if isinstance(error, Refused) else Code.UNREADABLE
    field = quoted_field(error.field) if error.field else None
    body = {"code": code, "message": error.message, "field": field, "clause": error.clause}
    return encode({"type": "refused", "id": id, **body})
