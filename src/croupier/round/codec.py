"""Commands and events as JSON: strictly read, with one encoding each.

Stored events stay readable: a field may be added with a default, but none is ever renamed, retyped
or given another meaning.
"""

from collections.abc import Mapping
from dataclasses import is_dataclass
from types import NoneType
from typing import Any

from croupier.cards import Card
from croupier.reading.reader import TYPE, field_names, reader_of, run
from croupier.round.commands import Command
from croupier.round.events import Event
from croupier.round.state import NOTHING

_COMMAND, _EVENT = reader_of(Command), reader_of(Event)


def to_plain(value: Any) -> dict[str, Any]:
    """Return a command or an event, of a round or a table, as plain data with its type."""
    return {TYPE: type(value).__name__, **_written(value)}


def command_from(data: Any) -> Command:
    command: Command = run(_COMMAND, data)
    return command


def event_from(data: Any) -> Event:
    event: Event = run(_EVENT, data)
    return event


def _fields_of(value: Any) -> dict[str, Any]:
    names = field_names(value.__class__)
    if isinstance(value, tuple) and _AS_THEY_ARE.issuperset(map(type, value)):
        return dict(zip(names, value, strict=True))
    return {name: plain_of(getattr(value, name)) for name in names}


def _written(value: Any) -> dict[str, Any]:
    """Return the fields of a value as plain data, but for later ones that have their defaults."""
    plain = _fields_of(value)
    for name, default in getattr(value, "later_fields", NOTHING).items():
        if getattr(value, name) == default:
            del plain[name]
    return plain


_AS_THEY_ARE = frozenset({int, str, bool, NoneType})


def plain_of(value: Any) -> Any:
    """Return any value as plain data."""
    if type(value) in _AS_THEY_ARE:
        return value
    match value:
        case Card():
            return str(value)
        case Mapping():
            return {str(key): plain_of(item) for key, item in value.items()}
        case tuple() if hasattr(value, "_fields"):
            return _fields_of(value)
        case tuple() | list():
            return [plain_of(item) for item in value]
        case _ if is_dataclass(value):
            return _written(value)
        case _:
            return value
