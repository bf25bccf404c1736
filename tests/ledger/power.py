"""A disk that forgets: what was not synced when the power fails may be there, in part, or not."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import apsw

SECTOR = 512


class Written(NamedTuple):
    """Bytes that went to a file; it has a size instead where the file was cut to one."""

    file: str
    at: int
    data: bytes
    size: int | None = None


class Synced(NamedTuple):
    file: str


class Deleted(NamedTuple):
    file: str


Operation = Written | Synced | Deleted


class Log(list[Operation]):
    """What went to the disk, in order; from some operation on the disk may be broken."""

    broken_from: int | None = None

    def append(self, operation: Operation) -> None:
        if self.broken_from is not None and len(self) >= self.broken_from:
            raise (
                apsw.FullError("the disk is full") if self.broken_from % 2 else apsw.IOError("EIO")
            )
        super().append(operation)


class Disk(apsw.VFS):
    """Passes everything on to the real disk, and remembers the order of it."""

    def __init__(self, name: str) -> None:
        self.log = Log()
        self.vfs = name
        super().__init__(name, "")

    def xOpen(self, name: Any, flags: list[int]) -> "File":
        return File(name, flags, self.log)

    def xDelete(self, filename: str, *options: Any) -> None:
        self.log.append(Deleted(Path(filename).name))
        super().xDelete(filename, *options)


class File(apsw.VFSFile):
    def __init__(self, name: Any, flags: list[int], log: Log) -> None:
        super().__init__("", name, flags)
        self.log = log
        self.name = Path(name.filename() if isinstance(name, apsw.URIFilename) else name or "").name

    def xWrite(self, data: bytes, offset: int) -> None:
        self.log.append(Written(self.name, offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:
        self.log.append(Written(self.name, 0, b"", newsize))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:
        self.log.append(Synced(self.name))
        super().xSync(flags)


def files_after(log: list[Operation], rng: random.Random) -> dict[str, bytes]:
    """What the files hold after the power failed at the end of a log.

    What was synced is there. Of what was not, every sector may be there or not, as it happens.
    """
    synced: dict[str, int] = {}
    for place, operation in enumerate(log):
        if isinstance(operation, Synced):
            synced[operation.file] = place
    files: dict[str, bytearray] = {}
    for place, operation in enumerate(log):
        match operation:
            case Deleted(file):
                files.pop(file, None)
            case Written(file, at, data, size):
                content = files.setdefault(file, bytearray())
                sure = place < synced.get(file, -1)
                if size is not None:
                    if sure or rng.random() < 0.5:
                        del content[size:]
                    continue
                for start, part in sectors(at, data):
                    if sure or rng.random() < 0.5:
                        content.extend(bytes(max(0, start - len(content))))
                        content[start : start + len(part)] = part
            case Synced(file):
                files.setdefault(file, bytearray())
    return {file: bytes(content) for file, content in files.items()}


def sectors(at: int, data: bytes) -> Iterator[tuple[int, bytes]]:
    """The parts of a write that reach the disk or do not."""
    done = 0
    while done < len(data):
        upto = min(len(data), (at + done) // SECTOR * SECTOR + SECTOR - at)
        yield at + done, data[done:upto]
        done = upto
