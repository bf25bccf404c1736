"""Output of commands: JSON or tables on standard output, the rest on standard error."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer


def group(help: str, *, no_args_is_help: bool = True) -> typer.Typer:
    """Return an empty command group; Rich would slow down its help and clutter its errors."""
    return typer.Typer(
        help=help, no_args_is_help=no_args_is_help, rich_markup_mode=None, add_completion=False
    )


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


SENTENCE_MAX = 900


def one_line(text: str) -> str:
    """Return a message as one readable line, whatever it quotes."""
    line = " ".join(text.split())
    return line if len(line) <= SENTENCE_MAX else line[:SENTENCE_MAX] + " …"


def say(text: str) -> None:
    """Print a message, rather than data, for a person."""
    print(f"croupier: {one_line(text)}", file=sys.stderr)


def tell(text: str) -> None:
    """Print something to a person who takes part, beside the data."""
    print(text, file=sys.stderr, flush=True)


def print_json(value: Any) -> None:
    print(json.dumps(value, indent=2, ensure_ascii=False))


def print_lines(*lines: str) -> None:
    """Print lines of text, wrapped on a terminal but not in a pipe."""
    console = _console()
    for line in lines:
        console.print(line, markup=False, highlight=False, soft_wrap=not console.is_terminal)


def print_heading(text: str) -> None:
    """Print a heading with an empty line above it."""
    console = _console()
    console.print()
    console.print(text, style="bold", markup=False, highlight=False)


def print_table(
    rows: Iterable[Sequence[str]], heads: Sequence[str] = (), *, whole: int = 1
) -> None:
    """Print rows in columns; the first few columns never wrap."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=bool(heads), pad_edge=False)
    listed = [tuple(row) for row in rows]
    for i in range(max((len(row) for row in listed), default=0)):
        table.add_column(heads[i] if heads else "", no_wrap=i < whole, overflow="fold")
    for row in listed:
        table.add_row(*(Text(cell) for cell in row))
    console = _console()
    with console.capture() as capture:
        console.print(table)
    # Columns are padded to the right edge, which is useless in a file or pipe.
    print("\n".join(line.rstrip() for line in capture.get().splitlines()))


def _console() -> Any:
    # Imported late: help and JSON start faster without Rich.
    from rich.console import Console

    return Console()
