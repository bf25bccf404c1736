"""Play chips are refilled to what a guest starts with, and can't be made more by refilling."""

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from croupier.cards import DECK, Card, parse_cards
from croupier.errors import Refused
from croupier.house import dealer
from croupier.house.books import Books
from croupier.house.config import parse_config
from croupier.house.table import Table
from croupier.ledger.accounts import Account, account, kind_of
from croupier.ledger.entries import at_stake
from croupier.ledger.events import AwardValidated, CashedIn
from croupier.ledger.stores.protocol import Store
from croupier.ledger.verify import verify
from croupier.money import micros
from tests.house.floor import (
    FAST,
    KEY,
    Clock,
    OpenPit,
    Player,
    bet_all,
    deal_on,
    deal_until,
    first_bet,
    one_table,
    opened,
    pit_at,
    play,
    rules_of,
    seated,
)
from tests.rules.books import CALIFORNIA, FLORIDA, MARYLAND, SINGAPORE, each_book

START = 1_000_00


async def refill(pit: OpenPit, player: str) -> int:
    """Ask for chips, and return how many were given."""
    before = pit.books.purse_cents(player)
    try:
        await pit.cage.issue(player)
    except Refused as refused:
        assert refused.code == "enough_chips"
    return pit.books.purse_cents(player) - before


async def round_of(pit: OpenPit, banker: Player, bettor: Player) -> None:
    """Bank a round with the whole purse, and ask for chips at every turn."""
    table = pit.tables["t"]
    turn = pit.scene()["bank_turn"]
    rules = table.place.standing.table.rules
    fee = rules.fee.banker if rules.fee else 0
    rake = rules.rake.amount if rules.rake else 0
    await banker.ask("bank", seat=turn, funds=pit.books.purse_cents(banker.id) - fee - rake)
    await deal_until(pit, "bets")
    await first_bet(bettor, int(bettor.id[1:]))
    for player in (banker.id, bettor.id):
        assert await asyncio.gather(*(refill(pit, player) for _ in range(3))) == [0, 0, 0]
    while table.place.standing.in_play:
        await deal_on(pit)
        if table.place.standing.in_play:
            assert await refill(pit, banker.id) == 0


@pytest.mark.parametrize("id", [CALIFORNIA, FLORIDA])
def test_no_chips_are_made_by_banking(tmp_path: Path, id: str) -> None:
    async def scenario(pit: OpenPit) -> None:
        players = {1: (await seated(pit, 1, 2))[0]}
        players[2] = Player(pit, pit.tables["t"], "p2")
        for _ in range(8):
            for player in players.values():
                short = max(START - pit.books.purse_cents(player.id), 0)
                assert await refill(pit, player.id) == short
            turn = pit.scene()["bank_turn"]
            await round_of(pit, players[turn], players[3 - turn])

    play(tmp_path, one_table(id), scenario)


TWO = "\n".join(
    f'[[table]]\nid = "{id}"\nrulebook = "{MARYLAND}"\n[table.timing]\n{FAST}' for id in "tu"
)


async def at_two_tables(pit: OpenPit) -> None:
    """Bets at several tables count as the player's own; a loss is made up for, once."""
    players = [Player(pit, pit.tables[id], "ada") for id in "tu"]
    assert await refill(pit, "ada") == START
    for player in players:
        await player.ask("sit", seat=1)
        await deal_until(pit, "bets", player.table.id)
        await first_bet(player, 1)
    assert pit.books.purse_cents("ada") == START - 20_00
    asked = [refill(pit, "ada") for _ in range(4)]
    betting = [first_bet(player, 1) for player in players]
    assert (await asyncio.gather(*asked, *betting))[:4] == [0, 0, 0, 0]
    for player in players:
        await deal_until(pit, "over", player.table.id)
    before = pit.books.purse_cents("ada")
    issues = [pit.cage.issue("ada") for _ in range(4)]
    answers = await asyncio.gather(*issues, return_exceptions=True)
    assert sum(answer is None for answer in answers) == (before < START)
    assert pit.books.purse_cents("ada") == max(before, START)


