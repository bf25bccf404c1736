"""T9: the journal of an automatic table holds what the program did, and nothing else."""

import asyncio
import gzip
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from croupier.errors import Breaches
from croupier.house import dealer
from croupier.house.dealer import Chance
from croupier.house.recall import recall
from croupier.house.standing import Act, new_standing
from croupier.ledger.journal import decode
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.verify import verify
from croupier.round import bots
from croupier.round.commands import Bet
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules
from croupier.table.commands import Join, Leave, TakeBank, Time
from croupier.table.state import bank_order
from tests.house.floor import (
    KEY,
    OpenPit,
    Player,
    bet_all,
    deal_on,
    deal_until,
    one_table,
    opened,
    pit_at,
    play,
    rules_of,
)
from tests.rules.books import MARYLAND, SINGAPORE, book, each_book

ALWAYS = {
    "Joined", "Shuffled", "RoundStarted", "DeckCommitted", "Opened", "BetMade", "BetsClosed",
    "FirstCardDealt", "Dealt", "Shown", "SeatSettled", "Closed", "RoundEnded",
}  # fmt: skip
SOMETIMES = {"CutMade", "BankTaken", "Banked", "Chose", "Left"}
EQUIPMENT = ("shuffler", "dealing", "decks", "cards", "dealer_cards", "format", "community_stack")
METERS = {"progressive_rate": "0.3", "progressive_reset": 1000}


def equipments(id: str) -> Iterator[TableRules]:
    """Yield the rules of an automatic table with each equipment that the book allows."""
    selections = book(id).rules.selection
    names = [name for name in EQUIPMENT if name in selections and selections[name].option]
    more = METERS if id == SINGAPORE else {}
    for values in product(*(selections[name].option for name in names)):
        try:
            yield resolve(book(id), {**dict(zip(names, values, strict=True)), **more}, things=())
        except Breaches:
            continue  # The book doesn't allow these together.


def round_of(act: Act, id: str, chance: Chance) -> None:
    """Play a round as the automatic dealer does, with two players who make every bet."""
    rules, time = act.standing.table.rules, Time(1_000, 1_000)
    if rules.banked_by == "player":
        act.at_table(TakeBank(bank_order(act.standing.table)[0], 1_000_00))
    dealer.open_round(act, id, time=time, meters=act.standing.table.meters, chance=chance)
    banker = act.round.banker
    for seat, player in act.standing.table.seats.items():
        if banker is None or banker.seat != seat:
            hand = 1 if rules.shared else None
            for wager, cents in bots.bets(rules).items():
                act.in_round(Bet(seat, player, wager, cents, hand))
    assert act.deck is not None
    dealer.close(act, act.deck, time=time)
    for _ in range(20):
        if act.round.asked and not act.round.due:
            dealer.choose_for(act, act.round.asked[0], act.deck, rich=True)
        elif act.round.due:
            dealer.show(act, act.deck)
        else:
            break
    dealer.settle(act, {})
    assert act.round.closed and not act.round.void


@each_book
def test_an_automatic_table_records_only_what_the_program_does(id: str) -> None:
    rng = random.Random(id)
    chance = Chance(rng.randbytes, KEY)
    seen: Counter[str] = Counter()
    tables = [*equipments(id)]
    for rules in tables:
        act = Act(new_standing(rules))
        for seat in (1, 2):
            act.at_table(Join(seat, f"p{seat}"))
        # After six rounds, a real stub that is shuffled by hand would have been counted.
        for number in range(6 if rules.selections.get("shuffler") == "none" else 1):
            round_of(act, f"r{number}", chance)
        act.at_table(Leave(1))
        act.at_table(Leave(2))
        act.at_table(Join(1, "p3"))
        found = {type(happened.event).__name__ for happened in act.happened}
        assert found >= ALWAYS and found <= ALWAYS | SOMETIMES, rules.selections
        seen.update(found)
    assert len(tables) >= (24 if id.startswith("maryland") else 1)
    assert seen["CutMade"] == 0 or id.startswith("maryland"), "the other books name no cut"


