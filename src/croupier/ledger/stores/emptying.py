"""Empties the write-ahead log of a SQLite file while others write to it.

A commit that had to empty the log itself, as SQLite has it by default, takes ten times as long as
any other. So another thread copies most of it into the file, and a commit only the rest.
"""

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress

import apsw

PAGES = 14_000
"""The log is emptied when so many pages came to it, 55 MiB: a page that was written often meanwhile
is copied once, and the disk is seldom kept from what others wait for."""


class Emptying:
    """Follows the commits of one writer."""

    def __init__(self, connect: Callable[[], apsw.Connection]) -> None:
        self._connect = connect
        self._thread = ThreadPoolExecutor(1, "log")
        self._copying: Future[None] | None = None
        self._since = 0

    def follow(self, writer: apsw.Connection) -> None:
        """Look after the log from now on."""
        writer.set_wal_hook(self._committed)

    def _committed(self, writer: apsw.Connection, _: str, pages: int) -> int:
        """Begin to copy when the log has grown, and end it when there is little left to copy."""
        self._since = min(self._since, pages)  # It is less when the log was begun anew.
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
        """Wait for what was begun."""
        self._thread.shutdown()


def empty(connection: apsw.Connection) -> None:
    """Copy as much of the log as can be; what was committed lasts, whatever comes of it."""
    with suppress(apsw.Error):
        connection.wal_checkpoint()
