"""`croupier serve` as a process: what it prints, refuses, keeps, and how it ends."""

import asyncio
import contextlib
import json
import os
import re
import shutil
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

import pytest
from websockets.exceptions import WebSocketException

from croupier.client import Client, TableClient
from croupier.errors import Refused
from tests.cli import running
from tests.cli.running import Ran
from tests.schemas.checking import faults
from tests.server.doors import logged

TABLES = """
[[table]]
id = "one"
rulebook = "maryland-three-card-poker"
timing = { bets = 60, show = 0, pause = 0, round_min = 0 }
"""


CLOSED = "Closed. Open rounds stored for the next start:"


@contextmanager
def serving(folder: Path, *args: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run a server, and give the process and its address."""
    file = folder / "tables.toml"
    file.write_text(TABLES)
    command = [sys.executable, "-m", "croupier", "serve", "-p", "0", "--data", str(folder / "data")]
    process = subprocess.Popen(
        [*command, "--tables", str(file), *args],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        found = re.fullmatch(r"Croupier is open: (http://127\.0\.0\.1:\d+)/\n", line)
        assert found, line
        yield process, found[1]
    finally:
        process.kill()
        process.communicate()


async def bet(client: Client) -> tuple[TableClient, str]:
    """Sit down as a guest and bet; give the table and the wager."""
    await client.guest()
    table = await client.table("one")
    await table.do("sit", seat=1)
    await table.until(lambda t: t.scene["phase"] == "bets")
    wager = table.felt["wagers"][0]["wager"]
    await table.do("bet", seat=1, wager=wager, cents=10_00)
    return table, wager


def run(*args: str) -> Ran:
    """Run a command that ends by itself in this process, which saves starting another."""
    heard = {sign: signal.getsignal(sign) for sign in (signal.SIGTERM, signal.SIGHUP)}
    try:
        with logged():
            return running.run(*args)
    finally:
        for sign, handler in heard.items():
            signal.signal(sign, handler)


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_it_opens_prints_its_links_and_ends_cleanly_with_the_open_round_stored(
    tmp_path: Path, stop: signal.Signals
) -> None:
    async def play(address: str) -> str:
        async with Client(address) as client:
            table, _ = await bet(client)
            return str(table.scene["round"])

    with serving(tmp_path) as (process, address):
        assert process.stdout is not None
        link = process.stdout.readline()
        assert re.search(rf"{address}/operator\?link=[\w-]{{43}}\n$", link)
        data = tmp_path / "data"
        kept = f"Play chips only. Ctrl-C closes the house. Everything is stored in {data}.\n"
        assert process.stdout.readline() == kept
        round = asyncio.run(play(address))
        assert (data / "ledger.db-wal").stat().st_size > 0
        process.send_signal(stop)
        out, errors = process.communicate(timeout=60)
        assert (process.returncode, out) == (0, f"{CLOSED} 1.\n"), errors
    assert not (data / "ledger.db-wal").exists(), "the file alone is complete"
    assert stat.S_IMODE((data / "ledger.db").stat().st_mode) == 0o600
    for key in ("master.key", "signing.key"):
        assert stat.S_IMODE((data / key).stat().st_mode) == 0o600
    verified = run("ledger", "verify", "--data", str(data), "--json")
    assert json.loads(verified.out)["verifies"] is True
    assert json.loads(verified.out)["checkpoints"] >= 1
    checkpoints = str(data / "checkpoints.jsonl")
    again = run("ledger", "verify", "--data", str(data), "--checkpoints", checkpoints)
    assert again.code == 0
    if stop != signal.SIGINT:
        return
    with serving(tmp_path) as (_, address):
        seen = json.load(urlopen(f"{address}/api/tables/one"))
        assert seen["scene"]["round"] == round
        assert [*seen["scene"]["boxes"]] == ["1"]


def test_one_address_may_do_much_in_a_load_test_and_little_otherwise(tmp_path: Path) -> None:
    async def guests(address: str) -> int:
        made = 0
        with contextlib.suppress(Refused):
            while made < 60:
                await Client(address).guest()
                made += 1
        return made

    with serving(tmp_path, "--no-limits") as (_, address):
        assert asyncio.run(guests(address)) == 60
    with serving(tmp_path) as (_, address):
        assert asyncio.run(guests(address)) < 60


def test_a_folder_has_one_server(tmp_path: Path) -> None:
    with serving(tmp_path):
        second = run("serve", "-p", "0", "--data", str(tmp_path / "data"))
        assert (second.code, second.out) == (2, "")
        assert "another server has data open" in second.err


def test_a_hangup_that_is_ignored_stays_ignored(tmp_path: Path) -> None:
    """As under nohup: the house stays open when its terminal goes."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with serving(tmp_path) as (process, address):
            process.send_signal(signal.SIGHUP)
            assert json.load(urlopen(f"{address}/api/tables"))["tables"]
            process.send_signal(signal.SIGTERM)
            out, _ = process.communicate(timeout=60)
            assert process.returncode == 0 and CLOSED in out
    finally:
        signal.signal(signal.SIGHUP, before)


@pytest.mark.parametrize("replaced", [False, True])
def test_a_ledger_that_is_taken_away_closes_the_house(tmp_path: Path, *, replaced: bool) -> None:
    """Nothing that is asked afterwards is acknowledged."""

    async def play(address: str) -> int:
        async with Client(address) as client:
            table, wager = await bet(client)
            ledger = tmp_path / "data" / "ledger.db"
            if replaced:
                shutil.copy(ledger, tmp_path / "other.db")
                os.replace(tmp_path / "other.db", ledger)
            else:
                ledger.unlink()
            acknowledged = 0
            with contextlib.suppress(OSError, Refused, WebSocketException):
                for cents in range(11_00, 111_00, 1_00):
                    await table.ask(
                        {"type": "bet", "id": f"{cents}", "seat": 1, "wager": wager, "cents": cents}
                    )
                    acknowledged += 1
            return acknowledged

    with serving(tmp_path) as (process, address):
        assert asyncio.run(play(address)) == 0
        out, errors = process.communicate(timeout=60)
    assert process.returncode == 2 and "Closed" not in out
    said = errors.splitlines()[-1]
    assert said.startswith("croupier: ") and "ledger.db was removed or replaced" in said
    assert "Traceback" not in errors and '"crash"' not in errors
    again = run("serve", "-p", "0", "--data", str(tmp_path / "data"))
    assert (again.code, again.out) == (2, "")


def test_a_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        found = run("serve", "-p", port, "--data", str(tmp_path))
    assert (found.code, found.out) == (2, "")
    assert found.err.count("\n") == 1 and "can't listen" in found.err


def test_bad_tables_are_refused_before_anything_is_opened(tmp_path: Path) -> None:
    file = tmp_path / "tables.toml"
    file.write_text(TABLES + 'seats = 9\nselections = { pair_plus = "Z" }\n')
    data = tmp_path / "data"
    found = run("serve", "-p", "0", "--data", str(data), "--tables", str(file))
    assert (found.code, found.out) == (2, "")
    assert "(12.D)" in found.err
    assert not data.exists()


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("-p", "70000"), "--port: must be from 0 to 65535"),
        (("--proxy", "nowhere"), "--proxy: "),
        (("--no-limits", "--host", "0.0.0.0"), "--no-limits: works only with --host 127.0.0.1"),
        (("--tables", "nowhere.toml"), "can't be read"),
        (("--database", "postgresql://127.0.0.1:1/none"), "--database: there is no ledger"),
    ],
)
def test_bad_options_are_refused(tmp_path: Path, args: tuple[str, ...], said: str) -> None:
    found = run("serve", "--data", str(tmp_path / "data"), *args)
    assert (found.code, found.out) == (2, "")
    assert said in found.err and "Traceback" not in found.err


