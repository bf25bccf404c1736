"""What can go wrong, as one tree that callers can catch at the level they need.

    CroupierError
    ├── UserError       the input or the call is wrong; the program ends with 2
    │   ├── ParseError  something that cannot be read; it quotes the token (also a ValueError)
    │   ├── Refused     a command that the rules do not allow; it has a stable code
    │   ├── Problems    every fault of one piece of data at once, each a Problem
    │   └── Breaches    every way in which an operator's selections break the book, each a Breach
    ├── MissingExtra    an optional package is needed; the program ends with 3
    └── Bug             one of our own invariants is broken

Only the edges (the command line, the server) catch these. `str` of each is what a person reads;
programs read the attributes.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from shlex import quote
from typing import ClassVar

QUOTED_CHARS_MAX = 40


def quoted(value: object) -> str:
    """Return a value as it was given, for a message, cut where it is absurdly long."""
    try:
        text = repr(value) if isinstance(value, str | bytes) else str(value)
    except ValueError:
        return "a number of thousands of digits"  # Python does not print those.
    return text if len(text) <= QUOTED_CHARS_MAX else text[:QUOTED_CHARS_MAX] + "…"


FIELD_MAX = 120


def quoted_field(field: str) -> str:
    """Return a field's name, cut where a caller made it absurdly long."""
    return field if len(field) <= FIELD_MAX else field[:FIELD_MAX] + "…"


class CroupierError(Exception):
    """Anything that this package raises on purpose."""


class UserError(CroupierError):
    """The input or the call is wrong: one sentence, the field at fault, the clause it breaks."""

    exit_code: ClassVar[int] = 2

    def __init__(
        self, message: str, *, field: str | None = None, clause: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.field = field
        self.clause = clause

    def __str__(self) -> str:
        field = f"{quoted_field(self.field)}: " if self.field else ""
        clause = f" ({self.clause})" if self.clause else ""
        return f"{field}{self.message}{clause}"


class ParseError(UserError, ValueError):
    """Something given cannot be read as a card, a hand, a sum, …"""


class Refused(UserError):
    """A command that the rules do not allow at this moment."""

    def __init__(
        self, code: str, message: str, *, field: str | None = None, clause: str | None = None
    ) -> None:
        super().__init__(message, field=field, clause=clause)
        self.code = code
        # Pickle calls the class with `args` again, and process pools pickle exceptions.
        self.args = (code, message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One fault in a piece of data, and where it is."""

    message: str
    file: str | None = None
    path: str | None = None
    """Dotted, as in `wager.pair_plus.clause`."""
    line: int | None = None
    clause: str | None = None

    def __str__(self) -> str:
        place = f"{self.file or ''}{f':{self.line}' if self.line else ''}"
        places = [part for part in (place, self.path) if part]
        clause = f" ({self.clause})" if self.clause else ""
        return ": ".join([*places, self.message]) + clause


class Problems(UserError):
    """Every fault that a check found, reported together."""

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        if not self.problems:
            raise Bug("Problems raised without a problem")
        super().__init__("\n".join(map(str, self.problems)))
        self.args = (self.problems,)


@dataclass(frozen=True, slots=True, kw_only=True)
class Breach:
    """One way in which an operator's selections break the book."""

    selection: str
    message: str
    clause: str | None = None

    def __str__(self) -> str:
        return f"{self.selection}: {self.message}" + (f" ({self.clause})" if self.clause else "")


class Breaches(UserError):
    """Every breach that a set of selections has, reported together."""

    def __init__(self, breaches: Iterable[Breach]) -> None:
        self.breaches = tuple(breaches)
        if not self.breaches:
            raise Bug("Breaches raised without a breach")
        super().__init__("; ".join(map(str, self.breaches)), clause=self.breaches[0].clause)
        self.args = (self.breaches,)

    def __str__(self) -> str:
        return self.message  # Each breach in it names its own clause.


class MissingExtra(CroupierError):
    """A feature needs a package that is not installed."""

    exit_code: ClassVar[int] = 3

    def __init__(self, extra: str, needed_for: str) -> None:
        super().__init__(extra, needed_for)
        self.extra = extra
        self.needed_for = needed_for

    def __str__(self) -> str:
        return f"{self.needed_for} needs the extra {self.extra!r}: {install(self.extra, __file__)}"


def install(extra: str, file: str) -> str:
    """Return the command that brings an extra to a clone or an installation with this file."""
    clone = file.removesuffix("src/croupier/errors.py")
    if clone == file:
        return f"pip install 'croupier[{extra}]'"
    return f"{quote(clone + 'setup')} {extra}"


class Bug(CroupierError):
    """An invariant of ours does not hold; unlike `assert`, it is checked under `python -O` too."""
