"""What `verify` proves and what it can't, whatever is changed in the database."""

import asyncio
import shutil
from collections import Counter
from hashlib import sha256
from pathlib import Path

import apsw
import orjson
import pytest

from croupier.house.folder import opened_house
from croupier.ledger.asked import KeptCommand, wrong_commands
from croupier.ledger.derived import Findings
from croupier.ledger.events import Bought
from croupier.ledger.journal import StoredEvent
from croupier.ledger.scribe import Happened, Scribe
from croupier.ledger.store import Claim, Work
from croupier.ledger.stores import open_postgres
from croupier.ledger.stores.marks import LEDGER
from croupier.ledger.stores.sqlite import SqliteStore
from croupier.ledger.verify import verify as verify_all
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.server.passwords import Passwords
from croupier.server.people import People
from tests.cli.running import Ran, run
from tests.house.test_folder import play
from tests.ledger.servers import new_database
from tests.server.doors import CHEAP
from tests.server.durability.tables import rules_of

STAYING = "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a house in which a round was played and people came."""
    folder = tmp_path_factory.mktemp("house")
    play(folder)
    with opened_house(folder) as opened:
        people = People(opened.store, passwords=Passwords(made_by=CHEAP))

        async def come() -> None:
            boss = await people.sign_up("Boss Ash", "correct horse")
            ann = await people.sign_up("Ann Ash", "correct horse")
            await people.set_roles(boss.signed_in.person.id, ["operator"], by="link")
            await people.disable(ann.signed_in.person.id, by=boss.signed_in.person.id)

        asyncio.run(come())
        people.close()
        opened.signing().sign_now(opened.store, time_ms=1)
    return folder


def verify(folder: Path, *words: str) -> Ran:
    return run("ledger", "verify", "--data", str(folder), *words)


def changed(house: Path, folder: Path, *statements: str) -> Path:
    """Return a copy of a house's folder, whose ledger was changed behind its back."""
    shutil.copytree(house, folder)
    connection = apsw.Connection(str(folder / LEDGER))
    connection.execute("PRAGMA foreign_keys = OFF")
    guards = list(connection.execute(STAYING))
    for name, _ in guards:
        connection.execute(f"DROP TRIGGER {name}")
    for statement in statements:
        connection.execute(statement)
    for _, sql in guards:  # As somebody would who wants to go unnoticed.
        connection.execute(sql)
    connection.close()
    return folder


