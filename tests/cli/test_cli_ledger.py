"""`croupier ledger`, on both databases, and restoring."""

import json
import sys
from pathlib import Path
from unittest.mock import patch

import apsw
import pytest

from croupier.errors import UserError
from croupier.ledger.checkpoints import parse_checkpoints, sign
from croupier.ledger.journal import Head
from croupier.ledger.stores import open_postgres
from croupier.ledger.stores.marks import check_marks, marks_in, write_high_water
from croupier.ledger.stores.protocol import Store
from croupier.ledger.stores.restoring import restore
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.verify import verify
from tests.cli.running import run
from tests.ledger.contract import SECRET, everything
from tests.ledger.servers import new_database
from tests.ledger.tables import Dealer, Till, rules_of
from tests.rules.books import MARYLAND


def fill(store: Store, rounds: int = 2) -> None:
    dealer = Dealer(Till(store, "t1"))
    for number in range(1, rounds + 1):
        dealer.play(f"r{number}", f"round {number}")


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    store = SqliteStore(tmp_path / "ledger.db", make=True)
    fill(store)
    store.close()
    return tmp_path / "ledger.db"


def signed_by(ledger: Path, secret: str = "secret") -> None:
    """Sign a ledger as it stands."""
    words = ("--secret", str(ledger.with_name(secret)), "-o", str(ledger.with_name("signed")))
    assert run("ledger", "checkpoint", "--data", str(ledger), *words).code == 0


# ---------------------------------------------------------------- looking


def test_a_sound_ledger_verifies(ledger: Path) -> None:
    ran = run("ledger", "verify", "--data", str(ledger))
    assert (ran.code, ran.err) == (1, "")
    last = "1 stream, 38 events, 18 entries, 0 checkpoints: consistent, but NOT SIGNED"
    assert ran.out.splitlines()[-1] == last
    signed_by(ledger)
    ran = run("ledger", "verify", "--data", str(ledger))
    assert (ran.code, ran.err) == (0, "")
    last = "1 stream, 38 events, 18 entries, 1 checkpoint: verifies"
    assert ran.out.splitlines()[-1] == last
    data = run("ledger", "verify", "--quick", "--data", str(ledger), "--json").data
    assert (data["verifies"], data["events"], data["entries"], data["faults"]) == (True, 38, 0, [])
    quick = run("ledger", "verify", "--quick", "--data", str(ledger))
    assert "verifies" not in quick.out and quick.out.endswith("1 checkpoint: hash chains hold\n")
    assert data["heads"]["t1"]["number"] == 38


def test_a_tampered_ledger_ends_with_1_and_names_the_first_bad_event(ledger: Path) -> None:
    connection = apsw.Connection(str(ledger))
    connection.execute("DROP TRIGGER events_stay")
    connection.execute("UPDATE events SET data = CAST(data || ' ' AS BLOB) WHERE number IN (7, 9)")
    connection.close()
    ran = run("ledger", "verify", "--data", str(ledger))
    assert (ran.code, ran.err) == (1, "")
    assert ran.out.startswith("t1 event 7: its hash is not that of its bytes\n")
    assert run("ledger", "verify", "--data", str(ledger), "--json").data["verifies"] is False


def test_balances_come_to_nothing_together(ledger: Path) -> None:
    data = run("ledger", "balance", "--data", str(ledger), "--json").data
    assert data.keys() == {"cage", "inventory:t1", "player:p1", "player:p2"}
    assert sum(int(text.replace(".", "")) for text in data.values()) == 0
    one = run("ledger", "balance", "cage", "--data", str(ledger), "--json").data
    assert one == {"cage": "-200000000.000000"}
    shown = run("ledger", "balance", "--data", str(ledger)).out
    assert shown.splitlines()[-1].split() == ["all", "together", "0.000000"]


