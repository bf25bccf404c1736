"""Measures the ledger: durable appends beside a bare fdatasync, and how fast a journal verifies.

.venv/bin/python bench/ledger.py [FOLDER]

An append is a whole command: an event, its entry, both balances, the stream's head and the
answer, in one transaction that is on the disk before it returns. The probe beside it writes a page
to a file and waits for fdatasync, and does nothing else. Tables that append at once share a wait.
All run in turns in the same folder, so that other work on the machine and the disk's moods affect
them alike. Name a folder on the disk you want to measure.
"""

import os
import statistics
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from itertools import count
from pathlib import Path
from time import perf_counter

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from croupier.ledger.accounts import Account
from croupier.ledger.entries import Entry
from croupier.ledger.journal import START, Record, encode
from croupier.ledger.scribe import Scribe
from croupier.ledger.store import Claim, NewEvent, View, Work
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.verify import verify
from tests.ledger.tables import Dealer, Till, rules_of

TIME_MS = 1_700_000_000_000
TABLES = 16
TURNS = 15
APPENDS = 200
ROUNDS = 400
PROBE_BYTES = 4096


class Appending:
    """Appends bets to a ledger, one command after another."""

    _names = count()

    def __init__(self, folder: Path, table: str = "t1", store: SqliteStore | None = None) -> None:
        self.folder, self.table, self.head = folder, f"{table} {next(self._names)}", START
        self.store = store or SqliteStore(folder / "appends.db", make=True)

    def append(self) -> None:
        number = self.head.number + 1
        event = {"type": "BetMade", "seat": 1, "player": "ada", "wager": "w", "cents": 1000}
        table, round = self.table, f"{self.table} r1"
        data = encode(Record(table, number, TIME_MS, round, "round", event))
        player = Account(f"player:{table}")
        entry = Entry(f"{round}/{number}/1", Account("cage"), player, 10_000_000, "x")
        work = Work((NewEvent(data, TIME_MS, round, (entry,)),), '{"accepted":true}')
        digest = sha256(data).digest()
        self.store.append(Claim(f"{table}-{number}", digest, table, self.head), work)
        self.head = self.head.after(data)


class Probe:
    """Writes a page and waits until the disk has it."""

    def __init__(self, folder: Path) -> None:
        self.file = os.open(folder / "probe", os.O_CREAT | os.O_WRONLY)
        self.page, self.at = os.urandom(PROBE_BYTES), 0

    def write(self) -> None:
        # Over and over within as much as a write-ahead log takes, as SQLite does.
        os.pwrite(self.file, self.page, self.at % (1000 * PROBE_BYTES))
        self.at += PROBE_BYTES
        os.fdatasync(self.file)


def seconds(work: Callable[[], object], times: int) -> float:
    start = perf_counter()
    for _ in range(times):
        work()
    return perf_counter() - start


def appends(folder: Path) -> None:
    """Print durable appends a second beside the probe; in turns, so the median of the ratios."""
    ours, probe = Appending(folder), Probe(folder)
    seconds(ours.append, APPENDS), seconds(probe.write, 1000)
    ratios, speeds, probes = [], [], []
    for _ in range(TURNS):
        theirs = seconds(probe.write, APPENDS)
        mine = seconds(ours.append, APPENDS)
        ratios.append(theirs / mine)
        speeds.append(APPENDS / mine)
        probes.append(APPENDS / theirs)
    together = max(at_once(ours) for _ in range(3))
    ours.store.close()
    print(f"durable appends       {statistics.median(speeds):10,.0f} /s")
    print(f"bare fdatasync        {statistics.median(probes):10,.0f} /s")
    print(f"one at a time         {statistics.median(ratios):10.2f} of the probe")
    print(f"{TABLES} tables at once     {together:10,.0f} /s")
    ratio = together / statistics.median(probes)
    print(f"tables at once        {ratio:10.2f} of the probe   (at least 0.7 is wanted)")


def at_once(ours: Appending) -> float:
    """Return appends a second when several tables append at once and share a wait for the disk."""
    tables = [Appending(ours.folder, f"{table}", ours.store) for table in range(TABLES)]
    with ThreadPoolExecutor(TABLES) as pool:
        list(pool.map(lambda table: table.append(), tables))
        start = perf_counter()
        list(pool.map(lambda table: seconds(table.append, APPENDS), tables))
        return TABLES * APPENDS / (perf_counter() - start)


def verifying(folder: Path) -> None:
    """Print events a second through the chains alone, and with every entry worked out again."""
    store = SqliteStore(folder / "verify.db", make=True)
    store.writer.execute("PRAGMA synchronous = OFF")  # It is not the appends that are measured.
    dealer = Dealer(Till(store, "t1"), seats=5)
    for number in range(ROUNDS):
        dealer.play(f"r{number}", f"round {number}")
    with store.reading() as view:
        rows = list(view.stream("t1"))
        memory = sum(len(row.data) for row in rows) / ROUNDS
        quick = min(seconds(lambda: sound(view, entries=False), 1) for _ in range(5))
        whole = min(seconds(lambda: sound(view, entries=True), 1) for _ in range(3))
        back = seconds(lambda: Scribe("t1", rules_of).read(rows), 1)
    store.close()
    size = (folder / "verify.db").stat().st_size
    count = len(rows)
    print(f"verify --quick        {count / quick:10,.0f} events/s   (at least 100,000 is wanted)")
    print(f"verify                {count / whole:10,.0f} events/s, every entry worked out again")
    print(f"catching up           {count / back:10,.0f} events/s")
    print(f"a round of 5 seats    {memory:10,.0f} bytes of journal, {size / ROUNDS:,.0f} on disk")


def sound(view: View, *, entries: bool) -> None:
    if verify(view, rules_of if entries else None).faults:
        raise RuntimeError("the journal does not verify")


def main() -> None:
    with tempfile.TemporaryDirectory(dir=sys.argv[1] if len(sys.argv) > 1 else None) as folder:
        appends(Path(folder))
        verifying(Path(folder))


if __name__ == "__main__":
    main()
