"""`croupier analyze`: the exact figures of every wager, or of a bet."""

from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

import typer

from croupier.cli.bets import (
    BetWords,
    Book,
    MeterWords,
    Others,
    SeenWords,
    StrategyWords,
    parse_amounts,
    parse_words_of_cards,
    percent,
)
from croupier.cli.output import AsJson, group, print_heading, print_json, print_lines, print_table
from croupier.cli.selections import Select, parse_selections
from croupier.reports.answers import answer, answer_json
from croupier.rules.load import load
from croupier.rules.resolve import resolve

if TYPE_CHECKING:
    from croupier.odds.analysis import Analysis

app = group("Compute the exact odds of a table.")

_WHOLE_FROM = 1000


@app.command()
def analyze(
    context: typer.Context,
    rulebook: Book,
    select: Select = None,
    bet: BetWords = None,
    meter: MeterWords = None,
    others: Others = 0,
    seen: SeenWords = "",
    strategy: StrategyWords = None,
    as_json: AsJson = False,
) -> None:
    """Compute the exact odds of every wager a table offers, or of one bet.

    Counts every deal. Prints the expected value, house edge, element of risk, standard deviation,
    hit frequency, best strategy and the return of every line; --json adds the distribution.
    """
    rules = resolve(load(rulebook, context.obj), parse_selections(select or ()))
    bets, meters = parse_amounts(bet, "--bet"), parse_amounts(meter, "--meter")
    cards = parse_words_of_cards(seen, "--seen")
    found = answer(rules, bets, meters=meters, others=others, strategy=strategy, seen=cards)
    if as_json:
        print_json(answer_json(rules, found))
        return
    print_lines(rules.title)
    for one in found:
        _print(one)


def _print(one: "Analysis") -> None:
    """Print an analysis for people."""
    rules = one.rules
    print_heading(" + ".join(f"{units} {rules.wagers[w].label}" for w, units in one.bet.items()))
    rows = [
        ("expected value", f"{float(one.expected_value):+.6f}", str(one.expected_value)),
        ("house edge", percent(float(one.house_edge)), ""),
        ("element of risk", percent(float(one.element_of_risk)), ""),
        ("average wagered", f"{float(one.average_wagered):.6f}", str(one.average_wagered)),
        ("standard deviation", f"{one.standard_deviation:.6f}", ""),
        ("hit frequency", percent(float(one.hit_frequency)), str(one.hit_frequency)),
    ]
    for id, amount in (one.break_even or {}).items():
        shows = f"{float(amount):,.2f}" if amount is not None else "never"
        rows.append((f"{id} breaks even", shows, "" if amount is None else str(amount)))
    print_table(rows)
    for sentence in one.strategy:
        print_lines(sentence)
    print_table(_returns(one), ("result", "pays", "deals", "chance", "1 in", "return"), whole=0)


def _returns(one: "Analysis") -> Iterator[tuple[str, ...]]:
    """Yield the ways in which each line ends, below the line's name."""
    line = ""
    for part in one.returns:
        if part.line != line:
            line = part.line
            yield one.rules.label(line), "", "", "", "", ""
        yield (
            f"  {part.says}",
            part.pays,
            f"{part.combinations:,}",
            percent(float(part.probability)),
            _one_in(part.one_in),
            f"{float(part.contribution):+.6f}",
        )


def _one_in(value: Fraction | None) -> str:
    if value is None:
        return ""
    return f"{float(value):,.0f}" if value >= _WHOLE_FROM else f"{float(value):,.2f}"
