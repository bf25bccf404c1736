"""The journal: one hash-chained stream for each table.

A record is one line of canonical JSON. Its hash covers its bytes and the previous hash, so
changing, removing or moving a record changes every later hash. Hashes alone can't show that the end
is missing or that everything was rewritten; checkpoints do. Callers provide times and numbers;
nothing here reads a clock.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache, partial
from hashlib import sha256
from typing import Any, Literal, NamedTuple, get_args

import orjson

from croupier.errors import ParseError

GENESIS = bytes(32)
"""The hash before the first record."""

Vocabulary = Literal["round", "table", "ledger", "fairness", "house"]
"""The kind of event; each has its own vocabulary."""
OFS: tuple[Vocabulary, ...] = get_args(Vocabulary)


class Record(NamedTuple):
    """An event with its position in a stream."""

    stream: str
    number: int
    """Counts from 1 without a gap."""
    time_ms: int
    """Milliseconds since 1970, by the clock of the appending server."""
    subject: str
    """The round of the event, the digest of the rules that it sets, or ''."""
    of: Vocabulary
    event: Mapping[str, Any]
    who: tuple[str, ...] = ()
    """The one or two persons whose sessions made it; nobody where the program did."""


class StoredEvent(NamedTuple):
    """A record as it is stored."""

    stream: str
    number: int
    time_ms: int
    subject: str
    data: bytes
    hash: bytes

    @property
    def head(self) -> "Head":
        """The stream's head after this record."""
        return Head(self.number, self.hash)


stored_of: Callable[[Iterable[object]], StoredEvent] = partial(tuple.__new__, StoredEvent)
"""Builds a record from a row as `_make` does, but faster: it doesn't count the fields."""


class Head(NamedTuple):
    """The last position of a stream."""

    number: int
    hash: bytes

    def after(self, data: bytes) -> "Head":
        """Return the head after one more record, given as its bytes."""
        return Head(self.number + 1, sha256(self.hash + data).digest())


START = Head(0, GENESIS)
# Built once: building them takes longer than encoding an event.
_ENCODER = json.JSONEncoder(
    sort_keys=True, separators=(",", ":"), default=str, ensure_ascii=False, allow_nan=False
)
_DECODER = json.JSONDecoder()


class StreamFault(NamedTuple):
    """A fault in a journal, and the first event that has it."""

    stream: str
    number: int
    message: str

    def __str__(self) -> str:
        return f"{self.stream} event {self.number}: {self.message}"


def canonical(value: Any) -> str:
    """Encode plain data as canonical JSON: keys sorted, no white space."""
    try:
        return orjson.dumps(value, default=str, option=orjson.OPT_SORT_KEYS).decode()
    except TypeError:  # An integer beyond 64 bits.
        return _ENCODER.encode(value)


def encode(record: Record) -> bytes:
    """Return the bytes of a record; its position comes first, for quick comparison."""
    event = canonical(record.event)
    start = _place(record.stream, record.number, record.subject)
    who = f',"who":{canonical([*record.who])}' if record.who else ""
    time = f'"time_ms":{record.time_ms}{who}'
    return f'{start}{time}}},"event":{event},"of":"{record.of}"}}'.encode()


def _place(stream: str, number: int, subject: str) -> str:
    return f'{{"at":{{"number":{number},"stream":{_quoted(stream)},"subject":{_quoted(subject)},'


def decode(data: bytes) -> Record:
    """Parse a record strictly: its bytes must be canonical."""
    try:
        plain = _DECODER.decode(data.decode())
        at = plain["at"]
        place = at["stream"], at["number"], at["time_ms"], at["subject"]
        record = Record(*place, plain["of"], plain["event"], tuple(at.get("who", ())))
        again = encode(record)
    except (ValueError, KeyError, TypeError):
        raise ParseError("is not a record", field="journal") from None
    if again != data or record.of not in OFS or not isinstance(record.event, dict):
        raise ParseError("is not written as a record is", field="journal")
    return record


class Marks:
    """The hashes that a stream must have, according to checkpoints."""

    def __init__(self, marks: Iterable[Head]) -> None:
        self.at: dict[int, bytes] = {}
        self.torn: int | None = None
        for number, hash in marks:
            if self.at.setdefault(number, hash) != hash:
                self.torn = number
        self.last = max(self.at, default=0)


def verify_stream(
    stream: str, stored: Iterable[StoredEvent], marks: Iterable[Head]
) -> tuple[Head, StreamFault | None]:
    """Check a stream from its first record; return how far it holds, and the first fault."""
    wanted = Marks(marks)
    if wanted.torn is not None:
        return START, StreamFault(stream, wanted.torn, "two checkpoints say two things of it")
    number, previous = START
    at, digest, json_of = wanted.at, sha256, _quoted(stream)
    for row_stream, row_number, time_ms, subject, data, hash in stored:
        number += 1
        about = f'"stream":{json_of},"subject":{_quoted(subject)},"time_ms":{time_ms}'
        start = f'{{"at":{{"number":{number},{about}'.encode()
        followed = digest(previous + data).digest()
        if row_number != number or row_stream != stream:
            wrong = f"is missing; event {row_number} of {row_stream} stands there"
        elif not data.startswith((start + b"}", start + b',"who":[')):
            wrong = "its bytes say that it is another"
        elif followed != hash:
            wrong = "its hash is not that of its bytes"
        elif number in at and at[number] != hash:
            wrong = "a checkpoint says that it was another"
        else:
            previous = followed
            continue
        return Head(number - 1, previous), StreamFault(stream, number, wrong)
    if number < wanted.last:
        message = f"is missing; a checkpoint goes on to event {wanted.last}"
        return Head(number, previous), StreamFault(stream, number + 1, message)
    return Head(number, previous), None


@lru_cache(maxsize=1024)  # The same rounds and tables are named repeatedly.
def _quoted(name: str) -> str:
    return json.dumps(name, ensure_ascii=False)
