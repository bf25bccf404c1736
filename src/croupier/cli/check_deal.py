"""`croupier check-deal`: run the program that checks a deal, or print its source."""

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from croupier.cli.output import AsJson, group, print_json, print_lines
from croupier.errors import UserError
from croupier.fairness import checker
from croupier.rules.load import read_text

app = group("Check which cards of a deal are proven.")


@app.command()
def check_deal(
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="A round's deal document; - reads standard input."),
    ] = None,
    commitment: Annotated[
        str | None, typer.Option(help="The commitment you noted before you bet.")
    ] = None,
    roll: Annotated[
        str | None,
        typer.Option(help="The roll of the players' cut you noted before you revealed."),
    ] = None,
    contribution: Annotated[
        str | None, typer.Option(help="Your contribution to the players' cut.")
    ] = None,
    program: Annotated[
        bool, typer.Option("--program", help="Print the checker itself, to read and keep.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Check that the cards were in the deck committed to before the first bet."""
    if program:
        print(read_text(Path(checker.__file__)), end="")
        return
    if file is None:
        raise UserError("is missing; name a document, or - for standard input", field="FILE")
    read = read_documents(file)
    noted = {"commitment": commitment, "roll": roll, "contribution": contribution}
    reports = [checker.report(document, **noted) for document in read]
    if as_json:
        print_json([_answer(document, *told) for document, told in zip(read, reports, strict=True)])
    else:
        print_lines(*(words for _, words in reports))
    raise typer.Exit(0 if all(cards is not None for cards, _ in reports) else 1)


def read_documents(file: str) -> list[Any]:
    """Read the documents of a file; - is standard input."""
    try:
        text = sys.stdin.read() if file == "-" else read_text(Path(file))
        read = json.loads(text, object_pairs_hook=checker.once)
    except (RecursionError, ValueError) as error:
        raise UserError(f"can't be read: {error}", field=file) from None
    if read == []:
        raise UserError("holds no document", field=file)
    return read if isinstance(read, list) else [read]


def _answer(document: Any, cards: list[dict[str, Any]] | None, words: str) -> dict[str, Any]:
    if cards is None:
        return {"proven": False, "message": words}
    round, commitment = document["round"], document["commitment"]
    cut = document.get("cut", [])
    withheld = sum(one["value"] is None for one in cut)
    counts = {"contributions": len(cut) - withheld, "withheld": withheld}
    return {"proven": True, "round": round, "commitment": commitment, "cards": cards, **counts}
