"""The folder of a house: one server at a time, the ledger's own keys, and no older ledger."""

import asyncio
import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from croupier.errors import UserError
from croupier.fairness.seal import format_key
from croupier.house.folder import House, opened_house
from croupier.house.keys import MASTER, SIGNING
from croupier.ledger.journal import Head
from croupier.ledger.stores.marks import CHECKPOINTS, HIGH_WATER, LEDGER, marks_in
from croupier.ledger.stores.restoring import restore
from croupier.ledger.verify import verify
from tests.server.durability.floors import Floor
from tests.server.durability.tables import rules_of

OTHER = format_key(bytes(range(32)))
BOTH = pytest.mark.parametrize("name", [MASTER, SIGNING])


async def _played(house: House, until: str, later_s: float = 0) -> str:
    """Play until the dealer is to do something, and close the house; return the open round."""
    floor = Floor(house.store, "md1", key=house.keys.master, signing=house.signing())
    floor.books.older_keys = house.keys.older
    floor.clock.now_s += later_s
    await floor.open()
    await floor.until(until)
    round = floor.table.place.standing.in_play
    assert round and not round.void
    await floor.close()
    return round.id


def play(folder: Path, until: str = "deal", *, later_s: float = 0) -> str:
    with opened_house(folder) as house:
        return asyncio.run(_played(house, until, later_s))


def heads(folder: Path) -> dict[str, Head]:
    with opened_house(folder) as house, house.store.reading() as view:
        return view.heads()


def refusal(folder: Path) -> str:
    """Why a house does not open."""
    with pytest.raises(UserError) as refused, opened_house(folder):
        pass
    assert refused.value.exit_code == 2
    return str(refused.value)


def mode(file: Path) -> int:
    return stat.S_IMODE(file.stat().st_mode)


# ---------------------------------------------------------------- one server


def by_symbolic_link(data: Path, other: Path) -> None:
    (other / LEDGER).symlink_to(data / LEDGER)


def by_hard_link(data: Path, other: Path) -> None:
    (other / LEDGER).hardlink_to(data / LEDGER)


@pytest.mark.parametrize("link", [by_symbolic_link, by_hard_link])
def test_a_ledger_has_one_server_whatever_folder_leads_to_it(
    tmp_path: Path, link: Callable[[Path, Path], None]
) -> None:
    data, other = tmp_path / "data", tmp_path / "other"
    play(data)
    other.mkdir()
    link(data, other)
    for key in (MASTER, SIGNING):
        shutil.copy(data / key, other / key)
    with opened_house(data) as house:
        assert refusal(other) == "--data: another server has this ledger open"
        with house.store.reading() as view:
            before = view.heads()
    assert heads(other) == before, "when the first has closed, the second may open"


def test_the_same_folder_by_another_path_is_open_already(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "data")
    with opened_house(tmp_path / "data"):
        assert "another server has link open" in refusal(tmp_path / "link")


