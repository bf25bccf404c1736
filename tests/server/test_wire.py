"""The socket under a viewer: short texts as another library writes them, and news at once."""

import asyncio
from types import SimpleNamespace
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from croupier.gallery.outbox import FRAMES_MAX, Board, Mail, Viewer
from croupier.server import sockets
from croupier.server.pages import practice
from croupier.server.wire import short_text, wire_of
from tests.gallery.noted import noted


@given(st.text(), st.binary(min_size=1, max_size=20))
def test_short_texts_are_read_as_another_library_writes_them(text: str, more: bytes) -> None:
    data = text.encode()
    frame = Frame(Opcode.TEXT, data).serialize(mask=True)
    assert short_text(frame) == (text if len(data) <= 125 else None)
    assert short_text(frame[:-1]) is None
    assert short_text(frame + more) is None


def test_only_whole_masked_texts_are_short_texts() -> None:
    assert short_text(Frame(Opcode.TEXT, b"x").serialize(mask=True)) == "x"
    for frame in (
        Frame(Opcode.TEXT, b"\xff"),
        Frame(Opcode.TEXT, b"x", fin=False),
        Frame(Opcode.BINARY, b"x"),
        Frame(Opcode.CONT, b"x"),
        Frame(Opcode.PING, b"x"),
        Frame(Opcode.CLOSE, b"\x03\xe8"),
    ):
        assert short_text(frame.serialize(mask=True)) is None
    assert short_text(Frame(Opcode.TEXT, b"a" * 9).serialize(mask=False)) is None
    squeezed = Frame(Opcode.TEXT, b"x").serialize(mask=True)
    assert short_text(bytes([squeezed[0] | 0x40]) + squeezed[1:]) is None
    assert short_text(b"") is None


def test_news_goes_out_with_the_answer_and_a_moment_later_to_all_others() -> None:
    async def moment() -> list[list[list[str]]]:
        answers, board = Mail(), Board(Mail(0.05))
        viewers = [Viewer(name, name) for name in ("ann", "bob")]

        for viewer in viewers:
            board.come(viewer)
        sockets = [noted(viewer, answers.put) for viewer in viewers]
        await asyncio.sleep(0.01)
        answer = asyncio.get_running_loop().create_future()

        async def ask() -> None:
            viewers[0].send(await answer)

        asking = asyncio.create_task(ask())
        await asyncio.sleep(0)
        board.tell("news")
        answer.set_result("done")
        await asking
        await asyncio.sleep(0.01)
        board.tell("more")
        await asyncio.sleep(0.1)
        return [socket.batches for socket in sockets]

    ann, bob = asyncio.run(moment())
    assert ann == [["news", "done"], ["more"]]
    assert bob == [["news", "more"]]


def test_a_viewer_whose_socket_takes_nothing_is_cut_when_too_much_waits() -> None:
    async def moment() -> tuple[int, bool]:
        viewer = Viewer("ann", "Ann")
        socket = noted(viewer)
        socket.writable.clear()
        for number in range(FRAMES_MAX):
            viewer.send(str(number))
        assert not viewer.slow and not socket.closes
        viewer.send("one more")
        return socket.closes, viewer.slow

    assert asyncio.run(moment()) == (1, True)


def test_a_client_that_left_before_the_conversation_is_nobody() -> None:
    """What a closed socket told of itself is cleared, also while its table changes hands."""
    gone: Any = SimpleNamespace(scope={"extensions": {}})
    assert wire_of(gone.scope) is None
    nobody: Any = None
    asyncio.run(sockets.serve_socket(gone, nobody, nobody))
    asyncio.run(practice.serve_socket(gone, nobody, nobody))
