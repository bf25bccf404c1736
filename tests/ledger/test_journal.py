"""The journal: records, chains, checkpoints, and that nothing in it changes unseen."""

import json
import random
from collections.abc import Iterable
from copy import deepcopy
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from croupier.errors import ParseError
from croupier.ledger import verify as verify_module
from croupier.ledger.accounts import Account
from croupier.ledger.checkpoints import (
    is_signed,
    parse_checkpoint,
    parse_checkpoints,
    sign,
)
from croupier.ledger.journal import (
    START,
    Head,
    Record,
    StoredEvent,
    canonical,
    decode,
    encode,
)
from croupier.ledger.verify import verify
from tests.ledger.memory import SECRET, Memory, chain, journal
from tests.ledger.sums import balances
from tests.ledger.tables import rules_of
from tests.rules.books import CALIFORNIA, LET_IT_RIDE, MARYLAND, SINGAPORE

PUBLIC = sign(SECRET, 1, {}, time_ms=0).key
NAMES = st.text(st.characters(codec="utf-8"), max_size=9)
PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers() | NAMES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=4),
)


@given(PLAIN)
def test_plain_data_is_written_as_the_standard_library_does(value: object) -> None:
    written = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    assert canonical(value) == written


# ---------------------------------------------------------------- records and checkpoints


@given(NAMES, st.integers(1), st.integers(0), NAMES, st.dictionaries(NAMES, NAMES | st.integers()))
def test_a_record_reads_what_it_writes(
    stream: str, number: int, time: int, round: str, event: dict[str, object]
) -> None:
    record = Record(stream, number, time, round, "table", event)
    assert decode(encode(record)) == record


AT = b'{"at":{"number":1,"stream":"s","subject":"","time_ms":1}'


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"\xff",
        AT + b',"event":{},"of":"else"}',
        AT + b',"event":[],"of":"round"}',
        AT + b', "event":{},"of":"round"}',
        AT + b',"event":{},"event":{},"of":"round"}',
        b'{"at":{"number":1,"stream":"s","subject":""},"event":{},"of":"round"}',
    ],
)
def test_bytes_that_are_not_a_record_are_refused(data: bytes) -> None:
    with pytest.raises(ParseError):
        decode(data)


def test_a_checkpoint_reads_what_it_prints() -> None:
    checkpoint = sign(SECRET, 3, {"a": Head(7, b"x" * 32), "é": START}, time_ms=9)
    assert parse_checkpoint(str(checkpoint)) == checkpoint
    assert parse_checkpoints(f"{checkpoint}\n\n{checkpoint}\n") == (checkpoint, checkpoint)
    with pytest.raises(ParseError):
        parse_checkpoint(str(checkpoint).replace(":9}", ":9 }"))
    with pytest.raises(ParseError):
        parse_checkpoint("[]")


def test_only_the_key_signs() -> None:
    checkpoint = sign(SECRET, 1, {"a": Head(7, b"x" * 32)}, time_ms=9)
    forged = sign(bytes(32), 1, {"a": Head(6, b"x" * 32)}, time_ms=9)
    assert is_signed(checkpoint, PUBLIC)
    assert not is_signed(checkpoint._replace(time_ms=8), PUBLIC)
    assert not is_signed(forged, PUBLIC)
    assert not is_signed(forged._replace(key=PUBLIC), PUBLIC)


# ---------------------------------------------------------------- tampering


def rechained(rows: list[StoredEvent], *, fresh: bool) -> list[StoredEvent]:
    """Records with hashes that fit, and numbers in their bytes if they are written anew."""
    records = [decode(row.data) for row in rows]
    if fresh:
        records = [record._replace(number=n) for n, record in enumerate(records, 1)]
    pairs = [(record.time_ms, record.subject, encode(record)) for record in records]
    return list(chain(START, rows[0].stream, pairs))


def covered_up(memory: Memory) -> None:
    """Leave of the entries and balances only what the remaining events explain."""
    ends = {stream: len(rows) for stream, rows in memory.events.items()}
    for stream, posted in memory.entries.items():
        memory.entries[stream] = [row for row in posted if row.number <= ends.get(stream, 0)]
    memory.accounts = balances(row.entry for rows in memory.entries.values() for row in rows)


def tamper_event(memory: Memory, stream: str, rng: random.Random) -> str:
    """Change one stream's records in one of many ways; return which."""
    rows = memory.events[stream]
    place = rng.randrange(len(rows))
    row = rows[place]
    bit = 1 << rng.randrange(8)
    match rng.randrange(12):
        case 0 | 1:
            at = rng.randrange(len(row.data))
            changed = bytes([*row.data[:at], row.data[at] ^ bit, *row.data[at + 1 :]])
            rows[place] = row._replace(data=changed)
            return "bit of the bytes"
        case 2:
            at = rng.randrange(32)
            changed = bytes([*row.hash[:at], row.hash[at] ^ bit, *row.hash[at + 1 :]])
            rows[place] = row._replace(hash=changed)
            return "bit of the hash"
        case 3:
            del rows[place]
            return "deletion"
        case 4:
            other = rng.choice([n for n in range(len(rows)) if n != place])
            rows[place], rows[other] = rows[other], rows[place]
            return "reordering"
        case 5:
            del rows[place:]
            covered_up(memory)
            return "truncation"
        case 6:
            del rows[place]
            memory.events[stream] = rechained(rows, fresh=True) if rows else []
            return "deletion and re-chaining"
        case 7:
            later = decode(row.data)._replace(time_ms=row.time_ms + 1)
            rows[place] = row._replace(data=encode(later))
            memory.events[stream] = rechained(rows, fresh=False)
            return "change and re-chaining"
        case 8:
            rows[place] = row._replace(subject=f"{row.subject}x")
            return "another round"
        case 10:
            rows[place] = row._replace(time_ms=row.time_ms + 1)
            return "another time"
        case 9:
            rows[place] = row._replace(number=row.number + len(rows))
            return "another number"
        case _:
            del memory.events[stream]
            covered_up(memory)
            return "a whole stream"