@each_book
def test_the_journal_of_a_house_holds_no_act_that_nobody_did(tmp_path: Path, id: str) -> None:
    async def scenario(pit: OpenPit) -> None:
        players = await opened(pit, 1, 2)
        banker = pit.scene()["banker"]
        for seat, player in enumerate(players, 1):
            if not banker or banker["seat"] != seat:
                await bet_all(player, seat)
        await deal_until(pit, "over")
        rows = await pit.books.read(lambda view: [*view.stream("t")])
        kinds = {decode(row.data).event["type"] for row in rows}
        assert not kinds & {"Received", "Confirmed", "Counted", "Secured", "Declared", "Failed"}
        [table] = [decode(row.data).event for row in rows if b'"TableSet"' in row.data]
        assert "things" not in table, "an automatic table is written as it always was"
        found = await pit.books.read(lambda view: verify(view, rules_of))
        assert (found.faults, found.by_machine) == ((), 0)

    rates = "progressive_rate = 0.3\nprogressive_reset = 1000\nprogressive_initial = 1000"
    play(tmp_path, one_table(id, rates if id == SINGAPORE else ""), scenario)


# ---------------------------------------------------------------- ledgers of earlier versions

OLD = Path(__file__).parent.parent / "data" / "ledger-1.db.gz"
"""A ledger of six tables from when automatic tables confirmed what nobody had done."""
OLD_BOOKS = {"hand", "shoe", "ride", "ca", "sg", "fl"}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    file = tmp_path / "ledger.db"
    file.write_bytes(gzip.decompress(OLD.read_bytes()))
    return file


def test_an_old_ledger_verifies_and_its_confirmations_are_the_machines(old: Path) -> None:
    store = SqliteStore(old)
    with store.reading() as view:
        rows = [decode(row.data) for stream in view.heads() for row in view.stream(stream)]
        found = verify(view, rules_of)
    store.close()
    assert found.faults == () and found.events == len(rows) == 674
    handled = ("Received", "Confirmed", "Counted", "Secured")
    acts = [record for record in rows if record.event["type"] in handled]
    assert found.by_machine == len(acts) > 200
    assert {record.event["by"] for record in acts if "by" in record.event} == {
        "dealer",
        "floorperson",
    }, "it speaks of people who were not there"


def test_old_tables_stand_where_they_stood_and_go_on(old: Path, tmp_path: Path) -> None:
    store = SqliteStore(old)
    with store.reading() as view:
        standings = {id: recall(view, id, rules_of).standing for id in OLD_BOOKS}
    store.close()
    assert all(standing is not None for standing in standings.values())
    in_play = {id for id, standing in standings.items() if standing and standing.in_play}
    assert in_play == {"hand"}, "one round was interrupted at its decisions"
    for standing in standings.values():
        assert standing and not any(deck.todo for deck in standing.table.decks.values())

    async def go_on() -> None:
        config = one_table(MARYLAND, 'shuffler = "none"\nprogressive = "A"', id="hand")
        async with pit_at(old, config) as pit:
            interrupted = pit.tables["hand"].place.standing.in_play
            assert interrupted and interrupted.asked
            player = Player(pit, pit.tables["hand"], "hand-1")
            await deal_until(pit, "over", "hand")
            await deal_on(pit, "hand")  # The new edition of the book is set, with empty seats.
            await player.ask("sit", seat=1, id="again")  # The ledger has answers to c0 and on.
            await deal_until(pit, "bets", "hand")
            after = pit.tables["hand"].place.standing.in_play
            assert after and after.id != interrupted.id
            assert after.rules.digest == config.tables[0].rules.digest != interrupted.rules.digest
            found = await pit.books.read(lambda view: verify(view, rules_of))
            assert found.faults == ()

    asyncio.run(go_on())


def test_a_changed_table_set_is_found_although_editions_differ(old: Path) -> None:
    def other(rulebook: str, selections: Mapping[str, Any], things: Any) -> TableRules:
        return rules_of(MARYLAND, {"pair_plus": "B"}, things)

    store = SqliteStore(old)
    with store.reading() as view:
        found = verify(view, other)
    store.close()
    assert any("another digest" in fault for fault in found.faults)
