"""`croupier compare`: the odds of two books, or two sets of selections, side by side."""

from typing import TYPE_CHECKING, Annotated

import typer

from croupier.cli.bets import MeterWords, Others, parse_amounts, percent
from croupier.cli.output import AsJson, group, print_json, print_table
from croupier.cli.selections import SELECT, parse_selections
from croupier.errors import UserError
from croupier.reports.answers import answer, answer_json, by_wager
from croupier.rules.load import load
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import TableRules

if TYPE_CHECKING:
    from croupier.odds.analysis import Analysis

app = group("Compare the odds of two tables.")

_FIGURES = ("house edge", "element of risk", "standard deviation", "hit frequency")


@app.command()
def compare(
    context: typer.Context,
    one: Annotated[str, typer.Argument(metavar="A", help="A rulebook's id.", show_default=False)],
    other: Annotated[
        str, typer.Argument(metavar="B", help="Another id, or the same one.", show_default=False)
    ],
    select: Annotated[
        list[str] | None, typer.Option(metavar="K=V", help="A selection for A; repeatable.")
    ] = None,
    against: Annotated[
        list[str] | None, typer.Option(metavar="K=V", help="A selection for B; repeatable.")
    ] = None,
    meter: MeterWords = None,
    others: Others = 0,
    as_json: AsJson = False,
) -> None:
    """Compare the odds of two books, or of two sets of selections of one book."""
    tables = [
        resolve(load(id, context.obj), parse_selections(words or (), option))
        for id, words, option in ((one, select, SELECT), (other, against, "--against"))
    ]
    meters = parse_amounts(meter, "--meter")
    for id in meters or ():
        if not any(id in rules.meters for rules in tables):
            raise UserError("is not a meter of either table", field=f"meter {id}")
    found = [_analyses(rules, meters, others) for rules in tables]
    if as_json:
        both = zip(tables, found, strict=True)
        print_json([answer_json(rules, own.values()) for rules, own in both])
        return
    rows = []
    for name in dict.fromkeys([*found[0], *found[1]]):
        label = next(rules.wagers[name].label for rules in tables if name in rules.wagers)
        columns = [_figures(own.get(name)) for own in found]
        for place, figure in enumerate(_FIGURES):
            rows.append((label if not place else "", figure, *(c[place] for c in columns)))
    print_table(rows, ("wager", "", f"A: {tables[0].title}", f"B: {tables[1].title}"), whole=2)


def _analyses(
    rules: TableRules, meters: dict[str, str] | None, others: int
) -> dict[str, "Analysis"]:
    own = {id: amount for id, amount in (meters or {}).items() if id in rules.meters}
    return by_wager(answer(rules, meters=own, others=others))


def _figures(one: "Analysis | None") -> tuple[str, ...]:
    if one is None:
        return ("not offered", "", "", "")
    return (
        percent(float(one.house_edge)),
        percent(float(one.element_of_risk)),
        f"{one.standard_deviation:.4f}",
        percent(float(one.hit_frequency)),
    )
