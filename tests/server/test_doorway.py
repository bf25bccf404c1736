"""Connections that never ask, ask too slowly or don't read their answer are closed."""

import asyncio
import errno
import json
import re
import resource
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from croupier.server import doorway as doorways
from croupier.server.doorway import Accepting, Doorway, mind_files
from croupier.server.guard import parse_proxies
from tests.server.doors import LARGE_BYTES, events, guarded, knock, logged

SHORT = 0.4
HEAD = b"GET /who HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture(scope="module")
def hasty() -> Iterator[int]:
    with guarded(doorway=Doorway(request_s=SHORT, write_s=SHORT)) as made:
        yield made


def received(one: socket.socket) -> bytes:
    """Return what came, and nothing if the other side has closed."""
    try:
        return one.recv(1_000_000)
    except ConnectionResetError:
        return b""


def is_cut(one: socket.socket, trickle: bytes) -> bool:
    """Send a byte now and then; return whether the other side cuts before all of them are sent."""
    one.settimeout(0.05)
    for byte in trickle + b"x" * 2_000:
        try:
            one.send(bytes([byte]))
            if not one.recv(1_000):
                return True
        except TimeoutError:
            continue
        except OSError:
            return True
    return False


def test_trickled_headers_are_cut(hasty: int) -> None:
    with socket.create_connection(("127.0.0.1", hasty)) as one:
        assert is_cut(one, HEAD)


def test_trickled_headers_are_cut_on_a_second_request_too(hasty: int) -> None:
    with socket.create_connection(("127.0.0.1", hasty)) as one:
        one.sendall(HEAD + b"\r\n")
        assert one.recv(10_000).startswith(b"HTTP/1.1 200")
        assert is_cut(one, HEAD)


def test_a_trickled_body_is_cut(hasty: int) -> None:
    types = b"Content-Type: application/json\r\nX-Croupier: 1\r\nContent-Length: 10000\r\n\r\n"
    for start in (b"POST /take HTTP/1.1\r\nHost: localhost\r\n" + types, HEAD + types):
        with socket.create_connection(("127.0.0.1", hasty)) as one:
            one.sendall(start)
            assert is_cut(one, b"")


def test_a_silent_connection_is_cut(hasty: int) -> None:
    with socket.create_connection(("127.0.0.1", hasty), timeout=60) as one:
        assert received(one) == b""


def test_a_client_that_does_not_read_its_answer_is_disconnected(hasty: int) -> None:
    with socket.socket() as one:
        one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        one.connect(("127.0.0.1", hasty))
        one.sendall(b"GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
        time.sleep(3 * SHORT)
        one.settimeout(60)
        got = sum(len(some) for some in iter(lambda: received(one), b""))
        assert got < LARGE_BYTES


def test_sockets_and_slow_answers_outlive_the_deadline(hasty: int) -> None:
    with knock(hasty) as one:
        time.sleep(2 * SHORT)
        one.send("still here")
        assert one.recv() == "still here"


def test_one_address_has_so_many_connections() -> None:
    doorway = Doorway(request_s=60, held_max=5)
    with guarded(doorway=doorway) as port, ExitStack() as opened:
        for _ in range(5):
            opened.enter_context(socket.create_connection(("127.0.0.1", port)))
        while doorway.held["127.0.0.1"] < 5:
            time.sleep(0.01)
        late = opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
        assert received(late) == b""
        opened.close()
        while doorway.held:
            time.sleep(0.01)
        with ExitStack() as sockets:  # Sockets are counted elsewhere.
            held = [sockets.enter_context(knock(port)) for _ in range(10)]
            assert len(held) == 10 and not doorway.held


def asks(opened: ExitStack, port: int) -> bytes:
    """Ask something over a new connection that is kept open."""
    one = opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=60))
    try:
        one.sendall(HEAD + b"\r\n")
    except OSError:
        return b""
    return received(one)[:12]


def test_connections_that_are_kept_alive_count_too() -> None:
    doorway = Doorway(held_max=5)
    with logged() as lines, guarded(doorway=doorway) as port, ExitStack() as opened:
        answers = [asks(opened, port) for _ in range(60)]
        assert answers == [b"HTTP/1.1 200"] * 5 + [b""] * 55
        cut = [one for one in events(lines) if one["event"] == "connection_cut"]
        assert len(cut) <= 15 and len(cut) + cut[-1]["unsaid"] <= 55
    assert doorway.unsaid + sum(one["unsaid"] for one in cut) + len(cut) == 55


