"""D4: no money is created or destroyed, at any prefix of any journal.

Tables of every book play random rounds, some of them void, into a real store. After every command
the store is held to the journal: what it has stored is read back, and the entries that follow from
its bytes are added up here.
"""

import random
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from croupier.errors import Bug, Refused
from croupier.ledger import entries as posting
from croupier.ledger.accounts import CAGE, OWING, Account, account, kind_of
from croupier.ledger.audit import Auditor
from croupier.ledger.events import Bought, CashedIn, MeterStarted, TableSet
from croupier.ledger.journal import decode
from croupier.ledger.scribe import Scribe
from croupier.ledger.store import COMMAND_REUSED, NOT_ENOUGH, Answer, Claim, Work
from croupier.ledger.stores import statements
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.round.commands import Command, Open
from croupier.round.events import Event
from croupier.round.state import Round
from croupier.rules.table_rules import TableRules
from tests.ledger.sums import balances, nets
from tests.ledger.tables import Till, of_ledger, of_round
from tests.ledger.tables import rules_of as resolved
from tests.round.invariants import Play
from tests.round.machine import PLAYERS, TABLES, go_on, good_bets, rules_of
from tests.rules.books import FLORIDA, LET_IT_RIDE, MARYLAND, each_book

STEPS = 50
CHIPS = 10**9
EXCHANGED = ("bought", "cashed in")
"""The codes of entries by which chips come into the house and leave it."""


class Broken(AssertionError):
    """An invariant doesn't hold at a prefix."""


class Recorded(Play):
    """A round with the events of each of its commands, which are stored together."""

    def __init__(self, rules: TableRules) -> None:
        super().__init__(rules, only="total")
        self.stored: list[tuple[Event, ...]] = []

    def do(self, command: Command) -> bool:
        done = super().do(command)
        self.stored += [self.news] if done else []
        return done


class History:
    """A table whose journal grows command by command, and the sums that are made beside it."""

    def __init__(self, store: SqliteStore, id: str, rng: random.Random) -> None:
        self.store, self.rng, self.id = store, rng, id
        self.table = rng.randrange(len(TABLES[id]))
        self.rules = rules_of(id, self.table)
        self.till = Till(store, "t")
        self.till.scribe = Scribe("t", resolved)
        self.auditor = Auditor("t", resolved)
        self.totals: dict[Account, int] = {}
        self.opened: dict[Account, int] = {}
        """The balances when the round was opened."""
        self.steps = self.rounds = self.voids = 0

    def play(self) -> None:
        rules, selections = self.rules, TABLES[self.id][self.table]
        things = tuple(rules.things)
        self.put(of_ledger(TableSet(rules.rulebook, selections, rules.digest, things=things)))
        for id, meter in self.rules.meters.items():
            started = (meter.initial or 1_000_00) * 10_000 + self.rng.randrange(10_000)
            self.put(of_ledger(MeterStarted(f"t/{id}", started)))
        for player in (*PLAYERS, "eve"):
            self.put(of_ledger(Bought(player, CHIPS)))
        while self.steps < STEPS:
            self.round()
        self.put(of_ledger(CashedIn("ann", 1)))

    def round(self) -> None:
        """Play a random round to its end; one without a bet is played again."""
        play = Recorded(self.rules)
        shown = {id: self.totals[account("meter", f"t/{id}")] for id in self.rules.meters}
        play.do(Open(f"r{self.rounds}", shown))
        for command in good_bets(play, self.rng):
            play.do(command)
        go_on(play, self.rng, 100)
        if not play.round.closed:
            return
        self.opened, self.rounds = dict(self.totals), self.rounds + 1
        self.voids += bool(play.round.void)
        for events in play.stored:
            self.put(of_round(events))
        self.settled(play.round)

    def put(self, happened: list[Any]) -> None:
        """Store the events of a command, and look at everything."""
        before, number = dict(self.totals), self.till.scribe.number
        claim, work, draft = self.till.draft(happened)
        self.append(claim, work)
        self.till.scribe, self.till.commands = draft.scribe, self.till.commands + 1
        self.steps += 1
        with self.store.reading() as view:
            stored = [decode(row.data) for row in view.stream("t", after=number)]
            held = view.balances()
        entries = [entry for record in stored for entry in self.auditor.entries(record)]
        for one, micros in balances(entries).items():
            self.totals[one] = self.totals.get(one, 0) + micros
        self.expect("M1", held, holds=not sum(held.values()))
        inside = [sum(m for a, m in all.items() if a != CAGE) for all in (before, held)]
        exchanged = any(entry.code in EXCHANGED for entry in entries)
        self.expect("M2", entries, holds=inside[0] == inside[1] or exchanged)
        owed = {a: m for a, m in held.items() if m < 0 and kind_of(a) not in OWING}
        self.expect("M3", owed, holds=not owed)
        differ = {*held.items()} ^ {*self.totals.items()}
        self.expect("M4", differ, holds=not differ)
        if self.rng.random() < 0.1:
            self.again(claim, work, held)

    def again(self, claim: Claim, work: Work, held: dict[Account, int]) -> None:
        """Send the command again, another by its id, and one that nobody can pay."""
        answer = self.append(claim, work)
        same = answer[:2] == (work.answer, self.till.scribe.number)
        self.expect("M8", answer, holds=same)
        cash = Till(self.store, "cage")
        cash.scribe.read(self.rows("cage"))
        much = cash.draft(of_ledger(CashedIn("bob", 100 * CHIPS)))
        other = claim._replace(digest=bytes(32))
        wrong = ((COMMAND_REUSED, other, work), (NOT_ENOUGH, much[0], much[1]))
        for code, claimed, asked in wrong:
            try:
                self.store.append(claimed, asked)
            except Refused as refused:
                self.expect("M8", refused, holds=refused.code == code)
            else:
                raise Broken(f"M8, M9: {claimed} was stored")
        with self.store.reading() as view:
            self.expect("M8", "a refused command moved money", holds=view.balances() == held)

    def append(self, claim: Claim, work: Work) -> Answer:
        try:
            return self.store.append(claim, work)
        except (Bug, Refused, apsw.Error) as error:
            raise Broken(f"step {self.steps + 1} can't be stored: {error}") from error

    def rows(self, stream: str) -> list[Any]:
        with self.store.reading() as view:
            return list(view.stream(stream))

    def settled(self, round: Round) -> None:
        """Look at what a round has left: M5 where it was settled, M6 where it is void."""
        moved = {a: m - self.opened.get(a, 0) for a, m in self.totals.items()}
        moved = {a: m for a, m in moved.items() if m}
        if round.void:
            self.expect("M6", moved, holds=not moved)
        lies = {a for a in self.totals if kind_of(a) in ("layout", "bank") and self.totals[a]}
        self.expect("M5", lies, holds=not lies)
        won = {account("player", player): net for player, net in nets(round).items() if net}
        got = {a: m for a, m in moved.items() if kind_of(a) == "player"}
        self.expect("M5", f"{got}, not {won}", holds=got == won)

    def expect(self, name: str, found: object, *, holds: bool) -> None:
        if not holds:
            raise Broken(f"{name} at step {self.steps} of {self.till.scribe.head}: {found}")


