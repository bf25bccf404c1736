"""`--bet W=N`, `--meter M=AMOUNT`: what is bet and what the meters show, as words of a command."""

from collections.abc import Iterable
from typing import Annotated

import typer

from croupier.errors import UserError, quoted

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
StrategyWords = Annotated[
    str | None,
    typer.Option(
        help="Instead of the best: 'always OPTION', 'mimic the dealer', or from a hand up: 'Q-6-4'."
    ),
]


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
