"""TOML files: parsed with exact numbers, and their faults with the lines they are on."""

import tomllib
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from croupier.errors import Problem, Problems
from croupier.reading.lines import lines_of, nearest
from croupier.reading.reader import Fault, problem


def parse_toml(text: str, file: str) -> dict[str, Any]:
    """Parse a file's text, or raise the Problem with it."""
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except RecursionError:
        message = "is nested too deeply"
    except ValueError as error:  # TOML's own, and numbers of thousands of digits.
        message = f"is not TOML: {error}"
    raise Problems([Problem(message=message, file=file)])


def problems_in(text: str, file: str, faults: Iterable[Fault]) -> list[Problem]:
    """Return the faults of a file with their lines, in the order of the file."""
    lines = lines_of(text)
    found = [problem(fault, file, nearest(lines, fault.at)) for fault in faults]
    return sorted(found, key=lambda problem: problem.line or 0)
