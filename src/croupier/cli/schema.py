"""`croupier schema`: the JSON Schemas of what programs read and write."""

from typing import Annotated

import typer

from croupier.cli.output import group, print_json, print_lines
from croupier.schemas import schema as schema_of
from croupier.schemas import schema_names

app = group("Print a JSON Schema.")


@app.command()
def schema(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="A schema's name; without one, list them.")
    ] = None,
) -> None:
    """Print a JSON Schema (draft 2020-12), or list the schemas there are."""
    if name is None:
        print_lines(*(f"{each:15} {schema_of(each)['description']}" for each in schema_names()))
    else:
        print_json(schema_of(name))
