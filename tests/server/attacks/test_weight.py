"""What connections cost a real server: memory of idle ones, and of hours of play (A1).

The server is a process of its own, so that what is measured is its alone.
"""

import asyncio
import contextlib
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from websockets.asyncio.client import connect

from croupier.cli.bots import Bot
from croupier.client import Client
from croupier.errors import Refused
from tests.ledger import servers
from tests.rules.books import IDS
from tests.server.attacks.houses import table_toml

SOCKETS = 160
"""With those that warm up, as many as may knock at once."""
IDLE_KIB_MAX = 100
SOAK_S = 3600
"""How long the soak lasts."""
SAMPLE_S = 5.0
WORKERS = 2
SLOPE_KIB_MAX = 120
"""KiB a minute in the second half: what a journal of play adds to caches, and no more."""
MORE = 4
"""Files and threads that may be opened late: a pool starts a thread when all others work."""
QUICK: dict[str, Any] = {"show": 0.1, "pause": 0.2, "bets": 2, "decide": 2, "bank": 2, "grace": 2}


class Weight(NamedTuple):
    """What a server holds: a process, or a process with its workers."""

    s: float
    kib: int
    files: int
    threads: int


@contextmanager
def server(folder: Path, tables: str, *options: str) -> Iterator[tuple[str, int]]:
    """Run `croupier serve`; yield where it is, and its process id."""
    (folder / "tables.toml").write_text(tables)
    command = [sys.executable, "-m", "croupier", "serve", "-p", "0", "--data", str(folder / "data")]
    command += ["--tables", str(folder / "tables.toml"), *options]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        assert process.stdout is not None
        try:
            found = re.search(r"http://\S+:\d+", process.stdout.readline())
            assert found, (folder / "log").read_text()
            yield found[0], process.pid
        finally:
            process.terminate()
            process.communicate(timeout=60)


def weight(process: int) -> Weight:
    kib = files = threads = 0
    for each in family(process):
        status = Path(f"/proc/{each}/status").read_text()
        kib += int(re.findall(r"VmRSS:\s+(\d+)", status)[0])
        threads += int(re.findall(r"Threads:\s+(\d+)", status)[0])
        files += len(os.listdir(f"/proc/{each}/fd"))
    return Weight(time.monotonic(), kib, files, threads)


def family(process: int) -> Iterator[int]:
    """Yield a process and its workers."""
    yield process
    for child in Path(f"/proc/{process}/task/{process}/children").read_text().split():
        yield from family(int(child))


def test_an_idle_socket_weighs_little(tmp_path: Path) -> None:
    """Sockets that say nothing and do not read; afterwards their files are closed."""

    async def main(url: str, process: int) -> None:
        address = url.replace("http", "ws") + "/api/tables/maryland/socket"
        options: dict[str, Any] = {"compression": None, "ping_interval": None, "max_queue": 1}
        # The first ones bring in what all need.
        warm = [await connect(address, **options) for _ in range(20)]
        before = weight(process)
        opened = []
        for _ in range(SOCKETS):
            opened.append(await connect(address, **options))
        during = weight(process)
        each = (during.kib - before.kib) / SOCKETS
        print(f"\n{each:.1f} KiB for each of {SOCKETS} idle sockets; {before} to {during}")
        assert during.files - before.files >= SOCKETS
        assert each < IDLE_KIB_MAX
        for one in (*opened, *warm):
            one.transport.abort()
        while weight(process).files >= before.files:
            await asyncio.sleep(0.1)

    with server(tmp_path, table_toml(IDS[3])) as (url, process):
        asyncio.run(main(url, process))


# ---------------------------------------------------------------- the soak


async def _come_and_go(url: str, table: str) -> None:
    """Look at a table for a moment, again and again."""
    while True:
        async with Client(url) as client:
            with contextlib.suppress(OSError, Refused):
                await (await client.table(table, watch=True)).until(lambda t: bool(t.scene))
        await asyncio.sleep(0.5)