def test_a_history_begins_with_the_latest(ledger: Path) -> None:
    words = ("ledger", "history", "player:p1", "--data", str(ledger))
    data = run(*words, "--limit", "3", "--json").data
    assert [row["event"] for row in data] == sorted((row["event"] for row in data), reverse=True)
    assert len(data) == 3
    assert run(*words).out.splitlines()[-1].split() == [
        *("t1#2/1", "cage", "player:p1", "100000000.000000", "bought")
    ]


def test_a_round_is_shown_with_all_that_belongs_to_it(ledger: Path) -> None:
    data = run("ledger", "round", "r2", "--data", str(ledger), "--json").data
    assert (data["round"], data["stream"], data["rulebook"]) == ("r2", "t1", MARYLAND)
    assert [event["event"]["type"] for event in data["events"]][:1] == ["Opened"]
    assert data["settlement"]["rulebook"] == MARYLAND
    assert {entry["id"].split("/")[0] for entry in data["entries"]} == {"r2"}
    shown = run("ledger", "round", "r2", "--data", str(ledger)).out
    assert shown.startswith("  1  Place your bets.\n")
    assert "\nHouse " in shown
    assert "r2/2/1" in shown


def test_a_round_that_is_being_played_is_shown_so_far(ledger: Path) -> None:
    store = SqliteStore(ledger)
    till = Till(store, "t1")
    with store.reading() as view:
        till.scribe.read(view.stream("t1"))
    till.commands = 1000
    dealer = Dealer(till)
    for _, happened in zip(range(4), dealer.commands("r3", "three"), strict=False):
        till.put(*happened)
    store.close()
    data = run("ledger", "round", "r3", "--data", str(ledger), "--json").data
    assert data["settlement"] is None
    assert [entry["code"] for entry in data["entries"]] == ["staked", "staked"]
    assert run("ledger", "round", "r3", "--data", str(ledger)).out.count("House") == 0


def test_both_databases_say_the_same(server: str, ledger: Path) -> None:
    where = new_database(server)
    store = open_postgres(where, make=True)
    fill(store)
    store.close()
    for words in (("verify",), ("balance",), ("history", "player:p2"), ("round", "r1")):
        ran = run("ledger", *words, "--database", where, "--json")
        assert ran.data == run("ledger", *words, "--data", str(ledger), "--json").data


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("verify",), "say where the ledger is: --data FILE or --database URL"),
        (("verify", "--data", "a.db"), "--data: there is no ledger a.db"),
        (("verify", "--data", "DATA", "--key", "12"), "--key: must be 64 digits from 0 to f"),
        (("balance", "player:eve", "--data", "DATA"), "ACCOUNT: there is no account player:eve"),
        (("history", "eve", "--data", "DATA"), "account: 'eve' is not one of bank:…, cage"),
        (("history", "player:eve", "--data", "DATA"), "ACCOUNT: there is no account player:eve"),
        (("round", "r9", "--data", "DATA"), "ID: there is no round r9"),
        (("restore", "b.db", "--data", "DATA"), "BACKUP: there is no file b.db"),
        (("backup", "-o", "DATA", "--data", "DATA"), "--output: ledger.db exists already"),
    ],
)
def test_mistakes_are_one_sentence(ledger: Path, words: tuple[str, ...], says: str) -> None:
    ran = run("ledger", *(str(ledger) if word == "DATA" else word for word in words))
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"croupier: {says}")


def test_a_missing_package_is_named() -> None:
    with patch.dict(sys.modules, {"psycopg": None}):
        for name in [name for name in sys.modules if name.startswith("croupier.ledger.stores.")]:
            del sys.modules[name]  # They have the package already.
        ran = run("ledger", "verify", "--database", "postgresql://nowhere/ledger")
    assert (ran.code, ran.out) == (3, "")
    assert ran.err.startswith("croupier: a ledger in PostgreSQL needs the extra 'postgres': ")


# ---------------------------------------------------------------- checkpoints and backups


