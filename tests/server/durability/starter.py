"""Starts real servers quickly: everything is imported once, and each server is a fork of that.

A line on stdin has the arguments of a command and the file for its stderr, as JSON; the command
writes to the stdout of this process, its own id first. A mutant is named on the command line.
"""

import asyncio
import json
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping
from functools import cache, partial
from queue import SimpleQueue
from threading import Thread

from croupier import cli
from croupier.cli import ledger, serve
from croupier.errors import Refused
from croupier.fairness.commitment import commit
from croupier.fairness.shuffle import shuffled
from croupier.ledger.store import Answer, Request, Result
from croupier.ledger.stores import postgres, sqlite
from croupier.rules.load import load
from croupier.server import app, doorway, house
from croupier.server.backroom import Backroom, Due, Then
from croupier.server.live import LiveTable
from tests.rules.books import IDS

LATER_S = 0.02
IMPORTED = (app, doorway, house, postgres, serve, sqlite)


# ---------------------------------------------------------------- mutants


def hasty() -> None:
    """Acknowledge first, and store a moment later."""
    queues: dict[str, SimpleQueue[Callable[[], Answer]]] = {}

    def work(queue: "SimpleQueue[Callable[[], Answer]]") -> None:
        while True:
            store = queue.get()
            time.sleep(LATER_S)
            store()

    async def settled(room: Backroom, request: Request) -> Result:
        claim, meters, decide = request
        known = await room.read(lambda view: view.answer(claim.command))
        if known is not None:
            return known
        try:
            done = decide({name: room.meter(name) or 0 for name in meters})
        except Refused as refused:
            return refused
        if claim.stream not in queues:
            queues[claim.stream] = SimpleQueue()
            Thread(target=work, args=(queues[claim.stream],), daemon=True).start()
        queues[claim.stream].put(partial(room.store.settle, claim, (), lambda _: done))
        return Answer(done.answer, claim.expected.number + len(done.events))

    async def run(room: Backroom, due: Due, then: Then) -> None:
        then([await settled(room, request) for request in due()])

    running = set[asyncio.Task[None]]()

    def settle(self: Backroom, due: Due, then: Then) -> None:
        running.add(task := asyncio.create_task(run(self, due, then)))
        task.add_done_callback(running.discard)

    setattr(Backroom, settle.__name__, settle)


def forgetful() -> None:
    """Draw another deck for a round that is found open."""
    unseal = LiveTable._unseal

    async def unsealed(table: LiveTable, id: str) -> None:
        await unseal(table, id)
        entropy, rules = table.room.entropy, table.standing.rules
        table.committed = commit(shuffled(entropy), entropy, round=id, rules=rules.digest)

    setattr(LiveTable, unseal.__name__, unsealed)


MUTANTS: Mapping[str, Callable[[], None]] = {
    "hasty": hasty,
    "forgetful": forgetful,
}


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
    # Whoever asked for servers is gone, and so the last one goes too.
    if child:
        try:
            os.kill(child, signal.SIGKILL)
        except ProcessLookupError:
            return


if __name__ == "__main__":
    main()