def test_a_sound_house_verifies_and_says_what_that_proves(house: Path) -> None:
    ran = verify(house)
    assert (ran.code, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert lines[-1].endswith(": verifies")
    proved = [line.removeprefix("proved: ") for line in lines if line.startswith("proved: ")]
    assert proved == [
        "the hash chain of every stream, from its first event",
        "nothing that checkpoints 1 to 3 sign was changed since",
        "every entry, by the rules that the journal names",
        "every balance",
        "the kinds of all accounts",
        "each command: its first and last event, its answer, and the house's own",
        "each deck is the one that was committed to",
        "2 people with their names, roles and passwords, and when they joined, to the minute",
        "the triggers that keep rows from being changed",
    ]
    assert "not proved: that nothing later than checkpoint" in ran.out
    assert "not proved: what people sent: the journal has neither the ids" in ran.out
    assert "not proved: that no command of a person is missing: one that made no" in ran.out
    assert "not proved: who is signed in" in ran.out
    data = verify(house, "--json").data
    assert data["verifies"] and data["signed"] == data["events"] and data["unproved"]


WRONG = {
    "an account's kind": (
        "UPDATE accounts SET kind = 'house' WHERE account LIKE 'player:%'",
        "is kept as an account of kind house",
    ),
    "an answer": (
        "UPDATE commands SET answer = '99' WHERE command LIKE 'md1#%'",
        "the answer to command md1#",
    ),
    "where a command ended": (
        "UPDATE commands SET number = 9999 WHERE command LIKE 'md1#%'",
        "ends at event 9999 of md1, which is missing",
    ),
    "where another ended": (
        "UPDATE commands SET number = number + 1, answer = number + 1 "
        "WHERE number = (SELECT min(number) FROM commands WHERE stream = 'md1') AND stream = 'md1'",
        "command md1#2 is said to have ended at event",
    ),
    "whose a command was": (
        "UPDATE commands SET command = 'p-eve/' || command WHERE command LIKE '%/%'",
        " is said to be made by command p-eve/",
    ),
    "a command of the house's digest": (
        "UPDATE commands SET digest = randomblob(32) WHERE command LIKE 'md1#%'",
        "the digest of command md1#",
    ),
    "a command of the cage's digest": (
        "UPDATE commands SET digest = randomblob(32) WHERE stream = 'cage'",
        "the digest of command cage#1 was changed",
    ),
    "a command of the cage's id": (
        "UPDATE commands SET command = 'cage#9' WHERE command = 'cage#1'",
        "command cage#9 is said to have ended at event 1 of cage",
    ),
    "a command's absence": (
        "DELETE FROM commands WHERE number = "
        "(SELECT max(number) FROM commands WHERE stream = 'md1') AND stream = 'md1'",
        "the command that made event",
    ),
    "all commands": ("DELETE FROM commands", "all commands of md1 are missing"),
    "a line": ("UPDATE entries SET line = line + 10", "is kept as line 11"),
    "a deck": (
        "UPDATE decks SET sealed = "
        "CAST(substr(sealed, 1, 80) || zeroblob(length(sealed) - 80) AS BLOB)",
        "the deck of round md1-1 is not the one that was committed to",
    ),
    "a deck's absence": ("DELETE FROM decks", "the deck of round md1-1 is missing"),
    "a deck of no round": (
        "INSERT INTO decks VALUES ('md1-9', x'01')",
        "a deck of round md1-9, which was never committed to",
    ),
    "a role given": (
        "INSERT INTO roles SELECT person, 'auditor' FROM persons WHERE name = 'Ann Ash'",
        "the journal says something else about p-",
    ),
    "a role taken": ("DELETE FROM roles WHERE role = 'operator'", "'s roles"),
    "an account let in": ("UPDATE persons SET disabled_ms = NULL", "'s being disabled"),
    "a password": (
        "UPDATE persons SET password_hash = '$argon2id$x' WHERE name = 'Boss Ash'",
        "'s password",
    ),
    "when somebody came": (
        "UPDATE persons SET made_ms = made_ms - 3600000 WHERE name = 'Boss Ash'",
        "the journal has another time at which p-",
    ),
    "since when somebody is shut out": (
        "UPDATE persons SET disabled_ms = disabled_ms + 3600000",
        "the journal has another time at which p-",
    ),
    "a name": ("UPDATE persons SET name = 'Eve Ash' WHERE name = 'Boss Ash'", "'s name"),
    "what a name looks like": (
        "UPDATE persons SET looks = 'evelash' WHERE name = 'Boss Ash'",
        "is found under another name than their own",
    ),
    "a checkpoint's number": (
        "UPDATE checkpoints SET number = number + 1 WHERE number = 3",
        "checkpoint 3 is kept as checkpoint 4",
    ),
    "a person": (
        "INSERT INTO persons VALUES ('p-aaaaaaaaaa', 'Eve', 'eve', NULL, 1, NULL)",
        "p-aaaaaaaaaa is in the table of people, but not in the journal",
    ),
    "a person's absence": (
        "DELETE FROM sessions; DELETE FROM roles; DELETE FROM persons",
        "is missing from the people",
    ),
    "the keys": (f"UPDATE house SET master = '{'a' * 32}'", "the house's keys are not those"),
    "a checkpoint's absence": (
        "DELETE FROM checkpoints WHERE number = 1",
        "checkpoint 1 is missing",
    ),
    "a balance": (
        "UPDATE accounts SET micros = micros + 1 WHERE account = 'cage'",
        "cage stands at",
    ),
}


@pytest.mark.parametrize(("statement", "said"), WRONG.values(), ids=WRONG)
def test_what_was_changed_beside_the_journal_is_found(
    house: Path, tmp_path: Path, statement: str, said: str
) -> None:
    """S7, S15: none of these was found, but for the last."""
    ran = verify(changed(house, tmp_path / "changed", statement))
    assert ran.code == 1 and said in ran.out, ran.out
    assert ran.out.splitlines()[-1].endswith(": FAILS")


def test_a_command_that_is_missing_before_another_of_the_same_person_is_found() -> None:
    """The events of a command have one time, so the next one's can't be taken for its own."""
    event = orjson.dumps({"at": {}, "event": {"type": "Sat", "seat": 1, "player": "p-ann"}})
    stored = [StoredEvent("t", number, 10 + number, "", event, b"") for number in (1, 2)]
    kept = [KeptCommand(f"p-ann/{n}", b"", "t", n, str(n)) for n in (1, 2)]
    unknown = Counter[str]()
    assert [*wrong_commands("t", kept, stored, unknown)] == []
    assert [*wrong_commands("t", kept[1:], stored, unknown)] == [
        "event 2 of t is of another time than those that command p-ann/2 made before it"
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "DROP TRIGGER entries_stay",
        "DROP TRIGGER entries_stay; CREATE TRIGGER entries_stay BEFORE UPDATE ON entries "
        "BEGIN SELECT 1; END",
    ],
)
def test_a_trigger_that_guards_nothing_is_found(
    house: Path, tmp_path: Path, statement: str
) -> None:
    folder = changed(house, tmp_path / "changed")
    connection = apsw.Connection(str(folder / LEDGER))
    connection.execute(statement)
    connection.close()
    ran = verify(folder)
    assert ran.code == 1 and "the trigger entries_stay is missing or was changed" in ran.out