def test_a_checkpoint_is_signed_and_added_to_a_file(ledger: Path, tmp_path: Path) -> None:
    secret, file = tmp_path / "secret", tmp_path / "checkpoints"
    words = ("--data", str(ledger), "--secret", str(secret), "--output", str(file))
    for number in (1, 2):
        ran = run("ledger", "checkpoint", *words)
        assert ran.out.startswith(f"checkpoint {number}, signed with the key ")
    assert secret.stat().st_mode & 0o777 == 0o600
    kept = parse_checkpoints(file.read_text())
    assert [checkpoint.number for checkpoint in kept] == [1, 2]
    key = ("--key", kept[0].key.hex(), "--checkpoints", str(file))
    assert run("ledger", "verify", "--data", str(ledger), *key).code == 0
    other = ("--key", "00" * 32)
    assert run("ledger", "verify", "--data", str(ledger), *other).code == 1
    secret.write_text("nothing")
    assert (
        run("ledger", "checkpoint", *words).err
        == "croupier: --secret: secret holds no secret key\n"
    )


def test_a_ledger_that_was_cut_off_is_found_by_a_kept_checkpoint(
    ledger: Path, tmp_path: Path
) -> None:
    store = SqliteStore(ledger)
    heads = everything(store)["heads"]
    store.close()
    file = tmp_path / "kept"
    file.write_text(f"{sign(SECRET, 1, heads, time_ms=1)}\n")
    shorter = SqliteStore(tmp_path / "shorter.db", make=True)
    fill(shorter, 1)
    shorter.close()
    words = ("ledger", "verify", "--data", str(tmp_path / "shorter.db"))
    assert "FAILS" not in run(*words).out, "alone, it is consistent"
    ran = run(*words, "--checkpoints", str(file))
    assert ran.code == 1
    assert "is missing; a checkpoint goes on to event 38" in ran.out


def test_backup_and_restore(ledger: Path, tmp_path: Path) -> None:
    copy, new = str(tmp_path / "copy.db"), str(tmp_path / "new.db")
    assert run("ledger", "backup", "--data", str(ledger), "-o", copy).out == "written to copy.db\n"
    assert run("ledger", "restore", copy, "--data", new).out == "restored\n"
    verified = [run("ledger", "verify", "--data", file).out for file in (str(ledger), copy, new)]
    assert len(set(verified)) == 1
    ran = run("ledger", "restore", copy, "--data", new)
    assert (ran.code, ran.err) == (2, "croupier: --data: is not empty\n")


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (6, "an older version of Croupier (schema 6, not 7); open it with that version, or start"),
        (8, "a newer version of Croupier (schema 8, not 7); upgrade Croupier to open it"),
    ],
)
def test_a_ledger_or_backup_of_another_version_is_refused(
    ledger: Path, tmp_path: Path, number: int, said: str
) -> None:
    connection = apsw.Connection(str(ledger))
    connection.execute("UPDATE migrations SET number = ?", (number,))
    connection.close()
    new = tmp_path / "new.db"
    for words, field in (
        (("verify", "--data", str(ledger)), "--data"),
        (("restore", str(ledger), "--data", str(new)), "BACKUP"),
    ):
        ran = run("ledger", *words)
        assert (ran.code, ran.out) == (2, "")
        assert ran.err.startswith(f"croupier: {field}: {ledger.name} was made by {said}")
    assert run("ledger", "balance", "--data", str(new)).out.split() == [
        "all",
        "together",
        "0.000000",
    ]


