"""Coming in and going out, over a real server."""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from croupier.errors import Code
from croupier.server.guard import Policy, parse_proxies
from croupier.server.headers import ALWAYS
from croupier.server.limits import Rate
from croupier.server.routes.access import COOKIE
from tests.server.doors import House, events, house

GOOD = "correct horse"
_JSON = {"Content-Type": "application/json"}
BODIES: list[dict[str, Any]] = [{"json": {}}, {}, {"content": b"{", "headers": _JSON}]
NOT_BOOLEAN: list[object] = [1, 0, "true", None, [], {}]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[House]:
    with house(tmp_path) as made:
        yield made


@pytest.fixture
def ada(home: House) -> Iterator[httpx.Client]:
    """Somebody who is signed in with an account."""
    with home.visitor() as visitor:
        assert sign_up(visitor, "Ada").status_code == 200
        yield visitor


@pytest.fixture
def operator(home: House) -> Iterator[httpx.Client]:
    with home.visitor() as visitor:
        link = home.people.operator_link()
        assert visitor.get("/operator", params={"link": link}).status_code == 303
        yield visitor


def sign_up(visitor: httpx.Client, name: str, password: str = GOOD) -> httpx.Response:
    return visitor.post("/api/sign-up", json={"name": name, "password": password})


def sign_in(visitor: httpx.Client, name: str, password: str = GOOD) -> httpx.Response:
    return visitor.post("/api/sign-in", json={"name": name, "password": password})


def me(visitor: httpx.Client) -> dict[str, Any] | None:
    person: dict[str, Any] | None = visitor.get("/api/me").json()["person"]
    return person


def code_of(answer: httpx.Response) -> tuple[int, str]:
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "field", "clause"}
    assert "\n" not in error["message"]
    return answer.status_code, error["code"]


# ---------------------------------------------------------------- guests and accounts


def test_a_guest_comes_in_with_one_click_and_gets_chips(home: House) -> None:
    with home.visitor() as visitor:
        assert me(visitor) is None
        person = visitor.post("/api/guest", json={}).json()["person"]
        assert person["name"].startswith("Guest ") and person["guest"]
        assert person["roles"] == ["player"]
        assert me(visitor) == person
        assert visitor.post("/api/guest", json={}).json()["person"] == person
    assert home.pit.issued == [person["id"]]


def test_a_guest_becomes_an_account_and_keeps_the_chips(home: House) -> None:
    with home.visitor() as visitor:
        guest = visitor.post("/api/guest", json={}).json()["person"]
        before = visitor.cookies[COOKIE]
        account = sign_up(visitor, "Ada").json()["person"]
        assert account == {**guest, "name": "Ada", "guest": False}
        assert visitor.cookies[COOKIE] != before
    assert home.pit.issued == [guest["id"]]
    with home.visitor() as elsewhere:
        assert sign_in(elsewhere, "ADA").json()["person"] == account
    assert home.ended == [guest["id"]]


def named(visitor: httpx.Client, name: str) -> httpx.Response:
    return visitor.post("/api/name", json={"name": name})


def test_a_guest_takes_a_name_by_the_rules_of_accounts(home: House, ada: httpx.Client) -> None:
    with home.visitor() as visitor, home.visitor() as other:
        assert code_of(named(visitor, "Bea")) == (401, "not_signed_in")
        guest = visitor.post("/api/guest", json={}).json()["person"]
        assert named(visitor, " Bea ").json()["person"] == {**guest, "name": "Bea"}
        assert me(visitor) == {**guest, "name": "Bea"}
        assert code_of(named(visitor, "Dealer")) == (422, "bad_name")
        assert code_of(named(visitor, "Guest 12")) == (422, "bad_name")
        assert code_of(named(visitor, "Ad\u00e1")) == (409, "name_taken")
        assert named(visitor, "b\u00e9a").status_code == 200, "the own name in other letters"
        other.post("/api/guest", json={})
        assert code_of(named(other, "BEA")) == (409, "name_taken")
        assert code_of(sign_up(other, "BEA")) == (409, "name_taken")
        assert code_of(sign_in(other, "Bea")) == (401, "wrong_sign_in")
        # Nobody was signed out, and the name can become an account's.
        assert home.ended == []
        assert sign_up(visitor, "Bea").json()["person"]["guest"] is False
        assert code_of(named(visitor, "Cleo")) == (409, "has_password")


