"""What every store of the ledger does, as tests that each database runs."""

import random
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from croupier.errors import Bug, CroupierError, Refused, UserError
from croupier.ledger.accounts import HOUSE, Account
from croupier.ledger.checkpoints import sign
from croupier.ledger.entries import Entry
from croupier.ledger.events import Bought, CashedIn, MeterStarted
from croupier.ledger.journal import START, Head
from croupier.ledger.store import (
    COMMAND_REUSED,
    NO_SUCH_METER,
    NOT_ENOUGH,
    STREAM_MOVED,
    Answer,
    Claim,
    Decide,
    Moment,
    NewEvent,
    Request,
    Result,
    Work,
)
from croupier.ledger.stores import statements
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.stores.statements import Session
from croupier.ledger.verify import verify
from tests.ledger.finding import FindingContract, play_all, said
from tests.ledger.tables import (
    Dealer,
    Till,
    jackpot_round,
    of_ledger,
    rules_of,
    settle_shared,
)

ADA, LAYOUT, METER = Account("player:ada"), Account("layout:r1"), Account("meter:m")
SECRET = bytes(range(32))
EVENT = b"{}"


def everything(store: Store) -> dict[str, Any]:
    """All that a store holds, to be compared."""
    with store.reading() as view:
        heads = view.heads()
        return {
            "heads": heads,
            "events": [list(view.stream(stream)) for stream in heads],
            "entries": [list(view.posted(stream)) for stream in heads],
            "balances": view.balances(),
            "checkpoints": view.checkpoints(),
        }


def settle_all(store: Store, requests: list[Request]) -> list[Result]:
    finish = store.begin_all(requests)
    assert finish is not None
    return finish()


def claim(command: str, expected: int | Head = 0, *, body: bytes = b"", stream: str = "s") -> Claim:
    head = after(*[EVENT] * expected) if isinstance(expected, int) else expected
    return Claim(command, sha256(body).digest(), stream, head)


def after(*records: bytes, head: Head = START) -> Head:
    """The head of a stream after these records."""
    for data in records:
        head = head.after(data)
    return head


def moving(micros: int, id: str = "1", *, debit: str = "cage", credit: str = ADA) -> Work:
    """One event, and one entry of so many micros."""
    entry = Entry(id, Account(debit), Account(credit), micros, "moved")
    return Work((NewEvent(EVENT, 1, "", (entry,)),), f"done {id}")


def _given(_: Mapping[str, int], work: Work) -> Work:
    return work


