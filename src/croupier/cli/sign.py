"""`croupier sign`: what must be posted at a table, as HTML or PDF."""

from typing import Annotated

import typer

from croupier.cli.documents import Output, check_output, check_paper, deliver
from croupier.cli.output import AsJson, group, print_json
from croupier.cli.selections import Select
from croupier.cli.table import Subject, table_of

app = group("Write a table's sign.")


@app.command()
def sign(
    context: typer.Context,
    table: Subject,
    select: Select = None,
    output: Output = None,
    paper: Annotated[str, typer.Option(help="a4, a3, letter or tabloid, in landscape.")] = "a4",
    house: Annotated[
        str, typer.Option(metavar="NAME", help="A line above the title, such as the house's name.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Write the sign a table must post.

    One sheet, in the largest type that fits: what every wager on offer pays, bonuses, envy and
    meters, the hand the bank needs to play, limits, fees and rake.
    """
    from croupier.reports.documents import sign_html, sign_pdf
    from croupier.reports.layout import PAPERS
    from croupier.reports.sign import sign_of

    check_output(output, as_json=as_json)
    paper = check_paper(paper, tuple(PAPERS))
    _, rules = table_of(table, select, context.obj)
    posted = sign_of(rules, house=house)
    if as_json:
        print_json(posted.as_json())
    else:
        deliver(
            output,
            lambda: sign_html(posted, paper=paper),
            lambda: sign_pdf(posted, paper=paper),
        )