def test_the_cookie_is_for_this_server_alone(home: House, tmp_path: Path) -> None:
    with home.visitor() as visitor:
        said = visitor.post("/api/guest", json={}).headers["set-cookie"]
    name, *attributes = said.split("; ")
    assert name.startswith(f"{COOKIE}=") and len(name) == len(COOKIE) + 44
    assert {"HttpOnly", "Path=/", "SameSite=strict"} < set(attributes)
    assert "Secure" not in attributes and "Domain" not in said


def test_over_https_the_cookie_is_held_to_this_host(tmp_path: Path) -> None:
    policy = Policy(proxies=parse_proxies(["127.0.0.1"]))
    with house(tmp_path, policy) as home:
        proxied = {"X-Forwarded-Proto": "https"}
        with home.visitor() as visitor:
            answer = visitor.post("/api/guest", json={}, headers=proxied)
            said = answer.headers["set-cookie"]
            name, *attributes = said.split("; ")
            assert name.startswith(f"__Host-{COOKIE}=") and "Secure" in attributes
            cookie = {"Cookie": name, **proxied}
            assert visitor.get("/api/me", headers=cookie).json()["person"]
            # The same token under the other name is no sign-in.
            loose = {"Cookie": name.removeprefix("__Host-"), **proxied}
            assert visitor.get("/api/me", headers=loose).json() == {"person": None}


# ---------------------------------------------------------------- sessions


def test_whoever_signs_in_gets_a_session_that_nobody_chose(home: House, ada: httpx.Client) -> None:
    mine = ada.cookies[COOKIE]
    with home.visitor() as victim:
        guest = victim.post("/api/guest", json={}).json()["person"]
        planted = victim.cookies[COOKIE]
        assert sign_in(victim, "Ada").status_code == 200
        assert victim.cookies[COOKIE] not in (planted, mine)
        with home.visitor(cookies={COOKIE: planted}) as attacker:
            assert me(attacker) is None
        assert home.ended == [guest["id"]]
    for token in ("x" * 43, "", "\u00e9", "'; DROP TABLE sessions"):
        raw = {"Cookie": f"{COOKIE}={token}".encode("latin-1")}
        answer = httpx.get(f"{home.url}/api/me", headers=raw)  # type: ignore[arg-type]
        assert answer.json() == {"person": None}


def test_signing_out_ends_the_session_and_not_only_the_cookie(
    home: House, ada: httpx.Client
) -> None:
    token = ada.cookies[COOKIE]
    id = (me(ada) or {})["id"]
    answer = ada.post("/api/sign-out", json={})
    assert answer.json() == {"person": None} and COOKIE not in ada.cookies
    with home.visitor(cookies={COOKIE: token}) as thief:
        assert me(thief) is None
    assert home.ended == [id]


def test_another_password_ends_all_other_sessions(home: House, ada: httpx.Client) -> None:
    with home.visitor() as other:
        sign_in(other, "Ada")
        wrong = ada.post("/api/password", json={"old": "wrong horse", "new": "battery staple"})
        assert code_of(wrong) == (403, "wrong_password")
        change = {"old": GOOD, "new": "battery staple"}
        assert ada.post("/api/password", json=change).status_code == 200
        assert me(ada) and me(other) is None
        assert code_of(sign_in(other, "Ada"))[1] == "wrong_sign_in"
        assert sign_in(other, "Ada", "battery staple").status_code == 200


def test_wrong_name_and_wrong_password_get_the_same_answer(home: House, ada: httpx.Client) -> None:
    with home.visitor() as visitor:
        answers = [sign_in(visitor, name, "wrong horse") for name in ("Ada", "Nobody", "<>", "")]
    assert len({answer.text for answer in answers}) == 1
    assert {code_of(answer) for answer in answers} == {(401, "wrong_sign_in")}
    assert len({tuple(answer.headers.keys()) for answer in answers}) == 1


