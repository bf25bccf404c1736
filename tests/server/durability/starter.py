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
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from queue import SimpleQueue
from threading import Thread

from croupier import cli
from croupier.cli import ledger, serve
from croupier.errors import Refused
from croupier.fairness.commitment import commit
from croupier.fairness.shuffle import shuffled
from croupier.house import folder
from croupier.house.table import Table
from croupier.ledger import tenure
from croupier.ledger.accounts import account
from croupier.ledger.store import Answer, Finish, Request, Result
from croupier.ledger.stores import postgres, sqlite
from croupier.ledger.stores.protocol import Store
from croupier.rules.load import load
from croupier.server import app, doorway
from tests.rules.books import IDS

LATER_S = 0.02
IMPORTED = (app, doorway, folder, postgres, serve, sqlite)


# ---------------------------------------------------------------- mutants


def hasty() -> None:
    """Acknowledge first, and store a moment later."""
    queues: dict[str, SimpleQueue[Callable[[], Answer]]] = {}

    def work(queue: "SimpleQueue[Callable[[], Answer]]") -> None:
        while True:
            store = queue.get()
            time.sleep(LATER_S)
            store()

    def answered(store: Store, request: Request) -> Result:
        claim, meters, decide = request
        with store.reading() as view:
            known = view.answer(claim.command)
            shown = {name: view.balance(account("meter", name)) or 0 for name in meters}
        if known is not None:
            return known
        try:
            done = decide(shown)
        except Refused as refused:
            return refused
        if claim.stream not in queues:
            queues[claim.stream] = SimpleQueue()
            Thread(target=work, args=(queues[claim.stream],), daemon=True).start()
        queues[claim.stream].put(partial(store.append, claim, done))
        return Answer(done.answer, claim.expected.number + len(done.events))

    def begin_all(store: Store, requests: Sequence[Request]) -> Finish:
        results = [answered(store, request) for request in requests]
        return lambda: results

    for kind in (postgres.PostgresStore, sqlite.SqliteStore):
        setattr(kind, begin_all.__name__, begin_all)


def forgetful() -> None:
    """Draw another deck for a round that is found open."""
    find_deck = Table.find_deck

    async def unsealed(table: Table, id: str) -> None:
        await find_deck(table, id)
        entropy, rules = table.books.entropy, table.place.standing.table.rules
        table.deck = commit(shuffled(entropy), entropy, round=id, rules=rules.digest)

    setattr(Table, find_deck.__name__, unsealed)


def hurried() -> None:
    """Expire sooner than others do, so that tests need not wait."""
    tenure.TTL_MS = 2_000


MUTANTS: Mapping[str, Callable[[], None]] = {
    "hasty": hasty,
    "forgetful": forgetful,
    "hurried": hurried,
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
