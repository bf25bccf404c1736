"""Finds the line of a TOML file that a value is on, for messages about faults.

`tomllib` keeps no positions, so the text is walked a second time, and only when there is a fault
to report. The walk knows TOML's brackets, strings and comments, and nothing of what they mean.
"""

import re
from collections.abc import Iterator

from croupier.reading.reader import DataPath

_BLANK = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_SPACE = re.compile(r"[ \t]*")
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_STRING = re.compile(
    r'"""(?:\\.|[^\\])*?"""+' r"|'''.*?'''+" r'|"(?:\\.|[^"\\\n])*"' r"|'[^'\n]*'", re.DOTALL
)
_SCALAR = re.compile(r"[^,\]}\n#]*")


def lines_of(text: str) -> dict[DataPath, int]:
    """Return the line of every value in a text."""
    lines: dict[DataPath, int] = {}
    for place, line in _walk(text):
        lines.setdefault(place, line)
    return lines


def nearest(lines: dict[DataPath, int], at: DataPath) -> int | None:
    """Return the line of the value at a place, or of the nearest table around it."""
    while at and at not in lines:
        at = at[:-1]
    return lines.get(at)


def _walk(text: str) -> Iterator[tuple[DataPath, int]]:
    """Yield the place and the line of every key and list item."""
    walker = _Walker(text)
    table: DataPath = ()
    while walker.skip_blank() < len(text):
        if text.startswith("[", walker.position):
            table = walker.header()
            for depth in range(1, len(table) + 1):
                yield table[:depth], walker.line()
        else:
            yield from walker.pair(table)


class _Walker:
    """A position in the text, and the lists of tables seen so far."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.counted = (0, 1)
        self.items: dict[DataPath, int] = {}

    def line(self) -> int:
        """Return the line of the position, counted on from where it was last asked for."""
        position, line = self.counted
        self.counted = self.position, line + self.text.count("\n", position, self.position)
        return self.counted[1]

    def skip_blank(self) -> int:
        self._take(_BLANK)
        return self.position

    def header(self) -> DataPath:
        """Pass `[a.b]` or `[[a.b]]` and return its place, with the index of each list in it."""
        doubled = self.text.startswith("[[", self.position)
        self.position += 1 + doubled
        keys = self._key()
        self.position += 1 + doubled
        at: DataPath = ()
        for i, key in enumerate(keys):
            at = (*at, key)
            if doubled and i == len(keys) - 1:
                self.items[at] = self.items.get(at, 0) + 1
            if at in self.items:
                at = (*at, self.items[at] - 1)
        return at

    def pair(self, table: DataPath) -> Iterator[tuple[DataPath, int]]:
        """Pass `key = value` and yield its place and all places inside it."""
        line = self.line()
        at = table
        for key in self._key():
            at = (*at, key)
            yield at, line
        self.position += 1  # the equals sign
        self._take(_SPACE)
        yield from self._value(at)

    def _value(self, at: DataPath) -> Iterator[tuple[DataPath, int]]:
        opening = self.text[self.position]
        if opening not in "[{":
            self._take(_STRING) or self._take(_SCALAR)
            return
        self.position += 1
        index = 0
        while self.text[self.skip_blank()] not in "]}":
            if opening == "{":
                yield from self.pair(at)
            else:
                item = (*at, index)
                yield item, self.line()
                yield from self._value(item)
                index += 1
            if self.text[self.skip_blank()] == ",":
                self.position += 1
        self.position += 1

    def _key(self) -> tuple[str, ...]:
        """Pass a key, dotted or not, and the space around it."""
        keys = []
        while True:
            self._take(_SPACE)
            quoted = self._take(_STRING)
            keys.append(quoted[1:-1] if quoted else self._take(_BARE))
            self._take(_SPACE)
            if not self.text.startswith(".", self.position):
                return tuple(keys)
            self.position += 1

    def _take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.position)
        if not match:
            return ""
        self.position = match.end()
        return match.group()
