"""Who sits at a table is learnt whenever the ledger answers again."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from croupier.ledger.store import Unavailable, Unsure
from croupier.server import attendance
from croupier.server.attendance import Attendance
from croupier.server.registry import Person


def test_names_are_learnt_once_the_ledger_answers_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attendance, "AGAIN_S", 0.01)
    failures: list[Exception] = [Unavailable("it is down"), Unsure("it broke")]
    barred: list[tuple[str, bool, bool]] = []

    async def find(player: str) -> Person | None:
        if failures:
            raise failures.pop()
        return Person(player, "Ann", frozenset(), False, True)

    def bar(player: str, *, disabled: bool, plays: bool) -> None:
        barred.append((player, disabled, plays))

    monkeypatch.setattr(attendance, "house_players", lambda *_: [])
    seats = SimpleNamespace(bar=bar)
    galleries: Any = SimpleNamespace(names={}, pit=SimpleNamespace(seats=seats))
    standing = SimpleNamespace(
        table=SimpleNamespace(seats={1: "p-1"}, crew={"d-1": "dealer"}, proposals=[])
    )
    looked: list[bool] = []
    place = SimpleNamespace(standing=standing)
    table: Any = SimpleNamespace(id="t", place=place, look_again=lambda: looked.append(True))
    people: Any = SimpleNamespace(find=find)

    async def run() -> None:
        attendance = Attendance(galleries, people)
        attendance.come(table)
        await attendance.settled()

    asyncio.run(run())
    assert galleries.names == {"p-1": "Ann", "d-1": "Ann"} and looked == [True] and failures == []
    assert barred == [("p-1", True, False)]
