"""The journal: one stream a table, chained by hash over the bytes that are stored.

A record is one line of JSON, written in one way only. Its hash covers its bytes and the hash
before it, so that no record can be changed, left out or moved without every later hash being
another. What the hashes alone cannot show, that the end is missing or that all was written anew,
checkpoints do. Time and numbers are given; nothing here looks at a clock.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any, Literal, NamedTuple, get_args

import orjson

from croupier.errors import ParseError

GENESIS = bytes(32)
"""What stands for the hash before the first record."""

Of = Literal["round", "table", "ledger", "fairness"]
"""Whose event it is: each has its own words."""
OFS: tuple[Of, ...] = get_args(Of)


class Record(NamedTuple):
    """An event with its place in a stream."""

    stream: str
    number: int
    """From 1 on, without a gap."""
    time_ms: int
    """Since 1970, as the clock of whoever appended it said."""
    subject: str
    """The round in which it happened, the digest of the rules that it sets, or ''."""
    of: Of
    event: Mapping[str, Any]


class Stored(NamedTuple):
    """A record as it is stored."""

    stream: str
    number: int
    time_ms: int
    subject: str
    data: bytes
    hash: bytes

    @property
    def head(self) -> "Head":
        """How far the stream has come with it."""
        return Head(self.number, self.hash)


stored_of: Callable[[Iterable[object]], Stored] = partial(tuple.__new__, Stored)
"""Makes a record of a row, as `_make` does, but quicker: nobody counts the fields."""


class Head(NamedTuple):
    """How far a stream has come."""

    number: int
    hash: bytes


START = Head(0, GENESIS)
# Made once: making them takes longer than an event does.
_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), default=str, ensure_ascii=False, allow_nan=False
)
_DECODER = json.JSONDecoder()


class Fault(NamedTuple):
    """What is wrong with a journal, and at which event first."""

    stream: str
    number: int
    message: str

    def __str__(self) -> str:
        return f"{self.stream} event {self.number}: {self.message}"


def canonical(value: Any) -> str:
    """Write plain data as JSON in one way only: with its keys in order and without blanks."""
    try:
        return orjson.dumps(value, default=str, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:  # A number of more than 64 bits.
        return _ENCODER.encode(value)


def encode(record: Record) -> bytes:
    """Return the bytes of a record; its place comes first, so that it can be compared quickly."""
    event = canonical(record.event)
    start = _place(record.stream, record.number, record.subject)
    return f'{start}"time_ms":{record.time_ms}}},"event":{event},"of":"{record.of}"}}'.encode()


def _place(stream: str, number: int, subject: str) -> str:
    return f'{{"at":{{"number":{number},"stream":{_quoted(stream)},"subject":{_quoted(subject)},'


def decode(data: bytes) -> Record:
    """Read a record, strictly: the bytes must be those that it is written in."""
    try:
        plain = _DECODER.decode(data.decode())
        at = plain["at"]
        place = at["stream"], at["number"], at["time_ms"], at["subject"]
        record = Record(*place, plain["of"], plain["event"])
        again = encode(record)
    except (ValueError, KeyError, TypeError):
        raise ParseError("is not a record", field="journal") from None
    if again != data or record.of not in OFS or not isinstance(record.event, dict):
        raise ParseError("is not written as a record is", field="journal")
    return record


def chained(previous: bytes, data: bytes) -> bytes:
    """Return the hash of a record that follows another."""
    return sha256(previous + data).digest()


def chain(head: Head, stream: str, records: Iterable[tuple[int, str, bytes]]) -> Iterator[Stored]:
    """Yield records, each a time, a subject and bytes, as they are stored after a head."""
    number, previous = head
    for time_ms, subject, data in records:
        number += 1
        previous = chained(previous, data)
        yield Stored(stream, number, time_ms, subject, data, previous)


class Marks:
    """What a stream must come to: the hashes that checkpoints say it had."""

    def __init__(self, marks: Iterable[Head] = ()) -> None:
        self.at: dict[int, bytes] = {}
        self.torn: int | None = None
        for number, hash in marks:
            if self.at.setdefault(number, hash) != hash:
                self.torn = number
        self.last = max(self.at, default=0)


def verify_stream(
    stream: str, stored: Iterable[Stored], marks: Iterable[Head] = ()
) -> tuple[Head, Fault | None]:
    """Follow a stream from its first record and return how far it holds, and the first fault."""
    wanted = Marks(marks)
    if wanted.torn is not None:
        return START, Fault(stream, wanted.torn, "two checkpoints say two things of it")
    number, previous = START
    at, digest, json_of = wanted.at, sha256, _quoted(stream)
    for row_stream, row_number, time_ms, subject, data, hash in stored:
        number += 1
        about = f'"stream":{json_of},"subject":{_quoted(subject)},"time_ms":{time_ms}}}'
        followed = digest(previous + data).digest()
        if row_number != number or row_stream != stream:
            wrong = f"is missing; event {row_number} of {row_stream} stands there"
        elif not data.startswith(f'{{"at":{{"number":{number},{about}'.encode()):
            wrong = "its bytes say that it is another"
        elif followed != hash:
            wrong = "its hash is not that of its bytes"
        elif number in at and at[number] != hash:
            wrong = "a checkpoint says that it was another"
        else:
            previous = followed
            continue
        return Head(number - 1, previous), Fault(stream, number, wrong)
    if number < wanted.last:
        message = f"is missing; a checkpoint goes on to event {wanted.last}"
        return Head(number, previous), Fault(stream, number + 1, message)
    return Head(number, previous), None


@lru_cache(maxsize=1024)  # A round and its table are named again and again.
def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
