"""Reads parsed TOML into the shapes of a rulebook, strictly, and reports every fault at once.

The shapes themselves say what is read: a field's type is its reader. An unknown key, a missing
one, a wrong type or a word outside its vocabulary becomes a fault with its path; reading then goes
on, so that an author sees all faults together. The names that refer to something else are collected
on the way, for the checker to follow.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import cache
from types import UnionType
from typing import Any, Literal, NamedTuple, NewType, TypeVar, Union, get_args, get_origin

from croupier.errors import ParseError
from croupier.money import parse_fraction, parse_money
from croupier.rules.shape import Shape
from croupier.rules.vocabulary import Cents

Place = tuple[str | int, ...]
"""Where a value stands in the file: keys, and indices into lists."""

T = TypeVar("T", bound=Shape)


class Fault(NamedTuple):
    """What is wrong, and where."""

    at: Place
    message: str
    clause: str | None = None


class Reference(NamedTuple):
    """A name that must exist elsewhere in the book, and the kind of thing that it names."""

    kind: object
    name: str
    at: Place


class Reader:
    """Collects faults and references while it reads."""

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.references: list[Reference] = []

    def read(self, shape: type[T], raw: object, at: Place = ()) -> T | None:
        """Return the shape filled from raw data, or None where too little of it can be read.

        A faulty item of a list or a mapping is left out, so that what comes back is whole.
        """
        kind: Any = shape
        value = _read_as(kind)(self, raw, at)
        return None if value is _FAULTY else value

    def fault(self, at: Place, message: str) -> object:
        self.faults.append(Fault(at, message))
        return _FAULTY


_FAULTY = object()


def readable_parts(shape: type[T], raw: Mapping[str, object]) -> T:
    """Return what can be read of a faulty shape; a part that cannot is None, or empty.

    The checks that hold the parts against each other can then look at all the others.
    """
    parts = {}
    for name, kind in shape.kinds.items():
        key = name.rstrip("_")
        value = _read_as(kind)(Reader(), raw[key], ()) if key in raw else _FAULTY
        missing: object = {} if get_origin(kind) is Mapping else None
        parts[name] = missing if value is _FAULTY else value
    return shape(**parts)


_Read = Callable[[Reader, object, Place], Any]


def dotted(at: Place) -> str:
    """Write a place as a person would: `paytable.ante_bonus.A.rows[2].to`."""
    text = ""
    for part in at:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            key = f'"{part}"' if "." in part else part
            text += f".{key}" if text else key
    return text


@cache
def _read_as(kind: Any) -> _Read:
    """Return the function that reads values of one type."""
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if isinstance(kind, NewType):
        return _reference(kind)
    if isinstance(kind, type) and issubclass(kind, Shape):
        return _table(kind)
    origin, args = get_origin(kind), get_args(kind)
    if origin is Literal:
        return _word(args)
    if origin is tuple:
        return _list(args[0])
    if origin is Mapping:
        return _mapping(args[0], args[1])
    if origin in (Union, UnionType):  # a NewType makes the older kind of union
        return _optional(args)
    raise TypeError(f"no reader for {kind}")


def _table(shape: type[Shape]) -> _Read:
    keys = {name.rstrip("_"): (name, _read_as(kind)) for name, kind in shape.kinds.items()}
    needed = {key for key, (name, _) in keys.items() if name not in shape.defaults}

    def read(reader: Reader, raw: object, at: Place) -> Any:
        if not isinstance(raw, dict):
            return reader.fault(at, f"must be a table, not {_kind(raw)}")
        for key in raw.keys() - keys.keys():
            reader.fault((*at, key), _unknown(key, keys))
        for key in sorted(needed - raw.keys()):
            reader.fault(at, f"lacks the key {key!r}")
        values = {}
        for key, value in raw.items():
            if key in keys:
                name, read_value = keys[key]
                values[name] = read_value(reader, value, (*at, key))
        whole = needed <= raw.keys() and _FAULTY not in values.values()
        return shape(**values) if whole else _FAULTY

    return read


def _list(kind: Any) -> _Read:
    read_item = _read_as(kind)

    def read(reader: Reader, raw: object, at: Place) -> Any:
        if not isinstance(raw, list):
            return reader.fault(at, f"must be a list, not {_kind(raw)}")
        items = (read_item(reader, item, (*at, i)) for i, item in enumerate(raw))
        return tuple(item for item in items if item is not _FAULTY)

    return read


def _mapping(key_kind: Any, kind: Any) -> _Read:
    read_key, read_item = _read_as(key_kind), _read_as(kind)

    def read(reader: Reader, raw: object, at: Place) -> Any:
        if not isinstance(raw, dict):
            return reader.fault(at, f"must be a table, not {_kind(raw)}")
        items = (
            (read_key(reader, key, (*at, key)), read_item(reader, item, (*at, key)))
            for key, item in raw.items()
        )
        return {key: item for key, item in items if item is not _FAULTY}

    return read


def _optional(args: tuple[Any, ...]) -> _Read:
    kinds = [arg for arg in args if arg is not type(None)]
    if len(kinds) == 1:
        return _read_as(kinds[0])

    def read(reader: Reader, raw: object, at: Place) -> Any:
        if isinstance(raw, bool) or not isinstance(raw, tuple(kinds)):
            return reader.fault(at, f"must be a text or a number, not {_kind(raw)}")
        return raw

    return read


def _word(words: tuple[Any, ...]) -> _Read:
    def read(reader: Reader, raw: object, at: Place) -> Any:
        if raw not in words or isinstance(raw, bool):
            return reader.fault(at, f"{raw!r} is not one of {', '.join(map(repr, words))}")
        return raw

    return read


def _reference(kind: NewType) -> _Read:
    def read(reader: Reader, raw: object, at: Place) -> Any:
        text = _text(reader, raw, at)
        if text is not _FAULTY:
            reader.references.append(Reference(kind, text, at))
        return text

    return read


def _text(reader: Reader, raw: object, at: Place) -> Any:
    if not isinstance(raw, str) or not raw:
        return reader.fault(at, f"must be a text, not {_kind(raw)}")
    return raw


def _whole(reader: Reader, raw: object, at: Place) -> Any:
    if isinstance(raw, bool) or not isinstance(raw, int) or raw < 0:
        return reader.fault(at, f"must be a whole number, not {_kind(raw)}")
    return raw


def _flag(reader: Reader, raw: object, at: Place) -> Any:
    if not isinstance(raw, bool):
        return reader.fault(at, f"must be true or false, not {_kind(raw)}")
    return raw


def _money(reader: Reader, raw: Any, at: Place) -> Any:
    try:
        return Cents(parse_money(raw, ""))
    except ParseError as error:
        return reader.fault(at, error.message)


def _number(reader: Reader, raw: Any, at: Place) -> Any:
    try:
        return parse_fraction(raw, "")
    except ParseError as error:
        return reader.fault(at, error.message)


def _anything(reader: Reader, raw: object, at: Place) -> Any:
    return raw


_SIMPLE: dict[Any, _Read] = {
    str: _text,
    int: _whole,
    bool: _flag,
    Fraction: _number,
    Cents: _money,
    Any: _anything,
}


def _unknown(key: str, keys: Mapping[str, object]) -> str:
    from difflib import get_close_matches  # Here because few books have an unknown key.

    near = get_close_matches(key, keys, 1)
    return "unknown key" + (f"; did you mean {near[0]!r}?" if near else "")


def _kind(raw: object) -> str:
    match raw:
        case bool():
            return str(raw).lower()
        case dict():
            return "a table"
        case list():
            return "a list"
        case str():
            return repr(raw) if raw else "an empty text"
        case int() | Decimal():
            return str(raw)
        case _:
            return f"a {type(raw).__name__}"
