"""JSON read strictly: anything that two parsers could read differently is refused.

No duplicate keys, no NaN, no unpaired surrogates and no deep nesting. Messages and requests have no
floats either (money is in whole cents), and no numbers that JavaScript would round. Files may state
sums with decimals, which are read exactly.
"""

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import orjson

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


def parse_message(data: bytes | str) -> Any:
    """Parse a message or a request, or refuse it in a sentence."""
    text = _text(data)
    plain = plain_table(text)
    return read_carefully(text) if plain is None else plain


def parse_json(data: bytes | str, *, field: str) -> Any:
    """Parse a file, whose numbers may have decimals, or refuse it in a sentence about `field`."""
    try:
        return _decimal_json(data)
    except Refused as refused:
        raise Refused(refused.code, refused.message, field=field) from None


def _decimal_json(data: bytes | str) -> Any:
    try:
        return json.loads(
            _text(data), parse_float=Decimal, parse_constant=_no_number, object_pairs_hook=_pairs
        )
    except RecursionError:
        raise Refused("too_deep", "the JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise _not_json(error) from None
    except ValueError:
        raise Refused("number_too_large", "a number has thousands of digits") from None


def _text(data: bytes | str) -> str:
    try:
        return data.decode() if isinstance(data, bytes) else data
    except UnicodeDecodeError:
        raise Refused("bad_text", "the text is not UTF-8") from None


def _not_json(error: json.JSONDecodeError) -> Refused:
    return Refused("not_json", f"not valid JSON: {error.msg} at character {error.pos}")


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
        raise _not_json(error) from None
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


def _no_number(text: str) -> Any:
    raise Refused("not_json", f"{text} is not a number")


def _not_whole(text: str) -> Any:
    raise Refused("not_whole", f"{quoted(text)} is not a whole number")


_PLAIN = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=_not_whole, parse_constant=_not_whole
)
_CAREFUL = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_int=_whole, parse_float=_not_whole, parse_constant=_not_whole
)
