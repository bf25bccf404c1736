"""Backups that an operator makes of an open house."""

import asyncio
import os
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from croupier.errors import Bug
from croupier.house.backups import last_backup, make_backup
from croupier.house.folder import opened_house
from croupier.ledger.acts import HOUSE_STREAM, BackupMade, acts_in
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.verify import verify
from tests.house.floor import rules_of
from tests.rules.books import MARYLAND
from tests.schemas.checking import faults
from tests.server.attacks.houses import open_house, table_toml
from tests.server.test_staff import code_of


def test_a_backup_of_an_open_house_is_whole(tmp_path: Path) -> None:
    assert last_backup(tmp_path) is None
    with opened_house(tmp_path) as house:
        with house.store.reading() as view:
            heads = view.heads()
        first, second = (make_backup(house.store, tmp_path, at, keep=2) for at in (0, 60_000))
        assert first.file == "backups/ledger-19700101T000000Z.db"
        assert last_backup(tmp_path) == second and second.time_ms == 60_000
    copy = SqliteStore(tmp_path / second.file)
    with copy.reading() as view:
        assert view.heads() == heads and verify(view, rules_of).faults == ()
    copy.close()


def test_only_so_many_backups_are_kept_and_never_without_a_whole_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def kept() -> list[str]:
        return sorted(file.name for file in (tmp_path / "backups").iterdir())

    with opened_house(tmp_path) as house:
        made = [make_backup(house.store, tmp_path, 1000 * at, keep=3) for at in range(1, 9)]
        assert kept() == [Path(one.file).name for one in made[-3:]]
        late = make_backup(house.store, tmp_path, 0, keep=1)
        assert kept() == [Path(late.file).name], "the clock went back"

        def torn(to: Path) -> None:
            whole(to)
            os.truncate(to, to.stat().st_size // 2)

        whole = house.store.backup
        monkeypatch.setattr(house.store, "backup", torn)
        with pytest.raises(Bug, match="can't be read back"):
            make_backup(house.store, tmp_path, 20_000, keep=1)
        assert kept() == [Path(late.file).name], "the last good one stays"


def test_files_that_an_operator_put_beside_the_backups_stay(tmp_path: Path) -> None:
    place = tmp_path / "backups"
    place.mkdir()
    (tmp_path / "elsewhere.db").write_bytes(b"kept")
    (place / "ledger-19690101T000000Z.db").symlink_to(tmp_path / "elsewhere.db")
    (place / "ledger-19690102T000000Z.db").mkdir()
    for name in ("ledger-1969.db", "ledger-19690103T000000Z-copy.db", "ledger-the-first.db"):
        (place / name).write_bytes(b"kept")
    others = {*place.iterdir()}
    assert last_backup(tmp_path) is None
    with opened_house(tmp_path) as house:
        for at in (1_000, 2_000):
            made = make_backup(house.store, tmp_path, at, keep=1)
    assert {*place.iterdir()} == others | {tmp_path / made.file}
    assert last_backup(tmp_path) == made


def test_an_operator_makes_a_backup_and_the_journal_says_who(tmp_path: Path) -> None:
    async def main() -> None:
        async with open_house(tmp_path, table_toml(MARYLAND)) as house:
            boss, ann = await house.person("Boss Ash", "operator"), await house.person("Ann Ash")
            assert code_of(await ann.post("/api/backups")) == "not_allowed"
            assert code_of(await boss.post("/api/backups")) == "no_folder"
            folder: Any = SimpleNamespace(signing=SimpleNamespace(file=tmp_path / "x"))
            house.pit.checkpoints = folder
            made = (await boss.post("/api/backups")).json()
            assert (tmp_path / made["file"]).stat().st_size == made["bytes"] > 0
            house_page = (await boss.http.get("/house.json")).json()
            assert house_page["backup"] == made and faults("house", house_page) == []
            assert made["file"] in (await boss.http.get("/house")).text
            rows = await house.pit.books.read(lambda view: list(view.stream(HOUSE_STREAM)))
            acts = [act for _, act in acts_in(rows) if isinstance(act, BackupMade)]
            assert acts == [BackupMade(made["file"], boss.id)]
            assert (await house.verified()).faults == ()
            house.pit.checkpoints = None

    asyncio.run(main())