def test_the_triggers_of_postgresql_are_looked_at_too(server: str) -> None:
    store = open_postgres(new_database(server), make=True)
    with store.reading() as view:
        assert view.guards_missing() == []
    with store.writing() as session:
        session.script("DROP TRIGGER entries_stay ON entries")
        session.script("ALTER TABLE decks DISABLE TRIGGER decks_stay")
    with store.reading() as view:
        assert view.guards_missing() == ["entries_stay", "decks_stay"]
        assert view.people() == {} and view.house_keys() is None
        assert [*view.commands(), *view.decks()] == [] and view.kinds() == {}
    store.close()


# ---------------------------------------------------------------- signatures


def test_a_purchase_after_the_last_checkpoint_is_said_to_be_unsigned(
    house: Path, tmp_path: Path
) -> None:
    """S7: $100,000 chained after the last checkpoint verified without a word."""
    folder = changed(house, tmp_path / "changed")
    store = SqliteStore(folder / LEDGER)
    scribe = Scribe("cage", rules_of)
    with store.reading() as view:
        scribe.read(view.stream("cage"))
    draft = scribe.draft([Happened("ledger", Bought("md1-ada", 100_000_00))], time_ms=5)
    digest = sha256(draft.events[0].data).digest()
    claim = Claim(f"cage#{scribe.number + 1}", digest, "cage", scribe.head)
    store.append(claim, Work(draft.events, ""))
    store.close()
    ran = verify(folder)
    assert ran.out.splitlines()[-1].endswith(": verifies, 1 event unsigned")
    assert (
        f"1 event after checkpoint 3, which no checkpoint signs yet: cage from event "
        f"{scribe.number + 1}; chips for $100000.00 come from the cage there "
        "(a server signs every minute, and when it closes)"
    ) in ran.out
    data = verify(folder, "--json").data
    assert data["events"] - data["signed"] == 1


def test_a_table_whose_book_is_not_here_is_not_said_to_be_impossible(house: Path) -> None:
    store = SqliteStore(house / LEDGER)
    with store.reading() as view:
        found = verify_all(view, lambda *_: resolve(load("harbour-pairs")))
    store.close()
    assert not found.verifies
    assert found.faults[0].startswith(
        "md1 event 1: can't be checked without its book (name the folder with --books): "
        "there is no rulebook 'harbour-pairs'"
    )


def test_a_history_without_a_checkpoint_does_not_verify(house: Path, tmp_path: Path) -> None:
    """S7: `verify` alone said "verifies" with no checkpoint at all."""
    folder = changed(house, tmp_path / "changed", "DELETE FROM checkpoints")
    for where in (folder, folder / LEDGER):
        ran = verify(where)
        assert ran.code == 1 and "verifies" not in ran.out
        assert ran.out.splitlines()[-1].endswith(": consistent, but NOT SIGNED")
        assert "not proved: that the history wasn't rewritten" in ran.out
        assert verify(where, "--json").data["verifies"] is False


def test_without_a_key_from_outside_only_the_ledger_vouches_for_itself(house: Path) -> None:
    alone = verify(house / LEDGER)
    assert alone.code == 0 and "is the house's: only the ledger says so" in alone.out
    assert "sealed decks: that takes the master key" in alone.out
    kept = verify(house / LEDGER, "--checkpoints", str(house / "checkpoints.jsonl"))
    assert kept.code == 0 and "only the ledger says so" not in kept.out
    keys = verify(house / LEDGER, "--keys", str(house))
    assert keys.code == 0 and "each deck is the one that was committed to" in keys.out
    assert verify(house / LEDGER, "--keys", str(house.parent)).code == 2
    other = verify(house, "--key", "ab" * 32)
    assert other.code == 1 and "the key abababababababab… is none of this house's" in other.out


def test_a_ledger_of_an_earlier_version_verifies_and_says_what_it_cannot_prove(
    house: Path, tmp_path: Path
) -> None:
    """People joined before there was a journal of them; a server takes them over when it opens."""
    folder = changed(
        house,
        tmp_path / "changed",
        "DELETE FROM events WHERE stream = '#house'; DELETE FROM streams WHERE stream = '#house'",
        "DELETE FROM checkpoints",
    )
    (folder / "checkpoints.jsonl").unlink()
    (folder / "high-water.json").unlink()
    with opened_house(folder) as opened:
        opened.signing().sign_now(opened.store, time_ms=2)
    ran = verify(folder)
    assert ran.code == 0, ran.out
    assert "how 2 people joined: they were there before the journal of people began" in ran.out


def test_many_faults_of_one_kind_are_counted() -> None:
    findings = Findings()
    findings.note((f"fault {number}" for number in range(50)), "nothing")
    assert len(findings.faults) == 6 and findings.faults[-1] == "and 45 more like it"
    assert findings.proved == []
