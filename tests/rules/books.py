"""What the tests of the rules share: the five books, a small sixth one, and what is wrong."""

import os
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from croupier.errors import Breach, Breaches, Problem, Problems
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook, parse_rulebook

ROOT = Path(__file__).parent.parent.parent
DATA = ROOT / "tests/data"
SHIPPED = ROOT / "src/croupier/rulebooks"

CALIFORNIA = "california-three-card-poker"
FLORIDA = "florida-three-card-poker"
LET_IT_RIDE = "maryland-let-it-ride"
MARYLAND = "maryland-three-card-poker"
SINGAPORE = "singapore-three-card-poker"
IDS = (CALIFORNIA, FLORIDA, LET_IT_RIDE, MARYLAND, SINGAPORE)

SIXTH = "watchtower"
SIXTH_TEXT = (DATA / "sixth-book.toml").read_text()

each_book = pytest.mark.parametrize("id", IDS)


@cache
def book(id: str) -> Rulebook:
    """A book that is read once for all tests; nothing in it can be changed."""
    return load(id)


def text_of(id: str) -> str:
    return (SHIPPED / f"{id}.toml").read_text()


def sixth(text: str = SIXTH_TEXT) -> Rulebook:
    return parse_rulebook(text, id=SIXTH, file="sixth.toml")


def swapped(text: str, *swaps: tuple[str, str]) -> str:
    """The text with each first string, which must be there, replaced once by the second."""
    for old, new in swaps:
        assert old in text
        text = text.replace(old, new, 1)
    return text


def problems_of(text: str) -> tuple[Problem, ...]:
    """All that is wrong with a book."""
    with pytest.raises(Problems) as caught:
        sixth(text)
    return caught.value.problems


def breaches_of(id: str, selections: dict[str, Any]) -> tuple[Breach, ...]:
    """All that is wrong with selections for one of the five books."""
    with pytest.raises(Breaches) as caught:
        resolve(book(id), selections)
    return caught.value.breaches


def python(code: str, **environment: str) -> str:
    """What a new Python process prints."""
    command = [sys.executable, "-c", code]
    done = subprocess.run(
        command, env={**os.environ, **environment}, check=True, capture_output=True, text=True
    )
    return done.stdout
