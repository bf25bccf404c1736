"""`croupier price`: what each ruling of a book is worth."""

from typing import TYPE_CHECKING

import typer

from croupier.cli.bets import Book, Others
from croupier.cli.output import AsJson, group, print_heading, print_json, print_lines, print_table
from croupier.reports.answers import prices_json
from croupier.rules.load import load

if TYPE_CHECKING:
    from croupier.odds.pricing import PricedRuling

app = group("Show what the rulings of a book are worth.")


@app.command()
def price(
    context: typer.Context, rulebook: Book, others: Others = 0, as_json: AsJson = False
) -> None:
    """Show what each ruling of a book is worth: the expected value under each reading.

    A ruling without a price says why it has none.
    """
    from croupier.odds.pricing import price as priced

    book = load(rulebook, context.obj)
    rulings = priced(book, others=others)
    if as_json:
        print_json(prices_json(book, rulings))
        return
    print_lines(book.rules.title, *([] if rulings else ["This book has no rulings."]))
    for ruling in rulings:
        if ruling.readings:
            _print(ruling)
    without = [(ruling.id, ruling.why or "") for ruling in rulings if not ruling.readings]
    if without:
        print_heading("Without a price")
        print_table(without, whole=1)


def _print(ruling: "PricedRuling") -> None:
    """Print the readings of a ruling with their difference in points of the stake."""
    print_heading(f"{ruling.id}  {', '.join(ruling.clauses)}")
    print_lines(ruling.problem)
    first = ruling.readings[0].expected_value / ruling.readings[0].stake
    rows = []
    for reading in ruling.readings:
        points = 100 * float(reading.expected_value / reading.stake - first)
        bet = " + ".join(f"{units} {name}" for name, units in reading.bet.items())
        rows.append(
            (
                "we do" if reading.chosen else f"{points:+.4f} points",
                str(reading.expected_value),
                bet,
                reading.says,
            )
        )
    print_table(rows, ("", "expected value", "bet", "reading"), whole=2)
