"""`serve --workers`: one socket, one house, several processes; and one scrape of all."""

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.sync.client import connect

from croupier.client import Client
from croupier.server.routes.health import merged
from tests.ledger.servers import new_database
from tests.rules.books import MARYLAND, ROOT
from tests.server.durability.tables import tables_text
from tests.server.machines.test_leases import SOON_S, eventually, run

TABLES = ("md1", "md2", "ride", "sg")


@contextmanager
def serving(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    tables = folder / "tables.toml"
    tables.write_text(tables_text(TABLES))
    command = [sys.executable, "-m", "croupier", "serve", "-p", "0", "--data", str(folder / "data")]
    process = subprocess.Popen(
        [*command, "--tables", str(tables), *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        start_new_session=True,
    )
    assert process.stdout
    try:
        found = re.search(r"http://[\d.:]+", process.stdout.readline())
        assert found, process.communicate()
        yield process, found[0]
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


async def visited(address: str) -> dict[str, Any]:
    """Sit and bet at every table, and close a session from elsewhere."""
    async with Client(address) as client:
        await client.guest()
        listed = [row["table"] for row in (await client.get("/api/tables"))["tables"]]
        assert listed == [row["table"] for row in (await client.get("/lobby.json"))["tables"]]
        for id in listed:
            table = await client.table(id)
            await table.do("sit", seat=1)
            await table.until(lambda table: table.scene["phase"] == "bets")
            wager = table.felt["wagers"][0]["wager"]
            await table.do("bet", seat=1, wager=wager, cents=1000)
            page = await client.get(f"/api/tables/{id}")
            assert page["scene"]["seats"]["1"]["player"] == table.scene["seats"]["1"]["player"]
        purse = (await client.get("/api/purse"))["cents"]
        await client.post("/api/sign-out")
        async with asyncio.timeout(SOON_S):
            while any(table.is_open for table in client.tables):
                await asyncio.sleep(0.05)
    return {"tables": listed, "purse": purse}


def practise(address: str) -> None:
    """Practise at a table that one worker has: whichever answers, it is there."""
    wanted = {"rulebook": MARYLAND, "rounds": 1, "real": True}
    headers = {"X-Croupier": "1"}
    began = httpx.post(f"{address}/api/practice", json=wanted, headers=headers, timeout=SOON_S)
    assert began.status_code == 200, began.text
    at = began.json()["practice"]
    for _ in range(10):
        reported = httpx.get(f"{address}{at}/report.json").json()
        assert (reported["rounds"], reported["deviations"]) == (0, [])
        assert '<h1 id="step"' in httpx.get(f"{address}{at}").text
        with connect(f"ws{address.removeprefix('http')}{at}/socket") as socket:
            kinds = [json.loads(socket.recv())["type"] for _ in range(2)]
            assert kinds == ["welcome", "desk"]


def test_workers_are_one_house(tmp_path: Path, server: str) -> None:
    url = new_database(server)
    with serving(tmp_path, "--database", url, "--workers", "2") as (process, address):
        eventually(lambda: len(nodes_of(url)) == 2 and {*TABLES} <= {*owners_of(url)})
        seen = asyncio.run(visited(address))
        assert seen["tables"] == [*TABLES] and seen["purse"] <= 100_000_00
        practise(address)
        scraped = httpx.get(f"{address}/metrics").text
        opened = re.findall(r'croupier_sockets\{process="(.+?)",table="(.+?)"\}', scraped)
        assert sorted(table for _, table in opened) == sorted(TABLES)
        processes = {table: process for process, table in opened}
        owners = owners_of(url)
        pairs = {(owners[table], processes[table]) for table in TABLES}
        assert len(pairs) == len({owners[table] for table in TABLES})
        assert all(owner.startswith(f"{process}-") for owner, process in pairs)
        for _ in range(10):  # Whichever process answers.
            again = httpx.get(f"{address}/metrics").text
            assert {*re.findall(r'table="(.+?)"', again)} == {*TABLES}
            known = {*re.findall(r'process="(.+?)"', again)}
            assert {name[-2:] for name in known} == {"-0", "-1"}
            found = re.findall(r'croupier_sockets\{process="(.+?)",table="(.+?)"\}', again)
            assert {table: process for process, table in found} == processes
        process.send_signal(signal.SIGTERM)
        out, _ = process.communicate(timeout=SOON_S)
        assert process.returncode == 0 and "Closed" in out.splitlines()[-1]
    assert run(url, "SELECT 1 FROM nodes") == []


def test_workers_end_with_a_parent_that_is_killed(tmp_path: Path, server: str) -> None:
    url = new_database(server)
    with serving(tmp_path, "--database", url, "--workers", "2") as (process, _):
        eventually(lambda: len(nodes_of(url)) == 2)
        process.kill()
        eventually(lambda: nodes_of(url) == [])
        assert process.wait() == -signal.SIGKILL


def nodes_of(url: str) -> list[Any]:
    there = run(url, "SELECT to_regclass('nodes')")[0][0]
    return run(url, "SELECT node FROM nodes") if there else []


def owners_of(url: str) -> dict[str, str]:
    return dict(run(url, "SELECT stream, node FROM leases WHERE node <> ''"))


def test_workers_need_a_database(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "croupier", "serve", "--workers", "2", "--data", "data"]
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=env)
    assert done.returncode == 2
    assert "--workers: more than one worker needs a PostgreSQL --database" in done.stderr


CREW = """
import os, signal, time
from pathlib import Path
from croupier.cli.supervisor import CannotGoOn, supervised
from croupier.errors import UserError

def work(number):
    times = len(list(Path().glob(f"{number}-*")))
    Path(f"{number}-{times}").touch()
    if number == 1:
        WORKS
    while True:
        time.sleep(0.01)

try:
    print(supervised(2, work), "rounds")
except UserError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("works", "said", "starts"),
    [
        ("raise UserError('no database')", "all workers were closed", 1),
        ("time.sleep(0.5); raise CannotGoOn('the ledger is gone')", "all workers were closed", 1),
        (
            "if times == 0: os.abort()\n        "
            "if times == 1: raise UserError('no database just now')\n        "
            "os.kill(os.getppid(), signal.SIGTERM)",
            "0 rounds",
            3,
        ),
    ],
    ids=["one that can't start", "one that is closed", "one that failed is started again"],
)
def test_what_the_end_of_one_worker_means_for_the_others(
    tmp_path: Path, works: str, said: str, starts: int
) -> None:
    ran = subprocess.run(
        [sys.executable, "-c", CREW.replace("WORKS", works)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        timeout=SOON_S,
    )
    assert said in ran.stdout, ran
    assert len([*tmp_path.glob("1-*")]) == starts and len([*tmp_path.glob("0-*")]) == 1


@pytest.mark.parametrize("processes", [1, 3])
def test_the_metrics_of_processes_are_one_document(processes: int) -> None:
    one = b"# HELP a_total A.\n# TYPE a_total counter\na_total 2.0\n"
    two = b'# HELP b B.\n# TYPE b gauge\nb{table="t"} 1.0\n'
    said = merged(
        [merged([one + two], process=str(number)) for number in range(processes)]
    ).decode()
    assert said.count("# TYPE a_total counter") == 1
    for number in range(processes):
        assert f'a_total{{process="{number}"}} 2.0' in said
        assert f'b{{process="{number}",table="t"}} 1.0' in said
