"""`croupier rng`: output for test labs, from the functions that deal.

Both commands use the system's entropy, as the server does. There is no seed: what is dealt can't be
repeated.
"""

import json
import os
import sys
from typing import Annotated

import typer

from croupier.cards import format_cards
from croupier.cli.output import AsJson, group
from croupier.errors import UserError
from croupier.fairness.shuffle import shuffled, take

app = group("Print random bytes or shuffles for a test lab.")

BLOCK_BYTES = 1 << 16


@app.callback()
def rng() -> None:
    """Print random bytes or shuffles for a test lab."""


@app.command()
def raw(
    bytes: Annotated[int, typer.Option(min=0, help="Number of bytes.", show_default=False)],
) -> None:
    """Print raw bytes of the entropy that shuffles use."""
    if sys.stdout.isatty():
        raise UserError("raw bytes are for a file or a pipe, not for a terminal", field="raw")
    for start in range(0, bytes, BLOCK_BYTES):
        sys.stdout.buffer.write(take(os.urandom, min(BLOCK_BYTES, bytes - start)))


@app.command()
def shuffles(
    count: Annotated[int, typer.Option(min=0, help="Number of shuffles.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Print shuffled decks, one per line, in the order they would be dealt."""
    decks = (format_cards(shuffled(os.urandom)) for _ in range(count))
    if not as_json:
        sys.stdout.writelines(f"{deck}\n" for deck in decks)
        return
    # Streamed, because millions of decks may not fit in memory.
    before = '{"shuffles": [\n'
    for deck in decks:
        sys.stdout.write(before + json.dumps(deck))
        before = ",\n"
    sys.stdout.write("\n]}\n" if count else '{"shuffles": []}\n')
