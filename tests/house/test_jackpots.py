"""A jackpot that waits for the floor while its table changes hands (many-machines.md, 8)."""

import asyncio
import json
from collections.abc import Callable
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

import pytest

from croupier.cards import DECK, Card, parse_cards
from croupier.errors import Refused
from croupier.gallery.outbox import Viewer
from croupier.house import dealer
from croupier.house.books import Books
from croupier.house.pit import Pit
from croupier.ledger.accounts import Account, account
from croupier.ledger.events import AwardValidated
from croupier.ledger.store import View
from croupier.ledger.stores.postgres import PostgresStore
from croupier.ledger.tenure import heir
from croupier.ledger.verify import verify
from tests.house.floor import KEY, answered, deal_until, one_table, rules_of
from tests.ledger.servers import new_database
from tests.rules.books import MARYLAND

TABLE, PLAYER = "t", "p1"
PURSE, METER = account("player", PLAYER), account("meter", "t/progressive")
ROUNDS = 10
"""How often a table is taken over while a jackpot waits, each time by another process."""
BEST = parse_cards("As 2h Ks 3h Qs 4d")
"""Cards go to the seat and the dealer in turn."""


def stacked(_: Callable[[int], bytes]) -> tuple[Card, ...]:
    return (*BEST, *(card for card in DECK if card not in BEST))


async def ask(pit: Pit, id: str, type: str, **fields: Any) -> None:
    text = json.dumps({"type": type, "id": id, **fields})
    said = json.loads(await answered(pit.tables[TABLE], Viewer(PLAYER, PLAYER), text))
    assert said["type"] == "done", said


def held(account: Account, view: View) -> int:
    return view.balance(account) or 0


async def pending(pit: Pit) -> dict[str, int]:
    """Return the awards that wait by the ledger, in micros."""
    held = await pit.books.read(lambda view: view.balances("pending"))
    return {str(account): micros for account, micros in held.items() if micros}


def expire(pit: Pit) -> None:
    """Let the house take a process for dead."""
    tenure: Any = pit.tenure
    with tenure.connected() as connection:
        connection.execute(
            "UPDATE nodes SET expires = clock_timestamp() - interval '1 second' WHERE node = %s",
            (pit.tenure.name,),
        )


async def taken_over(pits: list[Pit]) -> Pit:
    """Let the owner of the table be taken for dead, and return who has it then."""
    owner = next(pit for pit in pits if pit.has(TABLE))
    name = owner.tenure.name
    expire(owner)
    async with asyncio.timeout(20):
        while not (there := [p for p in pits if p.has(TABLE) and p.tenure.name != name]):
            await asyncio.sleep(0.02)
    return there[0]


async def at_rest(pits: list[Pit]) -> Pit:
    """Return the owner of the table, once all processes are there and its heir has it."""
    async with asyncio.timeout(30):
        while True:
            roster = await asyncio.to_thread(pits[0].tenure.roster)
            names = [pit.tenure.name for pit in pits]
            for pit in pits:
                is_heir = heir(TABLE, names) == pit.tenure.name
                if is_heir and pit.has(TABLE) and {*names} == roster.nodes.keys():
                    return pit
            await asyncio.sleep(0.05)


async def won(pit: Pit, number: int) -> str:
    """Win the progressive, and return the id of the award that waits."""
    pit.tables[TABLE].note_present(frozenset({PLAYER}))
    await deal_until(pit, "bets", TABLE)
    for wager, cents in (("ante", 5_00), ("progressive", 1_00)):
        await ask(pit, f"{wager}-{number}", "bet", seat=1, wager=wager, cents=cents)
    await deal_until(pit, "decide", TABLE)
    await ask(pit, f"play-{number}", "choose", seat=1, option="play")
    await deal_until(pit, "over", TABLE)
    (account,) = await pending(pit)
    return account.removeprefix("pending:")


async def release(pit: Pit, award: str, micros: int) -> bool:
    """Pay an award if it still waits here; two processes may try at once."""

    def paid() -> AwardValidated:
        if not pit.books.balances().get(account("pending", award)):
            raise Refused("no_such_award", "this award isn't waiting any more")
        return AwardValidated(award, PLAYER, micros, "floor")

    try:
        await pit.cage.act("floor", paid)
    except Refused:
        return False
    return True


def test_a_jackpot_that_waits_while_its_table_is_taken_over_is_paid_once(
    server: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dealer, "shuffled", stacked)
    monkeypatch.setattr(dealer, "cut", lambda cards, _: cards)
    config = one_table(MARYLAND, 'progressive = "A"', more="validated = 1")
    url = new_database(server)

    async def main() -> None:
        async with AsyncExitStack() as stack:
            pits: list[Pit] = []
            for _ in range(2):
                store = PostgresStore(url, make=True, node="")
                stack.callback(store.close)
                books = Books(store, KEY)
                stack.callback(books.close)
                pits.append(Pit(config, books, rules_of, nodes=2))
            await asyncio.gather(*(pit.start(deals=False) for pit in pits))
            for pit in pits:
                stack.push_async_callback(pit.stop)
            owner = await at_rest(pits)
            await owner.cage.fill(PLAYER, 1_000_00)
            await ask(owner, "sit", "sit", seat=1)
            epochs = [owner.tenure.owned[TABLE]]
            for number in range(ROUNDS):
                award = await won(owner, number)
                before = await pending(owner)
                (micros,) = before.values()
                meter = await owner.books.read(partial(held, METER))
                owner = await taken_over(pits)
                epochs.append(owner.tenure.owned[TABLE])
                assert await pending(owner) == before
                after = await owner.books.read(partial(held, METER))
                assert after == meter, "the meter was reset once, when the jackpot was won"
                purse = await owner.books.read(partial(held, PURSE))
                paid = await asyncio.gather(*(release(pit, award, micros) for pit in pits))
                assert sorted(paid) == [False, True]
                richer = await owner.books.read(partial(held, PURSE))
                assert richer - purse == micros and await pending(owner) == {}
                owner = await at_rest(pits)
            assert epochs == sorted({*epochs}), "another had it each time"
            found = await owner.books.read(lambda view: verify(view, rules_of))
            assert found.faults == ()

    asyncio.run(main())