class StoreContract(FindingContract):
    """What a store must do; a database has a class of its own that says how one is made."""

    @pytest.fixture
    def opened(self) -> Callable[[], Store]:
        """Return a function that opens one and the same ledger, and makes it the first time."""
        raise NotImplementedError

    def execute(self, store: Store, sql: str) -> None:
        """Run a statement behind the store's back."""
        raise NotImplementedError

    def failing(self, store: Store, at: int) -> AbstractContextManager[list[str]]:
        """Let the statement with this number fail; the context gives what was run."""
        raise NotImplementedError

    # ------------------------------------------------------------ the version of the schema

    def test_a_ledger_that_went_through_each_version_opens_and_verifies(
        self, opened: Callable[[], Store]
    ) -> None:
        """Early ledgers list one row for each version up to the last."""
        store = opened()
        play_all(store)
        before = said(store)
        with store.snapshot() as session:
            ((last,),) = session.rows("SELECT number FROM migrations")
        for number in range(1, last):
            self.execute(store, f"INSERT INTO migrations VALUES ({number}, '{number:04}.sql')")
        store.close()
        store = opened()
        assert said(store) == before
        Dealer(Till(store, "t3")).play("late", "late")
        with store.reading() as view:
            assert verify(view, rules_of).faults == ()
        store.close()

    @pytest.mark.parametrize(
        ("change", "says"),
        [
            ("number = 1", "older version of Croupier .* start a new ledger"),
            ("number = 999", r"newer version of Croupier \(schema 999, .* upgrade Croupier"),
        ],
    )
    def test_a_ledger_of_another_version_is_refused(
        self, opened: Callable[[], Store], change: str, says: str
    ) -> None:
        store = opened()
        self.execute(store, f"UPDATE migrations SET {change}")
        store.close()
        with pytest.raises(UserError, match=says):
            opened()

    # ------------------------------------------------------------ several at once

    def test_commands_are_stored_together_and_a_refused_one_alone_is_not(
        self, store: Store
    ) -> None:
        poor = moving(1, "b", debit="player:poor", credit="cage")
        works = {"a": moving(5, "a"), "b": poor, "c": moving(7, "c")}
        requests = [
            Request(claim(id, stream=id), (), partial(_given, work=work))
            for id, work in works.items()
        ]
        first, refused, last = settle_all(store, requests)
        assert [first, last] == [Answer("done a", 1), Answer("done c", 1)]
        assert isinstance(refused, Refused) and refused.code == NOT_ENOUGH
        with store.reading() as view:
            assert view.balance(Account(ADA)) == 12
        again = settle_all(store, requests[:2])
        assert again[0] == Answer("done a", 1, repeated=True)
        assert isinstance(again[1], Refused)

    def test_commands_for_one_stream_are_stored_in_their_order(self, store: Store) -> None:
        """One that is refused stands in nobody's way, unless others were decided on it."""
        poor = moving(1, "b", debit="player:poor", credit="cage")
        chain = [
            (moving(5, "a"), 0),
            (poor, 1),
            (moving(7, "c"), 1),
            (poor, 2),
            (moving(9, "e"), 3),
        ]
        requests = [
            Request(claim(f"{at}", expected), (), partial(_given, work=work))
            for at, (work, expected) in enumerate(chain)
        ]
        results = settle_all(store, requests)
        codes = [r.code if isinstance(r, Refused) else r for r in results]
        first, third = Answer("done a", 1), Answer("done c", 2)
        assert codes == [first, NOT_ENOUGH, third, NOT_ENOUGH, STREAM_MOVED]
        with store.reading() as view:
            assert view.balance(Account(ADA)) == 12
            assert view.heads()["s"].number == 2

    def test_a_command_that_is_sent_twice_in_one_batch_has_one_effect(self, store: Store) -> None:
        bet = Request(claim("a"), (), partial(_given, work=moving(5)))
        other = Request(claim("b", stream="o"), (), partial(_given, work=moving(7, "2")))
        results = settle_all(store, [bet, bet, other])
        assert results == [Answer("done 1", 1), Answer("done 1", 1, True), Answer("done 2", 1)]
        reused = Request(claim("a", body=b"x"), (), partial(_given, work=moving(9)))
        third = Request(claim("c", 1, stream="o"), (), partial(_given, work=moving(1, "3")))
        refused, stored = settle_all(store, [reused, third])
        assert isinstance(refused, Refused) and refused.code == COMMAND_REUSED
        assert stored == Answer("done 3", 2)
        assert everything(store)["balances"][ADA] == 13

    def test_a_refused_command_of_a_batch_stores_nothing_unless_it_is_known(
        self, store: Store
    ) -> None:
        """A repeated command gets its first answer, even if it would be refused by now."""

        def refuse(_: Mapping[str, int]) -> Work:
            raise Refused("too_late", "betting has closed")

        late = Request(claim("a"), (), refuse)
        first = Request(claim("b", stream="o"), (), partial(_given, work=moving(5)))
        refused, _ = settle_all(store, [late, first])
        assert isinstance(refused, Refused) and refused.code == "too_late"
        assert everything(store)["heads"].keys() == {"o"}
        again = Request(claim("b", 1, stream="o"), (), refuse)
        assert settle_all(store, [again, late])[0] == Answer("done 1", 1, repeated=True)

    def test_settlements_in_one_batch_read_a_meter_as_the_ones_before_leave_it(
        self, store: Store
    ) -> None:
        store.append(claim("m", stream="m"), moving(100, "m", debit="house", credit=METER))

        def half(meters: Mapping[str, int], id: str) -> Work:
            return moving(meters["m"] // 2, id, debit=METER)

        put = Request(claim("p"), (), lambda _: moving(20, "p", debit="house", credit=METER))
        wins = [
            Request(claim(f"w{n}", stream=f"w{n}"), ("m",), partial(half, id=f"{n}"))
            for n in range(2)
        ]
        missing = Request(claim("x", stream="x"), ("n",), partial(half, id="x"))
        results = settle_all(store, [put, *wins, missing])
        assert results[:3] == [Answer(f"done {id}", 1) for id in ("p", "0", "1")]
        assert isinstance(results[3], Refused) and results[3].code == NO_SUCH_METER
        balances = everything(store)["balances"]
        assert (balances[METER], balances[ADA]) == (30, 90)

    def test_a_layout_that_is_not_empty_is_found_in_a_batch_too(self, store: Store) -> None:
        left = moving(7, "l", credit=LAYOUT)._replace(emptied=(LAYOUT,))
        back = moving(7, "k", debit=LAYOUT)
        good = Request(claim("g", stream="g"), (), partial(_given, work=moving(5, "g")))
        for batch in ([left], [left, back]):  # The second one would hide it from the end.
            requests = [
                Request(claim(f"{at}", at), (), partial(_given, work=work))
                for at, work in enumerate(batch)
            ]
            first, *_, last = settle_all(store, [*requests, good])
            assert isinstance(first, Bug)
            assert isinstance(last, Answer)
        assert LAYOUT not in everything(store)["balances"]

    # ------------------------------------------------------------ appending

    def test_what_is_appended_can_be_read(self, store: Store) -> None:
        till = Till(store, "cage")
        assert till.put(*of_ledger(Bought("ada", 5))) == Answer("answer to cage-0", 1)
        till.put(*of_ledger(CashedIn("ada", 2), Bought("bob", 7)))
        with store.reading() as view:
            assert [stored.number for stored in view.stream("cage")] == [1, 2, 3]
            assert view.heads()["cage"] == Head(3, list(view.stream("cage"))[-1].hash)
            assert view.balance(ADA) == 30_000
            assert view.balances("player") == {ADA: 30_000, Account("player:bob"): 70_000}
            assert view.balance(Account("player:nobody")) is None
            assert [p.entry.id for p in view.history(ADA, limit=9)] == ["cage#2/1", "cage#1/1"]
            assert view.answer("cage-1") == Answer("answer to cage-1", 3, repeated=True)
            assert view.answer("cage-2") is None

    def test_what_moved_an_account_comes_in_pages_the_latest_first(self, store: Store) -> None:
        moved = [("r1", 5), ("r2", 9), ("r3", 9), ("r1", 7), ("", 20), ("r9", 30)]
        for place, (subject, time_ms) in enumerate(moved):
            to = ADA if subject != "r9" else Account("player:bob")
            entry = Entry(str(place), Account("cage"), to, 1, "moved")
            work = Work((NewEvent(EVENT, time_ms, subject, (entry,)),), "done")
            store.append(claim(f"c{place}", place), work)
        with store.reading() as view:
            pages = [view.moved_by(ADA, before=None, limit=2)]
            while pages[-1]:
                pages.append(view.moved_by(ADA, before=pages[-1][-1], limit=2))
        assert pages == [[Moment(9, "r3"), Moment(9, "r2")], [Moment(7, "r1")], []]

    def test_a_repeated_command_has_one_effect_and_the_same_answer(self, store: Store) -> None:
        first = store.append(claim("c", body=b"x"), moving(7))
        before = everything(store)
        again = store.append(claim("c", body=b"x"), moving(7))
        assert again == first._replace(repeated=True)
        assert everything(store) == before

    @pytest.mark.parametrize("other", [claim("c", body=b"y"), claim("c", body=b"x", stream="o")])
    def test_an_id_is_refused_for_another_command(self, store: Store, other: Claim) -> None:
        store.append(claim("c", body=b"x"), moving(7))
        before = everything(store)
        with pytest.raises(Refused) as refused:
            store.append(other, moving(9, "2"))
        assert refused.value.code == "command_reused"
        assert everything(store) == before

    def test_nobody_appends_to_what_they_have_not_seen(self, store: Store) -> None:
        store.append(claim("c"), moving(7))
        before = everything(store)
        with pytest.raises(Refused) as refused:
            store.append(claim("d", 0), moving(7, "2"))
        assert refused.value.code == "stream_moved"
        assert everything(store) == before

    def test_a_batch_is_not_stored_on_another_servers_event(self, store: Store) -> None:
        """The first command loses the race; the second was decided on it, and its number fits."""
        mine, theirs = b'{"of":"mine"}', b'{"of":"theirs"}'
        store.append(claim("their bet"), Work((NewEvent(theirs, 1),), "theirs"))
        before = everything(store)
        requests = [
            Request(claim("my bet"), (), lambda _: Work((NewEvent(mine, 1),), "mine")),
            Request(claim("my next bet", after(mine)), (), lambda _: moving(7)),
        ]
        results = settle_all(store, requests)
        assert [getattr(r, "code", r) for r in results] == [STREAM_MOVED, STREAM_MOVED]
        assert everything(store) == before
        [stored] = settle_all(store, [requests[1]._replace(claim=claim("again", after(theirs)))])
        assert stored == Answer("done 1", 2)

    def test_a_player_cannot_spend_what_is_not_there(self, store: Store) -> None:
        store.append(claim("c"), moving(7))
        before = everything(store)
        for name in (ADA, Account("player:bob")):
            with pytest.raises(Refused) as refused:
                store.append(claim("d", 1), moving(8, "2", debit=name, credit="house"))
            assert (refused.value.code, refused.value.field) == ("not_enough_money", name)
        assert everything(store) == before
        store.append(claim("d", 1), moving(7, "2", debit=ADA, credit="house"))
        assert everything(store)["balances"] == {"cage": -7, "house": 7, ADA: 0}

    def test_an_entry_is_posted_once(self, store: Store) -> None:
        store.append(claim("c"), moving(7))
        before = everything(store)
        with pytest.raises(Exception, match=r"(?i)unique"):
            self.execute(store, "INSERT INTO entries SELECT * FROM entries")
        assert everything(store) == before

    def test_a_layout_that_is_not_empty_at_the_end_is_a_bug(self, store: Store) -> None:
        store.append(claim("c"), moving(7))
        before = everything(store)
        work = moving(7, "2", debit=ADA, credit=LAYOUT)._replace(emptied=(LAYOUT,))
        with pytest.raises(Bug):
            store.append(claim("d", 1), work)
        assert everything(store) == before

    @pytest.mark.parametrize("table", ["events", "entries", "commands"])
    @pytest.mark.parametrize("change", ["DELETE FROM {}", "UPDATE {} SET number = 9"])
    def test_what_is_written_stays(self, store: Store, table: str, change: str) -> None:
        store.append(claim("c"), moving(7))
        with pytest.raises(Exception, match="never"):
            self.execute(store, change.format(table))

    def test_a_view_is_of_one_moment(self, store: Store) -> None:
        store.append(claim("c"), moving(7))
        with store.reading() as view:
            view.heads()
            store.append(claim("d", 1), moving(5, "2"))
            assert (view.balance(ADA), view.heads()["s"].number) == (7, 1)
        assert everything(store)["balances"][ADA] == 12

    # ------------------------------------------------------------ rounds

    def test_whoever_comes_back_goes_on_where_the_journal_ends(self, store: Store) -> None:
        till = Till(store, "t")
        dealer = Dealer(till)
        dealer.play("r1", "one")
        commands = dealer.commands("r2", "two")
        for _ in range(4):
            till.put(*next(commands))
        again = Till(store, "t")
        with store.reading() as view:
            again.scribe.read(view.stream("t"))
        again.commands = till.commands
        for happened in commands:
            again.put(*happened)
        with store.reading() as view:
            assert verify(view, rules_of).faults == ()
            assert view.balances("layout") == {"layout:r1": 0, "layout:r2": 0}

    # ------------------------------------------------------------ all or nothing

    def test_a_fault_at_any_statement_leaves_nothing(self, store: Store) -> None:
        """D6: a settlement is broken off at every one of its statements, each once."""
        till = Till(store, "t")
        commands = list(Dealer(till, seats=3).commands("r1", "one"))
        for happened in commands[:-1]:
            till.put(*happened)
        claimed, work, _ = till.draft(commands[-1])
        before, at = everything(store), 0
        while True:
            try:
                with self.failing(store, at) as run:
                    store.append(claimed, work)
            except (MemoryError, CroupierError):
                assert everything(store) == before, run[-1]
                at += 1
                continue
            break
        assert at >= 10
        after = everything(store)
        assert after["heads"] != before["heads"]
        assert store.append(claimed, work).repeated
        assert everything(store) == after

    # ------------------------------------------------------------ many at once

    def test_a_command_sent_many_times_has_one_effect(self, store: Store) -> None:
        """D5: 60 commands, each sent 1 to 5 times from several threads at once."""
        rng = random.Random(5)
        sendings = [(n, copy) for n in range(60) for copy in range(rng.randint(1, 5))]
        rng.shuffle(sendings)

        def send(sending: tuple[int, int]) -> tuple[int, str]:
            number, _ = sending
            stream = f"s{number}"
            work = moving(number + 1, f"e{number}")
            return number, store.append(claim(f"c{number}", stream=stream), work).text

        with ThreadPoolExecutor(4) as pool:
            answers = set(pool.map(send, sendings))
        assert answers == {(number, f"done e{number}") for number in range(60)}
        assert everything(store)["balances"][ADA] == sum(range(1, 61))

    def test_the_same_chips_are_not_spent_at_two_tables(self, store: Store) -> None:
        """T16: of stakes that are made at once, only as many are taken as there is money for."""
        store.append(claim("c"), moving(10))
        seen: list[str] = []

        def stake(number: int) -> None:
            table = claim(f"d{number}", stream=f"t{number}")
            try:
                store.append(table, moving(3, f"e{number}", debit=ADA, credit=LAYOUT))
                seen.append("taken")
            except Refused as refused:
                seen.append(refused.code)

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(stake, range(12)))
        assert sorted(seen) == ["not_enough_money"] * 9 + ["taken"] * 3
        assert everything(store)["balances"][ADA] == 1

    def test_commands_that_come_at_once_are_each_whole_or_refused(self, store: Store) -> None:
        """Some move two sums and fail at the second one: then the first has not moved either."""
        store.append(claim("c"), moving(1_000))
        barrier = threading.Barrier(8)

        def send(number: int) -> str:
            good, bad = (
                moving(1, f"{number}a", debit=ADA, credit=LAYOUT),
                moving(10**9, f"{number}b"),
            )
            poor = moving(10**9, f"{number}b", debit=LAYOUT, credit=ADA)
            events = good.events + (poor if number % 2 else bad).events
            barrier.wait()
            try:
                return store.append(claim(f"s{number}", stream=f"s{number}"), Work(events, "")).text
            except Refused as refused:
                return refused.code

        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(send, range(16)))
        assert answers == ["", "not_enough_money"] * 8
        found = everything(store)
        assert found["balances"][LAYOUT] == 8
        assert [len(events) for events in found["events"]] == [1, *[2] * 8]

    def hammer(
        self, store: Store, rounds: int, settle: Callable[..., Answer] | None = None
    ) -> tuple[int, int]:
        """Let four tables raise and empty one meter at once; return what it is and should be."""
        store.append(claim("m", stream="meters"), moving(1_000, "m", debit="house", credit=METER))
        put, lock = [1_000], threading.Lock()

        def table(name: int) -> None:
            for number in range(rounds):
                moved = 0

                def decide(meters: Any, number: int = number) -> Work:
                    nonlocal moved
                    id = f"{name}/{number}"
                    if number % 5 == 4 and meters["m"]:
                        moved = -meters["m"]  # All of it is won.
                        return moving(meters["m"], id, debit=METER, credit=ADA)
                    moved = 7 + name
                    return moving(moved, id, debit=HOUSE, credit=METER)

                command = claim(f"{name}-{number}", number, stream=f"t{name}")
                (settle or store.settle)(command, ["m"], decide)
                with lock:
                    put[0] += moved

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(table, range(4)))
        with store.reading() as view:
            return view.balance(METER) or 0, put[0]

    def test_a_shared_meter_counts_every_wager(self, store: Store) -> None:
        shown, put = self.hammer(store, 25)
        assert shown == put

    def test_a_meter_that_is_read_and_written_back_loses_some(
        self, store: Store, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The same hammer finds a store that reads a meter first and writes a sum back later."""
        add, read = statements.add_to, threading.local()

        def write_back(session: Session, changed: Account, micros: int) -> None:
            if changed != METER or not hasattr(read, "meter"):
                add(session, changed, micros)
                return
            session.run(
                "UPDATE accounts SET micros = ? WHERE account = ?", (read.meter + micros, changed)
            )

        def settle(claim: Claim, meters: list[str], decide: Decide) -> Answer:
            with store.reading() as view:
                read.meter = view.balance(METER) or 0
            time.sleep(0.001)
            return store.append(claim, decide({"m": read.meter}))

        monkeypatch.setattr(statements, "add_to", write_back)
        try:
            shown, put = self.hammer(store, 25, settle)
        except Refused as refused:  # It may even pay what is no longer there.
            shown, put = 0, refused.code == "not_enough_money"
        assert shown != put

    def test_two_tables_win_one_meter_in_turn(self, store: Store) -> None:
        """P3: the first gets all of it, the next what it was reset to and what came since."""
        tills = [Till(store, "t1"), Till(store, "t2")]
        tills[0].put(*of_ledger(MeterStarted("casino", 5_000_000_123)))
        rounds = [jackpot_round(till, f"r{n}") for n, till in enumerate(tills, 1)]
        for till, round in zip(tills, rounds, strict=True):
            settle_shared(till, round, "casino")
        with store.reading() as view:
            meter, found = view.balance(Account("meter:casino")), verify(view, rules_of)
            awards = {
                row.entry.id.partition("/")[0]: row.entry.micros
                for row in view.history(Account("meter:casino"), limit=50)
                if row.entry.code == "award"
            }
        rise = 140_000  # 14 % of a dollar, from each table.
        assert awards == {"r1": 5_000_280_000, "r2": 1_000_000_000}
        assert meter == 5_000_000_123 + 2 * rise - sum(awards.values()) + 2 * 1_000_000_000
        assert found.faults == ()

    def test_only_a_meter_that_there_is_can_be_settled_by(self, store: Store) -> None:
        with pytest.raises(Refused) as refused:
            store.settle(claim("c"), ["m"], lambda _: moving(1))
        assert refused.value.code == "no_such_meter"
        assert everything(store)["heads"] == {}

    # ------------------------------------------------------------ checkpoints and backups

    def test_checkpoints_are_kept(self, store: Store) -> None:
        Till(store, "t").put(*of_ledger(MeterStarted("m", 5)))
        checkpoint = sign(SECRET, 1, everything(store)["heads"], time_ms=1)
        with store.reading() as view:
            assert view.last_checkpoint() is None
        store.add_checkpoint(checkpoint)
        assert everything(store)["checkpoints"] == [checkpoint]
        with store.reading() as view:
            assert view.last_checkpoint() == checkpoint
            assert view.checkpoints(after=1) == []

    def test_a_backup_under_load_is_of_one_moment(self, store: Store, tmp_path: Path) -> None:
        dealer = Dealer(Till(store, "t"))
        dealer.play("r0", "start")
        stop = threading.Event()

        def load() -> int:
            rounds = 0
            while not stop.is_set():
                rounds += 1
                dealer.play(f"r{rounds}", f"load {rounds}")
            return rounds

        with ThreadPoolExecutor(1) as pool:
            loading = pool.submit(load)
            copies = [tmp_path / f"{n}.db" for n in range(3)]
            for copy in copies:
                store.backup(copy)
            stop.set()
            assert loading.result() > 0
        for copy in copies:
            backup = SqliteStore(copy)
            with backup.reading() as view, store.reading() as now:
                head = view.heads()["t"]
                assert verify(view, rules_of).faults == ()
                assert head in [Head(row.number, row.hash) for row in now.stream("t")]
            backup.close()

    def test_a_backup_is_restored_with_all_that_is_in_it(
        self, store: Store, tmp_path: Path, empty: Callable[[], Store]
    ) -> None:
        dealer = Dealer(Till(store, "t"))
        dealer.play("r1", "one")
        store.add_checkpoint(sign(SECRET, 1, everything(store)["heads"], time_ms=1))
        store.backup(tmp_path / "backup.db")
        with pytest.raises(UserError, match="exists already"):
            store.backup(tmp_path / "backup.db")
        other = empty()
        other.restore(tmp_path / "backup.db")
        assert everything(other) == everything(store)
        Till(other, "cage").put(*of_ledger(Bought("ada", 5)))
        with pytest.raises(UserError, match="is not empty"):
            other.restore(tmp_path / "backup.db")
        other.close()
