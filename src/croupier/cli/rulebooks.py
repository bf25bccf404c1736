"""`croupier rulebooks`: list the books, show one, compare two, check a file."""

from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from croupier.cli.output import (
    AsJson,
    group,
    print_heading,
    print_json,
    print_lines,
    print_table,
    say,
)
from croupier.errors import Problem, Problems
from croupier.round.proof import faults_in
from croupier.rules.describe import PAYTABLES, describe, family_says, payout_grid
from croupier.rules.load import load, load_file, read_text, rulebook_ids
from croupier.rules.present import differences, in_full, may_be, one_clause, summary
from croupier.rules.rulebook import Rulebook, problems_of
from croupier.rules.words import plain

app = group("List rulebooks, show one, compare two, or check a file.", no_args_is_help=False)

BookId = Annotated[str, typer.Argument(metavar="ID", help="A rulebook's id.", show_default=False)]


@app.callback(invoke_without_command=True)
def list_books(context: typer.Context, as_json: AsJson = False) -> None:
    """List rulebooks, show one, compare two, or check a file."""
    if context.invoked_subcommand:
        return
    books: list[Rulebook] = []
    wrong: list[Problem] = []
    for id in rulebook_ids(context.obj):
        try:
            books.append(load(id, context.obj))
        except Problems as found:
            wrong += found.problems
    if as_json:
        print_json([summary(book) for book in books])
    else:
        rows = [(book.id, book.rules.title, book.rules.banked_by) for book in books]
        print_table(rows, ("id", "title", "banked by"))
    for problem in wrong:
        say(str(problem))
    if wrong:
        raise typer.Exit(1)


@app.command()
def show(
    context: typer.Context,
    id: BookId,
    clause: Annotated[
        str | None, typer.Argument(metavar="CLAUSE", help="One clause.", show_default=False)
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show a book: procedure, wagers, paytables, selections, rulings and all clauses."""
    book = load(id, context.obj)
    if clause is not None:
        _show_clause(book, clause, as_json=as_json)
    elif as_json:
        print_json(in_full(book))
    else:
        _show_book(book)


@app.command()
def diff(
    context: typer.Context,
    one: BookId,
    other: BookId,
    as_json: AsJson = False,
) -> None:
    """Show how two books differ, in sentences."""
    books = load(one, context.obj), load(other, context.obj)
    found = list(differences(*books))
    if as_json:
        print_json(found)
        return
    if not found:
        print_lines("The two books say the same about play.")
    for part, topics in groupby(found, key=lambda difference: difference["part"]):
        print_heading(part)
        for difference in topics:
            said = [difference[book.id] for book in books]
            texts = [f"{s['says']} ({s['clause']})" if s else "Nothing." for s in said]
            print_table(zip([book.id for book in books], texts, strict=True))
            print_lines("")


@app.command()
def check(
    file: Annotated[Path, typer.Argument(help="A rulebook's TOML file.", show_default=False)],
    as_json: AsJson = False,
) -> None:
    """Check a rulebook file: read it, play it through and report every fault."""
    try:
        book = load_file(file)
        problems = problems_of(faults_in(book), book.data, (read_text(file), str(file)))
    except Problems as found:
        problems = [*found.problems]
    if problems:
        if as_json:
            keys = ("file", "path", "line", "clause", "message")
            listed = [{key: getattr(p, key) for key in keys} for p in problems]
            print_json({"valid": False, "problems": listed})
        else:
            print_lines(*map(str, problems))
        raise typer.Exit(1)
    if as_json:
        print_json({"valid": True, "problems": [], "digest": book.digest})
    else:
        print_lines(f"{book.id} is a rulebook of {len(book.clauses)} clauses.", book.digest)


def _show_clause(book: Rulebook, name: str, *, as_json: bool) -> None:
    clause = one_clause(book, name)
    if as_json:
        print_json(clause)
        return
    kept = clause["kept"] + (f" at “{clause['at']}” by the {clause['by']}" if clause["at"] else "")
    print_lines(f"{name}  {clause['says']}", f"Kept: {kept}.")
    if clause["clauses"]:
        print_heading("Its sub-clauses")
        print_table((inner["id"], inner["says"]) for inner in clause["clauses"])
    for ruling in clause["rulings"]:
        print_heading(f"Ruling {ruling['id']}")
        print_lines(ruling["problem"], f"→ {ruling['choice']}")


def _show_book(book: Rulebook) -> None:
    rules = book.rules
    print_lines(rules.title, rules.source, f"{book.id}, digest {book.digest[:16]}")
    for part, sayings in groupby(describe(rules), key=lambda said: said.part):
        if part != PAYTABLES:
            print_heading(part)
            print_table((said.clause, said.text) for said in sayings)
    for family, tables in rules.paytable.items():
        print_heading(family_says(rules, family))
        print_table(payout_grid(tables), ("", *tables))
    print_heading("What the operator selects")
    heads = ("selection", "what", "may be", "default", "clause")
    print_table((_selection_row(book, name) for name in rules.selection), heads)
    print_heading("Rulings")
    for name, ruling in rules.ruling.items():
        about = ", ".join(ruling.clauses)
        print_table([(name, f"{ruling.problem} ({about})"), ("", f"→ {ruling.choice}")])
    print_heading(f"Clauses ({len(book.clauses)})")
    print_table((name, clause.kept, clause.says) for name, clause in book.clauses.items())


def _selection_row(book: Rulebook, name: str) -> tuple[str, ...]:
    selection = book.rules.selection[name]
    default = "" if selection.default is None else str(plain(selection.default))
    return name, selection.says, may_be(book.rules, name), default, selection.clause
