"""Starts real servers quickly: everything is imported once, and each server is a fork of that.

A line on stdin has the arguments of a command and the file for its stderr, as JSON; the command
writes to the stdout of this process, its own id first. A mutant is named on the command line.
"""

import asyncio
import json
import os
import signal
import sys
from functools import cache

from croupier import cli
from croupier.cli import ledger, serve
from croupier.house import folder
from croupier.ledger.stores import postgres, sqlite
from croupier.rules.load import load
from croupier.server import app, doorway
from tests.rules.books import IDS
from tests.server.durability.mutants import MUTANTS

IMPORTED = (app, doorway, folder, postgres, serve, sqlite)


# ---------------------------------------------------------------- forks


def run(arguments: list[str], errors: str) -> None:
    """Be the server, from here on."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    with open(errors, "ab") as file:
        os.dup2(file.fileno(), 2)
    print(os.getpid(), flush=True)
    sys.argv = ["croupier", *arguments]
    asyncio.set_event_loop_policy(None)
    cli.main()


def main() -> None:
    read = cache(load)  # Books are read once for all servers.
    setattr(ledger, load.__name__, read)
    for book in IDS:
        read(book, ())
    for name in sys.argv[1:]:
        MUTANTS[name]()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # Nobody waits for those who are gone.
    child = 0
    for line in sys.stdin:
        arguments, errors = json.loads(line)
        child = os.fork()
        if child == 0:
            run(arguments, errors)
    # The process that asked for servers is gone, and so the last one goes too.
    if child:
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            return


if __name__ == "__main__":
    main()