def test_a_backup_older_than_a_checkpoint_is_restored_only_by_force(tmp_path: Path) -> None:
    """D9: and then the journal says so."""
    store = SqliteStore(tmp_path / "ledger.db", make=True)
    dealer = Dealer(Till(store, "t1"))
    dealer.play("r1", "one")
    store.backup(tmp_path / "old.db")
    early = sign(SECRET, 1, everything(store)["heads"], time_ms=1)
    dealer.play("r2", "two")
    late = sign(SECRET, 2, everything(store)["heads"], time_ms=2)
    store.close()
    new = SqliteStore(tmp_path / "new.db", make=True)
    with pytest.raises(UserError, match="lacks events that a checkpoint has signed: 16 of t1"):
        restore(new, tmp_path / "old.db", rules_of, checkpoints=[early, late])
    assert everything(new)["heads"] == {}
    file = tmp_path / "kept"
    file.write_text(f"{early}\n{late}\n")
    words = ("restore", str(tmp_path / "old.db"), "--data", str(tmp_path / "new.db"))
    ran = run("ledger", *words, "--checkpoints", str(file), "--force")
    assert ran.out == "16 events of t1 are lost; the journal says so\nrestored\n"
    with new.reading() as view:
        (noted,) = view.stream("restores")
        assert json.loads(noted.data)["event"] == {"type": "Restored", "lost": {"t1": 16}}
        assert verify(view, rules_of, checkpoints=[early]).faults == ()
    new.close()


def test_a_backup_that_does_not_verify_is_not_restored(ledger: Path, tmp_path: Path) -> None:
    connection = apsw.Connection(str(ledger))
    connection.execute("UPDATE accounts SET micros = micros + 1 WHERE account = 'player:p1'")
    connection.close()
    new = SqliteStore(tmp_path / "new.db", make=True)
    with pytest.raises(UserError, match="does not verify: player:p1 stands at"):
        restore(new, ledger, rules_of)
    assert everything(new)["heads"] == {}
    new.close()


def test_a_restore_makes_the_folder_and_knows_what_a_server_noted_there(
    ledger: Path, tmp_path: Path
) -> None:
    backup, house = tmp_path / "backup.db", tmp_path / "houses" / "new"
    signed_by(ledger)
    assert run("ledger", "backup", "--data", str(ledger), "-o", str(backup)).code == 0
    ran = run("ledger", "restore", str(backup), "--data", str(house))
    assert (ran.code, ran.out) == (0, "restored\n")
    assert (house / "ledger.db").is_file()
    assert run("ledger", "verify", "--data", str(house)).code == 0
    (house / "ledger.db").unlink()
    write_high_water(house, {"t1": Head(40, bytes(32))}, time_ms=5)
    ran = run("ledger", "restore", str(backup), "--data", str(house))
    assert ran.code == 2 and "lacks events that were stored after it: 2 of t1" in ran.err
    ran = run("ledger", "restore", str(backup), "--data", str(house), "--force")
    assert ran.out == "2 events of t1 are lost; the journal says so\nrestored\n"
    store = SqliteStore(house / "ledger.db")
    with store.reading() as view:
        check_marks(view, marks_in(house))  # What was forced is not held against it.
    store.close()
    file = tmp_path / "files" / "again.db"
    assert run("ledger", "restore", str(backup), "--data", str(file)).code == 0
    assert file.is_file()


def test_another_key_does_not_sign_the_next_checkpoint(ledger: Path, tmp_path: Path) -> None:
    """It would make every later `verify` fail."""
    words = ("--data", str(ledger), "-o", str(tmp_path / "kept"))
    assert run("ledger", "checkpoint", *words, "--secret", str(tmp_path / "one.key")).code == 0
    other = run("ledger", "checkpoint", *words, "--secret", str(tmp_path / "other.key"))
    assert other.code == 2 and "that signed the last checkpoint" in other.err
    key = (tmp_path / "one.key").read_text()
    (tmp_path / "server.key").write_text(f"croupier-master-key-1 {key}")
    assert run("ledger", "checkpoint", *words, "--secret", str(tmp_path / "server.key")).code == 0
    ran = run("ledger", "verify", "--data", str(ledger), "--checkpoints", str(tmp_path / "kept"))
    assert ran.code == 0 and "2 checkpoints: verifies" in ran.out
