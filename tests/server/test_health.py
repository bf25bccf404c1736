"""What a supervisor and a monitor are answered, while all is well and when it is not."""

import asyncio
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from croupier.ledger.store import Unavailable
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.server.limits import is_loopback
from tests.rules.books import MARYLAND
from tests.server.attacks.houses import House, open_house, table_toml


def asked(tmp_path: Path, ask: Any) -> None:
    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            await ask(house, house.visitor().http)

    asyncio.run(main())


def figures(text: str) -> dict[str, float]:
    """Every figure by its name and table."""
    return {
        " ".join([sample.name, *sample.labels.values()]): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_a_house_that_is_well_says_so(tmp_path: Path) -> None:
    async def ask(_: House, http: httpx.AsyncClient) -> None:
        for path in ("/healthz", "/readyz"):
            answer = await http.get(path)
            assert (answer.status_code, answer.json()) == (200, {"status": "ok"})

    asked(tmp_path, ask)


def test_a_ledger_that_does_not_answer_is_not_ready(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def down(_: SqliteStore) -> None:
        raise Unavailable("it is down")

    async def ask(_: House, http: httpx.AsyncClient) -> None:
        with monkeypatch.context() as patch:
            patch.setattr(SqliteStore, "check", down)
            answer = await http.get("/readyz")
            assert answer.status_code == 503 and "retry-after" in answer.headers
            assert answer.json()["error"]["code"] == "unavailable"
            assert (await http.get("/healthz")).status_code == 200
        assert (await http.get("/readyz")).status_code == 200

    asked(tmp_path, ask)


def test_a_ledger_that_is_gone_is_not_ready_any_more(tmp_path: Path) -> None:
    async def ask(house: House, http: httpx.AsyncClient) -> None:
        room = house.app.state.pit.books
        room.store.path.rename(tmp_path / "elsewhere.db")
        assert (await http.get("/readyz")).status_code == 503
        assert room.lost is not None
        signing_up = await http.post("/api/guest", json={})
        assert signing_up.status_code == 503
        figure = figures((await http.get("/metrics")).text)
        assert figure["croupier_ledger_usable"] == 0
        (tmp_path / "elsewhere.db").rename(room.store.path)
        assert (await http.get("/readyz")).status_code == 503, "it was lost for good"

    asked(tmp_path, ask)


def test_a_monitor_gets_figures_that_count(tmp_path: Path) -> None:
    async def ask(house: House, http: httpx.AsyncClient) -> None:
        before = figures((await http.get("/metrics")).text)
        await house.person("Ann Ash")
        answer = await http.get("/metrics")
        assert answer.headers["content-type"].startswith("text/plain; version=")
        after = figures(answer.text)
        assert after["croupier_ledger_usable"] == 1
        assert after["croupier_events_total"] > before["croupier_events_total"] > 0
        commits = "croupier_commit_seconds_count"
        assert after[commits] > before[commits] and after["croupier_commit_seconds_sum"] > 0
        assert after["croupier_seats_taken maryland"] == 0
        assert after["croupier_log_lines_total signed_in"] > 0
        assert after["process_resident_memory_bytes"] > 0
        assert not re.search(r"p-[a-z2-7]{10}|Ash", answer.text), "nobody is named"

    asked(tmp_path, ask)


@pytest.mark.parametrize(
    ("address", "here"),
    [
        ("127.0.0.1", True),
        ("::1", True),
        ("::ffff:127.0.0.1", True),
        ("10.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("2001:db8::1", False),
        ("", False),
    ],
)
def test_figures_are_for_this_machine(address: str, *, here: bool) -> None:
    assert is_loopback(address) is here


def test_others_are_refused_the_figures(tmp_path: Path) -> None:
    async def ask(house: House, _: httpx.AsyncClient) -> None:
        transport = httpx.ASGITransport(house.app, client=("192.0.2.7", 1))
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as other:
            answer = await other.get("/metrics")
            assert answer.status_code == 403
            assert answer.json()["error"]["code"] == "not_allowed"
            assert (await other.get("/readyz")).status_code == 200

    asked(tmp_path, ask)
