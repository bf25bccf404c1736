"""Reads plain data (parsed TOML or JSON) into typed values, strictly.

A class says what is read: each field's type is its reader. An unknown key, a missing key, a wrong
type or a word outside its vocabulary is a fault with its path. The reader goes on after a fault, so
that an author sees all of them at once. Names that refer to something else in the same file are
collected for a checker to follow.

| type | what it takes |
| --- | --- |
| `int`, `str`, `bool` | just that: `true` is not 1, and `"1"` is not 1 |
| `Count`, `Text` | a whole number of at least 0; text that isn't empty |
| `Decimal`, `Fraction` | a number without loss; a fraction may be text, as in `"1/2"` |
| `Cents` | dollars, as a number or text with at most two decimals |
| `Card` | `"Th"`, and no other spelling |
| `Literal[…]` | one of these words |
| `NewType` of `str` | a name, collected as a `Reference` |
| `tuple[X, …]`, `Mapping[K, X]` | a list; a table with text or whole numbers as keys |
| a dataclass or named tuple | a table with these keys; `for_` reads the key `for` |
| a union of such classes | a table whose `type` names the class |
| `X \\| None` | X or null |
| `Any`, `object` | anything; lists become tuples where it is `object` |
| `Annotated[X, read]` | what the function `read` takes |
"""

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from keyword import iskeyword
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    NewType,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from croupier.cards import Card
from croupier.errors import ParseError, Problem, Problems, quoted
from croupier.money import Cents, parse_fraction, parse_money

T = TypeVar("T")
DataPath = tuple[str | int, ...]
"""Where a value is in the data: keys, and indices into lists."""

TYPE = "type"
"""The key that names the class where a table may be one of several."""


class Fault(NamedTuple):
    """What is wrong, and where."""

    at: DataPath
    message: str
    clause: str | None = None


class Reference(NamedTuple):
    """A name that must exist elsewhere in the file, and the kind of thing that it names."""

    kind: object
    name: str
    at: DataPath


class Reader:
    """Collects faults and references while it reads."""

    __slots__ = ("faults", "references")

    def __init__(self) -> None:
        self.faults: list[Fault] = []
        self.references: list[Reference] = []

    def read(self, kind: Any, raw: object, at: DataPath = ()) -> Any:
        """Return the value that raw data stands for, or None where too little can be read.

        A faulty item of a list or a mapping is left out.
        """
        value = reader_of(kind)(self, raw, at)
        return None if value is FAULTY else value

    def fault(self, at: DataPath, message: str, clause: str | None = None) -> object:
        """Note a fault, and return the value that stands for what could not be read."""
        self.faults.append(Fault(at, message, clause))
        return FAULTY


FAULTY = object()
"""What a reader returns for a value that it has noted a fault about."""

ReadValue = Callable[[Reader, Any, DataPath], Any]
"""Reads one value, or notes a fault and returns FAULTY."""


def read(kind: Any, raw: object, at: DataPath = ()) -> Any:
    """Return the value that raw data stands for, or raise all its Problems."""
    return run(reader_of(kind), raw, at)


def run(read: ReadValue, raw: object, at: DataPath = ()) -> Any:
    """Return what a reader makes of raw data, or raise all its Problems."""
    reader = Reader()
    value = read(reader, raw, at)
    if reader.faults:
        raise Problems(map(problem, reader.faults))
    return value


def problem(fault: Fault, file: str | None = None, line: int | None = None) -> Problem:
    """Return a fault as a person reads it."""
    path = dotted(fault.at) or None
    return Problem(message=fault.message, file=file, path=path, line=line, clause=fault.clause)


def readable_parts(shape: Any, raw: Mapping[str, object]) -> Any:
    """Return what can be read of a faulty table; a part that can't is None, or empty.

    The checks that compare the parts can then still look at all the others.
    """
    parts = {}
    for name, (kind, default) in _fields(shape).items():
        missing: object = {} if get_origin(kind) is Mapping else None
        if default is not MISSING:
            missing = default
        key = name.rstrip("_")
        value = reader_of(kind)(Reader(), raw[key], ()) if key in raw else FAULTY
        parts[name] = missing if value is FAULTY else value
    return shape(**parts)


