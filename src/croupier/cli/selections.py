"""The option `--select K=V`: an operator's selections."""

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from croupier.errors import UserError, quoted
from croupier.reports.answers import toml_value

SELECT = "--select"
Select = Annotated[
    list[str] | None,
    typer.Option(SELECT, metavar="K=V", help="One of the operator's selections; repeatable."),
]


def parse_selections(words: Iterable[str], option: str = SELECT) -> dict[str, Any]:
    """Parse words like `decks=2`; a value is TOML, or else a plain text."""
    selections: dict[str, Any] = {}
    for word in words:
        name, equals, text = word.partition("=")
        name = name.strip()
        if not equals or not name:
            raise UserError(f"{quoted(word)} must be written K=V", field=option)
        if name in selections:
            raise UserError("appears twice", field=f"{option} {name}")
        selections[name] = toml_value(text.strip())
    return selections
