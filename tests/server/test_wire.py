"""The socket under a viewer: frames as others write them, and several of them at once."""

import asyncio
from functools import partial

import pytest
from websockets.frames import Frame, Opcode

from croupier.server.outbox import FRAMES_MAX, Mail, Viewer
from croupier.server.wire import framed


@pytest.mark.parametrize("size", [0, 1, 124, 125, 126, 127, 65_534, 65_535, 65_536, 100_000])
def test_frames_are_those_of_another_library(size: int) -> None:
    for text in ("x" * size, "é" * (size // 2) + "x" * (size % 2)):
        assert framed(text) == Frame(Opcode.TEXT, text.encode()).serialize(mask=False)


def test_frames_of_one_moment_and_the_answer_go_out_together() -> None:
    async def moment() -> list[tuple[str, list[str]]]:
        mail, written = Mail(), list[tuple[str, list[str]]]()
        viewers = [Viewer(name, name) for name in ("ann", "bob")]

        def write(viewer: Viewer) -> None:
            written.append((viewer.name, viewer.take()))

        for viewer in viewers:
            viewer.attach(partial(mail.soon, partial(write, viewer)))
        await asyncio.sleep(0.01)
        written.clear()
        answer = asyncio.get_running_loop().create_future()

        async def ask() -> None:
            viewers[0].send(await answer)

        asking = asyncio.create_task(ask())
        await asyncio.sleep(0)
        for viewer in viewers:
            viewer.send("news")
        answer.set_result("done")
        await asking
        await asyncio.sleep(0.01)
        return written

    found = asyncio.run(moment())
    assert dict(found) == {"ann": ["news", "done"], "bob": ["news"]}
    assert len(found) == 2


def test_a_viewer_whose_socket_takes_nothing_is_cut_when_too_much_waits() -> None:
    async def moment() -> tuple[int, bool]:
        stirred = 0

        def stir() -> None:
            nonlocal stirred
            stirred += 1

        viewer = Viewer("ann", "Ann")
        viewer.attach(stir)
        for number in range(FRAMES_MAX + 1):
            viewer.send(str(number))
        return stirred, viewer.slow

    assert asyncio.run(moment()) == (FRAMES_MAX + 2, True)
