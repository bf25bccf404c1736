"""Keys of a house: changed, with the old key's signature, and restored from a wrapped copy."""

import asyncio
import json
import shutil
from pathlib import Path

import pytest

from croupier.errors import UserError
from croupier.fairness.seal import key_id, parse_key
from croupier.house import keys
from croupier.house.folder import Opener, opened_house
from croupier.house.keyfile import unwrap, wrap
from croupier.house.keys import MASTER, SIGNING, vouching
from croupier.ledger.acts import HOUSE_STREAM, KeysSet, acts_in
from croupier.ledger.checkpoints import parse_checkpoints, sign
from croupier.ledger.stores.marks import CHECKPOINTS, LEDGER
from croupier.ledger.stores.protocol import Store
from croupier.ledger.tenure import CHECKPOINT
from croupier.ledger.verify import Verified, verify
from tests.cli.running import run
from tests.house.test_folder import play, refusal, until_round
from tests.ledger.servers import new_database
from tests.server.durability.tables import rules_of

PASSPHRASE = "correct horse battery"


def rotate(folder: Path) -> None:
    ran = run("ledger", "rotate-keys", "--data", str(folder))
    assert (ran.code, ran.err) == (0, "")


def verified(folder: Path, key: bytes | None = None) -> Verified:
    vouched = vouching(folder)
    assert vouched
    with opened_house(folder) as house, house.store.reading() as view:
        return verify(view, rules_of, key=key or vouched.key, opens=vouched.opens)


def public(folder: Path) -> bytes:
    vouched = vouching(folder)
    assert vouched
    return vouched.key


def test_a_round_goes_on_with_its_cards_after_the_keys_were_changed(tmp_path: Path) -> None:
    round = play(tmp_path)
    old, first = parse_key((tmp_path / MASTER).read_text()), public(tmp_path)
    rotate(tmp_path)
    new = parse_key((tmp_path / MASTER).read_text())
    assert new != old
    assert parse_key((tmp_path / f"master-{key_id(old)}.key").read_text()) == old
    assert play(tmp_path, "settle") == round, "its deck opens with the old key"
    with opened_house(tmp_path) as house:
        asyncio.run(until_round(house, 3))
        with house.store.reading() as view:
            keys = [a for _, a in acts_in(view.stream(HOUSE_STREAM)) if isinstance(a, KeysSet)]
            sealed = view.sealed("md1-2")
    assert [one.master for one in keys] == [key_id(old), key_id(new)]
    assert sealed and sealed[1:17].hex() == key_id(new), "a deck carries the id of its key"
    signers = {c.key for c in parse_checkpoints((tmp_path / CHECKPOINTS).read_text())}
    assert signers == {first, public(tmp_path)}, "a checkpoint says which key signed it"
    for key in signers:
        found = verified(tmp_path, key)
        assert found.faults == () and found.verifies
        assert "each deck is the one that was committed to" in found.proved


def test_the_old_signing_key_signs_nothing_after_the_change(tmp_path: Path) -> None:
    play(tmp_path)
    old = parse_key((tmp_path / SIGNING).read_text())
    rotate(tmp_path)
    with opened_house(tmp_path) as house, house.store.reading() as view:
        last = view.last_checkpoint()
        assert last
        stolen = sign(old, last.number + 1, view.heads(), time_ms=1)
        found = verify(view, rules_of, checkpoints=[stolen])
    assert f"checkpoint {stolen.number}: it is not signed with the key" in found.faults


def test_a_change_of_keys_that_the_old_key_did_not_sign_is_found(tmp_path: Path) -> None:
    play(tmp_path)
    with opened_house(tmp_path) as house:
        other = house.keys._replace(signing=bytes(range(32)))
        house.signing().sign_now(house.store, time_ms=1)
        house.keys = other
        house.change_keys(time_ms=2)
    found = verified(tmp_path)
    assert any("the change of keys is not signed with the key before it" in f for f in found.faults)