def test_a_key_that_others_can_read_is_refused(tmp_path: Path) -> None:
    with serving(tmp_path):
        pass
    key = tmp_path / "data" / "master.key"
    os.chmod(key, 0o644)
    found = run("serve", "-p", "0", "--data", str(tmp_path / "data"))
    assert found.code == 2 and "master.key: can be read by other users" in found.err


def test_bots_play_over_the_network(tmp_path: Path) -> None:
    with serving(tmp_path) as (_, address):
        found = run("bots", address, "--seats", "3", "--seconds", "3", "--json")
        said = json.loads(found.out)
        assert said["bots"] == 3 and said["rounds"] >= 3
        assert faults("bots", said) == []
        missing = run("bots", address, "--table", "none")
        assert missing.code == 2 and "there is no table 'none'" in missing.err
    gone = run("bots", address)
    assert gone.code == 2 and "does not answer" in gone.err


def test_bots_say_that_the_server_has_closed(tmp_path: Path) -> None:
    with serving(tmp_path) as (process, address):
        command = [sys.executable, "-m", "croupier", "bots", address]
        with subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as bots:
            try:
                # Not too often: an address may ask only so much, and bots may start slowly.
                while not json.load(urlopen(f"{address}/api/tables/one"))["scene"]["seats"]:
                    assert bots.poll() is None
                    time.sleep(0.2)
                process.send_signal(signal.SIGTERM)
                out, errors = bots.communicate(timeout=120)
            finally:
                bots.kill()
    assert bots.returncode == 1
    assert out.startswith("2 bots, ") and errors == f"croupier: {address} closed the tables\n"


def test_the_example_of_the_documentation_plays_a_round(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/live-tables.md").read_text()
    (code,) = re.findall(r"```text\n(import asyncio.*?)```", page, re.DOTALL)
    with serving(tmp_path) as (_, address):
        code = code.replace("http://127.0.0.1:8000", address).replace('"maryland"', '"one"')
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False
        )
    assert re.fullmatch(r"-?\d+\.\d\d\n", done.stdout), done.stderr


def test_every_fault_of_the_tables_has_a_line_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "tables.toml"
    more = 'seats = 9\nbots = 20\ntitle = ""\nselections = { pair_plus = "Z" }\n'
    file.write_text(TABLES + more)
    done = run("serve", "--tables", str(file), "--data", str(tmp_path / "data"), "-p", "0")
    assert (done.code, done.out) == (2, "")
    assert [line.split(": ")[:3] for line in done.err.splitlines()] == [
        ["croupier", f"tables.toml:{line}", f"table[1].{field}"]
        for line, field in enumerate(("seats", "bots", "title", "selections.pair_plus"), 6)
    ]
