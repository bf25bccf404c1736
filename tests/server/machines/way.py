"""A way to a database that can be blocked for its user, while others use theirs."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from psycopg.conninfo import conninfo_to_dict


class Way:
    """A way over which, while it is blocked, nothing comes through and no error either."""

    def __init__(self, where: str, *, delay_s: float = 0) -> None:
        self._delay_s = delay_s
        parts = conninfo_to_dict(where)
        self._socket = f"{parts['host']}/.s.PGSQL.{parts.get('port', 5432)}"
        self._is_open = threading.Event()
        self._is_open.set()
        self.held = b""
        """What waits to be passed on."""
        self._listener = socket.create_server(("127.0.0.1", 0))
        port = self._listener.getsockname()[1]
        self.where = f"host=127.0.0.1 port={port} user=postgres dbname={parts['dbname']}"
        self._ends: set[socket.socket] = set()
        self._listening = threading.Thread(target=self._accept)
        self._listening.start()

    def _accept(self) -> None:
        with self._listener, suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                threading.Thread(target=self._join, args=(near,)).start()

    def _join(self, near: socket.socket) -> None:
        """Pass on what comes from both ends, until one of them closes."""
        with near, socket.socket(socket.AF_UNIX) as far:
            ends = {near, far}
            self._ends |= ends
            with suppress(OSError):  # The database may be down.
                far.connect(self._socket)
                back = threading.Thread(target=self._pass, args=(far, near))
                back.start()
                self._pass(near, far)
                back.join()
            self._ends -= ends

    def _pass(self, source: socket.socket, to: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                if not self._is_open.is_set():
                    self.held += data
                self._is_open.wait()
                time.sleep(self._delay_s)
                to.sendall(data)
        self._is_open.wait()
        _shut(source, to)

    def block(self) -> None:
        self.held = b""
        self._is_open.clear()

    def unblock(self) -> None:
        self._is_open.set()

    @contextmanager
    def blocked(self) -> Iterator[None]:
        self.block()
        try:
            yield
        finally:
            self.unblock()

    def close(self) -> None:
        self.unblock()
        _shut(self._listener)
        self._listening.join()
        while self._ends:
            _shut(*self._ends.copy())
            time.sleep(0.01)


def _shut(*ends: socket.socket) -> None:
    for end in ends:
        with suppress(OSError):
            end.shutdown(socket.SHUT_RDWR)