def test_a_proxy_holds_the_connections_of_many() -> None:
    doorway = Doorway(held_max=5, proxies=parse_proxies(["127.0.0.0/8"]))
    with guarded(doorway=doorway) as port, ExitStack() as opened:
        assert [asks(opened, port) for _ in range(9)] == [b"HTTP/1.1 200"] * 9


def test_an_idle_connection_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doorways, "KEEP_ALIVE_S", SHORT)
    with guarded() as port, socket.create_connection(("127.0.0.1", port), timeout=60) as one:
        one.sendall(HEAD + b"\r\n")
        assert b"".join(iter(lambda: received(one), b"")).startswith(b"HTTP/1.1 200")


# ---------------------------------------------------------------- files


def limits(patch: pytest.MonkeyPatch, soft: int, hard: int) -> list[int]:
    """Let there be so many files; return what is set."""
    given = [soft]
    patch.setattr(resource, "getrlimit", lambda _: (given[-1], hard))
    patch.setattr(resource, "setrlimit", lambda _, both: given.append(both[0]))
    return given


def test_files_are_had_where_they_may_be_and_missed_where_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    enough = doorways.CONNECTIONS_MAX + doorways.FILES_KEPT
    for soft, hard, raised, most in (
        (1_024, 1_048_576, enough, doorways.CONNECTIONS_MAX),
        (1_024, resource.RLIM_INFINITY, enough, doorways.CONNECTIONS_MAX),
        (65_536, 65_536, 65_536, doorways.CONNECTIONS_MAX),
        (resource.RLIM_INFINITY, resource.RLIM_INFINITY, -1, doorways.CONNECTIONS_MAX),
        (256, 1_024, 1_024, 896),
        (100, 100, 100, 2),
    ):
        given, doorway = limits(monkeypatch, soft, hard), Doorway()
        with logged() as lines:
            mind_files(doorway)
        assert (given[-1], doorway.connections_max) == (raised, most)
        said = [one["limit"] for one in events(lines) if one["event"] == "few_files"]
        assert said == ([raised] if most < doorways.CONNECTIONS_MAX else [])


def test_a_flood_where_files_are_few_is_logged_in_a_few_lines(tmp_path: Path) -> None:
    """A server that may have 200 files is asked by 400 connections, and goes on serving."""
    command = [sys.executable, "-m", "croupier", "serve", "-p", "0", "--data", str(tmp_path / "d")]

    def few() -> None:
        resource.setrlimit(resource.RLIMIT_NOFILE, (200, 200))

    log = tmp_path / "log"
    with log.open("w") as file:
        started = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=file, text=True, preexec_fn=few
        )
    try:
        assert started.stdout is not None
        found = re.search(r":(\d+)/", started.stdout.readline())
        assert found, log.read_text()
        port = int(found[1])
        with ExitStack() as opened:
            for _ in range(400):
                opened.enter_context(socket.create_connection(("127.0.0.1", port)))
            time.sleep(2)
        with ExitStack() as again:
            assert asks(again, port) == b"HTTP/1.1 404"
    finally:
        started.terminate()
        started.communicate(timeout=60)
    noted = [json.loads(line) for line in log.read_text().splitlines()]
    assert [one["limit"] for one in noted if one["event"] == "few_files"] == [200]
    assert len(noted) < 40


def test_connections_that_cannot_be_accepted_are_logged_once_and_counted() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(Accepting(every_s=0.1))
        broken = OSError(errno.EMFILE, "Too many open files")
        for _ in range(5_000):
            loop.call_exception_handler({"message": "out of system resource", "exception": broken})
        await asyncio.sleep(0.3)
        loop.call_exception_handler({"message": "something else", "exception": KeyError("x")})

    with logged() as lines:
        asyncio.run(main())
    noted = [one for one in events(lines) if one["event"] == "accept_failed"]
    assert [(one["error"], one["times"]) for one in noted] == [("EMFILE", 1), ("EMFILE", 4_999)]


def test_a_server_of_the_usual_kind_would_wait() -> None:
    """Shows that the deadline is ours: without it the same trickle lives on."""
    with guarded(doorway=Doorway(request_s=60)) as port, socket.socket() as one:
        one.connect(("127.0.0.1", port))
        one.settimeout(3 * SHORT)
        one.send(HEAD)
        with pytest.raises(TimeoutError):
            one.recv(1)
