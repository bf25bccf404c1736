"""R1-R3: a round that is interrupted anywhere goes on with its cards, or gives every stake back."""

from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

from croupier.fairness.commitment import commit
from croupier.fairness.seal import key_id
from croupier.fairness.shuffle import shuffled
from croupier.house.clock import needs_deck
from croupier.house.table import Table
from croupier.ledger.accounts import Account
from croupier.ledger.acts import HOUSE_STREAM, DealingStopped, HouseAct, acts_in
from croupier.ledger.journal import decode
from croupier.ledger.store import Claim, Decide, Request, SealedDeck, Work
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.verify import verify
from tests.server.durability.floors import KEY, OTHER_KEY, Floor, run
from tests.server.durability.tables import BOOKS, rules_of

SEED = "interrupted"
TABLES = tuple(id for id in BOOKS if id != "md2")
"""One for each book."""
each_table = pytest.mark.parametrize("id", TABLES)
UNIQUE = (apsw.ConstraintError, psycopg.errors.UniqueViolation)


def all_seen(floor: Floor) -> dict[str, Any]:
    """Where a table stands, what its cards are, and what each of its people sees."""
    table = floor.table
    return {
        "standing": table.place.standing,
        "deck": table.deck if table.place.standing.in_play else None,
        "rounds": table.rounds,
        "number": table.number,
        **{player: screen.view for player, screen in floor.screens.items()},
        "watcher": floor.watcher.view,
    }


async def interrupted(store: Store, id: str, rounds: int) -> int:
    """Stop after every act and go on with another pit; return how often that was."""
    floor = Floor(store, id, seed=SEED)
    await floor.open()
    stops = 0
    while floor.table.rounds < rounds or floor.table.place.standing.in_play:
        assert await floor.act()
        before = all_seen(floor)
        await floor.close()
        floor = Floor(store, id, clock=floor.clock, seed=f"{SEED} {stops}")
        await floor.open()
        after = all_seen(floor)
        for part in before:
            assert before[part] == after[part], f"{id} after event {before['number']}: {part}"
        stops += 1
    await floor.close()
    return stops


@each_table
def test_a_table_goes_on_wherever_it_was_stopped(store: Store, id: str) -> None:
    stops = run(interrupted(store, id, 2))
    print(f"interrupted, {type(store).__name__}: {id}, {stops} of {stops} stops go on, {SEED!r}")
    assert stops > 15
    with store.reading() as view:
        assert verify(view, rules_of).faults == ()
        assert set(view.balances("layout").values()) == {0}
        assert set(view.balances("bank").values()) <= {0}


