"""Every output that programs read is what its JSON Schema says."""

import io
import json
import re
import sys
import tomllib
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

from croupier import Settler
from croupier.schemas import schema, schema_names
from tests.cli.running import run
from tests.rules.books import CALIFORNIA, IDS, MARYLAND
from tests.schemas.checking import faults

ROOT = Path(__file__).parents[2]
RULEBOOKS = ROOT / "src/croupier/rulebooks"
ROUNDS = sorted((ROOT / "tests/rounds").rglob("*.toml"))


@pytest.mark.parametrize("name", schema_names())
def test_a_schema_is_one_and_says_what_it_is_of(name: str) -> None:
    made = schema(name)
    Draft202012Validator(made)
    assert made["title"] == name
    assert made["description"].endswith(".")
    assert "shapes.json" not in json.dumps(made)


def test_shapes_are_all_used() -> None:
    texts = [file.read_text() for file in (ROOT / "src/croupier/schemas").glob("*.json")]
    used = {name for text in texts for name in re.findall(r"#/\$defs/(\w+)", text)}
    assert used == set(schema("settle")["$defs"])


def test_an_unknown_schema_is_refused() -> None:
    ran = run("schema", "nothing")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("croupier: schema: there is no schema 'nothing'; there are ")


def test_schemas_are_listed_and_printed() -> None:
    assert [line.split()[0] for line in run("schema").out.splitlines()] == list(schema_names())
    assert run("schema", "settle").data == schema("settle")


# ---------------------------------------------------------------- commands


def test_every_worked_round_is_settled_as_the_schema_says() -> None:
    settler, found = Settler(()), []
    for file in ROUNDS:
        data = tomllib.loads(file.read_text(), parse_float=Decimal)
        round = {key: data[key] for key in data if key not in ("says", "cites", "expect")}
        found += faults("settle", settler.settle(round))
    assert len(ROUNDS) > 100
    assert found == []


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("rulebooks", "rulebooks"),
        *(("rulebook", f"rulebooks show {id}") for id in IDS),
        ("analyze", f"analyze {MARYLAND}"),
        ("analyze", f"analyze {MARYLAND} --select progressive=A --bet ante=1 --bet progressive=1"),
        ("advise", f"advise {MARYLAND} --cards QsQd3c"),
        ("simulate", f"simulate {MARYLAND} --rounds 500 --seed 1"),
        ("simulate", f"simulate {MARYLAND} --engine --rounds 5 --seed 1"),
        ("simulate", f"simulate {MARYLAND} --session 9 --sessions 9 --bankroll 5 --seed 1"),
        (
            "simulate",
            f"simulate {MARYLAND} --select progressive=A --meter-run --sessions 2",
        ),
        ("simulate", f"simulate {CALIFORNIA} --bank 500 --rounds 5 --seed 1 -q"),
        ("report", f"report {MARYLAND} --select progressive=A"),
        ("report", f"report {CALIFORNIA}"),
        *(("sign", f"sign {id}") for id in IDS),
        ("submission-new", f"submission new {MARYLAND}"),
        ("price", f"price {MARYLAND}"),
        ("choose", f"choose {MARYLAND} --wager pair_plus --edge 0..8%"),
        ("clause", f"rulebooks show {MARYLAND} 7.A"),
        ("clause", f"rulebooks show {MARYLAND} 11.D"),
        ("differences", f"rulebooks diff {MARYLAND} {IDS[0]}"),
        ("shuffles", "rng shuffles --count 3"),
        ("shuffles", "rng shuffles --count 0"),
        ("compare", f"compare {MARYLAND} {MARYLAND} --against pair_plus=D"),
    ],
)
def test_a_command_prints_what_its_schema_says(name: str, words: str) -> None:
    assert faults(name, run(*words.split(), "--json").data) == []


def test_a_check_of_a_submission_is_what_its_schema_says(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(f'rulebook = "{MARYLAND}"\n')
    checked = run("submission", "check", str(file), "--json").data
    assert checked["breaches"]
    assert faults("submission", checked) == []


def test_a_check_of_a_rulebook_is_what_its_schema_says(tmp_path: Path) -> None:
    for file in (RULEBOOKS / f"{MARYLAND}.toml", tmp_path / "bad.toml"):
        if not file.exists():
            file.write_text("seats = 7\n")
        assert faults("rulebook-check", run("rulebooks", "check", str(file), "--json").data) == []


def test_a_line_that_is_not_settled_is_answered_as_its_schema_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"rulebook": "x"}\n[]\n')))
    answers = [json.loads(line) for line in run("settle", "--lines").out.splitlines()]
    assert len(answers) == 2
    assert [faults("settle-error", answer) for answer in answers] == [[], []]


# ---------------------------------------------------------------- teeth

GOOD: dict[str, Any] = {"error": {"code": "void", "message": "x", "field": None, "clause": "7.A"}}


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"error": {**GOOD["error"], "more": 1}},
        {"error": {**GOOD["error"], "clause": 7}},
        {"error": {"code": "void", "message": "x", "field": None}},
    ],
)
def test_what_is_not_the_shape_is_found(wrong: Any) -> None:
    assert faults("error", GOOD) == []
    assert faults("error", wrong)
