"""What the server sends over HTTP and sockets is what the JSON Schemas say."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import run
from tests.rules.books import CALIFORNIA, MARYLAND
from tests.schemas.checking import faults
from tests.server.attacks.houses import House, open_house, table_toml
from tests.server.attacks.states import Walk

PATHS = {
    "/api/tables": "tables",
    "/api/tables/{table}": "table",
    "/tables/{table}.json": "table",
    "/lobby.json": "lobby",
    "/api/tables/{table}/voids": "voids",
    "/tables/{table}/voids.json": "voids",
    "/api/history": "history",
    "/history.json": "played",
    "/statistics.json": "statistics",
    "/account.json": "account",
    "/rulebooks.json": "rulebooks",
    f"/rulebooks/{CALIFORNIA}.json": "rulebook",
    f"/rulebooks/compare.json?a={MARYLAND}&b={CALIFORNIA}": "differences",
    "/tables/{table}/strategy.json": "strategy",
    "/api/tables/nowhere": "error",
    "/rounds/nowhere.json": "error",
    "/api/ledger/balances": "error",
    "/api/history?limit=x": "error",
    "/history.json?before=yesterday": "error",
    "/statistics.json?since=x": "error",
    "/tables/nowhere/strategy.json": "error",
    "/odds.json?book=nope": "error",
    f"/odds.json?book={MARYLAND}&bet.ante=x": "error",
    f"/odds.json?book={MARYLAND}&select.pair_plus=Z&select.progressive=Z": "error",
    "/rulebooks/nope.json": "error",
}


async def _asked(house: House, walk: Walk) -> list[str]:
    """Ask for everything once, and return what is not as its schema says."""
    http = next(iter(walk.players.values())).http
    found = []
    for path, name in PATHS.items():
        answer = await http.get(path.format(table=walk.id))
        assert (answer.status_code >= 400) == (name == "error"), path
        found += faults(name, answer.json())
    coached = await http.get(f"/api/coach?table={walk.id}")
    assert coached.is_error == (house.scene(walk.id)["asked"] != walk.seats["ann"])
    return found + faults("error" if coached.is_error else "coach", coached.json())


async def _walked(house: House, book: str) -> tuple[list[str], set[str]]:
    walk = Walk(house, book)
    await walk.come_in()
    found: list[str] = []
    async for _ in walk.states():
        found += await _asked(house, walk)
    line, http = walk.lines["ann"], walk.players["ann"].http
    await line.ask("sit", seat=99)
    await line.ask("sit", seat="x")
    round = (await http.get(f"/api/tables/{walk.id}")).json()["scene"]["round"]
    told = (await http.get(f"/rounds/{round}.json")).json()
    assert told["settlement"] is not None
    found += faults("round", told)
    for path, name in (("steps.json", "steps"), ("openings?record=true", "deal")):
        found += faults(name, (await http.get(f"/rounds/{round}/{path}")).json())
    played = (await http.get("/history.json")).json()["rounds"]
    assert [one["round"] for one in played] == [round]
    frames: list[Any] = [json.loads(text) for one in walk.lines.values() for text in one.frames]
    for frame in frames:
        found += faults("frame", frame)
    return found, {frame["type"] for frame in frames}


@pytest.mark.parametrize("book", [MARYLAND, CALIFORNIA])
def test_a_round_is_told_as_the_schemas_say(book: str, tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, table_toml(book)) as house:
            found, types = await _walked(house, book)
            assert found == []
            table = await house.visitor().http.get("/api/tables")
            round = table.json()["tables"][0]["round"]
            assert types == {"welcome", "news", "own", "purse", "done", "refused"}

        data = ("--data", str(tmp_path), "--json")
        assert faults("round", run("ledger", "round", round, *data).data) == []
        verified = run("ledger", "verify", *data).data
        assert verified["voids"]
        assert faults("ledger-verify", verified) == []
        entries = run("ledger", "history", "cage", *data).data
        assert entries
        assert faults("ledger-history", entries) == []
        assert faults("ledger-balance", run("ledger", "balance", *data).data) == []
        assert faults("verify-build", run("verify-build", *data).data) == []

    asyncio.run(main())


@pytest.mark.parametrize(
    "message",
    [
        {"type": "sit", "id": "a", "seat": 3},
        {"type": "sit", "id": "a", "seat": 3, "code": "7KQ 4MX"},
        {"type": "bet", "id": "a", "seat": 3, "wager": "w", "cents": 500},
        {"type": "bet", "id": "a", "seat": 3, "wagers": {"w": 500}, "hand": None},
        {"type": "more_time", "id": "a"},
        {"type": "tap_in", "id": "a", "post": "dealer"},
        {"type": "act", "id": "a", "of": "round", "command": {"type": "Deal"}},
        {"type": "approve", "id": "a", "proposal": "1", "again": "token"},
    ],
)
def test_messages_have_a_schema(message: dict[str, Any]) -> None:
    assert faults("message", message) == []
    assert faults("message", {**message, "more": 1})
    assert faults("message", {key: message[key] for key in message if key != "id"})
