"""D9, S2: a backup under load is of one moment, and nothing that is stored gives a card away."""

import asyncio
import re
import sys
from pathlib import Path
from typing import Any

import pytest

from croupier.cards import DECK
from croupier.fairness.commitment import Committed
from croupier.fairness.seal import NONCE_BYTES, VERSION
from croupier.house import dealer
from croupier.ledger.accounts import Account
from croupier.ledger.store import View
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.verify import verify
from tests.ledger.servers import new_database
from tests.rules.books import ROOT
from tests.server.durability.floors import KEY, Floor, run
from tests.server.durability.guests import Guest, Trigger
from tests.server.durability.houses import House
from tests.server.durability.killing import LIFE_S, SEATS
from tests.server.durability.tables import BOOKS, rules_of, tables_text
from tests.server.durability.witness import Witness

BACKUPS, MORE = 2, 40
SEED = "backups"
TABLES = tuple(id for id in BOOKS if id != "md2")
CODE = re.compile(rb'"([2-9TJQKA][shdc])"')


async def croupier(*words: str) -> None:
    """Run a command in a process of its own."""
    command = [sys.executable, "-m", "croupier", *words]
    process = await asyncio.create_subprocess_exec(
        *command, cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
    )
    out, _ = await process.communicate()
    assert process.returncode == 0, out.decode()


async def played_on(guests: list[Guest], tasks: list[asyncio.Task[None]]) -> None:
    """Wait until the players have asked for more."""
    before = sum(guest.number for guest in guests)
    async with asyncio.timeout(LIFE_S):
        while sum(guest.number for guest in guests) < before + MORE:
            assert not any(task.done() for task in tasks)
            await asyncio.sleep(0.01)


async def backed_up(house: House, folder: Path) -> list[Path]:
    """Play, make backups meanwhile, and restore each into a ledger of its own."""
    await house.start()
    trigger, witness = Trigger(house), Witness()
    guests = [Guest(trigger, witness, table=t, seat=s) for t in BOOKS for s in SEATS[t]]
    tasks = [asyncio.create_task(guest.play()) for guest in guests]
    trigger.arm("never", 1)
    where = ["--database", house.database] if house.database else ["--data", str(house.folder)]
    restored = []
    for number in range(BACKUPS):
        backup, ledger = folder / f"backup-{number}.db", folder / f"restored-{number}.db"
        making = croupier("ledger", "backup", *where, "--output", str(backup))
        await asyncio.gather(played_on(guests, tasks), making)
        await croupier("ledger", "restore", str(backup), "--data", str(ledger))
        restored.append(ledger)
    trigger.up.clear()
    assert "Closed" in await house.stop()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    assert house.crashes() == []
    return restored


def balances_at(view: View, heads: dict[str, Any]) -> dict[Account, int]:
    """What all accounts came to when the streams had come so far."""
    totals: dict[Account, int] = {}
    for stream, head in heads.items():
        for row in view.posted(stream):
            if row.number <= head.number:
                entry = row.entry
                totals[entry.debit] = totals.get(entry.debit, 0) - entry.micros
                totals[entry.credit] = totals.get(entry.credit, 0) + entry.micros
    return {name: micros for name, micros in totals.items() if micros}


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_backup_under_load_is_restored_whole(
    kind: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    database = new_database(request.getfixturevalue("server")) if kind == "postgres" else None
    with House(tmp_path, tables_text(), database=database) as house:
        restored = asyncio.run(backed_up(house, tmp_path))
        with house.ledger() as live, live.reading() as now:
            for file in restored:
                copy = SqliteStore(file)
                with copy.reading() as view:
                    heads, there = view.heads(), view.balances()
                    found = verify(view, rules_of)
                    assert found.faults == ()
                    there = {name: micros for name, micros in there.items() if micros}
                    assert there == balances_at(now, heads)
                    events = found.events
                copy.close()
                print(f"backup under load, {kind}: {events} events verify, 0 balances differ")
                assert events > 0


# ---------------------------------------------------------------- nothing hidden is in it


def given_away(raw: bytes, committed: Committed, shown: set[int]) -> list[str]:
    """What bytes give away of a deck whose positions were shown, or not."""
    hidden = [place for place in range(len(DECK)) if place not in shown]
    wanted = {
        "the deck": bytes(committed.deck),
        "the stub": bytes(committed.deck[-20:]),
        "the deck in words": " ".join(map(str, committed.deck)).encode(),
        "the secret": committed.secret,
        "the secret in hex": committed.secret.hex().encode(),
        "the master key": KEY,
        "the master key in hex": KEY.hex().encode(),
        **{f"the salt of {place}": committed.salt(place).encode() for place in hidden},
    }
    return [name for name, part in wanted.items() if part in raw]


def cards_in(view: View, committed: Committed, shown: set[int]) -> list[str]:
    """The cards that the rows of a round name and nobody was shown."""
    seen = {str(committed.deck[place]).encode() for place in shown}
    rows = [row.data for row in view.about(committed.round)]
    return [code.decode() for data in rows for code in CODE.findall(data) if code not in seen]


async def searched(store: Store, id: str, folder: Path) -> tuple[int, list[str]]:
    """Look for hidden cards in all that is on the disk, after every act of a round."""
    looked, found = 0, []
    async with Floor(store, id, seed=SEED).opened() as floor:
        while floor.table.rounds < 2 or floor.table.place.standing.in_play:
            assert await floor.act()
            round, committed = floor.table.place.standing.in_play, floor.table.deck
            if round is None or committed is None:
                continue
            backup = folder / f"{id}-{floor.table.number}.db"
            store.backup(backup)
            raw = b"".join(
                file.read_bytes() for file in folder.iterdir() if file.name.startswith("ledger.db")
            )
            shown = set(round.faces)
            found += given_away(raw + backup.read_bytes(), committed, shown)
            copy = SqliteStore(backup)
            with copy.reading() as view:
                found += cards_in(view, committed, shown)
                assert committed.round in {row.subject for row in view.about(committed.round)}
            copy.close()
            backup.unlink()
            looked += 1
    return looked, found


@pytest.mark.parametrize("id", TABLES)
def test_no_hidden_card_is_on_the_disk(store: Store, id: str, tmp_path: Path) -> None:
    looked, found = run(searched(store, id, tmp_path))
    print(
        f"hidden cards, {type(store).__name__}: {id}, {looked} copies searched, {len(found)} found"
    )
    assert found == []
    assert looked > 10


def test_the_search_finds_a_deck_that_is_not_sealed(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unsealed(committed: Committed, _: bytes, __: Any) -> bytes:
        return VERSION + bytes(NONCE_BYTES) + bytes(committed.deck) + committed.secret + bytes(16)

    monkeypatch.setattr(dealer, "seal", unsealed)
    _, found = run(searched(store, "md1", tmp_path))
    assert {"the deck", "the stub", "the secret"} <= set(found)


def test_the_search_finds_a_card_that_was_not_shown() -> None:
    class Rows:
        def about(self, _: str) -> list[Any]:
            return [type("Row", (), {"data": b'{"card":"As","salt":"2c"}'})]

    deck = tuple(sorted(DECK))
    ace = next(place for place, card in enumerate(deck) if str(card) == "As")
    two = next(place for place, card in enumerate(deck) if str(card) == "2c")
    committed = Committed("r", "0" * 64, deck, bytes(32))
    assert cards_in(Rows(), committed, {ace}) == ["2c"]  # type: ignore[arg-type]
    assert cards_in(Rows(), committed, {ace, two}) == []  # type: ignore[arg-type]