def dotted(at: DataPath) -> str:
    """Write a place as a person would: `paytable.ante_bonus.A.rows[2].to`."""
    text = ""
    for part in at:
        if isinstance(part, int):
            text += f"[{part + 1}]"
        else:
            key = f'"{part}"' if "." in part else part
            text += f".{key}" if text else key
    return text


# ---------------------------------------------------------------- readers by type


@cache
def reader_of(kind: Any) -> ReadValue:
    """Return the function that reads values of one type."""
    if kind in _SIMPLE:
        return _SIMPLE[kind]
    if isinstance(kind, NewType):
        return _reference(kind)
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        made: ReadValue = args[1]
        return made
    if origin is Literal:
        return _word(args)
    if origin is tuple:
        return _list(args[0]) if args[-1] is Ellipsis else _row(args)
    if origin is Mapping:
        return _mapping(args[0], args[1])
    if origin in (Union, UnionType):  # a NewType makes the older kind of union
        return _union(args)
    if isinstance(kind, type) and (is_dataclass(kind) or hasattr(kind, "_fields")):
        return _shape(kind)
    raise TypeError(f"no reader for {kind}")


def only(kind: Any, what: str, holds: Callable[[Any], object]) -> ReadValue:
    """Return a reader that takes only the values of a type that pass a test."""
    inner = reader_of(kind)

    def read(reader: Reader, raw: object, at: DataPath) -> Any:
        value = raw if type(raw) is kind else inner(Reader(), raw, at)
        if value is FAULTY or not holds(value):
            return reader.fault(at, f"must be {what}, not {described(raw)}")
        return value

    return read


def table_of(
    kinds: Mapping[str, Any],
    needed: frozenset[str] = frozenset(),
    make: Callable[..., Any] = dict,
) -> ReadValue:
    """Return a reader of a table with these keys, whose values it passes to `make`."""
    readers = {key: reader_of(kind) for key, kind in kinds.items()}
    plain = {key: kind for key, kind in kinds.items() if kind in _TAKEN_AS_THEY_ARE}
    names = {key: f"{key}_" if iskeyword(key) else key for key in kinds}

    def read(reader: Reader, raw: object, at: DataPath) -> Any:
        if not isinstance(raw, dict):
            return reader.fault(at, f"must be a table, not {described(raw)}")
        whole = True
        if not needed <= raw.keys() <= readers.keys():
            whole = _mismatched(reader, raw, at)
        values = {}
        for key, value in raw.items():
            if type(value) is plain.get(key):
                values[names[key]] = value
            elif key in readers:
                values[names[key]] = value = readers[key](reader, value, (*at, key))
                whole = whole and value is not FAULTY
        return make(**values) if whole else FAULTY

    def _mismatched(reader: Reader, raw: dict[str, Any], at: DataPath) -> bool:
        """Note the keys that are unknown or missing, and return whether none is missing."""
        for key in sorted(map(str, raw.keys() - readers.keys())):
            reader.fault((*at, key), _unknown(key, readers))
        for key in sorted(needed - raw.keys()):
            reader.fault((*at, key), "is missing")
        return needed <= raw.keys()

    return read


def _shape(shape: Any) -> ReadValue:
    known = {name.rstrip("_"): field for name, field in _fields(shape).items()}
    needed = frozenset(key for key, (_, default) in known.items() if default is MISSING)
    return table_of({key: kind for key, (kind, _) in known.items()}, needed, shape)


def _fields(shape: Any) -> dict[str, tuple[Any, Any]]:
    """Return the type of each field and its default, or MISSING."""
    hints = get_type_hints(shape, include_extras=True)
    if not is_dataclass(shape):
        return {name: (hints[name], shape._field_defaults.get(name, MISSING)) for name in hints}
    return {
        f.name: (
            hints[f.name],
            f.default if f.default_factory is MISSING else f.default_factory(),
        )
        for f in fields(shape)
    }


