"""A real server process, killed and started again on the same data."""

import asyncio
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from croupier.house.keys import MASTER, SIGNING
from croupier.ledger.stores import open_postgres, open_sqlite
from croupier.ledger.stores.marks import CHECKPOINTS, HIGH_WATER, LEDGER
from croupier.ledger.stores.protocol import Store
from tests.rules.books import ROOT

OPEN = "Croupier is open: "
WAIT_S = 60
KEPT = (MASTER, SIGNING, CHECKPOINTS, HIGH_WATER)
"""What is in the folder of a house besides its ledger."""


class House:
    """A folder with its ledger, and a server that has it open or not."""

    def __init__(
        self, folder: Path, tables: str, *, database: str | None = None, mutant: str = ""
    ) -> None:
        self.folder, self.database = folder / "data", database
        self.tables, self.errors = folder / "tables.toml", folder / "errors.jsonl"
        self.tables.write_text(tables)
        command = [sys.executable, "-m", "tests.server.durability.starter", *mutant.split()]
        self.pid, self._unread = 0, b""
        self.address = ""
        self._starter = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, cwd=ROOT
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, _: BaseException | None, __: TracebackType | None
    ) -> None:
        assert self._starter.stdin and self._starter.stdout
        self._starter.stdin.close()
        self._starter.wait()
        self._starter.stdout.close()

    async def start(self) -> None:
        """Start the server, and wait until it listens."""
        await asyncio.to_thread(self._start)

    def _start(self) -> None:
        # Players here are quicker than a quota allows; refused a bet, they would wait for others.
        arguments = ["serve", "-p", "0", "--no-limits", "--tables", str(self.tables)]
        arguments += ["--data", str(self.folder)]
        if self.database:
            arguments += ["--database", self.database]
        assert self._starter.stdin
        self._starter.stdin.write(json.dumps([arguments, str(self.errors)]) + "\n")
        self._starter.stdin.flush()
        self.pid = 0
        self.pid = int(self.said())
        said = self.said()
        assert said.startswith(OPEN), said + self.complaints()
        self.address = said.removeprefix(OPEN).rstrip("/")
        for _ in range(2):
            self.said()

    def said(self) -> str:
        """Return the next line that the server says, or '' if it ends without another."""
        assert self._starter.stdout
        out = self._starter.stdout.fileno()
        while b"\n" not in self._unread:
            if not (self._says_more(out) and (more := os.read(out, 4096))):
                return ""
            self._unread += more
        line, self._unread = self._unread.split(b"\n", 1)
        return line.decode().strip()

    def _says_more(self, out: int) -> bool:
        """Wait until the server says something, or is no more; return whether it said something."""
        try:
            process = os.pidfd_open(self.pid) if self.pid else out
        except ProcessLookupError:
            return bool(select.select([out], [], [], 0)[0])
        try:
            select.select([out, process], [], [])
            return bool(select.select([out], [], [], 0)[0])
        finally:
            if process != out:
                os.close(process)

    def kill(self) -> None:
        """End the server at once, whatever it is doing."""
        os.kill(self.pid, signal.SIGKILL)

    async def gone(self) -> None:
        """Wait until the server's process is no more."""
        await asyncio.to_thread(self._gone)

    def _gone(self) -> None:
        try:
            process = os.pidfd_open(self.pid)
        except ProcessLookupError:
            return
        try:
            ended, _, _ = select.select([process], [], [], WAIT_S)
            assert ended, "the server does not end"
        finally:
            os.close(process)

    async def stop(self) -> str:
        """Close the house as Ctrl-C does, and return what it says last."""
        os.kill(self.pid, signal.SIGINT)
        said = await asyncio.to_thread(self.said)
        await self.gone()
        return said

    def complaints(self) -> str:
        """What was written to stderr: crashes, one a line."""
        return self.errors.read_text() if self.errors.exists() else ""

    def crashes(self) -> list[str]:
        """Errors that the server logged as its own."""
        return [line for line in self.complaints().splitlines() if '"level": "error"' in line]

    @contextmanager
    def ledger(self) -> Iterator[Store]:
        """Open the ledger while no server has it open."""
        if self.database:
            store: Store = open_postgres(self.database)
        else:
            store = open_sqlite(self.folder / LEDGER)
        try:
            yield store
        finally:
            store.close()

    @property
    def key_file(self) -> Path:
        return self.folder / MASTER