async def soak(url: str, process: int, seconds: float) -> tuple[list[Weight], int]:
    """Let bots play for a while, and weigh the server meanwhile."""
    async with contextlib.AsyncExitStack() as stack:
        bots: list[Bot] = []
        rows = (await Client(url).get("/api/tables"))["tables"]
        for row in rows:
            for seat in (1, 3, 5):
                client = await stack.enter_async_context(Client(url))
                await client.guest()
                bots.append(Bot(client, await client.table(row["table"]), seat))
                await asyncio.sleep(0.2)
        playing = [asyncio.create_task(bot.play()) for bot in bots]
        playing += [asyncio.create_task(_come_and_go(url, row["table"])) for row in rows]
        weights, end = [weight(process)], time.monotonic() + seconds
        while time.monotonic() < end:
            await asyncio.sleep(SAMPLE_S)
            weights.append(weight(process))
            failed = [task.exception() for task in playing if task.done()]
            assert failed == []
        for task in playing:
            task.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
        return weights, sum(bot.rounds for bot in bots)


def slope(weights: list[Weight]) -> float:
    """Return how many KiB a minute a process grows, by least squares."""
    mean_s = sum(w.s for w in weights) / len(weights)
    mean = sum(w.kib for w in weights) / len(weights)
    above = sum((w.s - mean_s) * (w.kib - mean) for w in weights)
    return 60 * above / sum((w.s - mean_s) ** 2 for w in weights)


def grown(weights: list[Weight]) -> list[str]:
    """Return what grew in the second half of a soak, when everything has been used."""
    later = weights[len(weights) // 2 :]
    found = []
    if (kib := slope(later)) >= SLOPE_KIB_MAX:
        found.append(f"{kib:.0f} KiB a minute")
    half = len(later) // 2
    for name in ("files", "threads"):
        parts = later[:half], later[half:]
        before, after = (max(getattr(weight, name) for weight in part) for part in parts)
        if after > before + MORE:
            found.append(f"{name} from {before} to {after}")
    return found


def check_soak(folder: Path, seconds: float, *options: str) -> None:
    tables = "\n".join(table_toml(book, **QUICK) for book in IDS)
    with server(folder, tables, *options) as (url, process):
        weights, rounds = asyncio.run(soak(url, process, seconds))
    later = weights[len(weights) // 2 :]
    print(f"\n{rounds} rounds of bots in {seconds:.0f} s: {weights[0]} to {weights[-1]}")
    print(f"KiB minute by minute: {[w.kib for w in weights[:: int(60 / SAMPLE_S)]]}")
    print(f"second half: {slope(later):.0f} KiB a minute, files {[w.files for w in later][-5:]}")
    crashed = [line for line in (folder / "log").read_text().splitlines() if "crash" in line]
    assert crashed == []
    assert rounds > seconds / 2
    assert grown(weights) == []


@pytest.mark.long
def test_play_for_long_weighs_no_more(tmp_path: Path) -> None:
    check_soak(tmp_path, SOAK_S)


@pytest.mark.long
def test_play_at_several_workers_for_long_weighs_no_more(tmp_path: Path) -> None:
    with servers.postgres() as where:
        database = ["--database", servers.new_database(where)]
        check_soak(tmp_path, SOAK_S, *database, "--workers", str(WORKERS))


def hour(*, kib: float = 0, files: float = 0, threads: float = 0) -> list[Weight]:
    """Return what an hour weighs that keeps so much of every minute; one thread starts late."""
    return [
        Weight(
            s,
            90_000 + int(kib * s / 60) + s % 7,
            40 + int(files * s / 60),
            9 + int(threads * s / 60) + (s > 3_000),
        )
        for s in range(0, SOAK_S, int(SAMPLE_S))
    ]


@pytest.mark.parametrize(
    ("keeps", "grew"),
    [
        ({}, []),
        ({"kib": 180}, ["180 KiB a minute"]),
        ({"files": 1}, ["files from 84 to 99"]),
        ({"threads": 0.5}, ["threads from 31 to 39"]),
    ],
)
def test_a_leak_would_be_seen(keeps: dict[str, float], grew: list[str]) -> None:
    assert grown(hour(**keeps)) == grew
