"""Figures are rounded from the fraction itself."""

from fractions import Fraction

import pytest

from croupier.reports.figures import decimal, one_in, percent, root, short


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (Fraction(1, 3), 4, "0.3333"),
        (Fraction(-2, 3), 2, "−0.67"),
        (Fraction(12345678, 10), 1, "1,234,567.8"),
        (Fraction(-1, 10**9), 6, "0.000000"),
        (Fraction(999_999_999, 10**9), 6, "1.000000"),
        (Fraction(5), 0, "5"),
    ],
)
def test_decimals_are_rounded_to_the_nearest(value: Fraction, places: int, text: str) -> None:
    assert decimal(value, places) == text


def test_signs_are_shown_on_request_and_never_on_zero() -> None:
    signed = [decimal(Fraction(n, 4), 2, signed=True) for n in (-1, 0, 1)]
    assert signed == ["−0.25", "0.00", "+0.25"]


def test_percent_and_short() -> None:
    assert percent(Fraction(337, 10000)) == "3.3700 %"
    assert [short(Fraction(n)) for n in ("-2", "2.5", "0", "100")] == ["−2", "2.5", "0", "100"]


@pytest.mark.parametrize(
    ("probability", "text"),
    [
        (Fraction(0), ""),
        (Fraction(1), "1 in 1"),
        (Fraction(3, 8), "1 in 2.67"),
        (Fraction(4, 22100), "1 in 5,525"),
        (Fraction(1, 649_740), "1 in 649,740"),
    ],
)
def test_rarity(probability: Fraction, text: str) -> None:
    assert one_in(probability) == text


@pytest.mark.parametrize("value", [Fraction(2), Fraction(9, 16), Fraction(0), Fraction(10**12, 7)])
def test_a_root_is_close_from_below(value: Fraction) -> None:
    found = root(value)
    assert found**2 <= value < (found + Fraction(1, 10**17)) ** 2 + Fraction(1, 10**10)