def test_nobody_else_can_read_a_ledger(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with opened_house(tmp_path) as house:
            asyncio.run(_played(house, "deal"))
            assert {mode(file) for file in tmp_path.glob(f"{LEDGER}*")} == {0o600}
            assert {mode(tmp_path / key) for key in (MASTER, SIGNING)} == {0o600}
            house.store.backup(tmp_path / "backup.db")
            assert mode(tmp_path / "backup.db") == 0o600
        (tmp_path / LEDGER).chmod(0o644)
        with opened_house(tmp_path):
            assert mode(tmp_path / LEDGER) == 0o640, "who made it readable for a group meant it"
    finally:
        os.umask(before)


def test_a_closed_ledger_is_complete_without_its_log(tmp_path: Path) -> None:
    with opened_house(tmp_path) as house:
        asyncio.run(_played(house, "deal"))
        reader = house.store.snapshot()
        with reader as session:  # Somebody reads while the house closes.
            assert list(session.rows("SELECT 1"))
        assert (tmp_path / f"{LEDGER}-wal").stat().st_size > 0
    log = tmp_path / f"{LEDGER}-wal"
    assert not log.exists() or log.stat().st_size == 0
    (tmp_path / "alone").mkdir()
    shutil.copy(tmp_path / LEDGER, tmp_path / "alone" / LEDGER)
    shutil.copy(tmp_path / MASTER, tmp_path / "alone" / MASTER)
    shutil.copy(tmp_path / SIGNING, tmp_path / "alone" / SIGNING)
    assert heads(tmp_path / "alone") == heads(tmp_path)


# ---------------------------------------------------------------- the ledger's keys


@BOTH
def test_a_missing_key_is_not_made_anew_and_no_round_is_called_off(
    tmp_path: Path, name: str
) -> None:
    round = play(tmp_path)
    before, kept = heads(tmp_path), tmp_path / "elsewhere"
    (tmp_path / name).rename(kept)
    said = refusal(tmp_path)
    assert said.startswith(f"{name}: is missing from {tmp_path}") and "back" in said
    assert not (tmp_path / name).exists()
    kept.rename(tmp_path / name)
    assert heads(tmp_path) == before, "nothing was written meanwhile"
    assert play(tmp_path, "settle") == round, "it goes on with its cards"


@BOTH
def test_another_key_is_refused(tmp_path: Path, name: str) -> None:
    round = play(tmp_path)
    own = (tmp_path / name).read_text()
    (tmp_path / name).write_text(OTHER)
    said = refusal(tmp_path)
    assert said.startswith(f"{name}: this is the key ") and "the ledger's is" in said
    assert OTHER.split()[1] not in said and own.split()[1] not in said, "no secret is told"
    (tmp_path / name).write_text(own)
    assert play(tmp_path, "settle") == round


def without_ids(folder: Path) -> None:
    """Make a ledger one of an earlier version, which did not know its keys."""
    with opened_house(folder) as house, house.store.writing() as session:
        session.run("DELETE FROM house")


def test_a_ledger_of_an_earlier_version_adopts_the_keys_that_fit(tmp_path: Path) -> None:
    round = play(tmp_path)
    without_ids(tmp_path)
    assert play(tmp_path, "settle") == round
    (tmp_path / MASTER).write_text(OTHER)
    assert "the ledger's is" in refusal(tmp_path)


@pytest.mark.parametrize(
    ("name", "said"),
    [(MASTER, "does not open the decks"), (SIGNING, "signed with another key")],
)
def test_a_ledger_of_an_earlier_version_refuses_keys_that_do_not_fit(
    tmp_path: Path, name: str, said: str
) -> None:
    round = play(tmp_path)
    without_ids(tmp_path)
    own = (tmp_path / name).read_text()
    (tmp_path / name).write_text(OTHER)
    assert said in refusal(tmp_path)
    (tmp_path / name).unlink()
    assert "is missing" in refusal(tmp_path)
    (tmp_path / name).write_text(own)
    (tmp_path / name).chmod(0o600)
    assert play(tmp_path, "settle") == round


def test_keys_that_were_being_made_are_finished(tmp_path: Path) -> None:
    with opened_house(tmp_path) as house:
        keys = house.keys
    for name in (MASTER, SIGNING):
        (tmp_path / name).rename(tmp_path / f"{name}.new")
    with opened_house(tmp_path) as house:
        assert house.keys == keys
    for name in (MASTER, SIGNING):
        (tmp_path / name).rename(tmp_path / f"{name}.new")
    (tmp_path / f"{MASTER}.new").write_text(OTHER)
    assert "master.key: is missing" in refusal(tmp_path)


def test_keys_that_no_ledger_knows_yet_are_made_again(tmp_path: Path) -> None:
    for name in (MASTER, SIGNING):
        (tmp_path / f"{name}.new").write_text(OTHER)
    with opened_house(tmp_path) as house:
        assert house.keys.master != bytes(range(32))


def test_a_ledger_is_not_made_beside_keys(tmp_path: Path) -> None:
    play(tmp_path)
    (tmp_path / LEDGER).unlink()
    assert "ledger.db is missing beside master.key" in refusal(tmp_path)
    assert not (tmp_path / LEDGER).exists()
    (tmp_path / LEDGER).touch()
    assert "the ledger is empty, but master.key is that of another" in refusal(tmp_path)


# ---------------------------------------------------------------- an older ledger


def copied(folder: Path, to: Path) -> None:
    shutil.copy(folder / LEDGER, to)


@pytest.mark.parametrize("forgotten", [(), (CHECKPOINTS,), (HIGH_WATER,)])
def test_an_older_ledger_is_refused(tmp_path: Path, forgotten: tuple[str, ...]) -> None:
    folder, old = tmp_path / "data", tmp_path / "old.db"
    play(folder)
    copied(folder, old)
    play(folder, "settle")
    for name in forgotten:
        (folder / name).unlink()
    newer = (folder / LEDGER).read_bytes()
    copied_back = shutil.copy(old, folder / LEDGER)
    said = refusal(folder)
    assert "the ledger is older than" in said and "md1 is not there" in said and "restore" in said
    Path(copied_back).write_bytes(newer)
    assert heads(folder)["md1"] == marks_in(folder)[0].heads["md1"]


def test_another_history_of_the_same_length_is_refused(tmp_path: Path) -> None:
    folder, old = tmp_path / "data", tmp_path / "old.db"
    play(folder)
    copied(folder, old)
    play(folder, "settle")
    kept = {name: (folder / name).read_bytes() for name in (CHECKPOINTS, HIGH_WATER)}
    for name in kept:
        (folder / name).unlink()
    shutil.copy(old, folder / LEDGER)
    play(folder, "settle", later_s=60)
    for name, data in kept.items():
        (folder / name).write_bytes(data)
    assert "of md1 differs" in refusal(folder)


def test_torn_marks_say_nothing(tmp_path: Path) -> None:
    play(tmp_path)
    last = marks_in(tmp_path)[0]
    with (tmp_path / CHECKPOINTS).open("a") as file:
        file.write('{"heads":{"md1":[9')
    (tmp_path / HIGH_WATER).write_text("")
    assert marks_in(tmp_path) == [last]
    assert heads(tmp_path)


def test_a_forced_restore_opens_and_deals_no_round_again(tmp_path: Path) -> None:
    """D9: what was lost is in the journal, and the ids of lost rounds are never given again."""
    folder, backup = tmp_path / "data", tmp_path / "backup.db"
    first = play(folder)
    with opened_house(folder) as house:
        house.store.backup(backup)
        asyncio.run(until_round(house, 3))
    (folder / LEDGER).unlink()
    with pytest.raises(UserError, match="lacks events"):
        _restored(folder, backup, forced=False)
    (folder / LEDGER).unlink()
    lost = _restored(folder, backup, forced=True)
    assert lost["md1"] > 0
    assert play(folder, "settle") == first
    with opened_house(folder) as house:
        ids = asyncio.run(until_round(house, 3))
        with house.store.reading() as view:
            assert verify(view, rules_of).faults == ()
    assert first == "md1-1" and ids[0] != "md1-2" and ids[0].endswith("-2")
    copied(folder, tmp_path / "newer.db")
    shutil.copy(backup, folder / LEDGER)
    assert "older than" in refusal(folder), "what was forced once does not hold for another time"


def _restored(folder: Path, backup: Path, *, forced: bool) -> dict[str, int]:
    from contextlib import closing

    from croupier.ledger.stores.sqlite import SqliteStore

    with closing(SqliteStore(folder / LEDGER, make=True)) as store:
        now_ms = max(mark.time_ms for mark in marks_in(folder)) + 1
        return restore(
            store,
            backup,
            rules_of,
            marks=marks_in(folder),
            forced_at_ms=now_ms if forced else None,
        )


async def until_round(house: House, number: int) -> list[str]:
    """Play on until so many rounds were opened; return the ids of those that were opened here."""
    floor = Floor(house.store, "md1", key=house.keys.master, signing=house.signing())
    floor.books.older_keys = house.keys.older
    floor.clock.now_s += 1_000
    await floor.open()
    ids: list[str] = []
    before = floor.table.rounds
    while floor.table.rounds < number:
        assert await floor.act()
        if floor.table.rounds > before + len(ids):
            round = floor.table.place.standing.in_play
            ids.append(round.id if round else "")
    await floor.close()
    return ids
