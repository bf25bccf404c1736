"""Overlays: what a choice or another reading sets in a book's data."""

import re
from collections.abc import Mapping
from typing import Any

from croupier.rules.vocabulary import BookPath

Data = dict[str, Any]
"""The raw data of a rulebook file."""

_KEY = re.compile(r'"([^"]*)"|([^.]+)')


def keys_of(path: str) -> tuple[str, ...]:
    """Split a dotted path; a key that contains a dot is quoted."""
    return tuple(quoted or bare for quoted, bare in _KEY.findall(path))


def exists(data: object, path: str) -> bool:
    """Whether the data has a value at the path."""
    for key in keys_of(path):
        if not isinstance(data, dict) or key not in data:
            return False
        data = data[key]
    return True


def overlaid(data: Data, sets: Mapping[BookPath, Any]) -> Data:
    """Return a copy of the data with each path set to its value."""
    for path, value in sets.items():
        data = _put(data, keys_of(path), value)
    return data


def _put(data: Data, keys: tuple[str, ...], value: object) -> Data:
    key, *rest = keys
    if not rest:
        return {**data, key: value}
    inner = data.get(key, {})
    return {**data, key: _put(inner if isinstance(inner, dict) else {}, tuple(rest), value)}
