"""Servers that are spoilt in one way, to show that tests would notice; and clocks that are off."""

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib.resources import files
from queue import SimpleQueue
from threading import Thread
from typing import Any

from croupier.errors import Refused
from croupier.fairness.commitment import commit
from croupier.fairness.shuffle import shuffled
from croupier.house import leases, pit
from croupier.house.books import Clocks
from croupier.house.open_tables import OpenTables
from croupier.house.pit import Pit
from croupier.house.table import Table
from croupier.ledger import tenure
from croupier.ledger.accounts import Account, account
from croupier.ledger.store import Answer, Claim, Finish, Request, Result
from croupier.ledger.stores import postgres, sqlite
from croupier.ledger.stores.batch import Batch, meters_of
from croupier.ledger.stores.leasing import Leasing
from croupier.ledger.stores.postgres import PostgresStore
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.statements import Pen, Session, locked_head, make_tables

LATER_S = 0.02
HOUR_S = 3_600
NAP, WAKE = signal.SIGUSR1, signal.SIGUSR2


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
    """Expire sooner than others do, and look more often, so that tests need not wait."""
    tenure.TTL_MS = 1_000
    for name, wait in {"LOOK_S": 0.2, "WATCH_S": 0.1, "PATIENCE_MS": 600}.items():
        setattr(leases, name, wait)
    pit.LOOK_S = 0.2


# ---------------------------------------------------------------- clocks


def _skewed(by_s: int) -> None:
    wall_s, wall_ns = time.time, time.time_ns
    time.time = lambda: wall_s() + by_s
    time.time_ns = lambda: wall_ns() + by_s * 1000000000
    _, *others = Clocks.__init__.__defaults__ or ()
    Clocks.__init__.__defaults__ = time.time, *others


# ---------------------------------------------------------------- owners


def napping() -> None:
    """Append in a transaction of several statements, and when told to, sleep before its commit."""
    sleepy = threading.Event()
    signal.signal(NAP, lambda *_: sleepy.set())
    signal.signal(WAKE, lambda *_: sleepy.clear())

    def append_all(store: PostgresStore, requests: Sequence[Request]) -> Any:
        meters = meters_of(requests)
        streams = sorted({request.claim.stream for request in requests})
        with store.writing() as session:
            held = session.connection.execute(postgres.READ, (streams, sorted(meters)))
            shown = {Account(meter): micros for meter, micros in held}
            done = store.appended(session.connection, Batch(requests, shown, store.tenure.owned))
            if sleepy.is_set():
                sleepy.clear()
                os.kill(os.getpid(), signal.SIGSTOP)
            return done

    setattr(PostgresStore, PostgresStore.append_all.__name__, append_all)


def _with_schema(change: Callable[[str], str]) -> None:
    """Make tables by a schema that is other than ours."""

    def made(session: Session, schema: str, version: int) -> None:
        make_tables(session, schema, version)
        text = (files("croupier.ledger.stores") / schema).read_text()
        changed = change(text)
        assert changed != text
        session.script(changed)

    setattr(postgres, make_tables.__name__, made)


def unlocked() -> None:
    """Read leases without locking them; and let transactions wait for as long as they like."""
    _with_schema(lambda text: text.replace(" FOR SHARE", ""))
    postgres.BEGIN_AS_NODE = postgres.BEGIN
    postgres.FENCE = postgres.FENCE.replace(" FOR SHARE", "")


def patient() -> None:
    """Let transactions wait for as long as they like."""
    postgres.BEGIN_AS_NODE = postgres.BEGIN


def stubborn() -> None:
    """Keep a table that another process has."""
    setattr(OpenTables, OpenTables.step_down.__name__, lambda *_: None)
    setattr(Pit, Pit.has.__name__, lambda pit, id: id in pit.tables)


def numbered() -> None:
    """Fence by the number of the head alone; a node that slept learns from others that it did.

    By its own clock it would stop before it comes to the fence.
    """
    hashes = re.compile(r"\n\s*OR wanted\.hash <> [^;]*;")

    def by_number(text: str) -> str:
        return hashes.sub(";", text).replace("IF writer IS NOT NULL THEN", "IF FALSE THEN")

    _with_schema(by_number)
    append = Pen.append

    def appended(pen: Pen, claim: Claim, *rest: Any, **options: Any) -> Answer:
        head = locked_head(pen.session, claim.stream)
        if head.number == claim.expected.number:
            claim = claim._replace(expected=head)
        return append(pen, claim, *rest, **options)

    setattr(Pen, append.__name__, appended)
    setattr(PostgresStore, PostgresStore.fence.__name__, lambda *_: None)
    setattr(Leasing, Leasing.has_expired.__name__, lambda _: False)


MUTANTS: Mapping[str, Callable[[], None]] = {
    "hasty": hasty,
    "forgetful": forgetful,
    "hurried": hurried,
    "ahead": partial(_skewed, HOUR_S),
    "behind": partial(_skewed, -HOUR_S),
    "napping": napping,
    "unlocked": unlocked,
    "patient": patient,
    "stubborn": stubborn,
    "numbered": numbered,
}
