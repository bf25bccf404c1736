"""Connections are cut that never ask, ask too slowly, or do not take the answer."""

import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from croupier.server.doorway import Doorway
from tests.server.doors import LARGE_BYTES, guarded, knock

SHORT = 0.4
HEAD = b"GET /who HTTP/1.1\r\nHost: localhost\r\n"


@pytest.fixture(scope="module")
def hasty() -> Iterator[int]:
    with guarded(doorway=Doorway(request_s=SHORT, write_s=SHORT)) as made:
        yield made


def received(one: socket.socket) -> bytes:
    """Return what came, and nothing if the other side has cut."""
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


def test_who_does_not_take_an_answer_is_cut(hasty: int) -> None:
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


def test_one_address_has_so_many_connections_that_ask_nothing() -> None:
    doorway = Doorway(request_s=60, waiting_max=5)
    with guarded(doorway=doorway) as port, ExitStack() as opened:
        for _ in range(5):
            opened.enter_context(socket.create_connection(("127.0.0.1", port)))
        while doorway.waiting["127.0.0.1"] < 5:
            time.sleep(0.01)
        late = opened.enter_context(socket.create_connection(("127.0.0.1", port), timeout=10))
        assert received(late) == b""
        opened.close()
        while doorway.waiting:
            time.sleep(0.01)
        with ExitStack() as sockets:  # Sockets that are open ask something.
            held = [sockets.enter_context(knock(port)) for _ in range(10)]
            assert len(held) == 10 and not doorway.waiting


def test_a_server_of_the_usual_kind_would_wait() -> None:
    """Shows that the deadline is ours: without it the same trickle lives on."""
    with guarded(doorway=Doorway(request_s=60)) as port, socket.socket() as one:
        one.connect(("127.0.0.1", port))
        one.settimeout(3 * SHORT)
        one.send(HEAD)
        with pytest.raises(TimeoutError):
            one.recv(1)
