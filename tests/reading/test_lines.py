"""Lines of values in a TOML file, whatever TOML allows."""

import tomllib
from collections.abc import Iterator
from typing import Any

import pytest

from croupier.reading.lines import lines_of, nearest
from croupier.reading.reader import DataPath
from tests.rules.books import DATA, SIXTH_TEXT

TRICKY = (DATA / "tricky.toml").read_text()


def line_of(text: str, place: DataPath) -> int | None:
    return nearest(lines_of(text), place)


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("top",), 2),
        (("quoted.key",), 3),
        (("a",), 4),
        (("a", "b"), 4),
        (("a", "b", "c"), 5),
        (("a", "b", "c", 0), 6),
        (("a", "b", "c", 1), 7),
        (("a", "b", "c", 1, 1), 7),
        (("a", "b", "c", 2), 8),
        (("a", "b", "c", 2, "d"), 8),
        (("a", "b", "c", 2, "e", "f", 0), 8),
        (("a", "b", "c", 2, "e", "f", 1), 9),
        (("a", "b", "multi"), 11),
        (("a", "b", "after"), 15),
        (("a", "b", "dotted", "key", "g"), 16),
        (("list", 0, "h"), 19),
        (("list", 1), 21),
        (("list", 1, "h"), 22),
        (("list", 1, "inner", "i"), 24),
        (("list", 1, "deep", 0, "j"), 26),
        (("list", 1, "deep", 1, "j"), 28),
        (("spaced", "out"), 30),
        (("spaced", "out", "k"), 31),
        (("spaced", "out", "l"), 32),
        (("spaced", "out", "m"), 34),
        (("a", "b", "n", "o"), 36),
        (("a", "b", "n", "p"), 37),
        (("a", "b", "n", "q"), 38),
    ],
)
def test_a_value_is_found_on_its_line(place: DataPath, line: int) -> None:
    assert line_of(TRICKY, place) == line


@pytest.mark.parametrize(
    ("place", "line"),
    [
        (("a", "b", "missing"), 4),
        (("list", 1, "missing", "deeper"), 21),
        (("missing",), None),
        ((), None),
    ],
)
def test_what_is_missing_has_the_line_of_the_table_around_it(
    place: DataPath, line: int | None
) -> None:
    assert line_of(TRICKY, place) == line


def places(data: Any, at: DataPath = ()) -> Iterator[DataPath]:
    """Every place in parsed data."""
    if at:
        yield at
    match data:
        case dict():
            for key, value in data.items():
                yield from places(value, (*at, key))
        case list():
            for i, value in enumerate(data):
                yield from places(value, (*at, i))


def test_the_tricky_text_is_toml_and_all_of_it_has_lines() -> None:
    found = {place: line_of(TRICKY, place) for place in places(tomllib.loads(TRICKY))}
    assert [place for place, line in found.items() if line is None] == []


def test_every_key_of_a_book_stands_on_the_line_that_is_given_for_it() -> None:
    lines = SIXTH_TEXT.splitlines()
    keys = [place for place in places(tomllib.loads(SIXTH_TEXT)) if isinstance(place[-1], str)]
    assert len(keys) > 250
    for place in keys:
        line = line_of(SIXTH_TEXT, place)
        assert line and str(place[-1]) in lines[line - 1]


def test_lines_end_as_windows_ends_them_too() -> None:
    assert line_of("a = 1\r\n[b]\r\nc = [\r\n 1,\r\n 2]\r\n", ("b", "c", 1)) == 5
