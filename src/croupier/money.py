"""Exact money in whole numbers (ruling T4).

Stakes and payouts are whole **cents**. Meters hold whole **micros**, millionths of a dollar, so
that no part of a contribution is lost. Odds and rates are fractions. Amounts that don't come out
even are rounded down, and the remainder stays where it was. There are no floats: the TOML and JSON
readers return `int` or `Decimal`.
"""

import re
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import NewType

from croupier.errors import ParseError, quoted

Cents = NewType("Cents", int)
CENT_MICROS = 10_000
DOLLARS_MAX = 10**12
"""A larger sum in a file is a typo."""

_DECIMALS_MAX = 15
_SUM = {
    2: re.compile(r"-?[0-9]+(\.[0-9]{1,2})?"),
    6: re.compile(r"-?[0-9]+(\.[0-9]{1,6})?"),
}
_FRACTION = re.compile(r"[0-9]{1,15}(/[1-9][0-9]{0,14}|(\.[0-9]{1,15})?%?)")


def parse_money(value: int | str | Decimal, field: str) -> int:
    """Read dollars, with at most two decimals, as cents: `10`, `"10.50"`."""
    if type(value) is int and 0 <= value <= DOLLARS_MAX:  # By far the most common case.
        return value * 100
    return _parse_dollars(value, field, decimals=2)


@lru_cache(maxsize=4096)  # The same sums recur.
def format_money(cents: int) -> str:
    """Write cents as dollars with two decimals: `10.00`, `-3.50`."""
    if cents < 0:
        return f"-{-cents // 100}.{-cents % 100:02}"
    return f"{cents // 100}.{cents % 100:02}"


def parse_micros(value: int | str | Decimal, field: str) -> int:
    """Read dollars, with at most six decimals, as micros."""
    return _parse_dollars(value, field, decimals=6)


def format_micros(micros: int) -> str:
    """Write micros as dollars with all six decimals: `1000.123456`."""
    return _format_dollars(micros, decimals=6)


def parse_fraction(value: int | str | Decimal | Fraction, field: str) -> Fraction:
    """Read odds or a rate: `5`, `Decimal("0.14")`, `"0.14"`, `"14%"`, `"1/2"`."""
    if not isinstance(value, str):
        return _exact(value, field)
    if not _FRACTION.fullmatch(value):
        raise ParseError(f"{quoted(value)} is not a fraction like 1/2, 0.14 or 14%", field=field)
    if value.endswith("%"):
        return Fraction(value[:-1]) / 100
    return Fraction(value)


def micros(cents: int) -> int:
    return cents * CENT_MICROS


def shown_cents(micros: int) -> int:
    """Return the cents that a meter shows and pays, rounded down (T4)."""
    return micros // CENT_MICROS


def odds(stake_cents: int, times: Fraction) -> int:
    """Return the cents that a stake wins at `times` to 1, rounded down (T4)."""
    return stake_cents * times.numerator // times.denominator


def share(micros: int, part: Fraction) -> int:
    """Return part of a meter in cents, rounded down (T4)."""
    return micros * part.numerator // (part.denominator * CENT_MICROS)


def part_of(micros: int, part: Fraction) -> int:
    """Return part of an amount, rounded down to the micro (T4)."""
    return micros * part.numerator // part.denominator


def contribution(stake_cents: int, rate: Fraction) -> int:
    """Return the micros that a stake adds to a meter, rounded down (T4)."""
    return stake_cents * CENT_MICROS * rate.numerator // rate.denominator


def _parse_dollars(value: object, field: str, *, decimals: int) -> int:
    """Return a sum in units of its last decimal place."""
    at_most = {2: "two", 6: "six"}[decimals]
    if isinstance(value, str):
        if not _SUM[decimals].fullmatch(value):
            raise ParseError(
                f"{quoted(value)} is not a sum like 10 or 10.50, with at most {at_most} decimals",
                field=field,
            )
        dollars = _exact(Decimal(value), field)
    else:
        dollars = _exact(value, field)
    if dollars > DOLLARS_MAX:
        raise ParseError(f"{quoted(value)} is above {DOLLARS_MAX:,} dollars", field=field)
    units = dollars * 10**decimals
    if units.denominator != 1:
        raise ParseError(f"{quoted(value)} has more than {at_most} decimals", field=field)
    return int(units)


def _exact(value: object, field: str) -> Fraction:
    """Return the value as an exact, non-negative number, or refuse it."""
    if isinstance(value, float):
        message = f"{quoted(value)} came as a float, which is not exact; write '{value}'"
        raise ParseError(message, field=field)
    if isinstance(value, bool) or not isinstance(value, int | Decimal | Fraction):
        raise ParseError(f"{quoted(value)} is not a number", field=field)
    if isinstance(value, Decimal):
        exponent = value.as_tuple().exponent
        if not isinstance(exponent, int):  # Infinity and NaN have a letter here.
            raise ParseError(f"{quoted(value)} is not a number", field=field)
        # 1E+999999999 is short to write but takes forever to expand.
        if abs(exponent) > _DECIMALS_MAX:
            raise ParseError(f"{quoted(value)} has too many digits", field=field)
    if value < 0:
        raise ParseError(f"{quoted(value)} is negative", field=field)
    return Fraction(value)


def _format_dollars(units: int, *, decimals: int) -> str:
    dollars, rest = divmod(abs(units), 10**decimals)
    return f"{'-' if units < 0 else ''}{dollars}.{rest:0{decimals}}"
