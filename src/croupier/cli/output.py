"""How commands speak: data as JSON or as tables on standard output, the rest on standard error."""

import json
import sys
from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import typer


def group(help: str, *, no_args_is_help: bool = True) -> typer.Typer:
    """Return an empty group of commands; Rich would make its help slow and its errors loud."""
    return typer.Typer(
        help=help, no_args_is_help=no_args_is_help, rich_markup_mode=None, add_completion=False
    )


AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON document for programs.")]


def say(text: str) -> None:
    """Tell a person something that is not data."""
    print(f"croupier: {text}", file=sys.stderr)


def print_json(value: Any) -> None:
    """Print one JSON document."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def print_lines(*lines: str) -> None:
    """Print lines of text, wrapped to the terminal's width."""
    console = _console()
    for line in lines:
        console.print(line, markup=False, highlight=False)


def print_heading(text: str) -> None:
    """Print a heading with a line of space above it."""
    console = _console()
    console.print()
    console.print(text, style="bold", markup=False, highlight=False)


def print_table(rows: Iterable[Sequence[str]], heads: Sequence[str] = ()) -> None:
    """Print rows in columns, as wide as their longest text or as the terminal allows."""
    from rich.table import Table
    from rich.text import Text

    table = Table(*heads, box=None, show_header=bool(heads), pad_edge=False)
    for row in rows:
        table.add_row(*(Text(cell) for cell in row))
    console = _console()
    with console.capture() as capture:
        console.print(table)
    # Columns are padded to the right edge, which a file or a pipe has no use for.
    print("\n".join(line.rstrip() for line in capture.get().splitlines()))


def _console() -> Any:
    # Rich is imported when it is first needed: help and JSON start faster without it.
    from rich.console import Console

    return Console(soft_wrap=False)
