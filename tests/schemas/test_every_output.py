"""Every JSON output of the command line and of the server has a schema, and a test that checks it.

What a schema is of stands in its description, as a reader of `docs/schemas.md` finds it. Commands
come from the parser and routes from the application, so a new one without a schema is found here.
"""

import inspect
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
from fastapi import FastAPI
from fastapi.routing import APIRoute
from typer._click import Command
from typer.core import TyperGroup

from croupier.cli import app as command_line
from croupier.schemas import schema, schema_names
from tests.schemas.answers import described, pages, routes_for_programs

TESTS = Path(__file__).parents[1]
DOCS = TESTS.parent / "docs/schemas.md"
COMMAND = re.compile(r"`croupier ([^`]*) --json`")


def commands(command: Command, words: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the words of every command that has `--json`."""
    if any("--json" in option.opts for option in command.params):
        yield words
    if isinstance(command, TyperGroup):
        context = typer.Context(command)
        for name in command.list_commands(context):
            inner = command.get_command(context, name)
            assert inner is not None
            yield from commands(inner, (*words, name))


def with_schema() -> dict[str, list[str]]:
    """Return the names of the schemas of each command, whose arguments are in capitals."""
    found: dict[str, list[str]] = {}
    for name in schema_names():
        for said in COMMAND.findall(schema(name)["description"]):
            words = " ".join(word for word in said.split() if not word.isupper())
            found.setdefault(words, []).append(name)
    return found


def test_every_command_that_prints_json_has_a_schema() -> None:
    found = {" ".join(words) for words in commands(typer.main.get_command(command_line))}
    assert len(found) > 25
    assert found == {*with_schema()}


def test_every_page_that_answers_json_has_one_schema() -> None:
    found = [route for route in pages() if answers_json(route)]
    assert len(found) > 25
    assert [r.path for r in found if len(described("GET", r.path)) != 1] == []


def answers_json(route: APIRoute) -> bool:
    return "document(" in inspect.getsource(route.endpoint)


def test_every_route_for_programs_has_a_schema_here_or_in_its_openapi() -> None:
    app = FastAPI()
    for router in routes_for_programs():
        app.include_router(router)
    assert untyped(app) == []
    assert len(app.openapi()["paths"]) > 40


def untyped(app: FastAPI) -> list[str]:
    """Return the routes whose answer has a part that no schema describes."""
    openapi = app.openapi()
    models = openapi.get("components", {}).get("schemas", {})
    return [
        f"{method.upper()} {path}"
        for path, ways in openapi["paths"].items()
        for method, way in ways.items()
        for body in way["responses"].get("200", {"content": {}})["content"].values()
        if not described(method.upper(), path) and is_open(body["schema"], models)
    ]


def is_open(part: Any, models: dict[str, Any]) -> bool:
    """Whether a part of an answer may be anything."""
    match part:
        case {"$ref": str(name)}:
            return is_open(models[name.rpartition("/")[2]], models)
        case {"anyOf": list(parts)}:
            return any(is_open(one, models) for one in parts)
        case {"type": "object", "properties": dict(parts)}:
            return any(is_open(one, models) for one in parts.values())
        case {"type": "object", "additionalProperties": dict(inner)}:
            return is_open(inner, models)
        case {"type": "array", "items": dict(inner)}:
            return is_open(inner, models)
        case {"type": "object" | "array"}:
            return True
        case {"type": _} | {"const": _} | {"enum": _}:
            return False
    return True


def test_every_schema_is_checked_by_a_test() -> None:
    texts = [file.read_text() for file in TESTS.rglob("test_*.py")]
    checking = "".join(text for text in texts if "tests.schemas.checking" in text)
    assert [name for name in schema_names() if f'"{name}"' not in checking] == []


def test_the_documentation_lists_every_schema() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (.*\.) \|$", DOCS.read_text(), re.MULTILINE)
    assert rows == [(name, schema(name)["description"]) for name in schema_names()]


@pytest.mark.parametrize("answer", [dict[str, Any], dict[str, list[Any]], None])
def test_an_answer_that_may_be_anything_is_found(answer: Any) -> None:
    app = FastAPI()
    app.add_api_route("/api/any", lambda: {}, response_model=answer)
    app.add_api_route("/api/typed", lambda: {}, response_model=dict[str, int])
    assert untyped(app) == ["GET /api/any"]
