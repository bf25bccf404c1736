"""Checks the commands that a database stores against the journal. Pure.

The events of a command are consecutive and have one time, and the command is stored with the number
of the last one. So each event of a stream belongs to one command, and the events tell where a
command began, who sent it and, if it is one of the house's own, what its digest must be.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby, islice
from typing import Any, NamedTuple

import orjson

from croupier.ledger.accounts import CAGE
from croupier.ledger.journal import StoredEvent

SILENT = frozenset({str(CAGE), "restores"})
"""Streams of the house whose commands have an empty answer."""
NO_BODY = bytes(32)
"""The digest of a command that nobody sent: the dealer's, or the house's at a table."""


class KeptCommand(NamedTuple):
    """A command as it is stored."""

    command: str
    digest: bytes
    stream: str
    number: int
    """The number of its last event or, if it made none, of the last event before it."""
    answer: str

    @property
    def is_house(self) -> bool:
        """Whether the house gave it at a table, and its id is that of its first event."""
        return self.command.startswith(f"{self.stream}#") and self.stream not in SILENT

    @property
    def sender(self) -> str:
        """The person who sent it, or ''."""
        person, slash, _ = self.command.partition("/")
        return person if slash and self.stream not in SILENT else ""


def wrong_commands(
    stream: str, kept: Iterable[KeptCommand], stored: Iterable[StoredEvent], unknown: Counter[str]
) -> Iterator[str]:
    """Yield what is wrong with the commands of a stream, given in the order of their numbers.

    An `answer` or a `sender` that the journal doesn't tell is counted as unknown.
    """
    rows, at, table = iter(stored), 0, Sitters()
    for number, same in groupby(kept, key=lambda one: one.number):
        asked, made = [*same], [*islice(rows, max(number - at, 0))]
        if number < 0 or at + len(made) < number:
            for one in asked:
                yield f"command {one.command} ends at event {number} of {stream}, which is missing"
            return
        named = [person for row in made if (person := table.named(row))]
        yield from _wrong(asked, made, named[0] if named else (), unknown)
        at = number
    if row := next(rows, None):
        yield f"the command that made event {row.number} of {stream} is missing"


def _wrong(
    asked: Sequence[KeptCommand],
    made: Sequence[StoredEvent],
    named: Sequence[str],
    unknown: Counter[str],
) -> Iterator[str]:
    """Yield what is wrong with the commands that ended at one event.

    One of them made the events; `named` are those who made the first.
    """
    for one in asked:
        answer = "" if one.stream in SILENT else str(one.number)
        if not (one.sender or one.is_house or one.stream in SILENT):
            unknown["answer"] += 1
        elif one.answer != answer:
            yield f"the answer to command {one.command} was changed"
        if one.sender:
            unknown["sender"] += one.sender not in named
        elif because := _wrong_own(one, made):
            yield because
    ids = " or ".join(one.command for one in asked)
    for row in made:
        if row.time_ms != made[0].time_ms:
            first = f"event {row.number} of {row.stream}"
            yield f"{first} is of another time than those that command {ids} made before it"
            break
    if made and named and all(one.sender and one.sender not in named for one in asked):
        people = " and ".join(named)
        first = f"event {made[0].number} of {made[0].stream}"
        yield f"{first} is {people}'s, and is said to be made by command {ids}"


def _wrong_own(one: KeptCommand, made: Sequence[StoredEvent]) -> str:
    """Return what is wrong with one of the house's own commands, or ''."""
    if one.is_house:
        number, is_sound = one.command.removeprefix(f"{one.stream}#"), one.digest == NO_BODY
    elif one.stream in SILENT:
        number = one.command.removeprefix(one.stream).lstrip("# ").partition(" ")[0]
        is_sound = len(made) == 1 and one.digest == sha256(made[0].data).digest()
    else:
        return ""
    if not made or number != str(made[0].number):
        return f"command {one.command} is said to have ended at event {one.number} of {one.stream}"
    return "" if is_sound else f"the digest of command {one.command} was changed"


class Sitters:
    """Who sits at a table, by the events that name seats and players."""

    def __init__(self) -> None:
        self._players: dict[int, str] = {}

    def named(self, row: StoredEvent) -> Sequence[str]:
        """Return who made the next event, if it says so: it names them, or their seat."""
        record = orjson.loads(row.data)
        event: Mapping[str, Any] = record["event"]
        seat, player = event.get("seat"), event.get("player")
        if event.get("type") == "TableSet" and not event.get("equipment"):
            self._players.clear()
        if seat is not None and player:
            self._players[seat] = player
        one = player or (self._players.get(seat, "") if seat is not None else "")
        return record["at"].get("who") or ([one] if one else [])
