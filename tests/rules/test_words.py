"""Numbers, sums and lists as a sign at the table writes them."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from croupier.money import Cents
from croupier.rules.game import Meter, Paytable, Row
from croupier.rules.vocabulary import ClauseId, MeterId
from croupier.rules.words import dollars, hand_says, listed, number, payout_says, percent, plain


@pytest.mark.parametrize(
    ("cents", "expected"),
    [
        (0, "$0"),
        (5, "$0.05"),
        (250, "$2.50"),
        (100_000, "$1,000"),
        (100_000_000, "$1,000,000"),
        (123_456_789, "$1,234,567.89"),
    ],
)
def test_sums(cents: int, expected: str) -> None:
    assert dollars(cents) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (Fraction(0), "0"),
        (Fraction(40), "40"),
        (Fraction(1000), "1,000"),
        (Fraction(3, 2), "1.5"),
        (Fraction(7, 50), "0.14"),
        (Fraction(1, 8), "0.125"),
        (Fraction(1, 3), "1/3"),
        (Fraction(100_001, 2), "50000.5"),
    ],
)
def test_numbers(value: Fraction, expected: str) -> None:
    assert number(value) == expected


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        (Fraction(7, 50), "14 %"),
        (Fraction(1, 5), "20 %"),
        (Fraction(1, 8), "12.5 %"),
        (Fraction(1), "100 %"),
        (Fraction(1, 3), "100/3 %"),
    ],
)
def test_rates(rate: Fraction, expected: str) -> None:
    assert percent(rate) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ""),
        (["a"], "a"),
        (["a", "b"], "a and b"),
        (["a", "b", "c"], "a, b and c"),
    ],
)
def test_lists(words: list[str], expected: str) -> None:
    assert listed(words) == expected


def test_alternatives() -> None:
    assert listed(["a", "b", "c"], last="or") == "a, b or c"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("A", "A"),
        (5, 5),
        (None, None),
        (Decimal("2.50"), "2.5"),
        (Decimal("1E+3"), "1000"),
        (Decimal("100"), "100"),
        ([Decimal("0.140"), 5], ["0.14", 5]),
        ((1, 2), [1, 2]),
        ({"major": Decimal("0.5")}, {"major": "0.5"}),
        ({"ante": [5, Decimal("500.50")]}, {"ante": [5, "500.5"]}),
    ],
)
def test_plain_values(value: Any, expected: Any) -> None:
    assert plain(value) == expected


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (Row(hand="pair"), "pair"),
        (Row(hand="pair", least="T"), "pair of tens or better"),
        (Row(hand="pair", least="9"), "pair of 9s or better"),
        (Row(hand="mini royal", suits="s"), "mini royal of spades"),
        (Row(hand="mini royal", suits="hd"), "mini royal of hearts or diamonds"),
        (Row(hand="mini royal", suits="hdc"), "mini royal of hearts, diamonds or clubs"),
        (Row(hand="mini royal", suits="shdc"), "mini royal"),
        (Row(hand="mini royal", label="royal flush"), "royal flush"),
    ],
)
def test_hands(row: Row, expected: str) -> None:
    assert hand_says(row) == expected


MINOR = Meter(clause=ClauseId("1"), id="x_minor", name="minor")
ONLY = Meter(clause=ClauseId("1"), id="x")


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (Row(hand="pair", to=Fraction(3, 2)), "1.5 to 1"),
        (Row(hand="pair", to=Fraction(1000)), "1,000 to 1"),
        (Row(hand="pair", for_=Fraction(500)), "500 for 1"),
        (Row(hand="pair", amount=Cents(1250_00)), "$1,250"),
        (Row(hand="pair", percent=Fraction(10), meter=MeterId("x")), "10 % of the meter"),
        (Row(hand="pair", percent=Fraction(100), meter=MeterId("x_minor")),
            "100 % of the minor meter"),
    ],
)  # fmt: skip
def test_payouts(row: Row, expected: str) -> None:
    assert (
        payout_says(Paytable(clause=ClauseId("1"), meters=(MINOR, ONLY), rows=()), row) == expected
    )
