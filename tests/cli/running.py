"""Runs the command line as its users do: in a process of its own, or faster in this one."""

import io
import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from croupier.cli import main


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        assert (self.code, self.err) in [(0, ""), (1, "")]
        return json.loads(self.out)


def settings(environment: dict[str, str]) -> dict[str, str]:
    """The environment of a call; nothing of the caller's own settings reaches it."""
    clean = {key: os.environ[key] for key in ("PATH", "HOME", "PYTHONPATH") if key in os.environ}
    return {**clean, "PYTHONUTF8": "1", **environment}


def run(*words: str, **environment: str) -> Ran:
    """Call `croupier` with these words."""
    out, err = io.StringIO(), io.StringIO()
    with (
        patch.object(sys, "argv", ["croupier", *words]),
        patch.dict(os.environ, settings(environment), clear=True),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            main()
        except SystemExit as exit:
            code = exit.code or 0
    assert isinstance(code, int)
    return Ran(code, out.getvalue(), err.getvalue())


def spawn(*words: str, **environment: str) -> Ran:
    """Start `croupier` with these words in a process of its own."""
    done = subprocess.run(
        [sys.executable, "-m", "croupier", *words],
        env=settings(environment),
        capture_output=True,
        encoding="utf-8",
        stdin=subprocess.DEVNULL,
    )
    return Ran(done.returncode, done.stdout, done.stderr)
