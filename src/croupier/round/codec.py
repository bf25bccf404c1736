"""Commands and events as JSON: strictly read, one encoding each.

An event that was stored once stays readable: a field may be added with a default, and none is ever
renamed, retyped or given another meaning.
"""

from collections.abc import Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, lru_cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from croupier.cards import Card
from croupier.errors import ParseError
from croupier.round.commands import Command
from croupier.round.events import Event

_TYPE = "type"


def to_plain(value: Any) -> dict[str, Any]:
    """Return a command or an event, of a round or of a table, as plain data with its type."""
    return {_TYPE: type(value).__name__, **_fields_of(value)}


def command_from(data: Any) -> Command:
    """Read a command from plain data."""
    command: Command = one_of(Command, data)
    return command


def event_from(data: Any) -> Event:
    """Read an event from plain data."""
    event: Event = one_of(Event, data)
    return event


def _fields_of(value: Any) -> dict[str, Any]:
    names = _names(value.__class__)
    if isinstance(value, tuple) and _AS_THEY_ARE.issuperset(map(type, value)):
        return dict(zip(names, value, strict=True))
    return {name: _plain(getattr(value, name)) for name in names}


@cache
def _names(shape: Any) -> tuple[str, ...]:
    return tuple(f.name for f in fields(shape)) if is_dataclass(shape) else shape._fields


_AS_THEY_ARE = frozenset({int, str, bool, NoneType})


def _plain(value: Any) -> Any:
    if type(value) in _AS_THEY_ARE:
        return value
    match value:
        case Card():
            return str(value)
        case Mapping():
            return {str(key): _plain(item) for key, item in value.items()}
        case tuple() if hasattr(value, "_fields"):
            return _fields_of(value)
        case tuple() | list():
            return [_plain(item) for item in value]
        case _ if is_dataclass(value):
            return _fields_of(value)
        case _:
            return value


def one_of(union: Any, data: Any) -> Any:
    """Read a value of one of the classes of a union, which the data names."""
    kinds = _kinds(union)
    named = isinstance(data, dict) and isinstance(data.get(_TYPE), str)
    if not named or data[_TYPE] not in kinds:
        name = data.get(_TYPE) if isinstance(data, dict) else data
        raise ParseError(f"{name!r} is not one of {', '.join(kinds)}", field=_TYPE)
    rest = dict(data)
    return fields_from(kinds[rest.pop(_TYPE)], rest)


def fields_from(shape: Any, raw: Any) -> Any:
    """Read a value of a class, whose fields the data names."""
    return _read_fields(shape, raw, shape.__name__)


@cache
def _kinds(union: Any) -> dict[str, Any]:
    return {kind.__name__: kind for kind in get_args(union)}


def _read(kind: Any, raw: Any, at: str) -> Any:
    """Return the value of one type that raw data stands for."""
    if kind is Any or kind is object:
        return tuple(raw) if isinstance(raw, list) else raw
    if kind in (int, str, bool):
        if type(raw) is not kind:
            raise ParseError(f"must be a {kind.__name__}", field=at)
        return raw
    if kind is Card:
        card = Card(_read(str, raw, at))
        if str(card) != raw:
            raise ParseError(f"must be written {card}", field=at)
        return card
    origin, args = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        inner = next(arg for arg in args if arg is not NoneType)
        return None if raw is None else _read(inner, raw, at)
    if origin is Literal:
        if raw not in args:
            raise ParseError(f"must be one of {', '.join(map(str, args))}", field=at)
        return raw
    if origin is Mapping:
        return _read_mapping(args, raw, at)
    if origin is tuple:
        return _read_tuple(args, raw, at)
    return _read_fields(kind, raw, at)


def _read_mapping(args: tuple[Any, ...], raw: Any, at: str) -> dict[Any, Any]:
    if not isinstance(raw, dict):
        raise ParseError("must be a table", field=at)
    if args[0] is int and not all(map(_is_whole, raw)):
        raise ParseError("must have whole numbers as keys", field=at)
    keys = {key: int(key) if args[0] is int else key for key in raw}
    return {keys[key]: _read(args[1], value, f"{at}.{key}") for key, value in raw.items()}


def _is_whole(key: str) -> bool:
    """Whether a key is a whole number in the one way that it is written."""
    return key.removeprefix("-").isdecimal() and str(int(key)) == key


def _read_tuple(args: tuple[Any, ...], raw: Any, at: str) -> tuple[Any, ...]:
    if not isinstance(raw, list):
        raise ParseError("must be a list", field=at)
    if args[-1] is not Ellipsis and len(args) != len(raw):
        raise ParseError(f"must be a list of {len(args)}", field=at)
    kinds = [args[0]] * len(raw) if args[-1] is Ellipsis else args
    return tuple(
        _read(kind, item, f"{at}[{i}]")
        for i, (kind, item) in enumerate(zip(kinds, raw, strict=True))
    )


def _read_fields(shape: Any, raw: Any, at: str) -> Any:
    if not isinstance(raw, dict):
        raise ParseError("must be a table", field=at)
    if tuple(map(type, raw.values())) == _plain_kinds(shape, tuple(raw)):
        return shape(**raw)
    hints, needed = _shape(shape)
    if not needed <= raw.keys() <= hints.keys():
        for key in sorted(raw.keys() - hints.keys()):
            raise ParseError("unknown key", field=f"{at}.{key}")
        for key in sorted(needed - raw.keys()):
            raise ParseError("is missing", field=f"{at}.{key}")
    return shape(**{key: _read(hints[key], value, f"{at}.{key}") for key, value in raw.items()})


@lru_cache(1024)
def _plain_kinds(shape: Any, keys: tuple[str, ...]) -> tuple[type, ...] | None:
    """Return the types that these fields have, if they are all and each can be taken as it is."""
    hints, needed = _shape(shape)
    if not needed <= {*keys} <= hints.keys():
        return None
    kinds = tuple(hints[key] for key in keys)
    return kinds if _AS_THEY_ARE.issuperset(kinds) else None


@cache
def _shape(shape: Any) -> tuple[dict[str, Any], frozenset[str]]:
    hints = get_type_hints(shape)
    if not is_dataclass(shape):
        return hints, frozenset(hints.keys() - shape._field_defaults.keys())
    needed = (f.name for f in fields(shape) if f.default is f.default_factory is MISSING)
    return hints, frozenset(needed)
