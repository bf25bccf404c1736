"""`--bet W=N`, `--meter M=AMOUNT`: what is bet and what the meters show, as words of a command."""

from collections.abc import Iterable
from typing import Annotated

import typer

from croupier.cards import Card, parse_cards
from croupier.errors import ParseError, UserError, quoted

Book = Annotated[str, typer.Argument(help="A rulebook's id.", show_default=False)]
BetWords = Annotated[
    list[str] | None,
    typer.Option("--bet", metavar="W=N", help="A wager and its units (may be repeated)."),
]
MeterWords = Annotated[
    list[str] | None,
    typer.Option("--meter", metavar="M=AMOUNT", help="What a meter shows (may be repeated)."),
]
Others = Annotated[int, typer.Option(help="How many other players there are, for envy.")]
SeenWords = Annotated[
    str, typer.Option("--seen", help="Cards of the bank, else community, seen before their time.")
]
StrategyWords = Annotated[
    str | None,
    typer.Option(
        help="Instead of the best: 'always OPTION', 'mimic the dealer', or from a hand up: 'Q-6-4'."
    ),
]


def parse_words_of_cards(text: str, field: str) -> tuple[Card, ...]:
    """Read the cards of an option; none where it is empty."""
    try:
        return parse_cards(text) if text.strip() else ()
    except ParseError as error:
        raise ParseError(str(error), field=field) from None


def parse_amounts(words: Iterable[str] | None, option: str) -> dict[str, str] | None:
    """Read words like `ante=1`; None where there are none."""
    amounts: dict[str, str] = {}
    for word in words or ():
        name, equals, amount = (part.strip() for part in word.partition("="))
        if not (equals and name and amount):
            raise UserError(f"{quoted(word)} must be written NAME=AMOUNT", field=option)
        if name in amounts:
            raise UserError("comes twice", field=f"{option} {name}")
        amounts[name] = amount
    return amounts or None


def percent(value: float) -> str:
    """Write a share of one as people read it."""
    return f"{100 * value:.4f} %"
