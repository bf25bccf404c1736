"""What `croupier sign` and `croupier report` share: the output file and the paper."""

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from croupier.cli.output import say
from croupier.errors import UserError, quoted

OUTPUT = "-o"
HTML, PDF = ".html", ".pdf"

Output = Annotated[
    Path | None,
    typer.Option(
        OUTPUT,
        "--output",
        metavar="FILE",
        help="Write FILE.html or FILE.pdf. Default: HTML on standard output.",
        show_default=False,
    ),
]


def check_output(file: Path | None, *, as_json: bool) -> None:
    """Refuse an output that can't be written, before any work is done."""
    if file is None:
        return
    if as_json:
        raise UserError(f"--json goes to standard output; leave out {OUTPUT}", field=OUTPUT)
    if file.suffix not in (HTML, PDF):
        raise UserError(f"{quoted(file.name)} must end in {HTML} or {PDF}", field=OUTPUT)


def check_paper(paper: str, known: tuple[str, ...]) -> str:
    """Return the name of a paper size; refuse an unknown one."""
    if paper.lower() not in known:
        raise UserError(f"{quoted(paper)} is not one of {', '.join(known)}", field="--paper")
    return paper.lower()


def deliver(file: Path | None, html: Callable[[], str], pdf: Callable[[], bytes]) -> None:
    """Print a document as HTML, or write it to a file in the format of its suffix."""
    if file is None:
        sys.stdout.write(html())
        return
    write_whole(file, pdf() if file.suffix == PDF else html().encode())
    say(f"wrote {file}")


def write_whole(file: Path, data: bytes) -> None:
    """Write a file atomically: readers see all of it, or what was there before."""
    draft = file.with_name(f".{file.name}.{os.getpid()}.part")
    try:
        draft.write_bytes(data)
        draft.replace(file)
    except OSError as error:
        raise UserError(f"can't be written: {error.strerror}", field=str(file)) from None
    finally:
        draft.unlink(missing_ok=True)