def test_too_many_wrong_passwords_lock(home: House, ada: httpx.Client) -> None:
    with home.visitor() as visitor:
        for _ in range(3):
            assert code_of(sign_in(visitor, "Ada", "wrong horse"))[0] == 401
        locked = sign_in(visitor, "Ada")
        assert code_of(locked) == (429, "locked") and locked.headers["retry-after"] == "5"
        home.clock.now += 5
        assert sign_in(visitor, "Ada").status_code == 200


def test_a_flood_of_guesses_hardly_reaches_the_hash(tmp_path: Path) -> None:
    with house(tmp_path, Policy(requests=Rate(50, 200), costly=Rate(0.5, 20))) as home:
        with home.visitor() as visitor:
            sign_up(visitor, "Ada")
            before = home.people.passwords.started
            codes = []
            for number in range(500):
                home.clock.now += 60 / 500
                codes.append(sign_in(visitor, f"Ada {number % 50}", f"guess {number}").status_code)
        reached = home.people.passwords.started - before
    # In a minute, however many are tried: ten at first, and then after 5, 10, 20 seconds.
    assert reached == 13 and set(codes) == {401, 429}


def test_a_ticket_is_bound_to_person_session_and_table(home: House, ada: httpx.Client) -> None:
    with home.visitor() as stranger:
        assert code_of(stranger.post("/api/ticket", json={"table": "t1"}))[0] == 401
    ticket = ada.post("/api/ticket", json={"table": "t1"}).json()["ticket"]
    person, _, table = (home.people.sessions.tickets.held.take(ticket) or "").split(" ")
    assert (person, table) == ((me(ada) or {})["id"], "t1")
    assert home.people.sessions.tickets.held.take(ticket) is None
    ticket = ada.post("/api/ticket", json={"table": "t1"}).json()["ticket"]
    ada.post("/api/sign-out", json={})
    assert home.people.sessions.tickets.held.take(ticket) is None


# ---------------------------------------------------------------- operators


def test_the_operators_link_is_good_once(home: House) -> None:
    link = home.people.operator_link()
    with home.visitor() as visitor, home.visitor() as late:
        answer = visitor.get("/operator", params={"link": link})
        assert (answer.status_code, answer.headers["location"]) == (303, "/house")
        person = me(visitor)
        assert person and person["roles"] == ["operator"]
        assert code_of(late.get("/operator", params={"link": link})) == (403, "bad_link")
        assert me(late) is None
    assert home.pit.issued == []
    assert link not in home.lines.getvalue()


def test_what_only_operators_may_do(home: House, ada: httpx.Client, operator: httpx.Client) -> None:
    id, own = (me(ada) or {})["id"], (me(operator) or {})["id"]
    acts: list[tuple[str, str, dict[str, Any]]] = [
        ("GET", "/api/people", {}),
        ("POST", f"/api/people/{id}/roles", {"json": {"roles": ["operator"]}}),
        ("POST", f"/api/people/{own}/disable", {"json": {"disabled": True}}),
    ]
    with home.visitor() as stranger:
        for method, path, body in acts:
            assert code_of(ada.request(method, path, **body)) == (403, "not_allowed")
            assert code_of(stranger.request(method, path, **body)) == (401, "not_signed_in")
    noted = [line["event"] for line in events(home.lines)]
    assert noted.count("not_allowed") == noted.count("not_signed_in") == len(acts)
    listed = operator.get("/api/people").json()["people"]
    assert {person["name"] for person in listed} == {"Ada", "Operator"}
    assert "argon2" not in operator.get("/api/people").text


