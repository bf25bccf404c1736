"""Signals reach what the tests start, even when a shell or nohup has them ignored."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.mark.parametrize("name", ["SIGINT", "SIGHUP"])
def test_what_tests_start_hears_a_signal_that_they_were_started_without(name: str) -> None:
    child = f"import signal; print(signal.getsignal(signal.{name}) is signal.SIG_IGN)"
    tests = f"""
import signal, subprocess, sys
signal.signal(signal.{name}, signal.SIG_IGN)
subprocess.run([sys.executable, "-c", {child!r}], check=True)
import tests.conftest
subprocess.run([sys.executable, "-c", {child!r}], check=True)
"""
    done = subprocess.run([sys.executable, "-c", tests], cwd=ROOT, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True\nFalse\n", "")
