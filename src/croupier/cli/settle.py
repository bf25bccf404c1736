"""`croupier settle`: settle a round file, or one round a line."""

import gc
import json
import sys
import tomllib
from collections.abc import Iterator, Sequence
from decimal import Decimal
from io import BufferedIOBase
from pathlib import Path
from typing import Annotated, Any, cast, get_args

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
from croupier.errors import ParseError, UserError
from croupier.money import format_money
from croupier.round.file import Played, parse_round, play_file
from croupier.round.reasons import Reasons
from croupier.round.record import record_of
from croupier.round.result import result_of
from croupier.round.state import Line
from croupier.rules.load import load, read_text
from croupier.rules.playable import DEALING
from croupier.rules.resolve import resolve
from croupier.rules.rulebook import Rulebook
from croupier.rules.table_rules import TableRules
from croupier.rules.vocabulary import Dealing
from croupier.rules.words import listed, plain

app = group("Settle a round file.")

READ_BYTES = 1 << 16
_written = json.JSONEncoder(check_circular=False).encode
GARBAGE_OBJECTS = 100_000
"""How many new objects there are before cycles among them are looked for: rounds make none."""


@app.command()
def settle(
    context: typer.Context,
    file: Annotated[
        str | None,
        typer.Argument(metavar="FILE", help="A round file, TOML or JSON; - reads JSON from input."),
    ] = None,
    lines: Annotated[
        bool, typer.Option("--lines", help="Read one JSON round a line, answer one a line.")
    ] = False,
    record: Annotated[
        Path | None, typer.Option(help="Write the round's record, for croupier replay.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Settle a round: every wager, what it pays and by which clause."""
    settler = Settler(context.obj)
    if lines:
        if file not in (None, "-"):
            raise UserError("--lines reads standard input, not a file", field="FILE")
        settler.stream()
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
        return parse_json(_text(sys.stdin.buffer.read()))
    text = read_text(Path(file))
    if file.endswith(".json"):
        return parse_json(text)
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except RecursionError:
        raise UserError("is nested too deeply", field=file) from None
    except ValueError as error:  # TOML's own, and numbers of thousands of digits.
        raise UserError(f"is not TOML: {error}", field=file) from None


def write_record(file: Path, played: Played, selections: dict[str, Any]) -> None:
    """Write the record of a round; it must be a new file."""
    record = record_of(played.round.rules, plain(selections), played.events)
    try:
        with file.open("x", encoding="utf-8") as out:
            json.dump(record, out, indent=1)
    except OSError as error:
        raise UserError(f"cannot be written: {error.strerror}", field=str(file)) from None
    say(f"wrote {file}")


def parse_json(text: str) -> Any:
    """Read JSON strictly: exact numbers, no NaN, no key twice."""
    try:
        return json.loads(
            text, parse_float=Decimal, parse_constant=_no_constant, object_pairs_hook=_no_doubles
        )
    except RecursionError:
        raise UserError("is nested too deeply", field="round") from None
    except ParseError:
        raise
    except ValueError as error:  # JSON's own, and numbers of thousands of digits.
        raise UserError(f"is not JSON: {error}", field="round") from None


def _text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise UserError("is not UTF-8 text", field="round") from None


def _no_constant(name: str) -> None:
    raise UserError(f"{name} is not a number", field="round")


def _no_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table = dict(pairs)
    if len(table) != len(pairs):
        keys = [key for key, _ in pairs]
        doubled = next(key for key in keys if keys.count(key) > 1)
        raise UserError("comes twice", field=doubled)
    return table


class Settler:
    """Settles rounds; it keeps the books and table rules that it has made."""

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = folders
        self._books: dict[str, Rulebook] = {}
        self._rules: dict[str, TableRules] = {}

    def played(self, data: Any) -> Played:
        """Play one round file to its end."""
        if not isinstance(data, dict):
            raise UserError("must be a table", field="round")
        try:
            rules = self._table_rules(data)
            return play_file(rules, parse_round(rules, data))
        except RecursionError:
            raise UserError("is nested too deeply", field="round") from None

    def stream(self) -> None:
        """Answer one line of JSON for each line of input, and go on after an error."""
        gc.set_threshold(GARBAGE_OBJECTS)
        for lines in _lines_at_hand(cast(BufferedIOBase, sys.stdin.buffer)):
            for line in lines:
                print(self._answer(line))
            sys.stdout.flush()  # Somebody may wait for the answers before the next line.

    def _answer(self, line: bytes) -> str:
        try:
            answer = result_of(self.played(parse_json(_text(line))))
        except UserError as error:
            answer = {"error": one_line(str(error)), "clause": error.clause}
        return _written(answer)

    def selections(self, data: dict[str, Any]) -> dict[str, Any]:
        """Return a file's selections with its way of dealing, where the book leaves a choice."""
        book, selections = self._book(data), data.get("selections", {})
        if not isinstance(selections, dict):
            raise UserError("must be a table", field="selections")
        selections, dealing = _dealing(book, selections, data)
        if not _may_choose_dealing(book, selections):
            return selections
        if dealing is not None:
            return {**selections, DEALING: dealing}
        if "deck" in data and len(book.rules.selection[DEALING].option) > 1:
            ways = listed(list(book.rules.selection[DEALING].option), last="or")
            raise UserError(f"is missing: a deck is dealt by {ways}", field=DEALING)
        return selections

    def _book(self, data: dict[str, Any]) -> Rulebook:
        id = data.get("rulebook")
        if not isinstance(id, str):
            raise UserError("must name a rulebook by its id", field="rulebook")
        if id not in self._books:
            self._books[id] = load(id, self.folders)
        return self._books[id]

    def _table_rules(self, data: dict[str, Any]) -> TableRules:
        book, selections = self._book(data), self.selections(data)
        key = json.dumps([book.id, selections], default=str, sort_keys=True)
        if key not in self._rules:
            self._rules[key] = resolve(book, selections)
        return self._rules[key]


def _lines_at_hand(source: BufferedIOBase) -> Iterator[list[bytes]]:
    """Yield the lines of input, as many at once as have come."""
    while chunk := source.read1(READ_BYTES):
        whole, end, rest = chunk.rpartition(b"\n")
        if end:
            yield [line + end for line in whole.split(end)]
        if rest:
            yield [rest + source.readline()]


def _dealing(
    book: Rulebook, selections: dict[str, Any], data: dict[str, Any]
) -> tuple[dict[str, Any], Any]:
    """Return the selections without the way to deal, and the way, wherever a file gives it."""
    option = book.rules.selection[DEALING].option if DEALING in book.rules.selection else {}
    words = (*get_args(Dealing), *option)
    given = {"": data, "selections.": selections}
    found = {at + DEALING: table[DEALING] for at, table in given.items() if DEALING in table}
    for field, word in found.items():
        if word not in words:
            message = f"must be {listed(list(get_args(Dealing)), last='or')}"
            raise UserError(message, field=field, clause=_cited(book, DEALING))
    ways = list(found.values())
    if ways and ways.count(ways[0]) != len(ways):
        raise UserError("is not what the selections say", field=DEALING)
    rest = {name: value for name, value in selections.items() if name != DEALING}
    return rest, ways[0] if ways else None


def _cited(book: Rulebook, name: str) -> str | None:
    selection = book.rules.selection.get(name)
    return selection.clause if selection else None


def _may_choose_dealing(book: Rulebook, selections: dict[str, Any]) -> bool:
    """Whether the book has several ways to deal, and no other selection settles which."""
    return DEALING in book.rules.selection and not any(
        f"selection.{DEALING}.fixed" in choice.sets
        for name, selection in book.rules.selection.items()
        for option, choice in selection.option.items()
        if option == str(selections.get(name, selection.default))
    )


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
    """Print one line: the money and the clause, and below it the reason in words."""
    paid, returned = format_money(line.paid), format_money(line.returned)
    money = f"{format_money(line.stake):>10}  {line.outcome:9} paid {paid:>10}  back {returned:>9}"
    print_lines(f"  {line.wager:21}{money}", f"    {why} ({_said(line)})")


def _said(line: Line) -> str:
    return ", ".join(filter(None, (line.clause, line.ruling and f"ruling {line.ruling}")))
