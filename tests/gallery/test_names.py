"""What people are called is forgotten once they are long gone."""

from pathlib import Path

import pytest

from croupier.gallery import galleries
from croupier.gallery.outbox import Viewer
from tests.house.floor import OpenPit, one_table, opened, play
from tests.rules.books import MARYLAND


def test_names_of_those_who_left_long_ago_are_forgotten(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(galleries, "NAMES_MAX", 10)

    async def scenario(pit: OpenPit) -> None:
        shown = pit.galleries
        shown.call("p1", "Ada")
        await opened(pit, 1)
        shown.call("watches", "Bo")
        shown.welcome(Viewer("watches", "Bo"), "t")
        for number in range(100):
            shown.call(f"visitor {number}", "Cleo")
            assert len(shown.names) <= 10
        assert {"p1", "watches", "visitor 99", "visitor 98"} <= shown.names.keys()
        assert pit.scene()["seats"]["1"]["name"] == "Ada"
        assert "visitor 1" not in shown.names

    play(tmp_path, one_table(MARYLAND), scenario)
