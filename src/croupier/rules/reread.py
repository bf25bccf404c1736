"""Reread only the parts of a book that an overlay touches."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import get_args, get_origin

from croupier.reading.reader import Reader
from croupier.rules.book import Rules
from croupier.rules.overlay import Data, keys_of


def reread(rules: Rules, data: Data, paths: Iterable[str]) -> tuple[Rules, Reader]:
    """Return the rules with the parts at these paths reread, and the reader used."""
    reader = Reader()
    for section, name in dict.fromkeys(_part(path) for path in paths):
        kind = Rules.kinds[section]
        if name is None:
            value = reader.read(kind, data[section], (section,))
        else:
            item = reader.read(get_args(kind)[1], data[section][name], (section, name))
            value = item and {**getattr(rules, section), name: item}
        if value is not None:
            rules = replace(rules, **{section: value})
    return rules, reader


def _part(path: str) -> tuple[str, str | None]:
    """Return the smallest part that holds the path: a named table, or a whole section."""
    section, *rest = keys_of(path)
    return section, rest[0] if is_named(section) and rest else None


def is_named(section: str) -> bool:
    """Whether a section of a book holds tables by name, as `[wager.X]` does."""
    return get_origin(Rules.kinds.get(section)) is Mapping
