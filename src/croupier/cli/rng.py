"""`croupier rng`: what a test lab examines, from the functions that deal.

Both take the system's entropy, as the server does. There is no seed: what can be repeated is not
what is dealt.
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

app = group("Put out random bytes or shuffles, for a test lab.")

BLOCK_BYTES = 1 << 16


@app.callback()
def rng() -> None:
    """Put out random bytes or shuffles, for a test lab."""


@app.command()
def raw(
    bytes: Annotated[int, typer.Option(min=0, help="How many bytes.", show_default=False)],
) -> None:
    """Put out raw bytes of the entropy that shuffles are made from."""
    if sys.stdout.isatty():
        raise UserError("raw bytes are for a file or a pipe, not for a terminal", field="raw")
    for start in range(0, bytes, BLOCK_BYTES):
        sys.stdout.buffer.write(take(os.urandom, min(BLOCK_BYTES, bytes - start)))


@app.command()
def shuffles(
    count: Annotated[int, typer.Option(min=0, help="How many shuffles.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Put out shuffled decks, one a line, in the order in which they would be dealt."""
    decks = (format_cards(shuffled(os.urandom)) for _ in range(count))
    if not as_json:
        sys.stdout.writelines(f"{deck}\n" for deck in decks)
        return
    # Written as it comes: millions of decks need not fit in memory.
    before = '{"shuffles": [\n'
    for deck in decks:
        sys.stdout.write(before + json.dumps(deck))
        before = ",\n"
    sys.stdout.write("\n]}\n" if count else '{"shuffles": []}\n')
