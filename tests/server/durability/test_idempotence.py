"""D5: a command has one effect and one answer, however often and over which lines it comes."""

import asyncio
import json
import random
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock, patch

import pytest

from croupier.client import Client, TableClient
from croupier.errors import Refused
from croupier.gallery.outbox import Viewer
from croupier.house import turn
from croupier.ledger.journal import Head
from croupier.ledger.store import Claim
from croupier.ledger.stores.protocol import Store
from tests.house.floor import answered
from tests.server.durability.floors import KEY, Floor, run
from tests.server.durability.witness import Sent, Witness, undecided

SEED = "idempotence"
LINES, COPIES = 3, 5
AGAIN_S = 0.2
COMMAND_REUSED = "command_reused"


class Sender:
    """Sends commands again and again, over several lines, some of which break."""

    def __init__(self, floor: Floor, witness: Witness) -> None:
        self.floor, self.witness = floor, witness
        self.rng = random.Random(SEED)
        self.lines = {p: [Viewer(p, p) for _ in range(LINES)] for p in floor.players}
        self.copies = self.dropped = self.reused = 0

    async def send(self, player: str, body: dict[str, Any]) -> str:
        """Send a command 1 to 5 times; whatever is answered is noted."""
        sent = self.witness.sent.setdefault(f"{player}/{body['id']}", Sent(self.floor.id, body))
        copies = self.rng.randint(1, COPIES)
        tasks = [asyncio.create_task(self._copy(player, sent)) for _ in range(copies)]
        self.copies += copies
        for task in tasks:
            if self.rng.random() < 0.3:  # The line breaks, and what was begun is stored unheard.
                for _ in range(self.rng.randint(1, 3)):
                    await asyncio.sleep(0)
                self.dropped += task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        while not await self._copy(player, sent):
            await asyncio.sleep(AGAIN_S)
        return sent.frames[-1]

    async def _copy(self, player: str, sent: Sent) -> bool:
        """Send it once; return whether the answer decides it."""
        viewer = self.rng.choice(self.lines[player])
        frame = await answered(self.floor.table, viewer, json.dumps(sent.body))
        if undecided(json.loads(frame)):
            return False
        sent.frames.append(frame)
        self.witness.fresh.add(f"{player}/{sent.body['id']}")
        return True

    async def misuse(self, player: str, body: dict[str, Any]) -> None:
        """Send the same id with another body."""
        others = [{**body, "seat": body["seat"] + 1}, {"type": "sit", "id": body["id"], "seat": 7}]
        number = self.floor.table.number
        for other in others:
            frame = await answered(self.floor.table, self.lines[player][0], json.dumps(other))
            said = json.loads(frame)
            self.witness.expect(said.get("code") == COMMAND_REUSED, f"{other}: {frame}")
            self.reused += 1
        self.witness.expect(self.floor.table.number == number, f"{body} had two effects")


async def repeated(store: Store, commands: int, key: Path) -> tuple[Sender, Witness]:
    """Play with commands that come several times each, and hold the journal to the answers."""
    witness = Witness()
    async with Floor(store, "md1", seed=SEED).opened() as floor:
        sender = Sender(floor, witness)
        while len(witness.sent) < commands or floor.table.place.standing.in_play:
            asked = next(floor.moves(), None)
            if asked is None:
                assert await floor.deal()
                continue
            said = json.loads(await sender.send(*asked))
            assert said["type"] == "done", said
            await sender.misuse(*asked)
            for player in floor.players:
                if floor.books.purse_cents(player) < 1_000_00:
                    await floor.pit.cage.fill(player, 5_000_00)
    key.write_text(f"croupier-master-key-1 {KEY.hex()}\n")
    witness.close(store, key)
    return sender, witness


def told(store: Store, sender: Sender, witness: Witness) -> None:
    print(
        f"repeated commands, {type(store).__name__}: {len(witness.sent)} commands sent "
        f"{sender.copies} times and {sender.dropped} lines broken, {sender.reused} ids misused, "
        f"{len(witness.faults)} faults, seed {SEED!r}"
    )


def test_a_command_has_one_effect_and_one_answer(store: Store, tmp_path: Path) -> None:
    sender, witness = run(repeated(store, 300, tmp_path / "key"))
    told(store, sender, witness)
    assert witness.faults == []
    assert sender.copies > 600 and sender.dropped > 100


@pytest.mark.long
def test_ten_thousand_commands_have_one_effect_each(store: Store, tmp_path: Path) -> None:
    sender, witness = run(repeated(store, 10_000, tmp_path / "key"))
    told(store, sender, witness)
    assert witness.faults == []


def test_the_copies_find_a_table_that_forgets_ids(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = set[str]()

    def claimed(command: str, digest: bytes, stream: str, expected: Head) -> Claim:
        new = command if command not in seen else f"{command}~{expected.number}"
        seen.add(command)
        return Claim(new, digest, stream, expected)

    monkeypatch.setattr(turn, "Claim", claimed)
    try:
        _, witness = run(repeated(store, 30, tmp_path / "key"))
    except AssertionError as found:
        assert "done" in str(found)
        return
    assert witness.faults != []


# ---------------------------------------------------------------- chips, and lines that break


async def chips_twice(store: Store) -> list[str]:
    async with Floor(store, "md1", seed=SEED).opened() as floor:
        asking = [floor.pit.cage.issue("carl") for _ in range(4)]
        given = await asyncio.gather(*asking, return_exceptions=True)
        assert floor.books.purse_cents("carl") == floor.pit.config.guest_chips_cents
        return [one.code for one in given if isinstance(one, Refused)]


def test_chips_asked_for_four_times_at_once_are_given_once(store: Store) -> None:
    assert run(chips_twice(store)) == ["enough_chips"] * 3


NOTHING: dict[str, Any] = {"clock": None, "you": None, "scene": None, "v": 0, "own": {}}


async def line_closed() -> str:
    class Socket:
        async def send(self, _: str) -> None: ...

        async def recv(self) -> str:
            return json.dumps({"type": "welcome", **NOTHING})

        async def close(self) -> None: ...

        def __aiter__(self) -> "Socket":
            return self

        async def __anext__(self) -> str:
            await asyncio.Event().wait()
            return ""

    table = TableClient(Client(""), "md1", watch=True)
    with patch("croupier.client.connect", AsyncMock(return_value=Socket())):
        await table.connect()
    asking = asyncio.create_task(table.ask({"type": "ping", "id": "1"}))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await table.close()
    answers = await asyncio.gather(asking, return_exceptions=True)
    return repr(answers[0])


def test_a_client_that_waits_is_told_that_the_connection_closed() -> None:
    assert run(line_closed()) == "ConnectionError('the connection broke')"
