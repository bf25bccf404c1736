"""`croupier replay`: show a recorded round event by event, or straight to its settlement."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from croupier.cli.output import AsJson, group, print_json, print_lines
from croupier.cli.settle import show_round
from croupier.reading.json import parse_json
from croupier.round.file import Played
from croupier.round.record import events_of, open_record, rounds_of, things_of
from croupier.round.result import result_of
from croupier.round.tell import tell
from croupier.rules.load import load, read_text
from croupier.rules.resolve import resolve
from croupier.rules.table_rules import as_edition

app = group("Replay a recorded round.")


@app.command()
def replay(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(help="A record of a round.", show_default=False)],
    step: Annotated[bool, typer.Option("--step", help="Print every event.")] = False,
    as_json: AsJson = False,
) -> None:
    """Replay a recorded round and show its settlement.

    Refuses a record that was changed or that the rules can't reproduce."""
    record = open_record(parse_json(read_text(file), field="record"))
    book = load(record["rulebook"], context.obj)
    rules = resolve(book, record["selections"], things=things_of(record))
    rules = as_edition(rules, record["digest"]) or rules
    events = events_of(rules, record)
    rounds = list(rounds_of(rules, events))
    played = Played(rounds[-1], events, rounds[-1].faces)
    if as_json:
        result: dict[str, Any] = result_of(played)
        print_json({**result, "events": record["events"]} if step else result)
        return
    if step:
        for number, (round, event) in enumerate(zip(rounds, events, strict=True), 1):
            print_lines(f"{number:3}  {tell(round, event)}")
            if sys.stdin.isatty() and sys.stdout.isatty():
                typer.prompt("", default="", show_default=False, prompt_suffix="")
    show_round(played)
