"""What is let in: names, origins, sizes, rates, deadlines; and the headers of every answer."""

import io
import socket
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from ipaddress import ip_network
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from croupier.server.guard import BODY_BYTES_MAX, Guard, Policy, caller_of, parse_proxies
from croupier.server.headers import ALWAYS, headers_for
from croupier.server.limits import Rate
from tests.server.doors import GENEROUS, OWN, events, guarded, knock, logged, serving

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with guarded() as made:
        yield made


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    with logged() as made:
        yield made


def url(port: int, path: str) -> str:
    return f"http://127.0.0.1:{port}{path}"


def code_of(answer: httpx.Response) -> tuple[int, str]:
    error = answer.json()["error"]
    assert set(error) == {"code", "message", "field", "clause"}
    return answer.status_code, error["code"]


# ---------------------------------------------------------------- who may ask


@pytest.mark.parametrize(
    ("host", "good"),
    [
        ("127.0.0.1", True),
        ("127.0.0.1:8000", True),
        ("LOCALHOST:1", True),
        ("[::1]:8000", True),
        ("casino.example", True),
        ("casino.example:443", True),
        ("evil.example", False),
        ("casino.example.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("localhost:80:80", False),
        ("", False),
    ],
)
def test_only_names_of_this_server_are_answered_to(host: str, good: bool) -> None:
    policy = GENEROUS._replace(hosts=("Casino.example",))
    with guarded(policy) as port:
        answer = httpx.get(url(port, "/who"), headers={"Host": host})
    assert answer.status_code == (200 if good else 421)


FORGED = {
    "a form": {"Content-Type": "application/x-www-form-urlencoded"},
    "a form with files": {"Content-Type": "multipart/form-data; boundary=x"},
    "a form of text": {"Content-Type": "text/plain"},
    "fetch of text": {"Content-Type": "text/plain", **OWN},
    "no type": OWN,
    "another charset": {"Content-Type": "application/json; charset=utf-16", **OWN},
    "no header of ours": JSON,
    "a wrong header of ours": {**JSON, "X-Croupier": "0"},
    "another site": {**JSON, **OWN, "Origin": "https://evil.example"},
    "another port": {**JSON, **OWN, "Origin": "http://127.0.0.1:1"},
    "another scheme": {**JSON, **OWN, "Origin": "https://127.0.0.1:{port}"},
    "no origin at all": {**JSON, **OWN, "Origin": "null"},
    "a page of the same site": {**JSON, **OWN, "Sec-Fetch-Site": "same-site"},
    "a cross-site page": {**JSON, **OWN, "Sec-Fetch-Site": "cross-site"},
}


@pytest.mark.parametrize("headers", FORGED.values(), ids=FORGED)
@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE"])
def test_what_may_be_another_sites_is_refused(
    port: int, headers: dict[str, str], method: str
) -> None:
    own = {name: value.replace("{port}", str(port)) for name, value in headers.items()}
    answer = httpx.request(method, url(port, "/take"), headers=own, content=b"{}")
    assert code_of(answer)[0] in (403, 415)


def test_a_page_of_ours_and_a_program_are_let_in(port: int) -> None:
    page = {"Origin": f"http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin"}
    for more in ({}, page, {"Content-Type": "application/json; charset=UTF-8"}):
        answer = httpx.post(url(port, "/take"), headers={**JSON, **OWN, **more}, content=b"{}")
        assert (answer.status_code, answer.json()) == (200, 2)


def test_no_other_site_is_told_that_it_may_ask(port: int) -> None:
    headers = {
        "Origin": "https://evil.example",
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "x-croupier",
    }
    answer = httpx.options(url(port, "/take"), headers=headers)
    assert answer.status_code == 405
    assert not [name for name in answer.headers if name.startswith("access-control")]


def test_a_socket_of_another_site_is_refused(port: int, lines: io.StringIO) -> None:
    for origin in ("https://evil.example", "null", f"https://127.0.0.1:{port}"):
        with pytest.raises(InvalidStatus) as refused:
            knock(port, origin=origin)
        assert refused.value.response.status_code == 403
    for ours in (None, f"http://127.0.0.1:{port}"):
        with knock(port, origin=ours) as one:
            one.send("hello")
            assert one.recv() == "hello"
    assert [line["event"] for line in events(lines)] == ["wrong_origin"] * 3


def test_a_socket_by_another_name_is_refused(port: int) -> None:
    with pytest.raises(InvalidStatus) as refused:
        connect("ws://evil.example/socket", sock=socket.create_connection(("127.0.0.1", port)))
    assert refused.value.response.status_code == 403


# ---------------------------------------------------------------- how much and how often


@pytest.mark.parametrize("size", [BODY_BYTES_MAX, BODY_BYTES_MAX + 1, 1_000_000])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_has_a_size(port: int, size: int, chunked: bool) -> None:
    content = iter([b"x" * 1000] * (size // 1000) + [b"x" * (size % 1000)])
    body = content if chunked else b"".join(content)
    answer = httpx.post(url(port, "/take"), headers={**JSON, **OWN}, content=body)
    if size <= BODY_BYTES_MAX:
        assert answer.json() == size
    else:
        assert code_of(answer) == (413, "too_large")


@pytest.mark.parametrize("size", [BODY_BYTES_MAX - 400, BODY_BYTES_MAX, 60_000, 100_000])
@pytest.mark.parametrize("pieces", [1, 10])
def test_headers_have_a_size_also_in_one_piece(port: int, size: int, pieces: int) -> None:
    """S12: 100 KiB of headers passed in one piece."""
    value = "x" * (size // pieces)
    headers = {f"X-Long-{number}": value for number in range(pieces)}
    try:
        answer = httpx.get(url(port, "/who"), headers=headers)
    except httpx.TransportError:
        assert size > BODY_BYTES_MAX, "h11 closes the connection if they come bit by bit"
        return
    if size < BODY_BYTES_MAX:
        assert answer.status_code == 200
    else:
        assert answer.status_code == 400 or code_of(answer) == (431, "headers_too_large")


@pytest.mark.parametrize(
    ("length", "count"), [(BODY_BYTES_MAX, 1), (9_000, 1), (4_000, 5), (1, 140)]
)
def test_a_socket_with_long_headers_is_refused(port: int, length: int, count: int) -> None:
    """Above 8 KiB a line, or 128 lines, the connection used to stay open without an answer."""
    long = {f"X-Long-{number}": "x" * length for number in range(count)}
    with pytest.raises(InvalidStatus) as refused:
        connect(f"ws://127.0.0.1:{port}/socket", additional_headers=long)
    assert refused.value.response.status_code in (400, 403)


def test_a_socket_message_has_a_size_and_is_not_packed(port: int) -> None:
    with connect(f"ws://127.0.0.1:{port}/socket") as one:
        assert one.protocol.extensions == []
        one.send("x" * BODY_BYTES_MAX)
        assert len(one.recv()) == BODY_BYTES_MAX
        with pytest.raises(ConnectionClosed) as closed:
            one.send("x" * (BODY_BYTES_MAX + 1))
            one.recv()
        assert closed.value.rcvd and closed.value.rcvd.code == 1009


def test_an_address_may_ask_so_often(lines: io.StringIO) -> None:
    policy = Policy(requests=Rate(0.001, 5), proxies=parse_proxies(["127.0.0.0/8"]))
    with guarded(policy) as port, httpx.Client(base_url=url(port, "")) as client:
        answers = [client.get("/who", headers=_via("192.0.2.1")) for _ in range(20)]
        assert [answer.status_code for answer in answers] == [200] * 5 + [429] * 15
        assert int(answers[-1].headers["retry-after"]) > 100
        assert client.get("/who", headers=_via("192.0.2.2")).status_code == 200
    # A flood of requests is not a flood of lines.
    assert [line["event"] for line in events(lines)] == ["too_many"]


def test_an_address_may_hold_so_many_sockets(lines: io.StringIO) -> None:
    policy = GENEROUS._replace(sockets_max=2, proxies=parse_proxies(["127.0.0.0/8"]))
    with guarded(policy) as port, ExitStack() as opened:

        def open_from(address: str) -> ClientConnection:
            place = f"ws://127.0.0.1:{port}/socket"
            return opened.enter_context(connect(place, additional_headers=_via(address)))

        first, _ = open_from("192.0.2.1"), open_from("192.0.2.1")
        for _ in range(3):
            with pytest.raises(InvalidStatus) as refused:
                open_from("192.0.2.1")
            assert refused.value.response.status_code == 403
        open_from("192.0.2.2")
        first.close()
        again = None
        while again is None:  # Until the server has heard of it.
            with suppress(InvalidStatus):
                again = open_from("192.0.2.1")
        again.send("hello")
        assert again.recv() == "hello"
    assert {line["event"] for line in events(lines)} == {"too_many_sockets"}


def test_what_is_dear_may_be_asked_less_often() -> None:
    policy = GENEROUS._replace(costly=Rate(0.001, 3))
    with guarded(policy) as port, httpx.Client(base_url=url(port, "")) as client:
        dear = [
            client.post("/api/sign-in", headers={**JSON, **OWN}, content=b"{}").status_code
            for _ in range(6)
        ]
        assert dear == [404] * 3 + [429] * 3
        assert client.post("/take", headers={**JSON, **OWN}, content=b"{}").status_code == 200


# ---------------------------------------------------------------- proxies


def _via(forwarded: str, **more: str) -> dict[str, str]:
    return {"X-Forwarded-For": forwarded, **more}


OURS = (ip_network("10.0.0.0/8"),)


@pytest.mark.parametrize(
    ("peer", "forwarded", "address"),
    [
        ("192.0.2.1", "198.51.100.1", "192.0.2.1"),
        ("10.0.0.1", "198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "127.0.0.1, 198.51.100.1", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1, 10.0.0.2", "198.51.100.1"),
        ("10.0.0.1", "198.51.100.1, nonsense", "10.0.0.1"),
        ("10.0.0.1", "", "10.0.0.1"),
        ("10.0.0.1", "10.0.0.3, 10.0.0.2", "10.0.0.3"),
    ],
)
def test_only_our_proxies_say_for_whom_they_ask(peer: str, forwarded: str, address: str) -> None:
    headers = [(b"x-forwarded-for", forwarded.encode()), (b"x-forwarded-proto", b"https")]
    scope = {"type": "http", "scheme": "http", "client": (peer, 1), "headers": headers}
    caller = caller_of(scope, OURS)
    assert caller.address == address
    assert caller.scheme == ("https" if peer.startswith("10.") else "http")


def test_the_application_learns_who_really_asks() -> None:
    policy = GENEROUS._replace(proxies=parse_proxies(["127.0.0.1"]))
    secure = _via("198.51.100.1", **{"X-Forwarded-Proto": "https"})
    with guarded(policy) as port:
        answer = httpx.get(url(port, "/who"), headers=secure)
        origin = {"Origin": f"https://127.0.0.1:{port}"}
        posted = httpx.post(
            url(port, "/take"), headers={**secure, **JSON, **OWN, **origin}, content=b"{}"
        )
    assert answer.json() == {"address": "198.51.100.1", "scheme": "https"}
    assert answer.headers["strict-transport-security"] == "max-age=31536000"
    assert posted.status_code == 200


# ---------------------------------------------------------------- what leaves


@pytest.mark.parametrize("path", ["/who", "/crash", "/nowhere", "/take", "/socket"])
def test_every_answer_has_the_headers(port: int, path: str) -> None:
    for answer in (
        httpx.get(url(port, path)),
        httpx.head(url(port, path)),
        httpx.post(url(port, path)),
        httpx.get(url(port, path), headers={"Host": "evil.example"}),
    ):
        assert ALWAYS.items() <= dict(answer.headers).items()
        assert answer.headers["cache-control"] == "no-store"
        assert "server" not in answer.headers
        assert "strict-transport-security" not in answer.headers


@pytest.mark.parametrize("kind", ["text/css; charset=utf-8", "text/javascript", "image/svg+xml"])
def test_a_part_of_a_page_has_only_the_headers_that_protect_it(kind: str) -> None:
    part = headers_for({"scheme": "https"}, {b"content-type": kind.encode()})
    assert {name.decode(): value.decode() for name, value in part} == {
        "content-security-policy": "default-src 'none'",
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "same-origin",
        "strict-transport-security": "max-age=31536000",
        "cache-control": "no-store",
    }
    page = headers_for({"scheme": "http"}, {b"content-type": b"text/html"})
    assert ALWAYS.items() <= {name.decode(): value.decode() for name, value in page}.items()


def test_the_policy_allows_nothing_inline() -> None:
    policy = ALWAYS["content-security-policy"]
    assert "unsafe" not in policy and policy.startswith("default-src 'none'")


def test_the_application_may_let_browsers_keep_something(port: int) -> None:
    answer = httpx.get(url(port, "/kept"))
    assert answer.headers.get_list("cache-control") == ["max-age=60"]


def test_an_error_of_ours_says_nothing_and_is_noted(port: int, lines: io.StringIO) -> None:
    answer = httpx.get(url(port, "/crash"))
    assert code_of(answer) == (500, "internal")
    with knock(port) as one, pytest.raises(ConnectionClosed) as closed:
        one.send("crash")
        one.recv()
    assert closed.value.rcvd and closed.value.rcvd.code == 1011
    noted = events(lines)
    assert [(line["event"], line["error"]) for line in noted] == [("crash", "ValueError")] * 2
    assert "doors.py:" in noted[0]["where"]
    assert "1234" not in lines.getvalue() + answer.text


def test_an_error_outside_of_the_application_is_answered_too(lines: io.StringIO) -> None:
    async def broken(*_: Any) -> None:
        raise RuntimeError("the password is 1234")

    with serving(Guard(_with_lifespan(broken), GENEROUS)) as port:
        answer = httpx.get(url(port, "/"))
        with pytest.raises(InvalidStatus) as refused:
            knock(port)
    assert code_of(answer) == (500, "internal")
    assert refused.value.response.status_code == 403
    assert "1234" not in lines.getvalue()


def _with_lifespan(app: Any) -> Any:
    async def made(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "lifespan":
            await app(scope, receive, send)
            return
        for said in ("startup", "shutdown"):
            await receive()
            await send({"type": f"lifespan.{said}.complete"})

    return made
