"""Marks outside of the ledger of how far its journal had come; an older ledger is refused.

The last checkpoint in the file beside the keys is one mark, at most a minute old; the high-water
file is another, at most a second old. A ledger behind either of them was restored from an older
copy, and would deal again rounds that players have seen. A forced restore is recorded in the
journal; marks from before it no longer bind.
"""

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from croupier.errors import ParseError, UserError
from croupier.ledger.checkpoints import Checkpoint, parse_checkpoint
from croupier.ledger.journal import Head
from croupier.ledger.store import View

LEDGER, CHECKPOINTS, HIGH_WATER = "ledger.db", "checkpoints.jsonl", "high-water.json"
RESTORES = "restores"
"""The stream that records forced restores."""
TAIL_BYTES = 64 * 1024


class Mark(NamedTuple):
    """The heads of streams at one time, and the file that records them."""

    file: str
    time_ms: int
    heads: Mapping[str, Head]


def write_high_water(folder: Path, heads: Mapping[str, Head], *, time_ms: int) -> None:
    """Record the heads of streams, atomically."""
    plain = {stream: [number, hash.hex()] for stream, (number, hash) in heads.items()}
    part = folder / f"{HIGH_WATER}.part"
    part.write_text(json.dumps({"time_ms": time_ms, "heads": plain}), "utf-8")
    os.replace(part, folder / HIGH_WATER)


def marks_in(folder: Path) -> list[Mark]:
    """Return the marks in a folder's files; a file torn by a power cut counts as empty."""
    found: list[Mark] = []
    if checkpoint := last_checkpoint_in(folder / CHECKPOINTS):
        found.append(Mark(CHECKPOINTS, checkpoint.time_ms, checkpoint.heads))
    try:
        data = json.loads((folder / HIGH_WATER).read_text("utf-8"))
        heads = {s: Head(int(n), bytes.fromhex(h)) for s, (n, h) in data["heads"].items()}
        found.append(Mark(HIGH_WATER, int(data["time_ms"]), heads))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        pass
    return found


def last_checkpoint_in(file: Path) -> Checkpoint | None:
    """Return the last checkpoint of a file; a line torn by a power cut is skipped."""
    for line in reversed(_tail(file).decode("utf-8", "replace").splitlines()[-2:]):
        with suppress(ParseError):
            return parse_checkpoint(line)
    return None


def end_of_lines(file: Path) -> int:
    """Return where the last whole line of a file ends; what follows was torn by a power cut."""
    torn = _tail(file).rpartition(b"\n")[2]
    return file.stat().st_size - len(torn)


def _tail(file: Path) -> bytes:
    """Return the end of a file, with at least its last two lines."""
    try:
        with file.open("rb") as lines:
            end, size = lines.seek(0, os.SEEK_END), TAIL_BYTES
            while True:
                start = lines.seek(max(end - size, 0))
                text = lines.read()
                if start == 0 or text.count(b"\n") > 2:  # The tail may begin within a line.
                    break
                size *= 4
    except OSError:
        return b""
    return text


def check_marks(view: View, marks: list[Mark]) -> None:
    """Refuse a ledger that is behind a mark or has diverged from it."""
    restored_ms = max((row.time_ms for row in view.stream(RESTORES)), default=-1)
    for file, time_ms, heads in marks:
        if time_ms <= restored_ms:
            continue
        for stream, head in heads.items():
            if head.number and (wrong := _wrong(view, stream, head)):
                raise UserError(f"the ledger is older than {file} or another one: {wrong}; {HELP}")


HELP = (
    "put the newest ledger back, or restore the newest backup; `croupier ledger restore --force` "
    "accepts the loss and records it"
)


def _wrong(view: View, stream: str, head: Head) -> str | None:
    for row in view.stream(stream, after=head.number - 1):
        return None if row.head == head else f"event {head.number} of {stream} differs"
    return f"event {head.number} of {stream} is not there"
