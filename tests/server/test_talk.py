"""Messages over one socket: in order, one at a time, and not read too far ahead."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from croupier.gallery.outbox import Viewer
from croupier.house.table import Table
from croupier.server import talk
from croupier.server.guard import MESSAGES
from croupier.server.talk import READ_AHEAD, Talk
from tests.house.floor import one_table, pit_at, seated
from tests.rules.books import MARYLAND


class Wire:
    """Remembers whether more is taken from it."""

    def __init__(self) -> None:
        self.held = False

    def hold(self) -> None:
        self.held = True

    def go_on(self) -> None:
        self.held = False


def said(talks: Callable[[Talk, Wire], Any], folder: Path) -> list[dict[str, Any]]:
    """Let somebody who sits at seat 1 talk, and return the answers in their order."""

    async def main() -> list[dict[str, Any]]:
        async with pit_at(folder / "l.db", one_table(MARYLAND)) as pit:
            [ann] = await seated(pit, 1)
            wire: Any = Wire()
            viewer = Viewer(ann.id, ann.id)
            await talks(Talk(pit.tables["t"], viewer, wire, rate=MESSAGES), wire)
            frames = [json.loads(frame) for frame in viewer.take()]
            return [*frames, {"ended": viewer.code}] if viewer.ended else frames

    return asyncio.run(main())


def text(type: str, id: str, **fields: Any) -> str:
    return json.dumps({"type": type, "id": id, **fields})


async def until_answered(talk: Talk) -> None:
    async with asyncio.timeout(60):
        while talk.waits:
            await asyncio.sleep(0.001)


def test_what_is_said_at_once_is_answered_in_order(tmp_path: Path) -> None:
    """Including messages that need no storing, after those that do."""

    async def talks(talk: Talk, wire: Wire) -> None:
        talk.hear(text("ping", "1"))
        talk.hear(text("leave", "2", seat=1))
        talk.hear(text("ping", "3"))
        talk.hear(text("leave", "4", seat=1))
        talk.hear(text("sit", "5", seat=1).encode())
        await until_answered(talk)

    answers = said(talks, tmp_path)
    assert [(one["id"], one["type"]) for one in answers] == [
        ("1", "done"),
        ("2", "done"),
        ("3", "done"),
        ("4", "refused"),
        ("5", "done"),
    ]
    assert answers[2]["v"] == answers[1]["v"] == answers[0]["v"] + 1


def test_no_more_is_taken_while_much_waits(tmp_path: Path) -> None:
    async def talks(talk: Talk, wire: Wire) -> None:
        talk.hear(text("leave", "0", seat=1))
        for number in range(1, READ_AHEAD):
            talk.hear(text("ping", str(number)))
            assert not wire.held
        talk.hear(text("sit", str(READ_AHEAD), seat=1))
        assert wire.held
        await until_answered(talk)
        assert not wire.held

    assert [int(one["id"]) for one in said(talks, tmp_path)] == [*range(READ_AHEAD + 1)]


def test_hundreds_that_came_together_are_answered_and_most_of_them_refused(tmp_path: Path) -> None:
    async def talks(talk: Talk, wire: Wire) -> None:
        talk.hear(text("leave", "0", seat=1))
        for number in range(1, 200):
            talk.hear("nonsense" if number % 2 else text("ping", str(number)))
        await until_answered(talk)

    answers = said(talks, tmp_path)
    codes = [one.get("code", "done") for one in answers]
    assert len(answers) == 200 and codes[:3] == ["done", "not_json", "done"]
    assert codes.count("too_many") > 130 and codes[-1] == "too_many"


@pytest.mark.parametrize("fails", ["ask", "hear"])
def test_a_failure_ends_the_socket_and_is_logged(
    tmp_path: Path, fails: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    crashed: list[BaseException] = []
    monkeypatch.setattr(talk, "log_crash", lambda error, **_: crashed.append(error))

    async def talks(talk: Talk, wire: Wire) -> None:
        def fail(_: Table, *asked: Any, **__: Any) -> None:
            if fails == "hear":
                raise OSError("the disk is gone")
            asked[0].reply(OSError("the disk is gone"))

        monkeypatch.setattr(Table, fails, fail)
        talk.hear(text("leave", "0", seat=1))
        talk.hear(text("ping", "1"))

    assert said(talks, tmp_path) == [{"ended": 1011}]
    assert [str(error) for error in crashed] == ["the disk is gone"]
