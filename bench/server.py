"""Measures the live server beside a bare socket echo of the same framework, and the disk.

.venv/bin/python bench/server.py [FOLDER]

One server process and one echo process run in turns, under the same uvicorn settings, with the
load from a third process. A command is a bet that is made or changed: decided, stored on disk with
its event, entries and answer, then published to everybody at its table. An echo sends a text back.
The system reports the CPU time of each process. Name a folder on the disk you want to measure.
"""

import asyncio
import contextlib
import json
import os
import re
import socket
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench.load import Line, open_line
from croupier.client import Client

TABLES, SEATS = 143, 7
CONNECTIONS = 1_000
RATE_S = 2
TURNS, TURN_S = 10, 1.5
RATE_TURNS, RATE_TURN_S = 8, 3
BURST_TABLES = 20
PROBES = 300
IDLE = 1_000
BOOK = "maryland-three-card-poker"
TICK = os.sysconf("SC_CLK_TCK")
ECHO = """
import sys
import uvicorn
from fastapi import FastAPI, WebSocket, WebSocketDisconnect
app = FastAPI()

@app.websocket("/echo")
async def echo(websocket: WebSocket):
    await websocket.accept()
    while True:
        try:
            await websocket.send_text(await websocket.receive_text())
        except WebSocketDisconnect:
            return

print("ready", flush=True)
uvicorn.run(app, port=int(sys.argv[1]), log_level="error")
"""


# ---------------------------------------------------------------- processes


def tables(count: int, *, bets_s: int) -> str:
    timing = f"timing = {{ bets = {bets_s}, decide = 1, show = 0, pause = 0, round_min = 0 }}"
    return "guest_chips = 100000\n" + "".join(
        f'[[table]]\nid = "t{n}"\nrulebook = "{BOOK}"\n{timing}\n' for n in range(count)
    )


@contextmanager
def serving(folder: Path, text: str) -> Iterator[tuple[int, str]]:
    """Run our server; give its process and address."""
    file = folder / "tables.toml"
    file.write_text(text)
    data = tempfile.mkdtemp(dir=folder)
    run = [sys.executable, "-m", "croupier", "serve", "--no-limits", "--port", "0"]
    run += ["--data", data, "--tables", str(file)]
    process = subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    assert process.stdout is not None
    try:
        found = re.search(r"http://[\d.:]+", process.stdout.readline())
        assert found, "the server did not start"
        yield process.pid, found[0]
    finally:
        process.terminate()
        process.wait(30)


@contextmanager
def echoing() -> Iterator[tuple[int, str]]:
    """Run the echo; give its process and address."""
    port = 18_765
    process = subprocess.Popen(
        [sys.executable, "-c", ECHO, str(port)], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    try:
        process.stdout.readline()
        while True:  # It has said so, and listens in a moment.
            with contextlib.suppress(ConnectionRefusedError):
                socket.create_connection(("127.0.0.1", port)).close()
                break
        yield process.pid, f"ws://127.0.0.1:{port}/echo"
    finally:
        process.kill()
        process.wait()


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


def rss_kib(pid: int) -> int:
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) if found else 0


# ---------------------------------------------------------------- load


async def flat_out(lines: list[Line], seconds: float) -> int:
    """Let every line ask again as soon as it is answered; return how often they did."""
    end = perf_counter() + seconds

    async def run(line: Line) -> None:
        while perf_counter() < end:
            await line.once()

    before = sum(line.number for line in lines)
    await asyncio.gather(*(run(line) for line in lines))
    return sum(line.number for line in lines) - before


async def at_rate(lines: list[Line], seconds: float) -> list[float]:
    """Let every line ask so many times a second, spread evenly; return how long answers took."""

    async def run(line: Line, due: float) -> None:
        for _ in range(round(seconds * RATE_S)):
            await asyncio.sleep(due - perf_counter())
            await line.once()
            due += 1 / RATE_S  # By the clock, or waiting for answers would bring all into step.

    for line in lines:
        line.times.clear()
    began = perf_counter()
    spread = [began + n / len(lines) / RATE_S for n in range(len(lines))]
    await asyncio.gather(*(run(line, due) for line, due in zip(lines, spread, strict=True)))
    return sorted(t for line in lines for t in line.times)


def bet(seat: int, wager: str) -> Callable[[int], str]:
    def ask(number: int) -> str:
        cents = 500 + 100 * (number % 2)
        body = {"id": f"b{number}", "seat": seat, "wager": wager, "cents": cents}
        return json.dumps({"type": "bet", **body})

    return ask


async def seated(address: str, connections: int) -> list[Line]:
    """Seat players at the tables, one socket each."""
    first = (await Client(address).get("/api/tables/t0"))["felt"]["wagers"][0]["wager"]
    gate = asyncio.Semaphore(16)

    async def sit(number: int) -> Line:
        async with gate:
            client = Client(address)
            await client.guest()
            table, seat = f"t{number // SEATS}", number % SEATS + 1
            ticket = (await client.post("/api/ticket", table=table))["ticket"]
            url = address.replace("http", "ws", 1)
            place = f"{url}/api/tables/{table}/socket?ticket={ticket}"
            line = await open_line(place, bet(seat, first), '{"type":"done"')
            await line.say(json.dumps({"type": "sit", "id": "sit", "seat": seat}))
            return line

    lines = await asyncio.gather(*(sit(number) for number in range(connections)))
    await asyncio.sleep(2)  # Rounds open.
    return lines


