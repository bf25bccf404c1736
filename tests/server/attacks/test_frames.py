"""Frames that say nothing: pings, pongs and fragments count, and a flood closes the socket."""

import asyncio
import json
from pathlib import Path

import pytest
from websockets.frames import Frame, Opcode
from websockets.server import ServerProtocol

from croupier.server import wire
from tests.server.attacks.houses import House
from tests.server.attacks.test_sockets import run


def frames_of(*, opcode: Opcode, data: bytes, fin: bool) -> bytes:
    return Frame(opcode, data, fin=fin).serialize(mask=True)


FLOODS = {
    "pings": (b"", frames_of(opcode=Opcode.PING, data=b"", fin=True)),
    "pongs": (b"", frames_of(opcode=Opcode.PONG, data=b"x" * 125, fin=True)),
    "empty fragments": (
        frames_of(opcode=Opcode.TEXT, data=b"", fin=False),
        frames_of(opcode=Opcode.CONT, data=b"", fin=False),
    ),
    "fragments of a byte": (
        frames_of(opcode=Opcode.BINARY, data=b"x", fin=False),
        frames_of(opcode=Opcode.CONT, data=b"x", fin=False),
    ),
    "messages in two fragments": (
        b"",
        frames_of(opcode=Opcode.TEXT, data=b"{", fin=False)
        + frames_of(opcode=Opcode.CONT, data=b"}", fin=True),
    ),
    "empty messages": (b"", frames_of(opcode=Opcode.TEXT, data=b"", fin=True)),
}


@pytest.mark.parametrize("flood", FLOODS.values(), ids=FLOODS)
def test_frames_that_say_nothing_are_counted_and_cut(
    tmp_path: Path, flood: tuple[bytes, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a megabyte of frames a socket has a few hundred parsed, in small pieces, and is closed."""
    parsed: list[int] = []
    receive = ServerProtocol.receive_data

    def counted(self: ServerProtocol, data: bytes) -> None:
        before = len(self.events)
        receive(self, data)
        parsed.append(len(self.events) - before)

    monkeypatch.setattr(ServerProtocol, "receive_data", counted)

    async def attack(house: House) -> None:
        other = await (await house.person("Ann Ash")).line("maryland")
        floods = [await house.knock("maryland") for _ in range(4)]
        for line in floods:
            await line.came.wait()
        parsed.clear()
        first, rest = flood
        for line in floods:
            line.socket.transport.write(first + rest * (1_000_000 // len(rest)))
        await asyncio.gather(other.do("ping"), *(line.closed() for line in floods))
        assert {line.code for line in floods} == {1008}
        assert max(parsed) <= wire.PIECE // 6 + 1
        total = sum(parsed)
        assert total < 4 * 1_500
        await other.do("ping")
        assert len(house.galleries["maryland"].viewers) == 1
        noted = [json.loads(text)["event"] for text in house.lines.getvalue().splitlines()]
        assert 1 <= noted.count("socket_flood") <= 4

    run(attack, tmp_path, messages=None)


def test_a_message_may_come_in_some_fragments_and_with_pings_between(tmp_path: Path) -> None:
    async def attack(house: House) -> None:
        line = await (await house.person("Ann Ash")).line("maryland")
        for number in range(3):
            text = json.dumps({"type": "ping", "id": f"p{number}"}).encode()
            sent = frames_of(opcode=Opcode.TEXT, data=text[:1], fin=False)
            for at in range(1, len(text) - 1):
                sent += frames_of(opcode=Opcode.CONT, data=text[at : at + 1], fin=False)
            sent += frames_of(opcode=Opcode.PING, data=b"p", fin=True)
            sent += frames_of(opcode=Opcode.CONT, data=text[-1:], fin=True)
            line.socket.transport.write(sent)
            assert (await line.answer(f"p{number}", 0))["type"] == "done"

    run(attack, tmp_path)
