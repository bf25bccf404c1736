"""Empties the write-ahead log of a SQLite file in the background.

By default a commit empties the log itself, and then takes ten times as long as any other. Here
another thread copies most of the log into the file, and a commit only copies the rest.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import apsw

PAGES = 14_000
"""How many new pages, 55 MiB, the log may gather before it is emptied. A page written often in
between is copied once, and the disk is seldom kept from commits."""


class Emptying:
    """Follows the commits of one writer."""

    def __init__(self, connect: Callable[[], apsw.Connection]) -> None:
        self._connect = connect
        self._thread = ThreadPoolExecutor(1, "log")
        self._copying: Future[None] | None = None
        self._since = 0

    def follow(self, writer: apsw.Connection) -> None:
        writer.set_wal_hook(self._committed)

    def _committed(self, writer: apsw.Connection, _: str, pages: int) -> int:
        """Start copying when the log has grown; finish when little is left to copy."""
        self._since = min(self._since, pages)  # The count is lower after the log was restarted.
        if self._copying is None:
            if pages - self._since >= PAGES:
                self._copying = self._thread.submit(self._copy)
        elif self._copying.done():
            self._copying, self._since = None, pages
            empty(writer)
        return apsw.SQLITE_OK

    def _copy(self) -> None:
        connection = self._connect()
        empty(connection)
        connection.close()

    def close(self) -> None:
        """Wait for a copy in progress."""
        self._thread.shutdown()


def empty(connection: apsw.Connection) -> None:
    """Copy as much of the log as possible; commits are durable even if this fails."""
    with suppress(apsw.Error):
        connection.wal_checkpoint()