async def echo_lines(address: str, count: int) -> list[Line]:
    text = json.dumps({"type": "bet", "id": "b1", "seat": 1, "wager": "first", "cents": 500})
    return [await open_line(address, lambda _: text, '{"type": "bet"') for _ in range(count)]


def quiet(lines: list[Line]) -> None:
    for line in lines:
        line.close()


# ---------------------------------------------------------------- the figures


def fdatasync_s(folder: Path) -> list[float]:
    """How long a page takes to reach the disk."""
    times = []
    with (folder / "probe").open("wb", buffering=0) as file:
        for _ in range(PROBES):
            began = perf_counter()
            file.write(bytes(4096))
            os.fdatasync(file.fileno())
            times.append(perf_counter() - began)
    return sorted(times)


def p99(times: list[float]) -> float:
    return times[min(len(times) - 1, len(times) * 99 // 100)]


async def flat_out_in_turns(*servers: tuple[int, Awaitable[list[Line]]]) -> list[float]:
    """Commands a second of each server's CPU time, in the median of many turns.

    A machine that is shared runs faster and slower; in turns all of them have the same of it.
    """
    lines = {pid: await opening for pid, opening in servers}
    rates: dict[int, list[float]] = {pid: [] for pid in lines}
    for _ in range(TURNS):
        for pid, each in lines.items():
            before = cpu_s(pid)
            asked = await flat_out(each, TURN_S)
            rates[pid].append(asked / (cpu_s(pid) - before))
    for each in lines.values():
        quiet(each)
    return [statistics.median(seen) for seen in rates.values()]


async def at_rate_in_turns(folder: Path, *servers: Awaitable[list[Line]]) -> list[list[float]]:
    """The median and the 99th percentile of the disk and of each server, in the median turn."""
    lines = [await opening for opening in servers]
    seen: list[list[tuple[float, float]]] = [[] for _ in range(len(lines) + 1)]
    for _ in range(RATE_TURNS):
        every = [fdatasync_s(folder), *[await at_rate(each, RATE_TURN_S) for each in lines]]
        for turns, times in zip(seen, every, strict=True):
            turns.append((statistics.median(times), p99(times)))
    for each in lines:
        quiet(each)
    return [[statistics.median(turn[i] for turn in turns) for i in (0, 1)] for turns in seen]


async def idle(address: str, pid: int) -> float:
    """KiB of memory that one connection takes which says nothing."""
    url = f"{address.replace('http', 'ws', 1)}/api/tables/t0/socket"
    before = rss_kib(pid)
    lines = [await open_line(url, str, "") for _ in range(IDLE)]
    await asyncio.sleep(1)
    used = (rss_kib(pid) - before) / IDLE
    quiet(lines)
    return used


def rounds_an_hour(folder: Path) -> dict[str, Any]:
    """Let bots play at tables of seven, and say how many rounds that makes an hour."""
    home = folder / "bots"
    home.mkdir()
    with serving(home, tables(20, bets_s=5)) as (_, address):
        run = [sys.executable, "-m", "croupier", "bots", address, "--seats", "7", "--json"]
        out = subprocess.run([*run, "--seconds", "20"], capture_output=True, text=True, check=True)
        said: dict[str, Any] = json.loads(out.stdout)
    rounds = said["rounds"] / SEATS
    [ledger] = home.rglob("ledger.db")  # Its log was emptied when the house closed.
    return {
        "hour": rounds / said["seconds"] * 3600,
        "bytes": ledger.stat().st_size / max(rounds, 1),
    }


def main() -> None:
    base = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(tempfile.gettempdir())
    with tempfile.TemporaryDirectory(dir=base) as name:
        folder = Path(name)
        count = BURST_TABLES * SEATS
        house = tables(BURST_TABLES, bets_s=3600)
        with serving(folder, house) as (pid, address), echoing() as (echo, echo_address):
            ours, theirs = asyncio.run(
                flat_out_in_turns(
                    (pid, seated(address, count)), (echo, echo_lines(echo_address, count))
                )
            )
        print(f"commands a CPU second        {ours:8,.0f}")
        print(f"echoes a CPU second          {theirs:8,.0f}   ratio {ours / theirs:.2f} (0.25)")
        house = tables(TABLES, bets_s=3600)
        with serving(folder, house) as (pid, address), echoing() as (_, echo_address):
            held = asyncio.run(idle(address, pid))
            lines = seated(address, CONNECTIONS), echo_lines(echo_address, CONNECTIONS)
            disk, slow, fast = asyncio.run(at_rate_in_turns(folder, *lines))
        most = 5 * (disk[1] + fast[1])
        for name, (half, late) in (
            ("fdatasync of a page", disk),
            (f"{CONNECTIONS} connections, {RATE_S}/s each", slow),
            ("the echo", fast),
        ):
            print(f"{name:28} p50 {half * 1e3:.1f} ms, p99 {late * 1e3:.1f} ms")
        print(f"5 x (fdatasync + echo)       {most * 1e3:8.1f} ms, the most that p99 may be")
        print(f"an idle connection           {held:8.1f} KiB")
        played = rounds_an_hour(folder)
        print(
            f"20 tables of 7 bots          {played['hour']:8,.0f} rounds an hour, "
            f"{played['bytes']:,.0f} bytes of ledger a round"
        )


if __name__ == "__main__":
    main()