def test_roles_and_shutting_out_take_effect_at_once(
    home: House, ada: httpx.Client, operator: httpx.Client
) -> None:
    id = (me(ada) or {})["id"]
    answer = operator.post(f"/api/people/{id}/roles", json={"roles": ["player", "floor"]})
    assert answer.json()["person"]["roles"] == ["floor", "player"]
    assert me(ada) is None
    sign_in(ada, "Ada")
    assert (me(ada) or {})["roles"] == ["floor", "player"]
    operator.post(f"/api/people/{id}/disable", json={"disabled": True})
    assert me(ada) is None and code_of(sign_in(ada, "Ada"))[1] == "wrong_sign_in"
    assert operator.get("/api/people").json()["people"]
    operator.post(f"/api/people/{id}/disable", json={"disabled": False})
    assert sign_in(ada, "Ada").status_code == 200
    assert home.ended.count(id) == 3


def test_operators_do_not_change_themselves(operator: httpx.Client) -> None:
    own = (me(operator) or {})["id"]
    for path, body in (("roles", {"roles": ["player"]}), ("disable", {"disabled": True})):
        assert code_of(operator.post(f"/api/people/{own}/{path}", json=body)) == (409, "oneself")
    missing = operator.post("/api/people/p-aaaaaaaaaa/disable", json={"disabled": True})
    assert code_of(missing) == (404, "no_such_person")


# ---------------------------------------------------------------- what is refused


ROUTES = [
    ("GET", "/api/me"),
    ("GET", "/api/people"),
    ("GET", "/api/staff"),
    ("GET", "/operator?link=x"),
    ("GET", "/api/crash"),
    ("GET", "/nowhere"),
    ("GET", "/openapi.json"),
    ("DELETE", "/api/me"),
    *(
        ("POST", path)
        for path in (
            *("/api/guest", "/api/sign-up", "/api/sign-in", "/api/sign-out", "/api/password"),
            *(
                "/api/name",
                "/api/ticket",
                "/api/people/p-aaaaaaaaaa/roles",
                "/api/people/p-aaaaaaaaaa/disable",
            ),
            *("/api/again", "/api/notes", "/api/staff", "/api/staff/enter"),
            "/api/staff/p-aaaaaaaaaa/link",
            *(f"/api/proposals/p-aaaaaaaaaa/{way}" for way in ("approve", "decline", "withdraw")),
        )
    ),
]


def test_the_list_of_routes_is_whole(home: House) -> None:
    known = {
        (method, path.partition("?")[0].replace("p-aaaaaaaaaa", "{id}")) for method, path in ROUTES
    }
    paths = home.app.openapi()["paths"].items()
    assert {(method.upper(), path) for path, item in paths for method in item} <= known


@pytest.mark.parametrize(("method", "path"), ROUTES, ids=[path for _, path in ROUTES])
def test_every_answer_has_the_headers_and_errors_look_alike(
    home: House, method: str, path: str
) -> None:
    with home.visitor() as visitor:
        for body in BODIES:
            answer = visitor.request(method, path, **body)
            assert ALWAYS.items() <= dict(answer.headers).items()
            assert answer.headers["cache-control"] == "no-store"
            if answer.status_code >= 400:
                code_of(answer)
            assert answer.status_code < 500 or path == "/api/crash"


FORGED: dict[str, dict[str, Any]] = {
    "a form": {"data": {"table": "t1"}},
    "a form of text": {"content": b'{"table": "t1"}', "headers": {"Content-Type": "text/plain"}},
    "another site": {"json": {"table": "t1"}, "headers": {"Origin": "https://evil.example"}},
    "a sandbox": {"json": {"table": "t1"}, "headers": {"Origin": "null"}},
    "cross-site": {"json": {"table": "t1"}, "headers": {"Sec-Fetch-Site": "cross-site"}},
    "same site": {"json": {"table": "t1"}, "headers": {"Sec-Fetch-Site": "same-site"}},
    "no header": {"json": {"table": "t1"}, "headers": {"X-Croupier": ""}},
}


@pytest.mark.parametrize("request_", FORGED.values(), ids=FORGED)
def test_nothing_that_another_site_can_send_is_accepted(
    home: House, ada: httpx.Client, request_: dict[str, Any]
) -> None:
    for method, path in ROUTES:
        if method != "GET":
            answer = ada.request(method, path, **request_)
            assert code_of(answer)[0] in (403, 415)
    assert me(ada)
    assert ada.post("/api/ticket", json={"table": "t1"}).status_code == 200


