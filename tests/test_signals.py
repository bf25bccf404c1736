"""Interrupts reach what the tests start, even when a shell ignores them in its background."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
CHILD = "import signal; print(signal.getsignal(signal.SIGINT) is signal.default_int_handler)"
TESTS = f"""
import signal, subprocess, sys
signal.signal(signal.SIGINT, signal.SIG_IGN)
import tests.conftest
subprocess.run([sys.executable, "-c", {CHILD!r}], check=True)
"""


def test_what_tests_start_hears_an_interrupt() -> None:
    done = subprocess.run([sys.executable, "-c", TESTS], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True\n", "")
