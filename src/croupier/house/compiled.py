"""Compiled files: Python runs them in place of their sources, so each must come from its source."""

import importlib.util
import marshal
from collections.abc import Iterable, Iterator
from pathlib import Path

LEVELS = {"": 0, "1": 1, "2": 2}
"""How far a compiled file is optimized, by the word in its name."""
_HEADER, _HASHED, _CHECKED = 16, 1, 2


def foreign(sources: Iterable[Path]) -> Iterator[Path]:
    """Yield the compiled files that Python would run and that their sources don't compile to."""
    for source in sources:
        for word, level in LEVELS.items():
            file = Path(importlib.util.cache_from_source(str(source), optimization=word))
            if file.is_file() and not _is_of(file.read_bytes(), source, level):
                yield file


def _is_of(data: bytes, source: Path, level: int) -> bool:
    """Whether a compiled file is its source's, or one that Python doesn't run."""
    text = source.read_bytes()
    if not _is_run(data[:_HEADER], source, text):
        return True
    try:
        code = marshal.loads(data[_HEADER:])
        made = compile(text, str(source), "exec", dont_inherit=True, optimize=level)
    except (EOFError, ValueError, TypeError, SyntaxError):
        return False
    return bool(code == made)


def _is_run(header: bytes, source: Path, text: bytes) -> bool:
    """Whether Python would run a file with this header, as `importlib` decides it (PEP 552)."""
    if header[:4] != importlib.util.MAGIC_NUMBER:
        return False
    flags = int.from_bytes(header[4:8], "little")
    if flags & _HASHED:
        return not flags & _CHECKED or header[8:] == importlib.util.source_hash(text)
    known = source.stat()
    made = (int(known.st_mtime), known.st_size)
    return header[8:] == b"".join((one & 0xFFFFFFFF).to_bytes(4, "little") for one in made)