BAD_BODIES = [
    ('{"name": "Bob", "name": "Eve", "password": "correct horse"}', 400, "duplicate_key"),
    ('{"name": "Bob", "password": NaN}', 400, "not_whole"),
    ('{"name": 1.5, "password": "correct horse"}', 400, "not_whole"),
    ('{"name": "\\ud800", "password": "correct horse"}', 400, "bad_text"),
    ("[" * 30 + "]" * 30, 400, "too_deep"),
    ("{", 400, "not_json"),
    ('{"name": "Bob", "password": "correct horse", "roles": ["operator"]}', 422, "invalid"),
    ('{"name": 12, "password": "correct horse"}', 422, "invalid"),
    ('{"name": null, "password": "correct horse"}', 422, "invalid"),
    ('{"name": "Bob"}', 422, "invalid"),
    ('"Bob"', 422, "invalid"),
    ('{"name": "Bob", "password": "short"}', 422, "bad_password"),
    ('{"name": "<script>", "password": "correct horse"}', 422, "bad_name"),
    ('{"name": "Ada", "password": "correct horse"}', 409, "name_taken"),
    ('{"name": "Bob", "password": "%s"}' % ("secret" * 50), 422, "invalid"),
]


@pytest.mark.parametrize(("body", "status", "code"), BAD_BODIES)
def test_bodies_are_read_strictly(
    home: House, ada: httpx.Client, body: str, status: int, code: str
) -> None:
    with home.visitor() as visitor:
        answer = visitor.post("/api/sign-up", content=body.encode(), headers=_JSON)
        assert code_of(answer) == (status, code)
        assert me(visitor) is None
    assert "secret" not in answer.text and "correct horse" not in answer.text


def test_disabled_is_true_or_false_and_nothing_like_it(operator: httpx.Client) -> None:
    for value in NOT_BOOLEAN:
        answer = operator.post("/api/people/p-aaaaaaaaaa/disable", json={"disabled": value})
        assert code_of(answer) == (422, "invalid")
    for id in ("ada", "p-AAAAAAAAAA", "p-aaaaaaaaaa'--", "..%2f..%2fme", "p-aaaaaaaaaa%0a"):
        answer = operator.post(f"/api/people/{id}/disable", json={"disabled": True})
        assert answer.status_code in (404, 422)


def test_the_api_says_what_it_takes(home: House) -> None:
    described = home.app.openapi()
    schemas = described["components"]["schemas"]
    assert schemas["Credentials"]["additionalProperties"] is False
    assert schemas["Credentials"]["required"] == ["name", "password"]
    for path, item in described["paths"].items():
        for operation in item.values():
            if path != "/api/crash":
                assert "4XX" in operation["responses"] and "422" not in operation["responses"]
    assert {code.status for code in Code} <= {*range(400, 500), 500, 502, 503}


# ---------------------------------------------------------------- the log


def test_the_log_has_what_matters_and_no_secret(home: House, ada: httpx.Client) -> None:
    nasty = 'Eve\r\n{"event": "signed_in"}\x1b[31m'
    with home.visitor() as visitor:
        sign_in(visitor, nasty, "a secret password")
    ticket = ada.post("/api/ticket", json={"table": "t1"}).json()["ticket"]
    token = ada.cookies[COOKIE]
    ada.get("/api/crash")
    ada.post("/api/sign-out", json={})
    text = home.lines.getvalue()
    noted = events(home.lines)
    assert [line["event"] for line in noted] == [
        "signed_in",
        "sign_in_failed",
        "crash",
        "sessions_ended",
    ]
    assert noted[1]["name"] == nasty and noted[1]["address"] == "127.0.0.1"
    for secret in (GOOD, "a secret password", ticket, token, "1234", "\x1b", "argon2"):
        assert secret not in text


def test_the_people_can_be_asked_from_the_loop_of_the_server(home: House) -> None:
    one = asyncio.run(home.people.guest())
    with home.visitor(cookies={COOKIE: one.token}) as visitor:
        assert (me(visitor) or {})["id"] == one.signed_in.person.id
