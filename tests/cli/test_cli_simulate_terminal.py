"""`croupier simulate` at a terminal: a bar with rate and time left, and the key to stop it."""

import contextlib
import os
import pty
import re
import select
import signal
import subprocess
import sys
import time

import pytest

from tests.cli.running import settings
from tests.reference.paytables import MARYLAND

TIMEOUT_S = 60
MOVING = re.compile(r"[\d,]{7,} rounds/s.*\d+:\d\d:\d\d", re.DOTALL)


def started(*words: str) -> tuple["subprocess.Popen[bytes]", int]:
    """A simulation that does not end by itself, with its progress on a terminal."""
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "croupier", "simulate", MARYLAND, "--rounds", str(10**12), *words],
        env=settings({"TERM": "xterm", "COLUMNS": "120"}),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=slave,
        start_new_session=True,
    )
    os.close(slave)
    return process, master


def shown(process: "subprocess.Popen[bytes]", master: int) -> str:
    """Read the terminal until the bar moves, then stop the program as Ctrl-C does."""
    text, end_s = "", time.monotonic() + TIMEOUT_S
    while not MOVING.search(text) and time.monotonic() < end_s:
        if select.select([master], [], [], 0.2)[0]:
            text += os.read(master, 4096).decode(errors="replace")
    os.killpg(process.pid, signal.SIGINT)
    return text


@pytest.mark.parametrize("workers", "12")
def test_a_bar_shows_rate_and_time_left_and_the_program_can_be_stopped(workers: str) -> None:
    process, master = started("--workers", workers)
    try:
        text = shown(process, master)
        out, _ = process.communicate(timeout=TIMEOUT_S)
    finally:
        process.kill()
        os.close(master)
    assert MOVING.search(text), text
    assert (process.returncode, out) == (130, b"")


def test_workers_end_with_the_program_even_if_it_is_killed() -> None:
    process, master = started("--workers", "2")
    try:
        text = ""
        while not MOVING.search(text):
            text += os.read(master, 4096).decode(errors="replace")
        process.kill()
        # Its output ends when nobody is left to write it.
        assert process.communicate(timeout=TIMEOUT_S)[0] == b""
    finally:
        os.close(master)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
