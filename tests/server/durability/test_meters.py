"""P1, P3, P6: a meter that many tables share is exact to the micro, and is won one at a time."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from croupier.errors import Refused
from croupier.ledger.accounts import Account
from croupier.ledger.store import Answer, Claim, Decide
from croupier.ledger.stores import statements
from croupier.ledger.stores.postgres import PostgresStore
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.stores.statements import Session
from croupier.ledger.verify import verify
from tests.ledger.servers import new_database
from tests.server.durability.hammer import ACCOUNT, METER, Tally, faults, hammer
from tests.server.durability.tables import rules_of

SEED = "hammer"
RESET = 1_000_000_000


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[Store]:
    store = SqliteStore(tmp_path / "ledger.db", make=True)
    yield store
    store.close()


@pytest.fixture
def postgres(server: str) -> Iterator[Store]:
    store = PostgresStore(new_database(server), make=True)
    yield store
    store.close()


def run(store: Store, rounds: int, tables: int) -> Tally:
    began = time.monotonic()
    tally = hammer(store, rounds, tables=tables, seed=SEED)
    found = faults(store, tally)
    print(
        f"meter hammer, {type(store).__name__}: {len(tally.moves) // 2} rounds at {tables} tables, "
        f"{len(found)} faults, seed {SEED!r}, {time.monotonic() - began:.0f} s"
    )
    assert found == []
    return tally


def check_winners(tally: Tally) -> None:
    """Every prize is what the meter showed when its turn came, in whole cents."""
    won = [move for move in tally.ordered() if move.paid]
    assert {len(move.paid) for move in won} == {1, 2}
    for move in won:
        stands = move.reading
        for paid in move.paid:
            whole = stands // 10_000 * 10_000
            assert paid in (whole, whole // 10 // 10_000 * 10_000)
            stands = RESET + stands - paid if paid == whole else stands - paid
        assert move.after == stands


def test_a_shared_meter_is_exact_under_the_hammer(sqlite: Store) -> None:
    tally = run(sqlite, 1_500, 50)
    check_winners(tally)
    assert len(tally.moves) == 2 * 1_500


def test_a_shared_meter_is_exact_under_the_hammer_on_postgres(postgres: Store) -> None:
    tally = run(postgres, 200, 20)
    check_winners(tally)
    with postgres.reading() as view:
        assert verify(view, rules_of).faults == ()


def test_the_entries_of_the_hammer_verify(sqlite: Store) -> None:
    tally = run(sqlite, 500, 10)
    check_winners(tally)
    with sqlite.reading() as view:
        found = verify(view, rules_of)
        assert found.faults == ()
        assert found.entries > 500 * 4


@pytest.mark.long
def test_a_shared_meter_is_exact_under_a_long_hammer(sqlite: Store) -> None:
    check_winners(run(sqlite, 200_000, 50))


@pytest.mark.long
def test_a_shared_meter_is_exact_under_a_long_hammer_on_postgres(postgres: Store) -> None:
    check_winners(run(postgres, 20_000, 50))


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_the_hammer_finds_a_meter_that_is_read_and_written_back(
    kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    store: Store = request.getfixturevalue(kind)
    add, read = statements.add_to, threading.local()

    def write_back(session: Session, changed: Account, micros: int) -> None:
        if changed != ACCOUNT or not hasattr(read, "meter"):
            add(session, changed, micros)
            return
        set_to = "UPDATE accounts SET micros = ? WHERE account = ?"
        session.run(set_to, (read.meter + micros, changed))

    def settle(claim: Claim, _: list[str], decide: Decide) -> Answer:
        with store.reading() as view:
            read.meter = view.balance(ACCOUNT) or 0
        work = decide({METER: read.meter})
        return store.append(claim, work)

    monkeypatch.setattr(statements, "add_to", write_back)
    try:
        tally = hammer(store, 400, tables=8, seed=SEED, settle=settle)
    except Refused as refused:  # It may even pay what is no longer there.
        assert refused.code == "not_enough_money"
        return
    assert faults(store, tally) != []
