"""Formats exact figures: rounded to the nearest, straight from the fraction."""

from fractions import Fraction
from math import isqrt

MINUS = "\N{MINUS SIGN}"


def decimal(value: Fraction, places: int = 6, *, signed: bool = False) -> str:
    """Format a number with this many decimals: 1,234.500000."""
    units = round(abs(value) * 10**places)
    whole, rest = divmod(units, 10**places)
    sign = (MINUS if value < 0 else "+" if signed else "") if units else ""
    return f"{sign}{whole:,}" + (f".{rest:0{places}}" if places else "")


def percent(value: Fraction, places: int = 4, *, signed: bool = False) -> str:
    """Format a share as a percentage: 3.3730 %."""
    return f"{decimal(value * 100, places, signed=signed)} %"


def short(value: Fraction, places: int = 6) -> str:
    """Format a number with as few decimals as it needs, up to a maximum: 2.5, −1."""
    text = decimal(value, places)
    return text.rstrip("0").rstrip(".") if "." in text else text


def one_in(probability: Fraction) -> str:
    """Format how rare something is: 1 in 22.1; '' if it never happens."""
    if not probability:
        return ""
    rounds = 1 / probability
    return f"1 in {decimal(rounds, 0) if rounds >= 10_000 else short(rounds, 2)}"


def root(value: Fraction) -> Fraction:
    """Return a square root, exact beyond the places shown, without using floats."""
    scale = 10**18
    whole = isqrt(value.numerator * value.denominator * scale**2)
    return Fraction(whole, value.denominator * scale)
