"""Worked rounds as data: each file of tests/rounds is settled and compared to the cent."""

import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from croupier.round.result import result_of
from croupier.round.settler import Settler

ROUNDS = Path(__file__).parents[1] / "rounds"
FILES = sorted(ROUNDS.glob("*/*.toml"))
AT_LEAST = {"maryland-three-card-poker": 40, "maryland-let-it-ride": 40}


def read(file: Path) -> dict[str, Any]:
    return tomllib.loads(file.read_text(), parse_float=Decimal)


@pytest.fixture(scope="module")
def settler() -> Settler:
    return Settler(())


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_worked_round(file: Path, settler: Settler) -> None:
    data = read(file)
    expect = data.pop("expect")
    del data["says"], data["cites"]
    result = result_of(settler.played(data))
    assert _wanted(expect) == _seen(result, expect)


def _wanted(expect: dict[str, Any]) -> dict[str, Any]:
    wanted = {key: value for key, value in expect.items() if key != "seats"}
    wanted["dealer"] = {key: _null(v) for key, v in expect.get("dealer", {}).items()}
    wanted["seats"] = [
        {key: _null(value) for key, value in seat.items()} for seat in expect["seats"]
    ]
    for seat in wanted["seats"]:
        seat["lines"] = [" ".join(line.split()) for line in seat["lines"]]
    return wanted


def _null(value: Any) -> Any:
    """TOML has no null; a worked round writes it as an empty text."""
    return None if value == "" else value


def _seen(result: dict[str, Any], expect: dict[str, Any]) -> dict[str, Any]:
    """Return what a worked round speaks of, out of the whole result."""
    seen = {key: result[key] for key in expect if key != "seats"}
    dealer = result["dealer"] or {}
    seen["dealer"] = {key: dealer.get(key) for key in expect.get("dealer", {})}
    seen["seats"] = [
        {key: seat[key] for key in wanted if key != "lines"}
        | {"lines": [_line(line) for line in seat["lines"]]}
        for wanted, seat in zip(expect["seats"], result["seats"], strict=True)
    ]
    return seen


def _line(line: dict[str, Any]) -> str:
    keys = ("wager", "stake", "outcome", "paid", "returned", "clause")
    text = " ".join(line[key] or "-" for key in keys) + f" {line['ruling'] or '-'}"
    return text + (f" from {line['from_seat']}" if "from_seat" in line else "")


@pytest.mark.parametrize("book", sorted({file.parent.name for file in FILES}))
def test_there_are_enough_worked_rounds(book: str) -> None:
    assert len(list((ROUNDS / book).glob("*.toml"))) >= AT_LEAST.get(book, 25)
