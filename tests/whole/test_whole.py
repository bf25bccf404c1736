"""A whole house, simulated: real code, simulated time, and one seed for everything."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from croupier.fairness.commitment import commit
from croupier.fairness.shuffle import shuffled
from croupier.house import dealer
from croupier.house.seats import SeatMinder
from croupier.house.table import Table
from croupier.ledger.store import Answer, Request, Result, Unsure
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.stores.statements import Session
from tests.house.test_jackpots import stacked
from tests.ledger.contract import StoreContract
from tests.ledger.failing import failing_at
from tests.rules.books import ROOT
from tests.whole import house
from tests.whole.house import FAULTS, MUST, PENDING, Outcome, house_of, simulate
from tests.whole.players import Player
from tests.whole.seeds import summary
from tests.whole.store import Register, SharedStore, Tenancy


def small(seed: str, *, faults: tuple[str, ...] = FAULTS) -> Outcome:
    """Simulate two tables of two players for a few minutes."""
    return simulate(house_of(2), seed, hours=0.06, nodes=2, seats=2, faults=faults)


def shared(file: Path) -> SharedStore:
    register = Register(lambda: 0.0)
    return SharedStore(SqliteStore(file, make=True), register, Tenancy(register, "n"))


class TestShared(StoreContract):
    """Run the contract tests of all stores against the store of the simulation."""

    @pytest.fixture
    def store(self, tmp_path: Path) -> Iterator[Store]:
        store = shared(tmp_path / "ledger.db")
        yield store
        store.close()

    @pytest.fixture
    def empty(self, tmp_path: Path) -> Callable[[], Store]:
        return lambda: shared(tmp_path / "empty.db")

    @pytest.fixture
    def opened(self, tmp_path: Path) -> Callable[[], Store]:
        return lambda: shared(tmp_path / "opened.db")

    def plan(self, session: Session, sql: str, *parameters: object) -> str:
        rows = session.rows(f"EXPLAIN QUERY PLAN {sql}", parameters)
        return "\n".join(row[-1] for row in rows)

    def execute(self, store: Store, sql: str) -> None:
        with store.writing() as session:
            session.run(sql)

    @contextmanager
    def failing(self, store: Store, at: int) -> Iterator[list[str]]:
        assert isinstance(store, SharedStore) and isinstance(store.inner, SqliteStore)
        with failing_at(store.inner, at, MemoryError) as run:
            yield run


@pytest.mark.parametrize("seed", ["3", "4"])
def test_nothing_goes_wrong_in_a_house(seed: str) -> None:
    outcome = small(seed)
    print(outcome)
    assert outcome.findings == []
    assert outcome.acknowledged > 50 and outcome.reached["taken up"] >= 2
    assert outcome.reached["through a link"] > 1 and outcome.reached["meter rose"] > 0


def test_a_seed_replays_to_the_byte() -> None:
    once, again = (small("3") for _ in range(2))
    assert once.digest == again.digest
    assert once.reached == again.reached


def test_tables_change_hands_while_a_jackpot_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealer, "shuffled", stacked)
    monkeypatch.setattr(dealer, "cut", lambda cards, _: cards)
    monkeypatch.setattr(Player, "_cut", lambda *_: None)  # It would move the cards.
    monkeypatch.setattr(house, "FLOOR_S", (20.0, 60.0))
    outcome = simulate(house_of(1), "1", hours=0.15, nodes=2, seats=1, faults=("kill", "drain"))
    print(outcome)
    assert outcome.findings == []
    assert outcome.reached[PENDING] and outcome.reached["jackpot paid"]


def test_a_server_that_acknowledges_what_it_did_not_store_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settle_all = SharedStore.settle_all

    def hasty(
        store: SharedStore, requests: Sequence[Request], name: str, owned: Mapping[str, int]
    ) -> list[Result]:
        try:
            return settle_all(store, requests, name, owned)
        except Unsure:
            works = [request.decide({}) for request in requests if not request.meters]
            heads = (request.claim.expected.number for request in requests)
            return [
                Answer(w.answer, head + len(w.events)) for w, head in zip(works, heads, strict=True)
            ]

    monkeypatch.setattr(SharedStore, "settle_all", hasty)
    assert small("1", faults=("commits",)).findings != []


def test_a_server_that_crashes_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise ValueError

    monkeypatch.setattr(SeatMinder, "_free_at", fails)
    assert any("ValueError" in one for one in small("1", faults=("cut",)).findings)


def test_a_server_that_draws_another_deck_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    find_deck = Table.find_deck

    async def another(table: Table, id: str) -> None:
        await find_deck(table, id)
        entropy, rules = table.books.entropy, table.place.standing.table.rules
        table.deck = commit(shuffled(entropy), entropy, round=id, rules=rules.digest)

    monkeypatch.setattr(Table, "find_deck", another)
    assert small("1", faults=("kill",)).findings != []


def test_finished_seeds_are_kept_and_repeat_themselves(tmp_path: Path) -> None:
    file = tmp_path / "whole.jsonl"
    size = ["--hours=0.01", "--tables=2", "--seats=2", "--nodes=2", "--least=0"]

    def run(*more: str) -> tuple[int, str]:
        command = [sys.executable, "-m", "tests.whole", *size, "--out", str(file), *more]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
        return done.returncode, done.stdout + done.stderr

    assert run("--seeds", "1")[0] == 0
    (first,) = file.read_text().splitlines()
    assert run("--seeds", "2", "--workers", "2")[0] == 0
    assert file.read_text().splitlines()[0] == first, "what is done is not done again"
    assert [json.loads(line)["seed"] for line in file.read_text().splitlines()] == [1, 2]
    assert run("--seeds", "1", "--again")[0] == 0
    assert len(file.read_text().splitlines()) == 2
    file.write_text(json.dumps({**json.loads(first), "digest": "another"}) + "\n")
    code, said = run("--seeds", "1", "--again")
    assert code == 1 and "it came out differently from before" in said
    file.write_text(json.dumps({**json.loads(first), "digest": "another", "code": "old"}) + "\n")
    code, said = run("--seeds", "1", "--again")
    assert code == 0 and "by code old: 1 seeds" in said, "other code may come out differently"
    code, said = run("--hours", "9")
    assert code == 1 and "another house" in said


def test_a_run_that_reached_too_little_fails() -> None:
    reached = dict.fromkeys(MUST, 5)
    line = {"seed": 1, "code": "c", "findings": [], "simulated_s": 1, "took_s": 1, "cpu_s": 1}
    line["acknowledged"] = 1
    often = {**line, "reached": reached}
    assert summary([often, often])[1]
    words, is_well = summary([often, {**line, "reached": {**reached, MUST[0]: 4}}])
    assert not is_well and f"less than 10 times: {MUST[0]}: 9" in words
    assert not summary([often, {**often, "findings": ["a card was another"]}])[1]


@pytest.mark.long
@pytest.mark.parametrize("seed", [str(number) for number in range(20)])
def test_nothing_goes_wrong_in_a_large_house(seed: str) -> None:
    outcome = simulate(house_of(20), seed, hours=0.5)
    print(outcome)
    assert outcome.findings == []