@cache
def field_names(shape: Any) -> tuple[str, ...]:
    """Return the names of the fields of a dataclass or a named tuple."""
    return tuple(f.name for f in fields(shape)) if is_dataclass(shape) else shape._fields


def later(*names: str) -> Callable[[type[T]], type[T]]:
    """Mark fields that were added to a class later: with their defaults, they aren't written.

    So data that was stored before has the same bytes when it is written again.
    """

    def mark(shape: type[T]) -> type[T]:
        known = _fields(shape)
        shape.later_fields = {name: known[name][1] for name in names}  # type: ignore[attr-defined]
        return shape

    return mark


def _union(args: tuple[Any, ...]) -> ReadValue:
    kinds = tuple(arg for arg in args if arg is not NoneType)
    if len(kinds) > 1 and {*kinds} <= {str, int, Decimal}:
        inner = only(Any, "text or a number", lambda raw: type(raw) in kinds)
    else:
        inner = reader_of(kinds[0]) if len(kinds) == 1 else _tagged(kinds)
    if NoneType not in args:
        return inner

    def read(reader: Reader, raw: object, at: DataPath) -> Any:
        return None if raw is None else inner(reader, raw, at)

    return read


def _tagged(kinds: tuple[Any, ...]) -> ReadValue:
    by_name = {kind.__name__: reader_of(kind) for kind in kinds}
    words = _word(tuple(by_name))

    def read(reader: Reader, raw: Any, at: DataPath) -> Any:
        if not isinstance(raw, dict):
            return reader.fault((*at, TYPE), f"must be in a table, not {described(raw)}")
        rest = dict(raw)
        name = rest.pop(TYPE, None)
        if type(name) is str and name in by_name:
            return by_name[name](reader, rest, (*at, name))
        return words(reader, name, (*at, TYPE))

    return read


def _list(kind: Any) -> ReadValue:
    read_item = reader_of(kind)
    plain = kind if kind in _TAKEN_AS_THEY_ARE else None

    def read(reader: Reader, raw: object, at: DataPath) -> Any:
        if not isinstance(raw, list):
            return reader.fault(at, f"must be a list, not {described(raw)}")
        before = len(reader.faults)
        items = [
            item if type(item) is plain else read_item(reader, item, (*at, i))
            for i, item in enumerate(raw)
        ]
        if len(reader.faults) > before:
            items = [item for item in items if item is not FAULTY]
        return tuple(items)

    return read


def _row(kinds: tuple[Any, ...]) -> ReadValue:
    readers = [reader_of(kind) for kind in kinds]

    def read(reader: Reader, raw: object, at: DataPath) -> Any:
        if not isinstance(raw, list) or len(raw) != len(readers):
            return reader.fault(at, f"must be a list of {len(readers)}, not {described(raw)}")
        pairs = zip(readers, raw, strict=True)
        items = [each(reader, item, (*at, i)) for i, (each, item) in enumerate(pairs)]
        return FAULTY if any(item is FAULTY for item in items) else tuple(items)

    return read


def _mapping(key_kind: Any, kind: Any) -> ReadValue:
    read_key = None if key_kind is str else _number_key if key_kind is int else reader_of(key_kind)
    read_item = reader_of(kind)
    plain = kind if kind in _TAKEN_AS_THEY_ARE else None

    def read(reader: Reader, raw: object, at: DataPath) -> Any:
        if not isinstance(raw, dict):
            return reader.fault(at, f"must be a table, not {described(raw)}")
        before = len(reader.faults)
        items = {
            read_key(reader, key, (*at, key)) if read_key else key: (
                item if type(item) is plain else read_item(reader, item, (*at, key))
            )
            for key, item in raw.items()
        }
        if len(reader.faults) > before:
            items = {k: v for k, v in items.items() if k is not FAULTY and v is not FAULTY}
        return items

    return read