@pytest.mark.parametrize("at", ["before", "after"])
def test_a_change_of_keys_that_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    from croupier.house import keys
    from croupier.ledger.stores import jotting

    round = play(tmp_path)
    own = (tmp_path / MASTER).read_text()

    def crash(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, opened_house(tmp_path) as house:
        if at == "before":
            patch.setattr(jotting, "jot", crash)
        else:
            patch.setattr(keys, "_finish_making", crash)
        with pytest.raises(KeyboardInterrupt):
            house.change_keys(time_ms=1)
    assert play(tmp_path, "settle") == round
    changed = (tmp_path / MASTER).read_text() != own
    assert changed == (at == "after")
    assert verified(tmp_path).faults == ()


def test_of_two_servers_that_begin_a_house_together_one_makes_its_keys(
    tmp_path: Path, store: Store
) -> None:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    made = keys.make_keys(first, store)  # Both have found the ledger empty.
    with pytest.raises(UserError, match="another server has just begun this house; copy master"):
        keys.make_keys(second, store)
    assert [*second.iterdir()] == []
    for name in (MASTER, SIGNING):
        shutil.copy(first / name, second / name)
    assert keys.keys_of(second, store) == made


def test_keys_are_not_changed_while_a_server_of_the_house_runs(tmp_path: Path, server: str) -> None:
    url = new_database(server)
    folder, running = tmp_path / "one", tmp_path / "other"
    running.mkdir()
    with opened_house(folder, url):
        pass
    for name in (MASTER, SIGNING):
        shutil.copy(folder / name, running / name)
    how = ("ledger", "rotate-keys", "--data", str(folder), "--database", url)
    with opened_house(running, url):
        ran = run(*how)
    assert ran.code == 2 and "a server is still running with the old keys" in ran.err
    assert run(*how).code == 0


@pytest.mark.parametrize("command", ["ledger rotate-keys", "approve-build"])
def test_a_house_that_was_served_from_a_database_is_signed_from_the_command_line(
    tmp_path: Path, server: str, command: str
) -> None:
    """A server leased the signing of checkpoints; the next signer needs the lease too."""
    url, folder = new_database(server), tmp_path / "house"
    how = (*command.split(), "--data", str(folder), "--database", url)
    with opened_house(folder, url) as house:
        house.store.tenure.claim([CHECKPOINT])
        house.signing().sign_now(house.store, time_ms=1)
        shutil.copytree(folder, tmp_path / "other")
        ran = run(*how[:-4], "--data", str(tmp_path / "other"), "--database", url)
        assert ran.code == 2 and "close all servers first" in ran.err
    ran = run(*how)
    assert (ran.code, ran.err) == (0, "")
    with opened_house(folder, url) as house, house.store.reading() as view:
        last = view.last_checkpoint()
        assert last and last.heads == view.heads()
        assert vouching(folder) and last.key == public(folder)


def test_a_key_of_another_house_is_refused_by_both_ids(tmp_path: Path) -> None:
    play(tmp_path)
    old = (tmp_path / MASTER).read_text()
    rotate(tmp_path)
    new = key_id(parse_key((tmp_path / MASTER).read_text()))
    (tmp_path / MASTER).rename(tmp_path / f"master-{new}.key")
    (tmp_path / MASTER).write_text(old)
    (tmp_path / MASTER).chmod(0o600)
    said = refusal(tmp_path)
    assert key_id(parse_key(old)) in said and new in said
    assert f"it is here as master-{new}.key; rename it" in said and "restore-keys" in said


# ---------------------------------------------------------------- a wrapped copy


def test_keys_come_back_from_a_copy_that_a_passphrase_wraps(tmp_path: Path) -> None:
    folder, copy, phrase = tmp_path / "data", tmp_path / "keys.json", tmp_path / "phrase"
    round = play(folder)
    rotate(folder)
    phrase.write_text(f"{PASSPHRASE}\n")
    how = ("--data", str(folder), "--passphrase-file", str(phrase))
    ran = run("ledger", "export-keys", *how, "-o", str(copy))
    assert (ran.code, ran.out) == (0, "4 keys written to keys.json\n")
    assert copy.stat().st_mode & 0o777 == 0o600
    secrets = {file.name: file.read_text().split()[1] for file in folder.glob("*.key")}
    assert len(secrets) == 4 and not [key for key in secrets.values() if key in copy.read_text()]
    database = (folder / LEDGER).read_bytes()
    assert not [key for key in secrets.values() if bytes.fromhex(key) in database]
    for name in secrets:
        (folder / name).unlink()
    assert "is missing" in refusal(folder) and not (folder / MASTER).exists()
    assert run("ledger", "restore-keys", str(copy), *how).code == 0
    assert {file.name: file.read_text().split()[1] for file in folder.glob("*.key")} == secrets
    assert run("ledger", "restore-keys", str(copy), *how).out == "all keys are there already\n"
    assert play(folder, "settle") == round
    (folder / SIGNING).write_text(f"croupier-master-key-1 {'ab' * 32}\n")
    ran = run("ledger", "restore-keys", str(copy), *how)
    assert ran.code == 2 and "this is the key" in ran.err and "the copy has" in ran.err


def test_a_wrapped_copy_opens_with_its_passphrase_alone() -> None:
    keys = {MASTER: bytes(range(32)), SIGNING: bytes(32)}
    text = wrap(keys, {"master": "m", "signing": "s"}, PASSPHRASE)
    assert unwrap(text, PASSPHRASE) == keys
    with pytest.raises(UserError, match="the passphrase is wrong, or the file was changed"):
        unwrap(text, "correct horse batterx")
    changed = json.loads(text)
    changed["ledger"]["master"] = "n"
    with pytest.raises(UserError, match="the file was changed"):
        unwrap(json.dumps(changed), PASSPHRASE)
    for broken in ("", "{}", "[1]", text.replace("65536", "99999999999")):
        with pytest.raises(UserError, match="is not a copy of a house's keys"):
            unwrap(broken, PASSPHRASE)
    with pytest.raises(UserError, match="at least 12 characters"):
        wrap(keys, {}, "short")


def _vault(folder: Path, text: str) -> str:
    """Return a command that is asked for keys."""
    script = folder / "vault"
    script.write_text(f"#!/bin/sh\n{text}\n")
    script.chmod(0o700)
    return f"'{script}' --quietly"


def test_keys_come_from_a_command(tmp_path: Path) -> None:
    house, vault = tmp_path / "house", tmp_path / "vault of ours"
    with opened_house(house) as opened:
        known = opened.keys
    vault.mkdir()
    for name in (MASTER, SIGNING):
        (house / name).rename(vault / name)
    command = _vault(vault, 'test "$1" = --quietly && cat "$(dirname "$0")/$2"')
    with opened_house(house, by=Opener(key_command=command)) as opened:
        assert opened.keys == known
    assert [*house.glob("*.key*")] == [], "none is written to the disk"
    (vault / MASTER).write_text((vault / SIGNING).read_text())
    with pytest.raises(UserError, match=r"this is the key \w+, and the ledger's is"):
        opened_house(house, by=Opener(key_command=command)).__enter__()


def test_every_command_that_needs_keys_gets_them_from_a_command(tmp_path: Path) -> None:
    house, vault = tmp_path / "house", tmp_path / "vault of ours"
    copy, phrase = tmp_path / "keys.json", tmp_path / "phrase"
    phrase.write_text(PASSPHRASE)
    vault.mkdir()
    round, key = play(house), public(house)
    for name in (MASTER, SIGNING):
        (house / name).rename(vault / name)
    old = {name: parse_key((vault / name).read_text()) for name in (MASTER, SIGNING)}
    asked = ("--data", str(house), "--key-command", _vault(vault, 'cat "$(dirname "$0")/$2"'))
    ran = run("ledger", "verify", *asked)
    assert "proved: each deck is the one that was committed to" in ran.out
    assert run("approve-build", *asked).code == 0

    ran = run("ledger", "rotate-keys", *asked)
    assert ran.code == 0 and f"they are in {house} as master.key, signing.key" in ran.out
    ran = run("ledger", "rotate-keys", *asked)
    assert ran.code == 2 and "in the folder as master.key; let the command print that" in ran.err
    for name in (MASTER, SIGNING):
        (house / name).replace(vault / name)
    with opened_house(house, by=Opener(key_command=asked[-1])) as opened:
        assert opened.keys.older == (old[MASTER],), "the decks that it sealed still open"
    how = ("--passphrase-file", str(phrase), "-o", str(copy))
    assert run("ledger", "export-keys", *asked, *how).out == "4 keys written to keys.json\n"
    copied = unwrap(copy.read_text(), PASSPHRASE)
    assert {*old.values()} < {*copied.values()} and copied[MASTER] != old[MASTER]

    assert run("ledger", "restore-keys", str(copy), "--data", str(house), *how[:2]).code == 0
    assert play(house, "settle") == round
    found = verified(house, key)
    assert found.faults == () and found.verifies


@pytest.mark.parametrize(
    ("says", "refusal"),
    [
        ("echo asking; echo sealed >&2; exit 3", "it ended with exit code 3: sealed"),
        ("echo a-secret", "what it printed for master.key is not a key file's text"),
    ],
)
def test_a_command_that_gives_no_key_is_refused_in_a_sentence(
    tmp_path: Path, says: str, refusal: str
) -> None:
    with pytest.raises(UserError, match=refusal) as caught:
        keys.key_from(_vault(tmp_path, says), MASTER)
    assert caught.value.field == "--key-command" and "a-secret" not in str(caught.value)
    with pytest.raises(UserError, match="No such file"):
        keys.key_from(str(tmp_path / "nothing"), MASTER)
