"""`croupier settle`: settle a round file, or one round per line."""

import gc
import json
import sys
from collections.abc import Iterator
from io import BufferedIOBase
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from croupier.cli.output import (
    AsJson,
    group,
    one_line,
    print_heading,
    print_json,
    print_lines,
    print_table,
    say,
)
from croupier.errors import UserError
from croupier.money import format_money
from croupier.reading.json import parse_json
from croupier.reading.toml import parse_toml
from croupier.round.file import Played
from croupier.round.reasons import Reasons
from croupier.round.record import record_of
from croupier.round.result import result_of
from croupier.round.settler import Settler
from croupier.round.state import Line
from croupier.rules.load import read_text
from croupier.rules.words import plain

app = group("Settle a round file.")

READ_BYTES = 1 << 16
_written = json.JSONEncoder(check_circular=False).encode
GARBAGE_OBJECTS = 100_000
"""The garbage collection threshold, high because rounds make no cycles."""


@app.command()
def settle(
    context: typer.Context,
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="A round file, TOML or JSON; - is JSON on stdin."),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Settle one JSON round per line of stdin.")
    ] = False,
    record: Annotated[
        Path | None, typer.Option(help="Write the round's record, for `croupier replay`.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Settle a round: what each wager pays, and by which clause."""
    settler = Settler(context.obj)
    if lines:
        if file not in (None, "-"):
            raise UserError("--lines reads standard input, not a file", field="FILE")
        answer_lines(settler)
        return
    if file is None:
        raise UserError("is missing; name a round file, or - for standard input", field="FILE")
    data = read_round(file)
    played = settler.played(data)
    if record:
        write_record(record, played, settler.selections(data))
    if as_json:
        print_json(result_of(played))
    else:
        show_round(played)


def read_round(file: str) -> Any:
    """Read a round file, TOML or JSON; - is JSON from standard input."""
    if file == "-":
        return parse_json(sys.stdin.buffer.read(), field="round")
    text = read_text(Path(file))
    if file.endswith(".json"):
        return parse_json(text, field="round")
    return parse_toml(text, file)


def write_record(file: Path, played: Played, selections: dict[str, Any]) -> None:
    """Write the record of a round to a new file."""
    record = record_of(played.round.rules, plain(selections), played.events)
    try:
        with file.open("x", encoding="utf-8") as out:
            json.dump(record, out, indent=1)
    except OSError as error:
        raise UserError(f"can't be written: {error.strerror}", field=str(file)) from None
    say(f"wrote {file}")


def answer_lines(settler: Settler) -> None:
    """Answer each line of input with a line of JSON, and continue after errors."""
    gc.set_threshold(GARBAGE_OBJECTS)
    for lines in lines_at_hand(cast(BufferedIOBase, sys.stdin.buffer)):
        for line in lines:
            print(_answer(settler, line))
        sys.stdout.flush()  # The sender may wait for these answers before the next line.


def _answer(settler: Settler, line: bytes) -> str:
    try:
        answer = settler.settle(parse_json(line, field="round"))
    except UserError as error:
        answer = {"error": one_line(str(error)), "clause": error.clause}
    return _written(answer)


def lines_at_hand(source: BufferedIOBase) -> Iterator[list[bytes]]:
    """Yield the lines of input in batches, as many as have arrived."""
    while chunk := source.read1(READ_BYTES):
        whole, end, rest = chunk.rpartition(b"\n")
        if end:
            yield [line + end for line in whole.split(end)]
        if rest:
            yield [rest + source.readline()]


def show_round(played: Played) -> None:
    """Print a settled round for people."""
    round, result = played.round, result_of(played)
    reasons = Reasons(round)
    print_lines(f"{round.rules.title}{' — void' if round.void else ''}")
    dealer = result["dealer"]
    if dealer and dealer["cards"]:
        plays = {True: "plays", False: "does not qualify", None: ""}[dealer["qualifies"]]
        hand = " ".join(filter(None, (dealer["cards"], dealer["hand"], plays)))
        print_lines(f"{round.rules.bank.label}: {hand}")
    for seat in result["seats"]:
        hand = " ".join(filter(None, (seat["cards"], seat["hand"])))
        print_heading(f"Seat {seat['seat']}: {f'{hand}, ' if hand else ''}net {seat['net']}")
        for line in round.lines:
            if line.seat == seat["seat"]:
                _show_line(line, reasons.why(line))
    if result["banker"]:
        bank = result["banker"]
        print_heading(f"Banker at seat {bank['seat']}")
        print_lines(f"collected {bank['collected']}, paid {bank['paid']}, net {bank['net']}")
    if result["meters"]:
        print_heading("Meters")
        print_table(result["meters"].items())
    print_heading(f"House {result['house']}")


def _show_line(line: Line, why: str) -> None:
    """Print one line: the money and the clause, and below it the reason."""
    paid, returned = format_money(line.paid), format_money(line.returned)
    money = f"{format_money(line.stake):>10}  {line.outcome:9} paid {paid:>10}  back {returned:>9}"
    print_lines(f"  {line.wager:21}{money}", f"    {why} ({_said(line)})")


def _said(line: Line) -> str:
    return ", ".join(filter(None, (line.clause, line.ruling and f"ruling {line.ruling}")))
