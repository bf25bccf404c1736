"""Reads the messages that players and staff send over a table's socket.

A message is a JSON object with a `type` and an `id` chosen by the sender. The same id with the same
body is the same command, however often it is sent.
"""

import re
from hashlib import sha256
from typing import Any

import orjson

from croupier.errors import ParseError
from croupier.fairness.cut import check_hash, check_value
from croupier.house import said
from croupier.reading.json import parse_message
from croupier.reading.reader import read

WHY_MAX = 200
SEVERAL_MAX = 100
"""How many commands a message gives at most."""
_ID = re.compile(r"[!-~]{1,64}")


_TYPES: dict[str, type[said.Message]] = {
    "sit": said.Sit,
    "leave": said.Leave,
    "bet": said.Bet,
    "take_down": said.TakeDown,
    "ready": said.Ready,
    "choose": said.Choose,
    "bank": said.Bank,
    "pass": said.Pass,
    "contribute": said.Contribute,
    "reveal": said.Reveal,
    "tap_in": said.TapIn,
    "tap_out": said.TapOut,
    "act": said.Do,
    "acts": said.DoAll,
    "propose": said.Propose,
    "approve": said.Approve,
    "withdraw": said.Withdraw,
    "decline": said.Decline,
    "preview": said.Preview,
    "call_floor": said.CallFloor,
    "more_time": said.MoreTime,
    "ping": said.Ping,
}


def message_from(text: str | bytes) -> tuple[said.Message, bytes]:
    """Read a message; return it with the digest of its body."""
    data = parse_message(text)
    if not isinstance(data, dict):
        raise ParseError("must be a table", field="message")
    if not isinstance(data.get("id"), str) or not _ID.fullmatch(data["id"]):
        raise ParseError("must be 1 to 64 printable characters", field="id")
    name = data.get("type")
    if not isinstance(name, str) or name not in _TYPES:
        raise ParseError(f"must be one of {', '.join(_TYPES)}", field="type")
    body = dict(data)
    del body["type"]
    message: said.Message = read(_TYPES[name], body, (_TYPES[name].__name__,))
    match message:
        case said.Bet():
            _check_bet(body)
        case said.Contribute():
            check_hash(message.hash)
        case said.Reveal():
            check_value(message.value)
        case said.DoAll() if not 1 <= len(message.commands) <= SEVERAL_MAX:
            raise ParseError(f"must be 1 to {SEVERAL_MAX} commands", field="commands")
        case said.Propose() | said.Decline() if len(message.why) > WHY_MAX:
            raise ParseError(f"must have at most {WHY_MAX} characters", field="why")
    return message, sha256(orjson.dumps(data, option=orjson.OPT_SORT_KEYS)).digest()


def _check_bet(body: dict[str, Any]) -> None:
    """Check that a bet names either one wager with its cents, or several."""
    one = [key for key in ("wager", "cents") if key in body]
    if "wagers" not in body and len(one) < 2:
        raise ParseError("is missing", field="wager" if "wager" not in one else "cents")
    if "wagers" in body and (one or not body["wagers"]):
        message = "must name the wagers with their cents; leave out `wager` and `cents`"
        raise ParseError(message, field="wagers")


def id_in(text: str | bytes) -> str | None:
    """Return the id of a message, so that even a faulty one can be answered.

    It is read less strictly: a sender of decimals, or of a key twice, waits for an answer too.
    """
    try:
        data = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    id = data.get("id") if isinstance(data, dict) else None
    return id if isinstance(id, str) and _ID.fullmatch(id) else None
