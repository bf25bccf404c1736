"""The table a command is about: a book with selections, or a rules submission."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from croupier.cli.selections import parse_selections
from croupier.rules.load import load, read_text
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.submission import parse_submission, submitted
from croupier.rules.table_rules import TableRules

_FILE = ".toml"

Subject = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help=f"A rulebook's id, or a rules submission ({_FILE} file).",
        show_default=False,
    ),
]


def table_of(
    subject: str, select: Iterable[str] | None, folders: Sequence[Path]
) -> tuple[Rulebook, TableRules]:
    """Return the book and the rules of a table; `--select` overrides what a submission states."""
    selections = parse_selections(select or ())
    if not subject.endswith(_FILE):
        book = load(subject, folders)
        return book, resolve(book, selections)
    submission = parse_submission(read_text(Path(subject)))
    book = load(submission.rulebook, folders)
    return book, submitted(book, {**submission.selections, **selections})
