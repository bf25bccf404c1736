"""Every refusal has a code, every code is in one enumeration, and the docs list all of them."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from croupier.errors import Code, Refused
from tools.refusals import reference

ROOT = Path(__file__).parent.parent
SRC = ROOT / "src/croupier"
RAISING = {"Refused": 0, "TooMany": 0}
"""Calls that take a code, and at which place."""
ELSEWHERE = {
    Code.OVERTAKEN: "a constant",
}
"""Codes that are said without such a call."""


def codes_in(source: str) -> Iterator[str]:
    """The codes that a source names where it refuses, and those it names as `Code.X`."""
    tree = ast.parse(source)
    named = {
        target.id: node.value.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args):
                given = args[RAISING[name]] if len(args) > RAISING.get(name, 99) else None
                if isinstance(given, ast.Constant):
                    yield str(given.value)
                elif isinstance(given, ast.Name) and given.id in named:
                    yield str(named[given.id])
            case ast.Attribute(value=ast.Name(id="Code"), attr=attr):
                yield Code[attr].value
            case ast.Assign(targets=[ast.Name(id="code")], value=ast.Constant(value=str(value))):
                yield value


@cache
def said() -> frozenset[str]:
    files = [file for file in SRC.rglob("*.py") if file != SRC / "errors.py"]
    return frozenset(code for file in files for code in codes_in(file.read_text()))


def test_every_code_that_is_raised_is_in_the_enumeration() -> None:
    assert said() - set(Code) == set()


def test_every_code_in_the_enumeration_is_raised() -> None:
    assert set(Code) - said() - set(ELSEWHERE) == set()


def test_a_code_that_is_not_in_the_enumeration_is_found() -> None:
    source = 'raise Refused("no_such_thing", "x")\nREASON = "other"\nRefused(REASON, "y")'
    assert set(codes_in(source)) == {"no_such_thing", "other"}


def test_the_page_lists_them_all() -> None:
    written = (ROOT / "docs/refusals.md").read_text()
    assert written == reference(), "write it anew: tools/refusals.py > docs/refusals.md"


@pytest.mark.parametrize("code", Code)
def test_a_code_says_what_it_means(code: Code) -> None:
    assert code == code.name.lower()
    assert 400 <= code.status < 600
    assert code.says[0].isupper()
    assert code.says.endswith(".")


def test_a_refusal_has_its_code_and_one_of_a_newer_server_stays_text() -> None:
    code = Refused("bets_closed", "x").code
    assert code is Code.BETS_CLOSED
    assert str(code) == "bets_closed"
    assert Refused("not_known_yet", "x").code == "not_known_yet"
