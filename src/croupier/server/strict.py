"""Reads JSON strictly, and refuses anything that two parsers could read differently.

No duplicate keys, no NaN, no floats (money is in whole cents), no numbers that JavaScript would
round, no unpaired surrogates, and no deep nesting.
"""

import json
import re
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import orjson
from fastapi import HTTPException, Request, Response
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict

from croupier.errors import Refused, quoted

DEPTH_MAX = 20
WHOLE_MAX = 2**53 - 1
"""The largest whole number that every JSON parser reads exactly."""
_DIGITS_MAX = len(str(WHOLE_MAX)) + 1
_HALF = re.compile("[\ud800-\udfff]")
_ODD = re.compile(r"\d{16}|-0")
"""Finds what may be a number that is too large, or minus zero; within a string both are
harmless."""
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"?', re.DOTALL)


def loads(data: bytes | str) -> Any:
    """Parse one JSON value, or refuse it in a sentence."""
    try:
        text = data.decode() if isinstance(data, bytes) else data
    except UnicodeDecodeError:
        raise Refused("bad_text", "the text is not UTF-8") from None
    plain = plain_table(text)
    return read_carefully(text) if plain is None else plain


def plain_table(text: str) -> dict[str, Any] | None:
    """Read a flat object of strings and small numbers quickly; return None for anything else.

    Without escapes each string has exactly two quotes, so counting them finds a duplicate key.
    """
    if text[:1] != "{" or not text.isascii() or "\\" in text or "-0" in text:
        return None
    try:
        table = orjson.loads(text)
    except orjson.JSONDecodeError:
        return None
    texts = len(table)
    for value in table.values():
        if type(value) is str:
            texts += 1
        elif type(value) is not int or not -WHOLE_MAX <= value <= WHOLE_MAX:
            return None
    return table if text.count('"') == 2 * texts else None


def read_carefully(text: str) -> Any:
    """Parse any JSON value, or refuse it and say what is wrong."""
    _check_depth(text)
    try:
        value = _value(_CAREFUL if _ODD.search(text) else _PLAIN, text)
    except json.JSONDecodeError as error:
        message = f"not valid JSON: {error.msg} at character {error.pos}"
        raise Refused("not_json", message) from None
    if "\\u" in text or not text.isascii():  # Otherwise every string is valid.
        for each in _texts(value):
            _check_text(each)
    return value


def _value(decoder: json.JSONDecoder, text: str) -> Any:
    """Return the one value of a text; surrounding white space is rare, so it is tried last."""
    if text[:1] == "{":
        value, end = decoder.raw_decode(text)
        if end == len(text):
            return value
    return decoder.decode(text)


def _check_depth(text: str) -> None:
    if text.count("[") + text.count("{") <= DEPTH_MAX:
        return
    depth = 0
    for sign in _STRING.sub("", text):
        depth += (sign in "[{") - (sign in "]}")
        if depth > DEPTH_MAX:
            raise Refused("too_deep", f"JSON may be nested at most {DEPTH_MAX} levels deep")


def _texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _texts(item)
        case dict():
            for key, item in value.items():
                yield key
                yield from _texts(item)


def _check_text(text: str) -> None:
    if _HALF.search(text):
        raise Refused("bad_text", "a string has an unpaired surrogate")
    if "\0" in text:  # PostgreSQL can't store it.
        raise Refused("bad_text", "a string has a null character")


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in made if keys.count(key) > 1)
        raise Refused("duplicate_key", f"the key {quoted(twice)} appears twice")
    return made


def _whole(text: str) -> int:
    if len(text) > _DIGITS_MAX or abs(number := int(text)) > WHOLE_MAX:
        raise Refused("number_too_large", f"numbers may be at most {WHOLE_MAX}")
    if text == "-0":
        raise Refused("not_whole", "-0 is not allowed; write 0")
    return number


def _not_whole(text: str) -> Any:
    raise Refused("not_whole", f"{quoted(text)} is not a whole number")


_PLAIN = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=_not_whole, parse_constant=_not_whole
)
_CAREFUL = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_whole, parse_float=_not_whole, parse_constant=_not_whole
)


# ---------------------------------------------------------------- requests


class Body(BaseModel):
    """A request body: exactly these keys, each of exactly this type."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class StrictRequest(Request):
    """A request whose JSON is read strictly."""

    async def json(self) -> Any:
        try:
            return loads(await self.body())
        except Refused as error:
            # FastAPI only passes on its own kind of error from here.
            detail = {"code": error.code, "message": error.message, "field": error.field}
            raise HTTPException(400, detail) from None


class StrictRoute(APIRoute):
    """A route whose requests are read strictly: `APIRouter(route_class=StrictRoute)`."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        handle = super().get_route_handler()

        async def strictly(request: Request) -> Response:
            return await handle(StrictRequest(request.scope, request.receive))

        return strictly
