"""Commands that are stored together have the same results as one after the other."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from croupier.errors import Bug, Refused
from croupier.ledger.accounts import Account
from croupier.ledger.entries import Entry
from croupier.ledger.journal import START, Head
from croupier.ledger.store import NOT_ENOUGH, Answer, NewEvent, Request, Result, Work
from croupier.ledger.stores.sqlite import SqliteStore
from tests.ledger.contract import after, claim, everything, moving, settle_all
from tests.ledger.failing import failing_at

BATCHES, BATCH_MAX = 150, 12
PLAYERS = ("player:ada", "player:bob", "player:cleo")
PLACES = ("cage", "house", "layout:r1", "layout:r2", "meter:m", *PLAYERS)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "ledger.db", make=True)
    yield store
    store.close()


@pytest.fixture
def other(tmp_path: Path) -> Iterator[SqliteStore]:
    store = SqliteStore(tmp_path / "other.db", make=True)
    yield store
    store.close()


def given(work: Work, *, id: str, expected: int = 0, stream: str = "s") -> Request:
    return Request(claim(id, expected, stream=stream), (), lambda _: work)


def told(result: Result) -> Any:
    """What came of a command, to be compared."""
    if isinstance(result, Answer):
        return result
    code, field = getattr(result, "code", ""), getattr(result, "field", "")
    return type(result), code, field, str(result)


class Commands:
    """Commands at three tables that may go well or not."""

    def __init__(self, seed: int) -> None:
        self.rng, self.ids = random.Random(seed), count()
        self.heads: defaultdict[str, Head] = defaultdict(lambda: START)
        self.made: list[Request] = []

    def batch(self, heads: Mapping[str, Any]) -> list[Request]:
        self.heads = defaultdict(lambda: START, heads)
        made = [self._one() for _ in range(self.rng.randint(2, BATCH_MAX))]
        self.made += made
        return made

    def _one(self) -> Request:
        rng = self.rng
        if self.made and rng.random() < 0.1:  # It is sent again, or its id for something else.
            again = rng.choice(self.made)
            body = b"other" if rng.random() < 0.3 else b""
            return Request(
                claim(again.claim.command, body=body, stream=again.claim.stream), *again[1:]
            )
        stream, id = f"t{rng.randint(1, 3)}", f"c{next(self.ids)}"
        expected = after(head=self.heads[stream])
        if rng.random() < 0.03:
            expected = after(b"never stored", head=expected)
        self.heads[stream] = after(id.encode(), head=self.heads[stream])
        meters = rng.choice(((), (), (), (), ("m",), ("none",)) if rng.random() < 0.3 else ((),))
        entries = [self._entry(f"{id}/{line}") for line in range(rng.randint(0, 3))]
        refused, emptied = rng.random() < 0.03, rng.choice((*[()] * 15, (Account("layout:r1"),)))

        def decide(shown: Mapping[str, int]) -> Work:
            if refused:
                raise Refused("no", "it is refused", field="x")
            won = [
                Entry(f"{id}/m", Account("meter:m"), Account(PLAYERS[0]), m, "won")
                for m in shown.values()
                if m
            ]
            return Work((NewEvent(id.encode(), 1, "", (*entries, *won)),), id, emptied)

        return Request(claim(id, expected, stream=stream), meters, decide)

    def _entry(self, id: str) -> Entry:
        debit, credit = self.rng.sample(PLACES, 2)
        if self.rng.random() < 0.4:
            debit, credit = "cage", self.rng.choice(PLAYERS)
        if self.rng.random() < 0.1:
            credit = f"layout:{id}"
        return Entry(id, Account(debit), Account(credit), self.rng.randint(1, 9), "moved")


@pytest.mark.parametrize("seed", range(3))
def test_together_they_come_to_the_same_as_one_after_the_other(
    store: SqliteStore, other: SqliteStore, seed: int
) -> None:
    commands, seen = Commands(seed), Counter[str]()
    for _ in range(BATCHES):
        requests = commands.batch(everything(store)["heads"])
        with failing_at(store, 10**9, MemoryError) as run:
            together = [told(result) for result in settle_all(store, requests)]
        singly: list[Any] = []
        for request in requests:
            try:
                singly.append(other.settle(*request))
            except Exception as error:
                singly.append(told(error))
        assert together == singly
        assert everything(store) == everything(other)
        seen["whole"] += run.count("BEGIN IMMEDIATE") == 1
        seen.update("done" if isinstance(one, Answer) else one[1] or "bug" for one in singly)
        seen["repeated"] += sum(isinstance(one, Answer) and one.repeated for one in singly)
    few = {name for name, times in seen.items() if times < 5}
    assert few == set(), seen
    assert seen.keys() >= {"no", "bug", "not_enough_money", "stream_moved", "no_such_meter"}


def test_a_purse_is_never_below_zero_between_two_commands(store: SqliteStore) -> None:
    """What comes in later does not pay for what went out before it."""
    store.append(claim("c"), moving(10))
    out = {"debit": "player:ada", "credit": "layout:r1"}
    works = [moving(8, "a", **out), moving(8, "b", **out), moving(20, "c"), moving(8, "d", **out)]
    requests = [given(work, id=f"{at}", stream=f"t{at}") for at, work in enumerate(works)]
    results = settle_all(store, requests)
    assert [type(result) for result in results] == [Answer, Refused, Answer, Answer]
    refused = results[1]
    assert isinstance(refused, Refused)
    assert (refused.code, refused.field) == (NOT_ENOUGH, "player:ada")
    assert everything(store)["balances"]["player:ada"] == 14


def test_new_accounts_and_streams_are_made_together(store: SqliteStore) -> None:
    """The first bet of a round makes the account of its layout, which is nothing special."""
    works = [moving(100, "in")]
    works += [moving(1, f"{n}", debit="player:ada", credit=f"layout:{n}") for n in range(15)]
    requests = [given(work, id=f"{n}", stream=f"t{n}") for n, work in enumerate(works)]
    with failing_at(store, 10**9, MemoryError) as run:
        assert {type(result) for result in settle_all(store, requests)} == {Answer}
    assert run.count("BEGIN IMMEDIATE") == 1
    assert sum(sql.startswith("SELECT") and "commands" in sql for sql in run) == 1
    balances = everything(store)["balances"]
    assert (balances["cage"], balances["player:ada"], balances["layout:7"]) == (-100, 85, 1)


def test_one_that_is_refused_leaves_no_stream_behind(store: SqliteStore) -> None:
    requests = [
        given(moving(1), id="1", stream="t1"),
        Request(claim("2", stream="t2"), ["none"], lambda _: moving(1)),
    ]
    done, refused = settle_all(store, requests)
    assert isinstance(done, Answer) and isinstance(refused, Refused)
    assert everything(store)["heads"].keys() == {"t1"}


def test_a_layout_is_looked_at_as_the_commands_before_have_left_it(store: SqliteStore) -> None:
    store.append(claim("c"), moving(10))
    emptied = (Account("layout:r1"),)
    there = {"debit": "player:ada", "credit": "layout:r1"}
    back = {"debit": "layout:r1", "credit": "player:ada"}
    works = [
        moving(5, "there", **there),
        Work((), "closed too early", emptied),
        moving(5, "back", **back)._replace(emptied=emptied),
    ]
    requests = [given(work, id=f"{at}", stream=f"t{at}") for at, work in enumerate(works)]
    results = settle_all(store, requests)
    assert [type(result) for result in results] == [Answer, Bug, Answer]
    assert everything(store)["balances"] == {"cage": -10, "layout:r1": 0, "player:ada": 10}


def test_a_meter_is_read_as_the_commands_before_have_left_it(store: SqliteStore) -> None:
    store.append(claim("c"), moving(10, debit="house", credit="meter:m"))
    shown: list[int] = []

    def won(meters: Mapping[str, int]) -> Work:
        shown.append(meters["m"])
        return moving(meters["m"], "won", debit="meter:m")

    rise = moving(7, "rise", debit="house", credit="meter:m")
    requests = [given(rise, id="1", stream="t1"), Request(claim("2", stream="t2"), ["m"], won)]
    assert len(settle_all(store, requests)) == 2
    assert shown == [17]
    assert everything(store)["balances"] == {"house": -17, "meter:m": 0, "player:ada": 17}
