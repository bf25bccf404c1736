"""What goes over a table's socket, strictly read and written.

A message of a player's is a table of JSON with its `type` and an `id` that its sender chose. The
same id with the same body is the same command, however often it is sent.
"""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any, NamedTuple

import orjson

from croupier.errors import ParseError, Refused, UserError, quoted_field
from croupier.round.codec import fields_from
from croupier.round.state import NOTHING
from croupier.server.strict import loads

PROTOCOL = 1
_ID = re.compile(r"[!-~]{1,64}")


class Sit(NamedTuple):
    """Take a seat."""

    id: str
    seat: int


class Leave(NamedTuple):
    """Give a seat up."""

    id: str
    seat: int


class Bet(NamedTuple):
    """Make a wager, or change its size; or make several at once, all or none of them."""

    id: str
    seat: int
    wager: str = ""
    cents: int = 0
    hand: int | None = None
    wagers: Mapping[str, int] = NOTHING
    """Cents by wager, instead of one wager and its cents."""

    @property
    def stakes(self) -> Mapping[str, int]:
        return self.wagers or {self.wager: self.cents}


class TakeDown(NamedTuple):
    """Take a wager back before bets close."""

    id: str
    seat: int
    wager: str


class Ready(NamedTuple):
    """Need no more time to bet at a seat."""

    id: str
    seat: int


class Choose(NamedTuple):
    """Take a decision."""

    id: str
    seat: int
    option: str


class Bank(NamedTuple):
    """Take the bank of the next round and put up funds."""

    id: str
    seat: int
    funds: int


class Pass(NamedTuple):
    """Pass the turn to bank."""

    id: str
    seat: int


class MoreTime(NamedTuple):
    """Ask for more time to decide, at a practice table."""

    id: str


class Ping(NamedTuple):
    """Ask whether anybody is there."""

    id: str


Message = Sit | Leave | Bet | TakeDown | Ready | Choose | Bank | Pass | MoreTime | Ping
_TYPES: dict[str, type[Message]] = {
    "sit": Sit,
    "leave": Leave,
    "bet": Bet,
    "take_down": TakeDown,
    "ready": Ready,
    "choose": Choose,
    "bank": Bank,
    "pass": Pass,
    "more_time": MoreTime,
    "ping": Ping,
}


def message_from(text: str | bytes) -> tuple[Message, bytes]:
    """Read a message, and return the digest of its body with it."""
    data = loads(text)
    if not isinstance(data, dict):
        raise ParseError("must be a table", field="message")
    if not isinstance(data.get("id"), str) or not _ID.fullmatch(data["id"]):
        raise ParseError("must be 1 to 64 printable characters", field="id")
    name = data.get("type")
    if not isinstance(name, str) or name not in _TYPES:
        raise ParseError(f"must be one of {', '.join(_TYPES)}", field="type")
    body = dict(data)
    del body["type"]
    message: Message = fields_from(_TYPES[name], body)
    if isinstance(message, Bet):
        _check_bet(body)
    return message, sha256(orjson.dumps(data, option=orjson.OPT_SORT_KEYS)).digest()


def _check_bet(body: dict[str, Any]) -> None:
    """A bet names one wager with its cents, or several of them."""
    one = [key for key in ("wager", "cents") if key in body]
    if "wagers" not in body and len(one) < 2:
        raise ParseError("is missing", field="wager" if "wager" not in one else "cents")
    if "wagers" in body and (one or not body["wagers"]):
        message = "must name the wagers with their cents, and no wager besides"
        raise ParseError(message, field="wagers")


def id_in(text: str | bytes) -> str | None:
    """Return the id of a message that may be faulty otherwise, so that its sender is answered."""
    try:
        data = loads(text)
    except UserError:
        return None
    id = data.get("id") if isinstance(data, dict) else None
    return id if isinstance(id, str) and _ID.fullmatch(id) else None


def encode(message: dict[str, Any]) -> str:
    """Write a message of the server's."""
    return orjson.dumps(message).decode()


def done(id: str, number: int) -> str:
    """Answer a command that was stored."""
    return encode({"type": "done", "id": id, "v": number})


def refused(id: str | None, error: UserError) -> str:
    """Answer a command that was refused: it has changed nothing."""
    code = error.code if isinstance(error, Refused) else "unreadable"
    field = quoted_field(error.field) if error.field else None
    body = {"code": code, "message": error.message, "field": field, "clause": error.clause}
    return encode({"type": "refused", "id": id, **body})