def _number_key(reader: Reader, raw: str, at: DataPath) -> Any:
    """Read a whole number that is a key, in the one way that it is written."""
    if raw.removeprefix("-").isdecimal() and str(int(raw)) == raw:
        return int(raw)
    return reader.fault(at, "must be a whole number as its key")


def _word(words: tuple[Any, ...]) -> ReadValue:
    known = ", ".join(map(repr, words))

    def read(reader: Reader, raw: object, at: DataPath) -> Any:
        if raw not in words or isinstance(raw, bool):
            return reader.fault(at, f"{described(raw)} is not one of {known}")
        return raw

    return read


def _reference(kind: NewType) -> ReadValue:
    def read(reader: Reader, raw: object, at: DataPath) -> Any:
        name = _name(reader, raw, at)
        if name is not FAULTY:
            reader.references.append(Reference(kind, name, at))
        return name

    return read


# ---------------------------------------------------------------- single values


def _text(reader: Reader, raw: object, at: DataPath) -> Any:
    if type(raw) is not str:
        return reader.fault(at, f"must be text, not {described(raw)}")
    return raw


def _name(reader: Reader, raw: object, at: DataPath) -> Any:
    return reader.fault(at, "must not be empty") if raw == "" else _text(reader, raw, at)


def _whole(reader: Reader, raw: object, at: DataPath) -> Any:
    if type(raw) is not int:
        return reader.fault(at, f"must be a whole number, not {described(raw)}")
    return raw


def _flag(reader: Reader, raw: object, at: DataPath) -> Any:
    if type(raw) is not bool:
        return reader.fault(at, f"must be true or false, not {described(raw)}")
    return raw


def _decimal(reader: Reader, raw: object, at: DataPath) -> Any:
    if type(raw) is not int and not (isinstance(raw, Decimal) and raw.is_finite()):
        return reader.fault(at, f"must be a number, not {described(raw)}")
    return raw


def _money(reader: Reader, raw: Any, at: DataPath) -> Any:
    try:
        return parse_money(raw, "")
    except ParseError as error:
        return reader.fault(at, error.message)


def _card(reader: Reader, raw: object, at: DataPath) -> Any:
    card = _parsed(Card)(reader, raw, at) if type(raw) is str else _text(reader, raw, at)
    if card is not FAULTY and str(card) != raw:
        return reader.fault(at, f"must be written {card}, not {described(raw)}")
    return card


def _parsed(parse: Callable[[Any], Any]) -> ReadValue:
    """Return a reader of what a function takes without a ParseError."""

    def read(reader: Reader, raw: Any, at: DataPath) -> Any:
        try:
            return parse(raw)
        except ParseError as error:
            return reader.fault(at, error.message)

    return read


_SIMPLE: dict[Any, ReadValue] = {
    str: _text,
    int: _whole,
    bool: _flag,
    Decimal: _decimal,
    Card: _card,
    Fraction: _parsed(lambda raw: parse_fraction(raw, "")),
    Cents: _money,
    Any: lambda _, raw, __: raw,
    object: lambda _, raw, __: tuple(raw) if isinstance(raw, list) else raw,
}
_TAKEN_AS_THEY_ARE = frozenset({str, int, bool})

WholeNumber = Annotated[int, only(int, "a whole number of at least 0", lambda count: count >= 0)]
Text = Annotated[str, _name]


def _unknown(key: str, known: Mapping[str, object]) -> str:
    from difflib import get_close_matches  # Here because few files have an unknown key.

    near = get_close_matches(key, known, 1, cutoff=0.7)  # A slip of a letter or two.
    if near:
        return f"unknown key; did you mean {near[0]!r}?"
    return f"unknown key; the keys are {', '.join(known)}" if known else "unknown key"


def described(raw: object) -> str:
    """Return what was given instead, for a message."""
    match raw:
        case None:
            return "null"
        case bool():
            return str(raw).lower()
        case dict():
            return "a table"
        case list():
            return "a list"
        case str():
            return quoted(raw) if raw else "empty text"
        case int() | Decimal():
            return quoted(raw)
        case _:
            return f"a {type(raw).__name__}"
