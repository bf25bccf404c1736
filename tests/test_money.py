"""Money is exact: what is read is what was written, and what is divided is rounded down (T4)."""

import json
import tomllib
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.errors import ParseError
from croupier.money import (
    DOLLARS_MAX,
    contribution,
    format_micros,
    format_money,
    micros,
    odds,
    parse_fraction,
    parse_micros,
    parse_money,
    part_of,
    share,
    shown_cents,
)

sums = st.integers(min_value=0, max_value=DOLLARS_MAX * 100)
rates = st.fractions(min_value=0, max_value=1000)


@given(sums)
def test_money_parses_what_it_prints(cents: int) -> None:
    assert parse_money(format_money(cents), "ante") == cents
    assert parse_money(Decimal(format_money(cents)), "ante") == cents


@given(st.integers(min_value=0, max_value=DOLLARS_MAX * 10**6))
def test_micros_parse_what_they_print(amount: int) -> None:
    assert parse_micros(format_micros(amount), "meter") == amount


@pytest.mark.parametrize(
    ("value", "cents"),
    [
        (10, 1000),
        (0, 0),
        ("10", 1000),
        ("10.5", 1050),
        ("10.50", 1050),
        ("0.01", 1),
        (Decimal("10.5"), 1050),
        (Decimal("1E+2"), 10000),
        (Decimal("10.000"), 1000),
        (DOLLARS_MAX, DOLLARS_MAX * 100),
    ],
)
def test_sums_that_are_read(value: int | str | Decimal, cents: int) -> None:
    assert parse_money(value, "ante") == cents


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("10.005", "ante: '10.005' is not a sum like 10 or 10.50, with at most two decimals"),
        (Decimal("10.005"), "ante: 10.005 has more than two decimals"),
        (Decimal("1E-3"), "ante: 0.001 has more than two decimals"),
        (-5, "ante: -5 is negative"),
        ("-5.00", "ante: -5.00 is negative"),
        (Decimal("-0.01"), "ante: -0.01 is negative"),
        (10.5, "ante: 10.5 came as a float, which is not exact; write '10.5'"),
        (float("nan"), "ante: nan came as a float"),
        (float("inf"), "ante: inf came as a float"),
        (Decimal("NaN"), "ante: NaN is not a number"),
        (Decimal("Infinity"), "ante: Infinity is not a number"),
        (Decimal("sNaN"), "ante: sNaN is not a number"),
        (True, "ante: True is not a number"),
        (None, "ante: None is not a number"),
        ([10], "ante: [10] is not a number"),
        ("", "ante: '' is not a sum"),
        ("ten", "ante: 'ten' is not a sum"),
        ("1e2", "ante: '1e2' is not a sum"),
        ("1,000", "ante: '1,000' is not a sum"),
        ("1_000", "ante: '1_000' is not a sum"),
        (" 10", "ante: ' 10' is not a sum"),
        ("10 ", "ante: '10 ' is not a sum"),
        ("10\n", "ante: '10\\n' is not a sum"),
        ("+10", "ante: '+10' is not a sum"),
        ("$10", "ante: '$10' is not a sum"),
        ("10.", "ante: '10.' is not a sum"),
        (".50", "ante: '.50' is not a sum"),
        ("1.0.0", "ante: '1.0.0' is not a sum"),
        ("١٠", "ante: '١٠' is not a sum"),
        ("NaN", "ante: 'NaN' is not a sum"),
        (DOLLARS_MAX + 1, "ante: 1000000000001 is above 1,000,000,000,000 dollars"),
        ("9" * 5000, "ante: '" + "9" * 39 + "… is above"),
        pytest.param(10**5000, "ante: a number of thousands of digits is above", id="endless"),
        (Decimal("1E+99999"), "ante: 1E+99999 has too many digits"),
        (Decimal("1E-99999"), "ante: 1E-99999 has too many digits"),
    ],
)
def test_sums_that_are_refused_with_the_field(value: int, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_money(value, "ante")
    assert str(caught.value).startswith(message)
    assert caught.value.field == "ante"


def test_numbers_of_files_are_read_as_decimals() -> None:
    written = tomllib.loads("a = 10.10\nb = 7", parse_float=Decimal)
    assert [parse_money(written[key], key) for key in "ab"] == [1010, 700]
    assert parse_money(json.loads("10.10", parse_float=Decimal), "a") == 1010


@pytest.mark.parametrize(
    ("cents", "text"),
    [
        (0, "0.00"),
        (5, "0.05"),
        (1000, "10.00"),
        (-350, "-3.50"),
        (-5, "-0.05"),
        (10**14, f"{10**12}.00"),
    ],
)
def test_sums_are_printed_with_two_decimals(cents: int, text: str) -> None:
    assert format_money(cents) == text


def test_meters_keep_millionths_and_show_cents_rounded_down() -> None:
    amount = parse_micros("1000.129999", "progressive")
    assert amount == 1_000_129_999
    assert format_micros(amount) == "1000.129999"
    assert format_money(shown_cents(amount)) == "1000.12"
    assert shown_cents(micros(12345)) == 12345
    with pytest.raises(ParseError, match="at most six decimals"):
        parse_micros("0.0000001", "progressive")


@pytest.mark.parametrize(
    ("value", "fraction"),
    [
        (5, Fraction(5)),
        ("1/2", Fraction(1, 2)),
        ("14%", Fraction(14, 100)),
        ("0.14", Fraction(14, 100)),
        ("12.5%", Fraction(1, 8)),
        (Decimal("0.14"), Fraction(14, 100)),
        (Fraction(3, 2), Fraction(3, 2)),
        ("0", Fraction(0)),
    ],
)
def test_fractions_that_are_read(value: int | str | Decimal | Fraction, fraction: Fraction) -> None:
    assert parse_fraction(value, "rate") == fraction


@given(rates.filter(lambda rate: rate.denominator < 10**15))
def test_a_fraction_parses_as_printed(rate: Fraction) -> None:
    assert parse_fraction(str(rate), "rate") == rate


@pytest.mark.parametrize(
    "value",
    [
        *("1/0", "1/00", "1/-2", "-1/2", "1 / 2", "1/2%", "14 %", "%", "", "a", "1e3", ".5", "½"),
        *(0.14, float("nan"), True, None, -1, Decimal("NaN"), Decimal("-1"), Decimal("1E+9999999")),
        "9" * 5000,
    ],
)
def test_fractions_that_are_refused(value: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_fraction(value, "rate")
    assert str(caught.value).startswith("rate: ")


@pytest.mark.parametrize(
    ("stake", "times", "cents"),
    [
        (1000, "35", 35000),
        (500, "3/2", 750),
        (25, "3/2", 37),
        (1, "1/2", 0),
        (1001, "1/3", 333),
    ],
)
def test_odds_are_rounded_down_to_the_cent(stake: int, times: str, cents: int) -> None:
    assert odds(stake, Fraction(times)) == cents


@given(st.integers(min_value=0, max_value=10**14), rates)
def test_what_is_paid_is_never_a_cent_short_of_the_exact_sum_nor_above_it(
    amount: int, rate: Fraction
) -> None:
    assert 0 <= amount * rate - odds(amount, rate) < 1
    assert 0 <= amount * rate / 10_000 - share(amount, rate) < 1
    assert 0 <= amount * 10_000 * rate - contribution(amount, rate) < 1


def test_a_share_of_a_meter_is_rounded_down_to_the_cent() -> None:
    assert share(parse_micros("2500.259999", "meter"), Fraction(1, 10)) == 25002
    assert share(parse_micros("2500.259999", "meter"), Fraction(1)) == 250025


def test_a_part_is_rounded_down_to_the_millionth() -> None:
    assert part_of(100, Fraction(2, 3)) == 66
    assert part_of(3, Fraction(1, 3)) == 1


def test_a_contribution_keeps_millionths() -> None:
    assert contribution(100, Fraction(14, 100)) == 140_000
    assert contribution(1, Fraction(1, 3)) == 3_333