@pytest.mark.parametrize("id", TABLES[:1])
def test_the_stops_find_a_table_that_draws_another_deck(
    store: Store, id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    find_deck = Table.find_deck

    async def unsealed(table: Table, round: str) -> None:
        await find_deck(table, round)
        entropy, rules = table.books.entropy, table.place.standing.table.rules
        table.deck = commit(shuffled(entropy), entropy, round=round, rules=rules.digest)

    monkeypatch.setattr(Table, "find_deck", unsealed)
    with pytest.raises(AssertionError, match="deck"):
        run(interrupted(store, id, 1))


# ---------------------------------------------------------------- the key is lost


def holdings(store: Store) -> dict[Account, int]:
    """What everybody has, chips on the layout and in the bank left out."""
    with store.reading() as view:
        kinds = ("player", "meter", "inventory", "fees", "house", "cage")
        return {name: micros for kind in kinds for name, micros in view.balances(kind).items()}


async def lost_keys(store: Store, id: str, folder: Path) -> list[str]:
    """Open a copy of the ledger without its key after every act of a round."""
    found = []
    async with Floor(store, id, seed=SEED).opened() as floor:
        await floor.rounds(1)
        await floor.until("open")
        before = holdings(store)
        while floor.table.rounds < 2 or floor.table.place.standing.in_play:
            if not await floor.act() or not floor.table.place.standing.in_play:
                continue
            at = floor.table.number
            copy = folder / f"{at}.db"
            store.backup(copy)
            if needs_deck(floor.table.place.standing):
                found.append(await _called_off(copy, floor, before))
            else:
                found.append(await _settled_without(copy, floor))
            copy.unlink()
    return found


async def _called_off(copy: Path, floor: Floor, before: dict[Account, int]) -> str:
    round = floor.table.place.standing.in_play
    assert round
    ledger = SqliteStore(copy, make=True)
    before_all = heads(ledger)
    other = Floor(ledger, floor.id, clock=floor.clock, key=OTHER_KEY, seed="other")
    await other.pit.start(deals=False)
    assert floor.id not in other.pit.tables and floor.id in other.pit.closed.locked
    assert heads(ledger) == before_all, "nothing happens to a round that its key would finish"
    await other.close()
    other = Floor(ledger, floor.id, clock=floor.clock, key=OTHER_KEY, seed="other")
    async with other.opened():
        assert key_id(KEY) in other.locked
        assert other.table.place.standing.round and other.table.place.standing.round.id == round.id
        assert other.table.place.standing.round.void and not other.table.place.standing.in_play
        assert holdings(ledger) == before, round.stage
        why = {"clause": "", "ruling": "T6", "says": "its cards could not be read again"}
        assert other.watcher.scene["void"] == why, "everybody is told, and nothing that is not so"
        await stays_closed(other, by="boss")
        await other.rounds(3)
    with ledger.reading() as view:
        assert verify(view, rules_of).faults == ()
        assert set(view.balances("layout").values()) == {0}
        assert set(view.balances("bank").values()) <= {0}
        assert not any(b'"type":"Declared"' in row.data for row in view.about(round.id)), (
            "no irregularity of the book happened (T6)"
        )
    ledger.close()
    return str(round.stage.do if round.stage else "")


def heads(store: Store) -> dict[str, Any]:
    with store.reading() as view:
        return dict(view.heads())


async def stays_closed(floor: Floor, by: str) -> None:
    """A table whose cards could not be read deals again when an operator opens it."""
    assert floor.table.notes.clock.wait is None, "no round is opened"
    assert floor.watcher.scene["phase"] == "closed"
    [stopped] = [act for act in acts_of(floor.store) if isinstance(act, DealingStopped)]
    assert (stopped.table, stopped.stopped, stopped.by) == (floor.id, True, by)
    assert stopped.because == floor.pit.closed.stopped[floor.id]
    await floor.pit.acts.do(DealingStopped(floor.id, stopped=False, by="boss"))
    assert floor.id not in floor.pit.closed.stopped


def acts_of(store: Store) -> list[HouseAct]:
    with store.reading() as view:
        return [act for _, act in acts_in(view.stream(HOUSE_STREAM))]


async def damaged(folder: Path) -> str:
    """Open a copy of the ledger in which the deck of an open round is damaged."""
    store, copy = SqliteStore(folder / "ledger.db", make=True), folder / "copy.db"
    async with Floor(store, TABLES[0], seed=SEED).opened() as floor:
        await floor.rounds(1)
        await floor.until("open")
        before = holdings(store)
        for _ in range(20):
            open = floor.table.place.standing.in_play
            if open and open.stage and open.stage.do == "decide":
                break
            await floor.act()
        store.backup(copy)
        assert open
        with store.reading() as view:
            sealed = view.sealed(open.id)
    store.close()
    tag = (sealed or b"")[-16:]
    written = copy.read_bytes()
    assert written.count(tag) == 1
    copy.write_bytes(written.replace(tag, bytes(16)))
    ledger = SqliteStore(copy, make=True)
    async with Floor(ledger, TABLES[0], clock=floor.clock, seed="other").opened() as other:
        assert not other.locked
        round = other.table.place.standing.round
        assert round and round.void
        assert holdings(ledger) == before, "every stake came back"
        await stays_closed(other, by="")
        await other.rounds(1)
    ledger.close()
    return round.void.ruling or ""


def test_a_damaged_deck_calls_its_round_off_and_closes_its_table(tmp_path: Path) -> None:
    assert run(damaged(tmp_path)) == "T6"


async def _settled_without(copy: Path, floor: Floor) -> str:
    """All cards were shown, so nobody loses what they have won."""
    ledger = SqliteStore(copy, make=True)
    other = Floor(ledger, floor.id, clock=floor.clock, key=OTHER_KEY, seed="other")
    async with other.opened():
        assert await floor.act() and await other.act()
        assert not floor.table.place.standing.in_play
        assert other.table.place.standing.round == floor.table.place.standing.round
        assert holdings(ledger) == holdings(floor.store)
    ledger.close()
    return "settle"


@each_table
def test_a_round_whose_key_is_lost_gives_everything_back(
    store: Store, id: str, tmp_path: Path
) -> None:
    stages = run(lost_keys(store, id, tmp_path))
    print(f"key lost, {type(store).__name__}: {id}, {len(stages)} rounds void, at {stages}")
    assert {"bets", "decide"} <= set(stages)
    assert stages[-1] == "settle"


# ---------------------------------------------------------------- one deck a round


def putting(deck: SealedDeck) -> Decide:
    return lambda _: Work((), "", sealed=(deck,))


def _tries(store: Store) -> int:
    """A real database takes longer, and does the same."""
    return 1_000 if store.is_local else 100


async def second_deck(store: Store) -> tuple[Any, ...]:
    async with Floor(store, "md1", seed=SEED).opened() as floor:
        await floor.until("deal")
        table, entropy = floor.table, floor.books.entropy
        round = table.place.standing.in_play
        assert round
        with store.reading() as view:
            before = view.sealed(round.id)
        refused = 0
        for number in range(_tries(store)):
            claim = Claim(f"again {number}", bytes(32), table.id, table.place.scribe.head)
            deck = SealedDeck(round.id, entropy(100))
            finish = store.begin_all([Request(claim, (), putting(deck))])
            assert finish
            [result] = finish()
            refused += isinstance(result, UNIQUE)
        with store.reading() as view:
            return refused, view.sealed(round.id) == before, view.answer("again 0")


def test_a_round_has_one_deck_however_often_another_is_offered(store: Store) -> None:
    """R2: the key of a round is taken, and a second deck is refused to everybody."""
    assert run(second_deck(store)) == (_tries(store), True, None)


# ---------------------------------------------------------------- players who drop


async def dropped(store: Store, id: str, *, back: bool) -> list[str]:
    """Let each player drop who has to decide; return who chose."""
    async with Floor(store, id, seed=SEED).opened() as floor:
        while floor.table.rounds < 2 or floor.table.place.standing.in_play:
            round = floor.table.place.standing.in_play
            wait = floor.table.notes.clock.wait
            if not round or not wait or wait.does != "choose" or not wait.seat:
                assert await floor.act()
                continue
            await _drop(floor, round.boxes[wait.seat].player, back=back)
    with store.reading() as view:
        events = [decode(row.data).event for row in view.stream(id)]
        assert verify(view, rules_of).faults == ()
    return [event["by"] for event in events if event["type"] == "Chose"]


async def _drop(floor: Floor, player: str, *, back: bool) -> None:
    timing, screen, table = floor.table.config.timing, floor.screens[player], floor.table
    asked, view = next(floor.moves()), screen.view
    last = screen.v
    screen.leave()
    clock = table.notes.clock
    assert clock.wait and clock.wait.ms == timing.grace_ms > timing.decide_ms
    number = table.number
    floor.clock.now_s += timing.grace_ms / 1000 - 1
    assert (clock.due_ms or 0) > floor.books.clocks.wait_ms(), "the grace is not over"
    assert table.number == number
    if back:
        screen.enter(last if floor.rng.random() < 0.5 else None)
        assert screen.view == view
        floor.watcher.look()
        assert (await floor.say(*asked))["type"] == "done"
    else:
        assert await floor.deal()
        screen.enter(last)
        assert screen.view["own"] == view["own"]
        fresh = type(screen)(floor.galleries, table.id, player)
        fresh.enter()
        assert fresh.view == screen.view
        fresh.leave()


@each_table
def test_a_player_back_in_time_sees_the_same_and_chooses(store: Store, id: str) -> None:
    by = run(dropped(store, id, back=True))
    print(f"dropped and back, {type(store).__name__}: {id}, {len(by)} decisions, {SEED!r}")
    assert by and set(by) == {"player"}


@each_table
def test_the_clock_chooses_for_who_does_not_come_back(store: Store, id: str) -> None:
    by = run(dropped(store, id, back=False))
    print(f"dropped for good, {type(store).__name__}: {id}, {len(by)} decisions, {SEED!r}")
    assert by and set(by) == {"clock"}
