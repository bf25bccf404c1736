"""Everybody asks every route for what its OpenAPI describes, and for what it doesn't (A3).

Every answer is one that the OpenAPI describes, and never an internal error. A wrong request is
refused, and so is one without the session that its route needs.
"""

import asyncio
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case, GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    ignored_auth,
    negative_data_rejection,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from croupier.house.books import Books
from croupier.house.config import parse_config
from croupier.house.pit import Pit
from croupier.server import attempts
from croupier.server.app import make_app
from croupier.server.guard import Guard
from croupier.server.limits import Lock
from croupier.server.passwords import Passwords
from croupier.server.people import People
from tests.server.attacks.houses import ALL_TABLES, KEY, PASSWORD, rules_of, unsynced
from tests.server.doors import CHEAP, GENEROUS, OWN, logged, serving

WHO = ("anonymous", "player", "operator", "auditor")
EXAMPLES, EXAMPLES_LONG = 2, 65
CHECKS = [
    *(not_a_server_error, status_code_conformance, content_type_conformance),
    *(response_headers_conformance, response_schema_conformance, negative_data_rejection),
    ignored_auth,
]
COOKIE = "croupier_session"


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, FastAPI]]:
    """A real server with all its tables, and its address."""
    store = unsynced(folder / "ledger.db")
    people = People(store, passwords=Passwords(made_by=CHEAP))
    books = Books(store, KEY)
    app = make_app(Pit(parse_config(ALL_TABLES, rules_of), books, rules_of), people)
    with pytest.MonkeyPatch.context() as patch, logged(), serving(Guard(app, GENEROUS)) as port:
        # Wrong passwords by the hundred come from the same address as the right ones.
        for lock in ("ADDRESS", "NAME", "PAIR"):
            patch.setattr(attempts, lock, Lock(10**9))
        yield f"http://127.0.0.1:{port}", app
    books.close()
    store.close()
    people.close()
    app.state.shelf.close()


def come_in(url: str, app: FastAPI, who: str) -> None:
    """Make an account for each role."""
    with httpx.Client(base_url=url, headers=OWN) as http:
        given = {"name": f"The {who} Ash", "password": PASSWORD}
        made = http.post("/api/sign-up", json=given).json()["person"]["id"]
    if who != "player":
        asyncio.run(app.state.people.set_roles(made, [who]))


def session(url: str, who: str) -> str:
    """Sign in anew: one of the routes signs out."""
    with httpx.Client(base_url=url, headers=OWN) as http:
        given = {"name": f"The {who} Ash", "password": PASSWORD}
        assert http.post("/api/sign-in", json=given).status_code == 200
        return str(http.cookies[COOKIE])


def attack(
    url: str, app: FastAPI, *, who: str, examples: int, only: str = ""
) -> tuple[Counter[int], list[str]]:
    """Ask every route, or only one, and return how often each status came, and what is wrong."""
    if who != "anonymous":
        come_in(url, app, who)
    schema: Any = schemathesis.openapi.from_url(f"{url}/openapi.json", headers=OWN)
    statuses: Counter[int] = Counter()
    faults: list[str] = []
    for result in schema.get_all_operations():
        operation = result.ok()
        if only not in ("", operation.label):
            continue
        cookies = {} if who == "anonymous" else {COOKIE: session(url, who)}
        for mode in (GenerationMode.POSITIVE, GenerationMode.NEGATIVE):
            try:
                _ask(operation, mode, examples, cookies=cookies, statuses=statuses)
            except (Exception, BaseExceptionGroup) as error:
                faults.append(f"{operation.label}, {mode}, {who}: {error}")
    return statuses, faults


def _ask(
    operation: Any,
    mode: GenerationMode,
    examples: int,
    *,
    cookies: dict[str, str],
    statuses: Counter[int],
) -> None:
    said = {"Content-Type": "application/json"} if operation.method.upper() == "POST" else {}

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        suppress_health_check=[*HealthCheck],
        phases=[Phase.explicit, Phase.generate],
    )
    @given(case=operation.as_strategy(generation_mode=mode, cookies=cookies or None))
    def ask(case: Case[Any]) -> None:
        headers = {**OWN, **said}
        response = case.call(headers=headers, allow_redirects=False)
        statuses[response.status_code] += 1
        case.validate_response(response, checks=CHECKS)

    try:
        ask()
    except Exception as error:
        if type(error).__name__ not in ("Unsatisfiable", "InvalidArgument", "SkipTest"):
            raise


def check(who: str, folder: Path, examples: int) -> None:
    with served(folder) as (url, app):
        statuses, faults = attack(url, app, who=who, examples=examples)
        print(f"{who}: {statuses.total()} requests, {dict(sorted(statuses.items()))}")
        assert faults == []
        assert statuses[200] and statuses[422] and not any(s >= 500 for s in statuses)
        assert statuses[401] or who != "anonymous"
        assert statuses[403]


@pytest.mark.parametrize("who", WHO)
def test_every_route_answers_as_it_says(who: str, tmp_path: Path) -> None:
    check(who, tmp_path, EXAMPLES)


@pytest.mark.long
@pytest.mark.parametrize("who", WHO)
def test_every_route_answers_as_it_says_for_long(who: str, tmp_path: Path) -> None:
    check(who, tmp_path, EXAMPLES_LONG)


def test_routes_that_need_a_session_say_so_and_do(tmp_path: Path) -> None:
    """The OpenAPI names them, and without a session or with a made-up one they refuse."""
    with served(tmp_path) as (url, app):
        come_in(url, app, "player")
        schema: Any = schemathesis.openapi.from_url(f"{url}/openapi.json", headers=OWN)
        locked = []
        for result in schema.get_all_operations():
            operation = result.ok()
            if operation.definition.raw.get("security"):
                locked.append(operation.label)
                for cookies in ({}, {COOKIE: "made-up"}, {COOKIE: ""}):
                    answer = httpx.request(
                        operation.method,
                        url + operation.path.format(id="maryland", name="x", seat=1, proposal=1),
                        headers=OWN,
                        cookies=cookies,
                        json={} if operation.method.upper() == "POST" else None,
                    )
                    assert answer.status_code in (401, 422), (operation.label, answer.text)
        assert len(locked) >= 12, locked


# ---------------------------------------------------------------- mutants


def test_an_error_of_ours_is_found(tmp_path: Path) -> None:
    with served(tmp_path) as (url, app):

        @app.get("/api/broken")
        async def broken(number: int) -> int:
            return 10 // (number - number)

        _, faults = attack(url, app, who="anonymous", examples=EXAMPLES, only="GET /api/broken")
        assert faults


def test_an_answer_that_is_not_as_it_says_is_found(tmp_path: Path) -> None:
    with served(tmp_path) as (url, app):
        app.openapi()["paths"]["/api/me"]["get"]["responses"]["200"]["content"]["application/json"][
            "schema"
        ] = {"type": "array"}
        _, faults = attack(url, app, who="anonymous", examples=EXAMPLES, only="GET /api/me")
        assert faults
