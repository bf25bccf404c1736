"""The options `--bet W=N` and `--meter M=AMOUNT`."""

from collections.abc import Iterable
from typing import Annotated

import typer

from croupier.cards import Card, parse_cards
from croupier.errors import ParseError, UserError, quoted

Book = Annotated[str, typer.Argument(help="A rulebook's id.", show_default=False)]
BetWords = Annotated[
    list[str] | None,
    typer.Option("--bet", metavar="W=N", help="A wager and its stake in units; repeatable."),
]
MeterWords = Annotated[
    list[str] | None,
    typer.Option("--meter", metavar="M=AMOUNT", help="What a meter shows, in dollars; repeatable."),
]
Others = Annotated[int, typer.Option(help="Number of other players, for envy bonuses.")]
SeenWords = Annotated[
    str,
    typer.Option(
        "--seen",
        help="Hidden cards the player saw: the bank's or, without a bank, the community's.",
    ),
]
StrategyWords = Annotated[
    str | None,
    typer.Option(
        help="Instead of the best: 'always OPTION', 'mimic the dealer' or a lowest hand ('Q-6-4')."
    ),
]


def parse_words_of_cards(text: str, field: str) -> tuple[Card, ...]:
    """Parse the cards of an option; an empty text has none."""
    try:
        return parse_cards(text) if text.strip() else ()
    except ParseError as error:
        raise ParseError(str(error), field=field) from None


def parse_amounts(words: Iterable[str] | None, option: str) -> dict[str, str] | None:
    """Parse words like `ante=1`; None if there are none."""
    amounts: dict[str, str] = {}
    for word in words or ():
        name, equals, amount = (part.strip() for part in word.partition("="))
        if not (equals and name and amount):
            raise UserError(f"{quoted(word)} must be written NAME=AMOUNT", field=option)
        if name in amounts:
            raise UserError("appears twice", field=f"{option} {name}")
        amounts[name] = amount
    return amounts or None


def percent(value: float) -> str:
    """Format a share as a percentage."""
    return f"{100 * value:.4f} %"
