"""`croupier choose`: find the selections that give a wager a target edge."""

import re
from fractions import Fraction
from typing import Annotated

import typer

from croupier.cli.bets import Book, percent
from croupier.cli.output import AsJson, group, print_json, print_table, say
from croupier.cli.selections import Select, parse_selections
from croupier.errors import UserError, quoted
from croupier.reports.answers import toml_text
from croupier.rules.load import load
from croupier.rules.words import plain

app = group("Find selections that meet a target.")

_RANGE = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)\s*\.\.\s*(-?[0-9]+(?:\.[0-9]+)?)\s*%?")


@app.command()
def choose(
    context: typer.Context,
    rulebook: Book,
    wager: Annotated[str, typer.Option(help="The wager's id.", show_default=False)],
    edge: Annotated[str, typer.Option(help="Target house edge: 5..6%.", show_default=False)],
    select: Select = None,
    most: Annotated[int, typer.Option(min=1, help="How many results to show.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Find selections whose house edge meets a target.

    Where the book lets the house amend a paytable, payouts are searched too.

    Exits with 1 if nothing meets the target.
    """
    from croupier.odds.choose import choose as chosen

    bounds = _RANGE.fullmatch(edge.strip())
    if not bounds:
        raise UserError(f"{quoted(edge)} is not a range like 5..6%", field="--edge")
    low, high = sorted(Fraction(bound) / 100 for bound in bounds.groups())
    book = load(rulebook, context.obj)
    found = chosen(book, wager, (low, high), given=parse_selections(select or ()))
    if as_json:
        rows = [
            {
                "selections": plain(dict(one.selections)),
                "expected_value": str(one.analysis.expected_value),
                "house_edge": float(one.analysis.house_edge),
            }
            for one in found[:most]
        ]
        print_json({"rulebook": book.id, "wager": wager, "found": len(found), "choices": rows})
    elif found:
        print_table(
            [
                (percent(float(one.analysis.house_edge)), _says(one.selections))
                for one in found[:most]
            ],
            ("house edge", "selections"),
        )
    if len(found) > most:
        say(f"{len(found) - most} more meet the target; --most shows more")
    if not found:
        say("no selections meet the target")
        raise typer.Exit(1)


def _says(selections: object) -> str:
    """Write selections as `--select` and a submission read them."""
    words = [f"{name} = {toml_text(value)}" for name, value in plain(selections).items()]
    return ", ".join(words) or "the book's defaults"
