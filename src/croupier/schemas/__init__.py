"""JSON Schemas (draft 2020-12) of what programs get from Croupier and send to it."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from croupier.errors import UserError

_FOLDER = Path(__file__).parent
_SHAPES = "shapes"
"""What the other schemas share: a sum of money, a settled line, a scene."""


def schema_names() -> tuple[str, ...]:
    """Return the names of all schemas."""
    return tuple(sorted(file.stem for file in _FOLDER.glob("*.json") if file.stem != _SHAPES))


@cache
def _text(name: str) -> str:
    return (_FOLDER / f"{name}.json").read_text(encoding="utf-8")


def schema(name: str) -> dict[str, Any]:
    """Return a schema that stands alone, with the shared shapes among its `$defs`."""
    if name not in schema_names():
        known = ", ".join(schema_names())
        raise UserError(f"there is no schema {name!r}; there are {known}", field="schema")
    shapes = json.loads(_inside(_SHAPES))["$defs"]
    return {**json.loads(_inside(name)), "$defs": shapes}


def _inside(name: str) -> str:
    """Return a schema's text with its references pointing into itself."""
    return _text(name).replace(f'"{_SHAPES}.json#', '"#')
