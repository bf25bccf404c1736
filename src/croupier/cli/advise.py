"""`croupier advise`: what every choice is worth with given cards."""

from typing import Annotated

import typer

from croupier.cli.bets import BetWords, Book, MeterWords, SeenWords, parse_amounts
from croupier.cli.bets import parse_words_of_cards as _cards
from croupier.cli.output import AsJson, group, print_json, print_table
from croupier.cli.selections import Select, parse_selections
from croupier.rules.load import load
from croupier.rules.resolve import resolve

app = group("Show what each choice is worth.")


@app.command()
def advise(
    context: typer.Context,
    rulebook: Book,
    cards: Annotated[str, typer.Option(help="The seat's three cards.", show_default=False)],
    shown: Annotated[str, typer.Option(help="The bank's face-up card.")] = "",
    community: Annotated[str, typer.Option(help="The face-up community cards.")] = "",
    seen: SeenWords = "",
    select: Select = None,
    bet: BetWords = None,
    meter: MeterWords = None,
    as_json: AsJson = False,
) -> None:
    """Show what each choice is worth with these cards, and what a mistake costs.

    A value is the expected net of all wagers, in units of the opening wager, assuming the best
    choices before and after. Without --bet it counts the opening wager alone, even at a table that
    takes it only together with another.
    """
    from croupier.odds.advice import advise as advised

    rules = resolve(load(rulebook, context.obj), parse_selections(select or ()))
    found = advised(
        rules,
        _cards(cards, "--cards"),
        shown=_cards(shown, "--shown"),
        community=_cards(community, "--community"),
        seen=_cards(seen, "--seen"),
        bet=parse_amounts(bet, "--bet"),
        meters=parse_amounts(meter, "--meter"),
    )
    if as_json:
        print_json(found.as_json())
        return
    print_table(
        [
            (
                choice.label + (" (best)" if choice.name == found.best else ""),
                f"{float(choice.value):+.6f}",
                str(choice.value),
                f"costs {float(cost):.6f}" if (cost := found.cost[choice.name]) else "",
            )
            for choice in found.choices
        ],
        ("choice", "value", "exactly", "mistake"),
    )
