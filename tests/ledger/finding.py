"""How every store finds what belongs together, as tests that each database runs."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from croupier.fairness.events import DeckCommitted
from croupier.ledger.accounts import Account, kind_of
from croupier.ledger.audit import Posted
from croupier.ledger.journal import StoredEvent
from croupier.ledger.scribe import Happened
from croupier.ledger.store import SealedDeck, View
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.statements import Reading, Session, SqlRow
from croupier.ledger.verify import verify
from croupier.table.events import Joined, Left
from tests.ledger.tables import Dealer, Till, random_history, rules_of
from tests.rules.books import IDS, MARYLAND


def play_as_served(till: Till, rounds: list[str]) -> None:
    """Play rounds as a server has them: with a deck that is committed to, and coming and going."""
    dealer = Dealer(till)
    for round in rounds:
        committed = DeckCommitted(round, dealer.rules.digest, "root", "digest")
        opening = [Happened("table", Joined(3, "ada")), Happened("fairness", committed, round)]
        sealed: tuple[SealedDeck, ...] = (SealedDeck(round, b"sealed"),)
        for happened in dealer.commands(round, f"{till.scribe.stream} {round}"):
            till.put(*opening, *happened, sealed=sealed)
            opening, sealed = [Happened("table", Left(3))], ()
        till.put(*opening)


def play_all(store: Store) -> None:
    """Play rounds of all books, and at tables whose rules are set anew, to the same ones too."""
    for id in IDS:
        till = Till(store, id)
        for happened in random_history(id, f"store {id}"):
            till.put(*happened)
    tills = [Till(store, "t1"), Till(store, "t2")]
    for number in range(1, 5):
        play_as_served(tills[number % 2], [f"{number}-1", f"{number}-2"])


def said(store: Store) -> dict[str, Any]:
    """All that a store says when it is asked for something by its name."""
    with store.reading() as view:
        accounts, subjects = view.balances(), {row.subject for row in records(view)}
        return {
            "about": {subject: view.about(subject) for subject in subjects},
            "histories": {name: view.history(name, limit=1_000) for name in accounts},
            "balances": accounts,
            "verified": verify(view, rules_of),
        }


def records(view: View) -> list[StoredEvent]:
    return [row for stream in sorted(view.heads()) for row in view.stream(stream)]


def history_of(view: View, account: Account) -> list[Posted]:
    """The entries of an account, found by looking at all of them."""
    times = {(row.stream, row.number): row.time_ms for row in records(view)}
    posted = [one for stream in sorted(view.heads()) for one in view.posted(stream)]
    own = [one for one in posted if account in (one.entry.debit, one.entry.credit)]
    return sorted(own, key=lambda one: times[one.stream, one.number])[::-1]


class FindingContract:
    """What a store finds; a database has a class of its own that says how one is made."""

    @pytest.fixture
    def store(self) -> Iterator[Store]:
        raise NotImplementedError

    def plan(self, session: Session, sql: str, *parameters: object) -> str:
        """Say how the database goes about a statement, were all of its tables large."""
        raise NotImplementedError

    def test_rounds_of_all_books_verify_with_their_histories(self, store: Store) -> None:
        play_all(store)
        with store.reading() as view:
            found = verify(view, rules_of)
            assert found.faults == ()
            assert found.events > 80 < found.entries
            accounts = view.balances()
            assert sum(accounts.values()) == 0
            assert set(view.balances("layout").values()) == {0}
            assert {"layout", "player", "bank", "inventory"} <= {*map(kind_of, accounts)}
            for name in accounts:
                own = history_of(view, name)
                assert view.history(name, limit=len(own) + 1) == own, name
                assert view.history(name, limit=2) == own[:2], name

    def test_all_records_of_a_subject_are_found(self, store: Store) -> None:
        """A round's, whatever comes between, and every time that the same rules are set."""
        play_all(store)
        with store.reading() as view:
            stored = records(view)
            for subject in {row.subject for row in stored} - {""}:
                own = [row for row in stored if row.subject == subject]
                assert view.about(subject) == own, subject
            again = view.about(rules_of(MARYLAND, {}).digest)
            assert [row.stream for row in again] == ["t1", "t1", "t2", "t2"]
            assert view.about("nothing") == view.about("") == []

    def test_a_round_is_found_by_its_name(self, store: Store) -> None:
        dealer = Dealer(Till(store, "t"))
        dealer.play("r1", "one")
        dealer.play("r2", "two")
        with store.reading() as view:
            stored = view.about("r2")
            assert stored[0].data.count(b'"type":"Opened"') == 1
            assert b'"type":"Closed"' in stored[-1].data
            assert {row.subject for row in stored} == {"r2"}
            assert view.about("r3") == view.about("") == []

    @pytest.mark.parametrize(
        ("ask", "indexes"),
        [
            (lambda view: view.about("r"), ["events_by_beginning"]),
            (
                lambda view: view.history(Account("player:p"), limit=9),
                ["entries_by_debit", "entries_by_credit"],
            ),
        ],
        ids=["about", "history"],
    )
    def test_nothing_is_looked_for_in_all_of_the_ledger(
        self, store: Store, ask: Callable[[View], Any], indexes: list[str]
    ) -> None:
        asked: list[tuple[Any, ...]] = []

        def note(*statement: Any) -> Iterator[SqlRow]:
            asked.append(statement)
            return iter(())

        with store.snapshot() as session, pytest.MonkeyPatch.context() as patch:
            patch.setattr(session, "rows", note)
            ask(Reading(session))
        with store.writing() as session:
            ((sql, parameters),) = asked
            plan = self.plan(session, sql, *parameters)
        assert [index for index in indexes if index not in plan] == [], plan
