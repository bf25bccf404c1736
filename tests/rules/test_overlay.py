"""Overlays set values by their paths, and leave what they are laid on as it was."""

import pytest

from croupier.rules.overlay import Data, exists, keys_of, overlaid
from croupier.rules.vocabulary import BookPath


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("deck", ("deck",)),
        ("deck.cut.of", ("deck", "cut", "of")),
        ('version.option."7.G(1)".sets', ("version", "option", "7.G(1)", "sets")),
        ('"a.b"."c.d"', ("a.b", "c.d")),
        ("step.play-or-fold", ("step", "play-or-fold")),
    ],
)
def test_a_path_is_split_at_its_dots_but_not_inside_quotes(
    path: str, expected: tuple[str, ...]
) -> None:
    assert keys_of(path) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a", True),
        ("a.b", True),
        ('"d.e"', True),
        ("b", False),
        ("a.c", False),
        ("a.b.c", False),
        ("d.e", False),
    ],
)
def test_a_path_exists_where_a_value_stands(path: str, expected: bool) -> None:
    assert exists({"a": {"b": 1}, "d.e": 2}, path) == expected


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.b", {"a": {"b": 9, "c": 2}, "d": 3}),
        ("a", {"a": 9, "d": 3}),
        ("a.e", {"a": {"b": 1, "c": 2, "e": 9}, "d": 3}),
        ("e.f.g", {"a": {"b": 1, "c": 2}, "d": 3, "e": {"f": {"g": 9}}}),
        ("d.e", {"a": {"b": 1, "c": 2}, "d": {"e": 9}}),
    ],
)
def test_an_overlay_sets_one_value(path: str, expected: Data) -> None:
    data: Data = {"a": {"b": 1, "c": 2}, "d": 3}
    assert overlaid(data, {BookPath(path): 9}) == expected
    assert data == {"a": {"b": 1, "c": 2}, "d": 3}


def test_later_overlays_are_laid_on_earlier_ones() -> None:
    sets = {BookPath("a"): {"b": 1}, BookPath("a.c"): 2}
    assert overlaid({}, sets) == {"a": {"b": 1, "c": 2}}


def test_an_overlay_of_nothing_is_the_data_itself() -> None:
    data: Data = {"a": 1}
    assert overlaid(data, {}) is data
