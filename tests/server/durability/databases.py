"""A PostgreSQL that a test can take away and give back."""

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.ledger import servers


class Database:
    """A server that is up or down, with its data in a folder; or a standby of another one."""

    def __init__(self, folder: Path, *, copied_from: Path | None = None) -> None:
        self.folder = folder
        self._programs, self._user = servers.programs_in(folder), servers.user_of(folder)
        make = ["initdb", "-D", "data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"]
        if copied_from:
            make = ["pg_basebackup", "-D", "data", "-U", "postgres", "-h", str(copied_from)]
            make += ["-c", "fast", "--write-recovery-conf"]
        options = {"check": True, "stdout": subprocess.DEVNULL, "cwd": folder, **self._user}
        subprocess.run([str(self._programs / make[0]), *make[1:], "--no-sync"], **options)
        self._process: subprocess.Popen[bytes] | None = None
        self.up()

    def up(self) -> None:
        """Start it, and wait until it answers."""
        command = [str(self._programs / "postgres"), "-D", "data", "-k", str(self.folder)]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                [*command, *servers.OPTIONS], stderr=log, cwd=self.folder, **self._user
            )
        self.where = servers.ready(f"host={self.folder} user=postgres", self.folder / "log")

    def down(self) -> None:
        """Stop it at once, as a crash does."""
        if self._process:
            os.kill(self._process.pid, signal.SIGQUIT)
            self._process.wait()
            self._process = None


@contextmanager
def database() -> Iterator[Database]:
    folder = Path(tempfile.mkdtemp(prefix="ledger-"))
    made: Database | None = None
    try:
        made = Database(folder)
        yield made
    finally:
        if made:
            made.down()
        shutil.rmtree(folder)
