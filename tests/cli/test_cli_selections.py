"""`--select K=V`: selections as words of a command line."""

from decimal import Decimal

import pytest

from croupier.cli.selections import parse_selections
from croupier.errors import UserError


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("a=A", "A"),
        ('a="A"', "A"),
        ("a=2", 2),
        ("a=0.14", Decimal("0.14")),
        ("a=true", True),
        ("a=7.G(1)", "7.G(1)"),
        ("a={ante = [5, 500]}", {"ante": [5, 500]}),
        ("a=[{up_to=100,fee=1}]", [{"up_to": 100, "fee": 1}]),
        (" a = none ", "none"),
        ("a=", ""),
        ("a=x=y", "x=y"),
        ("a=1\nb = 2", "1\nb = 2"),
        ("a=" + "9" * 5000, "9" * 5000),
        ("a=" + "[" * 5000, "[" * 5000),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_value_is_read_as_toml_and_else_as_a_text(word: str, value: object) -> None:
    assert parse_selections([word]) == {"a": value}


@pytest.mark.parametrize("words", [["a"], ["=1"], ["a=1", "a=1"], [" =1"]])
def test_a_selection_without_a_name_or_twice_is_refused(words: list[str]) -> None:
    with pytest.raises(UserError):
        parse_selections(words)
