"""What a person may not do or see is refused and logged (S3, S8, T23-T25, T28)."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import APIRouter, FastAPI

from croupier.ledger.roles import ROLES
from croupier.server import registry
from croupier.server.routes import access
from tests.rules.books import MARYLAND
from tests.server.attacks.houses import PASSWORD, House, Visitor, crashes, open_house, table_toml
from tests.server.attacks.states import Walk

PUBLIC = {
    *("POST /api/guest", "POST /api/sign-up", "POST /api/sign-in", "GET /operator", "GET /api/me"),
    *("POST /api/sign-out", "GET /api/tables", "GET /api/tables/{id}"),
    *("GET /api/tables/{id}/voids", "POST /api/practice"),
    *("GET /healthz", "GET /readyz", "GET /metrics", "POST /api/staff/enter"),
}
SIGNED_IN = {
    *("POST /api/password", "POST /api/ticket", "GET /api/purse", "POST /api/chips"),
    *("GET /api/history", "GET /api/coach", "POST /api/name", "POST /api/again"),
}
OPERATORS = {
    *("GET /api/people", "POST /api/people/{id}/roles", "POST /api/people/{id}/disable"),
    *("POST /api/tables/{id}/dealing", "POST /api/meters/{name}"),
    "POST /api/tables/{id}/call-off",
    *("POST /api/tables/{id}/seats/{seat}/free", "POST /api/staff", "POST /api/staff/{id}/link"),
    *("POST /api/proposals/{id}/withdraw", "POST /api/tables", "POST /api/backups"),
}
APPOINTING = {
    *("GET /api/staff", "POST /api/proposals/{id}/approve", "POST /api/proposals/{id}/decline"),
}
AWARDS = {
    "GET /api/tables/{id}/desk": {"dealer", "floor", "surveillance"},
    "POST /api/tables/{id}/proposals/{proposal}": {"floor", "surveillance", "auditor"},
    "POST /api/tables/{id}/adjustments": {"floor"},
    "POST /api/tables/{id}/validate": {"floor"},
    "POST /api/tables/{id}/recall": {"surveillance"},
    "GET /api/awards": {"floor", "surveillance", "auditor"},
    "POST /api/notes": {"surveillance", "auditor"},
    "POST /api/awards/validate": {"floor"},
    "POST /api/awards/reject": {"floor"},
    "POST /api/awards/approve": {"floor", "surveillance"},
    "POST /api/awards/decline": {"floor", "surveillance"},
}
AUDITORS = {
    *("GET /api/ledger/balances", "GET /api/ledger/history/{name}", "GET /api/ledger/verify"),
}
BODIES: dict[str, Any] = {
    "POST /api/people/{id}/roles": {"roles": ["operator"]},
    "POST /api/people/{id}/disable": {"disabled": True},
    "POST /api/tables/{id}/dealing": {"open": False},
    "POST /api/meters/{name}": {"out": True},
    "POST /api/ticket": {"table": "maryland"},
    "POST /api/name": {"name": "Cleo"},
    "POST /api/password": {"old": "x", "new": PASSWORD},
    "POST /api/again": {"password": PASSWORD},
    "POST /api/staff": {"name": "New One Ash", "roles": ["dealer"]},
    "POST /api/proposals/{id}/approve": {"again": "x"},
    "POST /api/tables": {"table": "x"},
    "POST /api/tables/{id}/proposals/{proposal}": {"answer": "approve", "again": "x"},
    "POST /api/tables/{id}/adjustments": {
        "account": "meter:x",
        "does": "add",
        "dollars": "1",
        "why": "x",
    },
    "POST /api/tables/{id}/validate": {"seat": 1, "wager": "x"},
    "POST /api/tables/{id}/recall": {"round": "maryland-1", "seat": "1", "why": "x"},
    "POST /api/proposals/{id}/decline": {"why": "no"},
    "POST /api/awards/validate": {"award": "x"},
    "POST /api/notes": {"says": "x"},
    "POST /api/awards/reject": {"award": "x", "why": "no"},
    "POST /api/awards/approve": {"award": "x", "again": "x"},
    "POST /api/awards/decline": {"award": "x", "why": "no"},
}
NO_PROPOSAL = "h-0123456789abcdef"
HOSTILE = (
    *("<script>alert(1)</script>", "<img src=x onerror=alert(1)>", '"><svg onload=alert(1)>'),
    *("javascript:alert(1)", "'-alert(1)-'", "{{7*7}}", "${7*7}", "</title><b>", "&lt;b&gt;"),
    *("Ann\r\nSet-Cookie: a=b", 'Ann\n{"event":"forged"}', "Ann\x1b[31m", "Ann\x00", "Ann\x7f"),
    *(
        "\u202eegnahc",
        "A\u200bnn",
        "\u2066Ann\u2069",
        "Аnn",
        "Ａｎｎ\u0301\u0301\u0301\u0301",
        "\ufeffAnn",
    ),
    *("Z\u0351\u036b\u0343\u036a\u0302alg\u0321o", "A" * 1_000, "A" * 1_000_000, "   ", "..", "🂡🂡"),
    *("Operator", "0perator", "Dea1er", "Guest 1", "c r o u p i e r", "Böss\u2028x"),
)


def routes_of(app: FastAPI) -> set[str]:
    paths = app.openapi()["paths"]
    return {f"{method.upper()} {path}" for path, ways in paths.items() for method in ways}


async def ask(who: Visitor, route: str, someone: str) -> httpx.Response:
    method, path = route.split()
    id = someone if "/people/" in path or "/staff/" in path else "maryland"
    name = f"player:{someone}" if "ledger" in path else "maryland/x"
    id = NO_PROPOSAL if path.startswith("/api/proposals/") else id
    path = path.format(id=id, name=name, seat=1, proposal=1)
    body = {"json": BODIES.get(route, {})} if method == "POST" else {}
    return await who.http.request(method, path, **body)


ALLOWED = {
    **AWARDS,
    **{route: {"operator"} for route in OPERATORS},
    **{route: {"auditor"} for route in AUDITORS},
    **{route: {"operator", "auditor"} for route in APPOINTING},
}
"""Which roles each route admits; everybody else is refused."""


async def too_open(house: House) -> list[str]:
    """Ask every route as everybody who may not, and say which of them answer."""
    ann = (await house.person("Ann Ash")).id
    people = {role: await house.person(f"The {role} Ash", role) for role in ROLES}
    faults = [
        f"{route} is not said to be anybody's"
        for route in routes_of(house.app) - PUBLIC - SIGNED_IN - ALLOWED.keys()
    ]
    forbidden = 0
    for route in sorted((SIGNED_IN | ALLOWED.keys()) & routes_of(house.app)):
        if (answer := await ask(house.visitor(), route, ann)).status_code not in (401, 422):
            faults.append(f"{route} without a session: {answer.status_code}")
    for route, roles in sorted(ALLOWED.items()):
        for role in sorted(people.keys() - roles):
            answer = await ask(people[role], route, ann)
            forbidden += 1
            if answer.status_code != 403 or answer.json()["error"]["code"] != "not_allowed":
                faults.append(f"{route}, {role}: {answer.status_code} {answer.text}")
    noted = [json.loads(line)["event"] for line in house.lines.getvalue().splitlines()]
    if noted.count("not_allowed") != forbidden:
        faults.append(f"{forbidden} were refused, and {noted.count('not_allowed')} noted")
    for route, roles in sorted(ALLOWED.items()):
        for role in sorted(roles) if route.startswith("GET") else ():
            assert (await ask(people[role], route, ann)).status_code == 200
    return faults


WITH_DEALER = table_toml(MARYLAND).replace("practice = true", 'things = ["dealer"]')


def test_every_route_is_somebodys(tmp_path: Path) -> None:
    async def main() -> list[str]:
        async with open_house(tmp_path, WITH_DEALER) as house:
            return await too_open(house)

    assert asyncio.run(main()) == []


def test_a_route_that_forgets_to_ask_is_found(tmp_path: Path) -> None:
    extra = APIRouter()

    @extra.post("/api/tables/{id}/void")
    async def void(id: str) -> str:
        return id

    async def main() -> list[str]:
        async with open_house(tmp_path, WITH_DEALER) as house:
            house.app.include_router(extra)
            house.app.dependency_overrides[access.must_be_in] = lambda: None
            return await too_open(house)

    faults = asyncio.run(main())
    assert any("/void" in fault for fault in faults)


def test_what_is_anns_is_not_bobs(tmp_path: Path) -> None:
    """Ids of one person, used by another: seats, tickets, histories, command ids, sessions."""

    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            walk = Walk(house, MARYLAND)
            await walk.come_in()
            ann, bob = walk.players["ann"], walk.players["bob"]
            async for _ in walk.states():
                mine = (await ann.http.get(f"/api/tables/{walk.id}")).json()["own"]
                theirs = (await bob.http.get(f"/api/tables/{walk.id}")).json()["own"]
                nobodys = (await house.visitor().http.get(f"/api/tables/{walk.id}")).json()["own"]
                assert not mine.keys() & theirs.keys() and nobodys == {}
            history = (await bob.http.get("/api/history")).json()
            assert history["account"] == f"player:{bob.id}"
            assert ann.id not in json.dumps(history)
            answer = await bob.http.get(f"/api/ledger/history/player:{ann.id}")
            assert answer.status_code == 403
            # The same command id is another command, when another one sends it.
            assert {2, 4} <= walk.table.place.standing.table.seats.keys()
            said = await walk.lines["ann"].ask("leave", seat=2, id="same")
            also = await walk.lines["bob"].ask("leave", seat=4, id="same")
            assert said["type"] == also["type"] == "done"
            # Events are not counted: for a player who is left alone the next round opens at once.
            assert not {2, 4} & walk.table.place.standing.table.seats.keys()

    asyncio.run(main())


def test_signing_in_makes_a_new_session(tmp_path: Path) -> None:
    """A session that somebody was given beforehand is not the one that they sign in with."""

    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            await house.person("Ann Ash")
            planted = house.visitor()
            await planted.post("/api/guest")
            before = planted.cookie
            answer = await planted.post("/api/sign-in", name="Ann Ash", password=PASSWORD)
            assert answer.status_code == 200 and planted.cookie != before
            thief = house.visitor(Cookie=before)
            assert (await thief.http.get("/api/me")).json() == {"person": None}
            made_up = house.visitor(Cookie="croupier_session=planted-by-the-attacker")
            await made_up.post("/api/guest")
            assert "planted" not in made_up.cookie

    asyncio.run(main())


def test_nobody_gives_themselves_a_role(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            one = house.visitor()
            for more in ({"roles": ["operator"]}, {"id": "p-aaaaaaaaaa"}, {"disabled": False}):
                body = {"name": "Eve Ash", "password": PASSWORD, **more}
                assert (await one.http.post("/api/sign-up", json=body)).status_code == 422
            boss = await house.person("The Boss", "operator")
            changes: tuple[tuple[str, dict[str, Any]], ...] = (
                (f"/api/people/{boss.id}/roles", {"roles": ["operator", "auditor"]}),
                (f"/api/people/{boss.id}/disable", {"disabled": False}),
            )
            for path, change in changes:
                answer = await boss.http.post(path, json=change)
                assert answer.json()["error"]["code"] == "oneself"
            line = await boss.line("maryland")
            for type in ("void", "declare", "show", "settle", "deal", "close_bets", "shuffle"):
                said = await line.ask(type, seat=2)
                assert (said["type"], said["code"]) == ("refused", "unreadable")

    asyncio.run(main())


# ---------------------------------------------------------------- names


@pytest.mark.parametrize("name", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_name_is_refused(name: str, signing_up: Any) -> None:
    status, body, lines = signing_up(name)
    assert status in (400, 401, 413, 422), body
    for line in lines:
        assert line.isascii() and line.isprintable() and isinstance(json.loads(line), dict)
    assert "forged" not in [json.loads(line)["event"] for line in lines]
    assert "<script" not in body and "<img" not in body and len(body) < 1_000


@pytest.fixture(scope="module")
def signing_up(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Sign up and in under all hostile names at one house, and keep what was answered and noted."""
    told: dict[str, tuple[int, str, list[str]]] = {}

    async def main() -> None:
        async with open_house(tmp_path_factory.mktemp("names"), table_toml(MARYLAND)) as house:
            for name in HOSTILE:
                start = len(house.lines.getvalue())
                house.hands.people_s += 10_000  # Or else wrong passwords lock the door.
                one = house.visitor(**{"User-Agent": "x"})
                up = await one.post("/api/sign-up", name=name, password=PASSWORD)
                await one.post("/api/sign-in", name=name, password=PASSWORD)
                lines = house.lines.getvalue()[start:].splitlines()
                told[name] = up.status_code, up.text, lines
            assert crashes(house) == []

    asyncio.run(main())
    return told.__getitem__


def test_a_hostile_name_that_got_in_is_only_text(tmp_path: Path) -> None:
    """Even one that an older version let in is never part of a page or the start of a log line."""
    name = "<b onclick=x>\r\n\u202e\"'&"

    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            ann = await house.person("Ann Ash")
            await house.people.rows.write(
                lambda rows: registry.set_name(rows, ann.id, name, looks="script")
            )
            line = await ann.line("maryland")
            await line.do("sit", seat=2)
            await house.until_phase("maryland", "bets")
            frames = await line.caught_up()
            assert line.welcome()["you"]["name"] == name
            assert all("\r" not in frame and "\n" not in frame for frame in frames)
            for path in ("/", "/tables/maryland", "/tables/maryland/text", "/account", "/sign-in"):
                answer = await ann.http.get(path)
                assert answer.status_code in (200, 404)
                assert "<b onclick" not in answer.text, path
                assert "onclick" not in str(answer.headers)
            for text in house.lines.getvalue().splitlines():
                assert text.isascii() and isinstance(json.loads(text), dict)
            # The journal knows no such name, so `verify` would object.
            await house.people.rows.write(
                lambda rows: registry.set_name(rows, ann.id, "Ann Ash", looks="annash")
            )

    asyncio.run(main())