def test_no_chips_are_made_at_several_tables(store: Store) -> None:
    async def run() -> None:
        books = Books(store, KEY, Clock().clocks)
        pit = OpenPit(parse_config(TWO, rules_of), books)
        await pit.start(deals=False)
        await at_two_tables(pit)
        found = await books.read(lambda view: verify(view, rules_of))
        assert found.faults == ()
        await pit.stop()
        books.close()

    asyncio.run(run())


@each_book
def test_what_lies_on_a_table_is_known_in_every_state(tmp_path: Path, id: str) -> None:
    """The players' shares are what the accounts of the round hold, and fees that were taken."""

    def check(table: Table) -> None:
        round = table.place.standing.in_play
        if round is None:
            return
        balances = table.books.balances()
        kinds = [account("layout", round.id), account("bank", round.id)]
        fees = sum(box.fee for box in round.boxes.values())
        held = sum(balances.get(one, 0) for one in kinds)
        assert micros(sum(at_stake(round).values()) - fees) == held

    async def scenario(pit: OpenPit) -> None:
        table = pit.tables["t"]
        players = await opened(pit, 1, 2, 3)
        check(table)
        round = table.place.standing.round
        banker = round.banker.player if round and round.banker else ""
        for player in players:
            if player.id != banker:
                await bet_all(player, int(player.id[1:]))
                check(table)
        while table.place.standing.in_play:
            await deal_on(pit)
            check(table)

    declared = "progressive_rate = 0.3\nprogressive_reset = 1000\nprogressive_initial = 1000"
    play(tmp_path, one_table(id, declared if id == SINGAPORE else ""), scenario)


def of_rounds(pit: OpenPit) -> set[Account]:
    """Return the accounts of single rounds that a process remembers."""
    kinds = "layout", "bank", "pending"
    return {one for one in pit.books.balances() if kind_of(one) in kinds}


def test_an_award_that_is_pending_is_the_players(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    best = parse_cards("As 2h Ks 3h Qs 4d")  # Cards go to the seat and the dealer in turn.

    def stacked(_: Callable[[int], bytes]) -> tuple[Card, ...]:
        return (*best, *(card for card in DECK if card not in best))

    monkeypatch.setattr(dealer, "shuffled", stacked)
    monkeypatch.setattr(dealer, "cut", lambda cards, _: cards)
    config = one_table(MARYLAND, 'progressive = "A"', more="validated = 1")

    async def win(pit: OpenPit) -> None:
        [player] = await opened(pit, 1)
        await player.ask("bet", seat=1, wager="ante", cents=5_00)
        await player.ask("bet", seat=1, wager="progressive", cents=1_00)
        await deal_until(pit, "over", player.table.id)
        spent = CashedIn("p1", pit.books.purse_cents("p1"))
        await pit.cage.act("ada", lambda: spent)
        assert [pit.books.balances()[one] for one in pit.books.pending] == [1_000_140_000]

    async def run() -> None:
        async with pit_at(tmp_path / "ledger.db", config) as pit:
            await win(pit)
            assert await refill(pit, "p1") == 0
        async with pit_at(tmp_path / "ledger.db", config) as pit:
            assert await refill(pit, "p1") == 0
            assert await refill(pit, "p2") == START
            assert of_rounds(pit) == {*pit.books.pending}, "an empty one isn't read again"
            paid = AwardValidated("t-1/1/progressive", "p1", 1_000_140_000, "floor")
            await pit.cage.act("ada", lambda: paid)
            assert not pit.books.pending and pit.books.purse_cents("p1") == 1_000_14
            assert of_rounds(pit) == set(), "and is forgotten once it is empty"
            assert await refill(pit, "p1") == 0

    asyncio.run(run())
