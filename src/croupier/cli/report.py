"""`croupier report`: the PAR sheet of a table, as HTML or PDF."""

from datetime import date as Date
from typing import Annotated

import typer

from croupier.cli.bets import MeterWords, Others, parse_amounts
from croupier.cli.documents import Output, check_output, check_paper, deliver
from croupier.cli.output import AsJson, group, print_json
from croupier.cli.selections import Select
from croupier.cli.table import Subject, table_of
from croupier.errors import ParseError, quoted

app = group("Write a table's PAR sheet.")

PAPERS = ("a4", "letter")


@app.command()
def report(
    context: typer.Context,
    table: Subject,
    select: Select = None,
    meter: MeterWords = None,
    others: Others = 0,
    output: Output = None,
    paper: Annotated[str, typer.Option(help="a4 or letter.")] = "a4",
    date: Annotated[
        str, typer.Option(metavar="YYYY-MM-DD", help="The date to print. Default: none.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Write a table's PAR sheet for a regulator or a test lab.

    For each wager: every result with its combinations, probability and contribution, the house
    edge, element of risk, standard deviation and volatility, the best strategy and the break-even
    of each meter. Then the price of every ruling, and commands to check each figure. The same
    input gives the same bytes.
    """
    check_output(output, as_json=as_json)
    paper, date = check_paper(paper, PAPERS), check_date(date)
    shown = parse_amounts(meter, "--meter") or {}
    book, rules = table_of(table, select, context.obj)

    from croupier.odds.analysis import analyses
    from croupier.odds.pricing import price
    from croupier.reports.documents import par_html, par_pdf
    from croupier.reports.par import Priced, par_of

    found = Priced(
        analyses=analyses(rules, meters=shown, others=others),
        rulings=price(book, others=others),
        meters=shown,
        others=others,
    )
    sheet = par_of(book, rules, found, date=date)
    if as_json:
        print_json(sheet.as_json())
    else:
        deliver(
            output,
            lambda: par_html(sheet, paper=paper),
            lambda: par_pdf(sheet, paper=paper),
        )


def check_date(text: str) -> str:
    """Return a date as given; refuse an invalid one."""
    try:
        return text and Date.fromisoformat(text).isoformat()
    except ValueError:
        raise ParseError(f"{quoted(text)} is not a date like 2026-01-31", field="--date") from None