def tamper_money(memory: Memory, stream: str, rng: random.Random) -> str:
    """Change one entry or one balance."""
    posted = memory.entries[stream]
    place = rng.randrange(len(posted))
    row = posted[place]
    match rng.randrange(6):
        case 0:
            posted[place] = row._replace(entry=row.entry._replace(micros=row.entry.micros + 1))
            return "another sum"
        case 1:
            posted[place] = row._replace(entry=row.entry._replace(credit=Account("player:eve")))
            return "another account"
        case 2:
            del posted[place]
            return "an entry less"
        case 3:
            posted.insert(place, row._replace(entry=row.entry._replace(id="more")))
            return "an entry more"
        case 4:
            posted[place] = row._replace(entry=row.entry._replace(code="gift"))
            return "another reason"
        case _:
            account = rng.choice(sorted(memory.accounts))
            memory.accounts[account] += rng.choice((-1, 1))
            return "another balance"


def undetected(count: int, *, checkpoints: bool = True) -> tuple[list[str], set[str]]:
    """Tamper with short journals; return what was not found, and in which ways it was tried."""
    books = (MARYLAND, LET_IT_RIDE, CALIFORNIA, SINGAPORE)
    journals = [journal(books[n % 4], seed=f"tamper {n}") for n in range(8)]
    rng = random.Random(f"tampering {count}")
    missed, tried = [], set()
    for number in range(count):
        memory = rng.choice(journals)
        signed = memory.signed if checkpoints else []
        copy = replace(deepcopy(memory), signed=signed)
        stream = next(iter(copy.events))
        tamper = tamper_money if rng.random() < 0.25 else tamper_event
        how = tamper(copy, stream, rng)
        tried.add(how)
        if not verify(copy, rules_of, key=PUBLIC).faults:
            missed.append(f"{number}: {how}")
    return missed, tried


def test_every_tampering_is_found() -> None:
    missed, tried = undetected(1_000)
    assert missed == []
    assert len(tried) == 17


def test_without_checkpoints_what_is_cut_off_and_covered_up_goes_unseen() -> None:
    """The tamperings have teeth: a chain alone does not show that its end is missing."""
    missed, _ = undetected(200, checkpoints=False)
    assert {line.partition(": ")[2] for line in missed} == {
        "truncation",
        "a whole stream",
        "change and re-chaining",
    }


def test_without_the_comparison_of_hashes_flipped_bits_go_unseen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """And a verifier that makes the hashes anew, and does not compare them, sees less."""

    def believing(stream: str, stored: Iterable[StoredEvent], marks: object) -> object:
        rows = list(chain(START, stream, [(r.time_ms, r.subject, r.data) for r in stored]))
        head = Head(rows[-1].number, rows[-1].hash) if rows else START
        return head, None

    monkeypatch.setattr(verify_module, "verify_stream", believing)
    missed, _ = undetected(60)
    assert missed != []


def test_the_first_bad_event_is_named() -> None:
    memory = journal(MARYLAND, seed="first")
    rows = memory.events[MARYLAND]
    for place in (4, 9):
        rows[place] = rows[place]._replace(data=rows[place].data[:-1] + b" ")
    found = verify(memory, rules_of)
    assert found.faults == (f"{MARYLAND} event 5: its hash is not that of its bytes",)


def test_a_sound_journal_verifies() -> None:
    memory = journal(MARYLAND, CALIFORNIA, seed="sound")
    found = verify(memory, rules_of, key=PUBLIC)
    assert (found.faults, found.checkpoints) == ((), 1)
    assert found.events == sum(map(len, memory.events.values()))
    assert found.entries == sum(map(len, memory.entries.values()))


def test_checkpoints_of_another_key_are_found() -> None:
    memory = journal(MARYLAND, seed="key")
    found = verify(memory, rules_of, key=bytes(32))
    assert found.faults == ("checkpoint 1: it is not signed with the key",)


def test_two_checkpoints_that_disagree_are_found() -> None:
    memory = journal(MARYLAND, seed="split")
    head = memory.heads()[MARYLAND]
    other = sign(SECRET, 2, {MARYLAND: head._replace(hash=bytes(32))}, time_ms=1)
    found = verify(memory, None, checkpoints=[other])
    assert "two checkpoints say two things of it" in found.faults[0]


def test_rules_that_are_not_those_of_the_books_are_found() -> None:
    memory = journal(MARYLAND, seed="rules")

    def other(rulebook: str, selections: object, things: object) -> object:
        return rules_of(rulebook, {"pair_plus": "D"})

    found = verify(memory, other)  # type: ignore[arg-type]
    assert "another digest" in found.faults[0]
