"""Write shapes back as plain data that the reader reads to the same shapes.

This is a book's `--json` form: keys as in the file, money as strings with two decimals, odds as
exact strings, and defaults left out.
"""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin

from croupier.money import Cents, format_money
from croupier.rules.shape import Shape
from croupier.rules.words import number


def write(shape: Any, value: Any) -> Any:
    if shape is Cents:
        return format_money(value)
    if isinstance(value, Shape):
        return _write_table(value)
    origin, args = get_origin(shape), get_args(shape)
    if origin is tuple:
        return [write(args[0], item) for item in value]
    if origin is Mapping:
        return {str(key): write(args[1], item) for key, item in value.items()}
    if origin in (Union, UnionType):
        kinds = [arg for arg in args if arg is not NoneType]
        return write(kinds[0], value) if len(kinds) == 1 else _plain(value)
    return _plain(value)


def _write_table(table: Shape) -> dict[str, Any]:
    return {
        name.rstrip("_"): write(kind, getattr(table, name))
        for name, kind in table.kinds.items()
        if name not in table.defaults or getattr(table, name) != table.defaults[name]
    }


def _plain(value: Any) -> Any:
    match value:
        case dict():
            return {key: _plain(item) for key, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case Fraction():
            return number(value).replace(",", "")
        case Decimal():
            return str(value)
        case _:
            return value
