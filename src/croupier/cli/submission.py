"""`croupier submission`: write a rules submission, and check one."""

from pathlib import Path
from typing import Annotated

import typer

from croupier.cli.output import AsJson, group, print_json, print_lines, say
from croupier.errors import UserError
from croupier.rules.load import load, read_text
from croupier.rules.resolve import resolve
from croupier.rules.submission import breaches, parse_submission
from croupier.rules.submission_form import new_submission

app = group("Write a rules submission or check one.")


@app.command()
def new(
    context: typer.Context,
    id: Annotated[str, typer.Argument(metavar="ID", help="A rulebook's id.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Write to this new file.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Write a commented TOML file with every selection, its default and the checklist."""
    text = new_submission(load(id, context.obj))
    if output is not None:
        try:
            with output.open("x", encoding="utf-8") as file:
                file.write(text)
        except OSError as error:
            raise UserError(f"can't be written: {error.strerror}", field=str(output)) from None
        say(f"wrote {output}")
    if as_json:
        print_json({"rulebook": id, "toml": text})
    elif output is None:
        print(text, end="")


@app.command()
def check(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A submission's TOML file.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Check a submission against its book; report every breach with its clause."""
    submission = parse_submission(read_text(file))
    book = load(submission.rulebook, context.obj)
    found = breaches(book, submission)
    if as_json:
        keys = ("selection", "clause", "message")
        listed = [{key: getattr(breach, key) for key in keys} for breach in found]
        print_json({"valid": not found, "breaches": listed})
    elif found:
        print_lines(*map(str, found))
    else:
        rules = resolve(book, submission.selections)
        print_lines(f"The submission keeps {book.rules.title}.", f"Digest {rules.digest}")
    if found:
        raise typer.Exit(1)
