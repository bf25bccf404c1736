"""Find rulebooks: those of the package, and those in folders that the caller names."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from croupier.errors import UserError, quoted
from croupier.rules.rulebook import Rulebook, parse_rulebook

Folders = Sequence[Path]
"""Folders with more rulebooks, in order of precedence."""

_PACKAGED = Path(__file__).parent.parent / "rulebooks"

_parsed = lru_cache(maxsize=32)(parse_rulebook)
"""Parses a text once. The file is read each time, so a book that has changed is parsed again."""


def rulebook_ids(folders: Folders = ()) -> tuple[str, ...]:
    """Return the ids of all books found, in alphabetical order."""
    return tuple(sorted({file.name.removesuffix(".toml") for file in _files(folders)}))


def load(id: str, folders: Folders = ()) -> Rulebook:
    """Return the book with this id; folders take precedence over the package."""
    for file in _files(folders):
        if file.name == f"{id}.toml":
            return _parsed(read_text(file), id=id, file=file.name)
    known = ", ".join(rulebook_ids(folders))
    raise UserError(f"there is no rulebook {quoted(id)}; there are {known}", field="rulebook")


def _files(folders: Folders) -> Iterator[Path]:
    for folder in folders:
        if not folder.is_dir():
            raise UserError(f"{str(folder)!r} is not a folder", field="books")
        yield from sorted(folder.glob("*.toml"))
    yield from (file for file in _PACKAGED.iterdir() if file.name.endswith(".toml"))


def load_file(file: Path) -> Rulebook:
    """Return the book in a file; its id is the file's name."""
    return _parsed(read_text(file), id=file.stem, file=str(file))


def read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(f"can't be read: {error.strerror}", field=str(file)) from None
    except UnicodeDecodeError:
        raise UserError("is not UTF-8 text", field=str(file)) from None