@contextmanager
def memory() -> Iterator[SqliteStore]:
    """A store whose files never reach a disk."""
    shm = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shm if shm.is_dir() else None) as folder:
        store = SqliteStore(Path(folder) / "ledger.db", make=True)
        try:
            yield store
        finally:
            store.close()


def histories(id: str, numbers: range) -> tuple[int, int, int]:
    """Play histories of a book; return how many prefixes, rounds and void rounds there were."""
    steps = rounds = voids = 0
    for number in numbers:
        with memory() as store:
            history = History(store, id, random.Random(f"history {id} {number}"))
            history.play()
        assert history.steps >= STEPS
        steps, rounds, voids = steps + history.steps, rounds + history.rounds, voids + history.voids
    return steps, rounds, voids


def check(id: str, numbers: range) -> None:
    steps, rounds, voids = histories(id, numbers)
    print(f"{id}: {len(numbers)} histories, {steps} prefixes, {rounds} rounds, {voids} void")
    assert rounds > len(numbers) and voids > 0


@each_book
def test_no_money_is_created_or_destroyed_at_any_prefix(id: str) -> None:
    check(id, range(12))


@pytest.mark.long
@each_book
def test_no_money_is_created_or_destroyed_at_any_prefix_of_thousands(id: str) -> None:
    check(id, range(2_000))


# ---------------------------------------------------------------- teeth


def forgets_an_entry(made: Callable[..., Any]) -> Callable[..., Any]:
    return lambda of, moves: made(of, moves)[1:] if of.endswith("/3") else made(of, moves)


def pays_from_nowhere(_: Callable[..., Any]) -> Callable[..., Any]:
    return lambda _: CAGE


def keeps_stakes_of_void_rounds(moves: Callable[..., Any]) -> Callable[..., Any]:
    return lambda of, after, event: () if after.void else moves(of, after, event)


def forgets_the_meters_of_void_rounds(undone: Callable[..., Any]) -> Callable[..., Any]:
    return lambda of, after: [m for m in undone(of, after) if m.code != "rise back"]


def forgets_an_account(changes: Callable[..., Any]) -> Callable[..., Any]:
    def some(entries: Any) -> dict[Account, int]:
        return {one: m for one, m in changes(entries).items() if kind_of(one) != "inventory"}

    return some


def remembers_no_command(_: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *_: None


MUTANTS: list[tuple[str, Any, str, Any]] = [
    (MARYLAND, posting, "numbered", forgets_an_entry),
    (MARYLAND, posting, "_bank", pays_from_nowhere),
    (LET_IT_RIDE, posting, "moves_of", keeps_stakes_of_void_rounds),
    (MARYLAND, posting, "_undone_moves", forgets_the_meters_of_void_rounds),
    (FLORIDA, posting, "_holds", lambda _: lambda _: {}),
    (MARYLAND, statements, "changes_of", forgets_an_account),
    (MARYLAND, statements.Pen, "_known", remembers_no_command),
]


@pytest.mark.parametrize(("id", "owner", "name", "mutant"), MUTANTS)
def test_the_prefixes_find_a_mutant(
    id: str, owner: Any, name: str, mutant: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, name, mutant(getattr(owner, name)))
    with pytest.raises(Broken) as found:
        histories(id, range(40))
    print(name, found.value)
