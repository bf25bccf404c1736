"""What lies on the disk in the middle of a round holds none of its hidden cards (S2, T3).

Everything that the process wrote is searched: the ledger, its write-ahead log, a backup, and the
log lines, after an error of ours was forced that has all cards in its message.
"""

import asyncio
import re
from pathlib import Path
from typing import Any

import pytest

from croupier.fairness.commitment import Committed
from croupier.house import dealer
from croupier.house.table import Table
from tests.rules.books import CALIFORNIA, each_book
from tests.server.attacks.houses import House, crashes, open_house, table_toml
from tests.server.attacks.states import Walk

RUN = 6
"""So many cards in a row, in the order of a deck, are no accident."""


def given_away(data: bytes, committed: Committed, shown: set[int]) -> list[str]:
    """Say which secrets of a deck are in some bytes."""
    deck, found = committed.deck, []
    text = "".join(map(str, deck))
    for at in range(len(deck) - RUN):
        if bytes(deck[at : at + RUN]) in data or text[2 * at : 2 * (at + RUN)].encode() in data:
            found.append(f"cards from {at} on")
    if committed.secret in data or committed.secret.hex().encode() in data:
        found.append("the secret")
    for position in {*range(len(deck))} - shown:
        salt = committed.salt(position)
        if salt.encode() in data or bytes.fromhex(salt) in data:
            found.append(f"the salt of {position}")
    named = set(re.findall(rb'"card":"(..)"', data))
    if named - {str(deck[position]).encode() for position in shown}:
        found.append("a card that was not shown")
    return found


async def written(house: House, walk: Walk, state: int) -> bytes:
    """Return all that the process has written so far, a backup among it."""
    backup = house.folder / f"backup-{state}"
    store: Any = house.pit.books.store
    await house.pit.books.away(lambda: store.backup(backup))
    files = [file.read_bytes() for file in sorted(house.folder.iterdir()) if file.is_file()]
    return b"\n".join([*files, house.lines.getvalue().encode()])


async def searched(folder: Path, book: str, patch: pytest.MonkeyPatch) -> list[str]:
    """Look at everything in each state in which cards are hidden."""
    faults: list[str] = []
    hear = Table.hear

    def trips(table: Table, *asked: Any, reply: Any) -> None:
        _, message, _ = asked
        if message.id == "trip":
            raise ValueError(f"{table.deck and table.deck.deck}")
        hear(table, *asked, reply=reply)

    patch.setattr(Table, "hear", trips)
    async with open_house(folder, table_toml(book)) as house:
        walk, number = Walk(house, book), 0
        await walk.come_in()
        async for state in walk.states():
            round, committed = walk.table.place.standing.in_play, walk.table.deck
            if round is None or committed is None:
                continue
            number += 1
            line = await walk.players["ann"].line(walk.id)
            await line.socket.send('{"type":"leave","id":"trip","seat":2}')
            assert await line.closed() == 1011
            walk.lines["ann"] = await walk.players["ann"].line(walk.id)
            data = await written(house, walk, number)
            faults += [f"{state}: {f}" for f in given_away(data, committed, set(round.faces))]
        assert number >= 5 and len(crashes(house)) >= number
    return faults


@each_book
def test_nothing_hidden_lies_on_the_disk(
    id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert asyncio.run(searched(tmp_path, id, monkeypatch)) == []


def test_a_deck_that_is_not_sealed_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def plain(committed: Committed, *_: Any) -> bytes:
        return bytes(committed.deck) + committed.secret

    monkeypatch.setattr(dealer, "seal", plain)
    faults = asyncio.run(searched(tmp_path, CALIFORNIA, monkeypatch))
    assert any("cards from" in fault for fault in faults)
    assert any("the secret" in fault for fault in faults)
